"""Libraries that a format needs, and what to type where one is missing."""
from __future__ import annotations

import importlib
import sys
from typing import Any

_PACKAGES = {"h5netcdf": "h5netcdf", "zarr": "zarr", "pyarrow": "pyarrow", "h5py": "h5py"}


def library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = _PACKAGES.get(name.partition(".")[0], name)
        raise ImportError(f"this format needs {package}: {sys.executable} -m pip install {package}", name=name) from error
