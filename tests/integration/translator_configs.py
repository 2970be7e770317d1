"""The German-English experiment, small: data preparation, then both configurations trained for a few steps.

Usage: translator_configs.py MOG EXPERIMENTS_DIR    (training skips when the engine is not there)
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MOG, EXPERIMENTS = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
PREPARE = EXPERIMENTS / "prepare_translation_data.py"
MULTI30K = EXPERIMENTS / "prepare_multi30k.py"
SMALL = ["--test-debian", "6", "--test-ntrex", "4", "--dev-debian", "4", "--dev-ntrex", "2"]
THINGS = ["Haus house", "Baum tree", "Hund dog", "Katze cat", "Buch book", "Fluss river", "Berg mountain", "Wald forest",
          "Stadt town", "Weg road", "Stein stone", "Vogel bird", "Fisch fish", "Stern star", "Mond moon", "Tag day",
          "Nacht night", "Tisch table", "Stuhl chair", "Garten garden"]


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)


def corpora(folder):
    """Twenty templates of three package descriptions, which differ in digits only; news; and two more sources."""
    debian = [(f"Das {de} Nummer {n} steht heute im {de}-Archiv.", f"The {en} number {n} is in the {en} archive today.")
              for de, en in map(str.split, THINGS) for n in (1, 22, 333)]
    news = [(f"Ein {a.split()[0]} und ein {b.split()[0]}, sagte er.", f"A {a.split()[1]} and a {b.split()[1]}, he said.")
            for a, b in zip(THINGS, THINGS[3:])]
    # A news line of the same template as a description: whichever is held out takes the other with it.
    news.append(("Das Haus Nummer 7 steht heute im Haus-Archiv.", "The house number 7 is in the house archive today."))
    flores = [(f"{a.split()[0]} ist ein Wort.", f"{a.split()[1]} is a word.") for a in THINGS] + [("", "")]
    for name, pairs in (("debian-descriptions/paragraphs", debian), ("ntrex/newstest2019", news), ("flores/dev", flores)):
        for side, language in enumerate(("de", "en")):
            path = folder / f"{name}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")


def lines(folder, name):
    return (folder / name).read_text(encoding="utf-8").splitlines()


def templates(texts):
    return {re.sub(r"[\d\s]+", " ", text.lower()).strip() for text in texts}


class Fixture(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.work = pathlib.Path(self.temporary.name)
        corpora(self.work / "data")

    def prepare(self, output="pairs", *more):
        return run(sys.executable, PREPARE, self.work / "data", self.work / output, *SMALL, *more)


class Preparation(Fixture):
    def test_no_template_is_both_tested_and_trained(self):
        result = self.prepare()
        self.assertEqual(result.returncode, 0, result.stderr)
        pairs = self.work / "pairs"
        held_out = ("test-debian", "test-ntrex", "dev")
        for language in ("de", "en"):
            seen = templates(lines(pairs, f"train.{language}"))
            for name in held_out:
                self.assertFalse(seen & templates(lines(pairs, f"{name}.{language}")), name)
            tested = [text for name in held_out for text in lines(pairs, f"{name}.{language}")]
            self.assertEqual(len(templates(tested)), len(tested), "a template is held out twice")
        report = json.loads((pairs / "report.json").read_text())
        for name, count in (("test-debian", 6), ("test-ntrex", 4), ("dev", 6)):
            self.assertEqual(report[name], count)
            self.assertEqual(len(lines(pairs, name + ".de")), count)
            self.assertEqual(len(lines(pairs, name + ".en")), count)
        # 10 templates of 3 descriptions, one of each used, and the 3 about the house, whose template the last news line is of.
        self.assertEqual(report["pairs"], 60 + 18 + 20)
        self.assertEqual(report["train"] + report["not_used"] + 16, report["pairs"])
        self.assertEqual(report["not_used"], 20 + 3)

    def test_the_same_seed_gives_the_same_bytes(self):
        self.prepare("one")
        self.prepare("two")
        self.prepare("three", "--seed", "2")
        for path in sorted((self.work / "one").iterdir()):
            self.assertEqual(path.read_bytes(), (self.work / "two" / path.name).read_bytes())
        self.assertNotEqual(lines(self.work / "one", "test-debian.en"), lines(self.work / "three", "test-debian.en"))

    def test_low_overlap_by_hand(self):
        sys.path.insert(0, str(EXPERIMENTS))
        sys.dont_write_bytecode = True
        import prepare_translation_data as prepare
        seen = set(prepare.ngrams("one two three four five six")) | set(prepare.ngrams("short line"))
        # Five 5-grams of nine tokens, the first of which was seen; "Three" and "three" are the same.
        self.assertAlmostEqual(prepare.overlap("one two Three four five x y z u", seen), 0.2)
        self.assertEqual(prepare.overlap("short line", seen), 1.0)
        self.assertEqual(prepare.overlap("other line", seen), 0.0)
        self.assertEqual(prepare.tokenise("Don't (see 3.5)!"), ["Don", "'", "t", "(", "see", "3", ".", "5", ")", "!"])

    def test_what_is_wrong(self):
        result = run(sys.executable, PREPARE, self.work / "data", self.work / "x")
        self.assertEqual(result.returncode, 3)
        self.assertIn("ask for fewer", result.stderr)
        with open(self.work / "data" / "flores" / "dev.de", "a") as file:
            file.write("eine Zeile mehr\n")
        result = self.prepare()
        self.assertEqual(result.returncode, 3)
        self.assertIn("22 German but 21 English", result.stderr)
        (self.work / "data" / "flores" / "dev.en").unlink()
        self.assertIn("dev.en", self.prepare().stderr)

    def test_captions_of_pictures(self):
        data = self.work / "multi30k"
        data.mkdir()
        for part, count in (("train", 3), ("val", 2), ("test_2016_flickr", 1)):
            for language, text in (("de", "Ein Hund, der läuft."), ("en", "A dog that's running.")):
                (data / f"{part}.{language}").write_text(f"{text}\n" * count, encoding="utf-8")
        result = run(sys.executable, MULTI30K, data, self.work / "pairs")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(lines(self.work / "pairs", "train.en"), ["A dog that ' s running ."] * 3)
        self.assertEqual(lines(self.work / "pairs", "dev.de"), ["Ein Hund , der läuft ."] * 2)
        self.assertEqual(lines(self.work / "pairs", "reference.en"), ["a dog that's running."])
        for sweep in ("multi30k.toml", "gret.toml"):
            checked = run(MOG, "train", EXPERIMENTS / sweep, "--check", "--data", self.work / "pairs")
            self.assertEqual(checked.returncode, 0, checked.stderr)
        (data / "val.en").write_text("one line\n", encoding="utf-8")
        result = run(sys.executable, MULTI30K, data, self.work / "pairs")
        self.assertEqual(result.returncode, 3)
        self.assertIn("val: 2 German but 1 English", result.stderr)


class Training(Fixture):
    def setUp(self):
        super().setUp()
        doctor = json.loads(run(MOG, "doctor", "--json").stdout)
        if not doctor["engine"]:
            self.skipTest("the engine is not there: " + doctor["engine_error"])

    def small(self, name):
        text = (EXPERIMENTS / name).read_text()
        for key, value in (("d_model", 16), ("attention_dim", 8), ("ffn_dim", 24), ("merges", 60), ("epochs", 2), ("warmup", 4),
                           ("log_interval", 1), ("batch_tokens", 300)):
            text, found = re.subn(rf"^{key} = \S+$", f"{key} = {value}", text, flags=re.M)
            self.assertTrue(found or key == "attention_dim", key)
        path = self.work / name
        path.write_text(text)
        return path

    def test_both_train_translate_and_are_scored(self):
        self.assertEqual(self.prepare().returncode, 0)
        pairs = self.work / "pairs"
        for name in ("plain", "graph"):
            output = self.work / f"translator-de-en-{name}"
            result = run(MOG, "train", self.small(f"translator-de-en-{name}.toml"), "--data", pairs, "--output", output, "--quiet")
            self.assertEqual(result.returncode, 0, result.stderr)
            described = json.loads(run(MOG, "describe", output, "--json").stdout)
            self.assertEqual(described["model"]["encoder_kind"], "graph_transformer" if name == "graph" else "transformer")
            scored = run(MOG, "evaluate", output, "--source", pairs / "test-debian.de", "--reference", pairs / "test-debian.en",
                         "--lowercase", "--metric", "bleu,chrf", "--tokenize", "none", "--smooth", "none", "--beam", 2,
                         "--max-tokens", 12, "--translations", self.work / "out.en", "--json")
            self.assertEqual(scored.returncode, 0, scored.stderr)
            document = json.loads(scored.stdout)
            self.assertEqual([score["measure"] for score in document["scores"]], ["BLEU", "chrF2"])
            self.assertEqual(len(lines(self.work, "out.en")), 6)
            again = json.loads(run(MOG, "evaluate", "--hypothesis", self.work / "out.en", "--reference", pairs / "test-debian.en",
                                   "--lowercase", "--metric", "bleu,chrf", "--tokenize", "none", "--smooth", "none", "--json").stdout)
            for first, second in zip(document["scores"], again["scores"]):
                self.assertEqual(first["value"], second["value"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
