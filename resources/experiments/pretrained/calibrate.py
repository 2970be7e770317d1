"""Pseudo-gates that only look at what parts add, beside the recorded gate of Graph-Transformers, token by token.

Usage: calibrate.py --mog MOG --work WORK --output FOLDER      WORK: with pud.txt; needs numpy, h5py, safetensors

A layer with a weight gate w makes Z = new + low, new = w * (i_h + i_m1 + i_m2), low = (1 - w) * i_l, and
F' = LN2(A + FFN(A)), A = LN1(F + Z). Layer 1 has no P and is left out. Pseudo-gates of a token, none of which sees w:

  norm        ||new|| / (||new|| + ||low||): shares of norms, as recorded (encoder.L.PART.output.share)
  projection  <new, Z> / ||Z||^2
  output      s_new / (s_new + s_low), s = <part, F'> with parts D2 D1 new, D2 D1 (F + low), D the layer norms with
              their scales frozen: the counterpart of (mid + high) / (low + mid + high) of a plain encoder
  without     ||i_h + i_m1 + i_m2|| / (that + ||i_l||): before the gate has weighed them

The recorded gate is w averaged over d_model. Two tables: rank correlations by layer, and the gate in ten bins of the
pseudo-gate, with intervals over sentences.
"""
import argparse
import csv
import pathlib
import subprocess

import h5py
import numpy as np
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[3]
SENTENCES = {"tagger-en-graph": 1000, "tagger-en-distilled": 300}
PARTS = ["high", "middle1", "middle2", "low"]
DEFINITIONS = ["norm", "projection", "output", "without"]
RESAMPLES, SEED, BINS = 200, 1, 10


def parts_of(file, layer, begin, end, weights, eps):
    """[token] of each definition, and the gate."""
    def get(name):
        data = file[f"quantities/encoder.{layer}.{name}"]
        offsets = file[data.attrs["offsets"]]
        return data[int(offsets[begin]):int(offsets[end])].reshape(-1, weights["d"])

    gate, full, z = get("gate"), get("input"), get("fused")
    h, m1, m2, low = (get(f"{part}.output") for part in PARTS)
    fresh = h + m1 + m2
    new, old = gate * fresh, (1 - gate) * low
    assert np.abs(new + old - z).max() < 1e-3 * np.abs(z).max()
    attended, fed, out = get("attended"), get("feed_forward"), get("output")
    norm = lambda v: np.linalg.norm(v, axis=1)
    dot = lambda a, b: (a * b).sum(1)

    def frozen(which, at, v):
        scale = np.sqrt(at.var(1, keepdims=True) + eps)
        return weights[f"encoder.layers.{layer - 1}.{which}_layer_norm.weight"] * (v - v.mean(1, keepdims=True)) / scale

    at_output = lambda v: frozen("ffn", attended + fed, frozen("attn", full + z, v))
    s_new, s_low = dot(at_output(new), out), dot(at_output(full + old), out)
    values = {"norm": norm(new) / (norm(new) + norm(old)), "projection": dot(new, z) / dot(z, z),
              "output": s_new / (s_new + s_low), "without": norm(fresh) / (norm(fresh) + norm(low))}
    return values, gate.mean(1)


def ranks(x):
    order = np.argsort(x, kind="stable")
    result = np.empty(len(x))
    result[order] = np.arange(len(x))
    return result


def rho(x, y):
    return np.corrcoef(ranks(x), ranks(y))[0, 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mog", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    random = np.random.default_rng(SEED)
    correlations, bins = [], []
    for model, count in SENTENCES.items():
        recording = options.work / f"parts-{model}.rec"
        if not recording.exists():
            text = (options.work / "pud.txt").read_text().splitlines()[:count]
            corpus = options.work / f"parts-{model}.txt"
            corpus.write_text("\n".join(text) + "\n")
            names = ["gate", "input", "fused", "attended", "feed_forward", "output"] + [f"{p}.output" for p in PARTS]
            subprocess.run([options.mog, "record", "--model", str(ROOT / "resources" / "models" / model), "--input", str(corpus), "--output", str(recording),
                            "--store", "float32", "--quantity", ",".join(f"encoder.*.{name}" for name in names)],
                           check=True, cwd=ROOT)
        weights = load_file(ROOT / "resources" / "models" / model / "model.safetensors")
        weights = {name: value.astype(np.float64) for name, value in weights.items() if "layer_norm" in name}
        weights["d"] = len(weights["encoder.layers.0.attn_layer_norm.weight"])
        layers = sum(name.endswith("ffn_layer_norm.weight") and name.startswith("encoder") for name in weights)
        with h5py.File(recording / "recording.h5") as file:
            words = [np.asarray(word) >= 0 for word in word_indices(file)]
            found = {}  # (definition, layer): [sentence] of (pseudo, gate)
            for layer in range(2, layers + 1):
                for begin in range(0, len(words), 50):
                    end = min(begin + 50, len(words))
                    values, gate = parts_of(file, layer, begin, end, weights, 1e-5)
                    at = 0
                    for own in words[begin:end]:
                        rows = np.flatnonzero(own) + at
                        for name in DEFINITIONS:
                            found.setdefault((name, layer), []).append((values[name][rows], gate[rows]))
                        at += len(own)
        for name in DEFINITIONS:
            for layer in range(2, layers + 1):
                pairs = found[name, layer]
                join = lambda chosen: (np.concatenate([pairs[i][0] for i in chosen]),
                                       np.concatenate([pairs[i][1] for i in chosen]))
                x, y = join(range(len(pairs)))
                drawn = [rho(*join(random.integers(0, len(pairs), len(pairs)))) for _ in range(RESAMPLES)]
                low, high = np.quantile(drawn, [0.025, 0.975])
                correlations.append([model, name, layer, len(pairs), len(x), rho(x, y), low, high, x.mean(), y.mean(),
                                     np.abs(x - y).mean()])
            pooled = [pair for layer in range(2, layers + 1) for pair in [found[name, layer]]]
            sentences = [(np.concatenate([p[i][0] for p in pooled]), np.concatenate([p[i][1] for p in pooled]))
                         for i in range(len(words))]
            x = np.concatenate([s[0] for s in sentences])
            edges = np.quantile(x, np.linspace(0, 1, BINS + 1)[1:-1])
            place = [np.searchsorted(edges, s[0], side="right") for s in sentences]
            for index in range(BINS):
                sums = np.array([[s[0][p == index].sum(), s[1][p == index].sum(), (p == index).sum()]
                                 for s, p in zip(sentences, place)])
                total = sums.sum(0)
                drawn = [sums[random.integers(0, len(sums), len(sums))].sum(0) for _ in range(RESAMPLES)]
                low, high = np.quantile([d[1] / d[2] for d in drawn if d[2]], [0.025, 0.975])
                bins.append([model, name, f"{model}, {name}", index + 1, int(total[2]), total[0] / total[2],
                             total[1] / total[2], low, high])
    write(options.output / "pretrained-calibration-ranks.csv",
          ["model", "definition", "layer", "sentences", "tokens", "rho", "low", "high", "pseudo", "gate", "difference"],
          correlations)
    write(options.output / "pretrained-calibration.csv",
          ["model", "definition", "series", "bin", "tokens", "pseudo", "gate", "gate_low", "gate_high"], bins)


def word_indices(file):
    """[sentence]: the word of each token, -1 for special ones."""
    offsets, words = file["offsets/rows/tokens"][:], file["tokens/word"][:]
    return [words[begin:end] for begin, end in zip(offsets[:-1], offsets[1:])]


def write(path, columns, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([[f"{value:.6g}" if isinstance(value, float) else value for value in row] for row in rows])


if __name__ == "__main__":
    main()
