"""What comparisons of recordings with transformers share. Importing it skips the test (77) without h5py or numpy."""
from mog_cli import skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"a Python package is absent ({error})")

TOLERANCE = 1e-5  # relative to max(1, |x|), float32

__all__ = ["TOLERANCE", "h5py", "np", "worst"]


def worst(found, expected):
    """Greatest difference relative to max(1, |x|); the shapes must be equal, and NaN in the same places."""
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert np.array_equal(np.isnan(found), np.isnan(expected)), "NaN in other places"
    return float(np.nanmax(np.abs(found - expected) / np.maximum(1, np.abs(expected)), initial=0.0))
