#!/usr/bin/env python3
"""Holds our landing of rustc's and clippy's suggestions to the rustfix crate and to `.fixed` files.

    tests/oracles/rustfix.py PATH [DRIVER]

PATH holds UI tests (`NAME.rs` beside `NAME.fixed`), as rust-lang/rust-clippy's tests/ui or rust-lang/rustfix's
tests do. DRIVER is `clippy-driver` (the default) or `rustc`. Each file is compiled with warnings denied, the messages
are kept in a temporary folder, and the test in tests/oracles/rustfix.rs compares what comes of them.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent

# The tests of a compiler use features that it does not offer to others.
NIGHTLY = {**os.environ, "RUSTC_BOOTSTRAP": "1"}


def messages(driver, source, folder):
    """Compiles a copy of `source` in `folder` and keeps the messages beside it."""
    text = source.read_text(encoding="utf-8")
    name = folder / f"{source.stem}.rs"
    name.write_text(text, encoding="utf-8")
    edition = re.search(r"//@.*edition:\s*(\d{4})", text)
    command = [
        driver, name.name, "--error-format=json", "-Dwarnings", "-Aunused", "--emit=metadata",
        "--edition", edition.group(1) if edition else "2024", "-o", f"{source.stem}.rmeta",
        "--crate-type", "bin" if re.search(r"^fn main\b", text, re.M) else "lib", "--cap-lints=deny", "-L", ".",
    ]
    for aux in re.findall(r"//@\s*aux-build:\s*(\S+)", text):
        helper = source.parent / "auxiliary" / aux
        kind = "proc-macro" if "proc_macro" in aux else "lib"
        build = ["rustc", str(helper), "--crate-type", kind, "--edition", "2024", "--cap-lints=allow"]
        subprocess.run(build, cwd=folder, capture_output=True, env=NIGHTLY, timeout=60, check=False)
    try:
        said = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, env=NIGHTLY, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return
    (folder / f"{source.stem}.json").write_text(said.stderr, encoding="utf-8")
    (folder / f"{source.stem}.fixed").write_bytes(source.with_suffix(".fixed").read_bytes())


def main():
    place = Path(sys.argv[1]).resolve()
    driver = sys.argv[2] if len(sys.argv) > 2 else "clippy-driver"
    sources = sorted(file for file in place.rglob("*.rs") if file.with_suffix(".fixed").exists())
    with tempfile.TemporaryDirectory() as folder:
        def one(numbered):
            number, source = numbered
            case = Path(folder) / f"{number:04}"
            case.mkdir()
            messages(driver, source, case)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(one, enumerate(sources)))
        test = ["cargo", "test", "--quiet", "--test", "oracles", "--", "--ignored", "--nocapture", "rustfix"]
        environment = {**os.environ, "ORACLE_FOLDER": folder}
        sys.exit(subprocess.run(test, cwd=HERE, env=environment, check=False).returncode)


main()
