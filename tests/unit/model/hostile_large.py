"""Opens the malformed files that are too large to keep, under the limits that their manifest names.

Usage: hostile_large.py TEXT_TOOL SHARED_DIR (or MOG_SHARED_DIR in the environment)
Exit code 77 (skipped) when the generator is absent. About 0.6 GB of disk, removed afterwards.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading

TOOL = sys.argv[1]
HOSTILE = pathlib.Path(os.environ.get("MOG_SHARED_DIR", sys.argv[2])) / "hostile"
KINDS = {"safetensors", "model_dir", "bpe_codes", "vocab_lines", "vocab_counts", "text", "conllu",
         "tokenizer_json"}
EXIT = {"ok": 0, "bad_input": 3, "model_mismatch": 5}
# The limits are for a quiet machine and an optimised build.
SLACK = 6 if b"__asan_init" in pathlib.Path(TOOL).read_bytes() else 2
if not (HOSTILE / "make_hostile.py").exists():
    print("skipped: the generator of the large files is absent; set MOG_SHARED_DIR")
    sys.exit(77)

manifest = json.loads((HOSTILE / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
cases = [row for row in manifest if row.get("on_demand") and row["kind"] in KINDS]
failures = 0
with tempfile.TemporaryDirectory() as folder:
    for row in cases:
        name = pathlib.PurePosixPath(row["path"]).name
        made = subprocess.run([sys.executable, HOSTILE / "make_hostile.py", "--large", folder, "--only", name],
                              capture_output=True, text=True)
        path = pathlib.Path(folder) / name
        if not (path.exists() or path.is_symlink()):
            print(f"{name}: could not be made here: {made.stderr.strip()[-200:]}")
            continue
        refused = row["expect"] != "ok"
        limit = 256 if refused else 512
        child = subprocess.Popen([TOOL, "open", row["kind"], path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
        watchdog = threading.Timer(60, child.kill)
        watchdog.start()
        stdout, stderr = child.stdout.read(), child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        watchdog.cancel()
        code = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        peak = usage.ru_maxrss // 1024
        allowed = {EXIT[answer] for answer in [row["expect"], *row.get("also", [])]}
        word = row.get("word", "")
        rest = stderr.partition(name)[2]
        said = (re.search(rf"(?<!\w){re.escape(word)}(?!\w)", rest) if word.isdigit()
                else word.lower() in rest.lower())
        counted = "sentences" not in row or stdout.strip() == str(row["sentences"])
        # Processor time, because several tests may share the processor; a wait ends at the watchdog.
        good = (code in allowed and seconds < SLACK * (1 if refused else 5) and peak < limit
                and (counted if code == 0 else said and name in stderr))
        failures += not good
        print(f"{'ok  ' if good else 'FAIL'} {name}: exit {code}, {seconds:.2f} s, {peak} MB {stderr.strip()[:160]}")
        if path.is_dir() and not path.is_symlink():
            subprocess.run(["rm", "-r", path], check=True)
        else:
            path.unlink()
sys.exit(bool(failures))
