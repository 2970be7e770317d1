"""Experiments in stages that can be stopped and resumed: runs of `mog` into a work folder, results of their trainings."""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from tables import put_table, read_csv, split_run

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Stages:
    def __init__(self, work, mog, threads, findings, minutes):
        self.work, self.mog, self.threads, self.findings = work.resolve(), mog, threads, findings.resolve()
        self.ends = time.monotonic() + 60 * minutes if minutes else None
        self.work.mkdir(parents=True, exist_ok=True)

    def call(self, *arguments):
        subprocess.run([self.mog, *map(str, arguments), "--threads", str(self.threads), "--quiet"], check=True, cwd=ROOT,
                       stdout=subprocess.PIPE)

    def make(self, target, *arguments):
        """`arguments` write `target`, a file or a folder; nothing is done when it is there. What a stopped call left is made
        again."""
        if target.exists():
            return
        print(target.relative_to(self.work), flush=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.parent / "part" / target.name  # the name says the format of a file and is the name of a model
        shutil.rmtree(part.parent, ignore_errors=True)
        part.parent.mkdir(parents=True)
        self.call(*(part if argument == target else argument for argument in arguments))
        part.rename(target)
        part.parent.rmdir()

    def train(self, config, sweep, pattern, *options):
        """Whether there is time for more. A run that the time ends keeps a checkpoint and goes on at the next call."""
        left = None if self.ends is None else self.ends - time.monotonic()
        if left is not None and left <= 0:
            print("the time is over; call again to go on")
            return False
        print(f"training {sweep}, {pattern}", flush=True)
        process = subprocess.Popen([self.mog, "train", config, "--output", self.work / sweep, "--runs", pattern, "--resume",
                                    "--threads", str(self.threads), *map(str, options)], cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            code = process.wait(left)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # finishes the step and keeps a checkpoint
            process.wait()
            print("the time is over; call again to go on")
            return False
        if code != 0:
            sys.exit(f"mog train {config.name} ended with exit code {code}")
        return True

    def results(self, sweep):
        """(variant, seed, result.json) of what was trained to its end."""
        for path in sorted((self.work / sweep).glob("*.training/result.json")):
            result = json.loads(path.read_text(encoding="utf-8"))
            if result["status"] == "finished":
                yield *split_run(result["run"]), result

    def best_rate(self, sweep, variant):
        """Tokens a second of the processor over the updates between two lines of the log that the machine disturbed least."""
        rates = []
        for path in (self.work / sweep).glob("*.training/metrics.jsonl"):
            result = path.with_name("result.json")
            if result.exists() and json.loads(result.read_text(encoding="utf-8")).get("device", "cpu").startswith("cuda"):
                continue
            if split_run(path.parent.name.removesuffix(".training"))[0] == variant:
                entries = map(json.loads, path.read_text(encoding="utf-8").splitlines())
                rates += [entry["tokens_per_second"] for entry in entries if "dev" not in entry]
        return f"{max(rates):,.0f}" if rates else ""

    def put_tables(self, pages, suffix=""):
        """pages: {page of the findings: {name: table as Markdown}}; each goes between its two comments, and into WORK/tables."""
        folder = self.work / "tables"
        folder.mkdir(exist_ok=True)
        for page, tables in pages.items():
            path = self.findings / page
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            for name, made in tables.items():
                (folder / f"{name}.md").write_text(made + "\n", encoding="utf-8")
                text = put_table(text, name + suffix, made)
            if path.exists():
                path.write_text(text, encoding="utf-8")


def trend_rows(path, kind, trend):
    """Rows of `mog stats --trend` of the whole stack by what they stand for: the change of the text, or the control's name."""
    if not path.exists():
        return {}
    return {(row["corpus"].partition(": ")[2] or "text as it is") if kind == "trained" else row["model"]: row
            for row in read_csv(path) if row["trend"] == trend and row["layer"] == "" and row["measure"] == "gate"}
