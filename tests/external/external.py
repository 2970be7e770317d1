"""What the comparisons with programs of others share: running mog, reading its recordings, loading authors' code, a report.

Every script compares one program on the same model and texts and prints one line of JSON: the greatest difference of each
value, relative to the greatest value, and its limit; exit code 1 where one is above, 77 where something is absent. Values
that a program defines otherwise are listed as "by definition", with the reason, and never fail. Authors' code is given by a
path (--code) and none of it is kept here.
"""
import argparse
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import types

TEXTS = [
    "The keys to the cabinet are on the table .",
    "She said that the plan which they had made would never work .",
    "In 1996 , the committee 's vote was 7 to 2 , and nobody asked why .",
    "Time flies like an arrow ; fruit flies like a banana .",
    "Go !",
]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need_files(folder, *names):
    """Skips where `folder` lacks one of these files."""
    for name in names:
        if not (folder / name).exists():
            skip(f"{folder / name} is absent")


def need_packages(*names):
    """Skips where one of these Python packages cannot be imported."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            skip(f"the Python package {name} cannot be imported ({error})")


def need_mog(mog):
    """A program without the engine runs no model: skipped. No program at all is an error: it is what is tested."""
    if not pathlib.Path(mog).is_file():
        raise SystemExit(f"{mog}: there is no such program; build mog, or name it with --mog")
    doctor = json.loads(run(mog, "doctor", "--json"))
    if not doctor["engine"]:
        skip(f"{mog} has no engine ({doctor['engine_error']})")


def arguments(description, needs=(), code=None, model=True, more=None):
    """--mog, --model FOLDER (a BERT of Hugging Face), --code PATH: what `code` says. Skips where one of them, or one of the
    Python packages that the script `needs`, is absent."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mog", default="build/bin/mog", help="the program that is compared; by default %(default)s")
    if model:
        parser.add_argument("--model", type=pathlib.Path, required=True, help="folder of a BERT encoder (MiniLM, for example)")
    if code:
        parser.add_argument("--code", type=pathlib.Path, required=True, help=code)
    if more:
        more(parser)
    options = parser.parse_args()
    if code and not options.code.exists():
        skip(f"{options.code} is absent")
    if model:
        need_files(options.model, "config.json", "model.safetensors")
        needs = ("h5py", "safetensors", "torch", "transformers", *needs)
    need_packages("numpy", *needs)
    need_mog(options.mog)
    return options


def package(name, folder):
    """A package whose own __init__ is not run: its modules are imported by themselves, from `folder`."""
    if not folder.is_dir():
        skip(f"{folder} is absent")
    stub = types.ModuleType(name)
    stub.__path__, stub.__version__ = [str(folder)], "0"
    sys.modules[name] = stub

    def load(module):
        need_files(folder, module + ".py")
        return imported(f"{name}.{module}")

    return load


def imported(module):
    """A module of authors' code; what it imports may be absent, or too new for it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        skip(f"{module} cannot be loaded with the packages that are here ({error})")


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


class Recording:
    """Quantities of `texts` as mog computes and stores them: read(name, n) is the flat block of sentence n (from 0)."""

    def __init__(self, mog, model, texts, quantities, precision="float64"):
        import h5py
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name)
        (path / "texts.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        run(mog, "record", "--model", model, "--input", path / "texts.txt", "--output", path / "rec", "--capture", "none",
            "--quantity", ",".join(quantities), "--precision", precision, "--store", precision)
        self.file = h5py.File(path / "rec" / "recording.h5")
        self.row = {int(number) - 1: row for row, number in enumerate(self.file["sentences/number"][:])}

    def read(self, name, sentence, *shape):
        values = self.file[f"quantities/{name}"]
        row = self.row[sentence]
        begin, end = self.file[values.attrs["offsets"]][row:row + 2]
        return values[int(begin):int(end)].reshape(shape)


class Report:
    """Collects differences; `finish` prints them and exits."""

    def __init__(self, program, version):
        self.line = {"program": program, "version": version, "differences": {}, "by_definition": {}}
        self.failed = False

    def compare(self, name, found, expected, limit, scale=None):
        import numpy as np
        found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        if found.shape != expected.shape:
            raise SystemExit(f"{name}: mog has {found.shape}, {self.line['program']} {expected.shape}")
        scale = scale or max(float(np.abs(expected).max()), 1e-300)
        difference = float(np.abs(found - expected).max()) / scale
        entry = self.line["differences"].setdefault(name, {"greatest": 0.0, "limit": limit})
        entry["greatest"] = difference if not difference <= entry["greatest"] else entry["greatest"]  # NaN stays
        self.failed |= not difference <= limit

    def differs(self, name, found, expected, reason):
        """A value that the other program defines otherwise."""
        import numpy as np
        found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        difference = float(np.abs(found - expected).max() / np.abs(expected).max())
        entry = self.line["by_definition"].setdefault(name, {"greatest": 0.0, "reason": reason})
        entry["greatest"] = max(entry["greatest"], difference)

    def finish(self):
        print(json.dumps(self.line))
        sys.exit(1 if self.failed else 0)


def revision(code):
    """The commit of a checkout, where it is one."""
    result = subprocess.run(["git", "-C", str(code if code.is_dir() else code.parent), "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


def float64_model(model_class, config_class, folder):
    """`model_class` of whatever code with the weights of `folder` in float64, ready to run."""
    import torch
    from safetensors.torch import load_file
    torch.set_default_dtype(torch.float64)
    config = config_class.from_json_file(str(folder / "config.json"))
    config._attn_implementation = "eager"
    model = model_class(config)
    weights = {name.removeprefix("bert."): value.double() for name, value in load_file(folder / "model.safetensors").items()}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    missing = [name for name in missing if "pooler" not in name and "position_ids" not in name]
    if missing:
        raise SystemExit(f"{folder}: weights are missing: {missing[:3]}")
    return model.eval()


def token_ids(folder, text):
    from transformers import AutoTokenizer
    return AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
