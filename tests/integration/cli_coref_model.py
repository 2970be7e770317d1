#!/usr/bin/env python3
"""A model of coreference from documents to chains: `mog train` with [graph], `mog coref`; and what is refused.

    cli_coref_model.py MOG ENGINE
"""
import json
import pathlib
import re
import subprocess
import tempfile

from train_runs import MOG, mog

CONFIG = """name = "coref"

[model]
architecture = "encoder"

[model.encoder]
kind = "transformer"
layers = 2
d_model = 32
ffn_dim = 64
heads = 2

[tokenizer]
kind = "whitespace"

[graph]
kind = "coreference"
width = 24
refinements = 1
dropout = 0.0
window = 24
overlap = 8

[graph.input]
form = "three_term"

[data.train]
coref = "train"
[data.dev]
coref = "dev"
[data.test]
coref = "test"

[training]
batch_tokens = 200
epochs = 60
learning_rate = 5e-3
warmup = 10
dropout = 0.0
label_smoothing = 0.0
log_interval = 50
"""

MEN, WOMEN = ["Tom", "Jim", "Bob"], ["Ann", "Eve", "Sue"]


def document(number):
    """A name, a thing, and pronouns that go back to them."""
    name = (MEN if number % 2 else WOMEN)[number // 2 % 3]
    pronoun = "he" if number % 2 else "she"
    thing = ["dog", "car", "pen"][number // 6 % 3]
    sentences = [[(name, "(0)"), ("saw", "-"), ("the", "(1"), (thing, "1)"), (".", "-")],
                 [(pronoun, "(0)"), ("took", "-"), ("it", "(1)"), ("away", "-"), (".", "-")]]
    if number % 3 == 0:
        sentences.append([("then", "-"), (pronoun, "(0)"), ("slept", "-"), (".", "-")])
    text = f"#begin document (d{number}); part 0\n"
    for sentence in sentences:
        text += "".join(f"d{number} 0 {at} {word} {cell}\n" for at, (word, cell) in enumerate(sentence)) + "\n"
    return text + "#end document\n"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, numbers in (("train", range(0, 48)), ("dev", range(48, 60)), ("test", range(54, 72))):
            (folder / part).mkdir()
            for number in numbers:
                (folder / part / f"d{number:03}.conll").write_text(document(number))
        config = folder / "coref.toml"
        config.write_text(CONFIG)
        model = folder / "model"
        result = json.loads(mog("train", config, "--data", folder, "-o", model, "--json", "-q").stdout)
        assert result["test"]["conll"] > 0.9, result
        assert "their mean" in (model / "README.md").read_text()

        # The scores of the card are those of what is written.
        found = folder / "found.conll"
        mog("coref", "-m", model, folder / "test", "-o", found, "-q")  # windows as in training
        scores = json.loads(mog("evaluate", "--hypothesis", found, "--reference", folder / "test", "--metric",
                                "muc,b3,ceafe,conll", "--bootstrap", "0", "--json", "-q").stdout)
        values = {row["measure"]: row["value"] for row in scores["scores"]}
        assert abs(values["CoNLL"] - 100 * result["test"]["conll"]) < 1e-6, (values, result)
        line = json.loads(mog("coref", "-m", model, folder / "test" / "d054.conll", "--json", "-q").stdout)
        texts = [[mention["text"] for mention in chain] for chain in line["chains"]]
        assert ["Ann", "she", "she"] in texts, line

        # In 8 bits it says what rounding changes, and a sure model finds the same.
        done = subprocess.run([MOG, "coref", "-m", str(model), str(folder / "test"), "--precision", "int8"], capture_output=True, text=True,
                              timeout=300)
        if json.loads(mog("doctor", "--json").stdout)["eight_bit_products"]:
            assert done.returncode == 0 and done.stdout == found.read_text(), done
            said = re.search(r"8-bit products, beside float32 on 8 sentences: attention weights differ by ([0-9.]+) at most, "
                             r"the output differs by ([0-9.]+) % of its norm", done.stderr)
            assert said and 0 < float(said[1]) < 0.1 and 0 < float(said[2]) < 10, done.stderr
        else:
            assert done.returncode == 1 and "VNNI" in done.stderr, done
        assert "--precision int8 has no effect here" in mog("coref", folder / "test", "--baseline", "nearest", "--precision", "int8",
                                                            expect=2).stderr

        # Plain text is one document.
        done = subprocess.run([MOG, "coref", "-m", str(model), "-i", "-", "-q", "--no-singletons"],
                              input="Tom saw the car .\n\nhe took it away .\n", capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("#begin document (input); part 000\n") and done.stdout.count("\n\n") == 2, done.stdout
        assert "\tTom\t(0)" in done.stdout and "\the\t(0)" in done.stdout, done.stdout

        def refused(code, word, *arguments):
            message = mog(*arguments, expect=code).stderr
            assert word in message, message

        refused(2, "--model FOLDER", "coref", folder / "test")
        refused(2, "a baseline has no model", "coref", "-m", model, folder / "test", "--baseline", "nearest")
        refused(2, "predicts no dependencies", "parse", "-m", model, "-i", folder / "test" / "d054.conll")
        refused(2, "that share 9", "coref", "-m", model, folder / "test", "--window", 8, "--overlap", 9)
        config.write_text(CONFIG + '\n[tasks.upos]\ncolumn = "upos"\n')
        refused(5, "documents have no tags", "train", config, "--data", folder, "-o", folder / "refused")
        config.write_text(CONFIG.replace('coref = "dev"', 'coref = "nowhere"'))
        refused(2, "nowhere", "train", config, "--data", folder, "-o", folder / "refused")
        config.write_text(CONFIG.replace('[data.dev]\ncoref = "dev"', '[data.dev]\nconllu = "x.conllu"'))
        refused(5, "data.dev.coref", "train", config, "--data", folder, "-o", folder / "refused")
        empty = folder / "empty"
        empty.mkdir()
        config.write_text(CONFIG.replace('coref = "dev"', 'coref = "empty"'))
        refused(3, "has no file of CoNLL-2012", "train", config, "--data", folder, "-o", folder / "refused")


if __name__ == "__main__":
    main()
