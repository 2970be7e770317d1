"""Makes the small random models of tests/data/encoders and what the reference programs compute with them.

Usage: make_encoder_models.py OUTPUT BERT_TINY [NAME…]     needs torch 2.11, transformers 5.23, safetensors,
                                                               sentencepiece 0.2.3, ctranslate2 4.8
       BERT_TINY: tests/data/model/bert-tiny, whose tokenizer most models of transformers share; the others get
       a small sentencepiece model, learned here, and no tokenizer.json

Every model gets weights, biases and norms far from their initial values, so that a term that is left out or
misplaced shows. Per model a folder with its files as the program that wrote it leaves them, and expected.npz:
ids [sentence, token] (-1 behind the end), and for sentence S (from 1) S_states [layer + 1, token, d] (the
embedding first), S_final [token, d], S_maps [layer, head, token, token]; of CTranslate2, which
shows no more, S_final alone. Each is checked here against a padded
batch of all sentences. encoder_parity.py compares `mog` with them.
"""
import json
import math
import pathlib
import shutil
import sys

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

TEXTS = ["The cats sat on the mat.", "naive cafe", "I", "Dogs? The cats, which sat on a mat, \u4e2d xqz on the mat"]
WORDS = [[30, 31, 40, 3, 52, 60, 61, 9, 12], [33, 70], [5],
         [44, 45, 46, 47, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]]
ROWS, SCALE = 77, 0.35


def shake(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if "norm" in name.lower() and name.endswith("weight"):
                parameter.copy_(1 + 0.2 * noise)
            elif parameter.requires_grad:
                parameter.copy_(SCALE * noise)
    return model.eval()


class Watch:
    """The input of the first layer and the output of every layer of one pass."""

    def __init__(self, layers):
        self.states, self.hooks = [], []
        self.hooks.append(layers[0].register_forward_pre_hook(self.first, with_kwargs=True))
        self.hooks += [layer.register_forward_hook(self.after) for layer in layers]

    def first(self, module, arguments, options):
        if not self.states:  # layers that share their weights are one module
            self.states.append(arguments[0] if arguments else options["hidden_states"])

    def after(self, module, arguments, output):
        self.states.append(output[0] if isinstance(output, tuple) else output)

    def close(self):
        for hook in self.hooks:
            hook.remove()


def run(encoder, layers, ids, mask):
    watch = Watch(layers)
    with torch.no_grad():
        result = encoder(input_ids=ids, attention_mask=mask, output_attentions=True)
    watch.close()
    return torch.stack(watch.states, 1), result.last_hidden_state, torch.stack(result.attentions, 1)


def expected(folder, sentences, texts, compute, pad):
    """compute(ids [batch, token], mask) -> states [batch, layer + 1, token, d], final, maps."""
    (folder / "corpus.txt").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    width = max(map(len, sentences))
    ids = torch.full((len(sentences), width), pad)
    mask = torch.zeros_like(ids)
    for row, sentence in enumerate(sentences):
        ids[row, :len(sentence)] = torch.tensor(sentence)
        mask[row, :len(sentence)] = 1
    padded = compute(ids, mask)
    values = {"ids": np.array([sentence + [-1] * (width - len(sentence)) for sentence in sentences])}
    for row, sentence in enumerate(sentences):
        size = len(sentence)
        alone = [part[0] for part in compute(torch.tensor([sentence]), torch.ones(1, size, dtype=torch.long))]
        together = [padded[0][row, :, :size], padded[1][row, :size], padded[2][row, :, :, :size, :size]]
        for name, one, other in zip(("states", "final", "maps"), alone, together):
            difference = ((one - other).abs() / one.abs().clamp(min=1)).max().item()
            assert difference < 1e-5, (folder, name, difference)
            values[f"{row + 1}_{name}"] = one.numpy()
    np.savez_compressed(folder / "expected.npz", **values)


def bert_tokenizer(folder, texts):
    shutil.copy(BERT_TINY / "tokenizer.json", folder)
    return reference_ids(folder, texts)


def reference_ids(folder, texts):
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return [tokenizer.encode(text).ids for text in texts]


# Padding is 1 and the unknown token 0, as the positions of MPNet ask for.
def mpnet_tokenizer(folder, texts):
    document = json.loads((BERT_TINY / "tokenizer.json").read_text(encoding="utf-8"))
    document["model"]["vocab"] |= {"[UNK]": 0, "[PAD]": 1}
    for token in document["added_tokens"]:
        token["id"] = document["model"]["vocab"][token["content"]]
    document["added_tokens"].sort(key=lambda token: token["id"])
    (folder / "tokenizer.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return reference_ids(folder, texts)


def pieces(file, numbered, settings=None, vocabulary=False, **options):
    """A folder's sentencepiece model; numbered(pieces of a text, sp) gives the ids, written down from the classes of
    transformers."""
    def make(folder, texts):
        import io
        import sentencepiece
        written = io.BytesIO()
        corpus = [text for text in TEXTS + MORE_TEXTS for _ in range(3)]
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(corpus), model_writer=written, minloglevel=2, hard_vocab_limit=False,
                                                 **{"vocab_size": 60, "normalization_rule_name": "identity", "character_coverage": 0.98} | options)
        (folder / file).write_bytes(written.getvalue())
        sp = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        if settings:
            (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        if vocabulary:
            names = ["</s>", "<unk>", ">>ro<<"] + [sp.id_to_piece(i) for i in range(3, sp.get_piece_size() - 2)] + ["<pad>"]
            (folder / "vocab.json").write_text(json.dumps({name: i for i, name in enumerate(names)}, ensure_ascii=False), encoding="utf-8")
        return [numbered(text, sp) for text in texts]
    return make


MORE_TEXTS = ["A cat, a dog and a mat; which cats sat?", "The dogs on the mats were naive.", "I sat in the cafe on the mat with a dog."]


def hugging_face(name, config, model_class, parts, save=lambda model, folder: model.save_pretrained(folder), pad=0,
                 keep=(), tokenizer=bert_tokenizer, inner="", texts=None):
    outer = OUTPUT / name
    folder = outer / inner
    folder.mkdir(parents=True)
    texts = texts or TEXTS
    ids = tokenizer(folder, texts)
    config._attn_implementation = "eager"
    model = shake(model_class(config), len(name))
    for key in keep:  # tables that are no parameters of training
        assert key in dict(model.named_parameters()), key
    save(model, folder)
    for file in folder.glob("generation_config.json"):
        file.unlink()
    encoder, layers = parts(model)
    assert max(map(max, ids)) < config.vocab_size, (name, max(map(max, ids)))
    expected(outer, ids, texts, lambda ids, mask: run(encoder, layers, ids, mask), pad)
    if inner:
        (outer / "modules.json").write_text(json.dumps([
            {"idx": 0, "name": "0", "path": inner, "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]))
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 24, "do_lower_case": False}))


def torch_bin(model, folder):
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")


def as_block_sparse(model, folder):
    """What such folders say; the reference changes it to full attention, and then gives no maps."""
    model.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"attention_type": "block_sparse"}, indent=1))


def in_float64(model, folder):
    model.double().save_pretrained(folder)
    model.float()


def sharded(model, folder):
    model.save_pretrained(folder, max_shard_size="12KB")
    assert (folder / "model.safetensors.index.json").exists()


def transformers_models():
    import transformers as t
    bert_like = dict(vocab_size=ROWS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
                     max_position_embeddings=34, pad_token_id=0)
    seq = dict(vocab_size=ROWS, d_model=16, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2,
               decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=8, max_position_embeddings=32,
               pad_token_id=0, bos_token_id=2, eos_token_id=3, decoder_start_token_id=3, forced_eos_token_id=3)
    t5 = dict(vocab_size=ROWS, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_decoder_layers=1, num_heads=3,
              relative_attention_num_buckets=8, relative_attention_max_distance=12, decoder_start_token_id=0)
    bert = lambda model: (model, model.encoder.layer)
    tiny = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8, max_position_embeddings=34)
    tiny_seq = dict(d_model=12, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
                    encoder_ffn_dim=8, decoder_ffn_dim=4, max_position_embeddings=32)
    few = dict(texts=["The cats sat \u4e2d.", "I"])

    def offset(text, sp):
        """XLM-R: four tokens of fairseq before the pieces from the fourth on."""
        return [0, *(i + 1 if i else 3 for i in sp.encode(text)), 2]

    def camembert(text, sp):
        return [5, *(i + 4 if i else 3 for i in sp.encode(text)), 6]

    def albert(text, sp):
        return [sp.piece_to_id("[CLS]"), *sp.encode(text.lower()), sp.piece_to_id("[SEP]")]

    def by_name(text, sp):
        """Marian: the names of the pieces in vocab.json, which lacks the last two."""
        known = {sp.id_to_piece(i): i for i in range(3, sp.get_piece_size() - 2)}
        return [known.get(piece, 1) for piece in sp.encode(text, out_type=str)] + [0]

    def nllb(text, sp):
        """Languages follow the pieces."""
        return [sp.get_piece_size() + 1 + 1, *offset(text, sp)[1:]]
    bart = lambda model: (model.encoder, model.encoder.layers)
    block = lambda model: (model.encoder, model.encoder.block)
    return {
        "bert-tanh": lambda name: hugging_face(name, t.BertConfig(**bert_like, hidden_act="gelu_new"), t.BertModel, bert),
        "roberta": lambda name: hugging_face(name, t.RobertaConfig(**{**bert_like, "type_vocab_size": 1}), t.RobertaModel, bert),
        "xlm-roberta-bin": lambda name: hugging_face(name, t.XLMRobertaConfig(**{**bert_like, "type_vocab_size": 1}),
                                                     t.XLMRobertaModel, bert, torch_bin),
        "electra": lambda name: hugging_face(name, t.ElectraConfig(**bert_like, embedding_size=16), t.ElectraModel, bert),
        "electra-small": lambda name: hugging_face(name, t.ElectraConfig(**bert_like, embedding_size=10), t.ElectraModel, bert),
        "distilbert": lambda name: hugging_face(
            name, t.DistilBertConfig(vocab_size=ROWS, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=34),
            t.DistilBertModel, lambda model: (model, model.transformer.layer)),
        "bart": lambda name: hugging_face(name, t.BartConfig(**seq, scale_embedding=True), t.BartModel, bart),
        "mbart": lambda name: hugging_face(name, t.MBartConfig(**seq, activation_function="relu"), t.MBartModel, bart),
        "marian": lambda name: hugging_face(name, t.MarianConfig(**seq, activation_function="swish", scale_embedding=True),
                                            t.MarianModel, bart, sharded),
        "t5": lambda name: hugging_face(name, t.T5Config(**t5), t.T5Model, block),
        "albert": lambda name: hugging_face(
            name, t.AlbertConfig(**tiny, vocab_size=60, embedding_size=10, num_hidden_groups=1), t.AlbertModel,
            lambda model: (model, model.encoder.albert_layer_groups), **few,
            tokenizer=pieces("spiece.model", albert, pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]", "[MASK]"])),
        "albert-groups": lambda name: hugging_face(
            name, t.AlbertConfig(**{**tiny, "num_hidden_layers": 4}, vocab_size=ROWS, embedding_size=6, num_hidden_groups=2, hidden_act="gelu"),
            t.AlbertModel, lambda model: (model, model.encoder.albert_layer_groups), **few),
        "mpnet": lambda name: hugging_face(name, t.MPNetConfig(**tiny, vocab_size=ROWS), t.MPNetModel, bert, pad=1,
                                           tokenizer=mpnet_tokenizer, inner="0_Transformer", texts=["The cats sat \u4e2d.", "I " * 20]),
        "big-bird": lambda name: hugging_face(
            name, t.BigBirdConfig(**tiny, vocab_size=ROWS, block_size=4, num_random_blocks=1, rescale_embeddings=True,
                                   attention_type="original_full"), t.BigBirdModel, bert, as_block_sparse, **few),
        "camembert": lambda name: hugging_face(
            name, t.CamembertConfig(**tiny, vocab_size=64, pad_token_id=1, type_vocab_size=1), t.CamembertModel, bert, pad=1, **few,
            tokenizer=pieces("sentencepiece.bpe.model", camembert)),
        "xlm-roberta": lambda name: hugging_face(
            name, t.XLMRobertaConfig(**tiny, vocab_size=64, pad_token_id=1, type_vocab_size=1), t.XLMRobertaModel, bert, pad=1, **few,
            tokenizer=pieces("sentencepiece.bpe.model", offset)),
        "pegasus": lambda name: hugging_face(
            name, t.PegasusConfig(**tiny_seq, vocab_size=66, scale_embedding=True), t.PegasusModel, bart, **few,
            tokenizer=pieces("spiece.model", lambda text, sp: [i + 5 for i in sp.encode(text)] + [1], {"offset": 5}, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)),
        "nllb": lambda name: hugging_face(
            name, t.M2M100Config(**tiny_seq, vocab_size=66), t.M2M100Model, bart, pad=1, **few,
            tokenizer=pieces("sentencepiece.bpe.model", nllb, {"tokenizer_class": "NllbTokenizer", "src_lang": "deu_Latn", "additional_special_tokens": [
                "ace_Latn", "deu_Latn"]}, model_type="bpe")),
        "marian-pieces": lambda name: hugging_face(
            name, t.MarianConfig(**tiny_seq, vocab_size=60, pad_token_id=59, eos_token_id=0, decoder_start_token_id=59, forced_eos_token_id=0), t.MarianModel, bart,
            pad=59, **few, tokenizer=pieces("source.spm", by_name, vocabulary=True)),
        "mt5": lambda name: hugging_face(
            name, t.MT5Config(**{**t5, "d_model": 12, "d_ff": 8, "vocab_size": 64}, feed_forward_proj="gated-gelu"), t.MT5EncoderModel, block, **few,
            tokenizer=pieces("spiece.model", lambda text, sp: sp.encode(text) + [1], pad_id=0, eos_id=1, unk_id=2, bos_id=-1)),
        "bert-float64": lambda name: hugging_face(name, t.BertConfig(**tiny, vocab_size=ROWS), t.BertModel, bert, in_float64, **few),
        "t5-gated": lambda name: hugging_face(name, t.T5Config(**t5, feed_forward_proj="gated-gelu"), t.T5EncoderModel, block),
    }


class TorchEncoder(nn.Module):
    """What people write around torch.nn.TransformerEncoder: embedding, position buffer, encoder, output map."""

    def __init__(self, norm_first, activation, final_norm, positions):
        super().__init__()
        self.embedding = nn.Embedding(ROWS, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 24, activation=activation, batch_first=True, norm_first=norm_first)
        self.transformer_encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16) if final_norm else None,
                                                         enable_nested_tensor=False)
        if positions:
            place = torch.arange(32).unsqueeze(1)
            step = torch.exp(torch.arange(0, 16, 2) * (-math.log(10000.0) / 16))
            table = torch.zeros(32, 1, 16)
            table[:, 0, 0::2], table[:, 0, 1::2] = torch.sin(place * step), torch.cos(place * step)
            self.register_buffer("pe", table)

    def compute(self, ids, mask):
        x = self.embedding(ids) * 4.0
        if hasattr(self, "pe"):
            x = x + self.pe[:ids.shape[1], 0]
        states, maps = [x], []
        with torch.enable_grad():  # not the fused form, which gives no maps
            for layer in self.transformer_encoder.layers:
                inner = layer.norm1(x) if layer.norm_first else x
                maps.append(layer.self_attn(inner, inner, inner, key_padding_mask=mask == 0, average_attn_weights=False)[1])
                x = layer(x, src_key_padding_mask=mask == 0)
                states.append(x)
            final = x if self.transformer_encoder.norm is None else self.transformer_encoder.norm(x)
        return torch.stack(states, 1).detach(), final.detach(), torch.stack(maps, 1).detach()


def torch_encoder(name, norm_first, activation, final_norm, positions):
    folder = OUTPUT / name
    folder.mkdir(parents=True)
    model = shake(TorchEncoder(norm_first, activation, final_norm, positions), len(name))
    torch.save(model.state_dict(), folder / "encoder.pt")
    said = {"heads": 4, "norm": "pre" if norm_first else "post", "activation": activation, "embed_scale": True,
            "positions": "pe" if positions else "none", "pad_id": 0, "bos_id": 3, "eos_id": 3, "unk_id": 1}
    (folder / "encoder.json").write_text(json.dumps(said, indent=1))
    (folder / "vocab.txt").write_text("".join(f"t{row}\n" for row in range(ROWS)))
    expected(folder, [words + [3] for words in WORDS], [" ".join(f"t{word}" for word in words) for words in WORDS],
             model.compute, 0)


def fairseq(name, form):
    """A translation model as fairseq 0.6.2 saves it; the reference is torch.nn.Transformer with the same weights."""
    import argparse
    folder = OUTPUT / name
    folder.mkdir(parents=True)
    d, target_rows = 16, 40
    layer = nn.TransformerEncoderLayer(d, 2, 24, activation="relu", batch_first=True)
    encoder = shake(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), 5)
    decoder = shake(nn.TransformerDecoder(nn.TransformerDecoderLayer(d, 4, 20, activation="relu", batch_first=True), 1), 6)
    generator = torch.Generator().manual_seed(7)
    embedding = SCALE * torch.randn(ROWS, d, generator=generator)
    target = SCALE * torch.randn(target_rows, d, generator=generator)
    output = SCALE * torch.randn(target_rows, d, generator=generator)
    embedding[1], target[1] = 0, 0
    half = d // 2
    angles = torch.arange(64).unsqueeze(1) * torch.exp(torch.arange(half) * (-math.log(10000.0) / (half - 1)))
    sinusoids = torch.cat([angles.sin(), angles.cos()], 1)

    def compute(ids, mask):
        x = 4.0 * embedding[ids] + sinusoids[2:2 + ids.shape[1]]
        states, maps = [x], []
        with torch.enable_grad():
            for one in encoder.layers:
                maps.append(one.self_attn(x, x, x, key_padding_mask=mask == 0, average_attn_weights=False)[1])
                x = one(x, src_key_padding_mask=mask == 0)
                states.append(x)
        return torch.stack(states, 1).detach(), x.detach(), torch.stack(maps, 1).detach()

    def attention(prefix, module):
        for kind in ("weight", "bias"):
            joined = getattr(module, f"in_proj_{kind}").detach()
            if form == "old":
                model[f"{prefix}.in_proj_{kind}"] = joined
            else:
                for which, part in zip("qkv", joined.chunk(3)):
                    model[f"{prefix}.{which}_proj.{kind}"] = part.clone()
            model[f"{prefix}.out_proj.{kind}"] = getattr(module.out_proj, kind).detach()

    model = {"encoder.version": torch.tensor([3.0 if form == "new" else 2.0]), "encoder.embed_tokens.weight": embedding,
             "encoder.embed_positions._float_tensor": torch.zeros(1), "decoder.embed_tokens.weight": target,
             "decoder.embed_positions._float_tensor": torch.zeros(1), "decoder.version": torch.tensor([2.0])}
    model["decoder.embed_out" if form == "old" else "decoder.output_projection.weight"] = output
    encoder_norms = ("layer_norms.0", "layer_norms.1") if form == "old" else ("self_attn_layer_norm", "final_layer_norm")
    for at, one in enumerate(encoder.layers):
        prefix = f"encoder.layers.{at}"
        attention(f"{prefix}.self_attn", one.self_attn)
        for kind in ("weight", "bias"):
            model[f"{prefix}.fc1.{kind}"] = getattr(one.linear1, kind).detach()
            model[f"{prefix}.fc2.{kind}"] = getattr(one.linear2, kind).detach()
            for norm, module in zip(encoder_norms, (one.norm1, one.norm2)):
                model[f"{prefix}.{norm}.{kind}"] = getattr(module, kind).detach()
    for at, one in enumerate(decoder.layers):
        prefix = f"decoder.layers.{at}"
        attention(f"{prefix}.self_attn", one.self_attn)
        attention(f"{prefix}.encoder_attn", one.multihead_attn)
        for kind in ("weight", "bias"):
            model[f"{prefix}.fc1.{kind}"] = getattr(one.linear1, kind).detach()
            model[f"{prefix}.fc2.{kind}"] = getattr(one.linear2, kind).detach()
            for norm, module in (("self_attn_layer_norm", one.norm1), ("encoder_attn_layer_norm", one.norm2),
                                 ("final_layer_norm", one.norm3)):
                model[f"{prefix}.{norm}.{kind}"] = getattr(module, kind).detach()
    args = argparse.Namespace(
        arch="transformer_iwslt_de_en", encoder_layers=2, encoder_embed_dim=d, encoder_ffn_embed_dim=24,
        encoder_attention_heads=2, encoder_normalize_before=False, encoder_learned_pos=False, decoder_layers=1,
        decoder_embed_dim=d, decoder_ffn_embed_dim=20, decoder_attention_heads=4, decoder_normalize_before=False,
        decoder_learned_pos=False, share_all_embeddings=False, share_decoder_input_output_embed=False,
        adaptive_softmax_cutoff=None, no_token_positional_embeddings=False, source_lang="de", target_lang="en",
        left_pad_source="True", dropout=0.3, lr=[0.0005], max_source_positions=1024)
    checkpoint = {"args": args, "model": model, "optimizer_history": [{"criterion_name": "LabelSmoothed", "num_updates": 9}],
                  "extra_state": {"train_iterator": {"epoch": 3}}, "last_optimizer_state": {"state": {0: torch.ones(3)}}}
    torch.save(checkpoint, folder / "checkpoint_best.pt", _use_new_zipfile_serialization=form == "new")
    (folder / "dict.de.txt").write_text("".join(f"t{row} {1000 - row}\n" for row in range(4, ROWS)))
    (folder / "dict.en.txt").write_text("".join(f"u{row} {1000 - row}\n" for row in range(4, target_rows)))
    sentences = [words + [2] for words in WORDS]
    expected(folder, sentences, [" ".join(f"t{word}" if word > 3 else "unseen" for word in words) for words in WORDS],
             compute, 1)
    translate(folder, lambda ids: compute(ids, torch.ones_like(ids))[1], decoder, target, output, sinusoids)


def translate(folder, encode, decoder, target, output, sinusoids):
    """Greedy translations, at most 8 tokens: log_softmax, never <pad>, from </s> on."""
    results = []
    for words in WORDS:
        memory, ids = encode(torch.tensor([words + [2]])), [2]
        while len(ids) < 9:
            x = 4.0 * target[torch.tensor([ids])] + sinusoids[2:2 + len(ids)]
            mask = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1)
            with torch.no_grad():
                scores = (decoder(x, memory, tgt_mask=mask)[0, -1] @ output.t()).log_softmax(-1)
            scores[1] = -math.inf
            ids.append(2 if len(ids) == 8 else int(scores.argmax()))
            if ids[-1] == 2:
                break
        results.append(ids[1:])
    (folder / "greedy.json").write_text(json.dumps(results))


def ctranslate2_encoder(name, quantization):
    """Weights of 8 and 16 bits; the reference is CTranslate2 itself, which widens them and computes in float32."""
    import ctranslate2
    from ctranslate2.specs import TransformerEncoderModelSpec, TransformerEncoderSpec
    d, ffn, rows, folder = 16, 24, 40, OUTPUT / name
    random = np.random.default_rng(len(name))
    encoder = TransformerEncoderSpec(2, 2, pre_norm=True)

    def values(*shape, middle=0.0):
        return (middle + SCALE * random.standard_normal(shape)).astype(np.float32)

    def fill(layer, out, inner):
        layer.weight, layer.bias = values(out, inner), values(out)

    def fill_norm(layer):
        layer.gamma, layer.beta = values(d, middle=1.0), values(d)

    encoder.embeddings[0].weight = values(rows, d)
    fill_norm(encoder.layer_norm)
    for layer in encoder.layer:
        fill(layer.self_attention.linear[0], 3 * d, d)
        fill(layer.self_attention.linear[1], d, d)
        fill(layer.ffn.linear_0, ffn, d)
        fill(layer.ffn.linear_1, d, ffn)
        fill_norm(layer.self_attention.layer_norm)
        fill_norm(layer.ffn.layer_norm)
    spec = TransformerEncoderModelSpec(encoder)
    spec.register_vocabulary(["<blank>", "<unk>", "<s>", "</s>", *(f"t{row}" for row in range(4, rows))])
    spec.validate()
    spec.optimize(quantization=quantization)
    folder.mkdir(parents=True)
    spec.save(str(folder))
    reference = ctranslate2.Encoder(str(folder), compute_type="float32")
    sentences = [[4, 9, 30, 5, 39, 12], [7]]
    texts = [" ".join(f"t{word}" for word in words) for words in sentences]
    (folder / "corpus.txt").write_text("".join(text + "\n" for text in texts))
    together = np.array(reference.forward_batch([text.split() for text in texts]).last_hidden_state)
    width = max(map(len, sentences))
    values_of = {"ids": np.array([words + [-1] * (width - len(words)) for words in sentences])}
    for row, text in enumerate(texts):
        alone = np.array(reference.forward_batch([text.split()]).last_hidden_state)[0]
        assert np.abs(alone - together[row, :len(alone)]).max() < 1e-5, (name, row)
        values_of[f"{row + 1}_final"] = alone
    np.savez_compressed(folder / "expected.npz", **values_of)


if __name__ == "__main__":
    OUTPUT, BERT_TINY = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    MODELS = transformers_models() | {
        "torch-post": lambda name: torch_encoder(name, False, "relu", True, True),
        "torch-pre": lambda name: torch_encoder(name, True, "gelu", False, False),
        "fairseq-0.6.2": lambda name: fairseq(name, "old"),
        "fairseq-split": lambda name: fairseq(name, "new"),
        **{f"ct2-{kind}": lambda name, kind=kind: ctranslate2_encoder(name, kind) for kind in ("int8", "int16", "bfloat16")},
    }
    for NAME in sys.argv[3:] or MODELS:
        shutil.rmtree(OUTPUT / NAME, ignore_errors=True)
        MODELS[NAME](NAME)
        print(NAME, sum(file.stat().st_size for file in (OUTPUT / NAME).iterdir()))
