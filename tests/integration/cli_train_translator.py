#!/usr/bin/env python3
"""BLEU at the validations of a translator: what `mog translate` and `mog evaluate` give, and the choice of the best
weights by it; data that do not align are named.

    cli_train_translator.py MOG ENGINE
"""
import json
import pathlib
import tempfile

from small_translator import GRAPH, config, write_pairs
from train_runs import mog

CONFIG = config(GRAPH, '[data.test]\nsource = "test.de"\ntarget = "test.en"\n', epochs=12)


def bleu(folder, model, part, lines, beam):
    for side in ("de", "en"):
        text = (folder / f"{part}.{side}").read_text().splitlines()[:lines]
        (folder / f"some.{side}").write_text("\n".join(text) + "\n")
    mog("translate", model, folder / "some.de", "-o", folder / "some.out", "--beam", beam, "-q")
    scores = mog("evaluate", "--hypothesis", folder / "some.out", "--reference", folder / "some.en", "--lowercase",
                 "--metric", "bleu", "--bootstrap", "0", "--json", "-q").stdout
    return json.loads(scores)


def score_in(document):
    """The one BLEU score of a document of `mog evaluate`."""
    found = []

    def walk(node):
        if isinstance(node, dict):
            for key, value in node.items():
                if key in ("score", "value") and isinstance(value, (int, float)):
                    found.append(value)
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)

    walk(document)
    assert found, document
    return found[0]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, count, first in (("train", 300, 0), ("dev", 24, 1000), ("test", 12, 2000)):
            write_pairs(folder, part, count, first, capitals=True)
        config = folder / "translator.toml"
        config.write_text(CONFIG)
        model = folder / "model"
        result = json.loads(mog("train", config, "--data", folder, "-o", model, "--json", "-q").stdout)
        lines = [json.loads(line) for line in open(f"{model}.training/metrics.jsonl")]
        scores = [(line["dev"]["bleu"], line["best"]) for line in lines if "dev" in line]
        assert len(scores) == 12, scores
        best = -1.0
        for score, called_best in scores:
            assert called_best == (score > best), scores
            best = max(best, score)
        assert best > 50.0 > scores[0][0], scores  # it learnt to translate
        assert abs(result["dev"]["bleu"] - best) < 1e-9, (result, best)
        assert abs(score_in(bleu(folder, model, "dev", 10, 1)) - best) < 1e-6, (bleu(folder, model, "dev", 10, 1), best)
        assert abs(score_in(bleu(folder, model, "test", 12, 1)) - result["test"]["bleu"]) < 1e-6, result
        assert f"BLEU (13a): {result['test']['bleu']:.2f}" in (model / "README.md").read_text()

        def refused(code, *parts, **changes):
            text = CONFIG
            for old, new in changes.items():
                assert old in text, old
                text = text.replace(old, new)
            config.write_text(text)
            message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=code).stderr
            for part in parts:
                assert part in message, (part, message)

        refused(5, "line 35: training.best_by", "validation_bleu", **{"validation_bleu = 10\n": "\n"})
        refused(5, "line 35: training.best_by", "validation_rouge", **{'best_by = "bleu"': 'best_by = "rougeL"'})
        refused(3, "line 34: training.validation_bleu", **{"validation_bleu = 10": "validation_bleu = -1"})
        config.write_text(CONFIG)
        text = (folder / "train.en").read_text().splitlines()
        (folder / "train.en").write_text("\n".join(text[:17] + text[18:]) + "\n")
        refused(3, "train.de has 300 lines", "train.en has 299", "line 300 of")
        text[16:80:2] = [""] * len(text[16:80:2])
        (folder / "train.en").write_text("\n".join(text) + "\n")
        refused(3, "train.en, line 17 is blank", "train.de, line 17 is", "blank partner")
    print("ok")


if __name__ == "__main__":
    main()
