"""`mog examples`, `mog cite` with CITATION.cff, manual pages: what they say is what the pages and the program say.

Usage: cli_manual.py MOG SOURCE
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from mog_cli import MogCase

SOURCE = pathlib.Path(sys.argv[2]).resolve()
PAGES = SOURCE / "docs/how-to"


class Manual(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def test_examples_are_the_pages(self):
        found = json.loads(self.run_well("examples", "--json"))
        self.assertEqual({page["name"] for page in found}, {path.stem for path in PAGES.glob("*.md")} - {"index"})
        self.assertGreaterEqual(len(found), 12)
        listed = self.run_well("examples")
        for page in found:
            text = (PAGES / f"{page['name']}.md").read_text(encoding="utf-8")
            self.assertEqual("# " + page["question"], text.splitlines()[0])
            self.assertIn(page["question"], listed)
            self.assertIn(f"| {page['question']} |", (PAGES / "index.md").read_text(encoding="utf-8"))
            shown = re.findall(r"^\$ (.*)$", text, re.M)
            self.assertTrue(shown)
            self.assertEqual([command for command in page["commands"] if not command.startswith("cat > ")], shown)

    def test_an_example_is_a_script(self):
        for page in json.loads(self.run_well("examples", "--json")):
            script = self.run_well("examples", page["name"])
            self.assertTrue(script.startswith(f"# {page['question']}\n"))
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)
        script = self.run_well("examples", "own-attention")
        begin = script.index("cat > write.py <<'END'\n")
        subprocess.run(["bash"], input=script[begin:script.index("\nEND\n") + 5], text=True, check=True, cwd=self.folder)
        compile((self.folder / "write.py").read_text(encoding="utf-8"), "write.py", "exec")
        self.expect(2, "did you mean subject?", "examples", "subjekt")

    def test_citations(self):
        commands = re.findall(r"^  (\w+) ", self.run_well("--help").split("Subcommands:")[1].split("Examples:")[0], re.M)
        keys = set()
        for command in commands:
            for entry in json.loads(self.run_well("cite", command, "--json")):
                keys.add(entry["key"])
                self.assertEqual(entry["bibtex"].count("{"), entry["bibtex"].count("}"))
                self.assertRegex(entry["bibtex"], r"^@(software|misc|article|inproceedings)\{[a-z0-9]+,\n")
                self.assertRegex(entry["text"], rf"^\S.*\. {entry['year']}\. .*\.$")
                self.assertNotIn("..", entry["text"])
        found = json.loads(self.run_well("cite", "--json"))
        self.assertEqual([entry["key"] for entry in found][:2], ["mogworkbench", "duan2021multi"])
        self.assertTrue({"huang2005better", "sundararajan2017axiomatic", "weng2020gret", "papineni2002bleu"} <= keys)
        bibtex = self.run_well("cite", "faithfulness", "--bibtex")
        self.assertEqual(bibtex.count("\n@") + 1, len(json.loads(self.run_well("cite", "faithfulness", "--json"))))
        self.expect(2, "did you mean syntax?", "cite", "sintax")

    def test_citation_cff(self):
        """The rules of the format 1.2.0 that concern what the file has; the version is the program's."""
        try:
            import yaml
        except ImportError:
            self.skipTest("PyYAML is absent")
        cff = yaml.safe_load((SOURCE / "CITATION.cff").read_text(encoding="utf-8"))
        self.assertEqual(cff["cff-version"], "1.2.0")
        self.assertTrue({"message", "title", "authors"} <= set(cff))
        self.assertTrue(set(cff) <= {"cff-version", "message", "title", "abstract", "type", "version", "license", "authors", "keywords", "references"})
        self.assertEqual(cff["type"], "software")
        self.assertEqual("mog " + str(cff["version"]), self.run_well("--version").strip())
        for work in (cff, *cff["references"]):
            for author in work["authors"]:
                self.assertTrue(set(author) in ({"name"}, {"family-names", "given-names"}), author)
        cited = {entry["title"]: entry for entry in json.loads(self.run_well("cite", "stats", "--json"))}
        for reference in cff["references"]:
            self.assertTrue({"type", "title", "authors"} <= set(reference))
            entry = cited[reference["title"]]
            self.assertEqual(entry["year"], reference["year"])
            self.assertEqual(entry["authors"], " and ".join(f"{a['family-names']}, {a['given-names']}" for a in reference["authors"]))
            self.assertEqual(reference["identifiers"], [{"type": "other", "value": entry["identifier"]}])

    def test_the_page_of_figure_has_the_options_of_the_kinds(self):
        self.run_well("man", self.folder, "--quiet")
        page = (self.folder / "mog-figure.1").read_text(encoding="utf-8").replace("\\-", "-")
        for kind in json.loads(self.run_well("figure", "list", "--json")):
            section = page.split(f".SS {kind['kind']}\n")[1].split("\n.SS ")[0]
            self.assertIn(kind["example"], section)
            help_ = self.run_well("figure", kind["kind"], "--help")
            own = help_.split(f"Of {kind['kind']}:")[1].split("\n\n\n")[0] if f"Of {kind['kind']}:" in help_ else ""
            for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", own, re.M):
                if option != "--words" or option in section:
                    self.assertIn(f"\\fB{option}\\fR", section, (kind["kind"], option))

    def test_quiet_is_quiet(self):
        try:
            self.assertEqual(self.run_well("demo", "--quiet", "--output", self.folder / "demo"), "")
        except AssertionError as error:
            if "engine" not in str(error):
                raise
            self.skipTest("the engine is absent")
        self.assertTrue((self.folder / "demo" / "figures").is_dir())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
