#!/usr/bin/env python3
"""A batch over repositories of five families of breaks: how many requests it makes, and what its recipes heal.

Usage: benches/recipes.py [REPOSITORIES]   (default 100; needs python3 and node, and builds nothing: PAPAYU_BIN names the program)

The repositories are generated. Each uses one removed or changed API in its own way, with a look-alike in its files. The
model is a script that knows the fix of the first form of each family. What was fixed is called with other values than
those of the tests, and a look-alike that changed is an error.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = os.environ.get("PAPAYU_BIN", str(ROOT / "target/release/papayu-batch"))

PYTHON = """\
class Client:
    def fetch(self, name):
        return f'got {name}'

def load_all(name):
    return f'all {name}'

def send(size, name):
    if not isinstance(size, int):
        raise TypeError('send() takes the size first')
    return f'{size} of {name}'

def tag(name, *, limit=1):
    return f'{name} {limit}'
"""
NODE = """\
class Client {}
const readAll = (name) => `read ${name}`;
module.exports = { Client, readAll };
"""
# Import, callee and first name of each form; the fix is written for the first one.
PYTHON_FORMS = [
    ("from acme import {f}", "{f}", "{f}"),
    ("from acme import Client, {f} as run", "run", "run"),
    ("import acme", "acme.{f}", "acme"),
    ("import acme as ac", "ac.{f}", "ac"),
]
NODE_FORMS = [
    ("const { {f} } = require('acme');", "{f}", "{f}"),
    ("const { {f}: run } = require('acme');", "run", "run"),
    ("const acme = require('acme');", "acme.{f}", "acme"),
]
# Old and new function, old and new arguments, the value of another call.
FAMILIES = [
    ("python", "load", "load_all", "(name)", "(name)", "all q"),
    ("python", "send", "send", "(name, 3)", "(3, name)", "3 of q"),
    ("python", "tag", "tag", "(name, maximum=2)", "(name, limit=2)", "q 2"),
    ("python", "pull", "fetch", "(name)", "(name)", "got q"),
    ("node", "readOld", "readAll", "(name)", "(name)", "read q"),
]
PYTHON_FILE = """\
{import}


def report(name):
    # {old}{args}
    note = '{old}{args}'
    return {callee}{args}


def call({root}, name):
    return {root}(name)
"""
NODE_FILE = """\
{import}

// {old}{args}
const report = (name) => {callee}{args};
const call = ({root}, name) => {root}(name);
module.exports = { report, call };
"""


def fill(text, **values):
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def source(family, number, is_new):
    """Returns the file of a repository before or after its fix."""
    language, old, new, before, after, _ = family
    function, args = (new, after) if is_new else (old, before)
    if old == "pull":
        imports = ["from acme import Client", "import acme", "from acme import Client as C"]
        make = ["Client()", "acme.Client()", "C()"]
        form = number % len(imports)
        text = PYTHON_FILE.replace("    note =", f"    client = {make[form]}\n    note =")
        return fill(text, **{"import": imports[form], "callee": "client." + function, "args": args, "old": "pull", "root": "pull"})
    forms = PYTHON_FORMS if language == "python" else NODE_FORMS
    line, callee, root = forms[number % len(forms)]
    text = PYTHON_FILE if language == "python" else NODE_FILE
    # Prose keeps the old name, and so does a parameter that shadows it.
    return fill(
        text,
        **{"import": line.replace("{f}", function), "callee": callee.replace("{f}", function), "root": root.replace("{f}", old)},
    ).replace("{old}{args}", old + before).replace("{args}", args)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make_repository(folder, family, number):
    language, *_, value = family
    expected = value.replace("q", "a")
    write(folder / ".gitignore", ".deps/\nnode_modules/\n.papa-yu/\n__pycache__/\n")
    if language == "python":
        write(folder / ".deps/acme/__init__.py", PYTHON)
        write(folder / "app.py", source(family, number, False))
        write(folder / "test_app.py", f"import unittest\nfrom app import report\n\n\nclass AppTest(unittest.TestCase):\n    def test_report(self):\n        self.assertEqual(report('a'), '{expected}')\n\n    def test_other(self):\n        self.assertTrue(report)\n")
    else:
        write(folder / "node_modules/acme/index.js", NODE)
        write(folder / "app.js", source(family, number, False))
        write(folder / "app.test.js", f"const test = require('node:test');\nconst assert = require('node:assert');\nconst app = require('./app.js');\ntest('reports', () => assert.equal(app.report('a'), '{expected}'));\ntest('exists', () => assert.ok(app.call));\n")
    for line in ["init -q -b main", "add -A", "-c user.name=A -c user.email=a@example.org commit -q -m Begin"]:
        subprocess.run(["git", *line.split()], cwd=folder, check=True)


MODEL = """\
import json, re, sys
prompt = sys.stdin.read()
open({log!r}, "a").write("asked\\n")
path, sha = re.search(r"FILE\\[(app\\.(?:py|js))\\] \\(sha256=([0-9a-f]{{64}})\\)", prompt).groups()
for before, after in json.load(open({fixes!r})):
    if all(line in prompt for line in before):
        hunks = "".join(f"@@ -{{old}},1 +{{old}},1 @@\\n-{{line}}\\n+{{new}}\\n" for old, line, new in after)
        action = {{"kind": "PATCH_FILE", "path": path, "base_sha256": sha, "patch": hunks}}
        print(json.dumps({{"actions": [action], "summary": "the new API"}}))
        break
else:
    sys.exit("no fix is known")
"""


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), count)


def run(folder, count):
    fixes = []
    for family in FAMILIES:
        old, new = (source(family, 0, is_new).splitlines() for is_new in (False, True))
        changed = [(at + 1, a, b) for at, (a, b) in enumerate(zip(old, new)) if a != b]
        fixes.append([[line for _, line, _ in changed], changed])
    write(folder / "fixes.json", json.dumps(fixes))
    write(folder / "model.py", MODEL.format(log=str(folder / "asked"), fixes=str(folder / "fixes.json")))
    manifest = ""
    for at in range(count):
        family, number = FAMILIES[at % len(FAMILIES)], at // len(FAMILIES)
        make_repository(folder / f"r{at}", family, number)
        check = "PYTHONPATH=.deps python3 -m unittest -v" if family[0] == "python" else "node --test"
        manifest += f'[[repositories]]\nrepo = "r{at}"\nrun = "{check}"\n'
    write(folder / "repos.toml", manifest)
    variables = {"PAPAYU_LLM_PROVIDER": "command", "PAPAYU_LLM_COMMAND": f"python3 {folder}/model.py", "PAPAYU_JUDGE": "off", "PAPAYU_MAX_ATTEMPTS": "1"}
    started = time.monotonic()
    line = [BIN, "batch", "repos.toml", "--jobs", "4", "--emit", "worktree", "--out", "out", "--progress", "none", "--quiet"]
    subprocess.run(line, cwd=folder, env={**os.environ, **variables})
    seconds = time.monotonic() - started
    summary = json.loads((folder / "out/summary.json").read_text())
    wrong = [check_repository(folder, at) for at in range(count)]
    wrong = [line for line in wrong if line]
    fixed = summary["counts"].get("fixed", 0)
    print(f"{count} repositories, {len(FAMILIES)} families: {fixed} fixed with {summary['spent']['requests']} requests in {seconds:.0f} s")
    for recipe in summary.get("recipes", []):
        print(f"  {recipe['id']} healed {len(recipe['healed'])}, failed {len(recipe['failed'])}")
    for row in summary["tasks"]:
        if row["outcome"] != "fixed":
            print(f"  {row['name']} {row['outcome']}: {row['reason'][:160]}")
    print(f"{len(wrong)} wrong changes", *wrong, sep="\n  ")
    return wrong


def check_repository(folder, at):
    """Returns what is wrong in a repository that was changed: its behaviour with other values, or another change than the fix."""
    family, number = FAMILIES[at % len(FAMILIES)], at // len(FAMILIES)
    place, value = folder / f"r{at}", family[-1]
    name = "app.py" if family[0] == "python" else "app.js"
    text = (place / name).read_text()
    if text == source(family, number, False):
        return None
    if family[0] == "python":
        code = "import app; print(app.report('q'), app.call(len, 'four'))"
        made = subprocess.run(["python3", "-B", "-c", code], cwd=place, env={**os.environ, "PYTHONPATH": ".deps"}, capture_output=True, text=True)
    else:
        code = "const app = require('./app.js'); console.log(app.report('q'), app.call((x) => x.length, 'four'))"
        made = subprocess.run(["node", "-e", code], cwd=place, capture_output=True, text=True)
    if made.stdout.strip() != f"{value} 4":
        return f"r{at}: {made.stdout.strip() or made.stderr[-200:]!r}, not `{value} 4`"
    prose = [line for line in text.splitlines() if "#" in line or "//" in line or "note" in line]
    old = family[1] + family[3]
    return None if all(old in line for line in prose) else f"r{at}: prose changed"


if __name__ == "__main__":
    main()
