"""`--precision int8` beside float32, on the small models of other programs: what `mog record` says that rounding changes is what two recordings
differ by, weights of a row sum to what they do in float32, and encoder, decoder and next tokens stay near.

Usage: eight_bit_parity.py MOG FOLDER…    models are the folders below; skips (77) without h5py, the engine or VNNI
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mog_cli import require_engine, skip
from parity import h5py, np

MOG = os.path.abspath(sys.argv[1])
FOLDERS = [pathlib.Path(path) for path in sys.argv[2:]]
MOST_OF_NORM = 0.15  # what an encoder or decoder gives, beside its norm
MOST_OF_MAP = 0.2    # an attention weight; those of T5 are not divided by the root of d, and move most
MOST_NATS = 0.5      # a surprisal


def mog(*command):
    result = subprocess.run([MOG, *map(str, command)], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stderr}"
    return result.stdout


def source(folder):
    files = [path for path in folder.iterdir() if path.suffix == ".pt"]
    return files[0] if files else folder


def quantities(recording):
    """(header, {name: (axes, values of all sentences)})"""
    found = {}
    with h5py.File(recording / "recording.h5") as file:
        header = json.loads(bytes(np.asarray(file["header"])))

        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                shape = [int(extent) for extent in item.attrs.get("extents", [])]
                found[name] = (shape, np.asarray(item, np.float64).ravel())
        file["quantities"].visititems(visit)
    return header, found


def of_norm(rounded, exact):
    return float(np.sqrt(np.sum((rounded - exact) ** 2) / np.sum(exact ** 2)))


def compare(name, exact_run, rounded_run, said):
    (exact_header, exact), (header, rounded) = quantities(exact_run), quantities(rounded_run)
    precisions = [one["provenance"]["precision"] for one in (exact_header, header)]
    assert precisions == ["float32", "int8"], precisions
    assert exact.keys() == rounded.keys() and exact, name
    greatest, worst = 0.0, {}
    for quantity, (_, expected) in exact.items():
        values = rounded[quantity][1]
        assert values.shape == expected.shape and np.array_equal(np.isfinite(values), np.isfinite(expected)), (name, quantity)
        known = np.isfinite(expected)
        values, expected = values[known], expected[known]
        if quantity.endswith("attention"):
            difference = float(np.max(np.abs(values - expected), initial=0.0))
            if quantity.startswith("encoder."):
                greatest = max(greatest, difference)
            worst["map"] = max(worst.get("map", 0.0), difference)
            assert abs(values.sum() - expected.sum()) <= 1e-5 * expected.sum(), (quantity, "a row's weights do not sum to 1")
        elif quantity.endswith("surprisal"):
            worst["nats"] = max(worst.get("nats", 0.0), float(np.max(np.abs(values - expected), initial=0.0)))
        elif quantity in ("encoder.output", "decoder.output"):
            worst[quantity] = of_norm(values, expected)
    assert worst["encoder.output"] > 0, "nothing was rounded"
    assert abs(said["output"] - worst["encoder.output"]) <= 1e-3 * worst["encoder.output"] + 1e-6, (name, said, worst)
    assert abs(said["attention"] - greatest) < 1e-6, (name, said, greatest)
    assert worst.get("map", 0) <= MOST_OF_MAP and worst.get("nats", 0) <= MOST_NATS, (name, worst)
    assert max(worst["encoder.output"], worst.get("decoder.output", 0)) <= MOST_OF_NORM, (name, worst)
    return worst


def main():
    require_engine(MOG)
    if not json.loads(mog("doctor", "--json"))["eight_bit_products"]:
        skip("this processor has no VNNI")
    models = sorted(path for folder in FOLDERS for path in folder.iterdir() if (path / "corpus.txt").exists())
    assert models, FOLDERS
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        for folder in models:
            name, out = f"{folder.parent.name}/{folder.name}", pathlib.Path(temporary) / folder.parent.name / folder.name
            out.mkdir(parents=True)
            model, corpus = source(folder), folder / "corpus.txt"
            described = json.loads(mog("describe", model, "--json"))
            more = []
            offered = json.dumps(described)
            if "encoder.next_token.surprisal" in offered:
                more += ["--quantity", "encoder.next_token.surprisal"]
            if "decoder.output" in offered:
                target = out / "target.txt"
                target.write_text(mog("translate", model, corpus, "--beam", 1, "--max-tokens", 8, "-q"))
                more += ["--target", target]
            said = {}
            for precision in ("float32", "int8"):
                lines = mog("record", "-m", model, "-i", corpus, "-o", out / precision, "--capture", "attention,hidden", "--store", "float32",
                            "--precision", precision, "--json", *more)
                said[precision] = json.loads(lines)
            assert "rounding" not in said["float32"] or said["float32"]["rounding"] is None, said
            try:
                worst = compare(name, out / "float32", out / "int8", said["int8"]["rounding"])
            except AssertionError as error:
                failed.append(name)
                print(f"{name}: {error}", flush=True)
                continue
            print(f"{name}: " + ", ".join(f"{key} {value:.4f}" for key, value in sorted(worst.items())), flush=True)
    sys.exit(f"{len(failed)} of {len(models)} are wrong: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
