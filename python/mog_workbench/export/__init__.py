"""Quantities and tables in the files of other programs: Parquet, Arrow, NPZ, Zarr, NetCDF, and files for `mog import`.

    from mog_workbench.export import export
    export("corpus.rec", "gates.parquet", "encoder.*.gate.mean")

What is written is read block by block (64 MiB), so memory does not grow with the recording; only where sentences begin is held,
8 bytes a sentence. The libraries of the formats do the writing; one that is missing is named.
"""
from .exported import Exported, load
from .front import ExportError, export

__all__ = ["ExportError", "Exported", "export", "load"]
