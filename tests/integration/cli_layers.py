"""Weights take their memory once, and `--layers-in-memory N` runs a model of which N layers are held: the same values to the last bit,
whatever N and however many batches run at once; less memory; refused where all layers are needed; files that change are named.

Usage: cli_layers.py MOG MODELS STACKS
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np

    import gguf_files as gguf
    from random_llama import write_model
except ImportError:
    h5py = None

MOG = os.path.abspath(sys.argv[1])
MODELS, STACKS = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
TOKENIZER = STACKS / "llama" / "tokenizer.json"
SMALL = {"hidden": 64, "inner": 96, "layers": 5, "heads": 4, "groups": 2, "vocabulary": 1200}
MEGA = 1 << 20


def values_of(recording):
    """Every dataset of the shards but the header, which has the command: type, shape, bytes."""
    found = {}
    for path in sorted(recording.glob("shard-*.h5")):
        with h5py.File(path) as file:
            file.visititems(lambda name, item: found.update({(path.name, name): (str(item.dtype), item.shape, item[()].tobytes())})
                            if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and not item[()].tobytes().startswith(b'{"model"') else None)
    return found


class Layers(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.text = STACKS / "llama" / "corpus.txt"

    def record(self, model, name, *options):
        output = self.folder / name
        self.run_well("record", "-m", model, "-i", self.text, "-o", output, "--overwrite", "--capture", "attention,hidden,summary", "-q", *options)
        return output

    def same(self, model, *options):
        """With every number of layers, in small batches one after the other and at once."""
        whole = values_of(self.record(model, "whole", "--threads", 1, "--batch-tokens", 40, *options))
        self.assertGreater(len(whole), 3)
        for held, threads in ((1, 1), (1, 3), (2, 1), (2, 3), (4, 2), (9, 2)):
            name = f"held-{held}-{threads}"
            part = self.record(model, name, "--layers-in-memory", held, "--threads", threads, "--batch-tokens", 40, *options)
            self.assertEqual(values_of(part), whole, name)
            self.run_well("validate", part)
            shutil.rmtree(part)
        shutil.rmtree(self.folder / "whole")

    def test_shards_of_another_program(self):
        for dtype in ("bfloat16", "float32"):
            model = self.folder / dtype
            write_model(model, TOKENIZER, dtype, shards=3, **SMALL)
            for precision in ("float32", "bfloat16"):
                with self.subTest(dtype=dtype, precision=precision):
                    self.same(model, "--precision", precision)

    def test_families(self):
        """Joined and changed tensors (GPT-2, Phi 3), vectors of distances (DeBERTa), windows, norms of queries, and our own folder."""
        for name in ("gpt2", "phi3", "deberta-v3", "gemma3", "modernbert"):
            with self.subTest(name):
                self.text = STACKS / name / "corpus.txt"
                self.same(STACKS / name)
        own = self.folder / "own"
        self.run_well("convert", STACKS / "llama", "-o", own, "--store", "int8", "-q")
        self.text = STACKS / "llama" / "corpus.txt"
        self.same(own)

    def test_blocks_and_pickles(self):
        """Quantised GGUF is unpacked layer by layer, a state dict of PyTorch is read where it lies."""
        model = self.folder / "blocks.gguf"
        model.write_bytes(gguf.quantised_llama(STACKS / "llama", layers=4, inner=1280)[0])
        for precision in ("float32", "bfloat16"):
            with self.subTest(precision):
                self.same(model, "--precision", precision)
        for name in ("xlm-roberta-bin", "torch-pre", "torch-post"):
            with self.subTest(name):
                folder = STACKS.parent / "encoders" / name
                self.text = folder / "corpus.txt"
                self.same(next(folder.glob("*.pt"), folder))
        # What is unpacked whole has the way out in the message.
        self.expect(2, "mog convert", "record", "-m", STACKS.parent / "encoders" / "ct2-int8", "-i", self.text, "-o", self.folder / "c",
                    "--layers-in-memory", 1)

    def test_commands(self):
        llama = STACKS / "llama"
        for command in (("stats", "-m", llama, "-i", self.text, "--quantity", "attention.entropy", "--bootstrap", 0, "--json"),
                        ("evaluate", llama, "--perplexity", self.text, "--bootstrap", 0, "--json")):
            whole = self.run_mog(*command)
            part = self.run_mog(*command, "--layers-in-memory", 1)
            self.assertEqual(part.returncode, whole.returncode, part.stderr)
            self.assertEqual([line for line in part.stdout.splitlines() if b"second" not in line and b"command" not in line],
                             [line for line in whole.stdout.splitlines() if b"second" not in line and b"command" not in line])

    def test_empty_lines_without_a_token(self):
        """Of a tokenizer that puts nothing around a text an empty line has no token, and keeps its place."""
        text = self.write("gaps.txt", "a b\n\nc d e\n\n\n")
        for captured in ("attention,hidden,summary", "orders"):
            self.run_well("record", "-m", STACKS / "gpt2-bytes", "-i", text, "-o", self.folder / "gaps", "--overwrite", "-q", "--capture", captured,
                          "--batch-tokens", 4)
            self.run_well("validate", self.folder / "gaps")
        described = self.run_well("describe", self.folder / "gaps", "--json")
        self.assertEqual(json.loads(described)["sentences"], 5)

    def test_what_needs_all_layers(self):
        llama = STACKS / "llama"
        held = ("--layers-in-memory", 1)
        self.expect(2, "decomposing the encoder exactly: it needs all layers in memory", "record", "-m", llama, "-i", self.text,
                    "-o", self.folder / "checked", "--capture", "none", "--check", *held)
        self.expect(2, "products in 8 bits are compared", "record", "-m", llama, "-i", self.text, "-o", self.folder / "c", "--precision",
                    "int8", *held)
        graph = next(path for path in sorted(MODELS.iterdir()) if path.name == "half_weight_gate")
        self.expect(2, "this model has a decoder", "record", "-m", graph, "-i", self.write("t", "w1 w2"), "-o", self.folder / "c", *held)
        self.expect(2, "patching: it needs all layers in memory", "patch", STACKS / "gpt2", "--clean", "a b", "--corrupt", "a c", *held)
        self.expect(2, "commands that run a model", "tokenize", llama, "-i", self.text, *held)

    def peak(self, *arguments):
        """Greatest memory of a run in bytes, the pages of its libraries too."""
        program = "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; " \
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"
        ended = subprocess.run([sys.executable, "-c", program, MOG, *map(str, arguments)], capture_output=True, timeout=600)
        self.assertEqual(ended.returncode, 0, ended.stderr.decode())
        return int(ended.stdout) * 1024

    def test_memory(self):
        """Weights of 150 MB as bfloat16, most of them in layers: differences between runs, as libraries take the same in all."""
        if "asan" in MOG or "tsan" in MOG:
            skip("sanitizers have memory of their own")
        large, small = self.folder / "large", self.folder / "small"
        sizes = {"hidden": 768, "inner": 3072, "heads": 12, "groups": 12, "vocabulary": 1200, "shards": 2}
        weights = write_model(large, TOKENIZER, "bfloat16", layers=8, **sizes)
        write_model(small, TOKENIZER, "bfloat16", layers=1, **sizes)
        layers = weights * 7 / 8 * 0.98  # what the one has more than the other, at least
        self.text = self.write("short.txt", "a b\n")

        def run(model, *options):
            return self.peak("record", "-m", model, "-i", self.text, "-o", self.folder / "r", "--overwrite", "--capture", "summary", "-q",
                             "--threads", 1, *options)
        base = run(small, "--precision", "bfloat16")
        whole = run(large, "--precision", "bfloat16")
        streamed = run(large, "--precision", "bfloat16", "--layers-in-memory", 2)
        self.assertGreater(whole - base, 0.8 * layers)  # they are there
        self.assertLess(whole - base, 1.25 * layers + 16 * MEGA)  # once
        self.assertLess(streamed - base, 0.5 * layers)
        quantised = self.folder / "quantised.gguf"
        file, _, _ = gguf.quantised_llama(STACKS / "llama", layers=24, inner=8192)
        quantised.write_bytes(file)
        values = 24 * (2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 8192)
        peak = run(quantised, "--precision", "bfloat16") - base
        self.assertLess(peak, 1.25 * 2 * values + 16 * MEGA)  # once: not as float32 beside it
        self.assertLess(run(quantised, "--precision", "bfloat16", "--layers-in-memory", 2) - base, 0.6 * values)
        wide = run(large)
        self.assertLess(wide - run(small), 1.15 * 2 * layers + 16 * MEGA)  # as float32, straight to their place

    def test_files_that_change(self):
        model = self.folder / "model"
        write_model(model, TOKENIZER, "float32", shards=2, **SMALL)
        shard = sorted(model.glob("*.safetensors"))[1]
        whole = shard.read_bytes()
        # Cut and damaged before it is opened.
        shard.write_bytes(whole[:-8])
        self.expect(3, shard.name, "record", "-m", model, "-i", self.text, "-o", self.folder / "r", "-q")
        shard.write_bytes(whole[:-4] + b"\xff\xff\xff\x7f")
        self.expect(3, 'tensor "lm_head.weight": element', "record", "-m", model, "-i", self.text, "-o", self.folder / "r", "-q")
        shard.write_bytes(whole)
        # Cut while layers are read again and again.
        long = self.write("long.txt", "a b c d e f g h\n" * 4000)
        run = subprocess.Popen([MOG, "record", "-m", model, "-i", long, "-o", self.folder / "cut", "--layers-in-memory", "1", "--threads", "1",
                                "--batch-tokens", "64", "--capture", "summary", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not list(self.folder.glob("cut*/*")) and run.poll() is None:
            time.sleep(0.01)  # the model is loaded when there is something
        os.truncate(shard, len(whole) - 8)
        text = run.stderr.read().decode()
        self.assertEqual(run.wait(), 3, text)
        self.assertIn('tensor "', text)
        self.assertIn("cut short or changed while it was read", text)


if __name__ == "__main__":
    if h5py is None:
        skip("h5py and numpy are not there")
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
