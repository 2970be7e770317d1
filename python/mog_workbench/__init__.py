"""Recordings of MoG Workbench as NumPy arrays, and its programs as functions.

    import mog_workbench as mog
    r = mog.open("corpus.rec")
    r[0].words                          # of the first sentence
    r[0]["encoder.3.gate"]              # its values, [token, d_model]
    r["encoder.*.gate.mean"].to_pandas()
"""
from .imports import write_import
from .programs import Figure, MogError, figure, record, run, trees
from .recording import Recording, RecordingError, Sentence, open
from .selection import Selection

__version__ = "0.1.0"
__all__ = ["Figure", "MogError", "Recording", "RecordingError", "Selection", "Sentence", "figure", "open", "record", "run", "trees",
           "write_import"]
