"""The manual as a site: built strictly, from a copy; its links hold, its pictures are there, nothing comes from the network.

Usage: site_test.py SOURCE    (skips without mkdocs and its theme material)
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from mog_cli import skip

SOURCE = pathlib.Path(sys.argv[1]).resolve()
MKDOCS = shutil.which("mkdocs")
if MKDOCS is None or not pathlib.Path("/usr/share/mkdocs/themes/material").is_dir():
    skip("mkdocs or its theme material is absent (Debian: mkdocs, mkdocs-material)")


class Page(html.parser.HTMLParser):
    """Anchors, and what is linked and loaded."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        if "id" in of:
            self.ids.add(of["id"])
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        for name in ("src", "href"):
            if of.get(name) and tag in ("img", "script", "link"):
                self.loaded.append(of[name])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = pathlib.Path(temporary.name) / "site"
        cls.built = subprocess.run([MKDOCS, "build", "--strict", "--config-file", SOURCE / "mkdocs.yml", "--site-dir", cls.site],
                                   capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"})
        cls.pages = {path: Page(path.read_text(encoding="utf-8")) for path in cls.site.rglob("*.html")}

    def test_it_is_built_without_a_warning(self):
        self.assertEqual(self.built.returncode, 0, self.built.stderr)
        self.assertNotIn("WARNING", self.built.stderr)

    def test_every_page_of_the_manual_is_there(self):
        for path in (SOURCE / "docs").rglob("*.md"):
            self.assertIn((self.site / path.relative_to(SOURCE / "docs")).with_suffix(".html"), self.pages)

    def test_links_and_anchors_hold(self):
        wrong = []
        for path, page in self.pages.items():
            for link in page.links + page.loaded:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or path.name == "404.html":
                    continue
                target = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
                target = target / "index.html" if target.is_dir() else target
                if not target.is_file():
                    wrong.append(f"{path.relative_to(self.site)}: {link}")
                elif parts.fragment and target in self.pages and parts.fragment not in self.pages[target].ids and not parts.fragment.startswith("__"):
                    wrong.append(f"{path.relative_to(self.site)}: {link}: no such anchor")
        self.assertEqual(wrong, [])

    def test_nothing_comes_from_the_network(self):
        for path, page in self.pages.items():
            for link in page.loaded:
                self.assertFalse(re.match(r"(https?:)?//", link), f"{path.name}: {link}")

    def test_the_search_works_from_a_folder(self):
        index = json.loads((self.site / "search/search_index.json").read_text(encoding="utf-8"))
        self.assertTrue(any("own-attention" in entry["location"] for entry in index["docs"]))
        script = (self.site / "search/offline-index.js").read_text(encoding="utf-8")
        self.assertEqual(json.loads(re.fullmatch(r"__search\.index = Promise\.resolve\((.*)\)\n", script, re.DOTALL).group(1)), index)
        self.assertIn("createObjectURL", (self.site / "search/offline-worker.js").read_text(encoding="utf-8"))
        for path, text in ((path, path.read_text(encoding="utf-8")) for path in self.pages):
            self.assertIn("offline-", text, path.name)
            self.assertLess(text.index("offline-"), text.index("assets/javascripts/bundle"), path.name)

    def test_pictures_are_small(self):
        for folder in ("docs/pictures", "docs/how-to/pictures", "docs/explanations/pictures"):
            for picture in (SOURCE / folder).iterdir():
                self.assertLessEqual(picture.stat().st_size, 60_000, picture.name)

    def test_every_picture_is_shown(self):
        shown = {(path.parent / match).resolve() for path in (SOURCE / "docs").rglob("*.md")
                 for match in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", path.read_text(encoding="utf-8"))}
        for folder in ("docs/pictures", "docs/how-to/pictures", "docs/explanations/pictures"):
            self.assertEqual({path.resolve() for path in (SOURCE / folder).iterdir()} - shown, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
