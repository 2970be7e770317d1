"""Cuts texts with text_tool and with sentencepiece itself, and compares ids and pieces.

Usage: sentencepiece_reference.py TEXT_TOOL SHARED_DIR [--lines N]      (or MOG_SHARED_DIR in the environment)
       sentencepiece_reference.py TEXT_TOOL SHARED_DIR --fixtures FOLDER   (writes tests/data/sentencepiece)
       sentencepiece_reference.py TEXT_TOOL SHARED_DIR --model FILE…       (files of others, on the same lines)
Exit code 77 (skipped) when sentencepiece or the texts are absent. Models are learned here from the texts: Unigram and
BPE, with nmt_nfkc, case folding, no normalisation, bytes to fall back on, user-defined symbols, spaces as suffixes,
and with unused pieces.
"""
import argparse
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import sentencepiece
except ImportError as error:
    print(f"skipped: sentencepiece is absent ({error})")
    sys.exit(77)

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("shared", type=pathlib.Path)
parser.add_argument("--lines", type=int, default=10000)
parser.add_argument("--fixtures", type=pathlib.Path)
parser.add_argument("--model", nargs="*", default=[])
arguments = parser.parse_args()
DATA = pathlib.Path(os.environ.get("MOG_SHARED_DIR", arguments.shared)) / "data"
SOURCES = [DATA / "flores" / f"dev.{language}" for language in ("en", "de", "fr", "ro")]
SOURCES += [DATA / "ntrex" / f"newstest2019.{language}" for language in ("en", "de")]
SOURCES += [DATA / "debian-descriptions" / f"paragraphs.{language}" for language in ("en", "de")]
if not arguments.fixtures and not all(source.exists() for source in SOURCES):
    print(f"skipped: the texts of {DATA} are absent; set MOG_SHARED_DIR")
    sys.exit(77)

# The hard lines of tokenizers_reference.py: emoji, combining marks, ideographs, controls, odd spaces.
HERE = pathlib.Path(__file__).resolve().parent
HARD = eval(re.search(r"\nHARD = (\[.*?\n\])", (HERE / "tokenizers_reference.py").read_text(encoding="utf-8"), re.S).group(1))
HARD += ["<sep> foo der Die food<sep>x", "a foo  foo", "\u2581x\u2581 \u2581", "\uff21\uff22 \u3000x", "xyzzy \U0001f9ff\U0001f9ff\u0d4e"]
HARD = [line for line in HARD if not set(line) & set("\r\n\0")]


def corpus(count):
    lines, files = list(HARD), [source.read_text(encoding="utf-8").split("\n") for source in SOURCES if source.exists()]
    for at in range(count):
        lines += [file[at].rstrip("\r") for file in files if at < len(file)]
        if len(lines) >= count:
            break
    return lines[:count] + [line[:len(line) // 2] + hard + line[len(line) // 2:] for hard, line in zip(HARD, lines[len(HARD):])]


KINDS = {
    "unigram": dict(model_type="unigram"),
    "bpe": dict(model_type="bpe"),
    "bpe-bytes": dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
                      split_digits=True),
    "unigram-folded": dict(model_type="unigram", normalization_rule_name="nmt_nfkc_cf", byte_fallback=True,
                           user_defined_symbols=["<sep>", "der Die", "foo"]),
    "bpe-symbols": dict(model_type="bpe", user_defined_symbols=["<sep>", "der Die", "foo"], add_dummy_prefix=False),
    "unigram-suffix": dict(model_type="unigram", treat_whitespace_as_suffix=True, normalization_rule_name="nfkc"),
    "unigram-across": dict(model_type="unigram", split_by_whitespace=False, normalization_rule_name="identity"),
}


def train(lines, vocab_size, **options):
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(line for line in lines if line.strip() and len(line) < 1500), model_writer=written,
                                             minloglevel=2, vocab_size=vocab_size, hard_vocab_limit=False, num_threads=1, **options)
    return written.getvalue()


def with_unused(data):
    """Every seventh normal piece of several characters unused: BPE takes it apart again. By bytes: a field `type` = 5."""
    result, at, count = b"", 0, 0
    while at < len(data) and data[at] == 0x0A:
        size, first = data[at + 1], at + 2
        assert size < 128
        piece = data[first:first + size]
        count += 1
        text = piece[2:2 + piece[1]].decode("utf-8")
        if b"\x18" not in piece[2 + piece[1] + 5:] and len(text) > 1 and count % 7 == 0:
            piece += b"\x18\x05"
        result += bytes([0x0A, len(piece)]) + piece
        at = first + size
    return result + data[at:]


def cut(path, lines, folder):
    (folder / "lines").write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))
    subprocess.run([arguments.tool, "tokenize", path, folder / "lines", folder / "out"], check=True)
    return [[int(token.split(":")[0]) for token in line.split()]
            for line in (folder / "out").read_text(encoding="utf-8").split("\n")[:-1]]


failures = 0


def compare(name, data, lines):
    global failures
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "x.model").write_bytes(data)
        ours, theirs = cut(folder / "x.model", lines, folder), [processor.encode(line) for line in lines]
    wrong = [at for at in range(len(lines)) if at >= len(ours) or ours[at] != theirs[at]]
    print(f"{name}: {len(lines)} lines, {sum(map(len, theirs))} tokens, {len(wrong)} lines differ", flush=True)
    for at in wrong[:5]:
        first = next((i for i, (a, b) in enumerate(zip(ours[at], theirs[at])) if a != b), 0)
        print(f"  {lines[at][:120]!r}\n    ours   {[processor.id_to_piece(i) for i in ours[at][first:first + 8]]}"
              f"\n    theirs {[processor.id_to_piece(i) for i in theirs[at][first:first + 8]]}")
    failures += bool(wrong)


# Small ones: a character map of some hundred entries instead of nmt_nfkc's 240 KB.
RULES = [("\t", " "), ("\u00a0", " "), ("\u3000", " "), ("\u2028", " "), ("\u200b", " "), ("\ufb01", "fi"), ("\ufb02", "fl"), ("\u00b2", "2"),
         ("\u2126", "\u03a9"), ("\u212b", "\u00c5"), ("e\u0301", "\u00e9"), ("a\u0301", "\u00e1"), ("o\u0302\u0323", "\u1ed9"), ("o\u0323", "\u1ecd"),
         ("\u00ad", ""), ("\u0001", ""), ("\u2026", "..."), ("\uff21", "A"), ("\uff22", "B")]


def write_fixtures(folder):
    folder.mkdir(parents=True, exist_ok=True)
    pages = [line.strip() for page in ("glossary", "testing", "desktop") for line in
             (HERE.parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8").split("\n") if 20 < len(line) < 300][:150]
    texts = [line for line in HARD if len(line) < 300] + pages[::12]
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as rules:
        for source, target in RULES:
            rules.write(" ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target) + "\n")
        rules.flush()
        for name, options in {"unigram": dict(model_type="unigram", normalization_rule_tsv=rules.name, user_defined_symbols=["<sep>", "der Die"]),
                              "bpe-unused": dict(model_type="bpe", normalization_rule_tsv=rules.name),
                              "bpe-bytes": dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity"),
                              "unigram-suffix": dict(model_type="unigram", treat_whitespace_as_suffix=True, normalization_rule_name="identity",
                                                     remove_extra_whitespaces=False)}.items():
            data = train(pages, 190 if "bytes" not in name else 350, character_coverage=0.99, **options)
            data = with_unused(data) if "unused" in name else data
            (folder / f"{name}.model").write_bytes(data)
            processor = sentencepiece.SentencePieceProcessor(model_proto=data)
            (folder / f"{name}.json").write_text(json.dumps([{"text": text, "ids": processor.encode(text)} for text in texts], ensure_ascii=False,
                                                            separators=(",", ":")) + "\n", encoding="utf-8")


if arguments.fixtures:
    write_fixtures(arguments.fixtures)
    sys.exit(0)
lines = corpus(arguments.lines)
for path in arguments.model:
    compare(path, pathlib.Path(path).read_bytes(), lines)
for name, options in {} if arguments.model else KINDS.items():
    data = train(lines, 4000, character_coverage=0.9995, **options)
    compare(name, data, lines)
    if name == "bpe":
        compare("bpe, unused", with_unused(data), lines)
sys.exit(failures != 0)
