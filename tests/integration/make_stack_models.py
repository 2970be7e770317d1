"""Makes the small random models of tests/data/stacks, one for every family of today's encoders and readers from left to
right, and what transformers computes with them.

Usage: make_stack_models.py OUTPUT BERT_TINY [NAME…]     needs torch 2.11, transformers 5.24, safetensors

As make_encoder_models.py, whose functions it uses: folders as transformers saves them, and expected.npz with states, maps
and the last states; of a model with a map to the next token also S_next [3, token]: log-probability and rank (from 0) of
each token after those before it (the first has none: NaN), and the entropy of what is predicted behind each token.
encoder_parity.py compares `mog` with them.
"""
import json
import pathlib
import shutil
import sys

import numpy as np
import torch

import make_encoder_models as base

ROWS = 77
TEXTS = ["The cats sat on the mat.", "I", "Dogs? The cats, which sat on \u4e2d xqz"]


def plain(**more):
    return dict(dict(vocab_size=ROWS, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24,
                     max_position_embeddings=64, pad_token_id=0, bos_token_id=3, eos_token_id=3), **more)


def heads(**more):
    return plain(**(dict(num_key_value_heads=2) | more))


def gpt(**more):
    return dict(dict(vocab_size=ROWS, n_embd=16, n_layer=2, n_head=2, n_positions=40, bos_token_id=3, eos_token_id=3), **more)


def stack_of(model):
    """The stack, its layers, its last norm and the map to the next token (None without)."""
    head = model.get_output_embeddings() if hasattr(model, "lm_head") or hasattr(model, "embed_out") else None
    stack = model if head is None else model.base_model
    if hasattr(stack, "decoder"):
        stack = stack.decoder
    layers = next(getattr(place, name) for place in (stack, getattr(stack, "encoder", None)) if place is not None
                  for name in ("layers", "h", "blocks", "layer") if hasattr(place, name))
    norm = next((getattr(stack, name) for name in ("norm", "ln_f", "norm_f", "final_layer_norm", "final_layernorm")
                 if getattr(stack, name, None) is not None), None)
    return stack, layers, norm, head


def next_tokens(logits, ids):
    """[3, token]: log-probability and rank of each token, and the entropy of what is predicted behind it."""
    log = torch.log_softmax(logits.double(), -1)
    result = torch.full((3, len(ids)), float("nan"), dtype=torch.double)
    for place, token in enumerate(ids[1:], 1):
        result[0, place] = log[place - 1, token]
        result[1, place] = (logits[place - 1] > logits[place - 1, token]).sum()
    result[2] = -(log.exp() * log).sum(-1)
    return result.numpy()


def longformer_run(stack, layers):
    """Its maps are bands: weights of the keys from -w to w around each query."""
    def compute(ids, mask):
        watch = base.Watch(layers)
        with torch.no_grad():
            result = stack(input_ids=ids, attention_mask=mask, output_attentions=True)
        watch.close()
        length, maps = ids.shape[1], []
        for band in result.attentions:
            side = band.shape[-1] // 2
            whole = torch.zeros(*band.shape[:2], length, length)
            for query in range(length):
                for key in range(max(0, query - side), min(length, query + side + 1)):
                    whole[:, :, query, key] = band[:, :, query, key - query + side]
            maps.append(whole)
        return torch.stack([state[:, :length] for state in watch.states], 1), result.last_hidden_state, torch.stack(maps, 1)
    return compute


def byte_tokenizer(folder, texts):
    """Byte-level pieces, nothing around a text, and rows of the model behind the vocabulary."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder, tokenizer.post_processor = decoders.ByteLevel(), processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(vocab_size=280, special_tokens=["<|endoftext|>"], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    return [tokenizer.encode(text).ids for text in texts]


def protein_tokenizer(folder, texts):
    """vocab.txt of ESM, without a tokenizer.json."""
    from transformers import EsmTokenizer
    letters = "LAGVSERTIDPKQNFYMHWCXBUZO.-"
    (folder / "vocab.txt").write_text("\n".join(["<cls>", "<pad>", "<eos>", "<unk>", *letters, "<null_1>", "<mask>"]))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "EsmTokenizer"}))
    return EsmTokenizer(str(folder / "vocab.txt"))(texts)["input_ids"]


def begun_tokenizer(folder, texts):
    """vocab.json and merges.txt of OPT: </s> before a text and nothing behind it, though there is <s>."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(TEXTS * 3, trainers.BpeTrainer(
        vocab_size=275, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.model.save(str(folder))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "bos_token": "</s>"}))
    return [[2] + tokenizer.encode(text).ids for text in texts]


def add_slopes_once(model, ids):
    """Its eager attention in transformers 5.24 adds the slopes, and a mask that has them already; attention by SDPA, which is what runs unless maps
    are asked for, adds them once. Without them in the mask the eager one computes the same."""
    import math
    import types
    from transformers.models.falcon import modeling_falcon
    one = torch.tensor([ids[0]])
    with torch.no_grad():
        model.config._attn_implementation = "sdpa"
        wanted = model(input_ids=one).logits
        model.config._attn_implementation = "eager"
        modeling_falcon.math = types.SimpleNamespace(sqrt=lambda width: math.inf, floor=math.floor, log2=math.log2)
        assert torch.allclose(model(input_ids=one).logits, wanted, atol=1e-5)


def make(name, config_class, model_class, config, change=lambda document: document, save=None, texts=None, tokenizer=None):
    folder = OUTPUT / name
    folder.mkdir(parents=True)
    ids = (tokenizer or base.bert_tokenizer)(folder, texts or TEXTS)
    made = config_class(**config)
    made._attn_implementation = "eager"
    base.SCALE = 0.2 if name.startswith(("gemma", "glm4", "olmo", "modernbert", "smollm3", "eurobert", "falcon-alibi")) else 0.35  # large states lose digits
    model = base.shake(model_class(made), len(name))
    (save or (lambda model, folder: model.save_pretrained(folder)))(model, folder)
    for file in folder.glob("generation_config.json"):
        file.unlink()
    document = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(change(document), indent=1))
    stack, layers, norm, head = stack_of(model)
    compute = longformer_run(stack, layers) if name == "longformer" else lambda ids, mask: base.run(stack, layers, ids, mask)
    if name == "falcon-alibi":
        add_slopes_once(model, ids)
    if name == "opt-post":  # which projects its last states to the width of the embeddings
        whole, compute = compute, lambda ids, mask: (lambda states, final, maps: (states, states[:, -1], maps))(*whole(ids, mask))
    base.expected(folder, ids, texts or TEXTS, compute, made.pad_token_id or 0)
    if head is None:
        return
    values = dict(np.load(folder / "expected.npz"))
    for row, sentence in enumerate(ids, 1):
        one = torch.tensor([sentence])
        with torch.no_grad():
            logits = model(input_ids=one).logits[0]
            values[f"{row}_next"] = next_tokens(logits, sentence)
    np.savez_compressed(folder / "expected.npz", **values)


def old_rope(document, theta="rope_theta", **more):
    """As files before transformers 5 say it."""
    rope = document.pop("rope_parameters")
    document[theta] = rope.pop("rope_theta")
    kind = rope.pop("rope_type")
    for key in ("partial_rotary_factor",):
        if key in rope:
            document[more.get("part", key)] = rope.pop(key)
    if kind != "default":
        document["rope_scaling"] = {"type": kind, **rope}
    return document


def minicpm(document):
    """MiniCPM is not in transformers. Its arithmetic is Granite's: factors of the embeddings, of what a block adds (scale_depth / sqrt(layers)) and of
    the logits (dim_model_base / hidden_size), scores by the root of a head's width."""
    for key in ("embedding_multiplier", "attention_multiplier", "residual_multiplier", "logits_scaling", "architectures", "model_type", "rope_parameters",
                "attention_bias", "mlp_bias"):
        document.pop(key, None)
    return document | dict(model_type="minicpm", architectures=["MiniCPMForCausalLM"], scale_emb=3, scale_depth=0.9, dim_model_base=4)


class JinaBert(torch.nn.Module):
    """Jina embeddings 2, which is not in transformers: a reference of our own, from what its authors publish."""

    def __init__(self, gated, heads=3, width=18, ffn=20):
        super().__init__()
        linear, norm = torch.nn.Linear, lambda: torch.nn.LayerNorm(width, eps=1e-12)
        self.gated, self.heads, self.ffn = gated, heads, ffn
        self.parts = torch.nn.ModuleDict({"words": torch.nn.Embedding(ROWS, width), "types": torch.nn.Embedding(2, width), "norm": norm()})
        self.rows = torch.nn.ModuleList(torch.nn.ModuleDict({
            "query": linear(width, width), "key": linear(width, width), "value": linear(width, width), "out": linear(width, width),
            "norm1": norm(), "up": linear(width, 2 * ffn, bias=False) if gated else linear(width, ffn), "down": linear(ffn, width),
            "norm2": norm()}) for _ in range(2))
        self.slopes = torch.tensor([2.0 ** -4, 2.0 ** -8, 2.0 ** -2])  # of 2 heads, then every other of 4

    def compute(self, ids, mask):
        x = self.parts["norm"](self.parts["words"](ids) + self.parts["types"].weight[0])
        states, maps = [x], []
        places = torch.arange(ids.shape[1])
        bias = -(places[None] - places[:, None]).abs() * self.slopes[:, None, None]
        for row in self.rows:
            q, k, v = (row[name](x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for name in ("query", "key", "value"))
            scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5 + bias
            maps.append(scores.masked_fill(mask[:, None, None] == 0, -torch.inf).softmax(-1))
            x = row["norm1"](x + row["out"]((maps[-1] @ v).transpose(1, 2).flatten(2)))
            inner = row["up"](x)
            gelu = torch.nn.functional.gelu
            inner = gelu(inner[..., :self.ffn]) * inner[..., self.ffn:] if self.gated else gelu(inner)
            x = row["norm2"](x + row["down"](inner))
            states.append(x)
        return torch.stack(states, 1).detach(), x.detach(), torch.stack(maps, 1).detach()

    def tensors(self):
        names = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
                 "out": "attention.output.dense", "norm1": "attention.output.LayerNorm"} | (
            {"up": "mlp.gated_layers", "down": "mlp.wo", "norm2": "mlp.layernorm"} if self.gated else
            {"up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"})
        result = {f"embeddings.{theirs}.{kind}": value for ours, theirs in (("words", "word_embeddings"), ("types", "token_type_embeddings"),
                  ("norm", "LayerNorm")) for kind, value in self.parts[ours].state_dict().items()}
        for at, row in enumerate(self.rows):
            for ours, theirs in names.items():
                result |= {f"encoder.layer.{at}.{theirs}.{kind}": value for kind, value in row[ours].state_dict().items()}
        return result


def jina_bert(name, gated):
    from safetensors.torch import save_file
    folder = OUTPUT / name
    folder.mkdir(parents=True)
    ids = base.bert_tokenizer(folder, TEXTS)
    base.SCALE = 0.35
    model = base.shake(JinaBert(gated), len(name))
    save_file(model.tensors(), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(dict(
        model_type="bert", architectures=["JinaBertForMaskedLM"], vocab_size=ROWS, hidden_size=18, num_hidden_layers=2,
        num_attention_heads=3, intermediate_size=20, hidden_act="gelu", max_position_embeddings=64, type_vocab_size=2, pad_token_id=0,
        position_embedding_type="alibi", feed_forward_type="geglu" if gated else "original", emb_pooler="mean"), indent=1))
    base.expected(folder, ids, TEXTS, model.compute, 0)


def own_names(model, folder):
    """By the names that the classes of transformers have, which it writes back to those of the authors."""
    from safetensors.torch import save_file
    model.config.save_pretrained(folder)
    save_file(model.state_dict(), folder / "model.safetensors")


def models():
    import transformers as t
    llama3 = dict(rope_type="llama3", rope_theta=10000.0, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
                  original_max_position_embeddings=16)
    yarn = dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16)
    long = dict(rope_type="longrope", rope_theta=10000.0, short_factor=[1.0, 1.5], long_factor=[2.0, 3.0],
                original_max_position_embeddings=32)
    local = ["sliding_attention", "full_attention"]
    deberta = dict(vocab_size=ROWS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                   max_position_embeddings=34, relative_attention=True, pos_att_type=["c2p", "p2c"])
    bert = dict(vocab_size=ROWS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                max_position_embeddings=34, pad_token_id=0)
    one = lambda name: (getattr(t, name + "Config"), getattr(t, name + "ForCausalLM"))
    return {
        "llama": (*one("Llama"), heads(rope_parameters=llama3)),
        "llama-old": (*one("Llama"), heads(attention_bias=True, mlp_bias=True, tie_word_embeddings=True,
                                             rope_parameters=dict(rope_type="linear", rope_theta=5000.0, factor=2.0)), old_rope),
        "mistral": (*one("Mistral"), heads(sliding_window=4, head_dim=6)),
        "qwen2": (*one("Qwen2"), heads(use_sliding_window=True, sliding_window=5, max_window_layers=1, rope_parameters=yarn)),
        "qwen3": (*one("Qwen3"), heads(head_dim=8, tie_word_embeddings=True)),
        "gemma": (*one("Gemma"), heads(head_dim=8, num_key_value_heads=1)),
        "gemma2": (*one("Gemma2"), heads(head_dim=6, sliding_window=4, attn_logit_softcapping=2.0, final_logit_softcapping=3.0,
                                          query_pre_attn_scalar=9, layer_types=local)),
        "gemma3": (t.Gemma3TextConfig, t.Gemma3ForCausalLM,
                   heads(head_dim=6, sliding_window=4, layer_types=local, query_pre_attn_scalar=9)),
        "phi": (*one("Phi"), plain(qk_layernorm=True)),
        "phi3": (*one("Phi3"), heads(rope_parameters=long, original_max_position_embeddings=32, sliding_window=6)),
        "olmo": (*one("Olmo"), heads()),
        "olmo2": (*one("Olmo2"), heads()),
        "olmo3": (*one("Olmo3"), heads(sliding_window=4, layer_types=local)),
        "olmo3-yarn": (*one("Olmo3"), heads(sliding_window=4, layer_types=local, rope_parameters={
            "full_attention": dict(yarn, attention_factor=1.7), "sliding_attention": dict(rope_type="default", rope_theta=10000.0)})),
        "smollm3": (*one("SmolLM3"), heads(no_rope_layers=[1, 0])),
        "stablelm": (*one("StableLm"), heads(hidden_size=32, qk_layernorm=True, use_qkv_bias=True)),
        "stablelm-parallel": (*one("StableLm"), heads(hidden_size=32, use_parallel_residual=True)),
        "starcoder2": (*one("Starcoder2"), heads(sliding_window=4)),
        "cohere": (*one("Cohere"), heads(use_qk_norm=True, logit_scale=0.25)),
        "cohere2": (*one("Cohere2"), heads(sliding_window=4, layer_types=local)),
        "granite": (*one("Granite"), heads(embedding_multiplier=3.0, attention_multiplier=0.3, residual_multiplier=0.7,
                                              logits_scaling=2.0)),
        "minicpm": (*one("Granite"), heads(embedding_multiplier=3.0, attention_multiplier=0.5, residual_multiplier=0.9 / 2 ** 0.5,
                                              logits_scaling=4.0, tie_word_embeddings=True), minicpm),
        "glm": (*one("Glm"), heads(head_dim=8)),
        "glm4": (*one("Glm4"), heads(head_dim=8)),
        "gpt2": (t.GPT2Config, t.GPT2LMHeadModel, gpt()),
        "gpt2-bytes": (t.GPT2Config, t.GPT2LMHeadModel, gpt(vocab_size=290, n_embd=12, bos_token_id=0, eos_token_id=0),
                       lambda document: document, None, None, byte_tokenizer),
        "gpt-bigcode": (t.GPTBigCodeConfig, t.GPTBigCodeForCausalLM, gpt()),
        "gpt-bigcode-heads": (t.GPTBigCodeConfig, t.GPTBigCodeForCausalLM, gpt(multi_query=False)),
        "gpt-neo": (t.GPTNeoConfig, t.GPTNeoForCausalLM, dict(
            vocab_size=ROWS, hidden_size=16, num_layers=2, num_heads=2, intermediate_size=20, window_size=4,
            max_position_embeddings=40, attention_types=[[["global", "local"], 1]], bos_token_id=3, eos_token_id=3)),
        "gpt-neox": (*one("GPTNeoX"), plain(hidden_size=32),
                      lambda document: old_rope(document, "rotary_emb_base", part="rotary_pct")),
        "gpt-neox-sequential": (*one("GPTNeoX"), plain(hidden_size=32, use_parallel_residual=False)),
        "gptj": (*one("GPTJ"), gpt(rotary_dim=4)),
        "opt": (*one("OPT"), plain(ffn_dim=24, word_embed_proj_dim=16, vocab_size=275), lambda document: document, None, None, begun_tokenizer),
        "opt-post": (*one("OPT"), plain(ffn_dim=24, word_embed_proj_dim=10, do_layer_norm_before=False)),
        "bloom": (*one("Bloom"), dict(vocab_size=ROWS, hidden_size=18, n_layer=2, n_head=3, bos_token_id=3, eos_token_id=3)),
        "mpt": (*one("Mpt"), dict(vocab_size=ROWS, d_model=18, n_layers=2, n_heads=3, max_seq_len=40, bos_token_id=3, eos_token_id=3)),
        "falcon": (*one("Falcon"), dict(vocab_size=ROWS, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                                         bos_token_id=3, eos_token_id=3, new_decoder_architecture=False)),
        "falcon-alibi": (*one("Falcon"), dict(vocab_size=ROWS, hidden_size=48, num_hidden_layers=2, num_attention_heads=12, bias=True,
                                               ffn_hidden_size=24, alibi=True, multi_query=False, parallel_attn=False,
                                               bos_token_id=3, eos_token_id=3, new_decoder_architecture=False)),
        "falcon-new": (*one("Falcon"), dict(vocab_size=ROWS, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, bias=True,
                                              num_kv_heads=2, bos_token_id=3, eos_token_id=3, new_decoder_architecture=True)),
        "longformer": (t.LongformerConfig, t.LongformerModel, dict(bert, attention_window=[4, 8], pad_token_id=0)),
        "modernbert": (t.ModernBertConfig, t.ModernBertModel, plain(local_attention=6)),
        "modernbert-old": (t.ModernBertConfig, t.ModernBertModel, plain(num_hidden_layers=4, local_attention=4),
                            lambda document: {**{key: value for key, value in document.items() if key not in ("rope_parameters", "layer_types")},
                                              "global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3}),
        "deberta": (t.DebertaConfig, t.DebertaModel, dict(deberta, type_vocab_size=2)),
        "deberta-v2": (t.DebertaV2Config, t.DebertaV2Model, dict(deberta, position_buckets=6, position_biased_input=True)),
        "deberta-v3": (t.DebertaV2Config, t.DebertaV2Model, dict(
            deberta, position_buckets=6, share_att_key=True, position_biased_input=False, norm_rel_ebd="layer_norm",
            pos_att_type="p2c|c2p", max_relative_positions=16)),
        "nomic-bert": (t.NomicBertConfig, t.NomicBertModel, plain()),
        "gte": (t.GteConfig, t.GteModel, bert),
        "gte-names": (t.GteConfig, t.GteModel, bert, lambda document: document, own_names),
        "jina-v3": (t.JinaEmbeddingsV3Config, t.JinaEmbeddingsV3Model, bert),
        "eurobert": (t.EuroBertConfig, t.EuroBertModel, heads()),
        "esm": (t.EsmConfig, t.EsmModel, dict(bert, position_embedding_type="rotary", token_dropout=True, mask_token_id=34,
                                                emb_layer_norm_before=True),
                lambda document: document, None, ["MKTAYIAKQR", "MK77TA X", "LL"], protein_tokenizer),
    }


def main():
    global OUTPUT
    OUTPUT, names = pathlib.Path(sys.argv[1]), sys.argv[3:]
    base.OUTPUT, base.BERT_TINY = OUTPUT, pathlib.Path(sys.argv[2])
    all_models = models()
    own = {"jina-v2": True, "jina-v2-original": False}
    for name in names or [*all_models, *own]:
        shutil.rmtree(OUTPUT / name, ignore_errors=True)
        jina_bert(name, own[name]) if name in own else make(name, *all_models[name])
        print(name)


if __name__ == "__main__":
    main()
