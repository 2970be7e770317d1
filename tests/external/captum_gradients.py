"""Captum against `mog faithfulness`: integrated gradients of the pooled output's cosine (16 midpoints, from embeddings of
zeros; special tokens stay), and how they agree, sentence by sentence, with erasing every token by masking it (transformers)."""
import csv
import pathlib
import tempfile

from external import TEXTS, Report, arguments, float64_model, run, token_ids

options = arguments(__doc__, ["captum"])
import captum
import numpy as np
import torch
from captum.attr import InputXGradient, IntegratedGradients
from transformers import BertConfig, BertModel

report = Report("Captum", captum.__version__)
model = float64_model(BertModel, BertConfig, options.model)
texts = [text for text in TEXTS if len(text.split()) > 3]


def pooled(states, kept):
    return states[:, kept].mean(1)


def ranks(values):
    """Mean ranks of ties, as Spearman's coefficient has them."""
    order = np.argsort(values, kind="stable")
    result = np.empty(len(values))
    result[order] = np.arange(len(values), dtype=float)
    for value in np.unique(values):
        result[values == value] = result[values == value].mean()
    return result


def states(x, mask=None):
    size = x.shape[1]
    return model.encoder(x, attention_mask=None if mask is None else mask.view(1, 1, 1, size), head_mask=[None] * len(model.encoder.layer))[0]


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "texts.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    run(options.mog, "faithfulness", options.model, "--input", folder / "texts.txt", "--attributions", "integrated-gradients",
        "--target", "pooled", "--erase", "mask", "--steps", "16", "--precision", "float64", "--sentence-values",
        folder / "values.csv", "--output", folder / "table.csv")
    with open(folder / "values.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
for number, text in enumerate(texts, 1):
    ids = torch.tensor([token_ids(options.model, text)])
    size = ids.shape[1]
    with torch.no_grad():
        x = model.embeddings(input_ids=ids)
        whole = pooled(states(x), list(range(size)))
    units = list(range(1, size - 1))
    baseline = x.clone()
    baseline[:, units] = 0
    gradients = IntegratedGradients(lambda inputs: torch.cosine_similarity(pooled(states(inputs), list(range(size))), whole))
    values = gradients.attribute(x, baseline, n_steps=16, method="riemann_middle").sum(-1)[0, units].numpy()
    effects = []
    for unit in units:
        mask = torch.zeros(size)
        mask[unit] = torch.finfo(torch.float64).min
        with torch.no_grad():
            kept = [token for token in range(size) if token != unit]
            effects.append(1 - float(torch.cosine_similarity(pooled(states(x, mask), kept), whole)))
    effects = np.array(effects)
    for measure, expected in (("pearson", np.corrcoef(values, effects)[0, 1]),
                              ("spearman", np.corrcoef(ranks(values), ranks(effects))[0, 1])):
        found = [float(row["value"]) for row in rows if int(row["sentence"]) == number and row["measure"] == measure]
        report.compare(f"{measure} of integrated gradients with leave-one-out", found, [expected], 1e-11, scale=1.0)
report.finish()
