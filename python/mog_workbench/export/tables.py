"""Parquet and Arrow: tidy, a row a value, or ragged, a row a sentence with lists."""
from __future__ import annotations

import json
import pathlib
from typing import Any, Callable, Dict, Iterator, List, Sequence

import numpy as np

from ..selection import _layer
from .columns import Column, Run, Tables
from .libraries import library


def _metadata(metadata: Dict[str, Any]) -> Dict[bytes, bytes]:
    return {b"mog": json.dumps(metadata, ensure_ascii=False).encode()}


def _write(path: pathlib.Path, schema: Any, batches: Iterator[Any]) -> None:
    """Batches of one schema, as row groups of Parquet or record batches of an Arrow file."""
    pyarrow = library("pyarrow")
    if path.suffix == ".parquet" or ".parquet" in path.name:
        parquet = library("pyarrow.parquet")
        with parquet.ParquetWriter(str(path), schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
        return
    ipc = library("pyarrow.ipc")
    with pyarrow.OSFile(str(path), "wb") as sink, ipc.new_file(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _pieces(tables: Tables, names: Sequence[str]) -> Iterator[Run]:
    for run in tables.runs:
        for begin, end in tables.pieces(run, names):
            yield Run(run.shard, run.begin + begin, run.begin + end)


def write_tidy(path: pathlib.Path, tables: Tables, names: Sequence[str], metadata: Dict[str, Any]) -> None:
    """sentence, quantity, layer (0: of the whole stack), a column an axis (from 0; null where the quantity has not that axis), value.
    The type of value holds all that were stored exactly."""
    pyarrow = library("pyarrow")
    axes: List[str] = []
    for name in names:
        axes += [axis for axis in tables.recording.quantity(name).axes if axis not in axes]
    value = np.result_type(*(tables.dtype(name) for name in names))
    dictionary = pyarrow.array(list(names), pyarrow.string())
    schema = pyarrow.schema([("sentence", pyarrow.int64()), ("quantity", pyarrow.dictionary(pyarrow.int32(), pyarrow.string())),
                             ("layer", pyarrow.int32()), *((axis, pyarrow.int32()) for axis in axes),
                             ("value", pyarrow.from_numpy_dtype(value))], metadata=_metadata(metadata))

    def rows(run: Run, begin: int, end: int, code: int) -> Any:
        name = names[code]
        shapes = tables.shapes(run, name)[begin:end]
        sizes = shapes.prod(axis=1)
        values = tables.values(run, name, begin, end)
        numbers = tables.sizes(run, "number")[begin:end].astype(np.int64)
        places = np.concatenate([np.indices(shape, np.int32).reshape(len(shape), -1) for shape in shapes], axis=1)
        own = tables.recording.quantity(name).axes
        columns = [pyarrow.array(np.repeat(numbers, sizes)),
                   pyarrow.DictionaryArray.from_arrays(pyarrow.array(np.full(values.size, code, np.int32)), dictionary),
                   pyarrow.array(np.full(values.size, _layer(name), np.int32))]
        columns += [pyarrow.array(places[own.index(axis)]) if axis in own else pyarrow.nulls(values.size, pyarrow.int32()) for axis in axes]
        return pyarrow.record_batch([*columns, pyarrow.array(values.astype(value))], schema=schema)

    # A row takes some twenty times the bytes of its value: pieces of one quantity, in the order of the sentences.
    _write(path, schema, (rows(run, begin, end, code) for run in tables.runs
                          for code, name in enumerate(names) for begin, end in tables.pieces(run, [name] * 20)))


def write_ragged(path: pathlib.Path, tables: Tables, names: Sequence[str], metadata: Dict[str, Any]) -> None:
    """A row a sentence: sentence, text, truncated, tokens with ids and words, words, target_tokens; of each quantity its values as a list,
    and NAME.shape."""
    pyarrow = library("pyarrow")
    fields = [("sentence", pyarrow.int64()), ("text", pyarrow.string()), ("truncated", pyarrow.bool_())]
    for key in ("token", "word", "target_token"):
        fields.append((key, pyarrow.list_(pyarrow.string())))
        fields += [(f"{key}.id", pyarrow.list_(pyarrow.int64()))] * (key != "word")
        fields += [("token.word", pyarrow.list_(pyarrow.int64()))] * (key == "token")
    for name in names:
        fields += [(name, pyarrow.large_list(pyarrow.from_numpy_dtype(tables.dtype(name)))), (f"{name}.shape", pyarrow.list_(pyarrow.int64()))]
    described: Dict[str, Dict[str, Any]] = {}
    for name in names:
        quantity = tables.recording.quantity(name)
        described[name] = {"axes": ",".join(quantity.axes), "units": quantity.units, "description": quantity.description}
        if tables.as_stored:
            described[name].update(tables.root_step(name))
    schema = pyarrow.schema(fields, metadata=_metadata({**metadata, "columns": described}))

    def lists(offsets: np.ndarray, values: Any, large: bool = False) -> Any:
        kind, whole = (pyarrow.LargeListArray, pyarrow.int64()) if large else (pyarrow.ListArray, pyarrow.int32())
        return kind.from_arrays(pyarrow.array(offsets - offsets[0], whole), values)

    def rows(run: Run) -> Any:
        columns = [pyarrow.array(tables.sizes(run, "number").astype(np.int64)), pyarrow.array(tables.texts(run), pyarrow.string()),
                   pyarrow.array(tables.sizes(run, "truncated").astype(bool))]
        for table, key in (("tokens", "token"), ("words", "word"), ("target_tokens", "target_token")):
            offsets = tables.rows(run, table)
            columns.append(lists(offsets, pyarrow.array(tables.spellings(run, table), pyarrow.string())))
            for column in [["id", "word"], [], ["id"]][("token", "word", "target_token").index(key)]:
                columns.append(lists(offsets, pyarrow.array(tables.column(run, table, column).astype(np.int64))))
        for name in names:
            columns.append(lists(tables.offsets(run, name), pyarrow.array(tables.values(run, name)), True))
            shapes = tables.shapes(run, name)
            columns.append(lists(np.arange(len(shapes) + 1) * shapes.shape[1], pyarrow.array(shapes.ravel().astype(np.int64))))
        return pyarrow.record_batch(columns, schema=schema)

    _write(path, schema, map(rows, _pieces(tables, names)))


def write_columns(path: pathlib.Path, columns: Sequence[Column], metadata: Dict[str, Any]) -> None:
    """Of a CSV table: its columns, all of one length. Of whole numbers with gaps a gap is not a number."""
    pyarrow = library("pyarrow")
    types: List[Any] = [pyarrow.string() if column.dtype is None else pyarrow.from_numpy_dtype(column.dtype) for column in columns]
    schema = pyarrow.schema(list(zip((column.name for column in columns), types)), metadata=_metadata(metadata))
    blocks: List[Callable[[], Iterator[Any]]] = [column.blocks for column in columns]
    _write(path, schema, (pyarrow.record_batch([pyarrow.array(block, kind) for block, kind in zip(parts, types)], schema=schema)
                          for parts in zip(*(get() for get in blocks))))
