"""Sends damaged expressions, treebanks and graphs through `mog expr`: an exit code and a message, never a signal or a hang.

Usage: mutants_graphs.py MOG [--count N]
"""
import pathlib
import random
import subprocess
import sys
import tempfile

from mutants_cli import MEGABYTES, SECONDS, mutate, run_command

SENTENCE = "the dog saw the cat"
EXPRESSION = ("((saw)->saw U[l=1;part=h;w=0.5] ((dog)->dog U[rel=det] (the@1)->the@1)->dog)->saw U[l=3] "
              "((cat)->cat U (the@4)->the@4)->cat")
ENDINGS = {"text": "txt", "json": "json", "graphml": "graphml", "dot": "dot", "conllu": "conllu"}
# Signs that mean something to one of the readers.
SIGNS = [b"(", b")", b"->", b"U", b"[", b"]", b'"', b"\\", b"@", b"=", b";", b"{", b"}", b"<", b">", b"/", b"&", b"\n", b"\t",
         b"0", b"-1", b"99999999999", b"]]>", b"<!--", b"\\u{", b"\xff", b"\xe2\x80\xa8", b"null", b"\r\n", b"1-2", b"3.1"]


def meaningful(data, chance):
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        if chance.random() < 0.5:
            data[at:at] = chance.choice(SIGNS)
        else:
            end = at + chance.randint(1, 12)
            other = chance.randrange(len(data) + 1)
            data[other:other] = data[at:end]
            if chance.random() < 0.5:
                del data[at:end]
    return bytes(data)


def main():
    mog = sys.argv[1]
    count = int(sys.argv[sys.argv.index("--count") + 1]) if "--count" in sys.argv else 60
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for form, ending in ENDINGS.items():
            made = subprocess.run([mog, "expr", EXPRESSION, "--sentence", SENTENCE, "--format", form], capture_output=True, check=True)
            path = folder / f"mutant.{ending}"
            chance = random.Random(form)
            codes, slowest, most = {}, 0.0, 0
            for number in range(count):
                path.write_bytes((mutate if number % 3 == 0 else meaningful)(made.stdout, chance))
                to = chance.choice(["report", *ENDINGS])
                code, text, seconds, megabytes = run_command([mog, "expr", "-i", str(path), "--format", to])
                codes[code] = codes.get(code, 0) + 1
                slowest, most = max(slowest, seconds), max(most, megabytes)
                told = code == 0 or (code in (2, 3) and text.startswith("mog: "))
                if not told or seconds > SECONDS or megabytes > MEGABYTES:
                    bad += 1
                    keep = pathlib.Path(tempfile.gettempdir()) / f"mog-mutant-{form}-{number}.{ending}"
                    keep.write_bytes(path.read_bytes())
                    print(f"{form} {number}: exit {code}, {seconds:.1f} s, {megabytes} MB, kept as {keep}: {text[:300]}")
            print(f"{form}: {codes}, at most {slowest:.2f} s and {most} MB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
