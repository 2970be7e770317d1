"""Exact decompositions of MiniLM (all-MiniLM-L6-v2, six layers, twelve heads) against the golden values, through
`mog record --quantity --check`.

Usage: minilm_decomposition.py MOG FOLDER [SHARED_DIR]      FOLDER: the unpacked model (minilm_parity.py says whence)
Exit code 77 (skipped) without h5py, the engine, the model or the golden values. Prints the greatest error of each value, relative to the
largest entry; takes some seconds.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from mog_cli import shared_dir, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"a Python package is absent ({error})")

MOG = os.path.abspath(sys.argv[1])
GOLDEN = shared_dir(sys.argv[3] if len(sys.argv) > 3 else None) / "golden" / "decomposition" / "minilm"
HALF = {"attention", "alti_layer", "globenc_layer", "kobayashi_norm"}  # stored as float16
LAYERS = 6
KEYS = {
    "norms": "split.norm", "cos_carried": "carried.cosine", "gain_carried": "carried.gain", "attention": "full.attention",
    "cov_share": "full.logit_terms.covariance", "cov_pool": "full.logit_terms.covariance_heads",
    "cov_share9": "full.separate_terms.covariance", "leave_out_kl": "full.logit_terms.leave_out",
    "as_share": "full.aumann_shapley.share", "as_abs_share": "full.aumann_shapley.absolute_share",
    "gate_projection": "pseudo_gate.projection", "gate_proximity": "pseudo_gate.proximity",
    "gate_fine": "pseudo_gate.fine", "propagation_norm": "propagation.norm", "kobayashi_norm": "kobayashi",
    "mixing_ratio": "mixing_ratio", "globenc_layer": "globenc", "globenc": "globenc.product", "alti_layer": "alti",
    "alti": "alti.product", "rollout": "rollout.product", "order_alti_mean": "alti.tree_order_mean",
    "order_rollout_mean": "rollout.tree_order_mean", "order_alti_log2": "alti.tree_order_bins",
    "order_rollout_log2": "rollout.tree_order_bins", "walk_alti": "alti.walk_order",
}
WHOLE = {"output": "encoder.output", "propagation_projection": "encoder.propagation.projection",
         "flow_raw": "encoder.flow.raw", "terms": "encoder.3.full.logit_terms", "as_maps": "encoder.3.full.aumann_shapley"}
# A float32 run of the program behind the values is within 1e-6, of ALTI and what follows from it within 5e-6.
TOLERANCE = 1e-5


def tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    types = {"F64": np.float64, "F32": np.float32, "F16": np.float16}
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]])
            for name, entry in header.items() if name != "__metadata__"}


if not GOLDEN.is_dir():
    skip("the golden values are not there")
if not pathlib.Path(sys.argv[2]).is_dir():
    skip(f"the model is not in {sys.argv[2]} (minilm_parity.py --fetch {sys.argv[2]})")
if not os.environ.get("MOG_ENGINE") and not list(pathlib.Path(MOG).parents[1].glob("*/libmog_engine.so")):
    skip("this build has no engine")
expected = tensors(GOLDEN / "expected.safetensors")
sentences = json.loads((GOLDEN / "sentences.json").read_text())["sentences"]
names = ",".join([f"encoder.*.{name}" for name in KEYS.values()] + list(WHOLE.values()))
failed = False
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "corpus.txt").write_text("".join(sentence["text"] + "\n" for sentence in sentences), encoding="utf-8")
    for precision, store in (("float32", "float32"), ("float64", "float64")):
        output = folder / precision
        result = subprocess.run([MOG, "record", "--model", sys.argv[2], "--input", folder / "corpus.txt", "--output", output,
                                 "--quantity", names, "--precision", precision, "--store", store, "--check"],
                                capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        print(result.stdout)
        with h5py.File(output / "recording.h5") as file:
            def read(quantity, number):
                values = file[f"quantities/{quantity}"]
                begin, end = file[values.attrs["offsets"]][number:number + 2]
                return np.asarray(values[begin:end], np.float64)

            for key, quantity in {**KEYS, **WHOLE}.items():
                worst = 0.0
                for number in range(len(sentences)):
                    wanted = expected.get(f"s{number}.{key}")
                    if wanted is None:
                        continue
                    found = read(quantity, number) if key in WHOLE else np.concatenate(
                        [read(f"encoder.{layer}.{quantity}", number) for layer in range(1, LAYERS + 1)])
                    assert found.size == wanted.size, (key, found.size, wanted.size)
                    wanted = wanted.astype(np.float64)
                    worst = max(worst, float(np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))))
                allowed = 5e-4 if key in HALF else TOLERANCE
                failed = failed or worst > allowed
                print(f"{precision} {key:24} {worst:.1e}{'  TOO LARGE' if worst > allowed else ''}")
sys.exit(1 if failed else 0)
