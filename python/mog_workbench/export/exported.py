"""Reading what was exported, sentence by sentence, whatever the format."""
from __future__ import annotations

import json
import pathlib
import zipfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np

from ..recording import Recording, RecordingError
from .libraries import library


def is_exported(path: Union[str, pathlib.Path]) -> bool:
    """A file or folder that export() wrote, by its name and first facts."""
    path = pathlib.Path(path)
    try:
        if path.suffix == ".zarr" and path.is_dir():
            return "mog" in json.loads((path / "zarr.json").read_bytes()).get("attributes", {})
    except (OSError, ValueError):
        return False
    return path.is_file() and path.suffix in (".npz", ".nc", ".parquet", ".arrow")


class Exported:
    """Sentences of an export, each a mapping: sentence (its number), text, truncated, token, token.id, token.word, word, target_token,
    and its quantities with their shapes. A ragged export alone has sentences."""

    def __init__(self, metadata: Dict[str, Any], names: Tuple[str, ...], read: Callable[[], Iterator[Dict[str, Any]]],
                 close: Callable[[], None] = lambda: None):
        self.metadata, self.names = metadata, names
        self._read, self._close = read, close

    def __enter__(self) -> "Exported":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self._read()

    @classmethod
    def of_recording(cls, recording: Recording) -> "Exported":
        def read() -> Iterator[Dict[str, Any]]:
            for sentence in recording:
                yield {"sentence": sentence.number, "text": sentence.text, "truncated": sentence.truncated, "token": sentence.tokens,
                       "token.id": sentence.token_ids, "token.word": sentence.word_of_token, "word": sentence.words,
                       "target_token": sentence.target_tokens, **{name: sentence[name] for name in recording.names}}
        return cls({"recording": recording.header}, recording.names, read)


def _names_of(metadata: Dict[str, Any], found: Mapping[str, Any]) -> Tuple[str, ...]:
    return tuple(name[:-len(".shape")] for name in found if name.endswith(".shape") and name[:-len(".shape")] in found)


def _ragged(metadata: Dict[str, Any], columns: Mapping[str, Callable[[int, int], Any]], names: Tuple[str, ...], count: int) -> Iterator[Dict[str, Any]]:
    """columns: a stretch of one each; those of offsets are small enough to be held."""
    offsets = {name: columns[f"{name}.offset"](0, count + 1) for name in ("token", "word", "target_token", *names)
               if f"{name}.offset" in columns}
    for i in range(count):
        sentence: Dict[str, Any] = {"sentence": int(columns["sentence"](i, i + 1)[0]), "text": str(columns["text"](i, i + 1)[0]),
                                    "truncated": bool(columns["truncated"](i, i + 1)[0]), "target_token": []}
        for key in ("token", "word", "target_token"):
            if key in offsets:
                begin, end = map(int, offsets[key][i:i + 2])
                sentence[key] = [str(one) for one in columns[key](begin, end)]
                for name in (f"{key}.id", f"{key}.word"):
                    if name in columns:
                        sentence[name] = columns[name](begin, end)
        for name in names:
            begin, end = map(int, offsets[name][i:i + 2])
            sentence[name] = np.asarray(columns[name](begin, end)).reshape(columns[f"{name}.shape"](i, i + 1)[0])
        yield sentence


def _npz(path: pathlib.Path) -> Exported:
    file = np.load(path, mmap_mode=None)
    with zipfile.ZipFile(path) as members:
        metadata = json.loads(members.read("metadata.json"))
    kept: Dict[str, np.ndarray] = {}

    def array(name: str) -> np.ndarray:
        if name not in kept:
            kept[name] = file[name]
        return kept[name]

    def column(name: str) -> Callable[[int, int], Any]:
        if name in file.files:
            return lambda begin, end: array(name)[begin:end]

        def texts(begin: int, end: int) -> List[str]:
            offsets, utf8 = array(f"{name}.utf8.offset"), array(f"{name}.utf8")
            return [bytes(utf8[offsets[i]:offsets[i + 1]]).decode() for i in range(begin, end)]
        return texts
    columns = {name: column(name) for name in metadata["columns"]}
    names = _names_of(metadata, columns)
    count = len(array("sentence")) if "sentence" in columns else 0
    return Exported(metadata, names, lambda: _ragged(metadata, columns, names, count), file.close)


def _zarr(path: pathlib.Path) -> Exported:
    group = library("zarr").open_group(str(path), mode="r")
    arrays = dict(group.arrays())
    columns = {name: (lambda begin, end, array=array: array[begin:end]) for name, array in arrays.items()}
    names = _names_of({}, columns)
    count = arrays["sentence"].shape[0] if "sentence" in arrays else 0
    return Exported(dict(group.attrs)["mog"], names, lambda: _ragged({}, columns, names, count))


def _netcdf(path: pathlib.Path) -> Exported:
    file = library("h5netcdf").File(str(path), "r", decode_vlen_strings=True)

    def column(variable: Any) -> Callable[[int, int], Any]:
        stored = variable.attrs.get("stored_dtype")
        return lambda begin, end: variable[begin:end].astype(stored) if stored else variable[begin:end]
    columns = {name: column(variable) for name, variable in file.variables.items()}
    names = _names_of({}, columns)
    count = file.variables["sentence"].shape[0] if "sentence" in columns else 0
    return Exported(json.loads(file.attrs["mog"]), names, lambda: _ragged({}, columns, names, count), file.close)


def _arrow(path: pathlib.Path) -> Exported:
    pyarrow = library("pyarrow")
    if path.suffix == ".parquet":
        file = library("pyarrow.parquet").ParquetFile(str(path))
        schema, batches = file.schema_arrow, lambda: file.iter_batches(batch_size=256)
    else:
        file = library("pyarrow.ipc").open_file(pyarrow.memory_map(str(path)))
        schema, batches = file.schema, lambda: (file.get_batch(i) for i in range(file.num_record_batches))
    metadata = json.loads((schema.metadata or {})[b"mog"])
    names = _names_of(metadata, {name: None for name in schema.names})

    def read() -> Iterator[Dict[str, Any]]:
        for batch in batches():
            for i in range(batch.num_rows):
                sentence = {key: batch.column(key)[i].as_py() for key in ("sentence", "text", "truncated", "token", "word", "target_token")}
                for key in ("token.id", "token.word", "target_token.id"):
                    sentence[key] = batch.column(key)[i].values.to_numpy(zero_copy_only=False)
                for name in names:
                    values = batch.column(name)[i].values.to_numpy(zero_copy_only=False)
                    sentence[name] = values.reshape(batch.column(f"{name}.shape")[i].as_py())
                yield sentence
    return Exported(metadata, names, read)


def load(path: Union[str, pathlib.Path]) -> Exported:
    """A ragged export. Throws RecordingError for anything else."""
    path = pathlib.Path(path)
    readers = {".npz": _npz, ".zarr": _zarr, ".nc": _netcdf, ".parquet": _arrow, ".arrow": _arrow}
    try:
        found: Optional[Exported] = readers[path.suffix](path)
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise RecordingError(f"{path}: expected a ragged export of a recording; found none ({error})") from error
    if found is None or "recording" not in found.metadata or not _is_ragged(found):
        raise RecordingError(f"{path}: expected a ragged export of a recording (--layout ragged); this is a table of values")
    return found


def _is_ragged(found: Exported) -> bool:
    return not found.metadata.get("tidy", False)
