"""From a recording, or what was exported of one, to a file for `mog import` (docs/import-format.md)."""
from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterator, List, Tuple, Union

import numpy as np

from ..imports import write_import
from ..recording import RecordingError
from .exported import Exported

_PARTS = ("full", "high", "middle1", "middle2")


def _layers(names: Tuple[str, ...], end: str) -> List[str]:
    """encoder.1.END, encoder.2.END, …"""
    found = sorted((int(match.group(1)), name) for name in names if (match := re.fullmatch(rf"encoder\.(\d+)\.{re.escape(end)}", name)))
    return [name for _, name in found]


def _arrays(exported: Exported) -> Dict[str, List[str]]:
    """By the name that the import file has: the quantities of its layers."""
    arrays = {"attention" if part == "full" else part: _layers(exported.names, f"{part}.attention") for part in _PARTS}
    arrays["gate"] = _layers(exported.names, "gate") or _layers(exported.names, "gate.mean")
    arrays["hidden"] = [name for name in ("encoder.embedding",) if name in exported.names] + _layers(exported.names, "output")
    present = {key: names for key, names in arrays.items() if names}
    if "attention" not in present and "high" not in present:
        raise RecordingError("it holds no attention maps, which `mog import` needs: record them with --capture attention,gates")
    if "attention" in present and "high" in present:
        raise RecordingError("some of its layers are plain, others have parts: `mog import` takes one kind")
    if "attention" in present:
        present.pop("gate", None)
    layers = len(present.get("attention", present.get("high", [])))
    if len(present.get("hidden", [])) != layers + 1:
        present.pop("hidden", None)
    return present


def sentences(exported: Exported) -> Iterator[Dict[str, Any]]:
    """As write_import takes them."""
    arrays = _arrays(exported)
    for sentence in exported:
        if not sentence["token"]:
            continue
        yield {"number": sentence["sentence"], "tokens": sentence["token"], "words": sentence["word"], "text": sentence["text"],
               "word_of_token": np.asarray(sentence["token.word"]) + 1,
               **{key: np.stack([sentence[name] for name in names]) for key, names in arrays.items()}}


def write_import_file(path: Union[str, "os.PathLike[str]"], exported: Exported) -> int:
    model = exported.metadata["recording"].get("model", {}).get("name") or "exported"
    return write_import(path, sentences(exported), model=str(model))
