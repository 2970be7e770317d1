#!/usr/bin/env python3
"""Kinds of figures on the command line: each has its own options, and docs/figures.md says what the program says.

    cli_figures.py MOG SOURCE
"""
import json
import os
import pathlib
import re
import sys
import unittest

from mog_cli import MogCase

SOURCE = pathlib.Path(sys.argv[2])


class Figures(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def kinds(self):
        return json.loads(self.run_well("figure", "list", "--json"))

    def test_the_page_is_what_the_program_says(self):
        page = (SOURCE / "docs/figures.md").read_text(encoding="utf-8")
        self.assertEqual(page, self.run_well("figure", "list", "--markdown"),
                         "renew it: mog figure list --markdown > docs/figures.md")

    def test_the_help_of_a_kind_has_its_own_options_alone(self):
        page = self.run_well("figure", "list", "--markdown")
        everything = set(re.findall(r"^\| `(--[\w-]+)", page, re.M))
        self.assertGreater(len(everything), 40)
        for kind in self.kinds():
            own = set(re.findall(r"^\| `(--[\w-]+)", page.split(f"### {kind['kind']}\n")[1].split("\n#")[0], re.M))
            shown = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", self.run_well("figure", kind["kind"], "--help"), re.M))
            self.assertEqual(own - shown, set(), kind["kind"])
            self.assertEqual((everything - own) & shown - {"--words"}, set(), kind["kind"])

    def test_an_option_of_another_kind_is_refused_with_those_that_have_it(self):
        self.expect(2, "figure tree: --ancestors 1@2 has no effect here; it belongs to information-flow", "figure", "tree",
                    "a.rec", "-n", "1", "--ancestors", "1@2", "-o", "x.svg")
        self.expect(2, "--markdown has no effect here; it belongs to list", "figure", "kinds", "--markdown", "-o", "x.svg")
        self.expect(2, "there is no such figure", "figure", "trea", "a.rec", "--leaves", "3", "-o", "x.svg")

    def test_texts_of_choices_are_checked_before_anything_is_opened(self):
        for options, said in ((["--leaves", "two"], "--leaves two: expected a whole number from 1 to 64"),
                              (["--rho", "2"], "--rho 2: expected a number from 0 to 1"),
                              (["--top", "3", "--projective"], "--leaves, --top and --projective exclude each other"),
                              (["--leaves", "3", "--order", "3"], "--leaves was given twice")):
            self.expect(2, f"figure tree: {said}", "figure", "tree", "no-such.rec", "-n", "1", *options, "-o", "x.svg")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
