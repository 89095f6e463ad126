#!/usr/bin/env python3
"""Compares what the index reads of a folder's sources with what TypeScript's compiler and Python's `ast` find.

compare.py FOLDER...

Prints for each folder and kind what was found, missed and extra, and the accuracy: 1 - (missed + extra) / total.
Files that the reference itself cannot parse are counted, and left out. Ends with 1 when a kind of a folder is
under 99 %. PAPAYU names the program (target/release/papayu-batch, or else target/debug/papayu-batch).
"""

import json
import os
import pathlib
import subprocess
import sys
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / "target/parse_accuracy"
SCRIPTS = {".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}
SKIPPED = {".git", "node_modules", "dist", "target"}
ENOUGH = 0.99
SHOWN = 6


def main(folders):
    setup()
    under = [line for folder in folders for line in compare(pathlib.Path(folder))]
    for line in under:
        print(f"under {ENOUGH:.0%}: {line}")
    return 1 if under else 0


def setup():
    HOME.mkdir(parents=True, exist_ok=True)
    package = (HERE / "package.json").read_text()
    stamp = HOME / "stamp"
    if stamp.exists() and stamp.read_text() == package:
        return
    (HOME / "package.json").write_text(package)
    npm = "npm install --silent --no-audit --no-fund --no-package-lock --prefix".split()
    subprocess.run([*npm, str(HOME)], check=True)
    stamp.write_text(package)


def program():
    places = [ROOT / "target/release/papayu-batch", ROOT / "target/debug/papayu-batch"]
    return os.environ.get("PAPAYU") or next(str(place) for place in places if place.exists())


def compare(folder):
    paths = [str(path) for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()
             and not SKIPPED & set(path.relative_to(folder).parts)]
    scripts = [path for path in paths if pathlib.Path(path).suffix in SCRIPTS]
    pythons = [path for path in paths if path.endswith((".py", ".pyi"))]
    theirs = ask(["node", HERE / "typescript.mjs"], scripts) + ask([sys.executable, HERE / "python.py"], pythons)
    ours = {line["path"]: line for line in ask([program(), "debug", "facts"], scripts + pythons)}
    totals, notes, broken, errors = {}, {}, 0, []
    for file in theirs:
        if file["broken"]:
            broken += 1
            continue
        mine = ours[file["path"]]
        if mine["facts"]["parse_error"]:
            errors.append(file["path"])
        found = flat(mine["facts"], file["path"])
        for kind, expected in file["found"].items():
            want, have = Counter(expected), Counter(found.get(kind, []))
            missed, extra = want - have, have - want
            total = totals.setdefault(kind, Counter())
            total.update(total=len(expected), missed=missed.total(), extra=extra.total())
            for sign, names in (("missed", missed), ("extra", extra)):
                notes.setdefault(kind, []).extend(f"{sign} {file['path']}: {name}" for name in names)
    print(f"== {folder}: {len(theirs)} files, {broken} not parsed by the reference, {len(errors)} with errors in our trees")
    for path in errors[:SHOWN]:
        print(f"     error in {path}")
    speed(ours.values())
    return [line for kind in sorted(totals) for line in verdict(folder, kind, totals[kind], notes.get(kind, []))]


def verdict(folder, kind, total, notes):
    wrong = total["missed"] + total["extra"]
    accuracy = 1 - wrong / max(total["total"], 1)
    found = total["total"] - total["missed"]
    print(f"   {kind:10} total {total['total']:6} found {found:6} missed {total['missed']:4} extra {total['extra']:4}  {accuracy:8.3%}")
    for note in notes[:SHOWN]:
        print(f"     {note}")
    return [f"{folder}: {kind} {accuracy:.3%}"] if accuracy < ENOUGH else []


def speed(files):
    took = sum(file["us"] for file in files)
    size = sum(file["bytes"] for file in files)
    if took > 0:
        print(f"   {size / 1e6:.1f} MB in {took / 1e6:.2f} s: {size / took:.1f} MB/s on one core")


def ask(command, paths):
    if not paths:
        return []
    done = subprocess.run([str(part) for part in command], input="\n".join(paths) + "\n", text=True,
                          stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def flat(facts, path):
    """Our facts as the words that the references use."""
    found = {}
    for symbol in facts["symbols"]:
        found.setdefault(symbol["kind"], []).append(f"{symbol['name']} {symbol['line']}")
    for item in facts["exports"]:
        found.setdefault("export", []).append(f"{item['name']} {item['from']}" if item["from"] else item["name"])
    for item in facts["imports"]:
        found.setdefault("import", []).append(imported(item, path))
    return found


def imported(item, path):
    script = pathlib.Path(path).suffix in SCRIPTS
    kind = item["kind"] + (" type" if item["type_only"] else "")
    if script and item["kind"] == "dynamic":
        return f"{item['module']} {kind} {item['line']}"
    bound = script and item["kind"] == "require"
    names = ",".join(f"{name['name']} as {name['alias']}" if name["alias"] else name["name"] for name in item["names"])
    full = f"{item['module']} {kind} {{{names}}} {item['alias'] or '-'} {item['line']}"
    return f"{item['module']} {kind} {item['line']}" if bound else full


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
