#!/usr/bin/env python3
"""Makes a PyPI wheel for each machine and one npm package for all from static binaries that are built already.

    packaging/build.py --out target/packages x86_64=PATH aarch64=PATH

Prints the files. Both packages carry the binary: nothing is downloaded or built when they are installed. It needs Python 3.8
and no package. The same binaries give the same bytes.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import pathlib
import re
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The oldest time that a zip archive can have: archives of the same files are equal.
EPOCH = (1980, 1, 1, 0, 0, 0)
# A static binary runs with every C library.
PLATFORM = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"
# As Node.js names the machines.
NODE_MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


def read_manifest():
    """Returns the version, the description and the address in Cargo.toml."""
    text = (ROOT / "Cargo.toml").read_text()
    keys = ("version", "description", "repository")
    found = [re.search(rf'(?m)^{key} = "(.*)"$', text) for key in keys]
    return [match.group(1) for match in found]


def make_wheel(out, machine, binary):
    """Writes the wheel of one machine and returns its path."""
    version, description, repository = read_manifest()
    info = f"papayu_batch-{version}.dist-info"
    tags = PLATFORM.format(machine)
    metadata = (
        f"Metadata-Version: 2.1\nName: papayu-batch\nVersion: {version}\nSummary: {description}\n"
        f"Home-page: {repository}\nLicense: MIT OR Apache-2.0\nRequires-Python: >=3.7\n"
        "Description-Content-Type: text/markdown\n\n"
    )
    wheel = "Wheel-Version: 1.0\nGenerator: packaging/build.py\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files = [
        (f"papayu_batch-{version}.data/scripts/papayu-batch", binary.read_bytes(), 0o755),
        (f"{info}/METADATA", metadata.encode() + (ROOT / "README.md").read_bytes(), 0o644),
        (f"{info}/WHEEL", wheel.encode(), 0o644),
    ]
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        files.append((f"{info}/licenses/{name}", (ROOT / name).read_bytes(), 0o644))
    rows = []
    for path, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}\n")
    record = f"{info}/RECORD"
    files.append((record, "".join(rows + [f"{record},,\n"]).encode(), 0o644))
    path = out / f"papayu_batch-{version}-py3-none-{tags}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)
    return path


def make_npm_package(out, binaries):
    """Writes the npm package with the binaries of all machines and returns its path."""
    version, description, repository = read_manifest()
    manifest = {
        "name": "papayu-batch",
        "version": version,
        "description": description,
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": f"git+{repository}.git"},
        "bin": {"papayu-batch": "papayu-batch.js"},
        "os": ["linux"],
        "cpu": sorted(NODE_MACHINES[machine] for machine in binaries),
        "engines": {"node": ">=18"},
    }
    files = [
        ("package.json", (json.dumps(manifest, indent=2) + "\n").encode(), 0o644),
        ("papayu-batch.js", (ROOT / "packaging/npm/papayu-batch.js").read_bytes(), 0o755),
    ]
    for machine, binary in sorted(binaries.items()):
        files.append((f"bin/{NODE_MACHINES[machine]}/papayu-batch", binary.read_bytes(), 0o755))
    for name in ("README.md", "LICENSE-APACHE", "LICENSE-MIT"):
        files.append((name, (ROOT / name).read_bytes(), 0o644))
    path = out / f"papayu-batch-{version}.tgz"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, content, mode in files:
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size, entry.mode = len(content), mode
                archive.addfile(entry, io.BytesIO(content))
    return path


def main():
    parser = argparse.ArgumentParser(description="Makes a PyPI wheel and an npm package from static binaries.")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "target/packages")
    parser.add_argument("binaries", nargs="+", metavar="MACHINE=PATH", help="x86_64=PATH or aarch64=PATH")
    arguments = parser.parse_args()
    binaries = {}
    for word in arguments.binaries:
        machine, _, path = word.partition("=")
        if machine not in NODE_MACHINES or not pathlib.Path(path).is_file():
            parser.error(f"`{word}` is not x86_64=PATH or aarch64=PATH of a file")
        binaries[machine] = pathlib.Path(path)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for machine, binary in sorted(binaries.items()):
        print(make_wheel(arguments.out, machine, binary))
    print(make_npm_package(arguments.out, binaries))


main()
