"""Starts the programs that a wheel brings, with the LibTorch that this Python has."""
from __future__ import annotations

import importlib.util
import os
import pathlib
import sys
from typing import Dict

_HERE = pathlib.Path(__file__).resolve().parent


def environment() -> Dict[str, str]:
    """This process's; with MOG_TORCH where torch is installed, but not beside this package, where the engine looks itself."""
    found = dict(os.environ)
    if found.get("MOG_TORCH") or (_HERE.parent / "torch/lib/libtorch_cpu.so").exists():
        return found
    try:
        torch = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        torch = None
    if torch is not None and torch.origin is not None:
        folder = pathlib.Path(torch.origin).parent / "lib"
        if (folder / "libtorch_cpu.so").exists():
            found["MOG_TORCH"] = str(folder)
    return found


def _start(name: str) -> None:
    program = _HERE / "bin" / name
    try:
        os.execve(program, [str(program), *sys.argv[1:]], environment())
    except OSError as error:
        sys.exit(f"{name}: {program} cannot be started: {error.strerror}")


def mog() -> None:
    _start("mog")


def mog_workbench() -> None:
    _start("mog-workbench")
