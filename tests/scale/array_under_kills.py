"""A real Slurm on this machine, an array job over a large corpus, and everything that goes wrong on a cluster: tasks that are
killed, a node that is drained, a controller that dies, disks that are full. What is merged in the end must be what one
unbroken run counts, byte for byte.

Usage: array_under_kills.py MOG MODEL FOLDER [--lines 1000000] [--tasks 200] [--seed 1]

Needs root and Debian's slurm-wlm and munge (slurm_local.sh installs them). FOLDER is a new one; what was measured ends up in
FOLDER/report.json. It is no part of a test run: docs/scale.md says what came out.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "RANK", "WORLD_SIZE")
QUANTITIES = "gate,share,entropy,max"
FULL_BYTES = "64k"  # of a disk that holds no part


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def write_corpus(path, lines, seed):
    """Lines of 1 to 25 words that the models of the tests know; short ones are frequent."""
    draw = random.Random(seed)
    words = [f"w{i}" for i in range(5, 40)]
    with open(path, "w") as out:
        for _ in range(lines):
            length = 1 + min(int(draw.expovariate(0.25)), 24)
            out.write(" ".join(draw.choices(words, k=length)) + "\n")


class Cluster:
    """slurm_local.sh, and what goes wrong with it."""

    def __init__(self, folder):
        self.folder = folder
        for line in subprocess.run([HERE / "slurm_local.sh", "start", folder], check=True, capture_output=True, text=True).stdout.splitlines():
            if match := re.match(r"export (\w+)=(.*)", line):
                os.environ[match[1]] = match[2]
        self.node = subprocess.run(["hostname", "-s"], check=True, capture_output=True, text=True).stdout.strip()
        self.wait()

    def wait(self):
        for _ in range(120):
            if subprocess.run(["sinfo", "--noheader"], capture_output=True).returncode == 0:
                return
            time.sleep(0.5)
        raise SystemExit("the controller of Slurm does not answer")

    def restart_controller(self):
        pid = int((self.folder / "slurmctld.pid").read_text())
        os.kill(pid, signal.SIGKILL)
        time.sleep(3)
        subprocess.run(["slurmctld", "-f", self.folder / "slurm.conf"], check=True)
        self.wait()

    def node_is(self, state):
        subprocess.run(["scontrol", "update", f"nodename={self.node}", f"state={state}", "reason=trial"], check=False)

    def care(self):
        """What an administrator does: a controller that comes back with an older state drains a node whose jobs it does not know."""
        if "drain" in subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True).stdout:
            self.node_is("resume")

    def stop(self):
        subprocess.run([HERE / "slurm_local.sh", "stop", self.folder], check=False)


def running_tasks(tasks):
    """[(task, process of mog, its shell)]"""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int(re.search(r"PPid:\s+(\d+)", (folder / "status").read_text())[1])
        except (OSError, TypeError):
            continue  # it has ended
        if b"--shard" in words and words[0].endswith(b"mog"):
            part, _, parts = words[words.index(b"--shard") + 1].decode().partition("/")
            if int(parts) == tasks:
                found.append((int(part), int(folder.name), parent))
    return found


class Trial:
    def __init__(self, options):
        self.options = options
        self.draw = random.Random(options.seed)
        self.folder = options.folder
        self.run = self.folder / "run"
        self.corpus = self.folder / "corpus.txt"
        self.report = {"lines": options.lines, "tasks": options.tasks}
        self.killed = []
        self.full = self.draw.sample(range(1, options.tasks + 1), 3)

    def mog(self, *words, check=True):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(LAUNCHERS) or key == "SLURM_CONF"}
        done = subprocess.run([self.options.mog, *map(str, words)], capture_output=True, text=True, env=environment)
        if check and done.returncode != 0:
            raise SystemExit(f"mog {' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def counting(self):
        return ["stats", "--model", self.options.model, "--input", self.corpus, "--quantity", QUANTITIES, "--bootstrap", "200",
                "--commit-every", "1000", "--threads", "1"]

    def part(self, task):
        return self.folder / "parts" / str(task).zfill(len(str(self.options.tasks)))

    def unbroken(self):
        started, before = time.time(), os.times()
        self.mog(*self.counting(), "--output", self.folder / "whole.sums")
        after = os.times()
        self.report["unbroken_s"] = round(time.time() - started, 1)
        self.report["unbroken_cpu_s"] = round(after.children_user + after.children_system - before.children_user - before.children_system, 1)
        self.mog("merge", self.folder / "whole.sums", "--output", self.folder / "whole.csv")

    def fill_disks(self):
        for task in range(1, self.options.tasks + 1):
            self.part(task).mkdir(parents=True)
        for task in self.full:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={FULL_BYTES}", "tmpfs", self.part(task)], check=True)

    def empty_disks(self):
        for task in self.full:
            subprocess.run(["mount", "-o", "remount,size=256m", self.part(task)], check=True)

    def remove_disks(self):
        for task in self.full:
            subprocess.run(["umount", self.part(task)], check=False)

    def kill_one(self):
        """One task that runs: its program, or its shell too, as when a machine goes away."""
        alive = [entry for entry in running_tasks(self.options.tasks) if entry[0] not in self.killed]
        if not alive:
            return
        task, program, shell = self.draw.choice(alive)
        with_shell = self.draw.random() < 0.5
        for process in ([shell] if with_shell else []) + [program]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                return  # it was done
        self.killed.append(task)

    def queue(self):
        done = subprocess.run(["squeue", "--noheader", "--array"], capture_output=True, text=True)
        return len(done.stdout.splitlines()) if done.returncode == 0 else -1

    def disturb(self, cluster):
        """Until all tasks have ended: kills a fifth of them; drains the node once, kills the controller twice."""
        wanted = self.options.tasks // 5
        events = collections.deque([(0.25, "drain"), (0.45, "controller"), (0.7, "controller")])
        while (left := self.queue()) != 0:
            if len(self.killed) < wanted:
                self.kill_one()
            gone = 1 - left / self.options.tasks
            if left > 0 and events and gone >= events[0][0]:
                event = events.popleft()[1]
                say(f"{left} tasks left, {len(self.killed)} killed: {event}")
                if event == "drain":
                    cluster.node_is("drain")
                    time.sleep(8)
                    cluster.node_is("resume")
                else:
                    cluster.restart_controller()
                self.report.setdefault("events", []).append(event)
            time.sleep(self.draw.uniform(0.2, 1.2))
            cluster.care()

    def status(self):
        return json.loads(self.mog("status", self.run, "--json").stdout)

    def go(self):
        say(f"a corpus of {self.options.lines} lines")
        write_corpus(self.corpus, self.options.lines, self.options.seed)
        say("the unbroken run")
        self.unbroken()
        say(f"{self.options.tasks} tasks")
        cluster = Cluster(self.folder / "slurm")
        try:
            self.fill_disks()
            started = time.time()
            self.mog("launch", "slurm", self.run, "--tasks", self.options.tasks, "--", *self.counting(), "--output",
                     self.folder / "parts" / "{part}" / "counts.sums")
            self.disturb(cluster)
            self.report["killed"] = len(self.killed)
            before = self.status()
            self.report["after_the_first_pass"] = {state: len(before[state]) for state in ("done", "failed", "lost")}
            say(f"the first pass: {self.report['after_the_first_pass']}")
            if set(self.full) - set(before["failed"] + before["lost"]):
                raise SystemExit(f"tasks {self.full} had full disks; done are {before['done']}")
            if self.mog("merge", *self.parts(), "--output", self.folder / "early.csv", check=False).returncode == 0:
                raise SystemExit("parts are missing, and were merged without a word")
            self.empty_disks()
            watched = self.mog("status", self.run, "--watch", "--resubmit", "--every", 1, "--json")
            self.report["submitted_again"] = len(json.loads(watched.stdout)["resubmitted"])
            self.report["cluster_s"] = round(time.time() - started, 1)
            self.compare()
        finally:
            cluster.stop()
            self.remove_disks()
            (self.folder / "report.json").write_text(json.dumps(self.report, indent=1) + "\n")

    def parts(self):
        return [path for task in range(1, self.options.tasks + 1) if (path := self.part(task) / "counts.sums").exists()]

    def compare(self):
        merged = self.folder / "merged.csv"
        started = time.time()
        self.mog("merge", *self.parts(), "--output", merged)
        self.report["merge_s"] = round(time.time() - started, 2)
        self.report["bytes_of_a_part"] = self.parts()[0].stat().st_size
        whole = (self.folder / "whole.csv").read_bytes()
        self.report["rows"] = whole.count(b"\n") - 1
        self.report["equal"] = merged.read_bytes() == whole
        say(json.dumps(self.report, indent=1))
        if not self.report["equal"]:
            raise SystemExit("the merged table is not that of the unbroken run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mog", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("model", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("folder", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("root starts Slurm and mounts the full disks")
    options.folder.mkdir(parents=True)
    Trial(options).go()


if __name__ == "__main__":
    main()
