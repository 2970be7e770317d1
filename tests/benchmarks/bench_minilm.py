#!/usr/bin/env python3
"""Recording a pretrained model over 1,000 real sentences: ours and Hugging Face eager with h5py; and what the
covariance shares of the logit terms cost beside recording maps.

Ours:  mog record --capture attention,hidden (float32, and bfloat16), --capture attention, --quantity …covariance
Peer:  the same weights in transformers, eager, batches of 32 in corpus order, one HDF5 group a sentence
       (float32, and bfloat16 autocast)
Rounds are interleaved; the first is dropped. Ratios of the rounds: by the clock, and of processor time. The maps of
some sentences are compared: float32 within 1e-3 (kept as float16). One JSON document on stdout.

    python3 tests/benchmarks/bench_minilm.py --mog build/bin/mog --model all-MiniLM-L6-v2 --corpus news.en [--rounds 5]

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

COVARIANCE = "encoder.*.full.logit_terms.covariance,encoder.*.full.logit_terms.covariance_heads"


def compare(recording, model, ids):
    worst = 0.0
    with h5py.File(recording / "recording.h5") as file:
        order = np.argsort(file["sentences/number"][:])
        for number in range(0, len(ids), 97):
            with torch.no_grad():
                maps = model(torch.tensor([ids[number]]), output_attentions=True).attentions
            row = int(order[number])
            for layer, expected in enumerate(maps, start=1):
                values = file[f"quantities/encoder.{layer}.full.attention"]
                begin, end = file[values.attrs["offsets"]][row:row + 2]
                found = values[begin:end].astype(np.float32)
                worst = max(worst, float(np.abs(found - expected[0].numpy().ravel()).max()))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mog", default="build/bin/mog")
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    lines = [line.strip() for line in arguments.corpus.read_text(encoding="utf-8").splitlines() if line.strip()]
    model, tokenizer = peers.load(arguments.model)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        sentences = [line for line in lines if len(line.split()) <= 200][:arguments.sentences]
        (work / "corpus.txt").write_text("".join(line + "\n" for line in sentences), encoding="utf-8")
        ids = peers.token_ids(tokenizer, sentences)

        def run(*options):
            return lambda: peers.ours(arguments.mog, arguments.model, work / "corpus.txt", work / "ours", arguments.threads,
                                      *options)

        contenders = {
            "ours": run("--capture", "attention,hidden"),
            "peer": lambda: peers.timed(peers.record_groups, model, ids, work / "peer.h5"),
            "ours_bfloat16": run("--capture", "attention,hidden", "--precision", "bfloat16"),
            "peer_bfloat16": lambda: peers.timed(peers.record_groups, model, ids, work / "peer.h5", True),
            "maps": run("--capture", "attention"),
            "covariance": run("--capture", "none", "--quantity", COVARIANCE),
            "nine_terms": run("--capture", "none", "--quantity",
                              COVARIANCE + ",encoder.*.full.separate_terms.covariance"),
            "nothing": run("--capture", "none"),
        }
        times = {name: [] for name in contenders}
        worst = None
        for round_ in range(arguments.rounds + 1):
            for name, contender in contenders.items():
                found = contender()
                if name == "ours" and worst is None:
                    worst = compare(work / "ours", model, ids)
                if round_ > 0:
                    times[name].append(found)

        def ratio(upper, lower, key="elapsed_s"):
            return peers.summary([u[key] / l[key] for u, l in zip(times[upper], times[lower])])

        print(json.dumps({
            "benchmark": "minilm", "sentences": len(ids), "mean_tokens": sum(map(len, ids)) / len(ids),
            "threads": arguments.threads, **peers.environment(),
            "product_rate": {"float32": peers.product_rate(), "bfloat16": peers.product_rate(torch.bfloat16)},
            "sentences_per_second": {name: peers.summary([len(ids) / one["elapsed_s"] for one in found])
                                     for name, found in times.items()},
            "cpu_seconds": {name: peers.summary([one["cpu_s"] for one in found]) for name, found in times.items()},
            "ratio_float32": ratio("peer", "ours"), "ratio_float32_cpu": ratio("peer", "ours", "cpu_s"),
            "ratio_bfloat16": ratio("peer", "ours_bfloat16"),
            "ratio_bfloat16_cpu": ratio("peer", "ours_bfloat16", "cpu_s"),
            "ratio_bfloat16_to_bfloat16": ratio("peer_bfloat16", "ours_bfloat16"),
            "covariance_to_maps": ratio("covariance", "maps"),
            "covariance_to_maps_cpu": ratio("covariance", "maps", "cpu_s"),
            "nine_terms_to_maps": ratio("nine_terms", "maps"),
            "nine_terms_to_maps_cpu": ratio("nine_terms", "maps", "cpu_s"),
            "greatest_difference": worst,
            "limits": {"ratio_float32": 2.8, "ratio_bfloat16": "4.5 where the processor has AMX",
                       "covariance_to_maps": 1.5},
        }, indent=1))
        if worst > 1e-3:
            raise SystemExit(f"the results disagree: {worst}")


if __name__ == "__main__":
    main()
