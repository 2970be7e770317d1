"""The mistakes that a first user makes, as they were made: each message says what to type instead, and what it says works.

Usage: cli_mistakes.py MOG SOURCE    (skips without the engine)
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from mog_cli import require_engine

MOG, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()

# What was typed, the exit code, and what is to be typed: found in the message.
MISTAKES = [
    ("record text.txt", 2, "--input text.txt"),
    ("record -i text.txt", 2, "--output is required"),
    ("record -i text.txt -m bert-base-uncased -o x.rec", 2, "huggingface-cli download bert-base-uncased"),
    ("record -i text.txt -o made.rec", 2, "--overwrite"),
    ("record -i latin.txt -o x.rec", 3, "--invalid-utf8 replace"),
    ("record -i text.txt -o x.rec --capture attentions", 2, "did you mean attention?"),
    ("record -i text.txt -o x.rec --device gpu", 2, "use auto, cpu, cuda"),
    ("trees text.txt --sentence 1", 3, "mog record --input text.txt --output FOLDER"),
    ("trees made.rec", 2, "--sentence N"),
    ("trees made.rec --sentence 9", 2, "numbered from 1 to 2"),
    ("trees made.rec --sentence 1 --owner cat", 2, "its words: The@1 dog@2"),
    ("trees 'The dog sleeps .'", 2, "--text 'The dog sleeps .'"),
    ("figure tree 'The dog sleeps .' -o x.svg", 2, "--text 'The dog sleeps .'"),
    ("figure tree --text 'The dog sleeps .'", 2, "--output F.svg, F.pdf or F.png"),
    ("figure tree made.rec -o x.svg", 2, "--sentence N"),
    ("figure weight-by-layer tagger-en-graph -o x.svg", 2, "mog record -m MODEL -i CORPUS -o FOLDER"),
    ("figure weight-by-layer text.txt -o x.svg", 3, "mog record --input text.txt --output FOLDER"),
    ("figure tree --text 'The dog .' -o x.gif", 2, ".svg, .pdf or .png"),
    ("stats tagger-en-graph", 2, "mog stats --model tagger-en-graph --input TEXT"),
    ("stats text.txt", 3, "mog record --input text.txt --output FOLDER"),
    ("sentences tagger-en-graph", 2, "mog record --model tagger-en-graph --input TEXT --output FOLDER"),
    ("syntax made.rec --treebank text.txt", 3, "mog parse --input text.txt --output trees.conllu"),
    ("tag -i 'The dog sleeps .'", 2, "echo 'The dog sleeps .' | mog tag --input -"),
    ("faithfulness made.rec -i text.txt", 3, "mog describe made.rec"),
    ("merge made.rec -o x.csv", 3, "mog stats made.rec"),
    ("--sentence 1 trees made.rec", 2, "mog trees --sentence"),
    ("made.rec", 2, "mog describe made.rec"),
    ("version", 2, "mog --version"),
    ("export made.rec", 2, "--output is required"),
    ("trees made.rec --sentence 1 --owner dog@2 --layer 0", 2, "Value 0 not in range 1"),
    ("figure attention made.rec --sentence 1 -o x.png --dpi nan", 2, "nan is no number from 10 to 2400"),
    ("figure attention made.rec --sentence 1 -o x.png --width nan", 2, "nan is no number from 3 to 120"),
    ("evaluate --hypothesis text.txt --reference text.txt --smooth floor --smooth-value nan", 2, "nan is no number from 0"),
    ("translate translator-de-en-graph text.txt --store float32", 2, "belongs to a recording (--record)"),
    ("evaluate --hypothesis text.txt --reference text.txt --trials 9", 2, "it belongs to --other"),
    ("evaluate --hypothesis text.txt --reference text.txt --metric chrf --tokenize none", 2, "it belongs to --metric bleu"),
    ("evaluate --hypothesis text.txt --reference text.txt --beam 9", 2, "it belongs to a MODEL that translates"),
    ("merge absent.sums -o x.csv", 2, "opening partial statistics absent.sums"),
]


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        (cls.folder / "text.txt").write_text("The dog sleeps .\nA cat .\n")
        (cls.folder / "latin.txt").write_bytes(b"caf\xe9\n")
        cls.environment = {**os.environ, "PATH": f"{os.path.dirname(MOG)}:{os.environ['PATH']}", "MOG_RESOURCES": str(SOURCE / "resources"),
                           "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        cls.shell("mog record -m tagger-en-graph -i text.txt -o made.rec --capture attention,gates --quiet")

    @classmethod
    def shell(cls, line, code=0):
        done = subprocess.run(["bash", "-c", line], cwd=cls.folder, env=cls.environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, (line, done.returncode, done.stderr)
        return done

    def test_tagged_text_is_read_again(self):
        """Without heads, as it was written; tags take the place of those before."""
        self.shell("mog tag -q -m tagger-en-distilled -i text.txt --format conllu -o tagged.conllu")
        self.shell("mog tag -q -m tagger-en-distilled -i tagged.conllu --format conllu -o again.conllu")
        first, second = (((self.folder / name).read_text()) for name in ("tagged.conllu", "again.conllu"))
        self.assertIn("Ner=", first)
        self.assertEqual(first, second)
        self.shell("mog record -q -m tagger-en-distilled -i tagged.conllu -o tagged.rec")

    def test_every_mistake_is_answered(self):
        self.assertGreaterEqual(len(MISTAKES), 20)
        before = sorted(self.folder.iterdir())
        for line, code, said in MISTAKES:
            with self.subTest(line):
                self.assertIn(said, self.shell("mog " + line, code).stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)  # and nothing was written

    def test_what_is_said_works(self):
        for line in ("mog record --input text.txt --output FOLDER -q", "mog stats --model tagger-en-graph --input text.txt --bootstrap 0",
                     "mog parse --input text.txt --output trees.conllu -q", "echo 'The dog sleeps .' | mog tag --input -",
                     "mog describe made.rec", "mog --version", "mog trees --text 'The dog sleeps .'",
                     "mog figure tree --text 'The dog sleeps .' -o x.svg"):
            self.shell(line)

    def test_a_hint_is_about_what_failed(self):
        """Words that are right get none."""
        said = self.shell("mog trees made.rec --sentence 1 --mode fre", 2).stderr
        self.assertNotIn("it is a", said)
        said = self.shell("mog stats made.rec --quantity gtae", 2).stderr
        self.assertNotIn("it is a", said)

    def test_alone_it_leads_to_something_to_look_at(self):
        said = self.shell("mog").stdout
        first = next(row for row in said.splitlines() if row.startswith("  mog figure tree"))
        self.shell(first.split("   ")[0].strip())
        self.assertTrue((self.folder / "tree.svg").read_text(encoding="utf-8").startswith("<?xml"))


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])
