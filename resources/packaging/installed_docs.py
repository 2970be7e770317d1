"""The documents as they are installed: links into resources lead to where those are installed, links to files of the
source tree alone become their text.

    installed_docs.py SOURCE TARGET      TARGET becomes share/doc/mog-workbench
"""
import os
import pathlib
import re
import shutil
import sys

SOURCE, TARGET = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
PAGES = ["README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "docs"]
RESOURCES = ["models", "corpora", "experiments", "icons"]


def link(page, found):
    text, target = found.groups()
    if "://" in target or target.startswith("#"):
        return found.group(0)
    name, _, mark = target.partition("#")
    place = pathlib.Path(os.path.normpath(page.parent / name))  # in the source tree
    if place.parts[0] in PAGES:
        return found.group(0)
    if place.parts[0] == "resources" and place.parts[1] in RESOURCES:
        there = pathlib.Path("../../mog-workbench", *place.parts[1:])  # from share/doc/mog-workbench
        return f"[{text}]({os.path.relpath(there, page.parent)}{'#' + mark if mark else ''})"
    return text


shutil.rmtree(TARGET, ignore_errors=True)
TARGET.mkdir(parents=True)
for name in PAGES:
    if (SOURCE / name).is_dir():
        shutil.copytree(SOURCE / name, TARGET / name)
    else:
        shutil.copy(SOURCE / name, TARGET / name)
for file in TARGET.rglob("*.md"):
    page = file.relative_to(TARGET)
    old = file.read_text(encoding="utf-8")
    new = re.sub(r"\[([^\]\[]*)\]\(([^)\s]+)\)", lambda found: link(page, found), old)
    if new != old:
        file.write_text(new, encoding="utf-8")
