"""The experiments of resources/experiments/paper: sound configurations, and a script whose later stages work on what
there is, with the bundled taggers in the place of trained variants and a few sentences in the place of corpora.

Usage: cli_paper.py MOG SOURCE_DIR    (skips when the engine or the bundled models are not there)
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from mog_cli import require_engine, skip

MOG, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
PAPER = SOURCE / "resources/experiments/paper"
RUNS = {"variants": 16, "distillation": 16, "positions": 8, "depths": 28, "starts": 2}
WORDS = {"the": "DET", "a": "DET", "dog": "NOUN", "London": "PROPN", "sees": "VERB", "sleeps": "VERB", ".": "PUNCT"}


def sentences(count, seed):
    draw = random.Random(seed)
    return [draw.choices(list(WORDS), k=draw.randint(1, 34)) for _ in range(count)]


def conllu(texts):
    text = ""
    for number, words in enumerate(texts, 1):
        text += f"# sent_id = s{number}\n# text = {' '.join(words)}\n"
        for place, word in enumerate(words, 1):
            text += f"{place}\t{word}\t_\t{WORDS[word]}\t_\t_\t{0 if place == 1 else 1}\tdep\t_\t_\n"
        text += "\n"
    return text


def iob2(texts):
    text = ""
    for number, words in enumerate(texts, 1):
        text += f"# sent_id = s{number}\n# text = {' '.join(words)}\n"
        for place, word in enumerate(words, 1):
            text += f"{place}\t{word}\t{'B-LOC' if word == 'London' else 'O'}\t-\t-\n"
        text += "\n"
    return text


def litbank(texts):
    lines = ["#begin document (x); part 0"]
    for words in texts:
        lines += ["\t".join(["x", "0", str(place), word] + ["_"] * 9) for place, word in enumerate(words)] + [""]
    return "\n".join(lines + ["#end document"]) + "\n"


class Paper(unittest.TestCase):
    def test_configurations_are_sound(self):
        self.assertEqual(sorted(path.stem for path in PAPER.glob("*.toml")), sorted(RUNS))
        for name, runs in RUNS.items():
            result = subprocess.run([MOG, "train", PAPER / f"{name}.toml", "--check"], capture_output=True)
            # The data are another stage's.
            self.assertEqual(result.returncode, 2, result.stderr.decode())
            self.assertIn("of the data", result.stderr.decode())
            said = result.stdout.decode().splitlines()
            self.assertIn(f": sound, {runs} of {runs} run", said[0])
            self.assertEqual(len(said), runs + 2, name)

    def test_later_stages_work_on_what_there_is(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            data, work, findings = folder / "data", folder / "work", folder / "findings"
            for name in ("treebanks", "ner", "coref/litbank"):
                (data / name).mkdir(parents=True)
            (data / "treebanks/en_pud.conllu").write_text(conllu(sentences(30, 1)), encoding="utf-8")
            (data / "treebanks/en_ewt-test.conllu").write_text(conllu(sentences(12, 2)), encoding="utf-8")
            (data / "ner/en_ewt-test.iob2").write_text(iob2(sentences(12, 2)), encoding="utf-8")
            (data / "coref/litbank/x.conll").write_text(litbank(sentences(30, 3)), encoding="utf-8")
            for part in ("train", "dev"):
                (data / f"treebanks/en_ewt-{part}.conllu").write_text(conllu(sentences(12, 4)), encoding="utf-8")
                (data / f"ner/en_ewt-{part}.iob2").write_text(iob2(sentences(12, 4)), encoding="utf-8")
            shutil.copytree(SOURCE / "resources/models/tagger-en-graph", work / "variants/half-gate-s1")
            plain = (SOURCE / "resources/experiments/tagger-en-plain.toml").read_text(encoding="utf-8")
            for old, new in (("d_model = 128", "d_model = 16"), ("merges = 7000", "merges = 9"), ("epochs = 12", "epochs = 1")):
                self.assertIn(old, plain)
                plain = plain.replace(old, new)
            (folder / "plain.toml").write_text(plain, encoding="utf-8")
            subprocess.run([MOG, "train", folder / "plain.toml", "--data", data, "--output",
                            work / "variants/transformer-s1", "--quiet"], check=True, capture_output=True)
            findings.mkdir()
            for page, tables in (("paper.md", ["tagging"]), ("claims.md", ["length", "ablation"])):
                (findings / page).write_text("# Text stays\n" + "".join(
                    f"<!-- table {name} -->\nold\n<!-- end {name} -->\n" for name in tables), encoding="utf-8")
            command = [sys.executable, PAPER / "run", "--data", data, "--work", work, "--mog", MOG, "--findings", findings,
                       "--bundled", "none"]
            for stage in ("corpora", "record", "score", "claims", "figures", "tables"):
                command += ["--stage", stage]
            first = subprocess.run(command, capture_output=True, timeout=800)
            self.assertEqual(first.returncode, 0, first.stdout.decode() + first.stderr.decode())
            self.assertEqual(len((work / "corpora/measure.txt").read_text().splitlines()), 60)
            again = subprocess.run(command, capture_output=True, timeout=800)
            self.assertEqual(again.returncode, 0, again.stderr.decode())
            self.assertNotIn(b"recordings/", again.stdout)  # nothing is recorded twice
            tagging = (work / "tables/tagging.md").read_text(encoding="utf-8")
            self.assertIn("| half-gate | UPOS accuracy | 1 |", tagging)
            claims = (findings / "claims.md").read_text(encoding="utf-8")
            self.assertIn("| half-gate-s1 | words shuffled (seed 1) |", claims)
            self.assertIn("random weights, 3 seeds", claims)
            self.assertTrue(claims.startswith("# Text stays\n"))
            self.assertEqual(claims.count("<!-- end "), 2)
            self.assertNotIn("old", claims)
            for figure in ("half-gate-s1-weight-by-layer.svg", "length-upos.svg", "depth-upos.svg"):
                xml.etree.ElementTree.parse(findings / "figures" / figure)


if __name__ == "__main__":
    require_engine(MOG)
    if not (SOURCE / "resources/models/tagger-en-graph/model.safetensors").exists():
        skip("resources/models is not there")
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
