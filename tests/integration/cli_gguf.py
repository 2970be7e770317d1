"""GGUF files at the command line: tokenizers, what is refused and how, folders.

Usage: cli_gguf.py MOG TESTS/DATA
"""
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import unittest

from mog_cli import MogCase, allowed_megabytes, sanitized, skip

try:
    import numpy as np
    from safetensors.numpy import load_file
except ImportError as error:
    skip(f"a Python package is absent ({error})")
import gguf_files as gguf

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
MEGABYTES, SECONDS = allowed_megabytes(MOG, 256), 20  # none takes a tenth of it
LLAMA = DATA / "stacks" / "llama"
LINES = "The cats sat on the mat.\n  two  spaces, 1234567 and 3.14!\nDon't stop \u2014 na\u00efve caf\u00e9\u2026 \u4e2d\u6587 \U0001f431\n\nI\u2019ll\ttab\n"


class Case(MogCase):
    mog = MOG

    def model(self):
        config = json.loads((LLAMA / "config.json").read_text())
        keys, tensors = gguf.converted(config, load_file(LLAMA / "model.safetensors"))
        return keys | gguf.word_piece_keys(json.loads((LLAMA / "tokenizer.json").read_text())), tensors

    def file(self, keys, tensors, name="model.gguf"):
        return self.write(name, gguf.whole(keys, tensors))

    def tokens_of(self, keys, count):
        """Lines cut by the tokenizer of a model with so many tokens."""
        own, tensors = self.model()
        own = {key: value for key, value in own.items() if not key.startswith("tokenizer.")} | keys
        for name in ("token_embd.weight", "output.weight"):
            tensors[name] = gguf.stored(np.zeros((count, 16)))
        return self.run_well("tokenize", self.file(own, tensors), "--format", "ids", "--no-special", stdin=LINES.encode())


class Tokenizers(Case):
    def against(self, name, keys_of):
        tokenizer = json.loads((DATA / "tokenizers" / f"{name}.json").read_text())["tokenizer"]
        path = self.write("tokenizer.json", json.dumps(tokenizer))
        wanted = self.run_well("tokenize", path, "--format", "ids", "--no-special", stdin=LINES.encode())
        self.assertEqual(self.tokens_of(keys_of(tokenizer), len(tokenizer["model"]["vocab"])), wanted)

    def test_byte_pairs(self):
        self.against("byte-bpe-gpt-2", gguf.byte_pair_keys)
        self.against("byte-bpe-llama-3", lambda tokenizer: gguf.byte_pair_keys(tokenizer, "llama-bpe"))

    def test_word_pieces(self):
        self.against("wordpiece-uncased", gguf.word_piece_keys)
        self.against("wordpiece-cased", gguf.word_piece_keys)

    def test_sentencepiece(self):
        try:
            import sentencepiece
        except ImportError:
            self.skipTest("sentencepiece is absent")
        for name, model in (("bpe-bytes", "llama"), ("bpe-unused", "llama"), ("unigram", "t5")):
            path = DATA / "sentencepiece" / f"{name}.model"
            pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
            count = pieces.get_piece_size()
            kind = lambda i: (2 if pieces.is_unknown(i) else 3 if pieces.is_control(i) else 6 if pieces.is_byte(i) else 5 if pieces.is_unused(i) else 1)
            keys = {"tokenizer.ggml.model": model, "tokenizer.ggml.tokens": [pieces.id_to_piece(i) for i in range(count)],
                    "tokenizer.ggml.scores": [float(pieces.get_score(i)) for i in range(count)],
                    "tokenizer.ggml.token_type": [kind(i) for i in range(count)]}
            settings = self.settings(path)
            keys["tokenizer.ggml.add_space_prefix"] = settings["add_dummy_prefix"]
            keys["tokenizer.ggml.remove_extra_whitespaces"] = settings["remove_extra_whitespaces"]
            if settings["charsmap"]:
                keys["tokenizer.ggml.precompiled_charsmap"] = list(settings["charsmap"])
            wanted = self.run_well("tokenize", path, "--format", "ids", "--no-special", stdin=LINES.encode())
            self.assertEqual(self.tokens_of(keys, count), wanted, name)

    @staticmethod
    def settings(path):
        """What a sentencepiece model says of normalization (fields 2, 3 and 4 of field 3)."""
        data = path.read_bytes()

        def fields(data):
            at = 0

            def number():
                nonlocal at
                value = shift = 0
                while True:
                    byte = data[at]
                    at += 1
                    value |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        return value
            while at < len(data):
                tag = number()
                if tag & 7 == 0:
                    yield tag >> 3, number()
                elif tag & 7 == 2:
                    size = number()
                    yield tag >> 3, data[at:at + size]
                    at += size
                else:
                    size = 4 if tag & 7 == 5 else 8
                    yield tag >> 3, data[at:at + size]
                    at += size
        normal = dict(fields(dict(fields(data))[3]))
        return {"charsmap": normal.get(2, b""), "add_dummy_prefix": bool(normal.get(3, 1)), "remove_extra_whitespaces": bool(normal.get(4, 1))}

    def test_a_token_that_is_a_line_end_opens_and_is_not_converted(self):
        keys, tensors = self.model()
        keys = {key: value for key, value in keys.items() if not key.startswith("tokenizer.")}
        pieces = ["<unk>", "<s>", "</s>", "\n", "\u2581"] + [chr(0x61 + i) for i in range(26)] + [f"\u2581{chr(0x61 + i)}" for i in range(26)]
        pieces += [f"<unused{i}>" for i in range(77 - len(pieces))]
        kinds = [2, 3, 3, 4] + [5 if piece.startswith("<unused") else 1 for piece in pieces[4:]]
        path = self.file(keys | {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": pieces, "tokenizer.ggml.token_type": kinds,
                                 "tokenizer.ggml.scores": [-float(i) for i in range(77)], "tokenizer.ggml.bos_token_id": 1,
                                 "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.add_space_prefix": False}, tensors)
        self.assertEqual(self.run_well("tokenize", path, "--format", "pieces", stdin=b"ab c\n"), "<s> a b \u2581c\n")
        self.expect(3, "holds a line end", "convert", path, "--output", self.folder / "out")

    def test_what_is_not_known_is_named(self):
        keys, tensors = self.model()

        def refused(words, **changes):
            changed = keys | {"tokenizer.ggml." + key: value for key, value in changes.items()}
            changed = {key: value for key, value in changed.items() if value is not None}
            self.expect(5, words, "describe", self.file(changed, tensors))
        refused('key "tokenizer.ggml.model": expected llama, gpt2, bert or t5, found "rwkv"', model="rwkv")
        refused('key "tokenizer.ggml.tokens": expected the list of tokens, found none', tokens=None)
        refused('key "tokenizer.ggml.tokens": expected a list of texts', tokens=[1, 2])
        refused("is no UTF-8", tokens=[b"\xff"] + keys["tokenizer.ggml.tokens"][1:])
        refused("expected a number for each of 77 tokens, found 2", token_type=[1, 1])
        refused("expected 1 to 6, found 9 for token 0", token_type=[9] * 77)
        refused('key "tokenizer.ggml.pre": "mystery" is not supported; supported: gpt-2', model="gpt2", pre="mystery")
        refused('key "tokenizer.ggml.merges": expected a list of pairs, found none', model="gpt2", pre="gpt-2")
        for pair in ("ab", " b", "a ", "a b c"):
            refused(f'key "tokenizer.ggml.merges": expected pairs of pieces with a space between, found "{pair}"', model="gpt2", pre="gpt-2", merges=[pair])
        refused('key "tokenizer.ggml.scores"', model="llama")


class Models(Case):
    def test_it_opens_as_a_file_and_as_a_folder(self):
        keys, tensors = self.model()
        path = self.file(keys, tensors)
        self.assertIn("model of another program", self.run_well("describe", path))
        self.assertIn("16", self.run_well("describe", self.folder))
        shown = json.loads(self.run_well("describe", "--kind", "gguf", "--json", path))
        self.assertEqual(shown["kind"], "gguf")
        self.assertEqual(shown["metadata"]["values"]["general.architecture"], "llama")
        self.assertFalse([tensor for tensor in shown["tensors"] if tensor["name"].startswith(("key:", "ends:"))])
        self.write("second.gguf", path.read_bytes())
        self.expect(2, "it holds 2 GGUF files, expected one; give the file", "describe", self.folder)
        self.assertEqual(self.run_well("tokenize", path, stdin=b"the cats\n").split()[0], "[CLS]")
        renamed = self.write("no-ending", path.read_bytes())
        self.assertIn("model of another program", self.run_well("describe", renamed))

    def test_keys_that_do_not_fit_are_named(self):
        keys, tensors = self.model()

        def refused(words, **changes):
            names = {key: key.replace("__", ".") for key in changes}
            changed = keys | {(name if name.startswith(("general", "split")) else "llama." + name): changes[key] for key, name in names.items()}
            self.expect(5, words, "describe", self.file({key: value for key, value in changed.items() if value is not None}, tensors))
        refused('key "general.architecture": "mamba" is not supported; supported: llama', general__architecture="mamba")
        refused('key "general.architecture": it is missing', general__architecture=None)
        refused('key "split.count": the model lies in several files', split__count=3)
        refused('key "llama.block_count": expected 1 to', block_count=0)
        refused('key "llama.block_count": expected a whole number', block_count="two")
        refused("blk.2.attn_q.weight is missing", block_count=3)
        refused('key "llama.attention.head_count": expected 1 to', attention__head_count=None)
        refused('key "llama.attention.head_count_kv": expected a divisor of the 4 heads, found 3', attention__head_count_kv=3)
        refused('key "llama.attention.value_length"', attention__value_length=6)
        refused('key "llama.attention.layer_norm_rms_epsilon": expected a number above 0', attention__layer_norm_rms_epsilon=None)
        refused('key "llama.expert_count": a router and experts', expert_count=8)
        refused('key "llama.rope.freq_base"', rope__freq_base=-1.0)
        refused('key "llama.rope.dimension_count"', rope__dimension_count=2)
        refused('key "llama.rope.scaling.type": "mystery"', **{"rope__scaling__type": "mystery", "rope__scaling__factor": 2.0})
        refused('key "llama.attention.causal"', attention__causal=False)

    def test_sizes_that_the_file_does_not_have_take_nothing(self):
        keys, tensors = self.model()
        del tensors["rope_freqs.weight"]
        for size, words in ((2**10, '.weight": expected 1048576 rows'), (2**14, 'key "llama.attention.key_length": expected at most 64'),
                            (2**20, 'key "llama.attention.key_length": expected at most 1 ')):
            claims = {f"llama.{key}": size for key in ("attention.head_count", "attention.head_count_kv", "attention.key_length",
                                                       "attention.value_length", "rope.dimension_count")}
            path = self.file(keys | claims, tensors)
            code, message, seconds, megabytes = self.run_limited("describe", path)
            self.assertEqual(code, 5, message)
            self.assertIn(words, message)
            self.assertLess(megabytes, MEGABYTES)
            self.assertLess(seconds, SECONDS)

    def run_limited(self, *arguments):
        """Exit code, errors, processor seconds, megabytes; the limits end what would have no end."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))
            if not sanitized(MOG):
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen([MOG, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            return process.returncode, errors.read().decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024

    def test_tensors_that_do_not_fit_are_named(self):
        keys, tensors = self.model()

        def refused(words, **changes):
            changed = tensors | {name.replace("__", "."): tensor for name, tensor in changes.items()}
            self.expect(5, words, "describe", self.file(keys, {name: tensor for name, tensor in changed.items() if tensor is not None}))
        zeros = lambda *shape: gguf.stored(np.zeros(shape))
        refused("blk.1.ffn_down.weight: the configuration asks for [16, 24], found [16, 20]", blk__1__ffn_down__weight=zeros(16, 20))
        refused('"blk.0.attn_q.weight": expected 16 rows', blk__0__attn_q__weight=zeros(12, 16))
        refused("blk.0.attn_norm.weight is missing", blk__0__attn_norm__weight=None)
        refused('"blk.0.attn_sinks.weight": the architecture llama has no such part', blk__0__attn_sinks__weight=zeros(4))
        refused('"token_embd.weight": expected [tokens, 16]', token_embd__weight=None)
        refused('"rope_freqs.weight": expected F32 [2], found F32 [3]', rope_freqs__weight=zeros(3))
        refused("its tokenizer has 77 tokens", token_embd__weight=zeros(70, 16), output__weight=zeros(70, 16))

    def test_damage_is_one_message(self):
        keys, tensors = self.model()
        whole = gguf.whole(keys, tensors)
        self.expect(3, "it is cut off or damaged", "describe", self.write("cut.gguf", whole[:-4000]))
        self.expect(3, "version 9, expected 2 or 3", "describe", self.write("version.gguf", whole[:4] + struct.pack("<I", 9) + whole[8:]))
        self.expect(3, "is NaN or infinite", "describe", self.file(keys, tensors | {"output_norm.weight": gguf.stored(np.full(16, np.nan))}))
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
