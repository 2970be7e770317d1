"""What the command-line tests share."""
import os
import pathlib
import sys


def skip(reason):
    print("SKIPPED:", reason)
    sys.exit(77)


def shared_dir(given=None):
    """The larger shared data: $MOG_SHARED_DIR, the argument, or ../shared beside the source tree."""
    set_to = os.environ.get("MOG_SHARED_DIR") or given
    if set_to:
        return pathlib.Path(set_to)
    return pathlib.Path(__file__).resolve().parents[2].parent / "shared"
