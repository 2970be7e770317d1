#!/usr/bin/env python3
"""Full token propagation of a pretrained model: ours and the straightforward Python of DecompX (peers_minilm.py), on
real sentences of one length. One thread each, interleaved, the first round dropped; processor time, ours less that of
a run on one word (start-up, reading the weights).

Norms of every token by source and layer, and projection shares of the output, of every sentence are compared: within
1e-4 of the largest. `operations` is what the four products a layer need at least (propagation.h); `floor_s` the time
of that at the rate of the faster library's large products on this machine: no float32 program is faster.

    python3 tests/benchmarks/bench_propagation.py --mog build/bin/mog --model all-MiniLM-L6-v2 --corpus news.en

Needs torch, transformers, h5py.
"""
import argparse
import json
import pathlib
import tempfile

import h5py
import numpy as np
import torch

import peers_minilm as peers


def compare(recording, results):
    """results: [sentence] of the peer."""
    worst = 0.0
    with h5py.File(recording / "recording.h5") as file:
        order = np.argsort(file["sentences/number"][:])

        def block(name, row):
            values = file[f"quantities/{name}"]
            begin, end = file[values.attrs["offsets"]][row:row + 2]
            return values[begin:end].astype(np.float64)

        for number, (norms, shares) in enumerate(results):
            row = int(order[number])
            pairs = [(block(f"encoder.{layer}.propagation.norm", row), expected)
                     for layer, expected in enumerate(norms, start=1)]
            pairs.append((block("encoder.propagation.projection", row), shares))
            for found, expected in pairs:
                expected = expected.numpy().ravel()
                worst = max(worst, float(np.abs(found - expected).max() / np.abs(expected).max()))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mog", default="build/bin/mog")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--words", type=int, default=30)
    parser.add_argument("--sentences", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    lines = arguments.corpus.read_text(encoding="utf-8").splitlines()
    sentences = [line.strip() for line in lines if len(line.split()) == arguments.words][:arguments.sentences]
    model, tokenizer = peers.load(arguments.model)
    ids = peers.token_ids(tokenizer, sentences)
    config = model.config
    layers, d, f = config.num_hidden_layers, config.hidden_size, config.intermediate_size
    operations = sum(2 * len(i) * (len(i) + 1) * (2 * d * d + 2 * d * f) for i in ids) * layers
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "corpus.txt").write_text("".join(line + "\n" for line in sentences), encoding="utf-8")

        (work / "word.txt").write_text("a\n", encoding="utf-8")

        def run(corpus):
            return peers.ours(arguments.mog, arguments.model, work / corpus, work / "ours", 1, "--capture", "none", "--store",
                              "float32", "--quantity", "encoder.*.propagation.norm,encoder.propagation.projection")

        times = {"ours": [], "peer": []}
        rates, results = [], []
        for round_ in range(arguments.rounds + 1):
            start = run("word.txt")["cpu_s"]
            found = run("corpus.txt")
            if round_ == 0:
                results = [peers.propagate(model, one) for one in ids]
                worst = compare(work / "ours", results)
                continue
            times["ours"].append(found["cpu_s"] - start)
            times["peer"].append(peers.timed(lambda: [peers.propagate(model, one) for one in ids])["cpu_s"])
            rates.append(peers.product_rate())
        rate = max(rates)
        print(json.dumps({
            "benchmark": "propagation", "sentences": len(ids), "words": arguments.words,
            "mean_tokens": sum(map(len, ids)) / len(ids), **peers.environment(),
            "cpu_seconds_a_sentence": {name: peers.summary([t / len(ids) for t in found]) for name, found in times.items()},
            "ratio": peers.summary([p / o for p, o in zip(times["peer"], times["ours"])]),
            "operations": operations / len(ids), "product_rate": rate, "floor_s": operations / rate / 1e9 / len(ids),
            "share_of_the_products": peers.summary([operations / rate / 1e9 / t for t in times["ours"]]),
            "greatest_ratio_possible": peers.summary([t / (operations / rate / 1e9) for t in times["peer"]]),
            "greatest_difference": worst, "limits": {"ratio": 20},
        }, indent=1))
        if worst > 1e-4:
            raise SystemExit(f"the results disagree: {worst}")


if __name__ == "__main__":
    main()
