"""`mog evaluate` of parses: the counts of conll18_ud_eval.py, groups of words against sums of our own, intervals and tests.

Usage: cli_evaluate_parses.py MOG DATA    (DATA: tests/data/parses)
"""
import collections
import csv
import hashlib
import io
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, shared_dir

DATA = pathlib.Path(os.path.abspath(sys.argv[2]))
sys.dont_write_bytecode = True
sys.path.insert(0, str(DATA))
import perturb  # noqa: E402

MEASURES = "tokens,sentences,words,upos,xpos,ufeats,alltags,lemmas,uas,las,clas,mlas,blex"
# Lower ends of the bins by default, and their names.
BINS = {"sentence-length": [0, 10, 20, 30, 40, 50, 60], "dependency-length": [1, 2, 3, 4, 5, 7, 11, 16],
        "root-distance": [1, 2, 3, 4, 5, 6, 7, 8]}


def label(by, number):
    if by == "dependency-length" and number == 0:
        return "root"
    edges = BINS[by]
    at = max(at for at, edge in enumerate(edges) if edge <= number)
    low = max(edges[at], 1)
    if at + 1 == len(edges):
        return f"{low}+"
    return str(low) if edges[at + 1] - low == 1 else f"{low}–{edges[at + 1] - 1}"


def words_of(path):
    """[[(head, relation without subtype, upos)]] of every sentence."""
    sentences = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
        words = [(int(row[6]), row[7].split(":")[0], row[3]) for row in rows if row[0].isdigit()]
        if words:
            sentences.append(words)
    return sentences


def group_of(by, words, at):
    head, relation, _ = words[at]
    if by == "sentence-length":
        return label(by, len(words))
    if by == "dependency-length":
        return label(by, abs(head - at - 1) if head else 0)
    if by == "relation":
        return relation
    steps = 1
    while head:
        head, steps = words[head - 1][0], steps + 1
    return label(by, steps)


class EvaluateParses(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def scores(self, gold, parse, *options):
        return json.loads(self.run_well("evaluate", "--hypothesis", parse, "--reference", gold, "--json", *options))

    def changed(self, name, seed, rate):
        """The gold file with other heads and relations, its words as they are."""
        draw, text = perturb.Draw(seed), ""
        for tokens in perturb.sentences((DATA / "pud.conllu").read_text(encoding="utf-8").splitlines()):
            perturb.change_columns(draw, [word for token in tokens for word in token.words], rate, ["nsubj", "obj", "punct", "x:y"])
            text += perturb.written(tokens)
        return self.write(name, text)

    def test_counts_are_the_scripts(self):
        cases = collections.defaultdict(list)
        for line in (DATA / "expected.tsv").read_text(encoding="utf-8").splitlines():
            name, parse, digest, *row = line.split("\t")
            cases[name, parse, digest].append(row)
        self.assertGreater(len(cases), 10)
        for (name, parse, digest), rows in cases.items():
            gold = (shared_dir() if "/" in name else DATA) / f"{name}.conllu"
            if "/" in name and (not gold.exists() or hashlib.sha256(gold.read_bytes()).hexdigest() != digest):
                print(f"left out: {gold} is absent or another version; set MOG_SHARED_DIR")
                continue
            with self.subTest(gold=name, parse=parse):
                path = DATA / f"{parse}.conllu"
                if " " in parse:
                    seed, rate = parse.split()
                    path = self.write("parse.conllu", perturb.perturbed(gold.read_text(encoding="utf-8").splitlines(), int(seed), float(rate)))
                found = self.scores(gold, path, "--metric", MEASURES, "--bootstrap", "0")["scores"]
                self.assertEqual(len(found), len(rows))
                for score, (measure, correct, reference, hypothesis, aligned) in zip(found, rows):
                    self.assertEqual(score["measure"], measure)
                    counts = [score[key] for key in ("found", "right", "reference", "hypothesis")]
                    self.assertEqual(counts, [int(correct), int(correct), int(reference), int(hypothesis)], measure)
                    if aligned:
                        self.assertEqual(score["aligned"], int(aligned), measure)
                    expected = 2 * int(correct) / (int(reference) + int(hypothesis))
                    self.assertAlmostEqual(score["value"], 100 * expected, places=10)

    def check_groups(self, *options, punctuation):
        gold, parse = DATA / "pud.conllu", self.changed("a.conllu", 11, 0.3)
        document = self.scores(gold, parse, "--by", "sentence-length,dependency-length,root-distance,relation", "--metric", "uas,las",
                               "--bootstrap", "0", *options)
        counts = collections.defaultdict(lambda: [0, 0, 0, 0])
        for one, other in zip(words_of(gold), words_of(parse), strict=True):
            for at, (word, found) in enumerate(zip(one, other, strict=True)):
                if not punctuation and word[2] == "PUNCT":
                    continue
                for measure, right in (("UAS", word[0] == found[0]), ("LAS", word[:2] == found[:2])):
                    for by in (*BINS, "relation"):
                        counts[by, group_of(by, one, at), measure][0] += 1
                        counts[by, group_of(by, one, at), measure][1] += right
                        counts[by, group_of(by, other, at), measure][2] += 1
                        counts[by, group_of(by, other, at), measure][3] += right
        found = {}
        for group in document["groups"]:
            for score in group["scores"]:
                found[group["by"], group["group"], score["measure"]] = score
        self.assertEqual(sorted(found), sorted(counts))
        for key, expected in counts.items():
            score = found[key]
            self.assertEqual([score[name] for name in ("reference", "found", "hypothesis", "right")], expected, key)
            reference, found_count, hypothesis, right = expected
            recall = found_count / reference if reference else 0
            precision = right / hypothesis if hypothesis else 0
            f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
            value = recall if key[0] == "relation" else f1
            for name, share in (("recall", recall), ("precision", precision), ("f1", f1), ("value", value)):
                self.assertAlmostEqual(score[name], 100 * share, places=9, msg=str(key))
        return document

    def test_groups(self):
        document = self.check_groups(punctuation=True)
        order = [group["group"] for group in document["groups"] if group["by"] == "dependency-length"]
        self.assertEqual(order, ["root", "1", "2", "3", "4", "5–6", "7–10", "11–15", "16+"])
        relations = [group["scores"][0]["reference"] for group in document["groups"] if group["by"] == "relation"]
        self.assertEqual(relations, sorted(relations, reverse=True))
        self.assertEqual(relations[-1], 0)  # "x", which the parse alone has

    def test_groups_without_punctuation(self):
        document = self.check_groups("--no-punct", punctuation=False)
        marks = sum(word[2] == "PUNCT" for words in words_of(DATA / "pud.conllu") for word in words)
        self.assertEqual(document["scores"][0]["reference"], document["words"] - marks)
        self.assertEqual(document["scores"][0]["hypothesis"], document["words"] - marks)

    def test_intervals_and_tests(self):
        gold, first, second = DATA / "pud.conllu", self.changed("a.conllu", 1, 0.1), self.changed("b.conllu", 2, 0.4)
        document = self.scores(gold, first, "--other", second, "--by", "relation")
        for score in document["scores"]:
            self.assertLess(score["low"], score["value"])
            self.assertGreater(score["high"], score["value"])
        better, worse = document["scores"][2:]
        self.assertEqual(worse["measure"], "LAS")
        self.assertNotIn("p", better)
        self.assertAlmostEqual(worse["difference"], worse["value"] - better["value"], places=10)
        self.assertLess(worse["p"], 0.01)
        self.assertEqual(self.scores(gold, first, "--other", second, "--by", "relation"), document)
        same = self.scores(gold, first, "--other", first)["scores"][1]
        self.assertEqual([same["difference"], same["p"]], [0, 1])
        # Of one sentence alone there is no interval.
        rare = [group for group in document["groups"] if group["sentences"] == 1]
        self.assertTrue(rare)
        self.assertEqual({score["resamples"] for group in rare for score in group["scores"]}, {0})

    def test_other_sentences_are_resampled_by_common_stretches(self):
        gold = (DATA / "pud.conllu").read_text(encoding="utf-8")
        parse = self.write("parse.conllu", perturb.perturbed(gold.splitlines(), 4, 0.5))
        ends = []
        for text in (gold, parse.read_text(encoding="utf-8")):
            at, own = 0, set()
            for tokens in perturb.sentences(text.splitlines()):
                at += sum(len("".join(token.form.split())) for token in tokens)
                own.add(at)
            ends.append(own)
        document = self.scores(DATA / "pud.conllu", parse)
        self.assertIn(f"draw the {len(ends[0] & ends[1])} stretches between places", document["notes"][0])
        self.assertLess(document["scores"][1]["low"], document["scores"][1]["high"])

    def test_table_and_text(self):
        gold, parse = DATA / "pud.conllu", self.changed("a.conllu", 3, 0.2)
        rows = list(csv.DictReader(io.StringIO(self.run_well("evaluate", "--hypothesis", parse, "--reference", gold, "--by", "root-distance",
                                                             "--bins", "1,3", "--format", "csv"))))
        self.assertEqual([(row["by"], row["group"], row["measure"]) for row in rows],
                         [("all", "all", "UAS"), ("all", "all", "LAS"), *(("root-distance", group, measure)
                                                                         for group in ("1–2", "3+") for measure in ("UAS", "LAS"))])
        self.assertEqual([(row["length_low"], row["length_high"]) for row in rows[2::2]], [("1", "3"), ("3", "")])
        text = self.run_well("evaluate", "--hypothesis", parse, "--reference", gold, "--bins", "30")
        self.assertRegex(text, r"^60 sentences, 1,316 words of \S+pud.conllu\n\S+a.conllu  UAS +\d")
        self.assertIn("\nby sentence-length (F1)\n  1–29 ", text)

    def test_figure(self):
        gold, first, second = DATA / "pud.conllu", self.changed("a.conllu", 1, 0.1), self.changed("b.conllu", 2, 0.4)
        table = self.folder / "errors.csv"
        by = "sentence-length,dependency-length,root-distance,relation"
        self.run_well("evaluate", "--hypothesis", first, "--other", second, "--reference", gold, "--by", by, "--bootstrap", "100",
                      "--format", "csv", "-o", table)
        numbers = self.run_well("figure", "parse-errors", table, "--relations", "5", "-o", self.folder / "errors.svg", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(numbers)))
        self.assertEqual([row["panel"] for row in rows if row["series"] == "a" and row["x"] == "0"], ["1", "2", "3", "4"])
        self.assertEqual(len([row for row in rows if row["panel"] == "4"]), 2 * 5)
        wanted = {(pathlib.Path(row["system"]).stem, row["group"]): row["value"] for row in csv.DictReader(table.open(encoding="utf-8"))
                  if row["by"] == "root-distance" and row["measure"] == "LAS"}
        self.assertEqual({(row["series"], row["x_label"]): row["y"] for row in rows if row["panel"] == "2"}, wanted)
        picture = (self.folder / "errors.svg").read_text(encoding="utf-8")
        for text in ("distance to the root (arcs)", "LAS recall (%)", "dependency length"):
            self.assertIn(text, picture)
        self.expect(2, "no row of CLAS by a group", "figure", "parse-errors", table, "--measure", "CLAS", "-o", self.folder / "x.svg")

    def test_several_roots_are_told(self):
        rows = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tX\t_\t_\t{}\tdep\t_\t_\n\n"
        gold, parse = self.write("gold.conllu", rows.format(1)), self.write("parse.conllu", rows.format(0))
        document = self.scores(gold, parse)
        self.assertEqual(document["scores"][0]["value"], 50)
        self.assertIn("1 sentence of", document["notes"][0])
        self.assertIn("has several roots", document["notes"][0])

    def test_refusals(self):
        gold = DATA / "pud.conllu"
        base = ["evaluate", "--hypothesis", gold, "--reference", gold]
        self.expect(3, 'After 0 characters', "evaluate", "--hypothesis", DATA / "gold.conllu", "--reference", gold)
        self.expect(2, '"lsa" is no score of parses', *base, "--metric", "uas,lsa")
        self.expect(2, "did you mean relation", *base, "--by", "relations")
        self.expect(2, "groups are of words", *base, "--by", "relation", "--metric", "sentences")
        self.expect(2, "whose bins they are", *base, "--by", "relation", "--bins", "5")
        self.expect(2, "whose bins they are", *base, "--by", "root-distance,dependency-length", "--bins", "5")
        self.expect(2, "--lowercase has no effect here", *base, "--lowercase")
        self.expect(2, "give --hypothesis FILE", "evaluate", "--reference", gold)
        self.expect(2, "--by relation has no effect here", "evaluate", "M", "--conllu", gold, "--by", "relation")
        self.expect(2, "--no-punct has no effect here", "evaluate", "M", "--conllu", gold, "--no-punct")
        cut = self.write("cut.conllu", gold.read_text(encoding="utf-8").rsplit("\n\n", 2)[0] + "\n\n")
        self.expect(3, "cut.conllu ends", "evaluate", "--hypothesis", cut, "--reference", gold)
        self.expect(3, "ten columns", "evaluate", "--hypothesis", self.write("no.conllu", "a b c\n\n"), "--reference", gold)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
