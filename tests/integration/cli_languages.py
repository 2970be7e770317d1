"""The language that translations begin with (--begins): `mog record` and `mog faithfulness` take it as `mog translate` does,
for the model's own translations and for those of a file.

Usage: cli_languages.py MOG TRANSLATORS    (skips without the engine, h5py or numpy)
"""
import csv
import io
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"{error}; install h5py and numpy")

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
LANGUAGES = {"nllb": ("deu_Latn", "eng_Latn"), "m2m-100": ("__de__", "__en__")}


class Languages(MogCase):
    mog = MOG

    def record(self, name, model, corpus, *options):
        self.run_well("record", "-m", DATA / model, "-i", corpus, "-o", self.folder / name, "--capture", "attention",
                      "--store", "float32", "-q", *options)
        return self.folder / name

    def targets(self, recording):
        """[sentence]: ids of the decoder's inputs, without the first."""
        with h5py.File(recording / "recording.h5") as file:
            offsets, ids = file["offsets/rows/target_tokens"][:], file["target_tokens/id"][:]
            return [ids[begin + 1:end].tolist() for begin, end in zip(offsets, offsets[1:])]

    def translated(self, model, corpus, *options):
        lines = self.run_well("translate", DATA / model, corpus, "--json", "-q", *options).splitlines()
        return [json.loads(line) for line in lines]

    def same(self, one, other):
        with h5py.File(one / "recording.h5") as first, h5py.File(other / "recording.h5") as second:
            self.assertEqual(set(first["quantities"]), set(second["quantities"]))
            for name in first["quantities"]:
                np.testing.assert_array_equal(first["quantities"][name][:], second["quantities"][name][:], name)

    def test_a_recording_reads_what_is_translated(self):
        search = ("--beam", 3, "--max-tokens", 10, "--length-penalty", 0.7)
        for model, languages in LANGUAGES.items():
            corpus = DATA / model / "corpus.txt"
            expected = json.loads((DATA / model / "found.json").read_text(encoding="utf-8"))
            self.assertEqual(expected["begins"], languages[0])
            own = self.record(f"{model}-own", model, corpus, "--target", "translate", "--begins", languages[0], *search)
            self.assertEqual(self.targets(own), [sentence["beam"][0]["ids"][:-1] for sentence in expected["sentences"]])
            self.run_well("translate", DATA / model, corpus, "--begins", languages[0], *search, "--record",
                          self.folder / f"{model}-kept", "--store", "float32", "--capture", "attention", "-q")
            self.same(own, self.folder / f"{model}-kept")
            other = self.targets(self.record(f"{model}-other", model, corpus, "--target", "translate", "--begins", languages[1],
                                             *search))
            self.assertNotEqual([ids[0] for ids in other], [ids[0] for ids in self.targets(own)])
            # A recording goes on with the language that it has.
            text = ("record", "-m", DATA / model, "-i", corpus, "-o", own, "--resume", "--store", "float32", "--capture",
                    "attention", "--target", "translate", *search)
            self.run_well(*text, "--begins", languages[0])
            self.expect(2, languages[0], *text, "--begins", languages[1])

    def test_lines_of_a_file_begin_with_it(self):
        for model, languages in LANGUAGES.items():
            corpus, given = DATA / model / "corpus.txt", DATA / model / "target.txt"
            plain = self.write(f"{model}.txt", given.read_text(encoding="utf-8").replace(f"{languages[0]} ", ""))
            self.assertNotIn(languages[0], plain.read_text(encoding="utf-8"))
            with_lines = self.record(f"{model}-lines", model, corpus, "--target", given)
            with_option = self.record(f"{model}-option", model, corpus, "--target", plain, "--begins", languages[0])
            self.assertEqual(self.targets(with_option), self.targets(with_lines))
            self.same(with_option, with_lines)
            measure = ("faithfulness", DATA / model, "-i", corpus, "--bootstrap", 0, "--erase", "pad", "--side", "both",
                       "--attributions", "alti,leave-one-out")
            self.assertEqual(self.run_well(*measure, "--target", plain, "--begins", languages[0]),
                             self.run_well(*measure, "--target", given))
            self.assertNotEqual(self.run_well(*measure, "--target", plain, "--begins", languages[1]),
                                self.run_well(*measure, "--target", given))

    # The translation's text is one that the tokenizer cuts into the same pieces again.
    def test_faithfulness_to_its_own_translation(self):
        model, language = "m2m-100", "__de__"
        corpus = self.write("corpus.txt", "I\n")
        (line,) = self.translated(model, corpus, "--beam", 1, "--begins", language)
        said = self.write("said.txt", f"{language} {line['translation']}\n")
        again = self.record("again", model, corpus, "--target", said)
        self.assertEqual(self.targets(again), [line["ids"][:-1] if line["ids"][-1] == 2 else line["ids"]])
        measure = ("faithfulness", DATA / model, "-i", corpus, "--bootstrap", 0, "--side", "both", "--erase", "pad",
                   "--fractions", 0.5, "--attributions", "contribution-norm")
        rows = [list(csv.DictReader(io.StringIO(self.run_well(*measure, *target)))) for target in
                (("--target", "translate", "--beam", 1, "--begins", language), ("--target", said))]
        self.assertEqual({row["target"] for row in rows[0]}, {"translation"})
        for own, reference in zip(*rows, strict=True):
            self.assertEqual({**own, "target": ""}, {**reference, "target": ""})

    def test_what_is_refused(self):
        model = DATA / "nllb"
        corpus, given = model / "corpus.txt", model / "target.txt"
        out = self.folder / "refused"
        for command in (("translate", model, corpus), ("record", "-m", model, "-i", corpus, "-o", out, "--target", "translate"),
                        ("record", "-m", model, "-i", corpus, "-o", out, "--target", given),
                        ("faithfulness", model, "-i", corpus, "--target", "translate"),
                        ("faithfulness", model, "-i", corpus, "--target", given)):
            self.expect(2, 'the target vocabulary has no "ŋ"', *command, "--begins", "deu_Latn ŋ")
            self.expect(2, "the text has no words", *command, "--begins", " ")
        self.assertFalse(out.exists())
        self.expect(2, "--begins deu_Latn has no effect here; it belongs to --target", "record", "-m", model, "-i", corpus, "-o", out,
                    "--begins", "deu_Latn")
        self.expect(2, "--begins deu_Latn has no effect here; it belongs to --target translate or FILE", "faithfulness", model, "-i",
                    corpus, "--begins", "deu_Latn")


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])
