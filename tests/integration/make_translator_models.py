"""Makes the small random encoder-decoders of tests/data/translators and what transformers computes with them.

Usage: make_translator_models.py OUTPUT [NAME…]     needs torch 2.11, transformers 5.23, sentencepiece 0.2.3

Per model a folder as save_pretrained leaves it, with tokenizers learned here, corpus.txt, target.txt (a translation
for every line) and expected.npz: for sentence S (from 1) S_source, S_target (the decoder's inputs), S_states
[layer + 1, token, d] of the decoder (the embedding first), S_final, S_self and S_cross [layer, head, token, key],
of the first two S_logits [token, V]; and found.json: ids, scores and texts of generate(), greedy and with a beam of 3. Weights, biases
and norms are far from their initial values, so that a term that is left out or misplaced shows. It computes in float64.
translator_parity.py compares `mog` with them.
"""
import copy
import io
import json
import pathlib
import shutil
import sys

import numpy as np
import sentencepiece
import torch
import transformers as t

from make_encoder_models import SCALE, Watch, shake

SOURCE = ["naive cafe", "I", "Dogs? The cats, which sat on a mat, \u4e2d xqz on the mat"]
TARGET = ["naives Caf\u00e9", "Ich", "Hunde? Die Katzen auf der Matte, \u732b, xqz"]
MORE = ["The cats sat on the mat.", "A cat, a dog and a mat; which cats sat?", "Die Katzen sa\u00dfen auf der Matte.", "Die Hunde waren naiv und auf den Matten.", "Ich sitze im Caf\u00e9 mit einem Hund."]
LONGEST, BEAM, LENGTH_PENALTY = 10, 3, 0.7


def learn(file, texts, size, **options):
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for text in texts for _ in range(3)]), model_writer=written, minloglevel=2,
        hard_vocab_limit=False, **{"vocab_size": size, "normalization_rule_name": "identity", "character_coverage": 0.98} | options)
    file.write_bytes(written.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())


def marian(folder):
    """Two sentencepiece files, one vocabulary."""
    names = ["</s>", "<unk>"]
    for side, texts in (("source", SOURCE + MORE[:2]), ("target", TARGET + MORE[2:])):
        sp = learn(folder / f"{side}.spm", texts, 50)
        names += [piece for i in range(3, sp.get_piece_size()) if (piece := sp.id_to_piece(i)) not in names]
    names.append("<pad>")
    (folder / "vocab.json").write_text(json.dumps({name: i for i, name in enumerate(names)}, ensure_ascii=False), encoding="utf-8")
    return t.MarianTokenizer(str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json"))


def marian_apart(folder):
    """Two sentencepiece files, a vocabulary each."""
    for side, texts in (("source", SOURCE + MORE[:2]), ("target", TARGET + MORE[2:])):
        sp = learn(folder / f"{side}.spm", texts, 50)
        names = ["</s>", "<unk>"] + [sp.id_to_piece(i) for i in range(3, sp.get_piece_size())] + ["<pad>"]
        (folder / f"{side}.json").write_text(json.dumps({name: i for i, name in enumerate(names)}, ensure_ascii=False), encoding="utf-8")
    return t.MarianTokenizer(str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "source.json"),
                             target_vocab_file=str(folder / "target.json"), separate_vocabs=True)


def m2m_100(folder):
    sp = learn(folder / "sentencepiece.bpe.model", SOURCE + TARGET + MORE, 70)
    names = ["<s>", "<pad>", "</s>", "<unk>"] + [sp.id_to_piece(i) for i in range(3, sp.get_piece_size())]
    (folder / "vocab.json").write_text(json.dumps({name: i for i, name in enumerate(names)}, ensure_ascii=False), encoding="utf-8")
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES
    languages = [f"__{code}__" for code in FAIRSEQ_LANGUAGE_CODES["m2m100"]]
    return t.M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"), src_lang="en", tgt_lang="de",
                             extra_special_tokens=languages)


def byte_level(folder):
    from tokenizers import ByteLevelBPETokenizer
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator([text for text in SOURCE + TARGET + MORE for _ in range(3)], vocab_size=300, show_progress=False,
                                  special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.save_model(str(folder))
    return t.BartTokenizer(vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt"))


def fast(cls, **options):
    """A tokenizer that transformers keeps in a tokenizer.json, made of a sentencepiece file."""
    def make(folder):
        learn(folder / "spiece.model", SOURCE + TARGET + MORE, 70, **options.get("learned", {}))
        return cls.from_pretrained(folder, **options.get("made", {}))
    return make


def save(name, tokenizer, config, model_class, made=lambda model: None, **generation):
    folder = OUTPUT / name
    folder.mkdir(parents=True)
    scratch = OUTPUT / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    tokenizer = tokenizer(scratch)
    config = config(tokenizer)
    config._attn_implementation = "eager"
    model = shake(model_class(config), len(name))
    with torch.no_grad():
        if config.model_type == "t5":  # scores without a divisor would make a last bit a great difference
            for key, parameter in model.named_parameters():
                parameter.mul_(1 if "norm" in key else 0.6)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.copy_(SCALE * torch.randn(model.final_logits_bias.shape, generator=torch.Generator().manual_seed(3)))
    made(model)
    for key, value in generation.items():
        setattr(model.generation_config, key, value)
    with torch.no_grad():  # what float16 keeps; tables of sinusoids are not stored
        for parameter in [one for one in model.parameters() if one.requires_grad] + [getattr(model, "final_logits_bias", torch.zeros(1))]:
            parameter.copy_(parameter.half())
    copy.deepcopy(model).half().save_pretrained(folder)
    model.double()
    tokenizer.save_pretrained(folder)
    shutil.rmtree(scratch)
    if made is own_map:  # as older folders say it
        config = json.loads((folder / "config.json").read_text()) | {"tie_word_embeddings": False}
        del config["scale_decoder_outputs"]
        (folder / "config.json").write_text(json.dumps(config, indent=2))
    return folder, model, tokenizer


class EndAtLength(t.LogitsProcessor):
    """The last of LONGEST tokens can only be </s>, with its own probability."""

    def __init__(self, end):
        self.end = end

    def __call__(self, input_ids, scores):
        if input_ids.shape[1] < LONGEST:
            return scores
        only = torch.full_like(scores, -torch.inf)
        only[:, self.end] = scores[:, self.end]
        return only


def expected(folder, model, tokenizer, first=None, language="", pad_is_said=False):
    """first: the token that translations begin with, where the folder does not say it; language: the same as text."""
    (folder / "corpus.txt").write_text("".join(text + "\n" for text in SOURCE), encoding="utf-8")
    lead = f"{language} " if language else ""
    (folder / "target.txt").write_text("".join(lead + text + "\n" for text in TARGET), encoding="utf-8")
    base = getattr(model, "model", model)
    layers = base.decoder.layers if hasattr(base.decoder, "layers") else base.decoder.block
    start, end, pad = model.config.decoder_start_token_id, model.config.eos_token_id, model.config.pad_token_id
    forced = first if first is not None else model.generation_config.forced_bos_token_id
    values, found = {}, []
    for row, (source, target) in enumerate(zip(SOURCE, TARGET), 1):
        ids = tokenizer(source, return_tensors="pt").input_ids
        pieces = [i for i in tokenizer(text_target=target).input_ids if i not in frame(tokenizer)]
        inputs = torch.tensor([[start] + ([forced] if forced is not None else []) + pieces])
        watch = Watch(layers)
        with torch.no_grad():
            out = model(input_ids=ids, attention_mask=torch.ones_like(ids), decoder_input_ids=inputs,
                        decoder_attention_mask=torch.ones_like(inputs), output_attentions=True, output_hidden_states=True)
        watch.close()
        values |= {f"{row}_source": ids[0].numpy(), f"{row}_target": inputs[0].numpy(), f"{row}_states": torch.cat(watch.states).numpy(),
                   f"{row}_final": out.decoder_hidden_states[-1][0].numpy(), f"{row}_self": torch.cat(out.decoder_attentions).numpy(),
                   f"{row}_cross": torch.cat(out.cross_attentions).numpy()}
        if row < 3:
            values[f"{row}_logits"] = out.logits[0].numpy()
        entry = {}
        for kind, beams in (("greedy", 1), ("beam", BEAM)):
            sequences = model.generate(ids, num_beams=beams, num_return_sequences=beams, early_stopping=True, max_new_tokens=LONGEST,
                                       length_penalty=LENGTH_PENALTY, forced_bos_token_id=forced, forced_eos_token_id=None, bad_words_ids=[[pad]],
                                       logits_processor=t.LogitsProcessorList([EndAtLength(end)]),
                                       return_dict_in_generate=True, output_scores=True, output_logits=beams == 1, do_sample=False)
            lines = [line[1:line.index(end, 1) + 1] for line in sequences.sequences.tolist()]
            entry[kind] = [{"ids": line, "text": tokenizer.decode(line, skip_special_tokens=True)} for line in lines]
            scores = sequences.sequences_scores.tolist() if beams > 1 else [greedy_score(sequences, lines[0], forced)]
            for one, score in zip(entry[kind], scores, strict=True):
                one["score"] = score
        found.append(entry)
    np.savez_compressed(folder / "expected.npz", **{key: one.astype(np.float32) if one.dtype == np.float64 else one for key, one in values.items()})
    (folder / "found.json").write_text(json.dumps({"begins": language, "sentences": found}, ensure_ascii=False, indent=1), encoding="utf-8")


def greedy_score(found, line, forced):
    """As generate() scores a beam: what is forced counts as 0."""
    log_p = [torch.log_softmax(logits[0], -1)[token].item() for logits, token in zip(found.logits, line)]
    return sum(log_p[forced is not None:]) / len(line) ** LENGTH_PENALTY


def frame(tokenizer):
    """Special tokens and languages, but not the unknown token."""
    languages = getattr(tokenizer, "lang_token_to_id", {}).values()
    return {*tokenizer.all_special_ids, *languages} - {tokenizer.unk_token_id}


SIZES = dict(d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2, decoder_attention_heads=4, encoder_ffn_dim=24,
             decoder_ffn_dim=20, max_position_embeddings=40)
T5 = dict(d_model=16, d_kv=6, d_ff=24, num_layers=2, num_decoder_layers=2, num_heads=3, relative_attention_num_buckets=8,
          relative_attention_max_distance=12, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1)
FAIRSEQ = dict(bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2)
LEARNED = dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


def rows(tokenizer):
    """M2M100 does not count its languages, nor the eight words behind them."""
    return max(getattr(tokenizer, "lang_token_to_id", {"": len(tokenizer) - 9}).values()) + 9


MODELS = {
    "marian": lambda name: expected(*save(
        name, marian, lambda tok: t.MarianConfig(
            **SIZES, vocab_size=rows(tok), activation_function="swish", scale_embedding=True, eos_token_id=0, bos_token_id=0,
            pad_token_id=rows(tok) - 1, decoder_start_token_id=rows(tok) - 1, forced_eos_token_id=0),
        t.MarianMTModel, num_beams=6, bad_words_ids=None)),
    "marian-apart": lambda name: expected(*save(
        name, marian_apart, lambda tok: t.MarianConfig(
            **SIZES, vocab_size=len(tok.encoder), decoder_vocab_size=len(tok.target_encoder), share_encoder_decoder_embeddings=False,
            activation_function="swish", scale_embedding=True, eos_token_id=0, bos_token_id=0, pad_token_id=len(tok.encoder) - 1,
            decoder_start_token_id=len(tok.target_encoder) - 1, forced_eos_token_id=0),
        t.MarianMTModel)),
    "bart": lambda name: expected(*save(
        name, byte_level, lambda tok: t.BartConfig(**SIZES, **FAIRSEQ, vocab_size=rows(tok) + 3, activation_function="gelu", forced_bos_token_id=0),
        t.BartForConditionalGeneration, forced_bos_token_id=0)),
    "mbart-50": lambda name: mbart_50(name),
    "m2m-100": lambda name: with_language(name, m2m_100, "__de__"),
    "nllb": lambda name: with_language(name, fast(t.NllbTokenizer, made={"src_lang": "eng_Latn", "tgt_lang": "deu_Latn"}), "deu_Latn"),
    "pegasus": lambda name: expected(*save(
        name, fast(t.PegasusTokenizer, learned=LEARNED, made={"offset": 5}), lambda tok: t.PegasusConfig(
            **SIZES, vocab_size=rows(tok), scale_embedding=True, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0),
        t.PegasusForConditionalGeneration)),
    "t5": lambda name: expected(*save(
        name, fast(t.T5Tokenizer, learned=LEARNED, made={"extra_ids": 4}), lambda tok: t.T5Config(**T5, vocab_size=rows(tok) + 4),
        t.T5ForConditionalGeneration)),
    "t5-gated": lambda name: expected(*save(
        name, fast(t.T5Tokenizer, learned=LEARNED, made={"extra_ids": 4}),
        lambda tok: t.T5Config(**T5, vocab_size=rows(tok), feed_forward_proj="gated-gelu", tie_word_embeddings=False),
        t.T5ForConditionalGeneration, own_map)),
}


def own_map(model):
    """T5 1.1 has a map to the vocabulary of its own."""
    model.lm_head.weight = torch.nn.Parameter(SCALE * torch.randn(model.lm_head.weight.shape, generator=torch.Generator().manual_seed(4)))


def with_language(name, tokenizer, language):
    folder, model, tok = save(name, tokenizer, lambda tok: t.M2M100Config(**SIZES, **FAIRSEQ, vocab_size=rows(tok)),
                              t.M2M100ForConditionalGeneration)
    expected(folder, model, tok, first=tok.convert_tokens_to_ids(language), language=language)


def mbart_50(name):
    folder, model, tok = save(
        name, fast(t.MBart50Tokenizer, made={"src_lang": "en_XX", "tgt_lang": "de_DE"}),
        lambda tok: t.MBartConfig(**SIZES, **FAIRSEQ, vocab_size=rows(tok), activation_function="relu",
                                  forced_bos_token_id=tok.convert_tokens_to_ids("de_DE")),
        t.MBartForConditionalGeneration, forced_bos_token_id=None)
    model.generation_config.forced_bos_token_id = tok.convert_tokens_to_ids("de_DE")
    model.generation_config.save_pretrained(folder)
    expected(folder, model, tok)


if __name__ == "__main__":
    OUTPUT = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or MODELS:
        shutil.rmtree(OUTPUT / name, ignore_errors=True)
        MODELS[name](name)
        print(name, sum(path.stat().st_size for path in (OUTPUT / name).iterdir()))
