"""The comparison of translators (resources/experiments/translation/run): sound configurations, and a script whose later
stages work on what there is, with small translators in the place of trained ones.

Usage: cli_translators.py MOG SOURCE_DIR    (skips when the engine is not there)
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from mog_cli import MogCase, require_engine
from small_translator import GATE, PLAIN, config, pairs, write_pairs

SOURCE = pathlib.Path(sys.argv[2]).resolve()
EXPERIMENTS = SOURCE / "resources/experiments/translation"
RUNS = {"multi30k": 34, "gret": 10}
PAGES = {"translation.md": ["variants", "directions", "positions", "depths", "lengths", "weight-by-layer", "weight-by-length",
                            "layers", "alignments"],
         "gret.md": ["gret", "gret-lengths"]}


class Translators(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def test_configurations_are_sound(self):
        for name, runs in RUNS.items():
            result = self.run_mog("train", EXPERIMENTS / f"{name}.toml", "--check")
            self.assertEqual(result.returncode, 2, result.stderr.decode())  # the data are another stage's
            self.assertIn("of the data", result.stderr.decode())
            self.assertIn(f": sound, {runs} of {runs} run", result.stdout.decode().splitlines()[0])

    def stages(self, *names):
        command = [sys.executable, EXPERIMENTS / "run", "--pairs", self.folder, "--work", self.folder / "work", "--mog", self.mog,
                   "--findings", self.folder / "findings"]
        result = subprocess.run([*command, *(f"--stage={name}" for name in names)], capture_output=True, timeout=800)
        self.assertEqual(result.returncode, 0, result.stdout.decode() + result.stderr.decode())
        return result.stdout.decode()

    def stand_ins(self):
        """Runs whose numbers must not get into the rows of others: faster, with a greater loss; the plain one of the other sweep, a
        variant whose name begins like another's, one of the other direction."""
        work = self.folder / "work"
        for source, target in (("multi30k/transformer-s1", "gret/transformer-s1"), ("multi30k/transformer-s1", "multi30k/en-de-transformer-s1"),
                               ("multi30k/half-gate-s1", "multi30k/half-gate-shared-s1")):
            training = work / f"{target}.training"
            shutil.copytree(work / f"{source}.training", training)
            lines = [json.loads(line) for line in (training / "metrics.jsonl").read_text().splitlines()]
            (training / "metrics.jsonl").write_text("".join(
                json.dumps({**entry, "tokens_per_second": 10 * entry["tokens_per_second"]}) + "\n" for entry in lines))
            result = json.loads((training / "result.json").read_text())
            result["scores"]["dev.nll"] += 1
            (training / "result.json").write_text(json.dumps({**result, "run": target.split("/")[1]}))
        for target in ("gret/transformer-s1", "multi30k/en-de-transformer-s1"):
            shutil.copytree(work / "multi30k/transformer-s1", work / target)
        (self.folder / "reference.de").write_text(pairs(60, 2000)[0])

    def rate(self, run):
        lines = (self.folder / f"work/multi30k/{run}.training/metrics.jsonl").read_text().splitlines()
        return max(entry["tokens_per_second"] for entry in map(json.loads, lines) if "dev" not in entry)

    def test_later_stages_work_on_what_there_is(self):
        for part, count, first in (("train", 300, 0), ("dev", 60, 1000), ("test", 60, 2000)):
            write_pairs(self.folder, part, count, first)
        self.write("reference.en", pairs(60, 2000)[1])
        for run, encoder, sections in (("multi30k/transformer-s1", PLAIN, ""), ("multi30k/half-gate-s1", GATE, ""),
                                       ("gret/gret-s1", PLAIN, "[model.gret]\ncapsules = 2\n")):
            # As a sweep of one run names it.
            name = run.split("/")[1].removesuffix("-s1")
            text = config(encoder, sections) + f"[sweep]\nseeds = [1]\n[sweep.axes.variant]\n{name} = {{}}\n"
            path = self.write(f"{name}.toml", text)
            self.run_well("train", path, "--data", self.folder, "--output", self.folder / "work" / run.split("/")[0], "-q")
        self.stand_ins()
        findings = self.folder / "findings"
        findings.mkdir()
        for page, tables in PAGES.items():
            (findings / page).write_text("# Text stays\n" + "".join(
                f"<!-- table {name} -->\nold\n<!-- end {name} -->\n" for name in tables), encoding="utf-8")
        stages = ("translate", "score", "claims", "alignments", "figures", "tables")
        self.stages(*stages)
        self.assertNotIn("recordings/", self.stages(*stages))  # nothing is recorded twice
        page = (findings / "translation.md").read_text(encoding="utf-8")
        self.assertTrue(page.startswith("# Text stays\n"))
        with open(findings / "data/translators-scores-de-en.csv", encoding="utf-8") as file:
            whole = {row["system"]: row for row in csv.DictReader(file) if row["bin"] == "all" and row["measure"] == "BLEU"}
        self.assertEqual(set(whole), {"transformer-s1", "half-gate-s1", "gret-s1"})
        self.assertIn(f"| transformer | 1 | {float(whole['transformer-s1']['value']):.2f} | [", page)
        row = next(line for line in page.splitlines() if line.startswith("| half-gate | 1 |"))
        self.assertIn(f"| half-gate | 1 | {float(whole['half-gate-s1']['value']):.2f} | [", row)
        self.assertIn(f" | {self.rate('half-gate-s1'):,.0f} | ", row)
        nll = json.loads((self.folder / "work/multi30k/transformer-s1.training/result.json").read_text())["scores"]["dev.nll"]
        self.assertRegex(page, rf"\| transformer \| 1 \| .* \| {nll:.2f} \| ")
        self.assertIn("| en-de | transformer | 1 | ", page)
        german = [len(line.split()) for line in (self.folder / "test.de").read_text().splitlines()]
        self.assertIn(f"| system | 1–7 words ({sum(words < 8 for words in german)} sentences) |", page)
        self.assertIn("| captions | half-gate-s1 | words shuffled (seed 1) |", page)
        self.assertIn("random weights, 3 seeds", page)
        # Every word of these pairs is translated by itself, in its place.
        occurrence = (self.folder / "work/alignments/occurrence.pharaoh").read_text().splitlines()
        german = (self.folder / "test.de").read_text().splitlines()
        diagonal = [set(f"{at}-{at}" for at in range(len(line.split()))) for line in german]
        found = [set(link for link in line.split() if "-" in link) for line in occurrence]
        self.assertGreater(sum(len(a & b) for a, b in zip(found, diagonal)), 0.95 * sum(map(len, diagonal)))
        self.assertGreater(sum(len(a & b) for a, b in zip(found, diagonal)), 0.95 * sum(map(len, found)))
        self.assertIn("| transformer-s1 | contribution to the logit |  | predicted |", page)
        gret = (findings / "gret.md").read_text(encoding="utf-8")
        self.assertIn(f"| gret | 8 capsules, attentive pooling | 1 | {float(whole['gret-s1']['value']):.2f} | [", gret)
        self.assertNotIn("old", page + gret)
        for figure in ("translator-half-gate-s1-weight-by-layer.svg", "translator-bleu-by-length.svg", "gret-bleu-by-length.svg"):
            xml.etree.ElementTree.parse(findings / "figures" / figure)


if __name__ == "__main__":
    require_engine(os.path.abspath(sys.argv[1]))
    unittest.main(argv=sys.argv[:1])
