"""The numbers behind figures as HDF5, read by h5py and held against the CSV table.

Usage: cli_figure_data.py MOG MAKE_RECORDING
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy
except ImportError:
    print("h5py is not installed: skipped")
    sys.exit(77)

MOG, MAKE_RECORDING = (os.path.abspath(path) for path in sys.argv[1:3])


def text(attributes, name):
    """Texts have a fixed length, which h5py gives as bytes."""
    value = attributes[name]
    return value.decode() if isinstance(value, bytes) else str(value)


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, timeout=120)


class FigureData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        corpus = cls.folder / "corpus.txt"
        corpus.write_text("".join(" ".join(f"ä{(line * 7 + word) % 50}" for word in range(3 + line % 9)) + "\n"
                                  for line in range(30)), encoding="utf-8")
        cls.recording = cls.folder / "whole.rec"
        subprocess.run([MAKE_RECORDING, corpus, cls.recording], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def draw(self, name, *arguments):
        data, table = self.folder / f"{name}.h5", self.folder / f"{name}.csv"
        result = mog("figure", *arguments, "--output", self.folder / f"{name}.svg", "--csv", table, "--data", data)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        with open(table, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({(row["caption"], row["made_by"]) for row in rows[1:]} - {("", "")}, set())
        with h5py.File(data) as file:
            self.assertEqual(rows[0]["caption"], text(file.attrs, "caption"))
            self.assertTrue(text(file.attrs, "command") in rows[0]["made_by"], rows[0]["made_by"])
        for row in rows:
            del row["caption"], row["made_by"]
        return data, rows

    def same_table(self, file, rows):
        table = file["table"]
        columns = text(table.attrs, "columns").split(",")
        self.assertEqual(columns, list(rows[0]))
        for column in columns:
            dataset = table[column]
            self.assertEqual(dataset.shape, (len(rows),))
            if dataset.dtype.kind == "S":
                self.assertEqual(list(dataset.asstr()[:]), [row[column] for row in rows], column)
            else:
                wanted = [float(row[column]) if row[column] else numpy.nan for row in rows]
                numpy.testing.assert_array_equal(dataset[:].astype(float), wanted)

    def test_a_matrix_is_an_array_with_words_and_provenance(self):
        path, rows = self.draw("map", "attention", self.recording, "--sentence", 4, "--layer", 2, "--part", "high",
                               "--mark", "row=2")
        with h5py.File(path) as file:
            self.assertEqual(text(file.attrs, "format"), "mog figure data")
            self.assertEqual(text(file.attrs, "kind"), "heat_map")
            self.assertEqual(text(file.attrs, "marks"), "row=2")
            self.assertIn("--layer 2", text(file.attrs, "command"))
            values = file["values"]
            self.assertEqual(text(values.attrs, "axes"), "row, column")
            self.assertEqual(values.dtype, numpy.float64)
            words = list(file["columns/text"].asstr()[:])
            self.assertTrue(words[0].startswith("ä"))
            self.assertEqual(values.shape, (len(file["rows/text"]), len(words)))
            numpy.testing.assert_allclose(values[:].sum(axis=1), 1, atol=1e-3)
            self.assertEqual(list(file["quantities"].asstr()[:])[0].split(".")[1:3], ["2", "high"])
            source = file["sources/1"].attrs
            self.assertEqual(text(source, "sentence"), "4")
            self.assertTrue(text(source, "text").startswith("ä"))
            self.assertEqual(text(source, "recording"), "whole.rec")
            self.assertTrue(text(source, "model"))
            self.same_table(file, rows)

    def test_other_figures_have_their_table(self):
        for name, arguments in {"weights": ["weight-by-length", self.recording, "--bootstrap", 10],
                                "tree": ["tree", self.recording, "--sentence", 2],
                                "difference": ["attention-difference", self.recording, "--sentence", 3, "--other", 4,
                                               "--layer", 1]}.items():
            path, rows = self.draw(name, *arguments)
            with h5py.File(path) as file:
                self.same_table(file, rows)
                self.assertGreater(len(file["quantities"]), 0, name)
                if name == "difference":
                    self.assertEqual(text(file.attrs, "kind"), "panels")
                    self.assertEqual(sorted(file["panels"]), ["1", "2", "3"])
                    self.assertEqual(file["panels/1/values"].ndim, 2)

    def test_the_same_figure_is_the_same_bytes(self):
        first, _ = self.draw("a", "gate", self.recording, "--sentence", 5)
        before = first.read_bytes()
        second, _ = self.draw("a", "gate", self.recording, "--sentence", 5)
        self.assertEqual(before, second.read_bytes())

    def test_a_folder_that_is_not_there(self):
        result = mog("figure", "gate", self.recording, "--sentence", 1, "--output", self.folder / "x.svg", "--data",
                     self.folder / "no" / "x.h5")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("x.h5", result.stderr.decode())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
