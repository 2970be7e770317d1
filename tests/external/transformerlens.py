"""TransformerLens (HookedEncoder) against mog's states and attention maps of a BERT, in float32."""
import json

from external import TEXTS, Recording, Report, arguments, need_packages, token_ids

options = arguments(__doc__, ["transformer_lens"])
# What version 2 has and a later one may lack.
need_packages("transformer_lens.pretrained.weight_conversions")
import importlib.metadata

import torch
from transformer_lens import HookedEncoder, HookedTransformerConfig
from transformer_lens.pretrained.weight_conversions import convert_bert_weights
from transformers import AutoTokenizer, BertForPreTraining

report = Report("TransformerLens", importlib.metadata.version("transformer-lens"))
config = json.loads((options.model / "config.json").read_text())
heads, layers, d = config["num_attention_heads"], config["num_hidden_layers"], config["hidden_size"]
lens_config = HookedTransformerConfig(
    n_layers=layers, d_model=d, d_head=d // heads, n_heads=heads, d_mlp=config["intermediate_size"], d_vocab=config["vocab_size"],
    n_ctx=config["max_position_embeddings"], act_fn=config["hidden_act"], attention_dir="bidirectional", eps=config["layer_norm_eps"],
    original_architecture="BertForPreTraining", device="cpu")
source = BertForPreTraining.from_pretrained(options.model).eval()
lens = HookedEncoder(lens_config, tokenizer=AutoTokenizer.from_pretrained(options.model), move_to_device=False)
lens.load_state_dict(convert_bert_weights(source, lens_config), strict=False)
lens.eval()
recording = Recording(options.mog, options.model, TEXTS, ["encoder.*.full.attention", "encoder.*.output"], "float32")
for number, text in enumerate(TEXTS):
    ids = token_ids(options.model, text)
    size = len(ids)
    with torch.no_grad():
        _, cache = lens.run_with_cache(torch.tensor([ids]))
    for layer in range(layers):
        report.compare("attention maps", recording.read(f"encoder.{layer + 1}.full.attention", number, heads, size, size),
                       cache[f"blocks.{layer}.attn.hook_pattern"][0].numpy(), 1e-5)
        report.compare("states", recording.read(f"encoder.{layer + 1}.output", number, size, d),
                       cache[f"blocks.{layer}.hook_normalized_resid_post"][0].numpy(), 1e-5)
report.finish()
