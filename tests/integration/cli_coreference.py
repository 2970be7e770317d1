"""Coreference from outside: `mog coref` and `mog evaluate --metric muc,b3,…` of files and folders in CoNLL-2012.

Usage: cli_coreference.py MOG METRICS_DATA
"""
import csv
import io
import json
import os
import pathlib
import string
import sys
import unittest

from mog_cli import MogCase

DATA = pathlib.Path(sys.argv[2])
LETTERS = string.ascii_letters + string.digits
METRICS = {"muc": "MUC", "bcub": "B3", "ceafm": "CEAFm", "ceafe": "CEAFe"}


def document(name, chains):
    """Tokens are letters; "ab|c" are two chains of mentions of one token."""
    number = {letter: at for at, chain in enumerate(chains.split("|")) for letter in chain}
    rows = "".join(f"{name}\t0\t{at}\t{letter}\t{f'({number[letter]})' if letter in number else '-'}\n"
                   for at, letter in enumerate(LETTERS))
    return f"#begin document ({name}); part 000\n{rows}\n#end document\n"


def quotient(part, whole):
    return part / whole if whole else 0.0


class Evaluate(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def setUp(self):
        super().setUp()
        rows = [line.split("\t") for line in (DATA / "coreference.tsv").read_text().splitlines()]
        self.chains = {row[0]: (row[1], row[2]) for row in rows if row[0].startswith("R")}  # random, no mention twice
        self.sums = {metric: [sum(float(row[4 + k]) for row in rows if row[0] in self.chains and row[3] == metric) for k in range(4)]
                     for metric in METRICS}
        self.gold, self.found = (self.write(name, "".join(document(case, pair[side]) for case, pair in self.chains.items()))
                                 for side, name in enumerate(("gold.conll", "found.conll")))

    def scores(self, hypothesis, reference, *options):
        return json.loads(self.run_well("evaluate", "--hypothesis", hypothesis, "--reference", reference, "--json", *options))

    def test_scores_are_those_of_the_reference_scorer(self):
        result = self.scores(self.found, self.gold, "--metric", "muc,b3,ceafm,ceafe,conll", "--bootstrap", "50")
        self.assertEqual((result["documents"], result["sentences"]), (24, 24))
        values = {row["measure"]: row["value"] for row in result["scores"]}
        f1 = {}
        for metric, (recall, of_key, precision, of_response) in self.sums.items():
            r, p = quotient(recall, of_key), quotient(precision, of_response)
            f1[metric] = 100 * quotient(2 * r * p, r + p)
            self.assertAlmostEqual(values[METRICS[metric]], f1[metric], places=9)
        self.assertAlmostEqual(values["CoNLL"], (f1["muc"] + f1["bcub"] + f1["ceafe"]) / 3, places=9)
        for row in result["scores"]:
            self.assertLessEqual(row["low"], row["value"])
            self.assertGreaterEqual(row["high"], row["value"])

    def test_a_folder_is_its_files(self):
        folder = self.folder / "folder"
        folder.mkdir()
        for case, (_, response) in self.chains.items():
            (folder / f"{case}.conll").write_text(document(case, response))
        (folder / "README").write_text("no documents here\n")
        whole, parts = (self.scores(path, self.gold, "--bootstrap", "50")["scores"] for path in (self.found, folder))
        for row in (*whole, *parts):
            del row["system"]
        self.assertEqual([row["measure"] for row in parts], ["MUC", "B3", "CEAFe", "CoNLL"])
        self.assertEqual(whole, parts)
        (folder / "again.conll").write_text(document("R3", "a"))
        self.expect(3, "is in", "evaluate", "--hypothesis", folder, "--reference", self.gold)

    def test_a_second_system_is_tested_against_the_first(self):
        text = self.run_well("evaluate", "--hypothesis", self.found, "--other", self.gold, "--reference", self.gold, "--metric", "b3",
                             "--test", "ar", "--trials", "200", "--bootstrap", "20", "--format", "csv")
        first, second = csv.DictReader(io.StringIO(text))
        self.assertEqual(first["difference"], "")
        self.assertAlmostEqual(float(second["difference"]), 100 - float(first["value"]), places=6)
        self.assertLess(float(second["p"]), 0.05)

    def test_one_document_has_no_interval(self):
        one = self.write("one.conll", document("a", "ab|c"))
        other = self.write("other.conll", document("a", "abc"))
        result = self.run_mog("evaluate", "--hypothesis", one, "--other", other, "--reference", one, "--json", "--metric", "muc")
        self.assertIn("no intervals, no tests", result.stderr.decode())
        for row in json.loads(result.stdout)["scores"]:
            self.assertEqual(row["resamples"], 0)
            self.assertNotIn("p", row)

    def test_what_does_not_belong_together_is_refused(self):
        def refuse(code, word, *arguments):
            self.expect(code, word, "evaluate", *arguments)

        gold = self.write("a.conll", document("a", "ab|c"))
        of = ["--reference", gold, "--hypothesis"]
        refuse(3, 'line 1: part 0 of the document "b" is not in', *of, self.write("b.conll", document("b", "ab")))
        refuse(3, "is missing, which is in", *of[:1], self.gold, of[2], self.write("c.conll", document("R1", "ab")))
        changed = document("a", "ab").replace("\tb\t", "\tB\t")
        refuse(3, f'line 3: expected the word "b" as in {gold}: line 3, found "B"', *of, self.write("d.conll", changed))
        shorter = document("a", "ab").replace("a\t0\t61\t9\t-\n", "")
        refuse(3, "has 61 words", *of, self.write("e.conll", shorter))
        refuse(3, "a mention of chain 0 opens and does not close", *of,
               self.write("f.conll", document("a", "ab").replace("(0)", "(0", 1)))
        (self.folder / "none").mkdir()
        refuse(3, "found none", *of, self.folder / "none")
        refuse(2, "bleu", *of, gold, "--metric", "muc,bleu")
        refuse(2, "--bins", *of, gold, "--bins", "10")
        refuse(2, "one --reference", *of, gold, "--reference", gold, "--metric", "muc")
        refuse(2, "--hypothesis", *of[:2])


def text_document(name, words, cells):
    rows = "".join(f"{name}  0  {at}  {word:<8}  {cell}\n" for at, (word, cell) in enumerate(zip(words.split(), cells.split())))
    return f"#begin document ({name}); part 0\n{rows}\n#end document\n"


class Coref(MogCase):
    mog = os.path.abspath(sys.argv[1])
    WORDS = "The man of honour saw a girl . She knew the Man"
    MENTIONS = "(0 - - 0)|(1) - (2 2) - (3) - (4 4)"

    def test_chains_of_one_head_in_the_same_rows(self):
        path = self.write("d.conll", text_document("d", self.WORDS, self.MENTIONS))
        self.assertEqual(self.run_well("coref", path, "--baseline", "same-head"),
                         text_document("d", self.WORDS, "(0 - - 0)|(1) - (2 2) - (3) - (0 0)"))
        self.assertEqual(self.run_well("coref", "--baseline", "nearest", "-", stdin=path.read_bytes()),
                         text_document("d", self.WORDS, "(0 - - 0)|(1) - (2 2) - (2) - (0 0)"))

    def test_json_has_the_words(self):
        path = self.write("d.conll", text_document("d", self.WORDS, self.MENTIONS))
        line = json.loads(self.run_well("coref", path, "--baseline", "nearest", "--json"))
        self.assertEqual((line["document"], line["part"], line["words"]), ("d", 0, 12))
        self.assertEqual([[mention["text"] for mention in chain] for chain in line["chains"]],
                         [["The man of honour", "the Man"], ["honour"], ["a girl", "She"]])
        self.assertEqual(line["chains"][2][0], {"begin": 6, "end": 7, "text": "a girl"})

    def test_what_crosses_is_set_apart(self):
        path = self.write("d.conll", text_document("d", "my dog dog barks", "(0 (1 0) 1)"))
        crossing = self.write("e.conll", text_document("d", "the dog the dog", "(0 (1 - 0)|1)"))
        result = self.run_mog("coref", self.write("f.conll", text_document("d", "a man man", "(0 0)|(1 1)")), "--baseline", "same-head")
        self.assertEqual(result.stdout.decode(), text_document("d", "a man man", "(0 0)|(1 1)"))
        self.assertIn("1 mention set apart", result.stderr.decode())
        for other in (path, crossing):  # other heads; nested
            self.assertNotIn("set apart", self.run_mog("coref", other, "--baseline", "same-head").stderr.decode())

    def test_a_folder_becomes_one_file_that_can_be_scored(self):
        folder = self.folder / "gold"
        folder.mkdir()
        for name in ("a", "b", "c"):
            (folder / f"{name}.conll").write_text(text_document(name, self.WORDS, self.MENTIONS))
        found = self.folder / "found.conll"
        self.run_well("coref", folder, "--baseline", "same-head", "-o", found)
        scores = json.loads(self.run_well("evaluate", "--hypothesis", found, "--reference", folder, "--metric", "mentions", "--json"))
        self.assertEqual(scores["documents"], 3)
        self.assertEqual(scores["scores"][0]["value"], 100)

    def test_refusals(self):
        path = self.write("d.conll", text_document("d", "a", "-"))
        self.expect(2, "did you mean nearest", "coref", path, "--baseline", "nearst")
        self.expect(2, "--baseline", "coref", path)
        self.expect(2, "nothing.conll", "coref", self.folder / "nothing.conll", "--baseline", "nearest")
        self.expect(3, "CoNLL-2012", "coref", self.write("e.conll", "\n"), "--baseline", "nearest")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
