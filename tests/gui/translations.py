"""The German catalogue is complete: lupdate finds no new text, none is unfinished, placeholders agree.

Usage: translations.py [--update] LUPDATE SOURCE_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

UPDATE = sys.argv[1:2] == ["--update"]
LUPDATE, SOURCE = sys.argv[-2:]
CATALOGUE = pathlib.Path(SOURCE) / "resources/translations/mog_de.ts"
SOURCES = ["app/gui", "io/recording/part.cpp", *(f"app/workflow/describe/guide{part}.cpp" for part in ("", "_model", "_exact", "_measures", "_context", "_next_token")),
           "app/workflow/figures/kinds"]


def update(catalogue):
    """What lupdate says; MOG_TEXT marks the texts of the guide, which knows no Qt."""
    return subprocess.run([LUPDATE, *SOURCES, "-I", ".", "-extensions", "cpp,h", "-locations", "none", "-no-obsolete",
                           "-tr-function-alias", "QT_TRANSLATE_NOOP+=MOG_TEXT", "-source-language", "en",
                           "-target-language", "de", "-ts", str(catalogue)], cwd=SOURCE, check=True,
                          capture_output=True, text=True).stdout


def contexts_asked_for():
    """What the program asks a catalogue for: classes of Qt by their full name, and contexts that are written out."""
    asked = set()
    for file in sorted(path for part in SOURCES for path in ((pathlib.Path(SOURCE) / part).rglob("*.[ch]*")
                                                             if not part.endswith(".cpp") else [pathlib.Path(SOURCE) / part])):
        text = file.read_text(encoding="utf-8")
        asked.update(re.findall(r"Q_DECLARE_TR_FUNCTIONS\(([\w:]+)\)", text))
        asked.update(re.findall(r'\btranslate\("([\w:]+)"', text))
        for name in re.findall(r"\bclass (\w+)[^;{]*\{\s*Q_OBJECT", text):
            asked.add(f"mog::gui::{name}")
    return asked


def messages(catalogue):
    for context in xml.etree.ElementTree.parse(catalogue).getroot().iter("context"):
        for message in context.iter("message"):
            yield context.find("name").text, message


class Translations(unittest.TestCase):
    def test_lupdate_finds_nothing_new(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "mog_de.ts"
            shutil.copy(CATALOGUE, copy)
            said = update(copy)
            self.assertRegex(said, r"\(0 new and \d+ already existing\)", said)
            known = {(context, message.find("source").text) for context, message in messages(copy)}
            ours = {(context, message.find("source").text) for context, message in messages(CATALOGUE)}
            self.assertEqual(ours - known, set(), "texts that the window does not have any more")

    def test_every_text_is_translated(self):
        count = 0
        for context, message in messages(CATALOGUE):
            source, translation = message.find("source").text, message.find("translation")
            self.assertNotIn("type", translation.attrib, f"{context}: {source}")
            texts = [form.text for form in translation.iter("numerusform")] or [translation.text]
            for text in texts:
                self.assertTrue(text and text.strip(), f"{context}: {source}")
                for mark in (r"%L?\d|%n", r"\n"):
                    self.assertEqual(sorted(set(re.findall(mark, source))), sorted(set(re.findall(mark, text))), source)
                # A menu or button with a letter keeps one.
                self.assertEqual(len(re.findall(r"&(?=\w)", source)) > 0, len(re.findall(r"&(?=\w)", text)) > 0, source)
            count += 1
        self.assertGreater(count, 500)

    def test_every_text_is_found_by_the_program(self):
        """lupdate guesses the context of a tr() outside of Qt's classes, and a text of another context stays English."""
        found = {context for context, _ in messages(CATALOGUE)}
        self.assertEqual(found - contexts_asked_for(), set())
        self.assertGreater(len(found), 30)

    def test_shortcuts_stay(self):
        for context, message in messages(CATALOGUE):
            source = message.find("source").text
            if re.fullmatch(r"((Ctrl|Shift|Alt)\+)+([A-Z0-9]|F\d+|%1)", source):
                self.assertEqual(message.find("translation").text, source, context)


if __name__ == "__main__":
    if UPDATE:
        print(update(CATALOGUE))
    else:
        unittest.main(argv=sys.argv[:1])
