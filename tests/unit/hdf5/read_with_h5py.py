"""Recordings as stock h5py and pandas read them, and defects built into sound recordings.

Usage: read_with_h5py.py SAMPLE_TOOL DOCUMENT. Returns 77 (skipped) where h5py or pandas is missing.
DOCUMENT is docs/recording-format.md: its examples are run.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

try:
    import h5py
    import numpy as np
    import pandas
except ImportError as missing:
    print(f"skipped: {missing}; set MOG_TEST_PYTHON to a Python that has h5py and pandas")
    sys.exit(77)

TOOL, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
SENTENCES, PER_SHARD = 40, 16
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def tool(*arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def sample_value(number, quantity, at):
    return ((number * 31 + quantity * 17 + at) % 1024) / 512


def document_examples():
    """Of all recordings; then by_place() runs those of many shards."""
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    check(len(blocks) == 8, "the document has eight examples")
    return [block for block in blocks if "shard-" not in block]


def by_place(folder):
    """The examples that open the shard of a sentence."""
    blocks = [block for block in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL) if "shard-" in block]
    os.chdir(folder)
    place, all_shards = {}, {}
    exec(blocks[0], place)
    exec(blocks[1], all_shards)
    os.chdir("/")
    with h5py.File(folder / "recording" / "shard-00001.h5") as f:
        names = [q["name"] for q in json.loads(bytes(f["header"][:]))["quantities"]]
    expected = [sample_value(12, names.index("encoder.1.middle1.attention"), i) for i in range(108)]
    check(np.array_equal(place["maps"].ravel(), np.array(expected, "f2")), "a map by its shard and row")
    check(len(all_shards["gates"]) == place["table"]["tokens"][:].sum(), "a value a token of all shards")


def many_shards(folder):
    """Of more than 100 shards nothing is virtual: the table of the sentences, and where each lies."""
    folder.mkdir()
    recording = folder / "recording"
    check(tool("write", recording, 120, 1)[0] == 0, "a recording of 120 shards is written")
    with h5py.File(recording / "recording.h5") as f:
        found = []
        f.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        check(not any(item.is_virtual for item in found), "nothing is virtual")
        check(sorted(item.name for item in found) == ["/header"] + [f"/sentences/{name}" for name in (
            "number", "row", "shard", "target_tokens", "tokens", "truncated", "words")], "its datasets")
        columns = {name: f["sentences"][name][:] for name in f["sentences"]}
        for at, (shard, row) in enumerate(zip(columns["shard"], columns["row"])):
            with h5py.File(recording / f"shard-{shard:05}.h5") as part:
                for name in part["sentences"]:
                    check(part["sentences"][name][row] == columns[name][at], f"{name} of row {at}")
    by_place(folder)
    check(tool("read", recording) == (0, "ok 120\n"), "it is sound")


def examples(folder):
    """Runs the examples of the document as they stand there; their variables are checked."""
    blocks = document_examples()
    for name in ("recording.h5", "shard-00001.h5"):
        results = []
        os.chdir(folder)
        for block in blocks:
            scope = {}
            exec(block.replace("recording/recording.h5", f"recording/{name}"), scope)
            results.append(scope)
        os.chdir("/")
        maps, table, text, tokens, gates = (results[0]["maps"], results[1]["table"], results[2]["text"],
                                            results[3]["tokens"], results[4]["gates"])
        check(maps.dtype == np.float16 and maps.shape == (3, 6, 6), f"{name}: a map's type and shape")
        header = json.loads(bytes(results[0]["f"]["header"][:]))
        names = [q["name"] for q in header["quantities"]]
        expected = [sample_value(12, names.index("encoder.1.middle1.attention"), i) for i in range(108)]
        check(np.array_equal(maps.ravel(), np.array(expected, "f2")), f"{name}: a map's values")
        places = {"row": 11, "shard": 1} if name == "recording.h5" else {}
        check(list(table.columns) == sorted(["target_tokens", "tokens", "truncated", "words", *places]), f"{name}: columns")
        check(table.loc[12].to_dict() == {"tokens": 6, "words": 5, "target_tokens": 2, "truncated": 0} | places,
              f"{name}: a row")
        check(text == "😀! x the Übung 日本", f"{name}: text")
        check(list(tokens.text) == ["😀!@@", "x", "the@@", "Übung", "日本@@", "</s>"], f"{name}: tokens")
        check(list(tokens.word) == [0, 1, 2, 3, 4, -1], f"{name}: words of the tokens")
        check(len(gates) == table.tokens.sum(), f"{name}: a value a token")
        cross = results[5]["maps"]
        expected = [sample_value(12, names.index("decoder.1.cross.attention"), i) for i in range(36)]
        check(cross.shape == (3, 2, 6), f"{name}: a cross map's shape")
        check(np.array_equal(cross.ravel(), np.array(expected, "f2")), f"{name}: a cross map's values")


def read_by_h5py(recording):
    with h5py.File(recording / "shard-00001.h5") as f:
        names = [q["name"] for q in json.loads(bytes(f["header"][:]))["quantities"]]
    with h5py.File(recording / "recording.h5") as f:
        check(len(f["sentences/number"]) == SENTENCES, "recording.h5 holds all sentences")
        check(all(f["quantities"][k].is_virtual for k in f["quantities"]), "recording.h5 is virtual")
        for name, dataset in f["quantities"].items():
            quantity = names.index(name)
            offsets = f[dataset.attrs["offsets"]][:]
            values, numbers = dataset[:], f["sentences/number"][:]
            check(offsets[-1] == len(values), f"{name}: offsets end where the values do")
            for row, number in enumerate(numbers):
                expected = [sample_value(int(number), quantity, i) for i in range(offsets[row + 1] - offsets[row])]
                if not np.array_equal(values[offsets[row]:offsets[row + 1]], np.array(expected, values.dtype)):
                    check(False, f"{name}: values of sentence {number}")
                    break


def explains_itself(recording):
    def visit(name, item):
        check("description" in item.attrs, f"{name} has a description")
        if isinstance(item, h5py.Dataset):
            check("axes" in item.attrs and "units" in item.attrs, f"{name} has axes and units")
            check(item.dtype.kind in "iuf" and item.dtype.byteorder in "<=|", f"{name}: {item.dtype} is plain")
        for key in item.attrs:
            kind = item.attrs.get_id(key).dtype
            check(h5py.check_string_dtype(kind) is None or h5py.check_string_dtype(kind).length is not None,
                  f"{name}: attribute {key} is of fixed length")
    with h5py.File(recording / "shard-00001.h5") as f:
        f.visititems(visit)
        for key in ("format", "format_version", "model_card", "model_sha256", "tokenizer_sha256", "corpus_sha256",
                    "command_line", "device", "precision", "seed", "started"):
            check(key in f.attrs, f"the root has {key}")
        for name in f["quantities"]:
            check(f["quantities"][name].fletcher32, f"{name} has checksums")
        check(f["quantities/encoder.2.gate"].attrs["layer"] == 2, "the layer's number is stored")


def sum_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def journal_and_manifest(recording):
    numbers = []
    for line in (recording / "journal.jsonl").read_bytes().splitlines():
        document = json.loads(line)
        record = line[len(b'{"crc32":"01234567","record":'):-1]
        check(document["crc32"] == f"{zlib.crc32(record):08x}", "a journal line's checksum")
        for first, last in document["record"].get("numbers", []):
            numbers += range(first, last + 1)
        if document["record"]["type"] == "shard":
            check(document["record"]["sha256"] == sum_of(recording / document["record"]["file"]), "a shard's sum")
    check(numbers == list(range(1, SENTENCES + 1)), "the journal names every sentence once")
    text = (recording / "manifest.json").read_bytes()
    manifest = json.loads(text)
    check(text == summed(text[:-83]), "the manifest's sum of itself")
    check(manifest["files"] == {name: sum_of(recording / name) for name in ("journal.jsonl", "recording.h5")},
          "the sums of the other files")
    check(manifest["complete"] and manifest["sentences"] == SENTENCES and manifest["shards"] == 3, "manifest's counts")


def replace(name, **facts):
    def change(f):
        kept = dict(f[name].attrs)
        del f[name]
        dataset = f.create_dataset(name, **facts)
        for key, value in kept.items():
            dataset.attrs.create(key, value, dtype=f"S{len(value)}" if isinstance(value, str) else None)
    return change


def edit(name, row, value):
    def change(f):
        f[name][row] = value
    return change


def put(name, value):
    def change(f):
        f[name] = value
    return change


def version(text):
    def change(f):
        f.attrs["format_version"] = np.bytes_(text)
    return change


def external_storage(f):
    f.create_dataset("extra", shape=(8,), dtype="u1", external=[("/proc/self/status", 0, 8)])


def virtual(source):
    def change(f):
        layout = h5py.VirtualLayout(shape=(8,), dtype="f4")
        layout[:] = h5py.VirtualSource(source, "/extra", shape=(8,))
        f.create_virtual_dataset("extra", layout)
    return change


def cycle(f):
    f["text/up"] = f["/text"]


def deep(f):
    group = f
    for _ in range(30):
        group = group.create_group("g")


def header_without(key):
    def change(f):
        header = json.loads(bytes(f["header"][:]))
        del header["model"][key]
        replace("header", data=np.frombuffer(json.dumps(header).encode(), "u1"))(f)
    return change


GATE, GATE_OFFSETS = "quantities/encoder.1.gate", "offsets/values/token.d_model4"
# What is done to a sound shard, and what the message must contain besides the file's name.
DEFECTS = {
    "soft link": (put("extra", h5py.SoftLink("/tokens")), ["/extra", "soft link"]),
    "soft link to itself": (put("extra", h5py.SoftLink("/extra")), ["/extra", "soft link"]),
    "external link": (put("extra", h5py.ExternalLink("other.h5", "/x")), ["/extra", "external link"]),
    "external storage": (external_storage, ["/extra", "external storage"]),
    "virtual dataset": (virtual("other.h5"), ["/extra", "virtual"]),
    "virtual dataset over itself": (virtual("."), ["/extra", "virtual"]),
    "second name": (cycle, ["/text", "loop"]),
    "deep groups": (deep, ["deep"]),
    "rank 9": (put("extra", np.zeros((1,) * 9, "f4")), ["/extra", "rank 9"]),
    "rank 32": (put("extra", np.zeros((1,) * 32, "f4")), ["/extra", "rank 32"]),
    "scalar": (put("extra", np.float32(1)), ["/extra", "scalar"]),
    "null": (put("extra", h5py.Empty("f4")), ["/extra", "null"]),
    "variable-length rows": (lambda f: f.create_dataset("extra", (3,), dtype=h5py.vlen_dtype("f4")),
                             ["/extra", "variable-length"]),
    "variable-length text": (put("extra", ["a", "bb"]), ["/extra", "variable-length"]),
    "variable-length attribute": (lambda f: f["tokens"].attrs.__setitem__("note", "x"),
                                  ["/tokens", "note", "variable-length"]),
    "compound": (put("extra", np.zeros(3, [("a", "f4")])), ["/extra", "compound"]),
    "opaque": (put("extra", np.zeros(3, "V7")), ["/extra", "opaque"]),
    "int8": (put("extra", np.zeros(3, "i1")), ["/extra", "1-byte integer"]),
    "big-endian": (put("extra", np.zeros(3, ">f4")), ["/extra", "big-endian"]),
    "complex": (put("extra", np.zeros(3, "c8")), ["/extra", "compound"]),
    "string": (put("extra", np.zeros(3, "S5")), ["/extra", "5-byte string"]),
    "enumeration": (lambda f: f.create_dataset("extra", (4,), dtype=h5py.enum_dtype({"A": 1})),
                    ["/extra", "enumeration"]),
    "reference": (lambda f: f.create_dataset("extra", (2,), dtype=h5py.ref_dtype), ["/extra", "reference"]),
    "named type": (put("extra", np.dtype("f4")), ["/extra", "neither a group nor a dataset"]),
    "unknown filter": (lambda f: f.create_dataset("extra", data=np.zeros(64, "f4"), chunks=(64,), scaleoffset=3),
                       ["/extra", "filter 6"]),
    "2^40 doubles": (lambda f: f.create_dataset("extra", shape=(2**40,), dtype="f8", chunks=(1024,)),
                     ["/extra", "8796093022208 bytes"]),
    "2^62 bytes": (lambda f: f.create_dataset("extra", shape=(2**31, 2**31), dtype="u1", chunks=(64, 64)),
                   ["/extra", "impossible"]),
    "overflow": (lambda f: f.create_dataset("extra", shape=(2**31, 2**31, 2**3), dtype="u1", chunks=(64, 64, 1)),
                 ["/extra", "fit 64 bits"]),
    "never written": (lambda f: f.create_dataset("extra", shape=(1000,), dtype="f4", chunks=(100,)),
                      ["/extra", "4000 bytes are declared, 0 are stored"]),
    "contiguous, never written": (lambda f: f.create_dataset("extra", shape=(1000,), dtype="f4"),
                                  ["/extra", "are stored"]),
    "1000:1": (lambda f: f.create_dataset("extra", data=np.zeros(2**22, "f4"), chunks=(2**22,), compression=9),
               ["/extra", "1000:1"]),
    "large chunk": (lambda f: f.create_dataset("extra", data=np.random.default_rng(1).random(9_000_000),
                                               chunks=(9_000_000,)), ["/extra", "64 MiB"]),
    "chunks of one byte": (lambda f: f.create_dataset("extra", shape=(2**20,), maxshape=(None,), dtype="u1",
                                                      chunks=(1,)), ["/extra", "1048576 chunks"]),
    "name of dots": (put("..", np.zeros(1)), ["name", "dots"]),
    "name not UTF-8": (put(b"\xff\xfe", np.zeros(1)), ["name", "UTF-8"]),
    "long name": (put("n" * 20000, np.zeros(1)), ["name", "20000 bytes"]),
    "many attributes": (lambda f: [f["text"].attrs.__setitem__(f"a{i}", i) for i in range(600)],
                        ["/text", "601 attributes"]),
    "not a recording": (lambda f: f.attrs.__delitem__("format"), ["no recording"]),
    "newer major version": (version("2.0"), ["version 2.0", "reads version 1.x"]),
    "no version": (version("one"), ["version"]),
    "no header": (lambda f: f.__delitem__("header"), ["/header", "missing"]),
    "header is no JSON": (replace("header", data=np.frombuffer(b"{\"model\": [", "u1")), ["/header"]),
    "header lacks a key": (header_without("weights_sha256"), ["/header", "weights_sha256"]),
    "column is missing": (lambda f: f.__delitem__("sentences/tokens"), ["/sentences/tokens", "missing"]),
    "column is short": (replace("sentences/words", data=np.arange(3)), ["/sentences/words", "found 3"]),
    "column of another type": (replace("sentences/words", data=np.zeros(16, "f4")),
                               ["/sentences/words", "expected int64, found float32"]),
    "column of another rank": (replace("sentences/words", data=np.zeros((16, 1), "i8")),
                               ["/sentences/words", "one dimension"]),
    "compressed column": (replace("sentences/words", data=np.arange(16), chunks=(16,), compression=1),
                          ["/sentences/words", "compressed"]),
    "number twice": (edit("sentences/number", 5, 5), ["/sentences/number", "row 5 holds 5"]),
    "number zero": (edit("sentences/number", 0, 0), ["/sentences/number", "row 0 holds 0"]),
    "negative count": (edit("sentences/tokens", 3, -4), ["/sentences/tokens", "row 3 holds -4"]),
    "other count": (edit("sentences/tokens", 3, 9), ["/offsets/rows/tokens", "sentence 4"]),
    "falling offsets": (edit(GATE_OFFSETS, 4, 0), ["/" + GATE_OFFSETS, "never fall"]),
    "other offsets": (edit(GATE_OFFSETS, 4, 60), ["/" + GATE_OFFSETS, "sentence"]),
    "offsets not from 0": (edit("offsets/text/words", 0, 1), ["/offsets/text/words", "offset 0 is 1"]),
    "offsets beyond the text": (edit("offsets/text/words", 16, 10**9), ["/text/words", "expected 1000000000"]),
    "quantity is missing": (lambda f: f.__delitem__(GATE), ["/" + GATE, "missing"]),
    "quantity is short": (replace(GATE, data=np.zeros(10, "f2"), chunks=(10,), fletcher32=True),
                          ["/" + GATE, "10 elements"]),
    "quantity of another type": (replace(GATE, data=np.zeros(10, "f8")), ["/" + GATE, "found float64"]),
    "quantity's axes": (lambda f: f[GATE].attrs.__setitem__("axes", np.bytes_("token")), ["/" + GATE, "axes"]),
    "text is not UTF-8": (edit("text/sentences", 20, 0xFF), ["/text/sentences", "UTF-8"]),
    "place beyond the text": (edit("tokens/end", 3, 1000), ["/tokens/end", "1000"]),
    "word beyond the words": (edit("tokens/word", 3, 77), ["/tokens/word", "word 77"]),
}


def bytes_changed(path, old, new):
    data = path.read_bytes()
    at = data.index(old)
    path.write_bytes(data[:at] + new + data[at + len(new):])


def raw_data_changed(path):
    with h5py.File(path) as f:
        place = f[GATE].id.get_chunk_info(0).byte_offset
    data = bytearray(path.read_bytes())
    data[place + 7] ^= 0x40
    path.write_bytes(data)


RAW_DEFECTS = {
    "values changed under a checksum": (raw_data_changed, ["/" + GATE, "damaged"]),
    "cut short": (lambda p: p.write_bytes(p.read_bytes()[:-1000]), ["cut short"]),
    "longer than it says": (lambda p: p.write_bytes(p.read_bytes() + b"x"), ["superblock says"]),
    "empty": (lambda p: p.write_bytes(b""), ["empty"]),
    "a web page": (lambda p: p.write_bytes(b"<!DOCTYPE html><html></html>"), ["HTML"]),
    "an LFS pointer": (lambda p: p.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n"), ["LFS"]),
    "superblock's checksum": (lambda p: bytes_changed(p, p.read_bytes()[44:48], b"\0\0\0\0"), ["damaged"]),
    "not closed": (lambda p: p.write_bytes(p.read_bytes()[:11] + b"\x01" + p.read_bytes()[12:]), ["not closed"]),
    "a pipe": (lambda p: (p.unlink(), os.mkfifo(p)), ["shard-00001.h5"]),
    "a directory": (lambda p: (p.unlink(), p.mkdir()), ["shard-00001.h5"]),
    "gone": (lambda p: p.unlink(), ["shard-00001.h5", "missing"]),
    "a symbolic link": (lambda p: (p.rename(p.with_suffix(".away")), p.symlink_to(p.with_suffix(".away"))), ["link"]),
}


def lost_shard(sound, folder):
    damaged = folder / "damaged"
    shutil.copytree(sound, damaged)
    (damaged / "shard-00002.h5").unlink()
    with h5py.File(damaged / "recording.h5") as f:
        begin, end = f["offsets/values/token"][[PER_SHARD, 2 * PER_SHARD]]
        gates = f["quantities/encoder.1.gate.mean"][:]
        check(np.isnan(gates[begin:end]).all() and not np.isnan(gates[:begin]).any(), "a lost shard reads as NaN")
    shutil.rmtree(damaged)


def expect_refusal(what, path, file, words):
    code, message = tool("read", path)
    missing = [word for word in [file, *words] if word not in message]
    check(code == 3 and not missing, f"{what}: exit {code}, without {missing}: {message.strip()}")


def defects(sound, folder):
    for what, (change, words) in DEFECTS.items():
        damaged = folder / "damaged"
        shutil.copytree(sound, damaged)
        shard = damaged / "shard-00001.h5"
        with h5py.File(shard, "r+", libver=("v110", "v110")) as f:
            change(f)
        expect_refusal(what, shard, str(shard), words)
        expect_refusal(what + " (in a directory)", damaged, str(shard), words)
        shutil.rmtree(damaged)
    for what, (change, words) in RAW_DEFECTS.items():
        damaged = folder / "damaged"
        shutil.copytree(sound, damaged)
        change(damaged / "shard-00001.h5")
        expect_refusal(what, damaged, str(damaged), words)
        shutil.rmtree(damaged)


def summed(head):
    """A manifest with the sum of itself, as docs/recording-format.md says."""
    return head + f',\n  "sha256": "{hashlib.sha256(head).hexdigest()}"\n}}\n'.encode()


def manifest_with(**changes):
    def change(recording):
        path = recording / "manifest.json"
        document = json.loads(path.read_text()) | changes
        del document["sha256"]
        path.write_bytes(summed(json.dumps(document, indent=2)[:-2].encode()))
    return change


def in_virtual_file(change):
    def apply(recording):
        with h5py.File(recording / "recording.h5", "r+", libver=("v110", "v110")) as f:
            change(f)
    return apply


def elsewhere(source):
    def change(f):
        del f["sentences/words"]
        layout = h5py.VirtualLayout(shape=(SENTENCES,), dtype="i8")
        layout[:] = h5py.VirtualSource(source, "/sentences/words", shape=(SENTENCES,))
        f.create_virtual_dataset("sentences/words", layout)
    return change


def journal_line_changed(recording):
    path = recording / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"tokens"', b'"Tokens"')
    path.write_bytes(b"".join(lines))


def second_shard_damaged(recording):
    with h5py.File(recording / "shard-00002.h5", "r+", libver=("v110", "v110")) as f:
        f["offsets/rows/words"][3] = 99


DIRECTORY_DEFECTS = {
    "newer manifest": (manifest_with(version="7.3"), "", ["manifest.json", "version 7.3", "reads version 1.x"]),
    "other manifest": (manifest_with(format="other"), "", ["manifest.json", "mog-recording"]),
    "other count": (manifest_with(sentences=41), "", ["41 sentences"]),
    "manifest is no JSON": (lambda r: (r / "manifest.json").write_text("{"), "", ["manifest.json"]),
    "manifest is empty": (lambda r: (r / "manifest.json").write_text(""), "", ["manifest.json", "empty"]),
    "no manifest": (lambda r: (r / "manifest.json").unlink(), "", ["manifest.json"]),
    "no journal": (lambda r: (r / "journal.jsonl").unlink(), "", ["journal.jsonl"]),
    "journal line changed": (journal_line_changed, "", ["journal.jsonl", "line 2", "checksum"]),
    "second shard": (second_shard_damaged, "", ["shard-00002.h5", "/offsets/rows/words"]),
    "shards exchanged": (lambda r: ((r / "shard-00001.h5").rename(r / "x"),
                                    (r / "shard-00002.h5").rename(r / "shard-00001.h5"),
                                    (r / "x").rename(r / "shard-00002.h5")), "",
                         ["shard-00001.h5", "/sentences/number"]),
    "virtual over a system file": (in_virtual_file(elsewhere("/etc/passwd")), "recording.h5",
                                   ["/sentences/words", "virtual", "/etc/passwd"]),
    "virtual over a climbing path": (in_virtual_file(elsewhere("../other/shard-00001.h5")), "recording.h5",
                                     ["/sentences/words", "virtual"]),
    "virtual over itself": (in_virtual_file(elsewhere(".")), "recording.h5", ["/sentences/words", "virtual"]),
    "virtual over recording.h5": (in_virtual_file(elsewhere("recording.h5")), "", ["/sentences/words", "virtual"]),
    "recording.h5 alone": (lambda r: (r / "manifest.json").unlink(), "recording.h5", ["recording.h5", "beside"]),
    "recording.h5 is gone": (lambda r: (r / "recording.h5").unlink(), "", ["recording.h5", "missing"]),
}


def directory_defects(sound, folder):
    for what, (change, opened, words) in DIRECTORY_DEFECTS.items():
        damaged = folder / "damaged"
        shutil.copytree(sound, damaged)
        change(damaged)
        expect_refusal(what, damaged / opened if opened else damaged, str(damaged), words)
        shutil.rmtree(damaged)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recording = folder / "recording"
        check(tool("write", recording, SENTENCES, PER_SHARD)[0] == 0, "the sample is written")
        os.chdir("/")  # virtual datasets must be found from anywhere
        check(tool("read", recording) == (0, f"ok {SENTENCES}\n"), "the sample is sound")
        examples(folder)
        by_place(folder)
        read_by_h5py(recording)
        explains_itself(recording)
        journal_and_manifest(recording)
        lost_shard(recording, folder)
        defects(recording, folder)
        directory_defects(recording, folder)
        many_shards(folder / "many")
    total = 2 * len(DEFECTS) + len(RAW_DEFECTS) + len(DIRECTORY_DEFECTS)
    print(f"{total} defects tried, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
