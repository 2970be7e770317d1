"""The Python package beside h5py alone, and its functions beside the program.

    python_reader.py MOG MODELS_FOLDER SOURCE_FOLDER    (needs numpy and h5py; skips without the engine)
"""
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from mog_cli import require_engine, skip

MOG, MODELS, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
try:
    import h5py
    import numpy as np
except ImportError as missing:
    skip(f"needs {missing.name}")
sys.path.insert(0, os.path.join(SOURCE, "python"))
os.environ["MOG_PROGRAM"] = MOG
import mog_workbench as mog  # noqa: E402

MODEL = os.path.join(MODELS, "half_weight_gate")
SENTENCES = [" ".join(f"w{(7 * i + j) % 20}" for j in range(2 + i % 5)) for i in range(30)]


def has(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.recordings = {}
        for store in ("float16", "float32", "uint8"):
            cls.recordings[store] = mog.record(MODEL, SENTENCES, cls.folder / store, capture="all", store=store, streams=None)
        cls.one = cls.recordings["float32"]

    @classmethod
    def tearDownClass(cls):
        for recording in cls.recordings.values():
            recording.close()
        cls.temporary.cleanup()

    def test_sentences_are_those_of_the_corpus(self):
        self.assertEqual(len(self.one), len(SENTENCES))
        self.assertEqual([sentence.text for sentence in self.one], SENTENCES)
        self.assertEqual(self.one[3].words, SENTENCES[3].split())
        self.assertEqual(self.one[-1].number, len(SENTENCES))
        self.assertEqual(self.one.sentence(4).text, SENTENCES[3])
        self.assertEqual([sentence.number for sentence in self.one[2:5]], [3, 4, 5])
        self.assertEqual(len(self.one[0].tokens), self.one[0].token_ids.size)
        self.assertEqual(self.one[0].word_of_token.max() + 1, len(self.one[0].words))
        self.assertTrue(self.one.complete)
        with self.assertRaises(IndexError):
            self.one[len(SENTENCES)]
        with self.assertRaisesRegex(KeyError, "no sentence 99"):
            self.one.sentence(99)
        with self.assertRaisesRegex(KeyError, "encoder.1.gate.mean"):
            self.one[0]["encoder.1.gate.maen"]

    def test_values_are_those_that_h5py_reads(self):
        for store in ("float16", "float32"):
            recording = self.recordings[store]
            file = h5py.File(recording.path / "recording.h5")
            self.assertEqual(set(recording.names), set(file["quantities"]))
            for name in recording.names:
                dataset = file["quantities/" + name]
                offsets = file[dataset.attrs["offsets"]][:]
                self.assertTrue(np.array_equal(recording[name].values, dataset[:]), name)
                self.assertTrue(np.array_equal(recording[name].offsets, offsets), name)
                for i in (0, 17):
                    block = recording[i][name]
                    self.assertEqual(block.dtype, dataset.dtype)
                    self.assertTrue(np.array_equal(block.ravel(), dataset[offsets[i]:offsets[i + 1]]), name)
                    self.assertEqual(block.ndim, len(recording.quantity(name).axes))
        tokens = len(self.one[5].tokens)
        self.assertEqual(self.one[5]["encoder.2.high.attention"].shape[-2:], (tokens, tokens))
        self.assertEqual(self.one[5].shape("encoder.2.gate")[0], tokens)

    def test_maps_in_8_bits_are_weights(self):
        name = "encoder.2.high.attention"
        for i in (0, 9):
            found, exact = self.recordings["uint8"][i][name], self.one[i][name]
            self.assertEqual(found.dtype, np.float32)
            self.assertTrue(np.allclose(found.sum(-1), 1, atol=1e-6))
            self.assertLess(np.abs(found - exact).max(), 0.01)
        flat = self.recordings["uint8"][name].values
        self.assertTrue(np.array_equal(flat[:self.recordings["uint8"][0][name].size], self.recordings["uint8"][0][name].ravel()))

    def test_many_shards_and_half_a_recording(self):
        lines = SENTENCES * 4
        recording = mog.record(MODEL, lines, self.folder / "many", capture="summary", commit_every=1, shard_mib=0)
        self.assertGreater(len(list(recording.path.glob("shard-*.h5"))), 100)
        self.assertEqual([s.text for s in recording], lines)
        self.assertTrue(np.allclose(recording["encoder.1.gate.mean"].values[:8], self.one["encoder.1.gate.mean"].values[:8], atol=1e-6))
        recording.close()
        # As a killed run leaves it: the last line of the journal is half there.
        journal = recording.path / "journal.jsonl"
        data = journal.read_bytes()
        journal.write_bytes(data[:-20])
        with self.assertRaisesRegex(mog.RecordingError, "says 120 sentences in 120 shards, journal.jsonl names 119 in 119"):
            mog.open(recording.path)  # a complete one has them all
        manifest = json.loads((recording.path / "manifest.json").read_text())
        (recording.path / "manifest.json").write_text(json.dumps({**manifest, "complete": False}))
        (recording.path / "recording.h5").unlink()
        half = mog.open(recording.path)
        self.assertEqual(len(half), len(lines) - 1)
        self.assertFalse(half.complete)
        broken = bytearray(data)
        broken[data.index(b'"shard"') + 2] ^= 1
        journal.write_bytes(bytes(broken))
        with self.assertRaisesRegex(mog.RecordingError, "line 2 is damaged"):
            mog.open(recording.path)
        with self.assertRaisesRegex(mog.RecordingError, "no recording"):
            mog.open(self.folder)

    def test_damage_is_named(self):
        damaged = self.folder / "damaged"
        shutil.copytree(self.one.path, damaged)
        shards = sorted(damaged.glob("shard-*.h5"))
        data = shards[0].read_bytes()
        refused = 0
        for at in range(500, len(data), len(data) // 60):
            shards[0].unlink()  # a new file: HDF5 shares what is open already
            shards[0].write_bytes(data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:])
            try:
                found = mog.open(damaged)
                for name in found.names:
                    self.assertTrue(np.array_equal(found[name].values, self.one[name].values), (at, name))
                self.assertEqual([s.text for s in found], SENTENCES)
            except mog.RecordingError as error:
                self.assertIn("shard-00001.h5", str(error))
                refused += 1
        self.assertGreater(refused, 40)
        shards[0].unlink()
        other = mog.record(MODEL, SENTENCES[:4], self.folder / "other", capture="all")
        shutil.copy(next(other.path.glob("shard-*.h5")), shards[0])
        with self.assertRaisesRegex(mog.RecordingError, "not those that journal.jsonl names"):
            [sentence.text for sentence in mog.open(damaged)]

    def test_recordings_travel(self):
        there = pickle.loads(pickle.dumps(self.one))
        self.assertEqual(there, self.one)
        self.assertEqual(there[3], self.one[3])
        self.assertIn(self.one[3], there)
        self.assertEqual(self.one.index(self.one[3]), 3)
        self.assertEqual(pickle.loads(pickle.dumps(self.one[3])).words, self.one[3].words)
        self.assertEqual(list(self.one[0]), list(self.one.names))
        self.assertEqual(len(self.one["encoder.1.gate.mean"][0:2]), 2)
        self.assertEqual(self.one[np.int64(2)].number, 3)
        with self.assertRaises(TypeError):
            self.one[1.7]

    def test_shards_are_opened_when_they_are_needed(self):
        recording = mog.open(self.recordings["float32"].path)
        self.assertEqual(len(recording._open), 1)  # of the header
        recording.close()
        self.assertEqual(len(recording._open), 0)

    def test_tables(self):
        selection = self.one["encoder.*.gate.mean"]
        self.assertEqual(selection.names, ("encoder.1.gate.mean", "encoder.2.gate.mean", "encoder.3.gate.mean")[:len(selection.names)])
        self.assertEqual(set(selection[0]), set(selection.names))
        with self.assertRaisesRegex(KeyError, "no quantity 'encoder.*.nothing'"):
            self.one["encoder.*.nothing"]
        with self.assertRaisesRegex(ValueError, "of one quantity"):
            selection.values
        if has("pandas"):
            table = selection.to_pandas()
            self.assertEqual(list(table.columns), ["sentence", "quantity", "layer", "token", "value"])
            some = table[(table.sentence == 4) & (table.layer == 2)]
            self.assertTrue(np.array_equal(some.value.to_numpy(), self.one.sentence(4)["encoder.2.gate.mean"]))
            maps = self.one["encoder.1.high.attention"].to_pandas()
            one = maps[(maps.sentence == 2) & (maps["head"] == 1)]
            self.assertTrue(np.array_equal(one.value.to_numpy(), self.one.sentence(2)["encoder.1.high.attention"][1].ravel()))
        else:
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                selection.to_pandas()
        if has("xarray"):
            data = selection.to_xarray()
            begin, end = data["encoder.2.gate.mean.offset"].values[3:5]
            self.assertTrue(np.array_equal(data["encoder.2.gate.mean"].values[begin:end], self.one[3]["encoder.2.gate.mean"]))
        if has("pyarrow"):
            table = selection.to_arrow()
            self.assertEqual(table.num_rows, sum(self.one[n].values.size for n in selection.names))
            self.assertTrue(np.array_equal(np.sort(table["value"].to_numpy()),
                                           np.sort(np.concatenate([self.one[n].values for n in selection.names]))))
        if has("datasets"):
            rows = selection.to_dataset()
            self.assertEqual(rows[3]["words"], self.one[3].words)

    def test_programs(self):
        tree = mog.trees(self.one.path, sentence=3, top=2)
        direct = subprocess.run([MOG, "trees", self.one.path, "--sentence", "3", "--top", "2", "--json"], capture_output=True, check=True)
        self.assertEqual(tree, json.loads(direct.stdout))
        drawn = mog.figure("weight-by-layer", self.one.path)
        self.assertIn("<svg", drawn._repr_svg_())
        self.assertTrue(drawn.caption)
        mog.figure("weight-by-layer", self.one.path, output=self.folder / "f.pdf")
        self.assertTrue((self.folder / "f.pdf").read_bytes().startswith(b"%PDF"))
        with self.assertRaisesRegex(mog.MogError, "no sentence|has 30|sentence") as caught:
            mog.trees(self.one.path, sentence=99)
        self.assertEqual(caught.exception.code, 2)
        rows = mog.run("stats", self.one, quantity=["gate", "entropy"], bootstrap=0)
        self.assertEqual({row["measure"] for row in rows}, {"gate", "entropy"})

    def test_what_cannot_be_asked_is_said(self):
        one = mog.record(MODEL, (text for text in ["w1 w2"]), self.folder / "one", capture="none")
        self.assertEqual(one.header["provenance"]["corpus_name"], "sentences from Python")
        self.assertIsInstance(mog.run("sentences", one), list)  # a line is a list of one, too
        for wrong in ([["w1"]], [b"w1"], ["w1\nw2"]):
            with self.assertRaisesRegex(ValueError, "sentence 1: expected a string"):
                mog.record(MODEL, wrong, self.folder / "none")
        with self.assertRaisesRegex(ValueError, "this writes SVG"):
            mog.figure("weight-by-layer", self.one).save(self.folder / "f.pdf")
        for impossible in (lambda: mog.figure("list"), lambda: mog.run("completion", "bash")):
            with self.assertRaises(mog.MogError):
                impossible()
        before = os.environ["MOG_PROGRAM"]
        os.environ["MOG_PROGRAM"] = str(self.folder)
        try:
            with self.assertRaisesRegex(mog.MogError, "cannot be started"):
                mog.run("doctor")
        finally:
            os.environ["MOG_PROGRAM"] = before
        forms = re.findall(r"^\| `(\w+)` \| one object a line \|", pathlib.Path(SOURCE, "docs", "json.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(mog.programs._LINES, set(forms))

    def test_the_page_says_what_works(self):
        """Its blocks, one after the other."""
        page = pathlib.Path(SOURCE, "docs", "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 5)
        if not has("pandas"):
            blocks = [block for block in blocks if "to_pandas" not in block]
        place = self.folder / "page"
        place.mkdir()
        (place / "corpus.rec").symlink_to(self.one.path)
        before = os.getcwd()
        os.chdir(place)
        try:
            names = {}
            for block in blocks:
                exec(compile(block, "docs/python.md", "exec"), names)
            self.assertEqual(names["drawn"]._repr_svg_(), (place / "tree.svg").read_text(encoding="utf-8"))
            self.assertEqual(mog.open("mine.rec")[0].words, ["a", "b", "c"])
        finally:
            os.chdir(before)

    def test_attention_of_others(self):
        random = np.random.default_rng(1)
        attention = random.dirichlet(np.ones(4), size=(2, 3, 4))
        count = mog.write_import(self.folder / "maps.h5", [{"tokens": ["a", "b", "c", "d"], "attention": attention, "text": "a b c d"}],
                                 model="mine")
        self.assertEqual(count, 1)
        mog.run("import", self.folder / "maps.h5", output=self.folder / "mine", store="float32")
        found = mog.open(self.folder / "mine")
        self.assertEqual(found.header["model"]["name"], "mine")
        self.assertTrue(np.allclose(found[0]["encoder.2.full.attention"], attention[1], atol=1e-6))
        before = (self.folder / "maps.h5").read_bytes()
        for wrong, said in (({"tokens": ["a"], "attention": attention}, "attention has shape"), ({"tokens": "abc"}, "a list of strings"),
                            ({"tokens": ["a"], "text": None}, "text: expected a string"), ({"tokens": ["a"], "maps": 1}, "unknown: maps"),
                            ({"text": "a"}, "tokens are missing")):
            with self.assertRaisesRegex(ValueError, "sentence 2: .*" + said):
                mog.write_import(self.folder / "maps.h5", [{"tokens": np.array(["a", "b", "c", "d"]), "attention": attention}, wrong])
        self.assertEqual((self.folder / "maps.h5").read_bytes(), before)  # nothing half is left
        self.assertFalse(list(self.folder.glob("*.part")))


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])
