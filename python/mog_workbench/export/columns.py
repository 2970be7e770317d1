"""What is exported, as columns that are read block by block.

A recording becomes columns of four kinds of places: sentences, their tokens and words, and the elements of each quantity, flat, one
sentence after the other. Where a sentence begins in a flat column says its column of offsets, NAME.offset, one longer than there are
sentences; NAME.shape has the extents of its axes. A CSV table becomes its own columns.
"""
from __future__ import annotations

import csv
import itertools
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..recording import Recording, _decoded

BLOCK_BYTES = 64 << 20
_RUN = 4096  # sentences of which texts are held at once
_OPEN_QUANTITIES = 128

Block = Union[np.ndarray, List[str]]


@dataclass(frozen=True)
class Column:
    """One column. dtype None: texts, in blocks that are lists. tail: further axes with their extents."""

    name: str
    dimension: str
    length: int
    dtype: Optional[np.dtype]
    blocks: Callable[[], Iterator[Block]]
    attributes: Dict[str, Any] = field(default_factory=dict)
    tail: Tuple[Tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Run:
    """Sentences that follow each other both in the corpus and in a shard: rows [begin, end) of it."""

    shard: int
    begin: int
    end: int


def runs_of(recording: Recording) -> List[Run]:
    runs: List[Run] = []
    place = recording._place
    starts = [0, *(np.flatnonzero((np.diff(place[:, 0]) != 0) | (np.diff(place[:, 1]) != 1)) + 1), len(place)] if len(place) else [0]
    for begin, end in zip(starts, starts[1:]):
        shard, first = int(place[begin][0]), int(place[begin][1])
        for at in range(0, int(end - begin), _RUN):
            runs.append(Run(shard, first + at, first + min(at + _RUN, int(end - begin))))
    return runs


class Tables:
    """Of a recording: texts and values of runs of sentences."""

    def __init__(self, recording: Recording, as_stored: bool):
        self.recording, self.as_stored = recording, as_stored
        self.runs = runs_of(recording)
        self._recent: "OrderedDict[Tuple[int, str], None]" = OrderedDict()

    def _using(self, shard: int, name: str) -> None:
        """A quantity that is open keeps chunks in memory: those that were not used for long are closed."""
        self._recent[shard, name] = None
        self._recent.move_to_end((shard, name))
        while len(self._recent) > _OPEN_QUANTITIES:
            (old, other), _ = self._recent.popitem(last=False)
            if old in self.recording._open:
                self.recording._open[old].forget(f"quantities/{other}")

    def sizes(self, run: Run, column: str) -> np.ndarray:
        return self.recording._open_shard(run.shard).table(f"sentences/{column}")[run.begin:run.end]

    def rows(self, run: Run, table: str) -> np.ndarray:
        """Offsets of the sentences in a table of tokens or words, from 0."""
        offsets = self.recording._open_shard(run.shard).table(f"offsets/rows/{table}")[run.begin:run.end + 1].astype(np.int64)
        return offsets - offsets[0] if len(offsets) else np.zeros(1, np.int64)

    def column(self, run: Run, table: str, column: str) -> np.ndarray:
        shard = self.recording._open_shard(run.shard)
        offsets = shard.table(f"offsets/rows/{table}")
        return shard.read(f"{table}/{column}", slice(int(offsets[run.begin]), int(offsets[run.end])))

    def texts(self, run: Run) -> List[str]:
        return [text.decode() for text in self._bytes(run, "sentences")]

    def _bytes(self, run: Run, table: str) -> List[bytes]:
        shard = self.recording._open_shard(run.shard)
        offsets = shard.table(f"offsets/text/{table}")[run.begin:run.end + 1].astype(np.int64)
        whole = bytes(shard.read(f"text/{table}", slice(int(offsets[0]), int(offsets[-1]))))
        return [whole[begin - offsets[0]:end - offsets[0]] for begin, end in zip(offsets, offsets[1:])]

    def spellings(self, run: Run, table: str) -> List[str]:
        """Of all tokens or words of the run."""
        begins, ends, rows = self.column(run, table, "text_begin"), self.column(run, table, "text_end"), self.rows(run, table)
        found: List[str] = []
        for text, begin, end in zip(self._bytes(run, table), rows, rows[1:]):
            found += [text[b:e].decode() for b, e in zip(begins[begin:end], ends[begin:end])]
        return found

    def dtype(self, name: str) -> np.dtype:
        stored = np.dtype(self.recording.quantity(name).dtype)
        return np.dtype(np.float32) if stored == np.uint8 and not self.as_stored else stored

    def root_step(self, name: str) -> Dict[str, float]:
        """Of maps in 8 bits, as an attribute; of others none."""
        if not len(self.recording):
            return {}
        self._using(0, name)
        step = self.recording._open_shard(0).attribute(f"quantities/{name}", "root_step")
        return {} if step is None else {"root_step": float(step)}

    def shapes(self, run: Run, name: str) -> np.ndarray:
        """[sentence, axis]"""
        quantity = self.recording.quantity(name)
        tokens, target = self.sizes(run, "tokens").astype(np.int64), self.sizes(run, "target_tokens").astype(np.int64)
        of = {"token": tokens, "query": tokens, "key": tokens, "target_token": target, "target_query": target, "target_key": target,
              "source": tokens + 1, "context": tokens + target, "context_bias": tokens + target + 1}
        found = [np.full(len(tokens), extent) if extent > 0 else of[axis] for axis, extent in zip(quantity.axes, quantity.extents)]
        return np.stack(found, axis=1) if found else np.empty((len(tokens), 0), np.int64)

    def offsets(self, run: Run, name: str) -> np.ndarray:
        self._using(run.shard, name)
        return self.recording._open_shard(run.shard).offsets_of(name)[run.begin:run.end + 1].astype(np.int64)

    def values(self, run: Run, name: str, first: int = 0, last: Optional[int] = None) -> np.ndarray:
        """Flat, of the sentences [first, last) of the run. Maps in 8 bits as weights, their rows divided by their sums, or as stored."""
        shard = self.recording._open_shard(run.shard)
        offsets = self.offsets(run, name)
        last = len(offsets) - 1 if last is None else last
        values = shard.read(f"quantities/{name}", slice(int(offsets[first]), int(offsets[last])))
        step = shard.attribute(f"quantities/{name}", "root_step")
        if step is None or self.as_stored:
            return values
        shapes = self.shapes(run, name)
        blocks = [_decoded(values[offsets[i] - offsets[first]:offsets[i + 1] - offsets[first]].reshape(shapes[i]), step).ravel()
                  for i in range(first, last)]
        return np.concatenate(blocks) if blocks else np.empty(0, np.float32)

    def pieces(self, run: Run, names: Sequence[str]) -> Iterator[Tuple[int, int]]:
        """Stretches of the run whose values of these quantities together fit a block; one sentence at least."""
        cost = sum((np.diff(self.offsets(run, name)) * self.dtype(name).itemsize for name in names),
                   np.zeros(run.end - run.begin, np.int64))
        begin = 0
        while begin < len(cost):
            room = np.cumsum(cost[begin:]) <= BLOCK_BYTES
            end = begin + max(1, int(np.count_nonzero(room)))
            yield begin, end
            begin = end

    def blocks(self, name: str) -> Iterator[np.ndarray]:
        for run in self.runs:
            for begin, end in self.pieces(run, [name]):
                yield self.values(run, name, begin, end)


def _joined_offsets(parts: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
    """Of lengths, block by block: 0, and where each ends."""
    total = 0
    yield np.zeros(1, np.int64)
    for lengths in parts:
        ends = total + np.cumsum(lengths, dtype=np.int64)
        total = int(ends[-1]) if len(ends) else total
        yield ends


def _lengths(offsets: Callable[[Run, str], np.ndarray], of: str, run: Run) -> np.ndarray:
    return np.diff(offsets(run, of))


def _int64(tables: Tables, table: str, column: str, run: Run) -> np.ndarray:
    return tables.column(run, table, column).astype(np.int64)


def columns_of(tables: Tables, names: Sequence[str]) -> List[Column]:
    """Sentences, tokens, words, and the quantities `names`."""
    runs, count = tables.runs, len(tables.recording)
    int64, uint8 = np.dtype(np.int64), np.dtype(np.uint8)

    def each(get: Callable[[Run], Block]) -> Callable[[], Iterator[Block]]:
        return lambda: (get(run) for run in runs)

    def offsets(lengths: Callable[[Run], np.ndarray]) -> Callable[[], Iterator[Block]]:
        return lambda: _joined_offsets(lengths(run) for run in runs)

    columns = [
        Column("sentence", "sentence", count, int64, each(lambda run: tables.sizes(run, "number").astype(np.int64)),
               {"description": "place in the corpus, from 1"}),
        Column("text", "sentence", count, None, each(tables.texts)),
        Column("truncated", "sentence", count, uint8, each(lambda run: tables.sizes(run, "truncated").astype(np.uint8)),
               {"description": "1: cut at the longest input"})]
    for table, key in (("tokens", "token"), ("words", "word"), ("target_tokens", "target_token")):
        total = sum(int(tables.rows(run, table)[-1]) for run in runs)
        if table == "target_tokens" and not total:
            continue
        columns += [Column(key, key, total, None, each(partial(tables.spellings, table=table))),
                    Column(f"{key}.offset", "boundary", count + 1, int64, offsets(partial(_lengths, tables.rows, table)))]
        if table != "words":
            columns.append(Column(f"{key}.id", key, total, int64,
                                  each(partial(_int64, tables, table, "id"))))
        if table == "tokens":
            columns.append(Column("token.word", key, total, int64,
                                  each(partial(_int64, tables, table, "word")),
                                  {"description": "of its sentence, from 0; -1: a special token"}))
    for name in names:
        quantity = tables.recording.quantity(name)
        total = sum(int(tables.offsets(run, name)[-1] - tables.offsets(run, name)[0]) for run in runs)
        attributes: Dict[str, Any] = {"units": quantity.units, "description": quantity.description, "axes": ",".join(quantity.axes)}
        if tables.as_stored:
            attributes.update(tables.root_step(name))
        columns += [Column(name, f"{name}.element", total, tables.dtype(name), partial(tables.blocks, name), attributes),
                    Column(f"{name}.offset", "boundary", count + 1, int64,
                           offsets(partial(_lengths, tables.offsets, name))),
                    Column(f"{name}.shape", "sentence", count, int64, each(partial(tables.shapes, name=name)),
                           tail=((f"{name}.axis", len(quantity.axes)),))]
    return columns


def _cell_type(text: str) -> int:
    """0: none, 1: whole number, 2: number, 3: text."""
    if not text:
        return 0
    try:
        return 1 if -2**63 <= int(text) < 2**63 and text.strip() == text and "_" not in text else 3
    except ValueError:
        pass
    try:
        float(text)
        return 3 if "_" in text or text.strip() != text else 2
    except ValueError:
        return 3


def columns_of_csv(path: str) -> List[Column]:
    """Whole numbers are int64, numbers float64 (of whole numbers with gaps, too: an empty cell is not a number), all else text."""

    def rows() -> Iterator[List[str]]:
        with open(path, newline="", encoding="utf-8-sig") as file:
            yield from csv.reader(file)

    found = rows()
    head = next(found, [])
    if not head or len(set(head)) != len(head):
        raise ValueError(f"{path}: expected a table with a row of names, each once")
    kinds, empty, count = [0] * len(head), [False] * len(head), 0
    for count, row in enumerate(found, 1):
        if len(row) != len(head):
            raise ValueError(f"{path}: row {count + 1} has {len(row)} cells; expected {len(head)}")
        kinds = [max(kind, _cell_type(cell)) for kind, cell in zip(kinds, row)]
        empty = [before or not cell for before, cell in zip(empty, row)]

    def blocks(at: int, kind: int) -> Iterator[Block]:
        body = itertools.islice(rows(), 1, None)
        while part := [row[at] for row in itertools.islice(body, 1 << 16)]:
            if kind == 3:
                yield part
            else:
                yield np.array([cell or "nan" for cell in part], np.float64) if kind == 2 else np.array(part, np.int64)

    columns = []
    for at, name in enumerate(head):
        kind = 2 if kinds[at] == 0 or (kinds[at] == 1 and empty[at]) else kinds[at]
        dtype = {1: np.dtype(np.int64), 2: np.dtype(np.float64), 3: None}[kind]
        columns.append(Column(name, "row", count, dtype, partial(blocks, at, kind)))
    return columns
