"""Cuts texts with text_tool (or mog) and with Hugging Face's `tokenizers` and compares ids, bytes and words.

Usage: tokenizers_reference.py TEXT_TOOL SHARED_DIR [--lines N] [--only TEXT] [--keep FOLDER] [--fast]
       tokenizers_reference.py TEXT_TOOL SHARED_DIR --fixtures FOLDER   (writes tests/data/tokenizers)
(or MOG_SHARED_DIR in the environment). Exit code 77 (skipped) when `tokenizers` or the texts are absent. --fast leaves
out the lines with every character. Tokenizers of every kind are learned here from the same texts: WordPiece (cased, uncased and with other parts), byte-level BPE
(GPT-2, RoBERTa, BART, Llama-3-like splits), BPE with bytes to fall back on, Unigram (T5, XLM-R, Marian, ALBERT).
"""
import argparse
import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unicodedata

try:
    import tokenizers
except ImportError as error:
    print(f"skipped: tokenizers is absent ({error})")
    sys.exit(77)
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("shared", type=pathlib.Path)
parser.add_argument("--lines", type=int, default=10000)
parser.add_argument("--only", default="")
parser.add_argument("--keep", type=pathlib.Path)
parser.add_argument("--fast", action="store_true")
parser.add_argument("--fixtures", type=pathlib.Path)
arguments = parser.parse_args()
DATA = pathlib.Path(os.environ.get("MOG_SHARED_DIR", arguments.shared)) / "data"
SOURCES = [DATA / "flores" / f"dev.{language}" for language in ("en", "de", "fr", "ro")]
SOURCES += [DATA / "ntrex" / f"newstest2019.{language}" for language in ("en", "de")]
SOURCES += [DATA / "debian-descriptions" / f"paragraphs.{language}" for language in ("en", "de")]
DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
SIZE = 420 if arguments.fixtures else 8000
for source in SOURCES if not arguments.fixtures else ():
    if not source.exists():
        print(f"skipped: {source} is absent; set MOG_SHARED_DIR")
        sys.exit(77)

# What is hard: emoji, joined emoji, combining marks (also several, out of order), ideographs, Hangul, right-to-left,
# controls, formats, odd spaces, long words, special tokens in the text, ligatures, cases of several characters.
HARD = [
    "\U0001f600\U0001f600 👨‍👩‍👧‍👦 🇷🇴 ❤️ 1️⃣ 👍🏽 🏴\U000e0067\U000e0062\U000e007f", "e\u0301 a\u0327\u0301 a\u0301\u0327 o\u0302\u0323 \u0301alone q\u0323\u0307",
    "中文字 混合abc中 \u3400\U00020000\U0002b820\U0002b920 \uf900", "한국어 각각 \u1112\u1161\u11ab", "שָׁלוֹם עוֹלָם مَرْحَبًا हिन्दी ไทย",
    "a\u0001b x\u007fy \u0085 z\u200bz \u00adsoft\u00adhyphen \ufeffbom \ufffdbad \ue000private",
    "no\u00a0break\u2003em\u3000ideographic\u2028line\u2029paragraph\u1680ogham\u180emongol", "a" * 100, "a" * 101, "ß" * 100 + " " + "é" * 101,
    "x" * 5000, "[CLS] in the [MASK] text [SEP][PAD] [UNK]x [cls] [ MASK ] [[MASK]]", "ﬁ ﬂ Straße İstanbul ıI ΑΣ ΣΑΣ ǅ ŉ ẞ ﬃ",
    "<s> in the <mask> text </s><pad> <unk>x  <mask>  <extra_id_0>x y<extra_id_1> <|endoftext|>. <Mask>",
    "don't can\u2019t I'll we've they're `quoted' \u00abfr\u00bb \u201eDE\u201c \u2014 \u2026 $5 10\u20ac a_b ^ ~ | < > = + \u00a7\u00b6\u00bf", "", " ", "\t \u3000", ".", "##ing # ## a##b",
    "résumé naïve Ångström façade Țară șŞţŢ ăâî", "I\u0307 i\u0307 \u0130", "\u0344 \u0f73 \u0f75 \u0f81 \u2126 \u212a \u212b \u0344\u0323 \u0f73\u0f73",
    "١٢٣ Ⅷ ½ ² ㎏ ™ ℃ 12345 1,000,000.50", "\U0001d54f\U0001d558 \U00010400\U00010428", "a\u034fb \u200d\u200c \u2060 \U000e0061",
    "  leading", "trailing  ", "two  spaces   three    four", " \u00a0 \u00a0x", "a\tb\t\tc \t d", "word▁with▁marks ▁ ▁▁x", "'s 'S ''ll '", "it's 'tis O'Neil's",
    "The final countdown-- a--b - -", "https://example.org/a/b?c=d&e=%20#f x@y.zz", "def f(x):\r return x\r x", "ǆ Ǆ ß SS ﬀ \u1e9b\u0323 \ufb1d ﷺ",
    "한글과 中文 and English混ぜた文、テスト。ｶﾞ ガ ｶﾞ", "𝒜𝓑 ① ⑳ ㊗ ﹏ ＡＢＣ　ｄｅｆ １２３", "e\u0301\u0301\u0301\u0301 \u0301\u0302", "\u1100\u1161\u11a8 \u1100\u1161 \u1100",
    "नमस्ते क्षत्रिय স্বাগতম தமிழ் ကမ္ဘာ ខ្មែរ", "\u0600123 \u0d4eക", "x" * 300 + " " + "𐍈" * 80, "🧑🏿‍🚀🧑🏿‍🚀 ☃︎ ☃️ ✊🏻", "\u200e\u200fmarks\u202a\u202c",
]


def lines(count):
    result = list(HARD)
    files = [open(source, encoding="utf-8", newline="\n") for source in SOURCES]
    while len(result) < count and files:
        for file in list(files):
            line = file.readline()
            if not line:
                files.remove(file)
                continue
            result.append(line.rstrip("\r\n"))
    # Real lines with what is hard between their words.
    extra = [f"{line[:len(line) // 2]}{hard}{line[len(line) // 2:]}" for hard, line in zip(HARD, result[len(HARD):])]
    return (result + extra)[: count + len(extra)]


def every_character():
    """Lines that show what each assigned character does: alone between letters."""
    for first in range(0, 0x110000, 64):
        line = " ".join(f"a{chr(code)}b" for code in range(first, first + 64)
                        if not 0xD800 <= code < 0xE000 and code not in (0, 10)
                        and unicodedata.category(chr(code)) != "Cn")
        if line:
            yield line


def charsmap(rules):
    """A sentencepiece character map: a double-array trie of UTF-8 keys, and the replacements."""
    replacements, offsets = b"", {}
    for target in sorted(set(rules.values())):
        offsets[target] = len(replacements)
        replacements += target.encode() + b"\0"
    root = {}
    for key, target in rules.items():
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[None] = offsets[target]
    units, used = [0] * 256, {0}
    free = [1]

    def offset_of(base, node_at):
        relative = base ^ node_at
        if relative < 1 << 21:
            return relative << 10
        assert relative & 0xFF == 0
        return (relative >> 8) << 10 | 1 << 9

    def place(node, at):
        labels = [0 if label is None else label for label in node]
        base = free[0]
        while True:
            if (base ^ at) < 1 << 21 and all((base ^ label) not in used for label in labels) and base not in bases:
                break
            base += 1
        bases.add(base)
        while len(units) <= (base | 0xFF):
            units.extend([0] * 256)
        for label in labels:
            used.add(base ^ label)
        while free[0] in used:
            free[0] += 1
        units[at] |= offset_of(base, at) | (1 << 8 if None in node else 0)
        for label, child in node.items():
            if label is None:
                units[base] = 1 << 31 | child
            else:
                units[base ^ label] = label
        for label, child in node.items():
            if label is not None:
                place(child, base ^ label)

    bases = set()
    place(root, 0)
    blob = struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + replacements
    return base64.b64encode(blob).decode()


def nmt_nfkc():
    """What sentencepiece's nmt_nfkc does, as far as single characters and short clusters go."""
    rules = {}
    for code in range(1, 0x500 if arguments.fixtures else 0x30000):
        character = chr(code)
        if 0xD800 <= code < 0xE000 or unicodedata.category(character) == "Cn":
            continue
        if code in (9, 10, 12, 13, 0x1680, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD):
            rules[character] = " "
        elif code < 0x20 or code in (0x7F, 0x8F, 0x9F):
            rules[character] = ""
        elif unicodedata.normalize("NFKC", character) != character:
            rules[character] = unicodedata.normalize("NFKC", character)
        nfd = unicodedata.normalize("NFD", character)
        if code < 0x2000 and len(nfd) > 1 and unicodedata.normalize("NFC", nfd) == character:
            rules[nfd] = character
    return {key: target for key, target in rules.items() if key != target}


def precompiled():
    component = json.dumps({"type": "Precompiled", "precompiled_charsmap": CHARSMAP})
    document = json.loads(Tokenizer(models.BPE()).to_str())
    document["normalizer"] = json.loads(component)
    return Tokenizer.from_str(json.dumps(document)).normalizer


CHARSMAP = charsmap(nmt_nfkc())


def frame(tokenizer, first, last):
    parts = [token for token in (first, last) if token]
    single = " ".join(filter(None, [first, "$A", last]))
    pair = " ".join(filter(None, [first, "$A", last, "$B", last]))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(token, tokenizer.token_to_id(token)) for token in parts])


def word_piece(normalizer, pre_tokenizer=None, mask=None, added=()):
    def make(corpus):
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
        tokenizer.normalizer = normalizer
        tokenizer.pre_tokenizer = pre_tokenizer or pre_tokenizers.BertPreTokenizer()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", mask or "[MASK]"]
        tokenizer.train_from_iterator(corpus, trainers.WordPieceTrainer(
            vocab_size=SIZE, special_tokens=special, show_progress=False, limit_alphabet=min(600, SIZE // 3)))
        tokenizer.add_tokens(list(added))
        frame(tokenizer, "[CLS]", "[SEP]")
        return tokenizer
    return make


def byte_bpe(prefix, post, normalizer=None, pre=None, special=("<s>", "<pad>", "</s>", "<unk>"), added=(), **options):
    def make(corpus):
        tokenizer = Tokenizer(models.BPE(**options))
        if normalizer:
            tokenizer.normalizer = normalizer
        tokenizer.pre_tokenizer = pre or pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        mask = AddedToken("<mask>", lstrip=True, special=True)
        tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
            vocab_size=SIZE, special_tokens=[*special, mask], show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
        tokenizer.add_tokens(list(added))
        if post:
            post(tokenizer)
        return tokenizer
    return make


def roberta(trim, prefix):
    def post(tokenizer):
        tokenizer.post_processor = processors.RobertaProcessing(
            ("</s>", tokenizer.token_to_id("</s>")), ("<s>", tokenizer.token_to_id("<s>")), trim, prefix)
    return post


def gpt2(trim):
    def post(tokenizer):
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=trim)
    return post


def llama(tokenizer):
    template = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B",
                                             special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])


def fallback_bpe(corpus):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = None
    split = [word for line in corpus for word in line.split(" ")]
    tokenizer.train_from_iterator(split, trainers.BpeTrainer(
        vocab_size=SIZE // 2 + 300, show_progress=False, limit_alphabet=200,
        special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]))
    frame(tokenizer, "<s>", "")
    return tokenizer


def suffix_bpe(fuse):
    def make(corpus):
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=fuse))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
            vocab_size=SIZE // 2 + 300, show_progress=False, limit_alphabet=100, special_tokens=["<unk>"], end_of_word_suffix="</w>"))
        return tokenizer
    return make


def prefix_bpe(corpus):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(),
                                                       pre_tokenizers.Punctuation("merged_with_previous")])
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=SIZE // 2 + 300, show_progress=False, limit_alphabet=100, special_tokens=["<unk>"], continuing_subword_prefix="##"))
    return tokenizer


def unigram(normalizer, pre_tokenizer, first, last, special, train_normalizer=None, byte_fallback=False, unknown="<unk>"):
    def make(corpus):
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = train_normalizer or normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizer
        names = [*special, *(f"<0x{byte:02X}>" for byte in range(256) if byte_fallback)]
        tokenizer.train_from_iterator(corpus[:4000], trainers.UnigramTrainer(
            vocab_size=SIZE, special_tokens=names, unk_token=unknown, show_progress=False))
        tokenizer.normalizer = normalizer
        frame(tokenizer, first, last)
        if byte_fallback:
            document = json.loads(tokenizer.to_str())
            document["model"]["byte_fallback"] = True
            tokenizer = Tokenizer.from_str(json.dumps(document))
        return tokenizer
    return make


SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
EXTRA = [f"<extra_id_{i}>" for i in range(5)]
# GPT-4's and Llama 3's expression.
MODERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
BERT = normalizers.BertNormalizer
SPLIT_MODERN = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(MODERN), "isolated"),
                                        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def kinds():
    yield "wordpiece uncased", word_piece(BERT(True, True, None, True))
    yield "wordpiece cased", word_piece(BERT(True, True, False, False))
    if not arguments.fixtures:
        yield "wordpiece, not cleaned", word_piece(BERT(False, True, False, True))
        yield "wordpiece, ideographs in words", word_piece(BERT(True, False, True, False))
    yield "wordpiece, parts apart", word_piece(
        normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]),
        pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]),
        AddedToken("<mask>", lstrip=True, rstrip=True, special=True),
        [AddedToken("final", single_word=True), AddedToken("The Ț", normalized=True), "1,000"])
    yield "wordpiece, MPNet-like", word_piece(BERT(True, True, None, True), None, AddedToken("<mask>", lstrip=True, special=True))
    yield "byte BPE, GPT-2", byte_bpe(False, gpt2(False), special=["<|endoftext|>"])
    yield "byte BPE, GPT-2 trimmed", byte_bpe(True, gpt2(True), special=["<|endoftext|>"])
    yield "byte BPE, RoBERTa", byte_bpe(False, roberta(True, True), added=[AddedToken("<word>", single_word=True), "final"])
    yield "byte BPE, BART with prefix", byte_bpe(True, roberta(True, True))
    yield "byte BPE, no trim", byte_bpe(True, roberta(False, False), normalizer=normalizers.NFC())
    yield "byte BPE, Llama 3", byte_bpe(False, llama, pre=SPLIT_MODERN, ignore_merges=True)
    yield "byte BPE, digits and strip", byte_bpe(
        False, gpt2(True), normalizer=normalizers.Sequence([normalizers.Strip(), normalizers.NFKD(), normalizers.Nmt()]),
        pre=pre_tokenizers.Sequence([pre_tokenizers.Digits(False), pre_tokenizers.Punctuation("contiguous"),
                                     pre_tokenizers.ByteLevel(add_prefix_space=False)]))
    yield "BPE with bytes, Llama", fallback_bpe
    yield "BPE with suffix", suffix_bpe(False)
    yield "BPE with suffix, fused", suffix_bpe(True)
    yield "BPE with prefix", prefix_bpe
    yield "unigram, T5", unigram(precompiled(), pre_tokenizers.Metaspace("▁", "always"), "", "</s>",
                                 ["<pad>", "</s>", "<unk>", *EXTRA])
    yield "unigram, XLM-R", unigram(precompiled(), pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace("▁", "always")]), "<s>", "</s>", SPECIAL)
    yield "unigram, first", unigram(normalizers.Sequence([
        normalizers.Replace(Regex(" {2,}"), " "), precompiled(), normalizers.Strip()]),
        pre_tokenizers.Metaspace("▁", "first"), "", "</s>", SPECIAL)
    yield "unigram, ALBERT", unigram(normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(), normalizers.StripAccents(),
        normalizers.Lowercase(), normalizers.Replace(Regex(" {2,}"), " "), precompiled()]),
        pre_tokenizers.Metaspace("▁", "always"), "<s>", "</s>", SPECIAL)
    yield "unigram, whole lines", unigram(normalizers.NFKC(), pre_tokenizers.Metaspace("▁", "never", split=False),
                                          "", "</s>", SPECIAL, byte_fallback=True)


failures = 0


def compare(what, given, ours, theirs):
    global failures
    wrong = [i for i in range(max(len(ours), len(theirs)))
             if i >= len(ours) or i >= len(theirs) or ours[i] != theirs[i]]
    print(f"{what}: {len(theirs)} lines, {sum(len(line.split()) for line in theirs)} tokens, {len(wrong)} lines differ", flush=True)
    for i in wrong[:5]:
        print(f"  line {i + 1} {given[i][:160]!r}")
        both = list(zip(ours[i].split(), theirs[i].split()))
        first = next((at for at, (left, right) in enumerate(both) if left != right), len(both))
        print(f"    ours   {ours[i].split()[first:first + 8]}\n    theirs {theirs[i].split()[first:first + 8]}")
    failures += bool(wrong)


def described(encoding, text):
    """ID:BEGIN:END for every token, with bytes of the text; of the frame the ids alone."""
    places = [0]
    for character in text:
        places.append(places[-1] + len(character.encode("utf-8")))
    return " ".join(f"{number}::" if word is None else f"{number}:{places[begin]}:{places[end]}"
                    for number, (begin, end), word in zip(encoding.ids, encoding.offsets, encoding.word_ids))


def described_words(encoding, words):
    """The same for given words, which the text joins with one space."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word.encode("utf-8")) + 1)
    return " ".join(f"{number}::" if word is None else
                    f"{number}:{starts[word] + len(words[word][:begin].encode('utf-8'))}:{starts[word] + len(words[word][:end].encode('utf-8'))}"
                    for number, (begin, end), word in zip(encoding.ids, encoding.offsets, encoding.word_ids))


def run(folder, given, theirs, *options):
    """The same of text_tool; what is the frame is known from the reference."""
    (folder / "corpus").write_bytes("".join(line + "\n" for line in given).encode("utf-8"))
    subprocess.run([arguments.tool, "tokenize", folder / "tokenizer.json", folder / "corpus", folder / "out", *options], check=True)
    result = []
    for line, other in zip((folder / "out").read_text(encoding="utf-8").split("\n")[:-1], theirs):
        ours = [token.rsplit(":", 1)[0] for token in line.split()]
        framed = [token.endswith("::") for token in other.split()]
        if len(framed) == len(ours):
            ours = [token.split(":")[0] + "::" if frame else token for token, frame in zip(ours, framed)]
        result.append(" ".join(ours))
    return result


def write_fixture(what, make):
    """A small tokenizer of the project's own pages, and what the reference makes of hard lines and of some of these."""
    pages = [line.strip() for page in ("glossary", "testing", "desktop", "training", "expressions")
             for line in (DOCS / f"{page}.md").read_text(encoding="utf-8").split("\n") if 20 < len(line) < 400]
    # No line end in a token: vocab.txt could not hold it.
    tokenizer = make([text for text in HARD if "\r" not in text] + pages)
    tokenizer = Tokenizer.from_str(tokenizer.to_str())  # scores as the file says them
    texts = [text for text in HARD if len(text) < 400] + pages[::12]
    document = {"tokenizers": tokenizers.__version__, "tokenizer": json.loads(tokenizer.to_str()),
                "lines": [{"text": text, "tokens": described(tokenizer.encode(text), text)} for text in texts]}
    name = "".join(c if c.isalnum() else "-" for c in what.lower()).replace("--", "-")
    arguments.fixtures.mkdir(parents=True, exist_ok=True)
    (arguments.fixtures / f"{name}.json").write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n",
                                                     encoding="utf-8")


if arguments.fixtures:
    for what, make in kinds():
        if arguments.only in what:
            write_fixture(what, make)
    sys.exit(0)
corpus = lines(arguments.lines)
with tempfile.TemporaryDirectory() as name:
    for what, make in kinds():
        if arguments.only not in what:
            continue
        folder = arguments.keep / what.replace(" ", "-") if arguments.keep else pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.keep and (folder / "tokenizer.json").exists():
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        else:
            tokenizer = make([line for line in corpus if len(line) < 2000])
            tokenizer.save(str(folder / "tokenizer.json"))
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))  # scores as the file says them
        for name_of_texts, texts in (("", corpus), (", every character", list(every_character()))):
            if name_of_texts and arguments.fast:
                continue
            theirs = [described(tokenizer.encode(text), text) for text in texts]
            compare(what + name_of_texts, texts, run(folder, texts, theirs), theirs)
        if what.startswith("wordpiece") and "apart" not in what:
            split = [[word for word in text.replace("\t", " ").split(" ")] for text in corpus if "[" not in text and "<mask>" not in text]
            theirs = [described_words(encoding, words)
                      for encoding, words in zip(tokenizer.encode_batch(split, is_pretokenized=True), split)]
            tabbed = ["\t".join(words) for words in split]
            compare(what + ", given words", tabbed, run(folder, tabbed, theirs, "--words"), theirs)
sys.exit(failures != 0)
