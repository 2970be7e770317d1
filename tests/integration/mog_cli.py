"""What the command-line tests share."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest


def skip(reason):
    print("SKIPPED:", reason)
    sys.exit(77)


def require_engine(mog):
    """Ends the test as skipped where models cannot be run."""
    doctor = json.loads(subprocess.run([mog, "doctor", "--json"], capture_output=True, check=True).stdout)
    if not doctor["engine"]:
        skip("the engine is not there: " + doctor["engine_error"])


def shared_dir(given=None):
    """The larger shared data: $MOG_SHARED_DIR, the argument, or ../shared beside the source tree."""
    set_to = os.environ.get("MOG_SHARED_DIR") or given
    if set_to:
        return pathlib.Path(set_to)
    return pathlib.Path(__file__).resolve().parents[2].parent / "shared"


def file_holds(path, word):
    """Whether a file holds those bytes, read piece by piece: the peak of a child's memory begins with that of the process that starts
    it, and a program with sanitizers is half a gigabyte."""
    before = b""
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            if word in before + piece:
                return True
            before = piece[-len(word):]
    return False


def sanitized(program):
    return file_holds(program, b"__asan_init")


def allowed_megabytes(mog, most):
    """What a run of `mog` may take where `most` is the limit for the program that users have. With sanitizers, twice that and what
    the program takes before it does anything: shadow memory, and tables that grow with every library."""
    if not sanitized(mog):
        return most
    process = subprocess.Popen([mog, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return 2 * most + usage.ru_maxrss // 1024


class MogCase(unittest.TestCase):
    """A folder for each test, and `mog` run in two ways. `mog` is the program's path."""

    mog = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_mog(self, *arguments, stdin=None):
        return subprocess.run([self.mog, *map(str, arguments)], capture_output=True, input=stdin, timeout=300)

    def run_well(self, *arguments, stdin=None):
        result = self.run_mog(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def expect(self, code, word, *arguments, stdin=None):
        result = self.run_mog(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        self.assertIn(word, result.stderr.decode())
        return result.stderr.decode()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path
