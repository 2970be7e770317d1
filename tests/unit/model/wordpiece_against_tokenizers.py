"""Cuts texts with text_tool and with Hugging Face's `tokenizers` and compares ids, bytes and words.

Usage: wordpiece_against_tokenizers.py TEXT_TOOL SHARED_DIR (or MOG_SHARED_DIR in the environment)
Exit code 77 (skipped) when `tokenizers` or the texts are absent. The vocabulary is learned here from the same
texts (`tokenizers` can do that), or is that of $MOG_TOKENIZER_JSON.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

try:
    import tokenizers
except ImportError as error:
    print(f"skipped: tokenizers is absent ({error})")
    sys.exit(77)
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

arguments = argparse.ArgumentParser()
arguments.add_argument("tool")
arguments.add_argument("shared", type=pathlib.Path)
arguments = arguments.parse_args()
DATA = pathlib.Path(os.environ.get("MOG_SHARED_DIR", arguments.shared)) / "data"
SOURCES = [(DATA / "flores" / f"dev.{language}", 997) for language in ("en", "de", "fr", "ro")]
SOURCES += [(DATA / "ntrex" / f"newstest2019.{language}", 1997) for language in ("en", "de")]
SOURCES += [(DATA / "debian-descriptions" / f"paragraphs.{language}", 1010) for language in ("en", "de")]
for source, _ in SOURCES:
    if not source.exists():
        print(f"skipped: {source} is absent; set MOG_SHARED_DIR")
        sys.exit(77)

# What is hard: emoji, joined emoji, combining marks (also several, out of order), ideographs, Hangul, right-to-left,
# controls, formats, odd spaces, long words, special tokens in the text, ligatures, cases of several characters.
HARD = [
    "\U0001f600\U0001f600 👨‍👩‍👧‍👦 🇷🇴 ❤️ 1️⃣", "e\u0301 a\u0327\u0301 a\u0301\u0327 o\u0302\u0323 \u0301alone q\u0323\u0307",
    "中文字 混合abc中 \u3400\U00020000\U0002b820\U0002b920 \uf900", "한국어 각각 \u1112\u1161\u11ab", "שָׁלוֹם עוֹלָם مَرْحَبًا हिन्दी ไทย",
    "a\u0000b".replace("\u0000", "\u0001") + " x\u007fy \u0085 z\u200bz \u00adsoft\u00adhyphen \ufeffbom \ufffdbad \ue000private",
    "no\u00a0break\u2003em\u3000ideographic\u2028line\u2029paragraph\u1680ogham\u180emongol", "a" * 100, "a" * 101, "ß" * 100 + " " + "é" * 101,
    "x" * 5000, "[CLS] in the [MASK] text [SEP][PAD] [UNK]x [cls] [ MASK ] [[MASK]]", "ﬁ ﬂ Straße İstanbul ıI ΑΣ ΣΑΣ ǅ ŉ ẞ ﬃ",
    "don't can\u2019t `quoted' \u00abfr\u00bb \u201eDE\u201c \u2014 \u2026 $5 10\u20ac a_b ^ ~ | < > = + \u00a7\u00b6\u00bf", "", " ", "\t \u3000", ".", "##ing # ## a##b",
    "résumé naïve Ångström façade Țară șŞţŢ ăâî", "I\u0307 i\u0307 \u0130", "\u0344 \u0f73 \u0f75 \u0f81 \u2126 \u212a \u212b",
    "١٢٣ Ⅷ ½ ² ㎏ ™ ℃", "\U0001d54f\U0001d558 \U00010400\U00010428", "a\u034fb \u200d\u200c \u2060 \U000e0061",
] * 2


def lines():
    result = list(HARD)
    for source, count in SOURCES:
        with open(source, encoding="utf-8", newline="\n") as file:
            for _, line in zip(range(count), file):
                result.append(line.rstrip("\r\n"))
    return result


def new_tokenizer(corpus, normalizer):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(corpus, trainers.WordPieceTrainer(
        vocab_size=8000, special_tokens=special, show_progress=False, limit_alphabet=600))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")])
    return tokenizer


def described(encoding, text, starts=None):
    """ID:BEGIN:END:WORD with bytes of the text; `starts`: first byte of each given word."""
    places = [0]
    for character in text:
        places.append(places[-1] + len(character.encode("utf-8")))
    total = places[-1] if starts is None else starts[-1]
    parts = []
    for at, (number, word, (begin, end)) in enumerate(zip(encoding.ids, encoding.word_ids, encoding.offsets)):
        if word is None:
            place = 0 if at == 0 else total
            parts.append(f"{number}:{place}:{place}:-1")
        elif starts is None:
            parts.append(f"{number}:{places[begin]}:{places[end]}:{word}")
        else:
            own = text[word].encode("utf-8")
            first = len(text[word][:begin].encode("utf-8"))
            last = len(text[word][:end].encode("utf-8"))
            assert last <= len(own)
            parts.append(f"{number}:{starts[word] + first}:{starts[word] + last}:{word}")
    return " ".join(parts)


def words_of(line):
    return [word for word in line.replace("\t", " ").split(" ")]


failures = 0


def compare(what, given, ours, theirs):
    global failures
    wrong = [i for i in range(max(len(ours), len(theirs)))
             if i >= len(ours) or i >= len(theirs) or ours[i] != theirs[i]]
    print(f"{what}: {len(theirs)} lines, {len(wrong)} differ", flush=True)
    for i in wrong[:6]:
        print(f"  line {i + 1} {given[i][:200]!r}")
        both = list(zip(ours[i].split(), theirs[i].split()))
        first = next((at for at, (left, right) in enumerate(both) if left != right), len(both))
        print(f"    ours   {ours[i].split()[first:first + 8]}\n    theirs {theirs[i].split()[first:first + 8]}")
    failures += bool(wrong)


def run(folder, given, words):
    (folder / "corpus").write_bytes("".join(line + "\n" for line in given).encode("utf-8"))
    subprocess.run([arguments.tool, "wordpiece", folder / "tokenizer.json", folder / "corpus", folder / "out",
                    *(["--words"] if words else [])], check=True)
    return (folder / "out").read_text(encoding="utf-8").split("\n")[:-1]


def check(what, tokenizer, corpus, folder):
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(folder / "tokenizer.json"))
    theirs = [described(encoding, line) for encoding, line in zip(tokenizer.encode_batch(corpus), corpus)]
    compare(f"{what}, texts", corpus, run(folder, corpus, False), theirs)
    split = [words_of(line) for line in corpus]
    theirs = []
    for words, encoding in zip(split, tokenizer.encode_batch(split, is_pretokenized=True)):
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word.encode("utf-8")) + 1)
        starts[-1] -= 1
        theirs.append(described(encoding, words, starts))
    tabbed = ["\t".join(words) for words in split]
    compare(f"{what}, given words", tabbed, run(folder, tabbed, True), theirs)


def every_character():
    """Lines that show what each assigned character does: alone between letters."""
    for first in range(0, 0x110000, 64):
        line = " ".join(f"a{chr(code)}b" for code in range(first, first + 64)
                        if not 0xD800 <= code < 0xE000 and code not in (0, 10)
                        and unicodedata.category(chr(code)) != "Cn")
        if line:
            yield line


corpus = lines()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    given = os.environ.get("MOG_TOKENIZER_JSON")
    if given:
        check(given, Tokenizer.from_file(given), corpus, folder)
    for clean, chinese, accents, lowercase in [(True, True, None, True), (True, True, False, False),
                                               (True, False, True, False), (False, True, False, True)]:
        normalizer = normalizers.BertNormalizer(clean_text=clean, handle_chinese_chars=chinese,
                                                strip_accents=accents, lowercase=lowercase)
        tokenizer = new_tokenizer(corpus, normalizer)
        what = f"clean {clean}, chinese {chinese}, accents {accents}, lowercase {lowercase}"
        check(what, tokenizer, corpus, folder)
        check(what + ", every character", tokenizer, list(every_character()), folder)
sys.exit(failures != 0)
