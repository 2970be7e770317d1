#!/usr/bin/env python3
"""Texts of quantities on the command line; docs/quantities.md says what the program says.

    cli_quantities.py MOG SOURCE
"""
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase

SOURCE = pathlib.Path(sys.argv[2])


class Quantities(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def test_the_page_is_what_the_program_says(self):
        page = (SOURCE / "docs/quantities.md").read_text(encoding="utf-8")
        self.assertEqual(page, self.run_well("describe", "--quantity", "list", "--markdown"),
                         "renew it: mog describe --quantity list --markdown > docs/quantities.md")

    def test_a_name_has_its_text(self):
        entry, = json.loads(self.run_well("describe", "--quantity", "encoder.3.m1.attention", "--json"))
        self.assertEqual(entry["name"], "encoder.L.middle1.attention")
        self.assertEqual((entry["units"], entry["level"]), ("probability", 0))
        self.assertIn("softmax", self.run_well("describe", "--quantity", "encoder.L.high.attention"))
        self.assertIn("symbol   w, z\n", self.run_well("describe", "--quantity", "encoder.2.gate"))

    def test_words_and_the_list(self):
        self.assertGreater(len(self.run_well("describe", "--quantity", "list").splitlines()), 130)
        self.assertIn("row_entropy", self.run_well("describe", "--quantity", "entropy"))

    def test_wrong_lines_exit_2(self):
        for said, arguments in (("qwertz", ["--quantity", "qwertz"]), ("give PATH or --quantity", ["x", "--quantity", "order"]),
                                ("--quantity opens nothing", ["--quantity", "order", "--kind", "text"]),
                                ("belongs to --quantity list", ["--quantity", "entropy", "--markdown"]),
                                ("belongs to --quantity list", ["x", "--markdown"])):
            self.expect(2, said, "describe", *arguments)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
