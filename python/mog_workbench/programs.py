"""The program `mog` as functions: its JSON as Python objects, its figures as pictures of a notebook."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Union

from .recording import Recording, open as _open

Path = Union[str, "os.PathLike[str]"]


class MogError(Exception):
    """What `mog` said when it failed; `code` is its exit code."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


def program() -> str:
    """$MOG_PROGRAM, else the one in this package, else the first in the path."""
    given = os.environ.get("MOG_PROGRAM")
    if given:
        return given
    inside = pathlib.Path(__file__).parent / "bin" / "mog"
    found = str(inside) if inside.exists() else shutil.which("mog")
    if found is None:
        raise MogError("the program mog is not in the path; install it, or set MOG_PROGRAM to its place", 1)
    return found


def _words(options: Dict[str, Any]) -> List[str]:
    """--key value; True: a flag; None and False: nothing; lists: commas between."""
    words: List[str] = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + key.rstrip("_").replace("_", "-"))
        if isinstance(value, (list, tuple)):
            words.append(",".join(map(str, value)))
        elif value is not True:
            words.append(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    return words


def _call(words: Sequence[str]) -> bytes:
    done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise MogError(done.stderr.decode(errors="replace").strip().removeprefix("mog: "), done.returncode)
    return done.stdout


def run(command: str, *arguments: Path, **options: Any) -> Any:
    """`mog COMMAND ARGUMENTS --options --json`: the document, or the list of its lines. Throws MogError."""
    said = _call([command, *(os.fspath(argument) for argument in arguments), *_words(options), "--json", "--quiet"]).decode()
    try:
        return json.loads(said)
    except json.JSONDecodeError:
        return [json.loads(line) for line in said.splitlines() if line]


def trees(source: Optional[Path] = None, **options: Any) -> Any:
    """`mog trees`: of a recording (sentence=3), or of a text (text="…", source: a model)."""
    return run("trees", *([] if source is None else [source]), **options)


def record(model: Path, input: Union[Path, Sequence[str]], output: Path, **options: Any) -> Recording:
    """`mog record` of a corpus (a file, or a list of sentences), opened. capture="attention,gates", …"""
    if isinstance(input, (str, os.PathLike)):
        _call(["record", "--model", os.fspath(model), "--input", os.fspath(input), "--output", os.fspath(output), *_words(options), "--quiet"])
        return _open(output)
    for sentence in input:
        if "\n" in sentence:
            raise ValueError(f"a sentence holds the end of a line: {sentence!r}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sentences.txt"
        path.write_text("".join(sentence + "\n" for sentence in input), encoding="utf-8")
        return record(model, path, output, **options)


class Figure:
    """A figure as SVG; a notebook shows it."""

    def __init__(self, svg: str, caption: str):
        self.svg, self.caption = svg, caption

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path) -> None:
        """As SVG."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")


def figure(kind: str, *sources: Path, **options: Any) -> Figure:
    """`mog figure KIND`: mog.figure("tree", text="The plan would never work ."). With output="f.pdf" it is kept there, too."""
    kept = options.pop("output", None)
    if kept is not None and pathlib.Path(kept).suffix != ".svg":
        _call(["figure", kind, *(os.fspath(source) for source in sources), *_words({**options, "output": kept}), "--quiet"])
        kept = None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "figure.svg"
        said = run("figure", kind, *sources, **options, output=path)
        made = Figure(path.read_text(encoding="utf-8"), said.get("caption", ""))
    if kept is not None:
        made.save(kept)
    return made
