"""Graphs in and out: what `mog expr` and `mog trees` write, `mog expr` reads; what is wrong is told with line and column.

Usage: cli_graphs.py MOG MAKE_RECORDING [SHARED_DIR]
"""
import json
import os
import random
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from mog_cli import MogCase, shared_dir

MOG, MAKE = (os.path.abspath(path) for path in sys.argv[1:3])
SHARED = shared_dir(sys.argv[3] if len(sys.argv) > 3 else None)
ENDINGS = ("txt", "json", "graphml", "dot")
FORMS = ["the", "dog", "the", "U", "a->b", 'say "hi"\\', "日本", "<&>", "d'un", "x  y", "sub_x", "v_", "\\\\\"", "🙂", "e\u0301",
         "\u202eabc", "(x)", "a@1", "tab\there", " ", "\u00a0", "x;y", "[z]", "→∪", "\\u{1b}"]
PLACE = re.compile(r"line \d+, column \d+")


def quoted(form):
    return '"' + form.replace("\\", "\\\\").replace('"', '\\"') + '"'


def random_expression(draw, names, joins):
    """Text of a random expression, and the names it holds; operands may overlap, repeat and loop."""
    if joins == 0:
        name = draw.choice(names)
        return name, [name]
    left_joins = draw.randrange(joins)
    left, held = random_expression(draw, names, left_joins)
    right, other = (left, held) if draw.random() < .1 else random_expression(draw, names, joins - 1 - left_joins)
    annotation = draw.choice(["", "[w=0.5;rel=x:y;l=2]", "[zz=é;part=m1]", "", "[rel=a\\u{3b}b]"])
    return (f"({left})->{draw.choice(held)} U{annotation} ({right})->{draw.choice(other)}", held + other)


class Graphs(MogCase):
    mog = MOG

    def expressions(self, *arguments, stdin=None):
        text = self.run_well("expr", "--format", "text", *arguments, stdin=stdin)
        return [line for line in text.splitlines() if line and not line.startswith("# ")]

    def refused(self, name, content, *words, code=3):
        message = self.expect(code, name, "expr", "-i", self.write(name, content))
        self.assertRegex(message, PLACE)
        for word in words:
            self.assertIn(word, message)
        return message

    def test_random_expressions_travel_through_every_format(self):
        draw = random.Random(5)
        for with_sentence in (False, True):
            names = [f"{quoted(form)}@{place}" for place, form in enumerate(FORMS, 1)]
            texts = [random_expression(draw, names, draw.randrange(12))[0] for _ in range(150)]
            head = "# words = " + json.dumps(FORMS) + "\n" if with_sentence else ""
            first = self.write("first.txt", "\n\n".join(head + text for text in texts) + "\n")
            wanted = self.expressions("-i", first)
            self.assertEqual(len(wanted), len(texts))
            # Print, parse, print; then a chain of all formats.
            before = first
            for ending in ENDINGS + ENDINGS[::-1] + ("json", "dot", "graphml", "txt"):
                after = self.folder / f"{before.stem}x.{ending}"
                self.run_well("expr", "-i", before, "-o", after)
                self.assertEqual(self.expressions("-i", after), wanted, ending)
                before = after

    def test_control_characters_are_written_by_their_numbers(self):
        form = "a\x01\x1b[31m\r\n\t\x7f\u009bz"
        document = json.dumps({"words": [form, "b"], "expression": '"a\\u{1}\\u{1b}[31m\\u{d}\\u{a}\t\\u{7f}\\u{9b}z"'})
        file = self.write("c.json", document)
        text = '"a\\u{1}\\u{1b}[31m\\u{d}\\u{a}\t\\u{7f}\\u{9b}z"'
        self.assertEqual(self.run_well("expr", "-i", file, "--format", "text").splitlines()[1], text)
        for ending in ENDINGS + ("txt",):
            other = self.folder / f"d.{ending}"
            self.run_well("expr", "-i", file, "-o", other)
            self.assertFalse(re.search("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]", other.read_text(encoding="utf-8")), ending)
            again = json.loads(self.run_well("expr", "-i", other, "--json"))
            self.assertEqual((again["words"], again["expression"]), ([form, "b"], text), ending)
        self.assertNotIn("\x1b", self.run_well("expr", "-i", file))
        self.expect(3, "column 3: bad_string", "expr", "--", '"a\\u{110000}"')
        self.expect(3, "column 2: bad_string", "expr", "--", '"\\u1b"')

    def test_no_message_sends_control_characters(self):
        for arguments in (("expr", "--", "(a\x1b]0;x\x07)->b U"), ("expr", "-i", "\x1b[2J.txt"), ("describe", "\x1b[2J")):
            result = self.run_mog(*arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertNotIn(b"\x1b", result.stderr + result.stdout)

    def test_one_graph_a_file(self):
        """Readers take the first graph of a GraphML document: a note says so, --output-dir writes each alone."""
        recording = self.folder / "r.rec"
        subprocess.run([MAKE, self.write("c.txt", "the dog saw the cat\n"), recording], check=True)
        for options in (("trees", recording, "--sentence", 1, "--top", 3), ("expr", "(a)->a U (b)->b", "(c)->c U (d)->d", "x")):
            joint = self.run_mog(*options, "--format", "graphml")
            self.assertEqual(joint.returncode, 0, joint.stderr)
            wanted = self.expressions("-i", self.write("joint.graphml", joint.stdout.decode()))
            self.assertEqual(len(wanted), 3)
            self.assertIn("3 graphs in one GraphML document", joint.stderr.decode())
            self.assertIn("--output-dir", joint.stderr.decode())
            for form in ("graphml", "dot"):
                apart = self.folder / f"{options[0]}-{form}"
                self.run_well(*options, "--format", form, "--output-dir", apart)
                files = sorted(apart.iterdir())
                self.assertEqual([file.name for file in files], [f"graph-{n}.{form}" for n in (1, 2, 3)])
                self.assertEqual([self.expressions("-i", file)[0] for file in files], wanted)
                self.assertEqual([len(self.expressions("-i", file)) for file in files], [1, 1, 1])
                for file in files if form == "graphml" else []:
                    self.assertEqual(len(xml.etree.ElementTree.parse(file).getroot().findall("{*}graph")), 1)
                full = self.run_mog(*options, "--format", form, "--output-dir", apart)
                self.assertEqual(full.returncode, 2)
                self.assertIn("no empty folder", full.stderr.decode())
            for wrong in (("--format", "json"), ("--format", "graphml", "-o", self.folder / "x.graphml")):
                self.assertEqual(self.run_mog(*options, *wrong, "--output-dir", self.folder / "new").returncode, 2)
        single = self.run_mog("trees", recording, "--sentence", 1, "--top", 1, "--format", "graphml")
        self.assertNotIn("graphs in one", single.stderr.decode())

    def test_what_mog_trees_writes_is_read(self):
        recording = self.folder / "r.rec"
        corpus = self.write("c.txt", 'the dog saw the "cat" \\u{1b} sub_a\nx\ra \x1b[31m U -> d\u009b\n')
        subprocess.run([MAKE, corpus, recording], check=True)
        for number, options in ((1, ()), (1, ("--mode", "by-leaves")), (2, ("-k", "5", "--owner", "@1")), (2, ())):
            printed = self.run_well("trees", recording, "--sentence", number, *options)
            self.assertNotRegex(printed, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
            forest = json.loads(self.run_well("trees", recording, "--sentence", number, "--json", *options))["forest"]
            wanted = [tree["annotated"] for tree in forest["trees"]]
            self.assertTrue(wanted)
            for form in ("json", "graphml", "dot"):
                file = self.folder / f"t.{form}"
                self.run_well("trees", recording, "--sentence", number, "--format", form, "-o", file, *options)
                self.assertEqual(self.expressions("-i", file), wanted, (form, options))
                # All words of the sentence come along.
                for line in self.run_well("expr", "-i", file, "--json").splitlines():
                    self.assertEqual(json.loads(line)["words"], forest["words"])

    def test_booleans_have_four_spellings(self):
        text = self.run_well("expr", "(a)->a U (b)->b", "--format", "graphml")
        key = '<key id="x" for="node" attr.name="leaf" attr.type="boolean"/>\n'
        for value in ("true", "false", "1", "0", " true\n"):
            wrong = text.replace("  <graph ", key + "  <graph ").replace(
                '<data key="node_form">a', f'<data key="x">{value}</data><data key="node_form">a')
            self.assertEqual(self.expressions("-i", self.write("b.graphml", wrong)), ["(a)->a U (b)->b"])
        self.refused("b.graphml", wrong.replace(" true\n", "yes"), '"leaf"', "true, false, 1 or 0", '"yes"')

    def test_what_is_not_known_is_passed_over(self):
        text = self.run_well("expr", "(a)->a U[rel=x] (b)->b", "--format", "graphml")
        xml.etree.ElementTree.fromstring(text)
        more = text.replace("  <graph ", '<key id="c" for="all" attr.name="colour" attr.type="int"><desc>d</desc>'
                                         '<default>7</default></key><extension xmlns="u:x"><y/></extension><graph ')
        more = more.replace("</node>", '<data key="c">no number</data><port name="p"/><data key="none">?</data></node>')
        self.assertEqual(self.expressions("-i", self.write("m.graphml", more)), ["(a)->a U[rel=x] (b)->b"])
        dot = self.run_well("expr", "(a)->a U[rel=x] (b)->b", "--format", "dot")
        more = dot.replace("rankdir=LR;", 'graph [pad=1, "x"=<a<b>c>] edge [w="1" + "2"]; subgraph s { rank=same; } // c')
        self.assertEqual(self.expressions("-i", self.write("m.dot", more)), ["(a)->a U[rel=x] (b)->b"])

    def test_structure_that_leaves_no_choice_is_enough(self):
        for text, wanted in (
                ("digraph { saw -> dog }", "(saw)->saw U (dog)->dog"),
                ("digraph { a }", "a"),
                ('digraph { a -> b [id=1] ; b -> c [id="2"]; }', "((a)->a U (b)->b)->b U (c)->c"),
                ('digraph { x [label="a b"]; y [label=c]; x -> y [order=2]; y -> z [order=3] }',
                 '(("a b")->"a b" U (c)->c)->c U (z)->z'),
                ("digraph { a -> b [order=2] c -> d [order=2] d -> a [order=4]}",
                 "((c)->c U (d)->d)->d U ((a)->a U (b)->b)->a")):
            self.assertEqual(self.expressions("-i", self.write("s.dot", text)), [wanted])
        for text, word in (("digraph { a -> b -> c }", '"id"'), ("digraph { a b }", "no edge"),
                           ("digraph { a -> b [id=1] b -> a [id=2] }", "overlap"),
                           ("digraph { a -> b [id=1] c -> d [id=2] }", "several subgraphs"),
                           ("digraph { a -> b [order=3] }", "order 3")):
            self.assertIn("mog_expression", self.refused("s.dot", text, word) + "mog_expression" * (word == "several subgraphs"))
        # Our own DOT without what we add for reading.
        own = self.run_well("expr", "((a)->a U (b)->b)->a U (c)->c", "--format", "dot")
        bare = re.sub(r"  mog_\w+=.*\n", "", re.sub(r', mog_\w+="[^"]*"', "", own))
        self.assertNotIn("mog_", bare)
        self.assertEqual(self.expressions("-i", self.write("o.dot", bare)), ["((a)->a U (b)->b)->a U (c)->c"])
        self.assertEqual(self.expressions("--from", "json", '{"words":["a","b"],"edges":[{"source":2,"target":1}]}'),
                         ["(b)->b U (a)->a"])

    def test_damage_is_told_with_line_and_column(self):
        source = ("((the@1)->the@1 U[l=1] (dog)->dog)->dog U (the@3)->the@3", "-s", "the dog the")
        one = self.run_well("expr", *source, "--json")
        pretty = json.dumps(json.loads(one), indent=1)
        self.refused("x.json", pretty.replace('"kind": 1', '"kind": }', 1), "no sound JSON")
        message = self.refused("x.json", pretty.replace('"order": 2', '"order": 7'), '"order" is 7')
        line = next(i for i, text in enumerate(pretty.splitlines(), 1) if '"edges"' in text) + 1
        self.assertIn(f"line {line}, column 3", message)
        self.refused("x.json", pretty.replace('"source": 2', '"source": "2"', 1), '"source" is no whole number')
        self.refused("x.json", pretty.replace('"version": 1', '"version": 2'), "expected version 1", "found 2", "newer")
        self.refused("x.json", pretty.replace("mog-graph", "other"), '"mog-graph"', '"other"')
        self.refused("x.json", "\n\n" + pretty.replace("(the@1)", "(the@9)", 2), "position_mismatch")
        self.refused("x.jsonl", one + one.replace('"order":2', '"order":7'), "line 2, column")
        self.refused("x.json", b'{"words": ["\xff"]}', "line 1, column 13", "UTF-8")
        graphml = self.run_well("expr", *source, "--format", "graphml")
        rows = graphml.splitlines()
        order = next(i for i, row in enumerate(rows) if "edge_order" in row and "key=" in row)
        self.assertIn(f"line {order + 1}, column 7",
                      self.refused("x.graphml", "\n".join(rows[:order] + [rows[order].replace(">2<", ">two<")] + rows[order + 1:]), '"two"'))
        self.refused("x.graphml", graphml.replace(">2</data>", ">5</data>", 1))
        self.refused("x.graphml", graphml.replace("</node>", "</nod>", 1), "mismatched tag")
        self.refused("x.graphml", graphml[:-20], "line")
        self.refused("x.graphml", graphml.replace('target="w3"', 'target="w9"'), '"w9"')
        self.refused("x.graphml", graphml.replace('edgedefault="directed"', 'edgedefault="undirected"'), "direction")
        self.refused("x.graphml", '<!DOCTYPE a [<!ENTITY b "c">]>' + graphml.split("\n", 1)[1], "document type")
        dot = self.run_well("expr", *source, "--format", "dot")
        for wrong, word in ((dot.replace("->", "--"), '"->"'), (dot.replace("digraph mog {", "graph mog {"), "digraph"),
                            (dot[:-3], "end of the file"), (dot.replace("];", "", 1), "expected"), (dot.replace('"1"', '"one"'), "whole number"),
                            (dot + "}", "digraph"), ('digraph { "a', "no end"), ("/* x", "no end"), ("digraph { a -> }", "found")):
            self.refused("x.dot", wrong, word)
        self.refused("x.txt", "# words = [\"a\", ]\na\n", "line 1, column 17")

    def test_defects_inside_a_value_have_their_place(self):
        for form, escaped in (("graphml", "-&gt;"), ("dot", "->")):
            good = self.run_well("expr", '("a b")->"a b" U (c)->c', "--format", form)
            end = f"U (c){escaped}c"
            rows = good.splitlines()
            line = next(i for i, row in enumerate(rows) if end in row and ("expression" in row))
            wrong = rows[:line] + [rows[line].replace(end, "U c")] + rows[line + 1:]
            place = f"line {line + 1}, column {wrong[line].index('U c') + 3}: "
            message = self.refused(f"v.{form}", "\n".join(wrong), "expected_operand", 'found "c"')
            self.assertIn(place, message)
        dot = 'digraph {\n a [mog_position=1]; b [mog_position=2];\n mog_expression="(a)->a" +\n  " U [l=\\u{31}\\\\] (b)" }'
        self.assertIn("line 4, column 10: ", self.refused("j.dot", dot, "bad_annotation"))
        graphml = self.run_well("expr", "(a)->a U (b)->b", "--format", "graphml").replace(
            "(a)-&gt;a U (b)-&gt;b</data>", "<!-- here -->(a)<![CDATA[->a\n]]>&#85; b</data>", 1)
        row = next(i for i, text in enumerate(graphml.splitlines(), 1) if "&#85;" in text)
        column = graphml.splitlines()[row - 1].index("b</data>") + 1
        self.assertIn(f"line {row}, column {column}: ", self.refused("c.graphml", graphml, "expected_operand"))

    def test_texts_that_contradict_each_other_are_refused(self):
        one, other = "(a)->a U (b)->b", "(b)->b U[l=1] (a)->a"
        document = json.dumps({"words": ["a", "b"], "expression": one, "annotated": other})
        self.refused("c.json", document, one, "(b)->b U (a)->a", '"annotated"', '"expression"')
        self.assertEqual(self.expressions("-i", self.write("g.json", document.replace(other, "(a)->a U[l=1] (b)->b"))),
                         ["(a)->a U[l=1] (b)->b"])
        graphml = self.run_well("expr", "(a)->a U[l=1] (b)->b", "--format", "graphml")
        row = next(text for text in graphml.splitlines() if "graph_annotated" in text and "<data" in text)
        self.refused("c.graphml", graphml.replace(row, row.replace("(a)-&gt;a U", "(b)-&gt;b U").replace("(b)-&gt;b<", "(a)-&gt;a<")),
                     "(b)->b U (a)->a")

    def test_graphs_say_where_they_come_from(self):
        recording = self.folder / "f.rec"
        subprocess.run([MAKE, self.write("f.txt", "the dog saw it\n"), recording], check=True)
        common = ("trees", recording, "--sentence", 1, "--mode", "exact", "--top", 1, "--gate", "constant=0.25")
        document = json.loads(self.run_well(*common, "--json"))
        for form in ("graphml", "dot", "conllu", "json"):
            file = self.folder / f"f.{form}"
            self.run_well(*common, "--format", form, "-o", file)
            report = self.run_well("expr", "-i", file)
            self.assertIn(f"guarantee: {document['guarantee']}\n", report, form)
            choices = next(line for line in report.splitlines() if line.startswith("choices: "))
            for key, value in document["choices"].items():
                self.assertIn(f"{key} {value}", choices, form)
            self.assertIn("goal: TOP\n", report)
            # And go on to every other format.
            for again in ("json", "graphml", "dot", "conllu", "text"):
                second = self.folder / f"again.{'txt' if again == 'text' else again}"
                self.run_well("expr", "-i", file, "--format", again, "-o", second)
                self.assertIn(choices, self.run_well("expr", "-i", second).splitlines(), (form, again))
        words = self.run_well("trees", recording, "--sentence", 1, "--owner", "all", "--format", "graphml")
        self.assertIn("goal: R[", self.run_well("expr", "--from", "graphml", "-i", self.write("w.graphml", words)))

    def test_no_tree_is_said(self):
        recording = self.folder / "n.rec"
        subprocess.run([MAKE, self.write("n.txt", " ".join(f"w{i}" for i in range(70)) + "\n"), recording], check=True)
        common = ("trees", recording, "--sentence", 1, "--mode", "projective")
        for form in ("graphml", "dot", "conllu"):
            self.expect(2, "joins all 70 words", *common, "--format", form)
        file = self.folder / "n.json"
        self.run_well(*common, "--format", "json", "-o", file)
        self.expect(3, "joins all 70 words", "expr", "-i", file)
        self.expect(2, "joins all 70 words", "figure", "tree", recording, "--sentence", 1, "--projective", "-o",
                    self.folder / "n.svg")
        self.expect(2, "joins all 70 words", "figure", "forest", recording, "--sentence", 1, "--projective", "-o",
                    self.folder / "n.svg")

    def test_signs_that_turn_or_end_lines_are_not_printed(self):
        recording = self.folder / "s.rec"
        subprocess.run([MAKE, self.write("s.txt", "a\u202eb c\u2028d e\u2066f \u2029g\n"), recording], check=True)
        bad = "[\u2028-\u202e\u2066-\u2069]"
        for form in ("text", "conllu"):
            printed = self.run_well("trees", recording, "--sentence", 1, "--mode", "exact", "--format", form)
            for line in printed.split("\n"):
                if line[:1] in "#" or form == "text":
                    self.assertNotRegex(line, bad)
        self.assertEqual(self.run_well("expr", '"a\u202eb"').splitlines()[0], '"a\\u{202e}b"')

    def test_from_holds_for_what_is_given_on_the_command_line(self):
        wanted = ["(a)->a U (b)->b"]
        for form in ("json", "graphml", "dot"):
            self.assertEqual(self.expressions("--from", form, "--", self.run_well("expr", "--format", form, *wanted)), wanted)
        rows = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
        self.assertEqual(self.expressions("--from", "conllu", "--", rows), ["(a)->a U[rel=dep] (b)->b"])
        self.assertEqual(self.expressions("--from", "text", *wanted), wanted)
        for form in ("json", "graphml", "dot", "conllu"):
            self.assertRegex(self.expect(3, "expression 1", "expr", "--from", form, "--", *wanted), PLACE)

    def test_treebanks_keep_every_byte(self):
        row = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_"
        one = ["# sent_id = 1", "# text = a b", "1-2\tab" + "\t_" * 8, row.format(1, "a", 0, "ROOT"), row.format(2, "b;x", 1, "a;b[c]"),
               "2.1\tghost" + "\t_" * 8]
        for ending in ("\n", "\r\n"):
            whole = ending.join(one + ["", ""] + one + [""])
            for text in (whole, "\ufeff" + whole, whole + ending, whole[:-len(ending)], ending + "# lost" + ending * 3 + whole,
                         whole + ending + "# behind" + ending, whole + ending * 3, whole.replace("1\ta", "01\ta").replace("\t1\ta;b", "\t01\ta;b"),
                         whole.replace("a b" + ending, "a b\n"), whole + ending + "# no end"):
                result = self.run_mog("expr", "--from", "conllu", "-i", "-", "--format", "conllu", stdin=text.encode())
                self.assertEqual(result.stdout, text.encode(), result.stderr)
        # A sentence that is chosen comes alone.
        text = "\ufeff" + "\n".join(one + ["", ""])
        self.assertEqual(self.run_mog("expr", "--from", "conllu", "-i", "-", "-n", "1", "--format", "conllu", stdin=text.encode()).stdout,
                         text[1:].encode())

    def test_hostile_treebanks_are_refused_with_line_and_column(self):
        manifest = SHARED / "hostile" / "MANIFEST.json"
        if not manifest.exists():
            self.skipTest("the shared hostile files are absent (MOG_SHARED_DIR)")
        cases = [case for case in json.loads(manifest.read_text(encoding="utf-8"))["files"]
                 if case["kind"] == "conllu" and not case.get("on_demand")]
        self.assertGreater(len(cases), 30)
        for case in cases:
            path = SHARED / "hostile" / case["path"]
            result = self.run_mog("expr", "--from", "conllu", "-i", path, "--format", "conllu")
            message = result.stderr.decode("utf-8", "replace")
            if result.returncode == 0:
                self.assertIn("ok", [case["expect"], *case.get("also", [])], path)
                self.assertEqual(result.stdout, path.read_bytes(), path)
            else:
                self.assertEqual(result.returncode, 3, path)
                self.assertTrue(case["expect"] != "ok" or "roots" in message, (path, message))
                if not any(word in message for word in ("no expression", "roots")):
                    self.assertRegex(message, PLACE, path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
