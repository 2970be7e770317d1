"""Checks that no file includes what its layer may not see (docs/architecture.md), and that nothing above the recordings
names a system: what a stack or part is, a recording says itself (docs/decisions/0029)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])

# folder -> folders of ours that its files may include; the longest matching folder counts.
ALLOWED = {
    "io/recording": ["io/recording"],
    "io": ["io"],
    "model": ["io", "model"],
    "model/engine": ["io", "model"],
    "analysis": ["io/recording", "analysis"],
    "app/workflow": ["io", "model", "analysis", "app/workflow"],
    "app/loader": ["io", "app/loader"],
    "app/figures": ["io/recording", "analysis", "app/figures"],
    "app/cli": ["io", "model", "analysis", "app/workflow", "app/figures", "app/cli"],
    "app/gui": ["io", "model", "analysis", "app/workflow", "app/figures", "app/gui"],
}
# vendor pattern -> folders that may include it
VENDORS = {
    r"^(torch|ATen|c10)/": ["model/engine"],
    r"^(cuda|cuda_runtime|cuda_fp16|cub/)": ["model/engine/cuda"],
    r"^hdf5\.h|^H5": ["io/hdf5"],
    r"^boost/": ["analysis"],
    r"^Q[A-Z]|^Qt": ["app/figures", "app/gui", "app/cli"],
    r"^zip\.h": ["io"],
    r"^unicode/": ["io", "model"],
    r"^nlohmann/": ["io", "model", "app/workflow", "app/cli", "app/gui"],
    r"^toml": ["app/workflow"],
    r"^CLI/": ["app/cli"],
    r"^seccomp\.h": ["app/loader"],
}
# Stacks, parts and kinds of encoders by name, and who may: the table of grammars, which are called so.
SYSTEM = re.compile(r"\bPart::(?!none\b|parse\b|find\b|named\b|names\b|of_id\b|describe\b)[a-z]\w*"
                    r"|\bStack::(?!named\b|find\b|names\b)[a-z]\w*|\bEncoderKind::\w+"
                    r'|"(?:graph_transformer|transformer|gru|lstm)"')
NAMES_SYSTEMS = {"analysis/mog/grammar/rule_sets.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def best(table, path):
    keys = [key for key in table if path == key or path.startswith(key + "/")]
    return max(keys, key=len) if keys else None


# Headers that a CMakeLists.txt names in a FILE_SET HEADERS: what other libraries may include.
FILE_SET = re.compile(r"FILE_SET HEADERS[^)]*?FILES\s([^)]*)\)")


def public_headers(root):
    found = set()
    for lists in root.glob("*/**/CMakeLists.txt"):
        folder = lists.parent.relative_to(root)
        if folder.parts[0] in ("io", "model", "analysis", "app"):
            for block in FILE_SET.findall(lists.read_text(encoding="utf-8")):
                found.update((folder / name).as_posix() for name in block.split())
    return found


# A header that is in no such set is its library's own.
LIBRARIES = ("io/recording", "io", "model/engine", "model", "analysis", "app/workflow", "app/figures", "app/gui")


def library_of(path):
    return next((one for one in LIBRARIES if path.startswith(one + "/")), None)


def rooms_of(text):
    """The tables of docs/architecture.md: {"app/workflow": {"common": set(), …}}."""
    tables, top = {}, None
    for line in text.splitlines():
        if heading := re.match(r"### `([\w/]+)`$", line):
            top = tables.setdefault(heading[1], {})
        elif line.startswith("#"):
            top = None
        elif top is not None and (row := re.match(r"\| ([\w.]+) \| .* \| ([^|]+) \|$", line)) and row[1] != "room":
            top[row[1]] = set() if row[2].strip() == "–" else {name.strip() for name in row[2].split(",")}
    return tables


def room_of(path, top):
    rest = path[len(top) + 1:].split("/")
    return rest[0] if len(rest) > 1 else "."


def circle(arrows):
    """Rooms that lead back to themselves, or nothing."""
    left = {room: set(to) for room, to in arrows.items()}
    while True:
        ends = [room for room, to in left.items() if not to & left.keys()]
        if not ends:
            return sorted(left)
        for room in ends:
            del left[room]


def room_errors(tables, sources):
    """`sources`: {path: names of the files of ours that it includes}."""
    found = []
    for top, rows in tables.items():
        used = {}
        for path, names in sorted(sources.items()):
            if not path.startswith(top + "/"):
                continue
            room = room_of(path, top)
            used.setdefault(room, set())
            for name in names:
                if name.startswith(top + "/") and (other := room_of(name, top)) != room:
                    used[room].add(other)
                    if other not in rows.get(room, set()):
                        found.append(f'{path}: includes "{name}", but {top}: {room} may not include {other} '
                                     "(docs/architecture.md, Rooms)")
        for room in sorted(used.keys() - rows.keys()):
            found.append(f"{top}/{room}: it has no row in docs/architecture.md, Rooms")
        for room, allowed in rows.items():
            for other in sorted(allowed - used.get(room, set())):
                found.append(f"docs/architecture.md: {top}: {room} may include {other}, but nothing there does")
        if around := circle(rows):
            found.append(f"docs/architecture.md: {top}: {', '.join(around)} lead back to themselves")
    return found


def self_test():
    tables = rooms_of("### `a`\n\n| room | what | may include |\n|---|---|---|\n| x | . | y |\n| y | . | – |\n## b\n| z | . | x |\n")
    assert tables == {"a": {"x": {"y"}, "y": set()}}, tables
    right = {"a/x/1.h": ["a/y/2.h"], "a/y/2.h": []}
    assert room_errors(tables, right) == []
    assert any("may not include" in one for one in room_errors(tables, right | {"a/y/3.h": ["a/x/1.h"]}))
    assert any("nothing there does" in one for one in room_errors(tables, {"a/x/1.h": [], "a/y/2.h": []}))
    assert any("no row" in one for one in room_errors(tables, right | {"a/w/3.h": []}))
    assert any("back to themselves" in one for one in room_errors({"a": {"x": {"y"}, "y": {"x"}}}, right | {"a/y/2.h": ["a/x/1.h"]}))
    assert not circle({"x": {"y"}, "y": set()}) and circle({"x": {"y"}, "y": {"x"}}) == ["x", "y"]


self_test()
public = public_headers(ROOT)
sources = {}
errors = []
for top in ("io", "model", "analysis", "app"):
    for file in sorted((ROOT / top).rglob("*")):
        if file.suffix not in {".h", ".cpp", ".cu", ".cuh"}:
            continue
        path = file.relative_to(ROOT).as_posix()
        folder = best(ALLOWED, str(pathlib.PurePosixPath(path).parent))
        if folder is None:
            errors.append(f"{path}: its folder has no row in tests/layering_includes.py")
            continue
        text = file.read_text(encoding="utf-8")
        if top in ("analysis", "app") and path not in NAMES_SYSTEMS:
            code = re.sub(r"//.*", "", text)
            for name in sorted(set(SYSTEM.findall(code))):
                errors.append(f"{path}: names a system: {name}; ask its description (io/recording/system.h)")
        includes = [(kind, name) for kind, name in INCLUDE.findall(text)]
        sources[path] = [name for kind, name in includes if kind == '"']
        for kind, name in includes:
            if kind == '"':
                if not any(name.startswith(ok + "/") for ok in ALLOWED[folder]):
                    errors.append(f'{path}: includes "{name}"; {folder} may include only {ALLOWED[folder]}')
                if (library := library_of(name)) and library != library_of(path) and name not in public:
                    errors.append(f'{path}: includes "{name}", which is {library}\'s own: no FILE_SET HEADERS names it')
                # The Torch-free façade must not reach into the engine.
                if name.startswith("model/engine/") and not path.startswith("model/engine/"):
                    errors.append(f'{path}: includes "{name}": only the engine sees the engine')
            else:
                for pattern, folders in VENDORS.items():
                    if re.match(pattern, name) and not any(path.startswith(ok + "/") for ok in folders):
                        errors.append(f"{path}: includes <{name}>, which belongs to {folders}")
                if name.startswith("fmt/") and path in public:
                    errors.append(f"{path}: a public header includes fmt")
        names = {name for _, name in includes}
        if any(re.match(r"^(torch|ATen)/", name) for name in names) and any(
                re.match(r"^fmt/", name) for name in names):
            errors.append(f"{path}: Torch and fmt in one file (Torch carries its own fmt)")
errors += room_errors(rooms_of((ROOT / "docs/architecture.md").read_text(encoding="utf-8")), sources)
print("\n".join(errors) or "every include follows the arrows")
sys.exit(bool(errors))
