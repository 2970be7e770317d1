"""What `mog export` writes, read by the libraries of each format and compared bit for bit with the recording.

    python_export.py MOG MODELS_FOLDER SOURCE_FOLDER    (needs numpy and h5py; skips without the engine; a format whose library is absent is left out)
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from mog_cli import require_engine, skip

MOG, MODELS, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
try:
    import numpy as np
    import h5py  # noqa: F401
except ImportError as missing:
    skip(f"needs {missing.name}")
sys.path.insert(0, os.path.join(SOURCE, "python"))
os.environ["MOG_PROGRAM"] = MOG
os.environ["MOG_PYTHON"] = sys.executable
import mog_workbench as mog  # noqa: E402
from mog_workbench.export import export, load  # noqa: E402
from mog_workbench.export import columns  # noqa: E402

GRAPH = os.path.join(MODELS, "half_weight_gate")
TEXTS = ['w1 "w2" w3', "", "w5", "😀 naïve w6 '日本語' w7", 'w8 , "" \\ w9', " ".join(f"w{i % 20}" for i in range(40)), "", "w3 w4"]


def has(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False


def bits(array):
    return array.dtype, array.shape, array.tobytes()


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        common = {"capture": "all", "long": "truncate", "max_length": 12}
        texts = cls.folder / "texts.txt"
        texts.write_text("".join(text + "\n" for text in TEXTS), encoding="utf-8")
        cls.recordings = {}
        for store in ("float16", "float32", "float64", "uint8"):
            cls.recordings[store] = mog.record(GRAPH, texts, cls.folder / store, store=store, **common)
        cls.recordings["shards"] = mog.record(GRAPH, texts, cls.folder / "shards", store="float16", commit_every=1, shard_mib=0, **common)
        one = cls.folder / "one.txt"
        one.write_text("w1 w2\n", encoding="utf-8")
        cls.recordings["one"] = mog.record(GRAPH, one, cls.folder / "one", store="float32", **common)
        cls.recordings["nothing"] = mog.record(GRAPH, texts, cls.folder / "nothing", capture="none")
        plain = os.path.join(SOURCE, "resources", "models", "translator-de-en-graph")
        source = cls.folder / "source.de"
        source.write_text("Bibliothek zum Lesen von Bildern\nWerkzeuge\n", encoding="utf-8")
        cls.recordings["translated"] = mog.record(plain, source, cls.folder / "translated", target="translate", capture="summary,attention")

    def out(self, name):
        return self.folder / f"{self.id().rpartition('.')[2]}-{name}"

    def same_sentence(self, sentence, found, decoded=True):
        """Of whatever reader: texts, ids and values to the bit."""
        self.assertEqual(found["sentence"], sentence.number)
        self.assertEqual(found["text"], sentence.text)
        self.assertEqual(found["truncated"], sentence.truncated)
        self.assertEqual(list(found["token"]), sentence.tokens)
        self.assertEqual(list(found["word"]), sentence.words)
        self.assertEqual(list(found["target_token"]), sentence.target_tokens)
        for key, values in (("token.id", sentence.token_ids), ("token.word", sentence.word_of_token)):
            self.assertEqual(found[key].dtype, np.int64)
            self.assertTrue(np.array_equal(found[key], values), key)
        for name in sentence:
            self.assertEqual(bits(np.asarray(found[name])), bits(np.ascontiguousarray(sentence[name])), name)

    def test_every_ragged_format_comes_back_to_the_bit(self):
        for suffix, library in ((".npz", "numpy"), (".zarr", "zarr"), (".nc", "h5netcdf"), (".parquet", "pyarrow"), (".arrow", "pyarrow")):
            if not has(library):
                continue
            for name, recording in self.recordings.items():
                with self.subTest(suffix=suffix, recording=name):
                    path = self.out(name + suffix)
                    facts = export(recording, path, layout="ragged" if library == "pyarrow" else None)
                    self.assertEqual((facts["sentences"], facts["quantities"]), (len(recording), len(recording.names)))
                    with load(path) as exported:
                        self.assertEqual(exported.metadata["recording"], recording.header)
                        found = list(exported)
                    self.assertEqual(len(found), len(recording))
                    for sentence, one in zip(recording, found):
                        self.same_sentence(sentence, one)

    def test_numpy_reads_it_alone(self):
        recording, path = self.recordings["float16"], self.out("a.npz")
        export(recording, path)
        with np.load(path) as file:
            for name in recording.names:
                self.assertEqual(bits(file[name]), bits(recording[name].values))
                self.assertTrue(np.array_equal(file[name + ".offset"], recording[name].offsets))
            offsets, utf8 = file["token.utf8.offset"], file["token.utf8"]
            tokens = [bytes(utf8[b:e]).decode() for b, e in zip(offsets, offsets[1:])]
            self.assertEqual(tokens, [token for sentence in recording for token in sentence.tokens])
            self.assertEqual(json.loads(file["metadata.json"])["recording"], recording.header)

    @unittest.skipUnless(has("xarray") and has("h5netcdf") and has("zarr"), "needs xarray, h5netcdf and zarr")
    def test_xarray_reads_netcdf_and_zarr(self):
        import xarray
        recording = self.recordings["float32"]
        export(recording, self.out("a.nc"))
        export(recording, self.out("a.zarr"))
        with xarray.open_dataset(self.out("a.nc"), engine="h5netcdf") as nc, \
                xarray.open_zarr(self.out("a.zarr"), consolidated=False) as zarr:
            for data in (nc, zarr):
                self.assertEqual([str(token) for token in data["token"].values], [token for s in recording for token in s.tokens])
                for name in recording.names:
                    self.assertEqual(bits(data[name].values), bits(recording[name].values), name)
                    self.assertEqual(data[name].attrs["axes"], ",".join(recording.quantity(name).axes))
                    self.assertEqual(data[name].dims, (f"{name}.element",))
            self.assertEqual(json.loads(nc.attrs["mog"])["recording"], recording.header)
            self.assertEqual(zarr.attrs["mog"]["recording"], recording.header)

    @unittest.skipUnless(has("netCDF4"), "needs netCDF4")
    def test_the_netcdf_library_reads_it(self):
        import netCDF4
        recording = self.recordings["float16"]
        export(recording, self.out("a.nc"))
        with netCDF4.Dataset(self.out("a.nc")) as file:
            self.assertEqual([str(text) for text in file["text"][:]], [s.text for s in recording])
            for name in recording.names:
                values = np.asarray(file[name][:])
                self.assertEqual(bits(values.astype(recording.quantity(name).dtype)), bits(recording[name].values), name)

    @unittest.skipUnless(has("pyarrow"), "needs pyarrow")
    def test_tidy_tables(self):
        import pyarrow.ipc
        import pyarrow.parquet
        for name, recording in self.recordings.items():
            if name == "nothing":
                continue
            for suffix in (".parquet", ".arrow"):
                path = self.out(name + suffix)
                export(recording, path, ["encoder.*.gate.mean", "encoder.*.high.attention"])
                table = pyarrow.parquet.read_table(path) if suffix == ".parquet" else pyarrow.ipc.open_file(path).read_all()
                self.assertEqual(table.column_names, ["sentence", "quantity", "layer", "head", "query", "key", "token", "value"]
                                 if table.column_names[3] == "head" else ["sentence", "quantity", "layer", "token", "head", "query", "key", "value"])
                of, numbers = np.array(table["quantity"].to_pylist()), table["sentence"].to_numpy()
                values = table["value"].to_numpy()
                self.assertEqual(json.loads(table.schema.metadata[b"mog"])["recording"], recording.header)
                for sentence in recording:
                    for quantity in set(of):
                        expected = sentence[quantity].ravel()
                        found = values[(numbers == sentence.number) & (of == quantity)]
                        self.assertEqual(bits(found.astype(expected.dtype)), bits(np.ascontiguousarray(expected)))
                        self.assertTrue(np.array_equal(found, expected))  # the wider type holds it exactly
                one = (numbers == recording[0].number) & (of == "encoder.2.high.attention")
                places = np.stack([table[axis].to_numpy()[one] for axis in ("head", "query", "key")]).astype(int)
                self.assertTrue(np.array_equal(recording[0]["encoder.2.high.attention"][tuple(places)], values[one]))
                self.assertEqual(set(table["layer"].to_numpy()[of == "encoder.2.high.attention"]), {2})

    def test_maps_in_8_bits_as_stored(self):
        recording, path = self.recordings["uint8"], self.out("a.npz")
        export(recording, path, as_stored=True)
        shards = h5py.File(recording.path / "recording.h5")
        with np.load(path) as file:
            described = json.loads(file["metadata.json"])["columns"]
            eight = [name for name in recording.names if recording.quantity(name).dtype == "uint8"]
            self.assertTrue(eight)
            for name in eight:
                self.assertEqual(file[name].dtype, np.uint8)
                self.assertTrue(np.array_equal(file[name], shards["quantities/" + name][:]))
                self.assertEqual(described[name]["root_step"], shards["quantities/" + name].attrs["root_step"])

    def test_memory_is_that_of_a_block(self):
        recording = self.recordings["float32"]
        before = columns.BLOCK_BYTES
        columns.BLOCK_BYTES = 256
        try:
            tables = columns.Tables(recording, False)
            name = "encoder.2.high.attention"
            sizes = [block.size for block in tables.blocks(name)]
            self.assertGreater(len(sizes), 4)  # the long sentences stand alone
            self.assertLessEqual(max(sizes), max(256 // 4, *(s[name].size for s in recording)))
            self.assertEqual(sum(sizes), recording[name].values.size)
            for suffix in (".npz",) + ((".parquet",) if has("pyarrow") else ()):
                export(recording, self.out("small" + suffix), layout=None)
            # What is open keeps chunks of HDF5 in memory: only so many are.
            shards = mog.open(self.recordings["shards"].path)
            columns._OPEN_QUANTITIES, most = 5, columns._OPEN_QUANTITIES
            for column in columns.columns_of(columns.Tables(shards, True), shards.names):
                for _ in column.blocks():
                    self.assertLessEqual(sum(path.startswith("quantities/") for one in shards._open.values() for path in one._datasets), 5)
            columns._OPEN_QUANTITIES = most
            shards.close()
        finally:
            columns.BLOCK_BYTES = before
        for suffix in (".npz",):
            export(recording, self.out("large" + suffix))
            with np.load(self.out("small" + suffix)) as small, np.load(self.out("large" + suffix)) as large:
                for member in large.files:
                    if member != "metadata.json":
                        self.assertEqual(bits(small[member]), bits(large[member]))

    def test_back_into_a_recording(self):
        for name in ("float32", "float64", "float16", "shards"):
            through = [".npz", *[end for end, library in ((".zarr", "zarr"), (".nc", "h5netcdf"), (".parquet", "pyarrow")) if has(library)]]
            for suffix in ["", *(through if name in ("float16", "shards") else [])]:
                with self.subTest(recording=name, through=suffix):
                    recording = self.recordings[name]
                    source = recording.path
                    if suffix:
                        source = self.out(name + suffix)
                        export(recording, source, layout="ragged" if suffix == ".parquet" else None)
                    maps, again = self.out(f"{name}{suffix}.h5"), self.out(f"{name}{suffix}.rec")
                    export(source, maps)
                    mog.run("import", maps, output=again, store="float16" if name in ("float16", "shards") else "float32")
                    found = mog.open(again)
                    self.assertEqual(list(found.numbers), [s.number for s in recording if s.tokens])
                    for sentence in found:
                        before = recording.sentence(sentence.number)
                        self.assertEqual((sentence.tokens, sentence.words, sentence.text), (before.tokens, before.words, before.text))
                        self.assertTrue(np.array_equal(sentence.word_of_token, before.word_of_token))
                        for quantity in ("encoder.1.high.attention", "encoder.2.middle1.attention", "encoder.2.gate"):
                            if quantity in found:
                                expected = before[quantity].astype(found.quantity(quantity).dtype)
                                self.assertEqual(bits(sentence[quantity]), bits(expected), quantity)
                    found.close()

    def test_tables_of_stats(self):
        table = self.folder / "table.csv"
        subprocess.run([MOG, "stats", self.recordings["float32"].path, "--quantity", "gate", "-o", table, "--quiet"], check=True)
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        formats = [(".npz", lambda p, c: np.load(p)[c] if c in np.load(p).files else None)]
        if has("pyarrow"):
            import pyarrow.parquet
            formats.append((".parquet", lambda p, c: pyarrow.parquet.read_table(p)[c].to_numpy()))
        for suffix, read in formats:
            path = self.out("table" + suffix)
            self.assertEqual(export(table, path)["rows"], len(rows))
            for column in ("layer", "sentences", "mean", "low"):
                found = read(path, column)
                expected = [float(row[column]) if row[column] else float("nan") for row in rows]
                self.assertEqual(found.astype(np.float64).tobytes(), np.array(expected).tobytes(), column)
            self.assertEqual(read(path, "layer").dtype, np.int64)

    def test_of_the_program(self):
        path = self.out("a.npz")
        recording = self.recordings["float32"].path
        done = subprocess.run([MOG, "export", recording, "--quantity", "encoder.*.gate.mean", "-o", path, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["sentences"], len(self.recordings["float32"]))
        for words, code, said in (([recording, "-o", path], 2, "--overwrite replaces it"),
                                  ([recording, "-o", self.out("a.xyz")], 2, ".parquet, .arrow, .npz, .zarr, .nc, .h5"),
                                  ([recording, "-o", self.out("b.npz"), "--quantity", "encoder.1.gaet"], 2, "encoder.1.gate"),
                                  ([recording, "-o", self.out("b.npz"), "--layout", "tidy"], 2, "arrays are ragged"),
                                  ([self.folder / "none", "-o", self.out("b.npz")], 2, "there is no such"),
                                  ([MODELS, "-o", self.out("b.npz")], 3, "no recording"),
                                  ([self.folder / "nothing", "-o", self.out("b.h5")], 3, "--capture attention")):
            done = subprocess.run([MOG, "export", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertFalse(list(self.folder.glob("*.part*")))

    def test_a_missing_library_is_named_in_one_line(self):
        """A Python without site packages stands for one where nothing is installed."""
        bare = self.folder / "bare-python"
        bare.write_text(f"#!/bin/sh\nexec {sys.executable} -S -E \"$@\"\n")
        bare.chmod(0o755)
        done = subprocess.run([MOG, "export", self.recordings["one"].path, "-o", self.out("a.npz")], capture_output=True, text=True,
                              env={**os.environ, "MOG_PYTHON": str(bare)})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^mog: export needs (numpy|h5py) of Python: \S+ -m pip install (numpy|h5py)\n$")
        done = subprocess.run([MOG, "export", "x", "-o", "y.npz"], capture_output=True, text=True,
                              env={**os.environ, "MOG_PYTHON": str(self.folder / "none")})
        self.assertIn("MOG_PYTHON", done.stderr)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])
