"""DecompX (Modarressi et al. 2023, github.com/mohsenfayyaz/DecompX) against encoder.propagation.norm.

Its biases go to a token of their own here (include_bias_token), as ours do. Its default shares them out among the tokens
(bias_decomp_type "absdot"): another definition, and so is its first layer, whose value bias stays with the tokens. The
first is compared with the second undone: a copy of the model without the value bias of layer 1, for both programs.
"""
import json
import pathlib
import shutil
import tempfile

from external import TEXTS, Recording, Report, arguments, float64_model, package, revision, token_ids

options = arguments(__doc__, code="a checkout of DecompX")
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig

module = package("decompx_code", options.code / "src")
modeling, utils = module("modeling_bert"), module("decompx_utils")
layers = json.loads((options.model / "config.json").read_text())["num_hidden_layers"]
report = Report("DecompX", revision(options.code))


def norms(model, ids, **choices):
    """[layer][token, source] as DecompX gives them."""
    config = utils.DecompXConfig(aggregation="vector", include_classifier_w_pooler=False, output_all_layers=True,
                                 output_aggregated="norm", **choices)
    with torch.no_grad():
        out = model.encoder(model.embeddings(input_ids=torch.tensor([ids])), attention_mask=torch.zeros(1, 1, 1, len(ids)),
                            head_mask=[None] * layers, decompx_config=config, return_dict=False)
    return [layer[0].numpy() for layer in out[-1].aggregated]


with tempfile.TemporaryDirectory() as folder:
    without = pathlib.Path(folder) / "model"
    shutil.copytree(options.model, without)
    weights = load_file(options.model / "model.safetensors")
    name = next(name for name in weights if name.endswith("encoder.layer.0.attention.self.value.bias"))
    weights[name] = torch.zeros_like(weights[name])
    save_file(weights, without / "model.safetensors", metadata={"format": "pt"})
    quantities = ["encoder.*.propagation.norm"]
    for place, model_folder in (("without", without), ("whole", options.model)):
        model = float64_model(modeling.BertModel, BertConfig, model_folder)
        recording = Recording(options.mog, model_folder, TEXTS, quantities)
        for number, text in enumerate(TEXTS):
            ids = token_ids(options.model, text)
            own = [recording.read(f"encoder.{layer}.propagation.norm", number, len(ids), len(ids) + 1)
                   for layer in range(1, layers + 1)]
            separate = norms(model, ids, include_bias_token=True, bias_decomp_type=None)
            for layer, (found, expected) in enumerate(zip(own, separate), 1):
                if place == "without":
                    # It divides by the pre-activation plus 1e-12, where ours has the slope in closed form.
                    report.compare("propagation.norm, no value bias in layer 1", found, expected, 1e-8)
                else:
                    report.differs("propagation.norm", found, expected, "the value bias of layer 1 stays with the tokens")
            if place == "whole":
                for found, expected in zip(own, norms(model, ids)):
                    report.differs("propagation.norm of its default", found[:, :-1], expected,
                                   "absdot shares the biases out among the tokens")
report.finish()
