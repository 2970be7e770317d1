#!/usr/bin/env python3
"""One training step of the bundled tagger: ours against the same model in eager PyTorch.

The peer is the Graph-Transformer (or plain) encoder of the configuration written as usual in PyTorch: padded
batches, one mask, autograd, torch.optim.Adam, clip_grad_norm_. Both sides train on the same batches of real
sentences from the same weights, on one thread. First the losses of five steps without dropout are compared
(a difference above 1e-3 fails), then timed rounds with dropout alternate; the first of each side is dropped.
Time is that of the processor on one thread; with --device cuda that of the clock, on one graphics card, float32
products on both sides.
One JSON document on stdout; `ratio` is the peer's time over ours: above 1 ours is faster.

    python3 tests/benchmarks/bench_training.py --steps build/bin/bench_training_steps \
        --config resources/experiments/tagger-en-graph.toml --data DATA [--rounds 5] [--updates 20]
        [--device cuda]

Needs torch and safetensors.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from safetensors.torch import load_file  # noqa: E402


class Attention(torch.nn.Module):
    def __init__(self, weights, base, heads):
        super().__init__()
        self.heads = heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            weight = weights[f"{base}.{name}.weight"]
            linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
            linear.weight.data.copy_(weight)
            linear.bias.data.copy_(weights[f"{base}.{name}.bias"])
            setattr(self, name, linear)

    def forward(self, query, memory, mask):
        def split(x):
            batch, tokens, width = x.shape
            return x.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)

        q, k, v = split(self.q_proj(query)), split(self.k_proj(memory)), split(self.v_proj(memory))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        maps = scores.masked_fill(mask, float("-inf")).softmax(-1)
        context = (maps @ v).transpose(1, 2)
        return self.out_proj(context.reshape(context.shape[0], context.shape[1], -1))


def linear_of(weights, base):
    weight = weights[base + ".weight"]
    linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
    linear.weight.data.copy_(weight)
    linear.bias.data.copy_(weights[base + ".bias"])
    return linear


class Layer(torch.nn.Module):
    def __init__(self, weights, base, config):
        super().__init__()
        self.graph = config["kind"] == "graph_transformer"
        heads = config["heads"]
        if self.graph:
            for part in ("high", "middle1", "middle2"):
                setattr(self, part, Attention(weights, f"{base}.{part}", heads))
            self.low = linear_of(weights, f"{base}.low")
            self.gate_new = linear_of(weights, f"{base}.gate.new")
            self.gate_low = linear_of(weights, f"{base}.gate.low")
        else:
            self.self_attn = Attention(weights, f"{base}.self_attn", heads)
        self.fc1, self.fc2 = linear_of(weights, f"{base}.fc1"), linear_of(weights, f"{base}.fc2")
        d = config["d_model"]
        self.attn_norm = torch.nn.LayerNorm(d, config["layer_norm_eps"])
        self.ffn_norm = torch.nn.LayerNorm(d, config["layer_norm_eps"])

    def feed_forward(self, a, dropout):
        hidden = F.dropout(self.fc2(F.relu(self.fc1(a))), dropout)
        return self.ffn_norm(a + hidden)

    def forward(self, previous, incremental, mask, dropout):
        if not self.graph:
            x = incremental
            a = self.attn_norm(x + F.dropout(self.self_attn(x, x, mask), dropout))
            return None, self.feed_forward(a, dropout)
        full = previous + incremental
        new = (self.high(incremental, incremental, mask) + self.middle1(incremental, previous, mask)
               + self.middle2(previous, incremental, mask))
        low = self.low(previous)
        gate = torch.sigmoid(self.gate_new(new) + self.gate_low(low))
        z = new * gate + low * (1 - gate)
        a = self.attn_norm(full + F.dropout(z, dropout))
        out = self.feed_forward(a, dropout)
        return full, out - full


class Tagger(torch.nn.Module):
    def __init__(self, weights, model):
        super().__init__()
        config = model["encoder"]
        self.d = config["d_model"]
        self.pad = model["pad_id"]
        self.embedding = torch.nn.Embedding.from_pretrained(
            weights["encoder.embed_tokens.weight"].clone(), freeze=False, padding_idx=self.pad)
        self.layers = torch.nn.ModuleList(
            [Layer(weights, f"encoder.layers.{i}", config) for i in range(config["layers"])])
        self.heads = torch.nn.ModuleDict({task: linear_of(weights, f"heads.{task}") for task in model["tasks"]})

    def positions(self, tokens):
        half = self.d // 2
        where = self.embedding.weight.device
        rates = torch.exp(torch.arange(half, device=where) * (-math.log(10000) / (half - 1)))
        angles = (torch.arange(tokens, device=where) + 2).unsqueeze(1) * rates
        return torch.cat([angles.sin(), angles.cos()], 1)

    def forward(self, ids, dropout):
        x = F.dropout(self.embedding(ids) * math.sqrt(self.d) + self.positions(ids.shape[1]), dropout)
        mask = (ids == self.pad)[:, None, None, :]
        previous, incremental = torch.zeros_like(x), x
        for layer in self.layers:
            previous, incremental = layer(previous, incremental, mask, dropout)
        return incremental if previous is None else previous + incremental


def padded(batch, pad):
    """ids [sentence, token] and for each task labels of the same shape, -100 where there is none."""
    offsets = batch["offsets"]
    lengths = [end - begin for begin, end in zip(offsets, offsets[1:])]
    ids = torch.full((len(lengths), max(lengths)), pad)
    labels = {task: torch.full_like(ids, -100) for task in batch["labels"]}
    for row, (begin, length) in enumerate(zip(offsets, lengths)):
        ids[row, :length] = torch.tensor(batch["ids"][begin:begin + length])
        for task, values in batch["labels"].items():
            found = torch.tensor(values[begin:begin + length])
            labels[task][row, :length] = torch.where(found < 0, -100, found)
    return ids, labels


class Peer:
    def __init__(self, work, device):
        self.device = device
        self.document = json.loads((work / "batches.json").read_text())
        self.weights = load_file(str(work / "weights.safetensors"))
        pad = self.document["model"]["pad_id"]
        self.batches = [padded(batch, pad) for batch in self.document["batches"]]  # copied in every step, as ours
        self.timed = self.fresh()

    def fresh(self):
        model = Tagger(self.weights, self.document["model"]).to(self.device)
        return model, torch.optim.Adam(model.parameters(), self.document["learning_rate"], (0.9, 0.98), 1e-9)

    def step(self, model, optimiser, batch, dropout):
        ids = batch[0].to(self.device)
        labels = {task: values.to(self.device) for task, values in batch[1].items()}
        optimiser.zero_grad(set_to_none=True)
        states = model(ids, dropout)
        losses = [F.cross_entropy(head(states).flatten(0, 1), labels[task].flatten(),
                                  label_smoothing=self.document["label_smoothing"])
                  for task, head in model.heads.items()]
        loss = sum(losses) / len(losses)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), self.document["clip_norm"])
        optimiser.step()
        return loss.item()

    def compare(self):
        model, optimiser = self.fresh()
        return [self.step(model, optimiser, batch, 0.0) for batch in self.batches[:self.document["compared"]]]

    def time(self):
        started, cpu = time.perf_counter(), time.process_time()
        for batch in self.batches:
            self.step(*self.timed, batch, self.document["dropout"])
        return {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}


class Ours:
    def __init__(self, arguments, work):
        self.process = subprocess.Popen(
            [arguments.steps, arguments.config, arguments.data, str(work), str(arguments.updates),
             arguments.device],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("bench_training_steps failed")

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        ours = Ours(arguments, work)
        peer = Peer(work, arguments.device)
        losses = {"ours": ours.ask("compare")["losses"], "peer": peer.compare()}
        difference = max(abs(a - b) for a, b in zip(losses["ours"], losses["peer"]))
        rounds = []
        for number in range(arguments.rounds + 1):
            pair = {"ours": ours.ask("time"), "peer": peer.time()}
            if number > 0:
                rounds.append(pair)
        ours.process.stdin.close()
    tokens = rounds[0]["ours"]["tokens"]
    clock = "cpu_seconds" if arguments.device == "cpu" else "seconds"
    ratios = [pair["peer"][clock] / pair["ours"][clock] for pair in rounds]
    result = {
        "benchmark": f"training step, one thread, {clock}",
        "device": "cpu" if arguments.device == "cpu" else torch.cuda.get_device_name(),
        "tokens_per_round": tokens,
        "ours_tokens_per_second": spread([tokens / pair["ours"][clock] for pair in rounds]),
        "peer_tokens_per_second": spread([tokens / pair["peer"][clock] for pair in rounds]),
        "ratio": spread(ratios),
        "losses": losses,
        "largest_loss_difference": difference,
        "load": os.getloadavg(),
    }
    print(json.dumps(result, indent=1))
    if difference > 1e-3:
        sys.exit("the losses of the two sides differ")


if __name__ == "__main__":
    main()
