"""`mog align` with the real engine against the golden models.

Usage: cli_align.py MOG MODELS_DIR    (skips without the engine or numpy)
"""
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import numpy as np
except ImportError as error:
    skip(f"{error}; install numpy")

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = pathlib.Path(MODELS) / "transformer_post"
SENTENCES = range(3)


def safetensors(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    types = {"F32": np.float32, "I64": np.int64}
    return {name: np.frombuffer(data[8 + length:][slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


class Align(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.expected = safetensors(MODEL / "expected.safetensors")
        words = (MODEL / "target_vocab.txt").read_text().split("\n")
        sentences = json.loads((MODEL / "sentences.json").read_text())
        self.source = self.write("source.txt", "".join(s["text"] + "\n" for s in sentences))
        self.words = [len(s["text"].split()) for s in sentences]
        self.targets = [self.expected[f"s{n}.decoder_input_ids"].tolist()[1:] for n in SENTENCES]
        self.target = self.write("target.txt", "".join(" ".join(words[i] for i in ids) + "\n" for ids in self.targets))

    def align(self, *arguments):
        return self.run_well("align", MODEL, "--source", self.source, "--target", self.target, *arguments)

    def links(self, step, maps):
        """[sentence]: the links that the maps of a golden file make; each word is one token."""
        found = []
        for n in SENTENCES:
            if self.words[n] == 0:
                found.append([])
                continue
            best = maps(n)[:, :self.words[n]].argmax(1)
            found.append([(int(best[t + 1 if step == "read" else t]), t) for t in range(len(self.targets[n]))])
        return found

    def layers(self, n):
        return np.stack([self.expected[f"s{n}.decoder.layers.{i}.cross_attention"] for i in range(2)])

    def printed(self, links):
        return "".join(" ".join(f"{s}-{t}" for s, t in pair) + "\n" for pair in links)

    def test_links_are_the_greatest_cross_attention(self):
        for step in ("read", "predicted"):
            self.assertEqual(self.align("--from", "cross-attention", "--step", step),
                             self.printed(self.links(step, lambda n: self.layers(n).mean((0, 1)))))
            self.assertEqual(self.align("--from", "cross-attention", "--step", step, "--layer", 2, "--head", 3),
                             self.printed(self.links(step, lambda n: self.layers(n)[1, 2])))
        self.assertEqual(self.align("--from", "cross-attention"), self.align("--from", "cross-attention", "--step", "predicted"))
        self.assertEqual(self.align("--step", "read"), self.align("--from", "cross-attention", "--step", "read"))
        self.assertEqual(self.align("--layer", 1), self.align("--from", "cross-attention", "--layer", 1))
        self.assertEqual(self.align(), self.align("--from", "contribution"))
        self.assertNotEqual(self.align(), self.align("--from", "cross-attention"))

    def test_streams_and_batches_change_nothing(self):
        self.assertEqual(self.align("--threads", 1), self.align("--threads", 3, "--batch-tokens", 1))

    def test_scores_are_those_of_the_links(self):
        links = self.links("read", lambda n: self.layers(n).mean((0, 1)))
        sure = [pair[::2] for pair in links]
        possible = [pair[1:2] + [((pair[0][0] + 1) % self.words[n], 0)] if pair else [] for n, pair in enumerate(links)]
        gold = self.write("gold.talp", "".join(
            " ".join([f"{s + 1}-{t + 1}" for s, t in a] + [f"{s + 1}p{t + 1}" for s, t in b]) + "\n"
            for a, b in zip(sure, possible)))
        found = sum(len(pair) for pair in links)
        in_sure = sum(len(set(a) & set(b)) for a, b in zip(links, sure))
        in_possible = sum(len(set(a) & (set(b) | set(c))) for a, b, c in zip(links, sure, possible))
        count = sum(len(pair) for pair in sure)
        document = json.loads(self.align("--step", "read", "--gold", gold, "--json"))
        self.assertEqual([document[key] for key in ("sentences", "found", "sure", "possible")],
                         [3, found, count, sum(len(set(a) | set(b)) for a, b in zip(sure, possible))])
        precision, recall = in_possible / found, in_sure / count
        values = {score["measure"]: score["value"] for score in document["scores"]}
        for measure, value in {"aer": 1 - (in_sure + in_possible) / (found + count), "precision": precision,
                               "recall": recall, "f1": 2 * precision * recall / (precision + recall)}.items():
            self.assertAlmostEqual(values[measure], value, places=12)
        text = self.align("--step", "read", "--gold", gold, "-o", self.folder / "links")
        self.assertIn(f"AER       {100 * values['aer']:6.2f}", text)
        self.assertEqual((self.folder / "links").read_text(), self.printed(links))
        self.assertEqual([[(link["source"] - 1, link["target"] - 1) for link in pair["links"]]
                          for pair in document["alignments"]], links)

    def test_what_was_written_is_read_again(self):
        self.align("-o", self.folder / "links.talp", "--format", "talp")
        document = json.loads(self.align("--gold", self.folder / "links.talp", "--json"))
        self.assertEqual({score["measure"]: score["value"] for score in document["scores"]},
                         {"aer": 0.0, "precision": 1.0, "recall": 1.0, "f1": 1.0})

    def test_a_line_without_words_has_no_link(self):
        self.source = self.write("s.txt", "w5 w6\n\nw7\n")
        self.target = self.write("t.txt", "v5\nv6\n\n")
        lines = self.align().split("\n")
        self.assertRegex(lines[0], r"^[01]-0$")
        self.assertEqual(lines[1:], ["", "", ""])

    def test_refusals(self):
        files = ("--source", self.source, "--target", self.target)
        short = self.write("short.txt", "v5\n")
        self.expect(3, "it ends after line 1, line 2 of", "align", MODEL, "--source", self.source, "--target", short)
        self.expect(3, "ends after line 1; the two files must be aligned line by line", "align", MODEL, "--source", short,
                    "--target", self.target)
        one = self.write("one.align", "0-0\n")
        self.expect(3, "it is of 1 pair, but", "align", MODEL, *files, "--gold", one)
        outside = self.write("outside.align", f"\n0-0 {self.words[1]}-0\n0-0\n")
        message = self.expect(3, "line 2:", "align", MODEL, *files, "--gold", outside)
        for word in (f'"{self.words[1]}-0" is of word {self.words[1]}', f"has {self.words[1]} words, counted from 0", "tokenization"):
            self.assertIn(word, message)
        far = self.write("far.talp", f"\n\n1-{len(self.targets[2]) + 1}\n")
        self.expect(3, f"line 3 of {self.target} has {len(self.targets[2])} words, counted from 1", "align", MODEL, *files,
                    "--gold", far)
        self.expect(2, "say which, talp or pharaoh", "align", MODEL, *files, "--gold", self.write("g.txt", "\n1-1\n\n"))
        self.expect(5, "the model has no decoder", "align", pathlib.Path(MODELS) / "tagger_half_weight_gate", *files)
        self.expect(2, "the decoder has 2 layers", "align", MODEL, *files, "--layer", 3)
        self.expect(2, "has 4 heads", "align", MODEL, *files, "--head", 5)
        self.expect(2, "--step", "align", MODEL, *files, "--step", "both")
        self.expect(2, "--bootstrap 10 has no effect here", "align", MODEL, *files, "--bootstrap", 10)
        self.expect(3, "there is no line in it", "align", MODEL, "--source", self.write("e.txt", ""), "--target",
                    self.write("f.txt", ""))


require_engine(MOG)
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
