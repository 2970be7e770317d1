"""Every key that a command prints with --json stands in the table of docs/json.md under that command, and nothing else does.

Usage: cli_json_keys.py MOG MODELS SOURCE_DIR [--keys]    (skips without the engine, h5py or numpy; --keys
prints what was found)
"""
import collections
import json
import os
import pathlib
import re
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"a Python package is absent ({error})")

MOG, MODELS, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
TAGGER, PLAIN, GRAPH = (os.path.join(MODELS, name)
                        for name in ("tagger_half_weight_gate", "transformer_post", "half_weight_gate"))
DATA = pathlib.Path(SOURCE) / "tests/data"
# Their keys are names of tasks, tags, tensors, settings: data.
BY_NAME = {"tasks", "tags", "config", "metadata", "dev", "test", "token_cosine", "numbers", "values", "scores"}
FREE = {"config", "metadata"}  # nor are the keys below ours
LINES = "one object a line"
WORDS = ["w5", "w6", "w7", "w8", "w9"]
SWEEP = """name = "small"
[model]
architecture = "encoder"
[model.encoder]
kind = "graph_transformer"
layers = 1
d_model = 16
attention_dim = 8
heads = 2
ffn_dim = 32
[tokenizer]
kind = "whitespace"
[data.train]
conllu = "gold.conllu"
[data.dev]
conllu = "gold.conllu"
[tasks.upos]
column = "upos"
[training]
batch_tokens = 60
epochs = 1
[output]
directory = "small"
"""


def table_of_docs():
    """{key: commands} and {command: form} as docs/json.md has them."""
    text = (pathlib.Path(SOURCE) / "docs/json.md").read_text(encoding="utf-8")
    keys, forms = {}, {}
    for row in re.findall(r"^\| `([^|]+)` \|(.+)\|$", text, re.MULTILINE):
        cells = [cell.strip() for cell in row[1].split("|")]
        if len(cells) == 1:
            forms[row[0]] = cells[0]
            continue
        for key in re.findall(r"[a-z0-9_]+", row[0]):
            assert key not in keys, f"docs/json.md: {key} has two rows"
            keys[key] = set(re.findall(r"[a-z]+", cells[-1]))
    return keys, forms


class JsonKeys(MogCase):
    mog = MOG

    def documents(self):
        """(command, text) of every kind of document."""
        rows = "".join(f"{i}\t{word}\t_\tNOUN\t_\t_\t{max(0, i - 1)}\t{'root' if i == 1 else 'obj'}\t_\t_\n"
                       for i, word in enumerate(WORDS, 1))
        gold = self.write("gold.conllu", f"# text = {' '.join(WORDS)}\n{rows}\n" * 3)
        text = self.write("text.txt", (" ".join(WORDS) + "\n") * 3)
        other = self.write("other.txt", (" ".join(WORDS[:4]) + " w3\n") * 3)
        sweep = self.write("sweep.toml", SWEEP + '[sweep]\nseeds = [1, 2]\n[sweep.axes.kind]\na = {}\n')
        single = self.write("single.toml", SWEEP.replace("small", "single"))
        tagger, graph, plain, parsed = (self.folder / name for name in ("t.rec", "g.rec", "p.rec", "a.rec"))
        capture = ["--capture", "summary,attention,gates,shares,orders"]

        def run(command, *arguments, stdin=None):
            return command, self.run_well(command, *arguments, "--json", stdin=stdin)

        yield run("record", "-m", TAGGER, "-i", text, "-o", tagger, "--name", "news", *capture)
        yield run("record", "-m", PLAIN, "-i", text, "-o", plain, "--check", "--quantity", "encoder.1.full.logit_terms", "--capture",
                  "summary,attention")
        yield run("record", "-m", GRAPH, "-i", text, "-o", graph, *capture)
        if json.loads(self.run_well("doctor", "--json"))["eight_bit_products"]:
            yield run("record", "-m", GRAPH, "-i", text, "-o", self.folder / "eight.rec", "--precision", "int8")
        else:  # a processor without VNNI does not give these keys
            yield "record", json.dumps({"rounding": {"sentences": 1, "attention": 0.0, "output": 0.0}})
        for options in ([], ["--trend", "--minimum", "1"], ["--dimensions", "--minimum", "1"], ["--relative"],
                        ["--quantity", "leaves"], ["--quantity", "distinct,joins"], ["--quantity", "joins", "--by", "layer,length"],
                        ["--against", graph], ["--quantity", "encoder.*.high.attention.row_entropy"]):
            yield run("stats", tagger, *options)
        yield run("stats", tagger, graph, "--quantiles")
        yield run("stats", tagger, "--by", "upos", "--treebank", gold, "--quantity", "leaves-mass")
        yield run("record", "-m", os.path.join(SOURCE, "resources/models/parser-en-transitions"), "-i", text, "-o", parsed, "--quantity",
                  "encoder.graph,encoder.*.full.graph_terms,encoder.*.full.attention")
        yield run("stats", parsed, "--quantity", "relations")
        yield run("sentences", tagger)
        states = self.folder / "s.rec"
        self.run_well("record", "-m", TAGGER, "-i", text, "-o", states, "--capture", "attention", "--quantity", "encoder.*.output")
        yield run("neighbours", states, "-n", "1", "-w", "2", "--treebank", gold)
        yield run("trees", tagger, "-n", "1")
        yield run("trees", tagger, "-n", "1", "--mode", "by-leaves")
        yield run("syntax", tagger, "--treebank", gold, "--by", "deprel")
        yield run("syntax", tagger, "--treebank", gold, "--learn", "1")
        yield run("validate", tagger)
        for path in (TAGGER, tagger, DATA / "weights/zip.pt", text, gold, self.write("vocab.txt", "a\nb\n"),
                     DATA / "encoders/bert-tanh/tokenizer.json"):
            yield run("describe", path)
        yield run("describe", "--quantity", "encoder.1.gate.mean")
        yield run("describe", "--quantity", "attention entropy")
        yield run("expr", "((saw)->saw U (dog)->dog)->saw U (cat)->cat")
        yield run("expr", "-i", self.tree(tagger))
        yield run("counts", "list")
        yield run("counts", "bands", "--layers", "2")
        yield run("counts", "generation", "--words", "3", "--order", "2", "--layers", "2")
        yield run("counts", "multiplicity", "--expression", "((a)->a U (b)->b)->a U (c)->c")
        yield run("counts", "derivations", "--words", "3", "--layers", "2")
        yield run("tag", "-m", TAGGER, "-i", text)
        yield run("parse", "-i", text)
        yield run("tokenize", TAGGER, "-i", text)
        pairs = self.write("pairs.txt", "v5 v6\n" * 3)
        yield run("align", PLAIN, "-s", text, "-t", pairs, "--gold", self.write("gold.align", "0-0 1p1\n" * 3), "--bootstrap", "10")
        for command in ("translate", "summarize"):
            yield run(command, GRAPH, text, "--max-tokens", "5", "--n-best", "2")
        entities = self.write("gold.iob2", ("\n".join(f"{i}\t{word}\tO\t-\t-" for i, word in enumerate(WORDS, 1)) + "\n\n") * 3)
        yield run("evaluate", TAGGER, "--iob2", entities, "--bins", "3", "--train-iob2", entities, "--bootstrap", "10")
        yield run("evaluate", "--hypothesis", other, "--other", text, "--reference", text, "--bins", "1000,2000", "--bootstrap", "10", "--trials", "10")
        chains = self.write("chains.conll", "".join(f"#begin document ({d}); part 0\n{d} 0 0 she (1)\n\n#end document\n" for d in "de"))
        yield run("coref", chains, "--baseline", "nearest")
        yield run("evaluate", "--hypothesis", chains, "--reference", chains)
        parses = ("--hypothesis", DATA / "parses/sys2.conllu", "--other", DATA / "parses/sys1.conllu", "--reference", DATA / "parses/gold.conllu")
        yield run("evaluate", *parses, "--by", "relation", "--bootstrap", "10", "--trials", "10")
        yield run("evaluate", TAGGER, "--teacher", GRAPH, "--text", text, "--bootstrap", "10")
        yield run("evaluate", DATA / "stacks/gpt2-bytes", "--perplexity", text, "--bootstrap", "10")
        yield run("ablate", TAGGER, "-i", text)
        yield run("ablate", DATA / "stacks/gpt2-bytes", "-i", text, "--mean", text, "--bootstrap", "10")
        yield run("ablate", TAGGER, "--conllu", gold)
        yield run("ablate", PLAIN, "-i", text, "--terms", "all")
        yield run("ablate", PLAIN, "-i", text, "--heads")
        gpt2 = DATA / "stacks/gpt2"
        yield run("patch", gpt2, "--clean", "The cats sat.", "--corrupt", "The mat sat.", "--answer", "cat", "--against", "mat")
        yield run("attribute", gpt2, "--text", "The cats sat.", "--against", "mat", "--by", "source")
        yield run("faithfulness", TAGGER, "-i", text)
        yield run("randomize", GRAPH, "-o", self.folder / "random")
        yield run("convert", DATA / "encoders/bert-tanh", "-o", self.folder / "converted")
        yield run("figure", "list")
        yield run("figure", "gate", tagger, "-n", "1", "-o", self.folder / "x.svg", "--csv", self.folder / "x.csv", "--data",
                  self.folder / "x.h5")
        yield run("train", sweep, "--data", self.folder, "--check")
        yield run("train", single, "--data", self.folder, "-o", self.folder / "one")
        yield run("train", sweep, "--data", self.folder, "-o", self.folder / "many")
        with h5py.File(self.folder / "maps.h5", "w") as file:
            group = file.create_group("1")
            group["tokens"] = WORDS
            group["attention"] = np.full((1, 1, len(WORDS), len(WORDS)), 1 / len(WORDS), np.float32)
        yield run("import", self.folder / "maps.h5", "-o", self.folder / "i.rec")
        yield run("demo", "-o", self.folder / "demo")
        yield run("doctor")
        yield run("cite", "faithfulness")
        yield run("examples", "subject")
        os.environ["MOG_PYTHON"] = sys.executable
        yield run("export", graph, "--quantity", "encoder.*.gate.mean", "-o", self.folder / "gates.npz")
        self.run_well("stats", graph, "-o", self.folder / "gates.csv")
        yield run("export", self.folder / "gates.csv", "-o", self.folder / "gates-table.npz")
        yield run("corpus", "index", text, self.write("more.txt", "w5\n"))
        yield "launch", self.run_well("launch", "slurm", self.folder / "run", "--json", "--tasks", "2", "--dry-run", "--", "record", "-i", text)
        yield run("status", self.folder / "run")

    def tree(self, recording):
        return self.write("tree.json", self.run_well("trees", recording, "-n", "1", "--json"))

    def collect(self, command, value, found):
        if isinstance(value, dict):
            for key, inner in value.items():
                found[key].add(command)
                if key not in FREE:
                    self.collect(command, list(inner.values()) if key in BY_NAME and isinstance(inner, dict) else inner, found)
        elif isinstance(value, list):
            for inner in value:
                self.collect(command, inner, found)

    def test_keys_are_those_of_the_docs(self):
        found, forms = collections.defaultdict(set), {}
        for command, text in self.documents():
            try:
                documents, form = [json.loads(text)], "one document"
            except json.JSONDecodeError:
                documents, form = [json.loads(line) for line in text.splitlines()], LINES
            if len(documents) > 1 or command not in forms:  # a table of one row looks like a document
                forms[command] = form
            self.collect(command, documents, found)
        if "--keys" in sys.argv:
            for key in sorted(found):
                print(f"| `{key}` |  | {', '.join(sorted(found[key]))} |")
            print(forms)
        keys, documented = table_of_docs()
        self.maxDiff = None
        self.assertEqual(forms, documented)
        self.assertEqual({key: sorted(commands) for key, commands in found.items()},
                         {key: sorted(commands) for key, commands in keys.items()})


require_engine(MOG)
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
