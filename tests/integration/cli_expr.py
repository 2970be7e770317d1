"""`mog expr`: checks, canonical text, every conversion and back, errors with columns.

Usage: cli_expr.py MOG GOLDEN_FOLDER [SHARED_DIR]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from mog_cli import shared_dir

MOG = os.path.abspath(sys.argv[1])
GOLDEN = pathlib.Path(sys.argv[2]).resolve()
SHARED = shared_dir(sys.argv[3] if len(sys.argv) > 3 else None)


def mog(*arguments, stdin=None):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, input=stdin, timeout=120)


class Expr(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def out(self, *arguments, stdin=None):
        result = mog("expr", *arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode("utf-8")

    def refused(self, code, *arguments, stdin=None):
        result = mog("expr", *arguments, stdin=stdin)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        if "--json" in arguments:
            self.assertEqual(json.loads(result.stdout)["error"]["exit_code"], code)
        else:
            self.assertEqual(result.stdout, b"")
        return result.stderr.decode("utf-8")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_golden_expressions_print_canonically_and_travel_through_every_format(self):
        golden = json.loads((GOLDEN / "expressions.json").read_text(encoding="utf-8"))["valid"]
        for case in [case for case in golden if case["words"] is None]:
            lines = self.out("--format", "text", "--", case["text"])
            self.assertEqual(lines, case["canonical"] + "\n")
        # All at once, to keep the test short.
        texts = [case["canonical"] for case in golden if case["words"] is None]
        for ending in ("json", "graphml", "dot", "txt"):
            file = self.folder / f"all.{ending}"
            self.out("-i", self.write("texts.txt", "\n".join(texts) + "\n"), "-o", file)
            self.assertEqual(self.out("-i", file, "--format", "text").splitlines(), texts, ending)

    def test_the_report_gives_the_tuples(self):
        text = self.out("((a)->a U (b)->b)->a U[l=2] ((b)->b U (c)->c)->b")
        self.assertIn("order 3, 4 leaves, depth 2, kind 2, owner-anchored, owner a\n", text)
        self.assertIn("#3   a -> b  of #1 and #2  order 3  kind 2  [l=2]\n", text)
        document = json.loads(self.out("--json", "(a)->a U[rel=x] (b)->b"))
        self.assertEqual(document["edges"][0]["annotation"], {"rel": "x"})

    def test_golden_errors_have_their_columns(self):
        golden = json.loads((GOLDEN / "expressions.json").read_text(encoding="utf-8"))["invalid"]
        tried = 0
        for case in golden:
            if case["words"] is not None or "\0" in case["text"]:
                continue
            message = self.refused(3, "--", case["text"])
            self.assertIn(f"column {case['column']}: {case['reason']}", message)
            tried += 1
        self.assertGreater(tried, 20)
        message = self.refused(3, "-i", self.write("bad.txt", "a\n\n(a)->a U b\n"))
        self.assertIn("bad.txt: line 3:", message)
        self.assertIn("column 10: expected_operand", message)
        self.assertIn("unknown_word", self.refused(3, "-s", "a b", "(a)->a U (c)->c"))
        for text, found in (("(a)->a U b", '"b"'), ("(a)", "the end of the text"), ("(a)->a X (b)->b", '"X"'), ("(a)->a U[l=x2] (b)->b", '"x2"'),
                            ("(a)-> ->b", '"->"'), ("a)", '")"')):
            self.assertIn(f"; found {found}", self.refused(3, "--", text))
        (self.folder / "latin.txt").write_bytes(b"caf\xe9\n")
        latin = self.refused(3, "-i", self.folder / "latin.txt")
        self.assertIn("not UTF-8", latin)
        self.assertNotIn("--invalid-utf8", latin)  # `mog expr` has no such option

    def test_requests_that_make_no_sense_exit_2(self):
        self.refused(2)
        self.refused(2, "a", "-i", self.write("x.txt", "a\n"))
        self.refused(2, "a", "--format", "svg")
        self.refused(2, "a", "--from", "tree")
        self.refused(2, "-i", self.folder / "absent.txt")
        self.refused(2, "-i", self.write("x.txt", "a\n"), "-n", "2")
        self.refused(2, "a", "--svg", self.folder / "x.bmp")
        self.refused(2, "a", "--svg", self.folder / "x.svg", "--figure", "pie")
        for idle in (("a", "--dependents", "balanced"), ("a", "--figure", "arcs"), ("a", "--json", "--format", "dot")):
            self.assertIn("has no effect here", self.refused(2, *idle))
        self.assertIn("--sentence", self.refused(2, "(a@2)->a@2 U (b)->b", "--format", "conllu"))

    def test_broken_graph_files_exit_3_and_say_where(self):
        good = self.out("--json", "(a)->a U (b)->b")
        for wrong, words in ((good.replace('"order":2', '"order":3'), '"order" is 3'),
                             (good.replace('"target":2', '"target":1'), '"target" is 1'),
                             (good.replace('"words":["a","b"]', '"words":["a","c"]'), 'word 2 is "c"'),
                             (good[:-3], "no sound JSON at byte"), ("[1]", "element 1"), ("{}", "found neither"), ("", "no expression"),
                             ("[" * 100000, "")):
            self.assertIn(words, self.refused(3, "-i", self.write("x.json", wrong)))
        graphml = self.out("--format", "graphml", "(a)->a U (b)->b")
        xml.etree.ElementTree.fromstring(graphml)
        self.assertIn("x.graphml", self.refused(3, "-i", self.write("x.graphml", graphml[:-20])))
        self.assertIn("x.dot", self.refused(3, "-i", self.write("x.dot", "digraph {")))

    def test_golden_trees_become_expressions_and_come_back(self):
        golden = json.loads((GOLDEN / "conllu.json").read_text(encoding="utf-8"))["to_mog"]
        treebank = "".join(case["conllu"].rstrip("\n") + "\n\n" for case in golden)
        file = self.write("gold.conllu", treebank)
        for key in ("nearest_first", "left_to_right", "balanced"):
            text = self.out("-i", file, "--format", "text", "--dependents", key.replace("_", "-"))
            self.assertEqual([line for line in text.splitlines() if line and not line.startswith("# words")],
                             [expression for case in golden for expression in case[key]])
        self.assertEqual(self.out("-i", file, "--format", "conllu"), treebank)
        # Through the other formats heads and relations come back.
        expected = [(row.split("\t")[1], row.split("\t")[6], row.split("\t")[7]) for row in treebank.splitlines()
                    if row and row.split("\t")[0].isdigit()]
        for ending in ("json", "graphml", "dot", "txt"):
            other = self.folder / f"gold.{ending}"
            self.out("-i", file, "-o", other)
            back = self.out("-i", other, "--format", "conllu")
            self.assertEqual([(row.split("\t")[1], row.split("\t")[6], row.split("\t")[7]) for row in back.splitlines()
                              if row and not row.startswith("#")], expected, ending)

    def test_ranges_empty_nodes_and_comments_survive(self):
        treebank = ("# sent_id = a\n# text = vámonos al\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
                    "1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_\n2\tnos\tnos\tPRON\t_\t_\t1\tobj\t1:obj\t_\n"
                    "2.1\tghost\t_\t_\t_\t_\t_\t_\t1:x\t_\n3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
                    "3\ta\ta\tADP\t_\t_\t1\tcase\t_\t_\n4\tel\tel\tDET\t_\t_\t3\tdet\t_\t_\n4.1\tlast\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
        self.assertEqual(self.out("--from", "conllu", "-i", "-", "--format", "conllu", stdin=treebank.encode()), treebank)
        self.assertIn("cycle", self.refused(3, "-i", self.write("x.conllu", treebank.replace("1\tcase", "4\tcase"))))
        bad = self.refused(3, "--format", "conllu", "((a)->a U (b)->b)->a U (b)->b")
        self.assertIn("targeted_twice (word 2)", bad)

    def test_what_a_treebank_calls_its_roots_stays(self):
        treebank = "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\tROOT\t_\t_\n\n"
        file = self.write("roots.conllu", treebank)
        self.assertEqual(self.out("-i", file, "--format", "conllu"), treebank)

    def test_no_dependency_tree_is_told_with_file_and_line(self):
        file = self.write("x.txt", "(a)->a U (b)->b\n((a)->a U (b)->b)->a U (b)->b\n")
        message = self.refused(3, "-i", file, "--format", "conllu")
        for word in ("x.txt", "line 2", "targeted_twice (word 2)"):
            self.assertIn(word, message)

    def test_many_roots_take_no_memory_in_proportion(self):
        rows = "".join(f"{i}\tw{i}\t_\t_\t_\t_\t0\troot\t_\t_\n" for i in range(1, 5001))
        message = self.refused(3, "-i", self.write("roots.conllu", "# text = …\n" + rows + "\n"), "--format", "text")
        for word in ("roots.conllu", "line 2", "5000 roots"):
            self.assertIn(word, message)

    def test_chains_are_refused_as_graphs_and_printed_as_text(self):
        chain = "a"
        for i in range(8000):
            chain = f"({chain})->a U (b)->b"
        file = self.write("deep.txt", chain + "\n")
        self.assertEqual(self.out("-i", file, "--format", "text"), chain + "\n")
        for form in ("json", "graphml", "dot"):
            self.assertIn("text, report", self.refused(2, "-i", file, "--format", form))

    def test_characters_that_xml_cannot_write(self):
        for ending in ("graphml", "json", "dot", "txt"):
            file = self.folder / f"c.{ending}"
            self.out("-o", file, '("a\x01")->"a\x01" U (b)->b')
            self.assertEqual(self.out("-i", file, "--format", "text"), '("a\\u{1}")->"a\\u{1}" U (b)->b\n')

    def test_arguments_that_are_not_utf8(self):
        for arguments in ((b"(a)->a U (\xff)->\xff",), (b"(a)->a U (b)->b", b"--sentence", b"a b \xc3")):
            result = subprocess.run([MOG, "expr", *arguments], capture_output=True, timeout=60)
            self.assertEqual((result.returncode, result.stdout), (2, b""))
            self.assertIn("UTF-8", result.stderr.decode())

    def test_treebanks_are_written_back_byte_for_byte(self):
        folder = SHARED / "data" / "treebanks"
        if not folder.is_dir():
            self.skipTest("the treebanks of the shared data are absent")
        for name in ("en_pud.conllu", "de_pud.conllu", "en_ewt-dev.conllu"):
            result = mog("expr", "-i", folder / name, "--format", "conllu")
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            self.assertEqual(result.stdout, (folder / name).read_bytes(), name)

    def test_figures(self):
        for figure in ("tree", "arcs"):
            file = self.folder / f"{figure}.svg"
            self.out("-q", "((saw)->saw U[rel=nsubj] (dog)->dog)->saw U (cat)->cat", "--svg", file, "--figure", figure)
            text = file.read_text(encoding="utf-8")
            for word in ("saw", "dog", "cat"):
                self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
