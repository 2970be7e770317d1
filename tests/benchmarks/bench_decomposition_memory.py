#!/usr/bin/env python3
"""Greatest memory of `mog record` where maps of the literature and shares are computed for sentences of 512 tokens with
a model of BERT-base size (12 layers, 768, 12 heads, 30,522 words; random weights). One run a group of quantities; JSON
on stdout; above the limit of 2 GB it fails.

    python3 tests/benchmarks/bench_decomposition_memory.py --mog build/bin/mog [--tokens 512] [--sentences 3]

Needs torch, transformers.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import torch
from transformers import BertConfig, BertModel

LIMIT_MB = 2048
GROUPS = {
    "nothing": "",
    "maps of the literature": "encoder.*.kobayashi,encoder.*.mixing_ratio,encoder.*.globenc,encoder.*.alti,encoder.*.rollout",
    "their products": "encoder.*.alti.product,encoder.*.globenc.product,encoder.*.rollout.product",
    "covariance shares": "encoder.*.full.logit_terms.covariance,encoder.*.full.separate_terms.covariance",
    "Aumann-Shapley shares": "encoder.*.full.aumann_shapley.share,encoder.*.full.aumann_shapley.absolute_share",
    "leave-out": "encoder.*.full.logit_terms.leave_out",
    "pseudo-gates": "encoder.*.pseudo_gate.projection,encoder.*.pseudo_gate.fine",
    "splits": "encoder.*.split.norm,encoder.*.carried.cosine",
}


def make_model(folder):
    torch.manual_seed(1)
    config = BertConfig(vocab_size=30522)
    model = BertModel(config, add_pooling_layer=False)
    model.save_pretrained(folder)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + [f"w{i}" for i in range(config.vocab_size - 5)]
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in words), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True, "tokenizer_class": "BertTokenizer"}))


def peak_mb(command):
    """Greatest resident memory of one process and its seconds."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {errors}")
    return usage.ru_maxrss / 1024, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mog", default="build/bin/mog")
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--sentences", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", help="one group")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        make_model(work / "base")
        size = arguments.tokens - 2  # and [CLS], [SEP]
        lines = [" ".join(f"w{(31 * i + 7 * number) % 30000}" for i in range(size)) for number in range(arguments.sentences)]
        (work / "corpus.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        found = {}
        for name, quantities in GROUPS.items():
            if arguments.only and name != arguments.only:
                continue
            chosen = ["--quantity", quantities] if quantities else []
            peak, seconds = peak_mb([arguments.mog, "record", "--model", work / "base", "--input", work / "corpus.txt", "--output",
                                     work / f"out{len(found)}", "--capture", "none", *chosen, "--threads",
                                     str(arguments.threads), "--device", "cpu", "--quiet"])
            found[name] = {"peak_mb": round(peak), "elapsed_s": round(seconds, 1)}
        print(json.dumps({"benchmark": "decomposition_memory", "tokens": arguments.tokens, "sentences": arguments.sentences,
                          "threads": arguments.threads, "groups": found, "limit_mb": LIMIT_MB}, indent=1))
        worst = max(entry["peak_mb"] for entry in found.values())
        if worst > LIMIT_MB:
            raise SystemExit(f"{worst} MB are above the limit")


if __name__ == "__main__":
    main()
