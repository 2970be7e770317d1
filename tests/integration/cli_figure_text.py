"""`mog figure KIND MODEL --text`: every figure of one sentence without a recording of one's own.

Usage: cli_figure_text.py MOG MODELS ENGINE_MODELS    (skips when the engine is not there)
"""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from mog_cli import MogCase, skip

MODELS, ENGINE_MODELS = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
GRAPH = MODELS / "tagger-en-graph"
PLAIN = ENGINE_MODELS / "transformer_post"
TEXT = "I don't know Guardiola's e-mail."
# Kinds of a sentence and its translation, which a text has not.
TRANSLATED = {"alignment": [], "source-and-prefix": ["--quantity", "decoder.contribution.logit"]}
# What a kind asks for beyond the sentence; the others need nothing.
WITH = {
    "attention": ["--layer", 2, "--part", "high", "--head", 1],
    "gate-dimensions": ["--layer", 2],
    "tree": ["--owner", "know"],
    "forest": ["--heads", "contribution", "--pi", "share"],
    "posterior-arcs": ["--gate", "share"],
    "head-bars": ["--layer", 2, "--part", "high", "--token", 4, "--key", 2],
    "token-bars": ["--token", 3, "--quantity", "encoder.2.high.attention"],
    "quantity-map": ["--quantity", "encoder.3.middle1.attention"],
}


class FiguresOfText(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def figure(self, kind, *arguments):
        """The table behind the figure, without caption and maker, and what --json says."""
        table = self.folder / "figure.csv"
        said = json.loads(self.run_well("figure", kind, *arguments, "-o", self.folder / "figure.svg", "--csv", table,
                                        "--json"))
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(rows[0].pop("caption"), said["caption"])
        self.maker = rows[0].pop("made_by")
        for row in rows[1:]:
            self.assertEqual((row.pop("caption"), row.pop("made_by")), ("", ""))
        return rows, said

    def record(self, name, model, *options):
        corpus = self.write("a.txt", TEXT + "\n")
        self.run_well("record", "-m", model, "-i", corpus, "-o", self.folder / name, "--store", "float32", *options)
        return self.folder / name

    def test_every_kind_of_one_sentence_is_that_of_a_recording(self):
        whole = self.record("r", GRAPH, "--capture", "summary,attention,gates,shares")
        again = self.record("again", GRAPH, "--capture", "summary,attention,gates,shares")
        kinds = json.loads(self.run_well("figure", "list", "--json"))
        self.assertGreater(sum(kind["of_sentence"] for kind in kinds), 12)
        for kind in kinds:
            name, recording = kind["kind"], whole
            options = WITH.get(name, [])
            with self.subTest(kind=name):
                if name in TRANSLATED:
                    self.expect(2, "the decoder does not run", "figure", name, GRAPH, "--text", TEXT, *TRANSLATED[name], "-o", "x.svg")
                elif name in ("routing", "logit-lens"):  # of other models; cli.global and cli.stacks draw them
                    self.expect(2, "no such quantity", "figure", name, GRAPH, "--text", TEXT, "-o", "x.svg")
                elif name == "neighbours":  # of a corpus
                    self.expect(2, "of a recorded corpus", "figure", name, GRAPH, "--text", TEXT, "-w", 1, "-o", "x.svg")
                elif not kind["of_sentence"]:
                    self.expect(2, "figures of one sentence", "figure", name, GRAPH, "--text", TEXT, "-o", "x.svg")
                elif name.endswith("-difference"):
                    table, _ = self.figure(name, GRAPH, GRAPH, "--text", TEXT)
                    of_recordings = self.figure(name, recording, again, "-n", 1)[0]
                    for rows in (table, of_recordings):  # panels are called by models here, by recordings there
                        for row in rows:
                            del row["panel"], row["panel_title"]
                    self.assertEqual(table, of_recordings)
                    self.expect(2, "two models", "figure", name, GRAPH, "--text", TEXT, "-o", "x.svg")
                else:
                    table, said = self.figure(name, GRAPH, "--text", TEXT, *options)
                    self.assertIn("text run now", self.maker)
                    self.assertIn("text run now", said["caption"])
                    if "--quantity" in options:  # the engine is asked for this one alone, too
                        recording = self.record("q-" + name, GRAPH, "--capture", "none", *options[-2:])
                    self.assertEqual(table, self.figure(name, recording, "-n", 1, *options)[0])

    def test_named_quantities_of_a_plain_model(self):
        recording = self.record("r", PLAIN, "--quantity", "encoder.*.split,encoder.2.alti.product", "--capture", "none")
        for kind, options in (("token-bars", ["--token", 2, "--quantity", "encoder.*.split"]),
                              ("quantity-map", ["--quantity", "encoder.2.alti.product"])):
            with self.subTest(kind=kind):
                self.assertEqual(self.figure(kind, PLAIN, "--text", TEXT, *options)[0],
                                 self.figure(kind, recording, "-n", 1, *options)[0])
        self.expect(2, "did you mean", "figure", "quantity-map", PLAIN, "--text", TEXT, "--quantity",
                    "encoder.2.alti.produkt", "-o", "x.svg")
        self.expect(2, "holds no gate", "figure", "gate", PLAIN, "--text", TEXT, "-o", "x.svg")

    def test_the_bundled_model_is_the_default_and_words_are_chosen(self):
        def words(*options):
            self.figure("arcs", "--text", TEXT, "--projective", *options)
            return re.findall(r"<text[^>]*>([^<]*)", (self.folder / "figure.svg").read_text(encoding="utf-8"))
        self.assertTrue({"do", "n't"} <= set(words()))
        self.assertIn("Guardiola's", words("--words", "spaces"))
        self.assertTrue({"do", "n't"} <= set(words("--words", "ud-en")))

    def test_what_does_not_go_together(self):
        out = ["-o", self.folder / "x.svg"]
        recording = self.record("r", GRAPH, "--capture", "attention,gates")
        self.expect(2, "--text \"The sentence .\" runs a sentence", "figure", "tree", GRAPH, "-n", 1, *out)
        self.expect(2, "--text \"The sentence .\" runs a sentence", "figure", "gate", "tagger-en-graph", "-n", 1, *out)
        self.expect(2, "--text \"The sentence .\" runs a sentence", "trees", GRAPH, "-n", 1)
        self.expect(2, "mog record", "figure", "weight-by-layer", GRAPH, *out)
        self.expect(2, "is a recording", "figure", "tree", recording, "--text", TEXT, *out)
        self.expect(2, "--sentence 1 has no effect here", "figure", "tree", "--text", TEXT, "-n", 1, *out)
        self.expect(2, "one model", "figure", "tree", GRAPH, GRAPH, "--text", TEXT, *out)
        self.expect(2, "the decoder does not run", "figure", "tree", "--text", TEXT, "--target", "cross", *out)
        self.expect(2, "the decoder does not run", "trees", "--text", TEXT, "--target", "cross")
        self.expect(2, "has no such part; it has high, middle1", "figure", "attention", "--text", TEXT, "--part", "cross", *out)
        self.expect(2, "did you mean spaces?", "figure", "tree", "--text", TEXT, "--words", "space", *out)
        self.expect(2, "no words", "figure", "tree", "--text", "  ", *out)
        self.expect(2, "byte 3 is not UTF-8", "figure", "tree", "--text", os.fsdecode(b"a \xff"), *out)
        self.assertFalse((self.folder / "x.svg").exists())

    def test_ctrl_c_leaves_nothing(self):
        text = " ".join(f"word{i}" for i in range(900))
        process = subprocess.Popen([self.mog, "figure", "tree", GRAPH, "--text", text, "-o", self.folder / "x.svg"],
                                   stderr=subprocess.PIPE)
        try:
            time.sleep(0.3)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            message = process.communicate(timeout=120)[1].decode()
        finally:
            process.kill()
        self.assertEqual(process.returncode, 130, message)
        self.assertIn("interrupted", message)
        self.assertFalse((self.folder / "x.svg").exists())


if __name__ == "__main__":
    doctor = json.loads(subprocess.run([FiguresOfText.mog, "doctor", "--json"], capture_output=True, check=True).stdout)
    if not doctor["engine"]:
        skip("the engine is not there: " + doctor["engine_error"])
    unittest.main(argv=sys.argv[:1])
