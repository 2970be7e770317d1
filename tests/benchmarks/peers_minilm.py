"""What the benchmarks on a BERT-type model share: the model in Hugging Face's eager form, and two peers in Python.

- record_groups: maps and hidden states, batches of 32 in corpus order, one HDF5 group a sentence
- propagate: what every token gives to every token through all layers, as DecompX publishes it: [token, source, d]
  tensors layer by layer, an einsum over heads, biases as a source of their own (docs: shared/design/decomposition.md §5)
"""
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import time

import h5py
import torch
from transformers import AutoModel, AutoTokenizer


def load(folder):
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    return model, AutoTokenizer.from_pretrained(folder)


def token_ids(tokenizer, sentences):
    return [tokenizer(sentence, truncation=False)["input_ids"] for sentence in sentences]


@torch.no_grad()
def record_groups(model, ids, path, autocast=False):
    with h5py.File(path, "w") as file:
        for start in range(0, len(ids), 32):
            part = ids[start:start + 32]
            longest = max(map(len, part))
            block = torch.zeros(len(part), longest, dtype=torch.long)
            mask = torch.zeros(len(part), longest, dtype=torch.long)
            for row, sentence in enumerate(part):
                block[row, :len(sentence)] = torch.tensor(sentence)
                mask[row, :len(sentence)] = 1
            with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                out = model(block, attention_mask=mask, output_attentions=True, output_hidden_states=True)
            maps = torch.stack(out.attentions).float().numpy()
            hidden = torch.stack(out.hidden_states).float().numpy()
            for row, sentence in enumerate(part):
                t = len(sentence)
                group = file.create_group(f"sentence{start + row}")
                group["attention"] = maps[:, row, :, :t, :t]
                group["hidden"] = hidden[:, row, :t]


def frozen(norm, before, parts):
    """The norm's linear part: its scale is that of `before` [token, d]; parts [token, source, d]."""
    scale = (before.var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt().unsqueeze(-2)
    return (parts - parts.mean(-1, keepdim=True)) * norm.weight / scale


@torch.no_grad()
def propagate(model, ids):
    """ids of one sentence -> norms [layer, token, source], projection shares of the output [token, source]."""
    out = model(torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
    embedding = out.hidden_states[0][0]
    tokens, d = embedding.shape
    parts = torch.zeros(tokens, tokens + 1, d)
    parts[torch.arange(tokens), torch.arange(tokens)] = embedding
    norms = []
    for number, layer in enumerate(model.encoder.layer):
        x, pattern = out.hidden_states[number][0], out.attentions[number][0]
        heads, attention = pattern.shape[0], layer.attention
        value = parts @ attention.self.value.weight.T
        value[:, tokens] += attention.self.value.bias
        value = value.view(tokens, tokens + 1, heads, d // heads)
        by_head = attention.output.dense.weight.view(d, heads, d // heads)
        given = torch.einsum("jkhv,dhv->hjkd", value, by_head)
        attended = torch.einsum("hij,hjkd->hikd", pattern, given).sum(0)
        attended[:, tokens] += attention.output.dense.bias
        own = attention.self.value(x).view(tokens, heads, d // heads).transpose(0, 1)
        before = x + attention.output.dense((pattern @ own).transpose(0, 1).reshape(tokens, d))
        parts = frozen(attention.output.LayerNorm, before, parts + attended)
        parts[:, tokens] += attention.output.LayerNorm.bias
        state = attention.output.LayerNorm(before)
        inner = layer.intermediate.dense(state)
        slope = 0.5 * torch.erfc(-inner / math.sqrt(2))
        wide = parts @ layer.intermediate.dense.weight.T
        wide[:, tokens] += layer.intermediate.dense.bias
        fed = (wide * slope.unsqueeze(1)) @ layer.output.dense.weight.T
        fed[:, tokens] += layer.output.dense.bias
        before = state + layer.output.dense(slope * inner)
        parts = frozen(layer.output.LayerNorm, before, parts + fed)
        parts[:, tokens] += layer.output.LayerNorm.bias
        norms.append(parts.norm(dim=-1))
    output = out.last_hidden_state[0]
    shares = (parts * output.unsqueeze(1)).sum(-1) / output.square().sum(-1, keepdim=True)
    return torch.stack(norms), shares


def ours(mog, model, corpus, output, threads, *options):
    """One recording: its report with `cpu_s`, the processor time of the whole process, start-up included."""
    shutil.rmtree(output, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([mog, "record", "--model", str(model), "--input", str(corpus), "--output", str(output),
                             "--threads", str(threads), "--device", "cpu", "--json", "--quiet", *map(str, options)],
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(result.args)}: {result.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(result.stdout)
    report["cpu_s"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report


def timed(function, *arguments):
    wall, cpu = time.perf_counter(), time.process_time()
    function(*arguments)
    return {"elapsed_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}


def summary(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def product_rate(dtype=torch.float32, size=2048):
    """Products of square matrices, billions of operations a CPU second, one thread: of MKL or oneDNN, the faster."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    a = torch.randn(size, size).to(dtype)
    best = 0.0
    with torch.inference_mode():
        for product in (torch.nn.functional.linear,
                        lambda x, w: torch.ops.mkldnn._linear_pointwise(x, w, None, "none", [], "")):
            product(a, a)
            for _ in range(3):
                begin = time.process_time()
                product(a, a)
                best = max(best, 2 * size ** 3 / (time.process_time() - begin) / 1e9)
    torch.set_num_threads(threads)
    return best


def environment():
    flags = next((line for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("flags")), "")
    return {"cores": os.cpu_count(), "load_average": os.getloadavg(), "amx": "amx_bf16" in flags,
            "avx512_bf16": "avx512_bf16" in flags, "torch": torch.__version__}
