"""Sends damaged files of weights through `mog describe`: an exit code and a message, never a signal or a hang.

The mutants of test_weights are many and read in one process; these are fewer and go the whole way (mog-loader, shared
memory, message). Usage: mutants_cli.py MOG DATA_DIR [--count N]
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from mog_cli import allowed_megabytes

SAMPLES = {"safetensors": "expected.safetensors", "torch": "zip.pt", "torch legacy": "fairseq.pt",
           "ctranslate2": "ct2-int8.bin", "gguf": "blocks.gguf", "sentencepiece": "../sentencepiece/unigram.model"}
MEGABYTES = allowed_megabytes(sys.argv[1], 256)
SECONDS = 20  # of processor time: none takes a tenth of one


def mutate(data, chance):
    data = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        if not data:
            break
        at = chance.randrange(len(data))
        kind = chance.randrange(5)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            width = chance.choice((1, 2, 4, 8))
            data[at:at + width] = chance.choice((0, 1, 2**31 - 1, 2**63 - 1, 2**64 - 1)).to_bytes(8, "little")[:width]
        elif kind == 3:
            data[at:at] = data[at:at + chance.randint(1, 64)]
        else:
            del data[at:at + chance.randint(1, 64)]
    return bytes(data)


def run(mog, path, kind):
    return run_command([mog, "describe", str(path), "--kind", kind, "--json"])


def run_command(command):
    """Exit code (of a signal its negative number), what it said, processor seconds, megabytes."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode("utf-8", "replace")
    return process.returncode, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def main():
    mog, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[sys.argv.index("--count") + 1]) if "--count" in sys.argv else 40
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        for title, sample in SAMPLES.items():
            data = (folder / sample).read_bytes()
            path = pathlib.Path(temporary) / ("mutant" + pathlib.Path(sample).suffix)
            chance = random.Random(title)
            codes, slowest, most = {}, 0.0, 0
            for i in range(count):
                mutant = mutate(data, chance)
                path.write_bytes(mutant)
                code, text, seconds, megabytes = run(mog, path, title.split()[0])
                codes[code] = codes.get(code, 0) + 1
                slowest, most = max(slowest, seconds), max(most, megabytes)
                fault = (f"exit {code}" if code not in (0, 3, 5) else "no file in the message"
                         if code and path.name not in text else "breaks down" if "breaks down" in text else
                         f"{megabytes} MB" if megabytes > MEGABYTES else f"{seconds:.1f} s" if seconds > SECONDS else "")
                if fault:
                    bad += 1
                    print(f"{title}, mutant {i}: {fault}: {text.strip()[:300]}")
            print(f"{title}: {count} mutants, exit codes {dict(sorted(codes.items()))}, slowest {slowest:.2f} s, "
                  f"most memory {most} MB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
