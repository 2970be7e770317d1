"""GlobEnc and its rollout (Modarressi et al. 2022, github.com/mohsenfayyaz/GlobEnc) against encoder.L.globenc and its product;
with it the norms and mixing ratios of Kobayashi et al. 2021, which its code carries on."""
import json

from external import TEXTS, Recording, Report, arguments, float64_model, package, revision, token_ids

options = arguments(__doc__, code="a checkout of GlobEnc")
import torch
from transformers import BertConfig

modeling = package("globenc_code", options.code / "src" / "modeling")("modeling_bert")
layers = json.loads((options.model / "config.json").read_text())["num_hidden_layers"]
report = Report("GlobEnc", revision(options.code))
model = float64_model(modeling.BertModel, BertConfig, options.model)
kinds = ("globenc", "kobayashi", "mixing_ratio", "globenc.raw_product")
recording = Recording(options.mog, options.model, TEXTS, [f"encoder.*.{kind}" for kind in kinds])
for number, text in enumerate(TEXTS):
    ids = token_ids(options.model, text)
    size = len(ids)
    with torch.no_grad():
        out = model.encoder(model.embeddings(input_ids=torch.tensor([ids])), attention_mask=torch.zeros(1, 1, 1, size),
                            head_mask=[None] * layers, output_norms=True, output_globenc=True, return_dict=False)
        product = out[-2][0].numpy()
    for layer, values in enumerate(out[-1], 1):
        # ||αf(x)||, ||Σαf(x)||, ||Σαf(x) + x||, after norm 1 (here: after norm 2), three mixing ratios and that of norm 2
        found = recording.read(f"encoder.{layer}.globenc", number, size, size)
        report.compare("globenc", found, values[4][0].numpy(), 1e-10)
        report.compare("mixing_ratio", recording.read(f"encoder.{layer}.mixing_ratio", number, size), values[7][0].numpy(), 1e-10)
    found = recording.read(f"encoder.{layers}.globenc.raw_product", number, size, size)
    report.compare("globenc.raw_product", found, product, 1e-10)
report.finish()
