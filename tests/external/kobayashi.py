"""N-ResLN and mixing ratios (Kobayashi et al. 2021, github.com/gorokoba560/norm-analysis-of-transformer) against encoder.L.kobayashi
and encoder.L.mixing_ratio. Its code is a fork of transformers 3; only its BERT is loaded."""
import json

from external import TEXTS, Recording, Report, arguments, float64_model, package, revision, token_ids

options = arguments(__doc__, code="a checkout of norm-analysis-of-transformer")
import torch

load = package("kobayashi_code", options.code / "emnlp2021" / "transformers" / "src" / "transformers")
modeling, configuration = load("modeling_bert"), load("configuration_bert")
layers = json.loads((options.model / "config.json").read_text())["num_hidden_layers"]
report = Report("norm-analysis-of-transformer", revision(options.code))
model = float64_model(modeling.BertModel, configuration.BertConfig, options.model)
recording = Recording(options.mog, options.model, TEXTS, ["encoder.*.kobayashi", "encoder.*.mixing_ratio"])
for number, text in enumerate(TEXTS):
    ids = token_ids(options.model, text)
    size = len(ids)
    with torch.no_grad():
        norms = model(torch.tensor([ids]), output_attentions=True, output_norms=True)[-1]
    for layer, values in enumerate(norms, 1):
        found = recording.read(f"encoder.{layer}.kobayashi", number, size, size)
        report.compare("kobayashi", found, values[3][0].numpy(), 1e-10)
        found = recording.read(f"encoder.{layer}.mixing_ratio", number, size)
        report.compare("mixing_ratio", found, values[6][0].numpy(), 1e-10)
report.finish()
