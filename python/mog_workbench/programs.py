"""The program `mog` as functions: its JSON as Python objects, its figures as pictures of a notebook."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import warnings
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

import numpy as np

from .launcher import environment
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


# Whose JSON is one object a line (docs/json.md).
_LINES = {"ablate", "attribute", "coref", "corpus", "counts", "expr", "faithfulness", "parse", "patch", "sentences", "stats", "summarize", "tag", "tokenize", "translate"}


def _words(options: Dict[str, Any]) -> List[str]:
    """--key value; True: a flag; None and False: nothing; a list: commas between; a tuple: the option again and again."""
    words: List[str] = []
    for key, value in options.items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if value is None or (isinstance(value, (bool, np.bool_)) and not value):
            continue
        if isinstance(value, (bool, np.bool_)):
            words.append(name)
        elif isinstance(value, tuple):
            for one in value:
                words += [name, str(one)]
        elif isinstance(value, (list, set, range)):
            words += [name, ",".join(map(str, value))]
        else:
            words += [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return words


def _call(words: Sequence[str]) -> bytes:
    """What it prints; what it says besides becomes a warning."""
    called = program()
    try:
        done = subprocess.run([called, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                              check=False)
    except OSError as error:
        raise MogError(f"{called} cannot be started: {error.strerror}", 1) from error
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0:
        raise MogError(said[5:] if said.startswith("mog: ") else said, done.returncode)
    if said:
        warnings.warn(said, stacklevel=4)
    return done.stdout


def run(command: str, *arguments: Path, **options: Any) -> Any:
    """`mog COMMAND ARGUMENTS --options --json`: the document, or the list of its lines (docs/json.md says of which commands). Throws
    MogError."""
    said = _call([command, *(os.fspath(argument) for argument in arguments), *_words(options), "--json", "--quiet"]).decode()
    try:
        return [json.loads(line) for line in said.splitlines() if line] if command in _LINES else json.loads(said)
    except json.JSONDecodeError as error:
        raise MogError(f"mog {command} printed no JSON with these options", 1) from error


def trees(source: Optional[Path] = None, **options: Any) -> Any:
    """`mog trees`: of a recording (sentence=3), or of a text (text="…", source: a model)."""
    return run("trees", *([] if source is None else [source]), **options)


def record(model: Path, input: Union[Path, Iterable[str]], output: Path, **options: Any) -> Recording:
    """`mog record` of a corpus (a file, or sentences), opened. capture="attention,gates", …"""
    if not isinstance(input, (str, os.PathLike)):
        sentences = list(input)
        for number, sentence in enumerate(sentences, 1):
            if not isinstance(sentence, str) or "\n" in sentence:
                raise ValueError(f"sentence {number}: expected a string without line ends, found {sentence!r}")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sentences.txt"
            path.write_text("".join(sentence + "\n" for sentence in sentences), encoding="utf-8")
            return record(model, path, output, **{"corpus_name": "sentences from Python", **options})
    said = run("record", model=model, input=input, output=output, **options)
    if "rounding" in said:
        found = said["rounding"]
        warnings.warn(f"8-bit products, beside float32 on {found['sentences']} sentences: attention weights differ by "
                      f"{found['attention']:.4f} at most, the output by {100 * found['output']:.1f} % of its norm", stacklevel=2)
    return _open(output)


class Figure:
    """A figure as SVG; a notebook shows it."""

    def __init__(self, svg: str, caption: str):
        self.svg, self.caption = svg, caption

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Path) -> None:
        """As SVG; other kinds: mog.figure(..., output="f.pdf")."""
        if pathlib.Path(path).suffix.lower() != ".svg":
            raise ValueError(f"{path}: this writes SVG; mog.figure(..., output={os.fspath(path)!r}) writes the others")
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
        if not path.exists():
            raise MogError(f"mog figure {kind} drew nothing", 1)
        made = Figure(path.read_text(encoding="utf-8"), said.get("caption", ""))
    if kept is not None:
        made.save(kept)
    return made
