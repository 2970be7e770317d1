"""ALTI (Ferrando et al. 2022, github.com/mt-upc/transformer-contributions) against encoder.L.alti and its product.

Its code differs from the formula in two places. pairwise_distance adds 1e-6 to every entry of the difference: compared
without it, and listed with it. Layer norm's eps is added to the states, where it changes no deviation, instead of to the
variance: what that changes (1e-13 where eps is 1e-12) stays in both.
"""
import json
import os
import pathlib
import sys
import types

from external import TEXTS, Recording, Report, arguments, float64_model, imported, need_files, revision, token_ids

options = arguments(__doc__, ["captum", "yaml"], code="a checkout of transformer-contributions")  # it imports captum
need_files(options.code, "src/contributions.py")
import numpy as np
import torch
import yaml
from transformers import BertConfig, BertModel

sys.modules["pyaml_env"] = types.SimpleNamespace(parse_config=lambda path: yaml.safe_load(open(path)))
options.mog, options.model, options.code = (pathlib.Path(path).resolve() for path in (options.mog, options.model, options.code))
os.chdir(options.code)  # where it looks for its configuration
sys.path.insert(0, str(options.code))
contributions = imported("src.contributions")

layers = json.loads((options.model / "config.json").read_text())["num_hidden_layers"]
report = Report("transformer-contributions", revision(options.code))


class Classifier(torch.nn.Module):
    """Its wrapper asks for a model that has `bert` inside and gives logits."""

    def __init__(self):
        super().__init__()
        self.bert = float64_model(BertModel, BertConfig, options.model)
        self.config = self.bert.config

    def forward(self, **inputs):
        out = self.bert(**inputs)
        return {"logits": out.last_hidden_state[:, 0], "hidden_states": out.hidden_states, "attentions": out.attentions}


class ExactDistance:
    def __init__(self, functional):
        self.functional = functional

    def __getattr__(self, name):
        if name == "pairwise_distance":
            return lambda one, other, p: torch.linalg.vector_norm(one - other, ord=p, dim=-1)
        return getattr(self.functional, name)


def maps(model, ids):
    """[layer, query, key]: rows of proximities that sum to 1, as its own notebooks make them."""
    _, _, _, data = contributions.ModelWrapper(model)({"input_ids": torch.tensor([ids])})
    sizes = torch.linalg.vector_norm(data["resultants"], ord=1, dim=-1).unsqueeze(2)
    found = torch.clip(sizes + data["contributions"], min=0)
    return (found / found.sum(-1, keepdim=True)).numpy()


model = Classifier().eval()
recording = Recording(options.mog, options.model, TEXTS, ["encoder.*.alti", "encoder.*.alti.product"])
plain = contributions.F
for number, text in enumerate(TEXTS):
    ids = token_ids(options.model, text)
    size = len(ids)
    found = np.stack([recording.read(f"encoder.{layer}.alti", number, size, size) for layer in range(1, layers + 1)])
    for name, functional, limit in (("as published", plain, None), ("without the 1e-6 of pairwise_distance", ExactDistance(plain), 1e-7)):
        contributions.F = functional
        expected = maps(model, ids)
        product = expected[0]
        for layer in expected[1:]:
            product = layer @ product
        own = recording.read(f"encoder.{layers}.alti.product", number, size, size)
        if limit is None:
            report.differs("alti", found, expected, "1e-6 added to every entry of a difference")
            report.differs("alti.product", own, product, "the same")
        else:
            report.compare(f"alti, {name}", found, expected, limit)
            report.compare(f"alti.product, {name}", own, product, limit)
report.finish()
