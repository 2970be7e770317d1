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
    r"^spdlog/": ["app/workflow"],
    r"^CLI/": ["app/cli"],
    r"^seccomp\.h": ["app/loader"],
}
# Stacks, parts and kinds of encoders by name, and who may: the table of grammars, which are called so.
SYSTEM = re.compile(r"\bPart::(?!none\b|parse\b|find\b|named\b|names\b|of_id\b|describe\b)[a-z]\w*"
                    r"|\bStack::(?!named\b|find\b|names\b)[a-z]\w*|\bEncoderKind::\w+"
                    r'|"(?:graph_transformer|transformer|gru|lstm)"')
NAMES_SYSTEMS = {"analysis/mog/rule_sets.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def best(table, path):
    keys = [key for key in table if path == key or path.startswith(key + "/")]
    return max(keys, key=len) if keys else None


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
        for kind, name in includes:
            if kind == '"':
                if not any(name.startswith(ok + "/") for ok in ALLOWED[folder]):
                    errors.append(f'{path}: includes "{name}"; {folder} may include only {ALLOWED[folder]}')
                # The Torch-free façade must not reach into the engine.
                if name.startswith("model/engine/") and not path.startswith("model/engine/"):
                    errors.append(f'{path}: includes "{name}": only the engine sees the engine')
            else:
                for pattern, folders in VENDORS.items():
                    if re.match(pattern, name) and not any(path.startswith(ok + "/") for ok in folders):
                        errors.append(f"{path}: includes <{name}>, which belongs to {folders}")
                if name.startswith("fmt/") and (file.suffix == ".h" and "internal" not in file.name):
                    errors.append(f"{path}: a public header includes fmt")
        names = {name for _, name in includes}
        if any(re.match(r"^(torch|ATen)/", name) for name in names) and any(
                re.match(r"^(fmt|spdlog)/", name) for name in names):
            errors.append(f"{path}: Torch and fmt in one file (Torch carries its own fmt)")
print("\n".join(errors) or "every include follows the arrows")
sys.exit(bool(errors))
