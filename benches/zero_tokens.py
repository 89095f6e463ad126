#!/usr/bin/env python3
"""Measures what the zero-token path costs beside the tools that it runs, on scenarios of tests/scenarios.

usage: benches/zero_tokens.py [PATH-TO-papayu-batch] [--runs N]

A line a scenario, medians of N runs (20):
- `whole`: a whole `fix` with the real tools; `tools`: the same commands run again one after the other, from the same
  shims, on the same texts, without the program; `ratio`: the one by the other.
- `own`: a `fix` where each tool is a script that repeats what the real one printed, less those scripts run alone:
  the program's own time without the noise of the tools.
The first line says what the disk takes to replace a file that was synced, which a run does three to eight times; it is a
millisecond and more where blocks that are freed are discarded at once. TMPDIR chooses the disk.
TypeScript needs `sh tests/counterparts/setup.sh` first. Nothing here fails on a slow machine.
"""
import json, os, shutil, statistics, subprocess, sys, tempfile, time

import scenario_files

args = [a for a in sys.argv[1:] if not a.startswith("--")]
runs = 20
if "--runs" in sys.argv:
    runs = int(sys.argv[sys.argv.index("--runs") + 1])
    args = [a for a in args if a != str(runs)]
binary = os.path.abspath(args[0] if args else "target/release/papayu-batch")
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SCENARIOS = ["rust/misspelt_variable", "rust/formatting", "typescript/missing_import", "python/misspelt_variable",
             "python/missing_own_import", "go/unused_and_missing"]
TOOLS = ["cargo", "go", "python3", "tsc"]
# Notes the call and becomes the tool.
REAL = """#!/bin/sh
n=$(cat "{log}/count"); echo $((n + 1)) >"{log}/count"
pwd >"{log}/$n.folder"
for word in "$@"; do printf '%s\\0' "$word"; done >"{log}/$n.words"
echo {name} >"{log}/$n.tool"
"{tool}" "$@" >"{log}/$n.out" 2>"{log}/$n.err"
code=$?
echo $code >"{log}/$n.code"
cat "{log}/$n.out"; cat "{log}/$n.err" >&2
exit $code
"""
PASSED = """#!/bin/sh
exec "{tool}" "$@"
"""
# Repeats the next of what was noted.
REPEATED = """#!/bin/sh
read -r n <"{log}/next"; echo $((n + 1)) >"{log}/next"
cat "{log}/$n.out"; cat "{log}/$n.err" >&2
read -r code <"{log}/$n.code"; exit $code
"""


class Bench:
    def __init__(self, name, work):
        language = name.split("/")[0]
        base_command, base = scenario_files.read(f"{root}/tests/scenarios/{language}/project")
        command, files = scenario_files.read(f"{root}/tests/scenarios/{name}")
        files.pop("changes", None)
        self.command = (command or base_command).replace("node_modules/.bin/", "")
        self.files = {**base, **files}
        self.runs = 0
        self.work, self.repo, self.log = work, f"{work}/repo", f"{work}/log"
        os.makedirs(self.log)
        # A writable folder with the program's own folders in it takes no new entries.
        os.makedirs(f"{self.work}/go", exist_ok=True)
        self.path = os.environ["PATH"] + f":{root}/target/counterparts/node_modules/.bin"
        # A version manager's shim is a program of its own, and a slow one.
        python = os.path.dirname(os.path.realpath(subprocess.run(
            ["python3", "-c", "import sys; print(sys.executable)"], capture_output=True, text=True).stdout.strip()))
        self.path = f"{python}:{self.path}"
        self.tools = {tool: shutil.which(tool, path=self.path) for tool in TOOLS}
        self.shims = {}
        for kind, text in [("real", REAL), ("passed", PASSED), ("repeated", REPEATED)]:
            self.shims[kind] = f"{work}/{kind}"
            os.makedirs(self.shims[kind])
            for tool, found in self.tools.items():
                if found:
                    with open(f"{self.shims[kind]}/{tool}", "w") as f:
                        f.write(text.format(tool=found, name=tool, log=self.log))
                    os.chmod(f"{self.shims[kind]}/{tool}", 0o755)

    def env(self, kind):
        # The shims write outside the repository, which the sandbox refuses otherwise.
        return dict(os.environ, PATH=f"{self.shims[kind]}:{self.path}", XDG_CACHE_HOME=f"{self.work}/cache", PAPAYU_WRITABLE=self.work,
                    GOCACHE=f"{self.work}/go", PYTHONDONTWRITEBYTECODE="1")

    def write(self, files):
        for path, text in files.items():
            os.makedirs(os.path.dirname(f"{self.repo}/{path}"), exist_ok=True)
            with open(f"{self.repo}/{path}", "w") as f:
                f.write(text)

    def note(self, name, text):
        with open(f"{self.log}/{name}", "w") as f:
            f.write(text)

    def fix(self, kind, *more):
        """Returns the milliseconds of a whole run."""
        shutil.rmtree(f"{self.repo}/.papa-yu", ignore_errors=True)
        self.write(self.files)
        self.note("count", "0\n")
        self.note("next", "0\n")
        self.runs += 1
        out = f"{self.work}/out{self.runs}"
        line = [binary, "fix", "--repo", self.repo, "--run", self.command, "--provider", "suggestions",
                "--out", out, *more]
        # What was written here is not the program's to put on the disk.
        os.sync()
        began = time.perf_counter()
        done = subprocess.run(line, env=self.env(kind), capture_output=True, text=True)
        took = (time.perf_counter() - began) * 1e3
        if done.returncode != 0:
            sys.exit(f"{self.command}: exit {done.returncode}\n{done.stderr[-2000:]}")
        outcome = json.load(open(f"{out}/outcome.json"))
        assert outcome["outcome"] == "fixed" and outcome["requests"] == 0, outcome
        return took

    def calls(self):
        for n in range(int(open(f"{self.log}/count").read())):
            words = open(f"{self.log}/{n}.words").read().split("\0")[:-1]
            yield [open(f"{self.log}/{n}.tool").read().strip(), *words], open(f"{self.log}/{n}.folder").read().strip()

    def alone(self, kind, calls):
        """Returns the milliseconds of the same commands by themselves; the last one is the proof of the fix."""
        self.write(self.files)
        self.note("next", "0\n")
        took = 0.0
        for at, (words, folder) in enumerate(calls):
            if at == len(calls) - 1:
                self.write(self.fixed)
            program = [f"{self.shims[kind]}/{words[0]}", *words[1:]]
            began = time.perf_counter()
            subprocess.run(program, cwd=folder, env=self.env(kind), capture_output=True)
            took += (time.perf_counter() - began) * 1e3
        return took

    def measure(self, name):
        if not self.tools.get(self.command.split()[0]):
            print(f"{name:28} not measured: `{self.command.split()[0]}` is not installed")
            return
        # Fills caches; then what the tools say is noted, and the text that mends.
        self.fix("passed")
        self.fix("real", "--emit", "worktree")
        calls = list(self.calls())
        self.fixed = {path: open(f"{self.repo}/{path}").read() for path in self.files}
        whole, tools, own = [], [], []
        for _ in range(runs):
            whole.append(self.fix("passed"))
            tools.append(self.alone("passed", calls))
            own.append(self.fix("repeated") - self.alone("repeated", calls))
        whole, tools = statistics.median(whole), statistics.median(tools)
        print(f"{name:28} {len(calls)} commands   whole {whole:7.1f} ms   tools {tools:7.1f} ms   "
              f"ratio {whole / tools:5.2f}   own {statistics.median(own):5.1f} ms (least {min(own):5.1f})")


def replacing(count=31):
    """Returns the median milliseconds of replacing a synced file."""
    with tempfile.TemporaryDirectory(prefix="papayu zero ") as folder:
        took = []
        for at in range(count):
            with open(f"{folder}/{at}", "w") as f:
                f.write("text")
                f.flush()
                os.fsync(f.fileno())
            began = time.perf_counter()
            os.rename(f"{folder}/{at}", f"{folder}/file")
            took.append((time.perf_counter() - began) * 1e3)
        return statistics.median(took)


print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors, {runs} runs; "
      f"{replacing():.2f} ms to replace a file in {tempfile.gettempdir()}")
for scenario in SCENARIOS:
    folder = tempfile.mkdtemp(prefix="papayu zero ")
    try:
        Bench(scenario, folder).measure(scenario)
    finally:
        shutil.rmtree(folder)
