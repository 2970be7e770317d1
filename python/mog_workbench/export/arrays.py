"""Files of named arrays: NPZ, Zarr version 3, NetCDF-4. Each is written column by column, block by block."""
from __future__ import annotations

import json
import pathlib
import zipfile
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import numpy as np

from .columns import Block, Column
from .libraries import library

_CHUNK = 1 << 18  # elements of a chunk of Zarr and NetCDF


def _arrays(block: Block) -> np.ndarray:
    return block if isinstance(block, np.ndarray) else np.array(block, dtype=object)


def _of_chunks(blocks: Iterator[Block]) -> Iterator[np.ndarray]:
    """The same elements in pieces of whole chunks; so no chunk is written twice."""
    kept: List[np.ndarray] = []
    size = 0
    for block in blocks:
        kept.append(_arrays(block))
        size += len(block)
        if size >= _CHUNK:
            joined = np.concatenate(kept)
            whole = size - size % _CHUNK
            yield joined[:whole]
            kept, size = [joined[whole:]], size - whole
    if size:
        yield np.concatenate(kept)


def _checked(column: Column, written: int) -> None:
    if written != column.length:
        raise ValueError(f"{column.name}: {column.length} values were announced, {written} came")


def _member(file: zipfile.ZipFile, name: str, dtype: np.dtype, shape: Tuple[int, ...], blocks: Iterator[np.ndarray]) -> int:
    written = 0
    with file.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(
            member, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
        for block in blocks:
            member.write(np.ascontiguousarray(block, dtype=dtype).tobytes())
            written += len(block)
    return written


def write_npz(path: pathlib.Path, columns: Sequence[Column], metadata: Dict[str, Any]) -> None:
    """Texts are UTF-8 bytes, NAME.utf8, text i being those from NAME.utf8.offset[i] to NAME.utf8.offset[i + 1]; attributes and
    provenance are the member metadata.json."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        described = {column.name: {"dimension": column.dimension, **column.attributes} for column in columns}
        file.writestr("metadata.json", json.dumps({**metadata, "columns": described}, ensure_ascii=False))
        for column in columns:
            if column.dtype is not None:
                shape = (column.length, *(extent for _, extent in column.tail))
                _checked(column, _member(file, column.name, column.dtype, shape, map(_arrays, column.blocks())))
                continue
            lengths = (np.array([len(text.encode()) for text in block], np.int64) for block in column.blocks())
            offsets = np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths]))
            _checked(column, len(offsets) - 1)
            encoded = (np.frombuffer("".join(block).encode(), np.uint8) for block in column.blocks())
            _member(file, f"{column.name}.utf8", np.dtype(np.uint8), (int(offsets[-1]),), encoded)
            _member(file, f"{column.name}.utf8.offset", np.dtype(np.int64), offsets.shape, iter([offsets]))


def write_zarr(path: pathlib.Path, columns: Sequence[Column], metadata: Dict[str, Any]) -> None:
    """A group of version 3 with named dimensions, which xarray.open_zarr reads."""
    zarr = library("zarr")
    group = zarr.open_group(str(path), mode="w", zarr_format=3, attributes={"mog": metadata})
    for column in columns:
        tail = tuple(extent for _, extent in column.tail)
        names = (column.dimension, *(name for name, _ in column.tail))
        array = group.create_array(column.name, shape=(column.length, *tail), dtype=str if column.dtype is None else column.dtype,
                                   chunks=(min(_CHUNK, max(column.length, 1)), *(max(extent, 1) for extent in tail)),
                                   dimension_names=names, attributes=column.attributes)
        at = 0
        for block in _of_chunks(column.blocks()):
            array[at:at + len(block)] = block
            at += len(block)
        _checked(column, at)


def write_netcdf(path: pathlib.Path, columns: Sequence[Column], metadata: Dict[str, Any]) -> None:
    """NetCDF has no float16: such values are float32, exactly, and the attribute stored_dtype says so. A dimension without elements
    cannot be told from one without an end, so it is written as one of length 0 without an end."""
    h5netcdf = library("h5netcdf")
    h5py = library("h5py")
    with h5netcdf.File(str(path), "w") as file:
        file.attrs["mog"] = json.dumps(metadata, ensure_ascii=False)
        for column in columns:
            for name, extent in ((column.dimension, column.length), *column.tail):
                if name not in file.dimensions:
                    file.dimensions[name] = extent or None
            dtype: Any = h5py.string_dtype() if column.dtype is None else column.dtype
            if column.dtype == np.float16:
                dtype = np.dtype(np.float32)
            names = (column.dimension, *(name for name, _ in column.tail))
            chunks = (min(_CHUNK, max(column.length, 1)), *(max(extent, 1) for _, extent in column.tail))
            variable = file.create_variable(column.name, names, dtype, chunks=chunks)
            for key, value in column.attributes.items():
                variable.attrs[key] = value
            if column.dtype == np.float16:
                variable.attrs["stored_dtype"] = "float16"
            at = 0
            for block in _of_chunks(column.blocks()):
                if column.dtype is None and any("\0" in text for text in block):
                    raise ValueError(f"{column.name}: a text with a zero character; NetCDF ends texts there. Parquet, Arrow, NPZ and Zarr hold it")
                variable[at:at + len(block)] = block.astype(dtype) if column.dtype is not None else block
                at += len(block)
            _checked(column, at)
