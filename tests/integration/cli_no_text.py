"""Files that are no text, given as one: named for what they are; gzip is read.

Usage: cli_no_text.py MOG
"""
import bz2
import gzip
import io
import lzma
import os
import struct
import sys
import tarfile
import unittest
import zipfile

from mog_cli import MogCase

TEXT = "The dog sleeps .\nA cat , a dog and a bird !\n\nIt is late .\n"


def zipped():
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("text.txt", TEXT)
    return memory.getvalue()


def tarred():
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w") as archive:
        entry = tarfile.TarInfo("text.txt")
        entry.size = len(TEXT)
        archive.addfile(entry, io.BytesIO(TEXT.encode()))
    return memory.getvalue()


class NoText(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def evaluate(self, path):
        return ["evaluate", "--hypothesis", path, "--reference", path, "--metric", "bleu"]

    def test_names_what_it_is(self):
        header = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
        for name, content, word in (
                ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "a PDF: save its text first (pdftotext FILE.pdf)"),
                ("a.zip", zipped(), "a zip archive"),
                ("a.zst", b"\x28\xb5\x2f\xfd\x04\x00\x09\x00\x00abc", "a zstd file: unpack it first (zstd -d)"),
                ("a.xz", lzma.compress(TEXT.encode()), "an xz file: unpack it first (xz -d)"),
                ("a.bz2", bz2.compress(TEXT.encode()), "a bzip2 file"),
                ("a.tar", tarred(), "a tar archive"),
                ("a.tar.gz", gzip.compress(tarred()), "a tar archive"),
                ("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(40), "an HDF5 file"),
                ("a.safetensors", struct.pack("<Q", len(header)) + header + bytes(4), "weights (safetensors)"),
                ("a.rtf", b"{\\rtf1\\ansi The dog}", "a document (RTF)"),
                ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(20), "an image (PNG)"),
                ("utf16.txt", TEXT.encode("utf-16"), "UTF-16: save it as UTF-8"),
                ("page.txt", "<!DOCTYPE html>\n<html><body>The dog</body></html>\n", "a web page (HTML)"),
                ("lines.jsonl", '{"text": "The dog sleeps."}\n{"text": "A cat."}\n', "JSON"),
                ("a.csv", 'id,text\n1,"The dog, it sleeps."\n2,A cat.\n', "a table (CSV)"),
                ("b.txt", "id;text;tag\n1;The dog sleeps.;x\n2;A cat.;y", "a table (CSV)"),
                ("a.toml", '# A run\n[model]\nlayers = 2\nkind = "gru"\n', "a configuration (TOML)"),
                ("zeros.txt", bytes(100), "NUL")):
            with self.subTest(name=name):
                said = self.expect(3, word, *self.evaluate(self.write(name, content)))
                self.assertIn(name, said)

    def test_takes_no_sentence_for_something_else(self):
        for name, content in (
                ("a.txt", TEXT), ("empty.txt", ""), ("one.txt", "id,text,tag\n"),
                ("commas.txt", "Yes, sir, please.\nNo, sir, never.\nWell, then, go.\n"),
                ("numbers.txt", "3,5\n2,7\n1,1\n"), ("pairs.txt", "Paris,France\nRome,Italy\nBerlin,Germany\n"),
                ("stage.txt", "[Applause]\nThank you.\n[Laughter]\nx = 3 is the answer.\n"),
                ("brackets.txt", "[1]\n[2]\n[3]\n"), ("braces.txt", "{ a b }\n{ c }\n"), ("sums.txt", "x = 1\ny = 2\nz = 3\n"),
                ("pk.txt", "PK is a key .\nBZh is none .\nGIF8 neither .\nPAR1 too .\n")):
            with self.subTest(name=name):
                self.run_well(*self.evaluate(self.write(name, content or "\n")))

    def test_a_treebank_is_one(self):
        self.expect(3, "a PDF", "describe", self.write("a.conllu", b"%PDF-1.7\n1 0 obj\n"))
        rows = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
        plain = self.run_well("describe", self.write("b.conllu", rows)).replace("b.conllu", "")
        packed = self.run_well("describe", self.write("b.conllu.gz", gzip.compress(rows.encode()))).replace("b.conllu.gz", "")
        self.assertIn("1", plain)
        self.assertEqual([line for line in plain.splitlines() if "entence" in line or "ord" in line],
                         [line for line in packed.splitlines() if "entence" in line or "ord" in line])

    def test_gzip_is_read(self):
        plain = self.write("plain.txt", TEXT)
        half = TEXT.encode()[:20]
        for name, content in (("one.gz", gzip.compress(TEXT.encode())),
                              ("members.gz", gzip.compress(half) + gzip.compress(TEXT.encode()[20:]))):
            packed = self.write(name, content)
            scores = [self.run_well("evaluate", "--hypothesis", path, "--reference", plain, "--json", "--metric", "bleu")
                      for path in (packed, plain)]
            self.assertIn("100.0", scores[1])
            self.assertEqual(scores[0].replace(str(packed), str(plain)), scores[1])

    def test_damaged_gzip(self):
        packed = bytearray(gzip.compress(TEXT.encode() * 50))
        for name, content, word in (("cut.gz", packed[:-9], "it was cut"), ("head.gz", packed[:2], "it was cut"),
                                    ("sum.gz", packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:], "damaged"),
                                    ("body.gz", packed[:12] + bytes([packed[12] ^ 0xFF]) + packed[13:], "gzip"),
                                    ("behind.gz", packed + b"The dog .\n", "damaged")):
            with self.subTest(name=name):
                self.expect(3, word, *self.evaluate(self.write(name, bytes(content))))

    def test_a_bomb_is_one_line(self):
        self.expect(3, "longer than", *self.evaluate(self.write("bomb.gz", gzip.compress(b"a" * (32 << 20)))))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
