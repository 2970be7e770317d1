"""What `cmake --install` gave, made independent of the machine that built it.

Qt, HDF5, ICU and whatever else the programs need comes into lib/mog-workbench/libraries, Qt's plugins into
lib/mog-workbench/plugins, run paths become relative, symbols go. Left to the system: the C library, libstdc++, the
graphics driver. LibTorch is found beside, never copied here.
"""
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PRIVATE = pathlib.Path("lib/mog-workbench")
# Of the C library and the compiler, which are older than every program built on the same system.
SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|mvec|anl|stdc\+\+|gcc_s))\.so")
# LibTorch and what it brings.
TORCH = re.compile(r"^lib(torch|c10|cudart|cupti|cuda)\w*[.-]")
# No OpenGL: everything is painted by the processor. No network, no database, no printer.
PLUGINS = ["platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqwayland-generic.so",
           "wayland-shell-integration/libxdg-shell.so", "wayland-decoration-client/libbradient.so",
           "iconengines/libqsvgicon.so", "imageformats/libqsvg.so",
           "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
           "platforminputcontexts/libibusplatforminputcontextplugin.so"]
WAYLAND = "package qt6-wayland"


def run(*command, **options):
    """Its output; what it said where it failed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def need(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        sys.exit(f"{', '.join(missing)}: not there; apt install the packages of resources/packages/debian-packaging.txt")


def tools():
    """The programs of a Python with the pinned packages: wheel, auditwheel, spdx-tools."""
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "mog-workbench/packaging"
    pins = SOURCE / "resources/packages/packaging.txt"
    mark = folder / ".pinned"
    if not mark.exists() or mark.read_text() != pins.read_text():
        venv.create(folder, with_pip=True, clear=True)
        run(folder / "bin/pip", "install", "--disable-pip-version-check", "-q", "--no-deps", "--require-hashes",
                 "--only-binary=:all:", "-r", pins)
        mark.write_text(pins.read_text())
    return folder / "bin"


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


def cache_value(build, name):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split("=", 1)[1]
    return ""


def libraries_of(file, ours):
    """Soname → path of everything that the file needs, also by others, but for the system's and LibTorch's."""
    found = {}
    environment = {**os.environ, "LD_LIBRARY_PATH": str(ours)}
    for line in run("ldd", file, env=environment).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if not rest or SYSTEM.match(name) or TORCH.match(name) or name.startswith("libmog_"):
            continue
        path = rest.split(" (")[0]
        if path == "not found":
            sys.exit(f"{file} needs {name}, which is not on this machine")
        found[name] = pathlib.Path(path)
    return found


def plugin_folder():
    for tool in ("qtpaths6", "/usr/lib/qt6/bin/qtpaths", "qmake6", "/usr/lib/qt6/bin/qmake"):
        if shutil.which(tool):
            query = "--query" if "paths" in tool else "-query"
            return pathlib.Path(run(tool, query, "QT_INSTALL_PLUGINS").strip())
    sys.exit("neither qtpaths nor qmake of Qt 6 is there: apt install qt6-base-dev")


def relative(target, start):
    return "$ORIGIN/" + os.path.relpath(target, start) if target != start else "$ORIGIN"


def install(build, tree):
    shutil.rmtree(tree, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", tree)


def bundle(build, tree, torch_places):
    """Copies libraries and plugins into the tree; returns {path in the tree: path on this machine} of them.
    torch_places: run paths of the engine behind its own, "$ORIGIN/…"."""
    need("patchelf", "strip", "ldd", "dpkg-query")
    private = tree / PRIVATE
    copied = {}
    plugins = plugin_folder()
    for name in PLUGINS:
        source = plugins / name
        if not source.exists():
            sys.exit(f"Qt's plugin {source} is not there: apt install qt6-svg-dev qt6-wayland")
        target = private / "plugins" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        copied[target] = source
    programs = [path for folder in (tree / "bin", private) for path in folder.iterdir() if is_elf(path)]
    needed = {}
    for file in [*programs, *copied]:
        needed.update(libraries_of(file, private))
    libraries = private / "libraries"
    libraries.mkdir()
    for name, source in needed.items():
        target = libraries / name
        shutil.copy2(os.path.realpath(source), target)
        target.chmod(0o755)
        copied[target] = source
    for file in [*programs, *copied]:
        places = [private, libraries]
        if file.parent == libraries:
            places = [libraries]
        paths = [relative(place, file.parent) for place in places]
        if file.name in ("libmog_engine.so", "libmog_cuda.so"):
            paths = ["$ORIGIN", "$ORIGIN/libtorch", *torch_places, "$ORIGIN/libraries"]
        run("strip", "--strip-unneeded", file)
        run("patchelf", "--set-rpath", ":".join(paths), file)
    (tree / "bin/qt.conf").write_text("[Paths]\nPrefix = ../lib/mog-workbench\nPlugins = plugins\nTranslations = translations\n")
    return {path.relative_to(tree): source for path, source in copied.items()}


def check(tree):
    """Everything that a file of the tree needs is in it, or is the system's or LibTorch's; no path leads out."""
    for file in (path for path in tree.rglob("*") if is_elf(path)):
        if "libtorch" in file.parent.name:
            continue
        said = run("readelf", "-d", file)
        for paths in re.findall(r"R(?:UN)?PATH\)\s+Library \w+: \[(.*)\]", said):
            for path in paths.split(":"):
                if not path.startswith("$ORIGIN"):
                    sys.exit(f"{file}: its run path leads to {path}")
        for name in re.findall(r"NEEDED\)\s+Shared library: \[(.*)\]", said):
            if SYSTEM.match(name) or TORCH.match(name):
                continue
            if not any((tree / PRIVATE / folder / name).exists() for folder in (".", "libraries")):
                sys.exit(f"{file} needs {name}, which is not in the tree")


def version():
    """Of the tag (git describe): 0.2.0, or 0.2.0+5.g1234567 five commits behind it; without a tag CMake's project version."""
    said = subprocess.run(["git", "-C", SOURCE, "describe", "--tags", "--match", "v[0-9]*"], capture_output=True, text=True)
    if said.returncode == 0:
        tag, *behind = said.stdout.strip().removeprefix("v").rsplit("-", 2)
        return tag if not behind else f"{tag}+{'.'.join(behind)}"
    return re.search(r"^project\(mog_workbench VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)


def moment():
    """When what is made was made, for all who make it: SOURCE_DATE_EPOCH, else when it was committed."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", SOURCE, "log", "-1", "--format=%ct")
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)


def build(folder, cuda=None):
    """The preset "release" of the programs alone, of this version. cuda: a toolkit."""
    options = ["-DMOG_BUILD_TESTS=OFF", "-DMOG_INSTALL_TORCH_LIB=", f"-DMOG_VERSION={version()}", "-DMOG_WERROR=OFF", "-DMOG_UNITY=OFF",
               f"-DMOG_RELEASE_DATE={moment():%Y-%m-%d}"]
    if cuda is not None:
        options.append(f"-DCMAKE_CUDA_COMPILER={cuda / 'bin/nvcc'}")
    run("cmake", "--preset", "release", "-B", folder.resolve(), *options, cwd=SOURCE)
    done = subprocess.run(["cmake", "--build", folder, "--parallel", os.environ.get("MOG_JOBS", str(os.cpu_count()))])
    if done.returncode != 0:
        sys.exit("the build failed")
