"""Recordings of MoG Workbench as NumPy arrays, and its programs as functions.

    import mog_workbench as mog
    r = mog.open("corpus.rec")
    r[0].words                          # of the first sentence
    r[0]["encoder.3.gate"]              # its values, [token, d_model]
    r["encoder.*.gate.mean"].to_pandas()
"""
from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .imports import write_import
    from .programs import Figure, MogError, figure, record, run, trees
    from .recording import Recording, RecordingError, Sentence, open
    from .selection import Selection

__version__ = "0.1.0"
__all__ = ["Figure", "MogError", "Recording", "RecordingError", "Selection", "Sentence", "figure", "open", "record", "run", "trees",
           "write_import"]
_MODULES = {"write_import": "imports", "Recording": "recording", "RecordingError": "recording", "Sentence": "recording",
            "open": "recording", "Selection": "selection"}


def __getattr__(name):
    """NumPy and h5py are imported with the first name that needs them: the programs of a wheel start through this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_import_module(f"{__name__}.{_MODULES.get(name, 'programs')}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
