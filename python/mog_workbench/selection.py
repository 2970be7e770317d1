"""Quantities of all sentences of a recording, and the tables of other libraries that they become."""
from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Tuple, Union

import numpy as np

if TYPE_CHECKING:
    from .recording import Quantity, Recording, Sentence


def _library(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}: pip install {name}") from error


def _layer(name: str) -> int:
    """From 1; 0: of the whole stack."""
    found = re.match(r"[^.]+\.(\d+)\.", name)
    return int(found.group(1)) if found else 0


class Selection:
    """The quantities of a recording whose names fit a pattern (* for any piece)."""

    def __init__(self, recording: "Recording", pattern: str):
        self.recording = recording
        self.names: Tuple[str, ...] = tuple(name for name in recording.names if fnmatch.fnmatchcase(name, pattern))
        if not self.names:
            from .recording import no_quantity
            raise KeyError(no_quantity(recording, pattern))

    def __repr__(self) -> str:
        return f"<{len(self.names)} quantities of {len(self.recording)} sentences: {', '.join(self.names)}>"

    def __len__(self) -> int:
        """Sentences."""
        return len(self.recording)

    def __getitem__(self, index: Union[int, slice]) -> Any:
        """Of the sentence at this index (from 0) the values; of several quantities a dict by name. Of a slice a list."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        sentence = self.recording[index]
        if len(self.names) == 1:
            return sentence[self.names[0]]
        return {name: sentence[name] for name in self.names}

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def _one(self) -> "Quantity":
        if len(self.names) != 1:
            raise ValueError(f"this is of one quantity, and {len(self.names)} fit: {', '.join(self.names)}")
        return self.recording.quantity(self.names[0])

    @property
    def values(self) -> np.ndarray:
        """Of one quantity: the values of all sentences one after the other, flat."""
        whole = self.recording._whole_shards(self._one().name)
        if whole is not None:
            return whole
        blocks = [np.ravel(block) for block in self]
        return np.concatenate(blocks) if blocks else np.empty(0)

    @property
    def offsets(self) -> np.ndarray:
        """Of one quantity: sentence i has values[offsets[i]:offsets[i + 1]]."""
        name = self._one().name
        return np.concatenate([[0], np.cumsum([int(np.prod(sentence.shape(name))) for sentence in self.recording])])

    def _columns(self) -> Dict[str, np.ndarray]:
        """Tidy: a row a value; sentence (its number), quantity, layer, the places on its axes from 0, value."""
        axes: List[str] = []
        for name in self.names:
            axes += [axis for axis in self.recording.quantity(name).axes if axis not in axes]
        columns: Dict[str, List[np.ndarray]] = {key: [] for key in ("sentence", "quantity", "layer", *axes, "value")}
        for sentence in self.recording:
            for code, name in enumerate(self.names):
                values = sentence[name]
                places = np.indices(values.shape).reshape(values.ndim, -1)
                columns["sentence"].append(np.full(values.size, sentence.number))
                columns["quantity"].append(np.full(values.size, code))
                columns["layer"].append(np.full(values.size, _layer(name)))
                own = self.recording.quantity(name).axes
                for axis in axes:
                    at = places[own.index(axis)] if axis in own else np.full(values.size, -1)
                    columns[axis].append(at)
                columns["value"].append(values.ravel())
        joined = {key: np.concatenate(blocks) if blocks else np.empty(0) for key, blocks in columns.items()}
        joined["quantity"] = np.array(self.names, dtype=object)[joined["quantity"].astype(int)]
        return joined

    def to_pandas(self) -> Any:
        """A tidy table: sentence, quantity, layer, a column an axis (from 0; -1 where the quantity has not that axis), value."""
        pandas = _library("pandas")
        columns = self._columns()
        columns["quantity"] = pandas.Categorical(columns["quantity"], categories=list(self.names))
        return pandas.DataFrame(columns)

    def to_xarray(self) -> Any:
        """A Dataset: each quantity flat over its own dimension, offsets and numbers of the sentences as coordinates."""
        xarray = _library("xarray")
        data = {}
        coordinates: Dict[str, Any] = {"sentence": ("sentence", self.recording.numbers)}
        for name in self.names:
            one = Selection(self.recording, name)
            quantity = self.recording.quantity(name)
            dimension = f"{name}.element"
            data[name] = (dimension, one.values,
                          {"units": quantity.units, "description": quantity.description, "axes": ",".join(quantity.axes)})
            coordinates[f"{name}.offset"] = ("boundary", one.offsets)
        return xarray.Dataset(data, coords=coordinates)

    def to_arrow(self) -> Any:
        """The table of to_pandas as pyarrow's; `pyarrow.parquet.write_table` keeps it."""
        pyarrow = _library("pyarrow")
        columns = self._columns()
        columns["quantity"] = pyarrow.array(columns["quantity"].tolist(), pyarrow.string()).dictionary_encode()
        return pyarrow.table(columns)

    def to_dataset(self) -> Any:
        """A Dataset of Hugging Face, a row a sentence: number, text, words, tokens, and each quantity flat with its shape."""
        datasets = _library("datasets")
        rows: Dict[str, List[Any]] = {"number": [], "text": [], "words": [], "tokens": []}
        for sentence in self.recording:
            rows["number"].append(sentence.number)
            rows["text"].append(sentence.text)
            rows["words"].append(sentence.words)
            rows["tokens"].append(sentence.tokens)
            for name in self.names:
                values = sentence[name]
                rows.setdefault(name, []).append(values.ravel())
                rows.setdefault(name + ".shape", []).append(list(values.shape))
        return datasets.Dataset.from_dict(rows)
