#!/usr/bin/env python3
"""The examples of README.md and of the pages of docs/ are run, and what they print is compared with what stands there.

    doc_examples.py MOG SOURCE [--update] [DOCUMENT… | FOLDER…]    (by default README.md and docs)

A block of lines "$ command", each with the output that follows it, opens with ```console and is run in a scratch folder of its
document, from top to bottom, with `resources` and `tests` of the source in it. `<!-- before: COMMAND -->` on the line before a
block runs something that is not shown. A block that is not run opens with ``` alone, and the line before it says why:
`<!-- not run: REASON -->`. Everything else that holds a line "$ mog …" is an error. `<!-- file: NAME -->` before a block of any kind:
its lines are written to that file. `python3` is the one that runs this, with the package mog_workbench.

A picture that a page shows from its folder pictures/ must be what its commands made: a file of the same name is in the scratch folder
then, and an SVG has the same words. --update copies it.

Output is what went to standard output, to standard error, or to both, the latter first. A command without output must end well; one whose output begins with "mog: " must not. A line "…" stands for any lines, one that
ends with "…" for any rest. White space counts as one space; whole numbers are equal, others within one of the last digit shown or
1e-5 of their size; times, rates and free space are not compared. --update writes what came out in the place of what differs.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from mog_cli import skip

FENCE = "```"
NOTE = re.compile(r"<!-- (before|not run|file): (.+) -->$")
PICTURE = re.compile(r"!\[[^\]]*\]\((pictures/[^)]+)\)")
MOST_OF_A_PICTURE = 60_000  # bytes
NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
OF_THE_MACHINE = re.compile(r"[0-9][0-9,.]* (?=[kMGT]?B free|sentences/s)|(?<=\bin )[0-9][0-9,.]*(?= s\b)")


@dataclasses.dataclass
class Command:
    text: str
    line: int  # of the command, from 0
    output: list


@dataclasses.dataclass
class Block:
    line: int
    before: str
    commands: list
    file: str = ""
    content: str = ""


def blocks(lines, name):
    """Those to run, in order; what is neither run nor excused is an error."""
    found, errors, at = [], [], 0
    while at < len(lines):
        if not lines[at].startswith(FENCE):
            at += 1
            continue
        end = next((row for row in range(at + 1, len(lines)) if lines[row].startswith(FENCE)), len(lines))
        note = NOTE.match(lines[at - 1]) if at else None
        kind, text = note.groups() if note else ("", "")
        commands = []
        if kind == "file":
            found.append(Block(at, "", [], text, "".join(line + "\n" for line in lines[at + 1:end])))
            at = end + 1
            continue
        for row in range(at + 1, end):
            if lines[row].startswith("$ "):
                commands.append(Command(lines[row][2:], row, []))
            elif commands:
                commands[-1].output.append(lines[row])
        runs = lines[at] == FENCE + "console"
        if runs and (kind == "not run" or not commands or not lines[at + 1].startswith("$ ")):
            errors.append(f"{name}:{at + 1}: a console block that is not run, or does not begin with a command")
        if not runs and any(re.search(r"\bmog\b", command.text) for command in commands) and kind != "not run":
            errors.append(f'{name}:{at + 1}: commands that are not run: open with ```console, or say why in a line '
                          f'"<!-- not run: REASON -->" before it')
        if runs:
            found.append(Block(at, text if kind == "before" else "", commands))
        at = end + 1
    return found, errors


def same_number(shown, found, share=1e-5):
    if shown == found:
        return True
    digits = shown.replace(",", "")
    mantissa, _, exponent = digits.lower().partition("e")
    if "." not in mantissa and not exponent:
        return False
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    value = float(digits)
    return abs(value - float(found.replace(",", ""))) <= max(1.000001 * last, share * abs(value))


def same_line(shown, found, share=1e-5):
    shown, found = (" ".join(OF_THE_MACHINE.sub("0 ", line).split()) for line in (shown, found))
    if shown.endswith("…"):
        shown = shown[:-1].rstrip()
        # A number that is cut is left out, so that it is not taken for another one.
        shown = re.sub(r"[0-9.,]+$", "", shown)
        numbers = len(NUMBER.findall(shown))
        words = NUMBER.split(shown)
        rest = NUMBER.split(found)[:numbers + 1]
        rest[-1] = rest[-1][:len(words[-1])]
        return words == rest and all(map(same_number, NUMBER.findall(shown), NUMBER.findall(found)))
    return (NUMBER.split(shown) == NUMBER.split(found) and
            all(same_number(one, other, share) for one, other in zip(NUMBER.findall(shown), NUMBER.findall(found))))


def same_output(shown, found):
    """Lines of `shown` in `found`; "…" takes as few lines as possible."""
    if not shown:
        return not found
    if shown[0].strip() == "…":
        return any(same_output(shown[1:], found[skipped:]) for skipped in range(len(found) + 1))
    return bool(found) and same_line(shown[0], found[0]) and same_output(shown[1:], found[1:])


def same_picture(kept, made):
    """Of an SVG: the same words, numbers within a hundredth (a word's head may turn on the last bit of another processor); of
    others that there is one: their bytes are the machine's."""
    if made.suffix != ".svg":
        return True
    # The caption of the metadata names the scratch folder.
    texts = [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(desc|style|metadata)\b.*?</\1>", "", path.read_text(encoding="utf-8"))))
             for path in (kept, made)]
    return same_line(*texts, share=.01)


def alike(shown, found):
    """How many lines of `shown` are in `found`, numbers aside."""
    masked = {NUMBER.sub("0", line) for line in found}
    return sum(NUMBER.sub("0", line) in masked for line in shown), bool(found)


def renewed(shown, found):
    """What came out, left out where it was left out before: the rest of long lines, and lines after as many as were shown."""
    if any(line.strip() == "…" for line in shown[:-1]):
        return None  # which lines are to stay is for a person to say
    cut = shown[-1].strip() == "…"
    result = found[:len(shown) - 1] if cut else list(found)
    for row, line in enumerate(shown[:len(result)]):
        if line.endswith("…") and len(result[row]) > len(line):
            result[row] = result[row][:len(line) - 1] + "…"
    return result + (["…"] if cut else [])


class Document:
    def __init__(self, path, source, mog):
        self.path, self.name = path, str(path.relative_to(source))
        self.lines = path.read_text(encoding="utf-8").split("\n")
        self.source, self.mog = source, mog

    def run(self, command, folder):
        environment = {**os.environ, "PATH": f"{self.mog.parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                       "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(self.source / "python"), "MOG_PYTHON": sys.executable}
        return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300)

    def check(self, update):
        """Errors, each with its place; --update repairs the outputs among them."""
        found, errors = blocks(self.lines, self.name)
        changes = []
        with tempfile.TemporaryDirectory() as folder:
            for shared in ("resources", "tests"):
                os.symlink(self.source / shared, pathlib.Path(folder) / shared)
            for block in found:
                if block.file:
                    pathlib.Path(folder, block.file).write_text(block.content, encoding="utf-8")
                if block.before:
                    result = self.run(block.before, folder)
                    if result.returncode:
                        errors.append(f"{self.name}:{block.line}: before: {block.before}\n{result.stderr.decode()}")
                for command in block.commands:
                    errors += self.check_command(command, folder, changes if update else None)
            errors += self.check_pictures(pathlib.Path(folder), update)
        for command, lines in reversed(changes):
            self.lines[command.line + 1:command.line + 1 + len(command.output)] = lines
        if changes:
            self.path.write_text("\n".join(self.lines), encoding="utf-8")
            print(f"{self.name}: {len(changes)} outputs written")
        return errors

    def check_pictures(self, folder, update):
        """Those that the page shows from pictures/ came out of its commands."""
        errors = []
        for shown in dict.fromkeys(PICTURE.findall("\n".join(self.lines))):
            kept, made = self.path.parent / shown, folder / pathlib.Path(shown).name
            if not made.is_file():
                errors.append(f"{self.name}: no command of the page makes {made.name}")
                continue
            if made.stat().st_size > MOST_OF_A_PICTURE:
                errors.append(f"{self.name}: {made.name} has {made.stat().st_size} bytes; expected {MOST_OF_A_PICTURE} at most")
            if update and (not kept.is_file() or not same_picture(kept, made)):
                kept.parent.mkdir(exist_ok=True)
                kept.write_bytes(made.read_bytes())
                print(f"{self.name}: {shown} written")
            elif not kept.is_file() or not same_picture(kept, made):
                errors.append(f"{self.name}: {shown} is not what its command makes now")
        return errors

    def check_command(self, command, folder, changes):
        result = self.run(command.text, folder)
        out, err = ([line.replace(f"{self.source}/", "") for line in text.decode(errors="replace").splitlines()]
                    for text in (result.stdout, result.stderr))
        lines = max(out, err, key=lambda stream: alike(command.output, stream))
        place = f"{self.name}:{command.line + 1}: $ {command.text}\n"
        if (result.returncode != 0) != any(line.startswith("mog: ") for line in command.output):
            return [f"{place}ended with {result.returncode}:\n" + "\n".join((out + err)[-10:])]
        if not command.output or any(same_output(command.output, shown) for shown in (out, err, err + out)):
            return []
        new = renewed(command.output, lines) if changes is not None else None
        if new is not None:
            changes.append((command, new))
            return []
        return [place + "shown:\n" + "\n".join(command.output) + "\nfound:\n" + "\n".join(lines[:len(command.output) + 5])]


def self_test():
    """What must not pass does not."""
    assert same_output(["a 1.25 b", "…", "in 3 s"], ["a  1.26 b", "x", "y", "in 7.1 s"])
    assert not same_output(["a 1.25 b"], ["a 1.27 b"])
    assert not same_output(["123 sentences"], ["124 sentences"])
    assert not same_output(["a"], ["a", "b"])
    assert not same_output(["a", "…"], ["b"])
    assert same_output(["values 0.12…"], ["values 0.1299, 5"])
    assert not same_output(["value 2 and …"], ["value 3 and more"])
    assert blocks(["```", "$ mog demo", "```"], "x")[1] and not blocks(["```console", "$ mog demo", "```"], "x")[1]
    assert not blocks(["<!-- not run: large -->", "```", "$ mog demo", "```"], "x")[1]
    assert blocks(["<!-- file: a.py -->", "```python", "import b", "```"], "x") == ([Block(1, "", [], "a.py", "import b\n")], [])
    assert renewed(["a", "…"], ["b", "c"]) == ["b", "…"] and renewed(["abc…"], ["xyzuv"]) == ["xyz…"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mog", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("documents", nargs="*", type=pathlib.Path, help="pages, or folders of them")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    self_test()
    mog, source = given.mog.resolve(), given.source.resolve()
    doctor = json.loads(subprocess.run([mog, "doctor", "--json"], capture_output=True, check=True).stdout)
    if not doctor["engine"]:
        skip("the engine is not there: " + doctor["engine_error"])
    given_paths = [path.resolve() for path in given.documents] or [source / "README.md", source / "docs"]
    paths = [page for path in given_paths for page in (sorted(path.glob("*.md")) if path.is_dir() else [path])]
    errors = [error for path in paths for error in Document(path, source, mog).check(given.update)]
    print("\n\n".join(errors))
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
