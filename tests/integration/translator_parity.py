"""Encoder-decoders of Hugging Face folders: every state, map and score of the decoder, and what is translated, of `mog`
against what transformers computed (tests/data/translators, made by make_translator_models.py), for the folders as they
are and for converted copies.

Usage: translator_parity.py MOG DATA [NAME…]       needs h5py; exit code 77 (skipped) without it or without the engine
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mog_cli import require_engine
from parity import TOLERANCE, h5py, np, worst

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def mog(*command):
    device = () if command[0] == "convert" else ("--device", "cpu")
    result = subprocess.run([MOG, *map(str, command + device)], capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stderr}"
    return result.stdout


def compare(recording, expected):
    greatest = 0.0
    with h5py.File(recording / "recording.h5") as file:
        tokens = {side: (np.asarray(file[side]["id"]), 0) for side in ("tokens", "target_tokens")}

        def check(name, row, values):
            nonlocal greatest
            stored = file[f"quantities/{name}"]
            begin, end = file[stored.attrs["offsets"]][row:row + 2]
            greatest = max(greatest, worst(stored[begin:end].reshape(values.shape), values))

        for row in range(sum(key.endswith("_source") for key in expected)):
            of = lambda what: expected[f"{row + 1}_{what}"]
            for side, what in (("tokens", "source"), ("target_tokens", "target")):
                ids, at = tokens[side]
                assert np.array_equal(ids[at:at + len(of(what))], of(what)), (side, row, ids[at:at + len(of(what))], of(what))
                tokens[side] = ids, at + len(of(what))
            for layer, state in enumerate(of("states")):
                check(f"decoder.{layer}.output" if layer else "decoder.1.input", row, state)
            check("decoder.output", row, of("final"))
            for layer, (own, cross) in enumerate(zip(of("self"), of("cross"), strict=True), 1):
                check(f"decoder.{layer}.self.attention", row, own)
                check(f"decoder.{layer}.cross.attention", row, cross)
            if f"{row + 1}_logits" in expected:
                check("decoder.logits", row, of("logits"))
        assert all(len(ids) == at for ids, at in tokens.values()), "more tokens than expected"
    return greatest


def same_search(model, folder, found):
    begins = ["--begins", found["begins"]] if found["begins"] else []
    for kind, beam in (("greedy", 1), ("beam", 3)):
        lines = mog("translate", model, folder / "corpus.txt", "--json", "--beam", beam, "--n-best", beam, "--max-tokens", 10,
                    "--length-penalty", 0.7, *begins).splitlines()
        for line, sentence in zip(lines, found["sentences"], strict=True):
            line = json.loads(line)
            for own, other in zip(line.get("n_best", [line]), sentence[kind], strict=True):
                assert own["ids"] == other["ids"], (model.name, kind, own, other)
                if "<row_" not in own["translation"]:  # a row without a token
                    assert own["translation"] == other["text"], (model.name, kind, own, other)
                assert abs(own["score"] - other["score"]) < 1e-4, (model.name, kind, own, other)


def unknown_is_no_language(folder, out):
    """What stands for an unknown word is a word, and nothing to begin with."""
    refused = subprocess.run([MOG, "translate", folder, folder / "corpus.txt", "--begins", "<unk>"], capture_output=True, text=True)
    assert refused.returncode == 2 and "the target vocabulary has no" in refused.stderr, refused
    source, target = out / "source.txt", out / "target.txt"
    source.write_text((folder / "corpus.txt").read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    target.write_text("<unk> a\n", encoding="utf-8")
    links = mog("align", folder, "--source", source, "--target", target, "--from", "cross-attention").split()
    assert [link.split("-")[1] for link in links] == ["0", "1"], links


require_engine(MOG)
names = sys.argv[3:] or sorted(path.name for path in DATA.iterdir() if (path / "expected.npz").exists())
assert names, f"{DATA} has no models"
failed = []
with tempfile.TemporaryDirectory() as temporary:
    for name in names:
        folder, out = DATA / name, pathlib.Path(temporary) / name
        with np.load(folder / "expected.npz") as file:
            expected = dict(file)
        found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
        mog("convert", folder, "--output", out / "converted")
        greatest = 0.0
        for model in (folder, out / "converted"):
            recording = out / f"{model.name}.rec"
            mog("record", "--model", model, "--input", folder / "corpus.txt", "--target", folder / "target.txt", "--output", recording,
                "--capture", "attention,hidden", "--quantity", "decoder.1.input,decoder.logits", "--store", "float32")
            greatest = max(greatest, compare(recording, expected))
            same_search(model, folder, found)
        if name != "bart":  # its bytes spell every word, <unk> too
            unknown_is_no_language(folder, out)
        # Contributions sum to what they are parts of, ALTI+ to 1.
        for precision in ("float32", "float64"):
            mog("record", "--model", folder, "--input", folder / "corpus.txt", "--target", folder / "target.txt", "--output",
                out / f"{precision}.rec", "--capture", "none", "--check", "--precision", precision)
        print(f"{name}: greatest difference {greatest:.2e}")
        if not greatest <= TOLERANCE:
            failed.append(name)
sys.exit(f"above {TOLERANCE}: {', '.join(failed)}" if failed else 0)
