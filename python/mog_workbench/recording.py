"""A recording: a folder of HDF5 shards (docs/recording-format.md).

Opening reads the journal and the header of one shard. A shard is opened when something of it is asked for, and values are read when they
are asked for: the cost of one value does not grow with the recording.
"""
from __future__ import annotations

import difflib
import json
import operator
import os
import pathlib
import zlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

import h5py
import numpy as np

from .selection import Selection

_OPEN_SHARDS = 16
_CHUNK_CACHE = 1 << 20  # bytes an open quantity; of HDF5 2 it is 8 MiB, which many quantities of many shards make gigabytes
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


class _OpenShard:
    """A shard's file with the tables that every read needs, each read once."""

    def __init__(self, shard: _Shard, folder: pathlib.Path):
        self.path, self._folder = shard.path, folder
        try:
            self.file = h5py.File(shard.path, "r", rdcc_nbytes=_CHUNK_CACHE)
        except OSError as error:
            raise self.damaged("cannot be opened", error) from error
        self._datasets: Dict[str, h5py.Dataset] = {}
        self._tables: Dict[str, np.ndarray] = {}
        if not np.array_equal(self.table("sentences/number"), shard.numbers):
            raise self.damaged("its sentences are not those that journal.jsonl names")

    def damaged(self, what: str, error: Optional[BaseException] = None) -> RecordingError:
        said = "" if error is None else f": {error}"
        return RecordingError(f"{self.path}: {what}{said}; `mog validate {self._folder}` says more")

    def dataset(self, path: str) -> h5py.Dataset:
        if path not in self._datasets:
            try:
                self._datasets[path] = self.file[path]
            except (KeyError, OSError) as error:
                raise self.damaged(f"/{path} cannot be read", error) from error
        return self._datasets[path]

    def read(self, path: str, where: slice = slice(None)) -> np.ndarray:
        try:
            values: np.ndarray = self.dataset(path)[where]
        except OSError as error:
            raise self.damaged(f"/{path} cannot be read", error) from error
        return values

    def table(self, path: str) -> np.ndarray:
        """All of a dataset that is small, kept."""
        if path not in self._tables:
            self._tables[path] = self.read(path)
        return self._tables[path]

    def attribute(self, path: str, name: str) -> Any:
        try:
            return self.dataset(path).attrs.get(name)
        except (KeyError, OSError) as error:
            raise self.damaged(f"the attributes of /{path} cannot be read", error) from error

    def forget(self, path: str) -> None:
        """Closes a dataset, and with it what HDF5 keeps of it."""
        self._datasets.pop(path, None)

    def offsets_of(self, name: str) -> np.ndarray:
        """Of the elements of a quantity."""
        path = self.attribute(f"quantities/{name}", "offsets")
        return self.table(path.decode() if isinstance(path, bytes) else str(path))


class Sentence:
    """One sentence of a recording."""

    def __init__(self, recording: "Recording", shard: int, row: int, number: int):
        self._recording, self._shard, self._row = recording, shard, row
        #: its place in the corpus, from 1
        self.number = number

    def __repr__(self) -> str:
        return f"<Sentence {self.number}: {self.text!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and (self._recording, self.number) == (other._recording, other.number)

    def __hash__(self) -> int:
        return hash((str(self._recording.path), self.number))

    @property
    def _open(self) -> _OpenShard:
        return self._recording._open_shard(self._shard)

    def _stretch(self, offsets: np.ndarray) -> slice:
        return slice(int(offsets[self._row]), int(offsets[self._row + 1]))

    def _bytes(self, table: str) -> bytes:
        return bytes(self._open.read(f"text/{table}", self._stretch(self._open.table(f"offsets/text/{table}"))))

    def _column(self, table: str, column: str) -> np.ndarray:
        return self._open.read(f"{table}/{column}", self._stretch(self._open.table(f"offsets/rows/{table}")))

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
        return bool(self._open.table("sentences/truncated")[self._row])

    def shape(self, name: str) -> Tuple[int, ...]:
        """Of a quantity, for this sentence."""
        quantity = self._recording.quantity(name)
        tokens = int(self._open.table("sentences/tokens")[self._row])
        target = int(self._open.table("sentences/target_tokens")[self._row])
        sizes = {"token": tokens, "query": tokens, "key": tokens, "target_token": target, "target_query": target, "target_key": target,
                 "source": tokens + 1, "context": tokens + target, "context_bias": tokens + target + 1}
        return tuple(extent if extent > 0 else sizes[axis] for axis, extent in zip(quantity.axes, quantity.extents))

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a quantity, in the order of its axes. Maps in 8 bits come as float32, their rows summing to 1."""
        shape = self.shape(name)  # a clear error first
        values = self._open.read(f"quantities/{name}", self._stretch(self._open.offsets_of(name))).reshape(shape)
        return _decoded(values, self._open.attribute(f"quantities/{name}", "root_step"))

    def __iter__(self) -> Iterator[str]:
        """The names of its quantities."""
        return iter(self._recording.names)

    def __contains__(self, name: object) -> bool:
        return name in self._recording

    def keys(self) -> Tuple[str, ...]:
        return self._recording.names


def _decoded(values: np.ndarray, step: Optional[float]) -> np.ndarray:
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
        self._open: "OrderedDict[int, _OpenShard]" = OrderedDict()
        self._check_manifest()
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

    def _check_manifest(self) -> None:
        """A recording that is complete names as many sentences and shards as its manifest."""
        path = self.path / "manifest.json"
        try:
            manifest = json.loads(path.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise RecordingError(f"{path}: cannot be read: {error}; `mog validate {self.path}` says more") from error
        found = {"sentences": sum(len(shard.numbers) for shard in self._shards), "shards": len(self._shards)}
        said = {key: manifest.get(key, found[key]) for key in found}
        if manifest.get("complete") and said != found:
            raise RecordingError(f"{path} says {said['sentences']} sentences in {said['shards']} shards, journal.jsonl names "
                                 f"{found['sentences']} in {found['shards']}; `mog validate {self.path}` says more")

    def _read_header(self) -> Any:
        if not self._shards:
            return {}
        return json.loads(bytes(self._open_shard(0).read("header")))

    def _open_shard(self, shard: int) -> _OpenShard:
        if shard in self._open:
            self._open.move_to_end(shard)
            return self._open[shard]
        opened = _OpenShard(self._shards[shard], self.path)
        self._open[shard] = opened
        if len(self._open) > _OPEN_SHARDS:
            self._open.popitem(last=False)[1].file.close()
        return opened

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_open": OrderedDict()}

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recording) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def _whole_shards(self, name: str) -> Optional[np.ndarray]:
        """All values at one read a shard, where the shards follow the corpus and no value is decoded."""
        in_order = np.array_equal(self._place, self._place[np.lexsort((self._place[:, 1], self._place[:, 0]))])
        if not in_order or not self._shards or self.quantity(name).dtype == "uint8":
            return None
        return np.concatenate([self._open_shard(shard).read(f"quantities/{name}") for shard in range(len(self._shards))])

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].file.close()

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
            raise KeyError(no_quantity(self, name)) from None

    def __contains__(self, what: object) -> bool:
        """Whether it has this sentence, or the quantity of this name."""
        return what in self._quantities if isinstance(what, str) else super().__contains__(what)

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
        index = operator.index(key)
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path} has {len(self)} sentences; asked for index {index}")
        return self._at(index % len(self))

    def __repr__(self) -> str:
        model = self.header.get("model", {}).get("name", "?")
        return f"<Recording {self.path}: {len(self)} sentences, {len(self.names)} quantities of {model}>"


def no_quantity(recording: Recording, name: str) -> str:
    near = difflib.get_close_matches(name, recording.names, 3, 0.5) or list(recording.names[:3])
    of = f"; of its {len(recording.names)} quantities near: {', '.join(near)}" if near else "; it holds no quantities"
    cut = f"{name}.top" in recording.names
    top = "; it holds the greatest weights of each row alone (mog record --store-top-k), which are no map" if cut else ""
    return f"{recording.path} has no quantity {name!r}{of}{top}"


def open(path: Union[str, "os.PathLike[str]"]) -> Recording:
    """Opens a recording, complete or growing. Throws RecordingError."""
    return Recording(path)
