"""`mog syntax` from outside: treebanks recorded with the fake model, hostile treebanks, every form of output.

Usage: cli_syntax.py MOG MAKE_RECORDING DATA [SHARED_DIR]
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from mog_cli import shared_dir

MOG, MAKE_RECORDING = (os.path.abspath(path) for path in sys.argv[1:3])
DATA = pathlib.Path(sys.argv[3])
SHARED = shared_dir(sys.argv[4] if len(sys.argv) > 4 else None)


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, timeout=300)


def heads_of(text):
    """[sentence][word] -> head, ranges and empty nodes left out."""
    sentences = []
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        sentences.append([int(row[6]) for row in rows if row[0].isdigit()])
    return sentences


class Files(unittest.TestCase):
    """The golden sentences as one treebank, recorded word by word."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        golden = json.loads((DATA / "conllu.json").read_text(encoding="utf-8"))["to_mog"]
        cls.golden = [case for case in golden if len(case["roots"]) == 1]
        cls.treebank = cls.folder / "gold.conllu"
        cls.treebank.write_text("".join(case["conllu"].rstrip("\n") + "\n\n" for case in cls.golden), encoding="utf-8")
        cls.recording = cls.record(cls.treebank, "gold.rec")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def record(cls, corpus, name):
        subprocess.run([MAKE_RECORDING, corpus, cls.folder / name], check=True)
        return cls.folder / name

    def refused(self, code, word, *arguments):
        result = mog("syntax", *arguments)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        self.assertIn(word, result.stderr.decode())
        self.assertEqual(result.stdout, b"")
        return result.stderr.decode()


class Syntax(Files):
    def out(self, *arguments):
        result = mog("syntax", self.recording, "--treebank", self.treebank, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def rows(self, *arguments):
        table = self.folder / "scores.csv"
        self.out("--output", table, *arguments)
        return list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))

    def test_every_map_in_both_directions_and_the_baselines(self):
        rows = self.rows()
        maps = [row for row in rows if row["source"] == "attention"]
        # 3 layers: high everywhere, the middle parts from layer 2; 2 heads and their mean, both directions.
        self.assertEqual({(row["layer"], row["part"]) for row in maps if row["layer"] == "1"} &
                         {("1", "middle1"), ("1", "middle2")}, set())
        self.assertEqual(sum(row["layer"] == "2" and row["part"] == "high" for row in maps), 6)
        sources = {row["source"] for row in rows}
        self.assertLessEqual({"attention", "joins", "random-tree", "left-neighbour", "right-neighbour", "best-offset",
                              "chosen-head", "chosen-offset"}, sources)
        for row in rows:
            for score in ("uas", "uuas"):
                self.assertLessEqual(0, float(row[score]))
                self.assertLessEqual(float(row[score + "_low"]), float(row[score + "_high"]))
                self.assertLessEqual(float(row[score + "_high"]), 1)
        self.assertEqual(rows, self.rows("--threads", 3))
        self.assertEqual(len([row for row in self.rows("--direction", "query", "--sources", "attention")
                              if row["source"] == "attention"]), len(maps) // 2)

    def test_parts_add_up_to_the_whole(self):
        options = ("--sources", "attention,joins", "--punct", "out", "--bootstrap", 100)
        whole = self.folder / "whole.csv"
        self.out("-o", whole, *options)
        count = len(self.golden) + 2  # some parts are empty
        parts = [self.folder / f"part-{part:02}.sums" for part in range(1, count + 1)]
        for part in range(1, count + 1):
            self.out("--shard", f"{part}/{count}", "-o", self.folder / "part-{part}.sums", *options)
        merged = mog("merge", *reversed(parts))
        self.assertEqual(merged.returncode, 0, merged.stderr.decode())
        self.assertEqual(merged.stdout, whole.read_bytes())
        self.assertIn("is missing", mog("merge", *parts[1:]).stderr.decode())
        # Sentences that are left out keep their places.
        other = self.folder / "other.conllu"
        blocks = self.treebank.read_text(encoding="utf-8").strip().split("\n\n")
        other.write_text("".join((re.sub(r"(?m)^1\t[^\t]+", "1\tother", block) if at % 5 in (1, 2) else block) + "\n\n"
                                 for at, block in enumerate(blocks)), encoding="utf-8")
        skipping = ("syntax", self.recording, "-t", other, "--mismatch", "skip", "--bootstrap", 20)
        self.assertEqual(mog(*skipping, "-o", whole).returncode, 0)
        for part in (1, 2):
            self.assertEqual(mog(*skipping, "--shard", f"{part}/2", "-o", self.folder / "skip-{part}.sums").returncode, 0)
        self.assertEqual(mog("merge", self.folder / "skip-1.sums", self.folder / "skip-2.sums").stdout, whole.read_bytes())
        own = (self.recording, "-t", self.treebank)
        self.refused(2, "--by deprel", *own, "--by", "deprel", "--shard", "1/2", "-o", self.folder / "x.sums")
        self.refused(2, "ends in .sums", *own, "--shard", "1/2", "-o", self.folder / "x.csv")
        self.refused(2, "--trees", *own, "--trees", self.folder / "t.conllu", "-o", self.folder / "x.sums")
        self.refused(2, "--index", *own, "--shard", "1/2", "--index", self.folder, "-o", self.folder / "x.sums")

    def test_neighbours_by_hand(self):
        """UAS and UUAS of the chains, counted here from the treebank's text."""
        sentences = heads_of(self.treebank.read_text(encoding="utf-8"))
        words = sum(map(len, sentences))
        rows = {row["source"]: row for row in self.rows()}
        for source, offset in (("left-neighbour", -1), ("right-neighbour", 1)):
            found = 0
            near = 0
            for heads in sentences:
                for word, head in enumerate(heads, 1):
                    guess = word + offset if 1 <= word + offset <= len(heads) else 0
                    found += guess == head
                    near += head > 0 and abs(word - head) == 1
            self.assertAlmostEqual(float(rows[source]["uas"]), found / words, places=12)
            self.assertAlmostEqual(float(rows[source]["uuas"]), near / (words - len(sentences)), places=12)

    def test_a_treebank_compared_with_its_own_trees_scores_1(self):
        """Trees written, then read as gold: the row that wrote them must be perfect."""
        for name in ("best", "attention:2:high:1:key", "joins:query"):
            trees = self.folder / "trees.conllu"
            self.out("--trees", trees, "--tree-of", name)
            result = mog("syntax", self.recording, "-t", trees, "--json", "--bootstrap", 20)
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            scores = {row["name"]: row for row in json.loads(result.stdout)["scores"]}
            tree = re.search(r"# tree = (\S+)", trees.read_text(encoding="utf-8")).group(1)
            self.assertIn(tree if name == "best" else name, scores)
            self.assertEqual(scores[tree]["uas"], 1)
            self.assertEqual(scores[tree]["uuas_low"], 1)
            if name != "best":
                self.assertEqual(tree, name)

    def test_written_trees_keep_the_rest_of_the_treebank(self):
        trees = self.folder / "kept.conllu"
        self.out("--trees", trees, "--projective")
        added = ("# tree = ", "# model = ", "# guarantee = ", "# head_is = ", "# root = ", "# choices = ")
        strip = lambda text: [line.split("\t")[:6] for line in text.split("\n") if not line.startswith(added)]
        self.assertEqual(strip(trees.read_text(encoding="utf-8")), strip(self.treebank.read_text(encoding="utf-8")))
        for heads in heads_of(trees.read_text(encoding="utf-8")):
            self.assertEqual(heads.count(0), 1)
            for a, one in enumerate(heads, 1):
                for b, other in enumerate(heads, 1):
                    if one and other:
                        (i, j), (k, l) = sorted((a, one)), sorted((b, other))
                        self.assertFalse(i < k < j < l, heads)

    def test_json_names_settings_and_rows(self):
        document = json.loads(self.out("--json", "--root", "gold", "--punct", "out", "--by", "deprel"))
        self.assertEqual(document["root"], "gold")
        self.assertFalse(document["punctuation"])
        sentences = len(self.golden)
        self.assertEqual(document["sentences"], sentences)
        marks = sum(re.match(r"\d+\t", line) is not None and line.split("\t")[3] == "PUNCT" and line.split("\t")[6] != "0"
                    for case in self.golden for line in case["conllu"].split("\n"))
        self.assertEqual(document["words"], sum(len(case["words"]) for case in self.golden) - sentences - marks)
        self.assertEqual(sum(row["words"] for row in document["relations"]), document["words"])
        for row in document["relations"]:
            self.assertLessEqual(row["recall_chosen"], row["recall"])

    def test_text_names_the_baselines(self):
        text = self.out("--by", "deprel")
        for word in ("random-tree", "left-neighbour", "joins:query", "UUAS", "nsubj"):
            self.assertIn(word, text)

    def test_slower_sources(self):
        names = {row["source"]: row for row in self.rows("--sources", "presence,k-best,by-leaves,mog-tree,mog-beam", "--top", 3, "--beam", 4)}
        self.assertLessEqual({"presence", "k-best", "by-leaves", "mog-tree", "mog-beam"}, set(names))
        # 3 layers join at most 8 words.
        self.assertEqual(int(names["mog-tree"]["sentences"]), sum(len(case["words"]) <= 8 for case in self.golden))

    def test_figures(self):
        picture = self.folder / "syntax.svg"
        self.out("--svg", picture)
        xml.etree.ElementTree.parse(picture)

    def test_wrong_requests(self):
        gold = ("--treebank", self.treebank)
        self.refused(2, "--sources", self.recording, *gold, "--sources", "magic")
        self.refused(2, "--direction", self.recording, *gold, "--direction", "up")
        self.refused(2, "--root", self.recording, *gold, "--root", "none")
        self.refused(2, "--punct", self.recording, *gold, "--punct", "maybe")
        self.refused(2, "--by", self.recording, *gold, "--by", "upos")
        self.refused(2, "--mismatch", self.recording, *gold, "--mismatch", "ignore")
        self.refused(2, ".xlsx", self.recording, *gold, "-o", "t.xlsx")
        self.refused(2, "--treebank", self.recording)
        self.refused(2, "nothing.conllu", self.recording, "-t", self.folder / "nothing.conllu")

    def test_raw_text_is_aligned_or_refused_by_line(self):
        spaced = self.folder / "spaced.txt"
        spaced.write_text("".join(" ".join(case["words"]) + "\n" for case in self.golden), encoding="utf-8")
        recording = self.record(spaced, "spaced.rec")
        result = mog("syntax", recording, "-t", self.treebank, "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertEqual(json.loads(result.stdout)["words"], sum(len(case["words"]) for case in self.golden))
        changed = self.folder / "changed.txt"
        lines = spaced.read_text(encoding="utf-8").split("\n")
        lines[1] = lines[1].replace(" ", " X", 1)
        changed.write_text("\n".join(lines), encoding="utf-8")
        recording = self.record(changed, "changed.rec")
        message = self.refused(3, "sentence 2", recording, "-t", self.treebank)
        self.assertIn("gold.conllu", message)
        result = mog("syntax", recording, "-t", self.treebank, "--json", "--mismatch", "skip")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        document = json.loads(result.stdout)
        self.assertEqual([sentence["sentence"] for sentence in document["skipped"]], [2])
        self.assertEqual(document["sentences"], len(self.golden) - 1)

    def test_a_treebank_that_ends_early(self):
        short = self.folder / "short.conllu"
        blocks = self.treebank.read_text(encoding="utf-8").strip().split("\n\n")
        short.write_text("".join(block + "\n\n" for block in blocks[:-2]), encoding="utf-8")
        message = self.refused(3, f"{len(blocks) - 2} sentences", self.recording, "-t", short)
        self.assertIn("--mismatch skip", message)
        result = mog("syntax", self.recording, "-t", short, "--json", "--mismatch", "skip")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        document = json.loads(result.stdout)
        self.assertEqual(document["sentences"], len(blocks) - 2)
        self.assertEqual([sentence["sentence"] for sentence in document["skipped"]], [len(blocks) - 1, len(blocks)])
        self.assertIn(f"the treebank ends before it, with {len(blocks) - 2} sentences", document["skipped"][0]["reason"])
        trees = self.folder / "short-trees.conllu"
        result = mog("syntax", self.recording, "-t", short, "--mismatch", "skip", "--trees", trees)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertEqual(len(heads_of(trees.read_text(encoding="utf-8"))), len(blocks) - 2)

    def test_the_best_offset_of_each_score(self):
        """Heads two to the right, each word but a few: +2 by UAS; the chain of neighbours by UUAS."""
        treebank = self.folder / "offsets.conllu"
        rows = []
        for heads in ([3, 4, 5, 6, 0, 5], [2, 0, 2, 3, 4], [2, 3, 0, 3, 4, 5]):
            rows.append("".join(f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)))
        treebank.write_text("\n".join(rows) + "\n", encoding="utf-8")
        document = json.loads(mog("syntax", self.record(treebank, "offsets.rec"), "-t", treebank, "--json",
                                  "--bootstrap", 0).stdout)
        best = [row for row in document["scores"] if row["source"] == "best-offset"]
        sentences = heads_of(treebank.read_text(encoding="utf-8"))

        def found(offset, directed):
            total = 0
            for heads in sentences:
                chain = {}
                for word in range(1, len(heads) + 1):
                    guess = word + offset
                    chain[word] = guess if 1 <= guess <= len(heads) else (0 if abs(offset) == 1 else -1)
                gold = {frozenset((word, head)) for word, head in enumerate(heads, 1) if head}
                total += (sum(chain[word] == head for word, head in enumerate(heads, 1)) if directed else
                          len(gold & {frozenset(pair) for pair in chain.items() if pair[1] > 0}))
            return total

        offsets = [offset for offset in range(-10, 11) if offset]
        words = sum(map(len, sentences))
        self.assertAlmostEqual(max(row["uas"] for row in best), max(found(o, True) for o in offsets) / words)
        self.assertAlmostEqual(max(row["uuas"] for row in best),
                               max(found(o, False) for o in offsets) / (words - len(sentences)))

    def test_choices_of_the_grammar(self):
        plain = {row["source"]: row for row in self.rows("--direction", "query", "--sources", "joins")}
        table = self.rows("--direction", "query", "--sources", "joins", "--heads", "2", "--gate", "constant=0.9")
        changed = {row["source"]: row for row in table}
        self.assertEqual(plain["left-neighbour"], changed["left-neighbour"])
        text = self.out("--sources", "joins", "--heads", "2", "--gate", "constant=0.9")
        self.assertIn("attention of head 2", text)
        self.assertIn("gate constant=0.9", text)
        document = json.loads(self.out("--sources", "joins", "--json"))
        self.assertIn("averaged over heads", document["grammar"])
        self.refused(2, "--heads 2", self.recording, "-t", self.treebank, "--sources", "attention", "--heads", "2")
        self.refused(2, "head 7", self.recording, "-t", self.treebank, "--heads", "7")
        self.refused(2, "--keep-pieces", self.recording, "-t", self.treebank, "--keep-pieces")

    def test_options_without_effect_are_refused(self):
        for arguments, word in ((("--top", 5), "k-best"), (("--beam", 5), "mog-beam"), (("--theme", "dark"), "--svg"),
                                (("--tree-of", "best"), "--trees"), (("--sources", "mog-tree", "--direction", "key"), "--direction key"),
                                (("--bootstrap", 0, "--confidence", .9), "--bootstrap"),
                                (("--sources", "attention", "--heads", "uniform"), "attention grammar")):
            self.refused(2, word, self.recording, "--treebank", self.treebank, *arguments)

    def test_tables_and_trees_state_choices_and_guarantees(self):
        rows = self.rows("--sources", "attention,joins,mog-tree,mog-beam", "--gate", "constant=0.25")
        for row in rows:
            of_grammar = row["source"] in ("joins", "mog-tree", "mog-beam")
            self.assertEqual("constant=0.25" in row["grammar"], of_grammar, row)
            self.assertEqual(row["guarantee"] != "", of_grammar or row["source"] == "attention", row)
        self.assertIn("inexact: a beam of 16", next(row["guarantee"] for row in rows if row["source"] == "mog-beam"))
        trees = self.folder / "stated.conllu"
        self.out("--sources", "joins", "--gate", "constant=0.25", "--trees", trees, "--tree-of", "joins:key")
        text = trees.read_text(encoding="utf-8")
        self.assertIn("# tree = joins:key\n", text)
        self.assertIn("# head_is = key\n", text)
        self.assertRegex(text, "# guarantee = exact")
        self.assertRegex(text, "# choices = .*constant=0.25")
        report = subprocess.run([MOG, "expr", "-i", str(trees), "-n", "1"], capture_output=True, timeout=60)
        self.assertEqual(report.returncode, 0, report.stderr.decode())
        self.assertIn("constant=0.25", report.stdout.decode())

    def test_figures_of_other_sources_are_not_empty(self):
        for sources, word in (("joins", "high"), ("mog-tree", "mog-tree"), ("presence,k-best", "presence")):
            figure = self.folder / "joins.svg"
            direction = [] if sources == "mog-tree" else ["--direction", "key"]
            self.out("--sources", sources, *direction, "--svg", figure)
            text = figure.read_text(encoding="utf-8")
            self.assertIn(word, text)
            self.assertNotIn("Every head", text)

    def test_relations_have_intervals(self):
        rows = json.loads(self.out("--json", "--by", "deprel", "--bootstrap", 50))["relations"]
        for row in rows:
            for recall in ("recall", "recall_chosen", "offset_recall", "offset_recall_chosen"):
                if row[recall + "_low"] is None:  # a relation of one sentence
                    continue
                self.assertLessEqual(row[recall + "_low"], row[recall + "_high"])
                self.assertLessEqual(0, row[recall + "_low"])
                self.assertLessEqual(row[recall + "_high"], 1)
        for row in rows:  # all or nothing has no width
            if row["recall"] in (0, 1):
                self.assertEqual(row["recall_low"], row["recall_high"])
        self.assertEqual(rows, json.loads(self.out("--json", "--by", "deprel", "--bootstrap", 50, "--threads", 3))["relations"])

    def test_names_of_trees_are_checked_first(self):
        trees = self.folder / "never.conllu"
        table = self.folder / "never.csv"
        self.refused(2, "--tree-of joins:9", self.recording, "-t", self.treebank, "--trees", trees, "--tree-of", "joins:9",
                     "-o", table)
        self.assertFalse(trees.exists())
        self.assertFalse(table.exists())

    def test_learning_from_few_sentences(self):
        """Numbers of every output agree with the written trees, and a saved ensemble gives them again."""
        trees, saved, table = (self.folder / name for name in ("learnt.conllu", "heads.json", "learnt.csv"))
        document = json.loads(self.out("--learn", 3, "--json", "--trees", trees, "--save-ensemble", saved))
        drawn = document["learnt_from"]["drawn"]
        self.assertEqual(len(drawn), 3)
        self.assertEqual(document["sentences"], len(self.golden) - 3)
        blocks = self.treebank.read_text(encoding="utf-8").strip().split("\n\n")
        gold = "\n\n".join(block for number, block in enumerate(blocks, 1) if number not in drawn)

        def words(text):
            rows = [line.split("\t") for line in text.split("\n") if re.match(r"\d+\t", line)]
            return [(row[6], row[7].split(":")[0]) for row in rows]
        pairs = list(zip(words(gold), words(trees.read_text(encoding="utf-8")), strict=True))
        learnt = next(row for row in document["scores"] if row["source"] == "learnt")
        self.assertEqual(document["words"], len(pairs))
        self.assertAlmostEqual(learnt["las"], sum(a == b for a, b in pairs) / len(pairs))
        self.assertAlmostEqual(learnt["uas"], sum(a[0] == b[0] for a, b in pairs) / len(pairs))
        self.assertLessEqual(learnt["las_low"], learnt["las_high"])
        self.out("--learn", 3, "-o", table, "--threads", 3)
        row = next(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
        self.assertAlmostEqual(float(row["las"]), learnt["las"])
        self.assertIn("learnt from 3 sentences of gold.conllu", self.out("--learn", 3))
        again = json.loads(self.out("--ensemble", saved, "--json"))
        self.assertEqual(again["sentences"], len(self.golden))
        self.assertEqual(again["learnt_from"], document["learnt_from"])
        other = json.loads(self.out("--learn", 3, "--learn-from", self.recording, "--learn-treebank", self.treebank, "--json"))
        self.assertEqual(other["scores"], again["scores"])
        self.assertNotEqual(json.loads(self.out("--learn", 3, "--seed", 5, "--json"))["learnt_from"]["drawn"], drawn)

    def test_learning_refuses(self):
        gold = (self.recording, "--treebank", self.treebank)
        broken = self.folder / "broken.json"
        broken.write_text('{"format": "mog-head-ensembles"}', encoding="utf-8")
        for code, word, arguments in (
                (2, f"{len(self.golden)} sentences that agree", ("--learn", 1000)),
                (2, "no sentence is left", ("--learn", len(self.golden))),
                (2, "--learn", ("--learn", 0)),
                (2, "name one of them", ("--learn", 2, "--ensemble", broken)),
                (2, "belong together", ("--learn", 2, "--learn-from", self.recording)),
                (2, "--tags", ("--tags", "none")), (2, "--weights", ("--weights", "published")),
                (2, "--save-ensemble", ("--save-ensemble", broken)), (2, "--tags silver", ("--learn", 2, "--tags", "silver")),
                (2, "--weights even", ("--learn", 2, "--weights", "even")),
                (2, "whole trees", ("--learn", 2, "--sources", "mog-tree")),
                (2, "--svg", ("--learn", 2, "--svg", "x.svg")), (2, "--direction", ("--learn", 2, "--direction", "key")),
                (3, "format_version", ("--ensemble", broken)), (2, "nothing.json", ("--ensemble", "nothing.json"))):
            self.refused(code, word, *gold, *arguments)

    def test_recordings_without_maps(self):
        empty = self.folder / "text.txt"
        empty.write_text("a b\n", encoding="utf-8")
        self.refused(3, "text.txt", empty, "-t", self.treebank)


@unittest.skipUnless((SHARED / "hostile" / "MANIFEST.json").exists(), "the shared hostile files are absent")
class Hostile(Files):
    def test_hostile_treebanks(self):
        cases = json.loads((SHARED / "hostile" / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
        cases = [case for case in cases if case["kind"] == "conllu" and not case.get("on_demand")]
        self.assertGreater(len(cases), 40)
        for case in cases:
            path = SHARED / "hostile" / case["path"]
            sound = case["expect"] == "ok" and "two-roots" not in case["path"]
            recording = self.recording
            if sound:
                recording = self.record(path, path.stem + ".rec")
            result = mog("syntax", recording, "-t", path, "--json")
            message = result.stderr.decode()
            self.assertEqual(result.returncode, 0 if sound else 3, case["path"] + message)
            if sound and "sentences" in case:
                self.assertEqual(json.loads(result.stdout)["sentences"], case["sentences"], case["path"])
            if not sound:
                self.assertIn(path.name, message)
                if case["word"]:
                    self.assertRegex(message.lower(), rf"(?<!\d){case['word'].lower()}(?!\d)", case["path"])
        self.refused(3, "line 12", self.recording, "-t", SHARED / "hostile" / "conllu" / "two-roots.conllu")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
