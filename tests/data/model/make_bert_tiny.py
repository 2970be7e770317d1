"""Writes bert-tiny/: a small random BERT made by transformers, with its hidden states and attention maps.

Usage: make_bert_tiny.py OUTPUT_DIR      (transformers 5.23.0, tokenizers 0.23.3, torch 2.11.0)
expected.safetensors: ids.S [token], hidden.S [layer + 1, token, d], attention.S [layer, head, token, token] of
sentence S alone, and hidden_padded.S, attention_padded.S of the same sentence inside one padded batch of all.
Weights are random with a standard deviation of .3, so that maps are far from uniform and layer norms matter.
"""
import pathlib
import sys

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

SENTENCES = ["The cat sat on the mat.", "Cats, cats!", "A naïve café — unzipped xylophones?", "don't [MASK] it", "mat"]
WORDS = """the a cat cats sat on mat do ##s ##t na ##ive cafe un ##zip ##ped it . , ! ? ' — - on ##at""".split()

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
letters = [chr(code) for code in range(ord("a"), ord("z") + 1) if chr(code) != "q"]
tokens = list(dict.fromkeys(special + letters + ["##" + letter for letter in letters] + WORDS))
vocabulary = {token: number for number, token in enumerate(tokens)}
tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
tokenizer.add_special_tokens(special)
tokenizer.normalizer = normalizers.BertNormalizer()
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tokenizer.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")])
tokenizer.save(str(out / "tokenizer.json"))
(out / "vocab.txt").write_text("".join(token + "\n" for token in tokens), encoding="utf-8")

torch.manual_seed(4)
config = BertConfig(vocab_size=len(tokens), hidden_size=16, num_hidden_layers=3, num_attention_heads=4,
                    intermediate_size=40, max_position_embeddings=32, type_vocab_size=2)
model = BertModel(config, add_pooling_layer=True).eval()
model.set_attn_implementation("eager")
with torch.no_grad():
    for parameter in model.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.3)
model.save_pretrained(out, safe_serialization=True)

expected = {}


def keep(name, outputs, row, length):
    expected[f"hidden{name}"] = torch.stack([state[row, :length] for state in outputs.hidden_states]).contiguous()
    expected[f"attention{name}"] = torch.stack(
        [maps[row, :, :length, :length] for maps in outputs.attentions]).contiguous()


with torch.no_grad():
    encodings = tokenizer.encode_batch(SENTENCES)
    for number, encoding in enumerate(encodings, 1):
        ids = torch.tensor([encoding.ids])
        expected[f"ids.{number}"] = ids[0]
        keep(f".{number}", model(ids, output_hidden_states=True, output_attentions=True), 0, len(encoding.ids))
    longest = max(len(encoding.ids) for encoding in encodings)
    ids = torch.zeros((len(encodings), longest), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, :len(encoding.ids)] = torch.tensor(encoding.ids)
        mask[row, :len(encoding.ids)] = 1
    outputs = model(ids, attention_mask=mask, output_hidden_states=True, output_attentions=True)
    for row, encoding in enumerate(encodings):
        keep(f"_padded.{row + 1}", outputs, row, len(encoding.ids))
save_file(expected, out / "expected.safetensors")
(out / "sentences.txt").write_text("".join(line + "\n" for line in SENTENCES), encoding="utf-8")
