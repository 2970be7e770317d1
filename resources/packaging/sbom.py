"""The software bill of materials of a bundled tree: SPDX 2.3 JSON, made from what is inside.

Copied libraries are traced to their Debian packages, libraries linked into the programs to the headers and archives
that the build read. Versions are dpkg's; licences are the ones that each package's copyright file states.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

import tree

# Debian's short names of licences (copyright format 1.0) that SPDX calls otherwise.
SPDX = {"expat": "MIT", "mit": "MIT", "apache-2.0": "Apache-2.0", "zlib": "Zlib", "bsl-1.0": "BSL-1.0", "boost-1.0": "BSL-1.0",
        "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause": "BSD-4-Clause", "isc": "ISC",
        "openssl": "OpenSSL", "cc0-1.0": "CC0-1.0", "unlicense": "Unlicense", "ofl-1.1": "OFL-1.1", "x11": "X11", "0bsd": "0BSD",
        "lgpl-3": "LGPL-3.0-only", "lgpl-3.0": "LGPL-3.0-only", "mpl-2.0": "MPL-2.0", "mpl-1.1": "MPL-1.1", "ftl": "FTL",
        "artistic": "Artistic-1.0-Perl", "public-domain": None, "libpng": "Libpng", "gfdl-1.3": "GFDL-1.3-only"}
GNU = re.compile(r"^(a?l?gpl)[-v]*(\d)(?:\.(\d))?(\+)?$")
# As resources/packages/libtorch.txt pins them: package, version, licence, a file of it.
PINNED = dict(re.findall(r"^([\w-]+)==(\S+)", (tree.SOURCE / "resources/packages/libtorch.txt").read_text(), re.MULTILINE))
TORCH = [(name, PINNED[name], licence, file) for name, licence, file in (
    ("torch", "BSD-3-Clause", "libtorch_cpu.so"), ("nvidia-cuda-runtime", "LicenseRef-NVIDIA", "libcudart.so.13"),
    ("nvidia-cuda-cupti", "LicenseRef-NVIDIA", "libcupti.so.13"))]
# Of the compiler and the C library, on every system; of tests, in no program.
LEFT_OUT = re.compile(r"^(libc6|libc6-dev|linux-libc-dev|libstdc\+\+|libgcc|libcrypt-dev|gcc-|g\+\+-|libgl-dev|libopengl-dev|libglx-dev|libegl-dev|libgles|libgtest|libgmock|libbenchmark)")


def identifier(name):
    """Debian's name as an SPDX identifier; None: SPDX has none."""
    low = name.strip().lower()
    if low in SPDX:
        return SPDX[low]
    gnu = GNU.match(low)
    if gnu:
        family, major, minor, later = gnu.groups()
        return f"{family.upper()}-{major}.{minor or '0'}-{'or-later' if later else 'only'}"
    return None


def stated_licences(text):
    """The short names of a copyright file in format 1.0, of the work itself (not of debian/*); empty: another format."""
    if not text.lstrip().startswith("Format:"):
        return []
    names = []
    for stanza in re.split(r"\n\s*\n", text):
        files = re.search(r"^Files:\s*((?:.|\n[ \t])*)", stanza, re.MULTILINE)
        licence = re.search(r"^License:[ \t]*(.+)$", stanza, re.MULTILINE)
        if files is None or licence is None or all(name.startswith("debian/") for name in files.group(1).split()):
            continue
        for name in re.split(r"\s+(?:and|or)\s+|,\s*|/", re.sub(r"\s+with\s+.*", "", licence.group(1).strip())):
            name = re.sub(r"^(and|or)\b|\b(and|or)$", "", name).strip(" ()")
            if name and name not in names:
                names.append(name)
    return names


def licence_text(text, name):
    """Of a copyright file in format 1.0 the words of the licence with that short name; of another the whole text."""
    bodies = []
    for stanza in re.split(r"\n\s*\n", text):
        found = re.search(r"^License:[ \t]*(.+)\n((?:[ \t].*(?:\n|$))+)", stanza, re.MULTILINE)
        if found and name in re.split(r"\s+(?:and|or)\s+|,\s*|/|\s+with\s+.*", found.group(1).strip()):
            body = re.sub(r"^[ \t]\.?", "", found.group(2), flags=re.MULTILINE).rstrip()
            if body not in bodies:
                bodies.append(body)
    return "\n\n".join(bodies) if bodies else text


def owners(paths):
    """Path → its Debian package, with the architecture where several are installed; one question for all."""
    spellings = {}
    for path in paths:
        for spelling in {str(path), os.path.realpath(path), str(path).removeprefix("/usr")}:
            spellings.setdefault(spelling, path)
    said = subprocess.run(["dpkg-query", "-S", *spellings], capture_output=True, text=True).stdout
    found = {}
    for line in said.splitlines():
        packages, _, file = line.rpartition(": ")
        if file in spellings and not packages.startswith("diversion "):
            found.setdefault(spellings[file], packages.split(",")[0])
    for path in paths:
        if path not in found:
            sys.exit(f"{path} belongs to no Debian package")
    return found


def linked_in(build):
    """Packages whose headers or archives were compiled into the programs."""
    read = tree.run("ninja", "-C", build, "-t", "deps")
    files = {os.path.normpath(line.strip()) for line in read.splitlines() if line.startswith(("    /usr/include/", "    /usr/lib/"))}
    files |= set(re.findall(r"(/usr/lib/\S+\.a)\b", (build / "build.ninja").read_text()))
    one_of = {}  # all headers of a folder are of one package, but for the common folders
    for file in files:
        folder = os.path.dirname(file)
        if os.path.exists(file):
            one_of[file if folder in ("/usr/include", "/usr/include/x86_64-linux-gnu") or file.endswith(".a") else folder] = file
    return set(owners(sorted(one_of.values())).values())


def package_facts(package):
    name, version, source, homepage = tree.run(
        "dpkg-query", "-W", "-f", "${Package}\t${Version}\t${source:Package}\t${Homepage}", package).split("\t")
    copyright_file = pathlib.Path(f"/usr/share/doc/{name}/copyright")
    text = copyright_file.read_text(errors="replace") if copyright_file.exists() else ""
    if not text:
        sys.exit(f"{package} has no copyright file {copyright_file}")
    return {"name": name, "version": version, "source": source, "homepage": homepage, "text": text}


def write(build, installed, copied, tools=None, torch=False):
    """share/doc/mog-workbench/sbom.spdx.json, and the copyright files of all packages in licences/ beside it.
    copied: {path in the tree: path on this machine}. tools: the folder of what checks it (tree.tools), or None.
    torch: whether LibTorch is in the tree, too."""
    documents = installed / "share/doc/mog-workbench"
    (documents / "licences").mkdir(parents=True, exist_ok=True)
    packages = {}
    owner = owners(list(copied.values()))
    for path, source in copied.items():
        packages.setdefault(owner[source], []).append(path)
    for package in linked_in(build):
        if not LEFT_OUT.match(package) and not package.split(":")[0].startswith(("qt6-", "libqt6")):
            packages.setdefault(package, [])
    version = tree.version()
    extracted = {}
    spdx_packages = [{
        "SPDXID": "SPDXRef-mog-workbench", "name": "mog-workbench", "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
        "copyrightText": "Copyright 2026 the MoG Workbench developers",
        "comment": "Data, fonts and weights of others: NOTICE"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-mog-workbench"}]
    files = []
    for package in sorted(packages):
        facts = package_facts(package)
        (documents / "licences" / f"{facts['name']}.txt").write_text(facts["text"])
        names = stated_licences(facts["text"])
        terms = []
        for name in names or [facts["name"]]:
            known = identifier(name) if names else None
            if known is None:
                known = "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{facts['name']}-{name}" if names else facts["name"]).strip("-")
                extracted[known] = licence_text(facts["text"], name)
            if known not in terms:
                terms.append(known)
        reference = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", facts["name"])
        stated = " AND ".join(terms)
        entry = {"SPDXID": reference, "name": facts["name"], "versionInfo": facts["version"], "supplier": "Organization: Debian",
                 "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
                 "licenseDeclared": stated, "copyrightText": "NOASSERTION",
                 "comment": ("copied" if packages[package] else "compiled or linked into the programs")
                 + f"; all licences that licences/{facts['name']}.txt states of any of its files",
                 "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                   "referenceLocator": f"pkg:deb/debian/{facts['name'].replace('+', '%2B')}@{facts['version'].replace('+', '%2B').replace(':', '%3A')}?arch=amd64"}]}
        if facts["source"] and facts["source"] != facts["name"]:
            entry["sourceInfo"] = f"Debian source package {facts['source']}"
        if facts["homepage"]:
            entry["homepage"] = facts["homepage"]
        spdx_packages.append(entry)
        relations.append({"spdxElementId": "SPDXRef-mog-workbench", "relationshipType": "CONTAINS" if packages[package] else "STATIC_LINK",
                          "relatedSpdxElement": reference})
        for path in sorted(packages[package]):
            data = (installed / path).read_bytes()
            file_reference = "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]+", "-", str(path))
            files.append({"SPDXID": file_reference, "fileName": f"./{path}",
                          "checksums": [{"algorithm": algorithm.upper(), "checksumValue": hashlib.new(algorithm, data).hexdigest()}
                                        for algorithm in ("sha1", "sha256")],
                          "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"]})
            # Symbols and run path are others than in the package; a package that is not taken apart may "contain" no file.
            relations.append({"spdxElementId": file_reference, "relationshipType": "GENERATED_FROM", "relatedSpdxElement": reference})
    if torch:
        for name, version_of, licence, file_name in TORCH:
            reference = f"SPDXRef-{name}"
            spdx_packages.append({
                "SPDXID": reference, "name": name, "versionInfo": version_of, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
                "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": f"pkg:pypi/{name}@{version_of}"}]})
            relations.append({"spdxElementId": "SPDXRef-mog-workbench", "relationshipType": "CONTAINS", "relatedSpdxElement": reference})
            path = tree.PRIVATE / "libtorch" / file_name
            if not (installed / path).exists():
                sys.exit(f"{path} is not in the tree")
        extracted["LicenseRef-NVIDIA"] = "NVIDIA Software License Agreement, CUDA Supplement: docs.nvidia.com/cuda/eula"
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"mog-workbench-{version}",
        "documentNamespace": "urn:uuid:" + uuid_of(version, spdx_packages, files),
        "creationInfo": {"created": tree.moment().strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Organization: MoG Workbench developers", "Tool: resources/packaging/sbom.py"]},
        "packages": spdx_packages, "files": files, "relationships": relations,
        "hasExtractedLicensingInfos": [{"licenseId": name, "extractedText": text, "name": name.removeprefix("LicenseRef-")}
                                       for name, text in sorted(extracted.items())]}
    (documents / "sbom.spdx.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    if tools is not None:
        check(tools, documents / "sbom.spdx.json")


def check(bin_folder, file):
    """What the SPDX project's own tool says against a document; it ends the program."""
    said = subprocess.run([bin_folder / "pyspdxtools", "-i", file, "--version", "SPDX-2.3"], capture_output=True, text=True)
    if said.returncode != 0 or said.stderr.strip():
        sys.exit(f"{file} is no valid SPDX document:\n{(said.stderr + said.stdout)[:4000]}")


def uuid_of(*contents):
    """The same document has the same name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(json.dumps(contents, default=str, sort_keys=True).encode()).hexdigest()))
