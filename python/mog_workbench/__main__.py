"""python3 -m mog_workbench export: what `mog export` runs."""
from __future__ import annotations

import argparse
import json
import errno
import shlex
import sys
from typing import List, Optional


def _options(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mog_workbench")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write quantities and tables as Parquet, Arrow, NPZ, Zarr, NetCDF or a file for mog import")
    export.add_argument("source", help="a recording, a CSV table of `mog stats`, or an exported file")
    export.add_argument("-o", "--output", required=True, help="F.parquet, F.arrow, F.npz, F.zarr, F.nc; F.h5: for `mog import`")
    export.add_argument("--quantity", action="append", help="names, commas between, * for any piece")
    export.add_argument("--layout", help="of Parquet and Arrow: tidy, a row a value, or ragged, a row a sentence")
    export.add_argument("--as-stored", action="store_true", help="maps in 8 bits as codes, with root_step")
    export.add_argument("--overwrite", action="store_true", help="replace what is there")
    export.add_argument("--json", action="store_true")
    export.add_argument("--quiet", "-q", action="store_true")
    return parser.parse_args(arguments)


def _fail(given: argparse.Namespace, message: str, code: int) -> int:
    print(f"mog: export: {message}", file=sys.stderr)
    if given.json:
        kind = {2: "usage", 3: "format", 4: "no_space", 130: "interrupted"}.get(code, "other")
        print(json.dumps({"error": {"kind": kind, "exit_code": code, "message": f"export: {message}"}}, ensure_ascii=False))
    return code


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def main(arguments: Optional[List[str]] = None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    given = _options(words)
    from .export import ExportError, export
    from .recording import RecordingError
    try:
        facts = export(given.source, given.output, given.quantity, layout=given.layout, as_stored=given.as_stored, overwrite=given.overwrite,
                       made_by="mog " + shlex.join(words))
    except ExportError as error:
        return _fail(given, str(error), 2)
    except (RecordingError, UnicodeDecodeError, ValueError) as error:
        return _fail(given, str(error), 3)
    except ImportError as error:
        return _fail(given, str(error), 1)
    except OSError as error:
        return _fail(given, str(error), 4 if error.errno in (errno.ENOSPC, errno.EDQUOT) else 1)
    except KeyboardInterrupt:
        return _fail(given, "interrupted; nothing was written", 130)
    if given.json:
        print(json.dumps(facts, ensure_ascii=False, indent=2))
    elif not given.quiet:
        what = f"{facts['rows']:,} rows, {facts['columns']} columns" if "rows" in facts else \
            f"{facts['sentences']:,} sentences, {facts['quantities']} quantities"
        print(f"wrote {facts['path']}: {what}, {facts['layout']}, {_size(facts['size_bytes'])}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
