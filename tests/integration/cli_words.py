"""`--words` of `mog record`, `mog tag`, `mog translate` and `mog evaluate --raw-text`.

Usage: cli_words.py MOG MODELS TRANSLATOR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from mog_cli import require_engine

MOG = os.path.abspath(sys.argv[1])
TAGGER = pathlib.Path(sys.argv[2]).resolve() / "tagger-en-graph"
TRANSLATOR = pathlib.Path(sys.argv[3]).resolve()
TEXT = "I don't know Guardiola's e-mail."
UD = ["I", "do", "n't", "know", "Guardiola", "'s", "e-mail", "."]


def mog(*arguments, text=""):
    result = subprocess.run([MOG, *map(str, arguments)], input=text.encode("utf-8"), capture_output=True, timeout=300)
    return result.returncode, result.stdout.decode("utf-8"), result.stderr.decode("utf-8", "replace")


def words(*options, text=TEXT):
    code, out, err = mog("tag", "-m", TAGGER, "-i", "-", "--json", *options, text=text + "\n")
    assert code == 0, err
    return json.loads(out.splitlines()[0])["words"]


class Words(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def test_tag_takes_the_words_of_the_model_or_those_asked_for(self):
        self.assertEqual(words(), UD)
        self.assertEqual(words("--words", "auto"), UD)
        self.assertEqual(words("--words", "ud-en"), UD)
        self.assertEqual(words("--words", "spaces"), TEXT.split())
        self.assertEqual("".join(words("--words", "characters")), TEXT.replace(" ", ""))
        self.assertEqual(words(text=" ".join(UD)), UD)

    def test_record_keeps_text_and_says_other_words(self):
        corpus = self.folder / "a.txt"
        corpus.write_text(TEXT + "\n", encoding="utf-8")
        for options, name in (([], "a.txt"), (["--words", "spaces"], "a.txt: words spaces"), (["--words", "ud-en"], "a.txt")):
            folder = self.folder / f"{len(options)}{options[-1:]}.rec"
            code, _, err = mog("record", "-m", TAGGER, "-i", corpus, "-o", folder, "--capture", "summary,attention,gates", *options)
            self.assertEqual(code, 0, err)
            code, out, err = mog("describe", folder)
            self.assertEqual(code, 0, err)
            self.assertIn(name, out)
            self.assertEqual("words spaces" in out, name != "a.txt")
        code, out, err = mog("trees", self.folder / "0[].rec", "-n", "1", "--owner", "Guardiola@5", "--top", "1")
        self.assertEqual(code, 0, err)

    def test_translate_takes_words(self):
        whole = mog("translate", TRANSLATOR, "--json", text="ab cd\n")
        self.assertEqual(whole[0], 0, whole[2])
        same = mog("translate", TRANSLATOR, "--json", "--words", "spaces", text="ab cd\n")
        self.assertEqual(same[1], whole[1])
        cut = mog("translate", TRANSLATOR, "--json", "--words", "characters", text="ab cd\n")
        self.assertEqual(cut[0], 0, cut[2])

    def test_evaluate_on_raw_text(self):
        gold = self.folder / "gold.conllu"
        rows = "".join(f"{i}\t{word}\t_\tNOUN\t_\t_\t{max(0, i - 1)}\t{'root' if i == 1 else 'dep'}\t_\t_\n" for i, word in enumerate(UD, 1))
        gold.write_text(f"# text = {TEXT}\n{rows}\n", encoding="utf-8")
        scores = {}
        for cut in ("auto", "spaces"):
            code, out, err = mog("evaluate", TAGGER, "--conllu", gold, "--raw-text", "--words", cut, "--json", "--bootstrap", "0")
            self.assertEqual(code, 0, err)
            scores[cut] = {score["task"]: score["value"] for score in json.loads(out)["scores"]}
        self.assertEqual(scores["auto"]["words"], 1.0)
        # Of the 5 words between spaces two are among the 8 gold words: I, know.
        self.assertAlmostEqual(scores["spaces"]["words"], 2 * 2 / (5 + 8))
        code, out, err = mog("evaluate", TAGGER, "--conllu", gold, "--json", "--bootstrap", "0")
        # A sentence that only the entities have is left out and counted.
        entities = self.folder / "more.iob2"
        entities.write_text("# sent_id = x\n" + "".join(f"{i}\t{w}\tO\t-\t-\n" for i, w in enumerate(UD, 1)) + "\n# sent_id = y\n1\tParis\tB-LOC\t-\t-\n\n", encoding="utf-8")
        named = self.folder / "named.conllu"
        named.write_text("# sent_id = x\n" + gold.read_text(encoding="utf-8"), encoding="utf-8")
        more = mog("evaluate", TAGGER, "--conllu", named, "--iob2", entities, "--raw-text", "--json", "--bootstrap", "0")
        self.assertEqual(more[0], 0, more[2])
        document = json.loads(more[1])
        self.assertEqual([document[key] for key in ("raw_text", "sentences", "words", "left_out")], [True, 1, len(UD), 1])
        self.assertEqual({score["task"]: score["measure"] for score in document["scores"]},
                         {"ner": "span_f1", "upos": "word_f1", "words": "word_f1"})
        told = mog("evaluate", TAGGER, "--conllu", named, "--iob2", entities, "--raw-text", "--bootstrap", "0")[1]
        self.assertIn(f"1 sentence, {len(UD)} words, from raw text\n1 sentence left out", told)
        self.assertIn("upos     word F1", told)
        plain = json.loads(out)
        self.assertEqual((plain["raw_text"], plain["left_out"]), (False, 0))
        right = {score["task"]: score["value"] for score in json.loads(out)["scores"]}
        self.assertAlmostEqual(scores["auto"]["upos"], right["upos"])

    def test_refusals(self):
        for command in (("tag", "-m", TAGGER, "-i", "-"), ("record", "-m", TAGGER, "-i", "-", "-o", self.folder / "r"), ("translate", TRANSLATOR)):
            code, _, err = mog(*command, "--words", "english", text="a\n")
            self.assertEqual(code, 2, err)
            self.assertIn("ud-en", err)
        gold = self.folder / "gold.conllu"
        gold.write_text("1\ta\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
        code, _, err = mog("evaluate", TAGGER, "--conllu", gold, "--words", "spaces")
        self.assertEqual(code, 2, err)
        self.assertIn("--raw-text", err)
        code, _, err = mog("evaluate", TAGGER, "--conllu", gold, "--raw-text")
        self.assertEqual(code, 2, err)
        self.assertIn("# text", err)

    def test_a_reader_that_leaves_is_no_error(self):
        read, write = os.pipe()
        os.close(read)
        result = subprocess.run([MOG, "tag", "-m", TAGGER, "-i", "-", "-q"], input=b"The dog sleeps .\n", stdout=write,
                                stderr=subprocess.PIPE, timeout=300)
        os.close(write)
        self.assertEqual((result.returncode, result.stderr), (0, b""))


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=[sys.argv[0]])
