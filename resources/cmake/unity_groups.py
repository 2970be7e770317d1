"""Groups of source files that may be compiled as one: no file of a group says a name that another one has for itself.

    unity_groups.py ROOT FILE…        prints NUMBER;FILE lines; a file that stays alone has no line

A file's own names are those at the outer level of its unnamed namespaces, its macros and its aliases. The names that it says
are those in its text and in the headers of ours that it includes; a name behind `.`, `->` or `::` is somebody else's. So every
file means in its group what it means alone (docs/decisions/0062-the-first-build-in-groups.md). A group is of one folder at the
top; in io of one room, since who links a file of a group gets them all, and what these need: the engine must not get HDF5.
Cost: every file is read once.
"""
import functools
import pathlib
import re
import sys

MOST = 12  # files of a group: more would leave processors idle at the end
OWN = [re.compile(pattern) for pattern in (
    r"(?:template\s*<.*>\s*)?(?:struct|class|enum(?:\s+class)?|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)", r"(?:using|namespace|concept)\s+(\w+)\s*=",
    r"typedef\b.*?(\w+)\s*;", r".*?[\s*&>](\w+)\s*(?:\[[^\]]*\]\s*)?(?:=|\{|;|\()", r".*?operator\s*(\W+?|\w+)\s*\(")]


def blanked(text):
    """Without comments and texts."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', " ", text, flags=re.DOTALL)


def own_names(code):
    found = set(re.findall(r"^\s*#\s*define\s+(\w+)", code, re.MULTILINE))
    found.update(re.findall(r"^(?:using|namespace)\s+(\w+)\s*=", code, re.MULTILINE))
    found.update(re.findall(r"^using\s+[\w:]*::(\w+)\s*;", code, re.MULTILINE))
    found.update(re.findall(r"^(?:static|extern)\b.*?(\w+)\s*(?:\(|=|\{|;)", code, re.MULTILINE))
    for start in re.finditer(r"\bnamespace\s*\{", code):
        depth, statement = 1, ""
        for character in code[start.end():]:
            depth += {"{": 1, "}": -1}.get(character, 0)
            if depth == 0:
                break
            if depth == 1 or (depth == 2 and character == "{"):
                statement += character
            if character == ";" and depth == 1 or character == "{" and depth == 2 or character == "}" and depth == 1:
                for pattern in OWN:
                    match = pattern.match(" ".join(statement.split()).lstrip("} "))
                    if match:
                        found.add(match.group(1).strip())
                        break
                statement = ""
    return found


SAID = re.compile(r"(?<![\w.])(?<!->)(?<!::)\w+")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@functools.cache
def read(file):
    """The text of a file without comments, what it includes of ours, and the names that it says itself."""
    text = file.read_text(encoding="utf-8")
    code = blanked(text)
    return code, INCLUDE.findall(text), frozenset(SAID.findall(code))


def said_names(root, file):
    found, seen, open_files = set(), {file}, [file]
    while open_files:
        _, included, said = read(open_files.pop())
        found |= said
        for name in included:
            header = root / name
            if header not in seen and header.exists():
                seen.add(header)
                open_files.append(header)
    return found


def groups(root, files):
    made = []
    for file in sorted(files):
        code = read(pathlib.Path(file))[0]
        if "using namespace" in code:
            continue
        own, said = own_names(code), said_names(root, pathlib.Path(file))
        parts = pathlib.Path(file).relative_to(root).parts
        room = parts[:2] if parts[0] == "io" else parts[:1]
        for group in made:
            if group["room"] == room and len(group["files"]) < MOST and not own & group["said"] and not said & group["own"]:
                break
        else:
            group = {"files": [], "own": set(), "said": set(), "room": room}
            made.append(group)
        group["files"].append(file)
        group["own"] |= own
        group["said"] |= said
    return [group["files"] for group in made if len(group["files"]) > 1]


if __name__ == "__main__":
    for number, members in enumerate(groups(pathlib.Path(sys.argv[1]), sys.argv[2:])):
        for member in members:
            print(f"{number};{member}")
