"""What to write where: the source by what it is, the format by the name of the output."""
from __future__ import annotations

import fnmatch
import os
import pathlib
import shutil
import time
from typing import Any, Dict, List, Optional, Sequence, Union

from ..recording import Recording, no_quantity
from . import arrays, tables as _tables
from .back import write_import_file
from .columns import Column, Tables, columns_of, columns_of_csv
from .exported import Exported, is_exported, load

Path = Union[str, "os.PathLike[str]"]

FORMATS = {".parquet": "Parquet", ".arrow": "Arrow", ".npz": "NPZ", ".zarr": "Zarr", ".nc": "NetCDF", ".h5": "a file for `mog import`"}


class ExportError(ValueError):
    """What cannot be asked for: an unknown format or layout, a quantity that is not there, a place that is taken."""


def _names(recording: Recording, patterns: Optional[Union[str, Sequence[str]]]) -> List[str]:
    wanted = ["*"] if patterns is None else [patterns] if isinstance(patterns, str) else list(patterns)
    wanted = [one for pattern in wanted for one in pattern.split(",")]
    for pattern in wanted:
        if pattern != "*" and not any(fnmatch.fnmatchcase(name, pattern) for name in recording.names):
            raise ExportError(no_quantity(recording, pattern))
    return [name for name in recording.names if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)]


def _metadata(kind: str, source: Path, made_by: Optional[str]) -> Dict[str, Any]:
    from .. import __version__
    return {"format": "mog-export", "version": 1, "kind": kind, "source": os.fspath(source), "made_by": made_by or "mog_workbench.export",
            "mog_workbench": __version__}


def _put(part: pathlib.Path, output: pathlib.Path) -> None:
    if part.is_dir() and output.is_dir():
        shutil.rmtree(output)
    os.replace(part, output)


def _may_replace(output: pathlib.Path, overwrite: bool) -> None:
    if not output.exists():
        return
    if not overwrite:
        raise ExportError(f"{output} is there; --overwrite replaces it")
    if output.is_dir() and not is_exported(output):
        raise ExportError(f"{output} is a folder that no export made; it is not replaced")


def export(source: Path, output: Path, quantity: Optional[Union[str, Sequence[str]]] = None, *, layout: Optional[str] = None,
           as_stored: bool = False, overwrite: bool = False, made_by: Optional[str] = None) -> Dict[str, Any]:
    """Writes a recording, a CSV table (of `mog stats`) or an exported file to `output`, whose end says the format: .parquet, .arrow,
    .npz, .zarr, .nc, or .h5, a file for `mog import`. quantity: names, * for any piece; by default all. layout of Parquet and Arrow:
    "tidy" (a row a value, the default) or "ragged" (a row a sentence); the others are ragged. as_stored: maps in 8 bits as their codes,
    with root_step, instead of as weights. Returns path, format, layout, sentences (rows of a table), quantities, size_bytes, elapsed_s.
    Throws ExportError, RecordingError, ImportError with what to install."""
    begun, target = time.monotonic(), pathlib.Path(output)
    kind = target.suffix.lower()
    if kind not in FORMATS:
        raise ExportError(f"{target}: the end of the name says the format, and this says none; known are {', '.join(FORMATS)}")
    _may_replace(target, overwrite)
    if not os.path.exists(source):
        raise ExportError(f"{os.fspath(source)}: there is no such recording or table")
    part = target.with_name(f"{target.name}.part{target.suffix}")
    try:
        facts = _export(pathlib.Path(source), part, kind, quantity, layout, as_stored, made_by)
        _put(part, target)
    finally:
        if part.is_dir():
            shutil.rmtree(part)
        elif part.exists():
            part.unlink()
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file()) if target.is_dir() else target.stat().st_size
    return {"path": os.fspath(output), "format": FORMATS[kind].lower() if kind != ".h5" else "import", **facts, "size_bytes": size,
            "elapsed_s": round(time.monotonic() - begun, 3)}


def _write_arrays(kind: str, part: pathlib.Path, columns: List[Column], metadata: Dict[str, Any]) -> None:
    {".npz": arrays.write_npz, ".zarr": arrays.write_zarr, ".nc": arrays.write_netcdf}[kind](part, columns, metadata)


def _export(source: pathlib.Path, part: pathlib.Path, kind: str, quantity: Optional[Union[str, Sequence[str]]], layout: Optional[str],
            as_stored: bool, made_by: Optional[str]) -> Dict[str, Any]:
    tabular = kind in (".parquet", ".arrow")
    if layout not in (None, "tidy", "ragged"):
        raise ExportError(f"--layout {layout}: allowed are tidy and ragged")
    if layout == "tidy" and not tabular:
        raise ExportError("--layout tidy is of .parquet and .arrow; arrays are ragged")
    if source.suffix.lower() == ".csv":
        if quantity is not None or layout is not None or as_stored:
            raise ExportError("--quantity, --layout and --as-stored belong to recordings; a table is taken as it is")
        if kind == ".h5":
            raise ExportError(f"{source}: a table holds no attention; `mog import` needs that of a recording")
        columns = columns_of_csv(os.fspath(source))
        metadata = _metadata("table", source, made_by)
        if tabular:
            _tables.write_columns(part, columns, metadata)
        else:
            _write_arrays(kind, part, columns, metadata)
        return {"layout": "table", "rows": columns[0].length, "columns": len(columns)}
    if is_exported(source):
        if kind != ".h5" or quantity is not None or layout is not None or as_stored:
            raise ExportError(f"{source}: of an exported file this makes a file for `mog import` (-o F.h5), and takes no more options")
        with load(source) as exported:
            return {"layout": "import", "sentences": write_import_file(part, exported), "quantities": len(exported.names)}
    with Recording(source) as recording:
        names = _names(recording, quantity)
        if kind == ".h5":
            if quantity is not None or as_stored or layout is not None:
                raise ExportError("--quantity, --layout and --as-stored do not belong to files for `mog import`: they hold attention and gates")
            return {"layout": "import", "sentences": write_import_file(part, Exported.of_recording(recording)), "quantities": len(names)}
        tables = Tables(recording, as_stored)
        metadata = {**_metadata("recording", source, made_by), "recording": recording.header}
        if not tabular:
            _write_arrays(kind, part, columns_of(tables, names), metadata)
        elif layout == "ragged":
            _tables.write_ragged(part, tables, names, metadata)
        elif not names:
            raise ExportError(f"{source} holds no quantities; --layout ragged writes its sentences")
        else:
            _tables.write_tidy(part, tables, names, {**metadata, "tidy": True})
        return {"layout": (layout or "tidy") if tabular else "ragged", "sentences": len(recording), "quantities": len(names)}
