"""What holds for every file of the project: no marks of an unfinished merge, and every script parses.

Usage: whole_tree.py PROJECT
"""
import ast
import pathlib
import subprocess
import sys

MARKS = tuple(mark * 7 for mark in "<>|")


def files_of(root):
    """The tracked ones; of a copy without git all but build folders."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True)
        if listed.returncode == 0 and listed.stdout:
            return [root / name for name in listed.stdout.decode().split("\0") if name]
    except FileNotFoundError:
        pass
    others = ("build", ".", "shared")
    return [path for path in root.rglob("*") if path.is_file() and not path.relative_to(root).parts[0].startswith(others)]


def interpreter(path, text):
    first = text.split("\n", 1)[0] if text.startswith("#!") else ""
    return "python" if path.suffix == ".py" or "python" in first else "bash" if path.suffix == ".sh" or "bash" in first else ""


def defects(path):
    if not path.is_file():
        return  # deleted, not yet committed
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(MARKS) and (len(line) == 7 or line[7] == " "):
            yield f"{path}:{number}: a mark of an unfinished merge"
    kind = interpreter(path, text)
    if kind == "python":
        try:
            ast.parse(text)
        except SyntaxError as error:
            yield f"{path}:{error.lineno}: {error.msg}"
    elif kind == "bash":
        parsed = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
        if parsed.returncode != 0:
            yield parsed.stderr.strip()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = files_of(root)
    found = [defect for path in files for defect in defects(path)]
    print("\n".join(found) or f"{len(files)} files")
    return 1 if found or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
