#!/usr/bin/env python3
"""A batch over repositories of twelve families of breaks: what one fix of a model heals in the others, and at what cost.

Usage: benches/recipes.py [--bin PROGRAM] [--tsc TSC] [--only WORD] [--keep DIR] [--jobs N]

Each file in `benches/recipes` is a family: a header, the files that its repositories share, the template of the main file,
and the repositories. `!` marks one that no rule can express, `=` one that must stay as it is: its failure reads like that of
the family, and has another cause. The model is a script that knows the fix of the first repository alone. A first batch
teaches, a second one heals. The oracle of a family calls what was fixed with other values than the tests do, and lines
with `keep` (strings, comments, shadowed names) must be the same bytes.
"""

import argparse
import difflib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IGNORED = ".deps/\n.out/\nnode_modules/\n.papa-yu/\n__pycache__/\ntarget/\nCargo.lock\nout/\nOracle.java\n"

MODEL = """\
import json, re, sys
prompt = sys.stdin.read()
fixes = json.load(open({fixes!r}))
shown = re.findall(r"FILE\\[(.+?)\\] \\(sha256=([0-9a-f]{{64}})\\)", prompt)
known = [(path, sha) for path, sha in shown if sha in fixes["patches"]]
unread = [path for path, word in fixes["words"].items() if word in prompt and path not in dict(shown)]
if known:
    path, sha = known[0]
    action = {{"kind": "PATCH_FILE", "path": path, "base_sha256": sha, "patch": fixes["patches"][sha]}}
    print(json.dumps({{"actions": [action], "summary": "the new API"}}))
elif unread:
    requests = [{{"type": "read_file", "path": path}} for path in unread]
    print(json.dumps({{"actions": [], "summary": "read the file", "context_requests": requests}}))
else:
    sys.exit("no fix is known")
"""

# A recipe that no failure of a green repository needs, for the overhead of matching.
OTHER = """\
id: other-{n}
when:
  tool: {tool}
  message: "*old{n}*"
language: python
rule:
  pattern: old{n}($A)
fix: new{n}($A)
imports:
  old{n}: old{n} from other{n}
"""


class Family:
    """The repositories of one break."""

    def __init__(self, path):
        header, *repositories = path.read_text().split("\n##### ")
        header, *files = header.split("\n=== ")
        self.key = path.stem
        self.header = dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in header.splitlines())
        self.files = dict(read_file(text) for text in files)
        self.template = self.files.pop("template")
        self.repositories = [self.read_repository(text) for text in repositories]

    def read_repository(self, text):
        title, body = text.split("\n", 1)
        body, *files = ("\n" + body).split("\n=== ")
        # A template without text is the body as it is.
        main = self.template.replace("{code}", body.strip("\n"))
        mark = title[-1] if title[-1] in "!=" else " "
        return title.rstrip(" !="), mark, {self.header["main"]: main, **dict(read_file(it) for it in files)}

    def fixed(self, text):
        """Returns the main file of the first repository after the model's fix."""
        for change in self.header["fix"].split(" ;; "):
            old, new = change.split(" => ")
            at = next(at for at, line in enumerate(text.splitlines()) if old in line and "keep" not in line)
            lines = text.splitlines()
            lines[at] = lines[at].replace(old, new)
            text = "\n".join(lines) + "\n"
        return text


def read_file(text):
    path, body = text.split("\n", 1)
    return path, body.rstrip("\n") + "\n"


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        paths = sorted((ROOT / "benches/recipes").glob("*.txt"))
        self.families = [it for it in map(Family, paths) if options.only in it.key]
        # The name of the compiler tells what its output means.
        os.environ["PATH"] = os.pathsep.join([os.path.dirname(options.tsc or ""), os.environ["PATH"]])
        has_tsc = options.tsc and shutil.which(options.tsc)
        if not has_tsc and any(it.header["language"] == "TypeScript" for it in self.families):
            print("the TypeScript family is left out: give --tsc")
            self.families = [it for it in self.families if it.header["language"] != "TypeScript"]

    def make_repository(self, family, number):
        folder = self.folder / f"{family.key}-{number}"
        for path, text in {**family.files, **family.repositories[number][2], ".gitignore": IGNORED}.items():
            if not path.endswith(" oracle"):
                write(folder / path, text)
        if "prepare" in family.header:
            shell(family.header["prepare"], folder, check=True)
        shell("git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.org commit -q -m Begin", folder, check=True)

    def run(self):
        fixes = {}
        for family in self.families:
            for number in range(len(family.repositories)):
                self.make_repository(family, number)
            before = family.repositories[0][2][family.header["main"]]
            after = family.fixed(before)
            lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), n=1)
            fixes[hashlib.sha256(before.encode()).hexdigest()] = "".join(list(lines)[2:])
        # A run shows the sources that a failure names; a model asks for configuration when it reads what is wrong with it.
        words = {it.header["main"]: it.header["named"] for it in self.families if "named" in it.header}
        write(self.folder / "fixes.json", json.dumps({"patches": fixes, "words": words}))
        write(self.folder / "model.py", MODEL.format(fixes=str(self.folder / "fixes.json")))
        started = time.monotonic()
        firsts = self.batch("teach", [(it, 0) for it in self.families])
        others = self.batch("heal", [(it, number) for it in self.families for number in range(1, len(it.repositories))])
        self.print_table({**firsts, **others}, time.monotonic() - started)
        print_overhead(self.options.bin, self.folder)

    def batch(self, name, tasks):
        """Runs the batch of some repositories and returns its rows by name."""
        manifest = ""
        for family, number in tasks:
            check = json.dumps(family.header["check"])
            manifest += f'[[repositories]]\nrepo = "{family.key}-{number}"\nrun = {check}\n'
        write(self.folder / f"{name}.toml", manifest)
        line = [self.options.bin, "batch", f"{name}.toml", "--emit", "worktree", "--out", name, "--progress", "none", "--quiet"]
        # A workflow is a file that only this flag lets a fix change.
        subprocess.run([*line, "--allow", "ci", "--jobs", str(self.options.jobs)], cwd=self.folder, env=self.variables())
        rows = json.loads((self.folder / name / "summary.json").read_text())["tasks"]
        return {row["name"]: row for row in rows}

    def variables(self):
        own = {
            "PAPAYU_LLM_PROVIDER": "command",
            "PAPAYU_LLM_COMMAND": f"python3 {self.folder}/model.py",
            "PAPAYU_JUDGE": "off",
            "PAPAYU_MAX_ATTEMPTS": "1",
            "PAPAYU_BATCH_RECIPES_DIR": str(self.folder / "recipes"),
        }
        return {**environment(), **own}

    def print_table(self, rows, seconds):
        print(f"{'family':32} {'language':11} {'repos':>5} {'rule':>5} {'fixed':>5} {'wrong':>5} {'asked':>5}")
        sums, details = defaultdict(int), []
        for family in self.families:
            line = defaultdict(int)
            for number, (title, mark, _) in enumerate(family.repositories):
                row = rows[f"{family.key}-{number}"]
                is_fixed, asked = row["outcome"] == "fixed", row["requests"]
                fault = self.check(family, number)
                is_free = number > 0 and is_fixed and asked == 0
                line["repos"] += 1
                line["asked"] += asked
                line["rule"] += mark == " " and number > 0
                line["fixed"] += is_free and mark == " "
                line["wrong"] += fault is not None
                if fault or mark == " " and not (is_free or number == 0 and is_fixed):
                    details.append(f"  {family.key}-{number} ({title}): {row['outcome']}, {fault or row['reason'][:150]}")
            for key, value in line.items():
                sums[key] += value
            print_line(family.header["title"], family.header["language"], line)
        print_line("sum", f"in {seconds:.0f} s", sums)
        print(f"{100 * sums['fixed'] / max(sums['rule'], 1):.0f} % of the other repositories that a rule can express are fixed at no cost")
        print("not fixed or wrong:" if details else "all are fixed", *details, sep="\n")

    def check(self, family, number):
        """Returns what is wrong in a repository that was changed: what must stay, or its behaviour with other values."""
        folder, (_, mark, own) = self.folder / f"{family.key}-{number}", family.repositories[number]
        texts = {path: text for path, text in {**family.files, **own}.items() if (folder / path).is_file()}
        changed = [path for path, text in texts.items() if (folder / path).read_text() != text]
        if not changed:
            return None
        if mark == "=":
            return f"{', '.join(changed)} must stay as it is"
        for path in changed:
            kept = lambda text: [line for line in text.splitlines() if "keep" in line]
            if kept((folder / path).read_text()) != kept(texts[path]):
                return f"a line with `keep` changed in {path}"
        for path, text in family.files.items():
            if path.endswith(" oracle"):
                write(folder / path.removesuffix(" oracle"), text)
        made = shell(family.header["oracle"], folder)
        is_right = family.header["value"] in made.stdout
        return None if is_right else f"{(made.stdout + made.stderr)[-200:]!r}, not `{family.header['value']}`"


def print_line(title, language, line):
    numbers = (f"{line[key]:5}" for key in ["repos", "rule", "fixed", "wrong", "asked"])
    print(f"{title:32} {language:11}", *numbers)


def print_overhead(program, folder):
    """Prints how long a run takes that asks nothing, with and without recipes that fit neither its tool nor its failure."""
    write(folder / "plain/.gitignore", IGNORED)
    write(folder / "plain/app.py", "def report(name):\n    return name\n")
    write(folder / "plain/test_app.py", "import unittest, app\n\nclass AppTest(unittest.TestCase):\n    def test_report(self):\n        self.assertEqual(app.report('a'), 'b')\n")
    shell("git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.org commit -q -m Begin", folder / "plain", check=True)
    for number in range(20):
        tool = "python" if number % 2 else "go"
        write(folder / f"others/other-{number}.yml", OTHER.format(n=number, tool=tool))
    variables = {**environment(), "PAPAYU_LLM_PROVIDER": "command", "PAPAYU_LLM_COMMAND": "false", "PAPAYU_MAX_ATTEMPTS": "1"}
    times = defaultdict(list)
    for _ in range(5):
        for name, more in [("without", []), ("with", ["--recipes", str(folder / "others")])]:
            started = time.monotonic()
            line = [program, "fix", "--run", "python3 -m unittest -v", "--quiet", *more]
            subprocess.run(line, cwd=folder / "plain", env=variables, capture_output=True)
            times[name].append(time.monotonic() - started)
    plain, matched = min(times["without"]), min(times["with"])
    print(f"overhead of 20 recipes without a match: {1000 * plain:.0f} ms -> {1000 * matched:.0f} ms, ratio {matched / plain:.3f}")


def environment():
    """Returns the variables without those that make repositories share a folder of builds."""
    return {key: value for key, value in os.environ.items() if key not in ("CARGO_TARGET_DIR", "RUSTFLAGS")}


def shell(line, folder, check=False):
    return subprocess.run(line, shell=True, cwd=folder, env=environment(), check=check, capture_output=True, text=True)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    built = str(ROOT / "target/release/papayu-batch")
    parser.add_argument("--bin", default=os.environ.get("PAPAYU_BIN", built), help="the program (default: the release build)")
    parser.add_argument("--tsc", default=shutil.which("tsc"), help="the TypeScript compiler")
    parser.add_argument("--only", default="", help="only the families with this word in the name of their file")
    parser.add_argument("--keep", help="a new folder for the repositories, which stay there")
    parser.add_argument("--jobs", type=int, default=2, help="repositories in parallel (default 2)")
    options = parser.parse_args()
    options.bin = str(Path(options.bin).resolve())
    if options.keep:
        Path(options.keep).mkdir(parents=True)
        return Bench(options, Path(options.keep).resolve()).run()
    with tempfile.TemporaryDirectory() as folder:
        return Bench(options, Path(folder).resolve()).run()


if __name__ == "__main__":
    sys.exit(main())
