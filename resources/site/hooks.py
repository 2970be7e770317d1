"""Between docs/ and the site: Markdown as GitHub reads it becomes Markdown as mkdocs reads it, pages of how-to/ enter the navigation by
themselves, and the search works from a folder."""
import json
import logging
import pathlib
import posixpath
import re

LOG = logging.getLogger("mkdocs.hooks")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*([-*]|\d+\.) ")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^)\s]+)\)")


def on_config(config):
    """Every page of how-to/, in the order of its index."""
    index = (SOURCE / "docs/how-to/index.md").read_text(encoding="utf-8")
    pages = [name for name in re.findall(r"\]\(([a-z0-9-]+\.md)\)", index)]
    missing = {path.name for path in (SOURCE / "docs/how-to").glob("*.md")} - {"index.md", *pages}
    if missing:
        LOG.warning("how-to/index.md names no %s", ", ".join(sorted(missing)))
    for entry in config["nav"]:
        if "How to" in entry:
            entry["How to"][1:1] = [f"how-to/{name}" for name in dict.fromkeys(pages)]
    return config


def separated(lines):
    """Lists and tables may follow a paragraph at once on GitHub; here they need a line between. Nested lists need four spaces."""
    found, fenced, before = [], False, ""
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            if re.match(r"<!-- (before|not run|file)\b.*-->$", line):
                continue
            item = ITEM.match(line)
            starts = (item and not ITEM.match(before) and not before.startswith(" ")) or (line.startswith("|") and not before.startswith("|"))
            if starts and before.strip():
                found.append("")
            if item and re.match(r" {2,3}\S", line):
                line = "    " + line.lstrip()
        found.append(line)
        before = line
    return found


def on_page_markdown(markdown, page, config, files):
    """Files of the source beyond docs/ are named, not linked: the site may lie anywhere."""
    folder = posixpath.dirname(page.file.src_path)

    def link(match):
        words, target = match.groups()
        path = target.partition("#")[0]
        place = posixpath.normpath(posixpath.join("docs", folder, path))
        if not path or re.match(r"[a-z]+:", target) or (SOURCE / place).is_file() and place.startswith("docs/"):
            return match.group()
        if not (SOURCE / place).exists():
            LOG.warning("%s: there is no %s", page.file.src_path, target)
        return f"{words} (`{place}`)" if place not in words else words

    parts = re.split(r"(^```.*?^```)", "\n".join(separated(markdown.split("\n"))), flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def on_post_build(config):
    site = pathlib.Path(config["site_dir"])
    index = (site / "search/search_index.json").read_text(encoding="utf-8")
    worker, = (site / "assets/javascripts/workers").glob("search.*.min.js")
    (site / "search/offline-index.js").write_text(f"__search.index = Promise.resolve({index})\n", encoding="utf-8")
    (site / "search/offline-worker.js").write_text(
        f"__search.worker = URL.createObjectURL(new Blob([{json.dumps(worker.read_text(encoding='utf-8'))}], {{type: 'text/javascript'}}))\n", encoding="utf-8")
