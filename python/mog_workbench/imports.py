"""Attention of any program as a file for `mog import` (docs/import-format.md)."""
from __future__ import annotations

import os
from typing import Any, Iterable, List, Mapping, Union

import h5py
import numpy as np

_ARRAYS = ("attention", "high", "middle1", "middle2", "gate", "hidden")
_TEXTS = ("tokens", "words", "text")


def write_import(path: Union[str, "os.PathLike[str]"], sentences: Iterable[Mapping[str, Any]], model: str = "imported",
                 **attributes: str) -> int:
    """Writes sentences, each a mapping with `tokens` (list of strings), `attention` [layer, head, query, key] (or high, middle1,
    middle2 and gate), and where there are any `number` (ascending, from 1), `words`, `word_of_token` (from 1; 0: special), `hidden` [layer + 1, token, d], `text`.
    Returns how many. `mog import FILE --output REC` makes the recording."""
    part = f"{os.fspath(path)}.part"
    try:
        count = _write(part, sentences, model, attributes)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)
    return count


def _strings(value: Any, what: str) -> List[str]:
    found = [str(one) for one in value] if isinstance(value, (list, tuple, np.ndarray)) else None
    if found is None:
        raise ValueError(f"{what}: expected a list of strings, found {value!r}")
    return found


def _write(path: str, sentences: Iterable[Mapping[str, Any]], model: str, attributes: Mapping[str, str]) -> int:
    count = 0
    with h5py.File(path, "w") as file:
        file.attrs["model"] = model
        for key, value in attributes.items():
            file.attrs[key] = value
        for count, sentence in enumerate(sentences, 1):
            unknown = set(sentence) - {*_ARRAYS, *_TEXTS, "word_of_token", "number"}
            if unknown or "tokens" not in sentence:
                raise ValueError(f"sentence {count}: " + (f"unknown: {', '.join(sorted(unknown))}" if unknown else "tokens are missing"))
            group = file.create_group(str(sentence.get("number", count)))
            tokens = len(sentence["tokens"])
            for name in ("tokens", "words"):
                if name in sentence:
                    group[name] = _strings(sentence[name], f"sentence {count}: {name}")
            if "text" in sentence:
                if not isinstance(sentence["text"], str):
                    raise ValueError(f"sentence {count}: text: expected a string, found {sentence['text']!r}")
                group["text"] = sentence["text"]
            if "word_of_token" in sentence:
                group["word_of_token"] = np.asarray(sentence["word_of_token"], dtype=np.int64)
            for name in _ARRAYS:
                if name in sentence:
                    values = np.asarray(sentence[name])
                    if name not in ("gate", "hidden") and values.shape[2:] != (tokens, tokens):
                        raise ValueError(f"sentence {count}: {name} has shape {values.shape}; expected [layer, head, {tokens}, {tokens}]")
                    group[name] = values
    return count
