#!/usr/bin/env python3
"""on_a_card.py with programs that stand for ours: what passes, fails, hangs or is absent, and what the report says of it.

    on_a_card_test.py MOG
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "on_a_card.py"
MOG = pathlib.Path(sys.argv[1]).resolve()

RATES = {"min": 900, "median": 123456, "max": 234567}
ENCODER = {**{mode: {"tokens_per_wall_s": RATES} for mode in ("forward", "statistics", "statistics_of_maps", "capture")},
           "peak_share": 0.5, "statistics_over_forward": 1.01, "statistics_of_maps_over_forward": 1.25, "capture_over_forward": 1.5,
           "captured_bytes": 1e9, "pinned_copy_bytes_per_s": 5e10, "pinned_copy_share": 0.815, "capture_bound_share": 0.9}
FORWARD = {"transformer": ENCODER, "graph_transformer": ENCODER,
           "attention": [{"sentences": 512, "length": 32, "heads": 12, "width": 32, "rows_s": 0.001, "sdpa_s": 0.0009,
                          "sdpa_over_rows": 0.925, "difference": 1e-6, "rows_bfloat16_s": 0.0004, "flash_bfloat16_s": 0.0005,
                          "flash_over_rows": 0.475, "difference_bfloat16": 0.01}],
           "one_sentence": {"transformer": {"forward_ms": 2.5, "capture_ms": 3.5}}}
DOCTOR = {"version": "0", "torch": "0", "devices": ["cpu", "cuda:0 A CARD, 80 GiB"], "cuda": "", "engine_error": ""}


class OnACard(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.build = pathlib.Path(temporary.name)
        (self.build / "bin").mkdir()
        self.report = self.build / "report.md"

    def program(self, name, *lines):
        path = self.build / "bin" / name
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)

    def stand_ins(self):
        self.program("mog", f"echo '{json.dumps(DOCTOR)}'")
        self.program("test_engine_gpu", "echo '[  PASSED  ] 7 tests.'")
        self.program("bench_forward", f"echo '{json.dumps(FORWARD)}'")
        self.program("test_engine", 'echo "[  PASSED  ] 400 tests on $MOG_TEST_DEVICE."')
        self.program("test_train_engine", "echo '[  PASSED  ] 57 tests.'")

    def run_script(self, *options):
        return subprocess.run([sys.executable, SCRIPT, self.build, "--output", self.report, *options], capture_output=True, text=True,
                              timeout=120)

    def test_report_of_what_passed(self):
        self.stand_ins()
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report.read_text()
        self.assertEqual(report.count("| passed |"), 6)
        for text in ("A CARD, 80 GiB", "PASSED  ] 400 tests on cuda.", "900 / 123,456 / 234,567", "0.815", "| 0.925 |", "| 0.475 |", "| transformer | 2.5 | 3.5 |"):
            self.assertIn(text, report)

    def test_one_that_fails_hangs_or_is_absent_does_not_stop_the_others(self):
        self.stand_ins()
        self.program("test_engine_gpu", "echo '[  FAILED  ] Cuda.One'", "echo of the card >&2", "exit 3")
        self.program("bench_forward", "echo '{'", "exec sleep 600")
        (self.build / "bin/test_engine").unlink()
        done = self.run_script("--seconds", "20")
        self.assertEqual(done.returncode, 1)
        report = self.report.read_text()
        for text in ("| kernels | failed, exit code 3 |", "of the card", "| forward pass, float32 | out of time |", "cannot be read",
                     "| the engine's tests on the card | not run: No such file or directory |",
                     "| the trainer's tests on the card | passed |"):
            self.assertIn(text, report)

    def test_where_no_card_is_nothing_runs(self):
        self.program("mog", f"exec {MOG} \"$@\"")
        done = subprocess.run([sys.executable, SCRIPT, self.build, "--output", self.report], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"})
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("no card can be used: ", done.stderr)
        self.assertFalse(self.report.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
