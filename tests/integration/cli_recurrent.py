"""A GRU and an LSTM, of one direction and of two, from model directory to trees and figures, through `mog` alone; h5py
reads the recording.

Usage: cli_recurrent.py MOG GOLDEN.safetensors    (skips without the engine, numpy or h5py; bidirectional.safetensors lies
beside GOLDEN)
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from mog_cli import require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"{error}; install h5py and numpy")

MOG, GOLDEN = (os.path.abspath(path) for path in sys.argv[1:3])
CELLS = ["gru", "gru_reset", "gru_plain", "lstm"]
GATES = {"lstm": ["input_gate", "forget_gate", "candidate", "output_gate"], "gru": ["reset", "update", "candidate"]}


def mog(*arguments, stdin=None):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, input=stdin, timeout=300)


def read_safetensors(path):
    data = pathlib.Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    types = {"F32": np.float32, "F64": np.float64}
    return {name: np.frombuffer(data[8 + length:][slice(*entry["data_offsets"])],
                                types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, tensor in tensors.items():
        values = np.ascontiguousarray(tensor, np.float32)
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(body), len(body) + values.nbytes]}
        body += values.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(len(text).to_bytes(8, "little") + text + body)


def weights_of(golden, cell):
    """The reference's weights under the names of docs/model-directory.md."""
    tensors = {"encoder.embed_tokens.weight": np.vstack([np.zeros((4, 10)), golden["in.x"]])}
    for layer in range(2):
        to = f"encoder.layers.{layer}."
        if cell in GATES:
            weight, recurrent, above, before = (golden[f"in.{cell}.{name}_l{layer}"]
                                                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
            for at, gate in enumerate(GATES[cell]):
                rows = slice(12 * at, 12 * at + 12)
                apart = cell == "gru" and gate == "candidate"
                tensors[f"{to}{gate}.input.weight"] = weight[rows]
                tensors[f"{to}{gate}.input.bias"] = above[rows] if apart else above[rows] + before[rows]
                tensors[f"{to}{gate}.recurrent.weight"] = recurrent[rows]
                if apart:
                    tensors[f"{to}{gate}.recurrent.bias"] = before[rows]
        else:
            for gate, letter in (("reset", "r"), ("update", "z"), ("candidate", "")):
                for name, tensor in (("input.weight", "W"), ("input.bias", "b"), ("recurrent.weight", "U")):
                    tensors[f"{to}{gate}.{name}"] = golden[f"in.gru_reset.l{layer}.{tensor}{letter}"]
    return tensors


def weights_of_two(golden, cell):
    """Those of a bidirectional encoder of torch, 6 rows a gate and direction."""
    tensors = {"encoder.embed_tokens.weight": np.vstack([np.zeros((4, 10)), golden["in.x"]])}
    for layer in range(2):
        for ending, inside in (("", ""), ("_reverse", "backward.")):
            weight, recurrent, above, before = (golden[f"in.{cell}.{name}_l{layer}{ending}"]
                                                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
            for at, gate in enumerate(GATES["lstm" if cell == "lstm" else "gru"]):
                rows = slice(6 * at, 6 * at + 6)
                to = f"encoder.layers.{layer}.{inside}{gate}"
                apart = cell == "gru" and gate == "candidate"
                tensors[f"{to}.input.weight"] = weight[rows]
                tensors[f"{to}.input.bias"] = above[rows] if apart else above[rows] + before[rows]
                tensors[f"{to}.recurrent.weight"] = recurrent[rows]
                if apart:
                    tensors[f"{to}.recurrent.bias"] = before[rows]
    return tensors


class Recurrent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.two = read_safetensors(pathlib.Path(GOLDEN).parent / "bidirectional.safetensors")
        cls.temporary = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.temporary.name)
        cls.golden = read_safetensors(GOLDEN)
        for cell in CELLS:
            cls.write_model(cell)
        draw = random.Random(4)
        lines = ["x0 x1 x2 x3 x4 x5 x6"]
        lines += [" ".join(f"x{draw.randint(0, 6)}" for _ in range(draw.randint(1, 25))) for _ in range(40)]
        for cell in ("gru", "lstm"):
            def both(encoder):
                encoder["bidirectional"] = True
            cls.write_model(cell, f"two-{cell}", both, weights_of_two(cls.two, cell), words=15)
        cls.corpus = cls.work / "corpus.txt"
        cls.corpus.write_text("\n".join(lines) + "\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def write_model(cls, cell, name=None, change=None, weights=None, words=7):
        folder = cls.work / (name or cell)
        folder.mkdir()
        config = {"format": "mog-model", "format_version": 1, "architecture": "encoder",
                  "encoder": {"kind": "lstm" if cell == "lstm" else "gru", "layers": 2, "d_model": 12,
                              "embedding_dim": 10, "cell": cell, "position": "none", "embed_scale": False},
                  "tokenizer": {"kind": "whitespace", "lowercase": False, "vocab": "vocab.txt"},
                  "vocab_size": 4 + words, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3}
        if change:
            change(config["encoder"])
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in
                                                  ["<s>", "<pad>", "</s>", "<unk>", *(f"x{i}" for i in range(words))]))
        write_safetensors(folder / "model.safetensors", weights or weights_of(cls.golden, cell))
        return folder

    def ok(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def record(self, cell, output, capture, *more):
        self.ok(mog("record", "--model", self.work / cell, "--input", self.corpus, "--output", self.work / output,
                    "--capture", capture, "--store", "float32", "--quiet", *more))
        return self.work / output

    def near(self, found, key, complement=False):
        expected = self.golden[key]
        found = 1 - found if complement else found
        self.assertLessEqual(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))), 1e-5, key)

    def test_the_recording_holds_the_references_values(self):
        for cell in CELLS:
            recording = self.record(cell, f"all-{cell}", "all")
            with h5py.File(recording / "recording.h5") as file:
                row = int(np.flatnonzero(file["sentences/number"][:] == 1)[0])

                def values(name):
                    data = file[f"quantities/{name}"]
                    begin, end = file[data.attrs["offsets"]][row:row + 2] if "offsets" in data.attrs else (0, 8)
                    return data[begin:end].reshape(8, -1)

                keys = ({"i": "input_gate", "f": "forget_gate", "g": "candidate", "o": "output_gate", "c": "cell",
                         "h": "output"} if cell == "lstm" else {"r": "reset", "z": "gate", "n": "candidate", "h": "output"})
                for layer in range(2):
                    for key, quantity in keys.items():
                        # </s> comes last, so it changes nothing before it.
                        self.near(values(f"encoder.{layer + 1}.{quantity}")[:7], f"{cell}.l{layer}.{key}",
                                  complement=cell == "gru" and key == "z")
                    carry = values(f"encoder.{layer + 1}.recurrent.carry")
                    self.assertTrue(np.all(np.triu(carry, 1) == 0))
                    if cell != "lstm":
                        self.near(carry[:7, :7], f"{cell}.l{layer}.carry")

    def test_a_summary_is_enough_for_statistics_and_trees(self):
        for cell in ("gru_reset", "lstm"):
            recording = self.record(cell, f"summary-{cell}", "summary")
            table = self.ok(mog("stats", recording, "--quantity", "gate,share", "--by", "layer,length", "--bootstrap", 0,
                                "--output", "-"))
            self.assertIn("gate", table)
            self.assertIn("recurrent", table)
            orders = self.ok(mog("stats", recording, "--quantity", "leaves", "--by", "layer", "--bootstrap", 0, "--output", "-"))
            self.assertEqual(len(orders.splitlines()), 3, orders)  # a head line and two layers
            document = json.loads(self.ok(mog("trees", recording, "--sentence", 1, "--top", 5, "--format", "json")))
            self.assertTrue(document)
            text = self.ok(mog("trees", recording, "--sentence", 1, "--mode", "by-leaves", "--top", 3))
            self.assertIn("->", text)

    def test_figures_say_that_it_is_the_carry_weight(self):
        recording = self.record("gru", "figures", "summary,attention,gates")
        for kind, word in (("attention", "Carry weights, layer 2"), ("attention-grid", "Carry weights of every layer"),
                           ("attention-arcs", "Carry weights of at least"), ("gate", "Share of the new value")):
            output = self.work / f"{kind}.svg"
            place = ["--layer", 2] if kind in ("attention", "attention-arcs") else []
            self.ok(mog("figure", kind, recording, "--sentence", 1, *place, "--output", output))
            self.assertIn(word, output.read_text(), kind)
            for model in ("lstm", "two-gru"):  # the sentence itself, run now
                self.ok(mog("figure", kind, self.work / model, "--text", "x0 x1 x2 x3", *place, "--output", output))
                self.assertIn("text run now", output.read_text(), kind)

    def test_orders_and_resume_and_shards(self):
        whole = self.record("gru_reset", "orders", "summary,orders")
        names = self.ok(mog("stats", whole, "--quantity", "leaves", "--by", "layer", "--bootstrap", 0, "--output", "-"))
        self.assertEqual(len([line for line in names.splitlines() if ",leaves," in line]) > 0, True, names)
        for shard in ("1/2", "2/2"):
            self.record("gru_reset", f"part{shard[0]}", "summary", "--shard", shard)
        parts = self.ok(mog("stats", self.work / "part1", self.work / "part2", "--quantity", "gate", "--by", "layer",
                            "--bootstrap", 0, "--output", "-"))
        single = self.ok(mog("stats", whole, "--quantity", "gate", "--by", "layer", "--bootstrap", 0, "--output", "-"))
        self.assertEqual(len(parts.splitlines()), len(single.splitlines()))

    def test_describe_names_the_encoder(self):
        self.assertIn("GRU, 2 layers, d 12", self.ok(mog("describe", self.work / "gru")))
        text = self.ok(mog("describe", self.work / "lstm"))
        self.assertIn("LSTM, 2 layers, d 12", text)

    def test_what_does_not_fit_is_refused_by_name(self):
        def refused(code, word, name, change, weights=None):
            folder = self.write_model("gru", name, change, weights)
            result = mog("describe", folder)
            self.assertEqual(result.returncode, code, result.stderr.decode())
            self.assertIn(word, result.stderr.decode())

        refused(3, "encoder.bidirectional", "both", lambda encoder: encoder.update(bidirectional="yes"))
        refused(3, "encoder.d_model", "odd", lambda encoder: encoder.update(bidirectional=True, d_model=13))
        refused(5, "asks for [6, 10], found [12, 10]", "half", lambda encoder: encoder.update(bidirectional=True))
        refused(3, "encoder.heads", "heads", lambda encoder: encoder.update(heads=2))
        refused(3, "encoder.d_model", "nothing", lambda encoder: encoder.pop("d_model"))
        refused(5, "encoder.cell = lstm with kind = gru", "cell", lambda encoder: encoder.update(cell="lstm"))
        refused(5, "candidate.recurrent.bias", "reset", lambda encoder: encoder.update(cell="gru_reset"))
        weights = weights_of(self.golden, "gru")
        weights["encoder.layers.0.update.input.weight"] = np.zeros((12, 12))
        refused(5, "encoder.layers.0.update.input.weight", "shape", None, weights)
        result = mog("ablate", "--model", self.work / "gru", "--input", self.corpus, "--parts", "high",
                     "--output", self.work / "cut.csv")
        self.assertEqual(result.returncode, 2, result.stderr.decode())
        self.assertIn("this encoder has from layer 1 on below, recurrent, gate", result.stderr.decode())
        recording = self.record("gru", "sentences", "none")
        result = mog("trees", recording, "--sentence", 1)
        self.assertEqual(result.returncode, 2, result.stderr.decode())
        self.assertIn("encoder.1.gate.mean", result.stderr.decode())
        self.assertIn("--capture summary", result.stderr.decode())


    def test_two_directions_hold_torchs_states_and_triangular_maps(self):
        text = self.work / "seven.txt"
        text.write_text(" ".join(f"x{i}" for i in range(3, 10)) + "\n")
        for cell in ("gru", "lstm"):
            def lone(config):  # no </s>, as torch read it
                config["sentence_end"] = False
            folder = self.work / f"two-{cell}"
            config = json.loads((folder / "config.json").read_text())
            lone(config["tokenizer"])
            (folder / "config.json").write_text(json.dumps(config))
            recording = self.work / f"two-{cell}.rec"
            self.ok(mog("record", "--model", folder, "--input", text, "--output", recording, "--capture", "all",
                        "--store", "float32", "--quiet"))
            self.ok(mog("validate", recording))
            with h5py.File(recording / "recording.h5") as file:
                values = {name: data[...] for name, data in file["quantities"].items()}
            rows = slice(3, 10)
            states = self.two[f"{cell}.torch"][rows]
            found = values["encoder.output"].reshape(7, 12)
            self.assertLessEqual(np.max(np.abs(found - states)), 1e-5)
            for layer in (1, 2):
                for direction, empty in (("forward", np.triu), ("backward", np.tril)):
                    carry = values[f"encoder.{layer}.{direction}.carry"].reshape(7, 7)
                    self.assertTrue(np.all(empty(carry, 1 if direction == "forward" else -1) == 0))
                    expected = self.two[f"{cell}.l{layer - 1}.{direction}.carry.1"]
                    self.assertLessEqual(np.max(np.abs(carry - expected)), 1e-5)
            del config["tokenizer"]["sentence_end"]
            (folder / "config.json").write_text(json.dumps(config))

    def test_two_directions_go_the_same_ways(self):
        for cell in ("gru", "lstm"):
            text = self.ok(mog("describe", self.work / f"two-{cell}"))
            self.assertIn(f"bidirectional {cell.upper()}, 2 layers, d 12", text)
            recording = self.record(f"two-{cell}", f"two-summary-{cell}", "summary,orders")
            self.assertIn("bidirectional", self.ok(mog("describe", recording)))
            gates = self.ok(mog("stats", recording, "--quantity", "gate,share", "--by", "layer", "--bootstrap", 0,
                                "--output", "-"))
            for part in ("forward", "backward", "forward_recurrent", "backward_below"):
                self.assertIn(f",{part},", gates)
            joins = self.ok(mog("stats", recording, "--quantity", "joins,order", "--by", "layer", "--bootstrap", 0,
                                "--output", "-"))
            self.assertIn("forward", joins)
            both, alone = ({name: json.loads(self.ok(mog("trees", recording, "--sentence", 1, "--mode", "by-leaves", "--top", 4,
                                                         "--format", "json", *more)))}
                           for name, more in (("both", []), ("forward", ["--recurrence", "forward"])))
            self.assertNotEqual(both["both"], alone["forward"])
            for mode in ("free", "projective", "beam", "exact"):
                tree = self.ok(mog("trees", recording, "--sentence", 1, "--mode", mode, "--top", 2, "--verbose"))
                self.assertRegex(tree, "layer [12], (forward|backward)", mode)
            drawn = self.work / f"two-{cell}.svg"
            self.ok(mog("figure", "tree", recording, "--sentence", 1, "--output", drawn))
            self.ok(mog("figure", "weight-by-layer", recording, "--output", drawn))
        one = self.record("gru", "one-summary", "summary")
        result = mog("trees", one, "--sentence", 1, "--recurrence", "backward")
        self.assertEqual(result.returncode, 2)
        self.assertIn("only a bidirectional GRU or LSTM", result.stderr.decode())

    def test_figures_of_two_directions_name_them(self):
        recording = self.record("two-gru", "two-figures", "summary,attention,gates")
        for kind, more, word in (("attention", ["--layer", 2, "--part", "backward"], "Carry weights, layer 2, backward"),
                                 ("attention", ["--layer", 1], "layer 1, mean over directions"),
                                 ("attention-grid", [], "layer 2, backward"), ("gate", [], "Share of the new value"),
                                 ("attention-arcs", ["--layer", 2, "--part", "forward"], "Carry weights of at least")):
            output = self.work / f"two-{kind}.svg"
            self.ok(mog("figure", kind, recording, "--sentence", 1, *more, "--output", output))
            self.assertIn(word, output.read_text(), kind)

    def test_cuts_of_recurrent_encoders_have_effects(self):
        def rows(name, *more):
            table = self.ok(mog("ablate", "--model", self.work / name, "--input", self.corpus, "--bootstrap", 20, *more,
                                "--output", "-", "--json"))
            return [json.loads(line) for line in table.splitlines()]

        effects = {(row["layer"], row["part"]): row for row in rows("two-gru")}
        self.assertEqual(sorted(part for layer, part in effects if layer == 1),
                         ["backward", "backward_below", "backward_recurrent", "forward", "forward_below",
                          "forward_recurrent", "gate"])
        self.assertIn((2, "layer"), effects)
        self.assertEqual(effects[2, "gate"]["factor"], 0.5)
        for place, row in effects.items():
            self.assertGreater(row["change"], 0, place)
        # A cut half changes the last state by that half: ‖h←‖ / ‖h‖.
        self.assertLess(effects[2, "backward"]["change"], 1)
        self.assertEqual({row["part"] for row in rows("lstm")}, {"below", "recurrent", "layer"})
        set_gate = rows("gru", "--parts", "gate", "--gate", 1)
        self.assertEqual([row["factor"] for row in set_gate], [1, 1])


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
