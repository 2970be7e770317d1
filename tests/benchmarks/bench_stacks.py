#!/usr/bin/env python3
"""Today's stacks, random weights: a Llama-shaped decoder (100 M parameters, grouped heads, rotary, gated) and a ModernBERT-shaped
encoder (116 M, local and global layers), beside transformers.

record      maps and hidden states of every layer as float16: `mog record`; peer: eager, batches of 32, one HDF5 group a text
pass        nothing but the last output: `mog record --quantity`; peer: SDPA, batches of 32 sorted by length, nothing kept
statistics  entropy and greatest weight of every row by layer and length: `mog stats --model`; peer: the pass of ours

CPU seconds of one thread. Ours: the whole process, start-up and reading of weights included. Peer: from the first text on, imports
and loading left out. Rounds are interleaved, the first is dropped; ratios are of one round. One JSON document on stdout.

    python3 tests/benchmarks/bench_stacks.py --mog build/bin/mog --corpus news.en [--sentences 300] [--rounds 3] [--keep FOLDER]

Needs torch, transformers, h5py. The models are made in FOLDER (or a temporary one) from a fixed seed; the tokenizer is trained on the
corpus.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def make_models(folder, lines):
    import torch
    import transformers as t
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "</s>", "[PAD]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=8000, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    torch.manual_seed(1)
    llama = t.LlamaForCausalLM(t.LlamaConfig(
        vocab_size=8000, hidden_size=768, intermediate_size=2048, num_hidden_layers=14, num_attention_heads=12, num_key_value_heads=4,
        max_position_embeddings=8192, bos_token_id=0, eos_token_id=1))
    modern = t.ModernBertModel(t.ModernBertConfig(
        vocab_size=8000, hidden_size=768, intermediate_size=1152, num_hidden_layers=22, num_attention_heads=12,
        max_position_embeddings=8192, pad_token_id=2, bos_token_id=3, eos_token_id=4, cls_token_id=3, sep_token_id=4))
    for name, model, ends, names in [
            ("llama", llama, "<s> $A", {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "[PAD]"}),
            ("modernbert", modern, "[CLS] $A [SEP]", {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]",
                                                      "mask_token": "[MASK]"})]:
        model.save_pretrained(folder / name)
        tokenizer.post_processor = processors.TemplateProcessing(
            single=ends, special_tokens=[(token, special.index(token)) for token in special])
        t.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder / name)


def peer(mode, model_folder, corpus, output):
    """Prints the processor seconds from the first text on."""
    import h5py
    import numpy as np
    import torch
    import transformers as t

    torch.set_num_threads(1)
    tokenizer = t.AutoTokenizer.from_pretrained(model_folder)
    model = t.AutoModel.from_pretrained(model_folder, attn_implementation="sdpa" if mode == "pass" else "eager",
                                        dtype=torch.float32).eval()
    lines = pathlib.Path(corpus).read_text(encoding="utf-8").splitlines()
    begin = time.process_time()
    ids = [tokenizer(line)["input_ids"] for line in lines]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i])) if mode == "pass" else range(len(ids))
    order = list(order)
    with torch.inference_mode(), h5py.File(output, "w") as file:
        for at in range(0, len(order), 32):
            chosen = order[at:at + 32]
            longest = max(len(ids[i]) for i in chosen)
            batch = torch.full((len(chosen), longest), tokenizer.pad_token_id)
            mask = torch.zeros_like(batch)
            for row, i in enumerate(chosen):
                batch[row, :len(ids[i])] = torch.tensor(ids[i])
                mask[row, :len(ids[i])] = 1
            if mode == "pass":
                model(input_ids=batch, attention_mask=mask)
                continue
            out = model(input_ids=batch, attention_mask=mask, output_attentions=True, output_hidden_states=True)
            for row, i in enumerate(chosen):
                n = len(ids[i])
                group = file.create_group(str(i))
                group["attention"] = np.stack([a[row, :, :n, :n].half().numpy() for a in out.attentions])
                group["hidden"] = np.stack([h[row, :n].half().numpy() for h in out.hidden_states])
    print(json.dumps({"cpu_s": time.process_time() - begin, "tokens": sum(map(len, ids))}))


def cpu_seconds(command):
    process = subprocess.Popen([str(piece) for piece in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "OMP_NUM_THREADS": "1"})
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{errors}")
    return usage.ru_utime + usage.ru_stime


def peer_seconds(mode, model, corpus, output):
    done = subprocess.run([sys.executable, __file__, "--peer", mode, model, corpus, output], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(mog, model, corpus, work, rounds, layers):
    ours = {
        "record": [mog, "record", "-m", model, "--input", corpus, "--capture", "attention,hidden", "--output", work / "ours.rec"],
        "pass": [mog, "record", "-m", model, "--input", corpus, "--quantity", f"encoder.{layers}.output", "--output", work / "ours.rec"],
        "statistics": [mog, "stats", "--model", model, "--input", corpus, "--quantity", "encoder.*.full.attention.row_entropy,encoder.*.full.attention.row_max"],
    }
    common = {"record": ["--overwrite", "--threads", "1"], "pass": ["--overwrite", "--threads", "1"], "statistics": ["--threads", "1"]}
    seconds = {name: [] for name in [*ours, "peer record", "peer pass"]}
    tokens = 0
    for round_ in range(rounds + 1):
        for name, command in ours.items():
            seconds[name].append(cpu_seconds([*command, *common[name]]))
        for mode in ("record", "pass"):
            found = peer_seconds(mode, model, corpus, work / "peer.h5")
            tokens = found["tokens"]
            seconds[f"peer {mode}"].append(found["cpu_s"])
    seconds = {name: values[1:] for name, values in seconds.items()}
    ratios = {
        "record, peer / ours": [p / o for p, o in zip(seconds["peer record"], seconds["record"])],
        "pass, peer / ours": [p / o for p, o in zip(seconds["peer pass"], seconds["pass"])],
        "statistics / pass": [s / p for s, p in zip(seconds["statistics"], seconds["pass"])],
    }
    return {"tokens": tokens, "cpu_s": seconds,
            "ratios": {name: {"min": min(v), "median": statistics.median(v), "max": max(v)} for name, v in ratios.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mog", default="build/bin/mog")
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--peer", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(*arguments.peer)
        return
    if not arguments.corpus:
        parser.error("--corpus: a text, one sentence a line")
    lines = [line.strip() for line in arguments.corpus.read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        models = arguments.keep or work
        models.mkdir(parents=True, exist_ok=True)
        if not (models / "modernbert/config.json").exists():
            make_models(models, lines)
        corpus = work / "corpus.txt"
        chosen = [line for line in lines if len(line.split()) <= 200][:arguments.sentences]
        corpus.write_text("".join(line + "\n" for line in chosen), encoding="utf-8")
        print(json.dumps({name: measure(arguments.mog, models / name, corpus, work, arguments.rounds, layers)
                          for name, layers in [("llama", 14), ("modernbert", 22)]}, indent=2))


if __name__ == "__main__":
    main()
