"""A recording: a folder of HDF5 shards (docs/recording-format.md).

Opening reads the journal and the header of one shard. A shard is opened when something of it is asked for, and values are read when they
are asked for: the cost of one value does not grow with the recording.
"""
from __future__ import annotations

import json
import os
import pathlib
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union, overload

import h5py
import numpy as np

from .selection import Selection

_OPEN_SHARDS = 16
_MAJOR = 1


class RecordingError(Exception):
    """What is not a recording, or is damaged: the file, what was expected, what was found."""


@dataclass(frozen=True)
class Quantity:
    """What a quantity is, as the recording says. extents: 0 where the sentence decides."""

    name: str
    axes: Tuple[str, ...]
    extents: Tuple[int, ...]
    dtype: str
    units: str
    description: str


@dataclass(frozen=True)
class _Shard:
    path: pathlib.Path
    numbers: np.ndarray  # of its sentences, ascending: the order of its rows


def _journal(folder: pathlib.Path) -> List[_Shard]:
    """The shards that are whole. A last line that was being written when the program was killed does not count."""
    path = folder / "journal.jsonl"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordingError(f"{folder}: no recording: {path.name} cannot be read ({error.strerror})") from error
    lines = data.split(b"\n")
    complete, rest = lines[:-1], lines[-1]
    shards = []
    for at, line in enumerate(complete):
        last = at == len(complete) - 1 and not rest
        head, sum_, middle = line[:10], line[10:18], line[18:29]
        record = line[29:-1]
        whole = head == b'{"crc32":"' and middle == b'","record":' and line.endswith(b"}")
        if not whole or f"{zlib.crc32(record):08x}".encode() != sum_:
            if last:
                break
            raise RecordingError(f"{path}: line {at + 1} is damaged; `mog validate` says more")
        content = json.loads(record)
        if content["type"] == "begin":
            if content.get("format") != "mog-recording" or int(content["version"].split(".")[0]) != _MAJOR:
                raise RecordingError(f"{path}: expected a recording of version {_MAJOR}, found {content.get('format')} "
                                     f"{content.get('version')}")
        elif content["type"] == "shard":
            ranges = [np.arange(first, end + 1) for first, end in content["numbers"]]
            shards.append(_Shard(folder / content["file"], np.concatenate(ranges) if ranges else np.empty(0, int)))
    return shards


class Sentence:
    """One sentence of a recording."""

    def __init__(self, recording: "Recording", shard: int, row: int, number: int):
        self._recording, self._shard, self._row = recording, shard, row
        #: its place in the corpus, from 1
        self.number = number

    def __repr__(self) -> str:
        return f"<Sentence {self.number}: {self.text!r}>"

    @property
    def _file(self) -> h5py.File:
        return self._recording._file(self._shard)

    def _stretch(self, offsets: str) -> slice:
        begin, end = self._file[offsets][self._row:self._row + 2]
        return slice(int(begin), int(end))

    def _bytes(self, table: str) -> bytes:
        return bytes(self._file[f"text/{table}"][self._stretch(f"offsets/text/{table}")])

    def _column(self, table: str, column: str) -> np.ndarray:
        values: np.ndarray = self._file[f"{table}/{column}"][self._stretch(f"offsets/rows/{table}")]
        return values

    def _spellings(self, table: str) -> List[str]:
        text = self._bytes(table)
        return [text[begin:end].decode() for begin, end in zip(self._column(table, "text_begin"), self._column(table, "text_end"))]

    @property
    def text(self) -> str:
        return self._bytes("sentences").decode()

    @property
    def words(self) -> List[str]:
        return self._spellings("words")

    @property
    def tokens(self) -> List[str]:
        """As the vocabulary spells them."""
        return self._spellings("tokens")

    @property
    def token_ids(self) -> np.ndarray:
        return self._column("tokens", "id")

    @property
    def word_of_token(self) -> np.ndarray:
        """From 0; -1 for special tokens."""
        return self._column("tokens", "word")

    @property
    def target_tokens(self) -> List[str]:
        """What the decoder read; empty where none ran."""
        return self._spellings("target_tokens")

    @property
    def truncated(self) -> bool:
        return bool(self._file["sentences/truncated"][self._row])

    def shape(self, name: str) -> Tuple[int, ...]:
        """Of a quantity, for this sentence."""
        quantity = self._recording.quantity(name)
        tokens = int(self._file["sentences/tokens"][self._row])
        target = int(self._file["sentences/target_tokens"][self._row])
        sizes = {"token": tokens, "query": tokens, "key": tokens, "target_token": target, "target_query": target, "target_key": target,
                 "source": tokens + 1, "context": tokens + target, "context_bias": tokens + target + 1}
        return tuple(extent if extent > 0 else sizes[axis] for axis, extent in zip(quantity.axes, quantity.extents))

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a quantity, in the order of its axes. Maps in 8 bits come as float32, their rows summing to 1."""
        dataset = self._recording._dataset(self._shard, name)
        values: np.ndarray = dataset[self._stretch(_text(dataset.attrs["offsets"]))].reshape(self.shape(name))
        return _decoded(values, dataset)

    def __contains__(self, name: object) -> bool:
        return name in self._recording

    def keys(self) -> Tuple[str, ...]:
        return self._recording.names


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _decoded(values: np.ndarray, dataset: h5py.Dataset) -> np.ndarray:
    step = dataset.attrs.get("root_step")
    if step is None:
        return values
    weights: np.ndarray = (values.astype(np.float32) * np.float32(step)) ** 2
    sums = weights.sum(-1, keepdims=True)
    np.divide(weights, sums, out=weights, where=sums > 0)
    return weights


class Recording(Sequence[Sentence]):
    """Sentences in the order of the corpus. r[i] is the i-th from 0, r.sentence(n) that of line n of the corpus, r[name] a quantity of
    all, r["encoder.*.gate.mean"] several."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        self.path = pathlib.Path(path)
        self._shards = _journal(self.path)
        self._files: "OrderedDict[int, h5py.File]" = OrderedDict()
        numbers = [shard.numbers for shard in self._shards] or [np.empty(0, int)]
        all_numbers = np.concatenate(numbers)
        shard = np.repeat(np.arange(len(numbers)), [len(part) for part in numbers])
        row = np.concatenate([np.arange(len(part)) for part in numbers])
        order = np.argsort(all_numbers, kind="stable")
        #: places in the corpus, from 1, ascending
        self.numbers = all_numbers[order]
        self._place = np.stack([shard[order], row[order]], axis=1)
        #: model, system, provenance and quantities, as recorded
        self.header = self._read_header()
        self._quantities = {}
        for entry in self.header.get("quantities", []):
            self._quantities[entry["name"]] = Quantity(entry["name"], tuple(entry["axes"]), tuple(entry["extents"]), entry["dtype"],
                                                       entry["units"], entry["description"])

    def _read_header(self) -> Any:
        if not self._shards:
            return {}
        return json.loads(bytes(self._file(0)["header"][:]))

    def _file(self, shard: int) -> h5py.File:
        if shard in self._files:
            self._files.move_to_end(shard)
            return self._files[shard]
        path = self._shards[shard].path
        try:
            file = h5py.File(path, "r")
        except OSError as error:
            raise RecordingError(f"{path}: cannot be opened: {error}; `mog validate {self.path}` says more") from error
        self._files[shard] = file
        if len(self._files) > _OPEN_SHARDS:
            self._files.popitem(last=False)[1].close()
        return file

    def _dataset(self, shard: int, name: str) -> h5py.Dataset:
        self.quantity(name)  # a clear error
        return self._file(shard)[f"quantities/{name}"]

    def _whole_shards(self, name: str) -> Optional[np.ndarray]:
        """All values at one read a shard, where the shards follow the corpus and no value is decoded."""
        in_order = np.array_equal(self._place, self._place[np.lexsort((self._place[:, 1], self._place[:, 0]))])
        if not in_order or not self._shards or self.quantity(name).dtype == "uint8":
            return None
        return np.concatenate([self._dataset(shard, name)[:] for shard in range(len(self._shards))])

    def close(self) -> None:
        while self._files:
            self._files.popitem()[1].close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def complete(self) -> bool:
        """Whether the run that made it has ended."""
        return (self.path / "recording.h5").exists()

    @property
    def names(self) -> Tuple[str, ...]:
        """Of its quantities."""
        return tuple(self._quantities)

    def quantity(self, name: str) -> Quantity:
        try:
            return self._quantities[name]
        except KeyError:
            raise KeyError(f"{self.path} has no quantity {name!r}; it has {', '.join(self._quantities) or 'none'}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._quantities

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Sentence]:
        return (self[i] for i in range(len(self)))

    def _at(self, index: int) -> Sentence:
        shard, row = self._place[index]
        return Sentence(self, int(shard), int(row), int(self.numbers[index]))

    def sentence(self, number: int) -> Sentence:
        """By its place in the corpus, from 1."""
        index = int(np.searchsorted(self.numbers, number))
        if index == len(self) or self.numbers[index] != number:
            raise KeyError(f"{self.path} has no sentence {number}")
        return self._at(index)

    @overload
    def __getitem__(self, key: int) -> Sentence: ...
    @overload
    def __getitem__(self, key: slice) -> List[Sentence]: ...
    @overload
    def __getitem__(self, key: str) -> Selection: ...
    def __getitem__(self, key: Union[int, slice, str]) -> Union[Sentence, List[Sentence], Selection]:
        if isinstance(key, str):
            return Selection(self, key)
        if isinstance(key, slice):
            return [self._at(i) for i in range(*key.indices(len(self)))]
        index = int(key)
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path} has {len(self)} sentences; asked for index {index}")
        return self._at(index % len(self))

    def __repr__(self) -> str:
        model = self.header.get("model", {}).get("name", "?")
        return f"<Recording {self.path}: {len(self)} sentences, {len(self.names)} quantities of {model}>"


def open(path: Union[str, "os.PathLike[str]"]) -> Recording:
    """Opens a recording, complete or growing. Throws RecordingError."""
    return Recording(path)
