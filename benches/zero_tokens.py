#!/usr/bin/env python3
"""Measures what the zero-token path costs beside the tools that it runs, on scenarios of tests/scenarios.

usage: benches/zero_tokens.py [PATH-TO-papayu-batch] [--runs N]

A line a language: the median of a whole `fix`, of the commands in it, and of the difference, which is the
program's own. The commands' time is taken by what stands before the tools on PATH, so the shell that starts
them counts as the program's. TypeScript needs `sh tests/counterparts/setup.sh` first. Nothing here fails
on a slow machine.
"""
import json, os, shutil, statistics, subprocess, sys, tempfile, time

args = [a for a in sys.argv[1:] if not a.startswith("--")]
runs = 20
if "--runs" in sys.argv:
    runs = int(sys.argv[sys.argv.index("--runs") + 1])
    args = [a for a in args if a != str(runs)]
binary = os.path.abspath(args[0] if args else "target/release/papayu-batch")
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SCENARIOS = ["rust/misspelt_variable", "rust/formatting", "typescript/missing_import", "python/misspelt_variable",
             "python/missing_own_import", "go/unused_and_missing"]
TIMED = ["cargo", "go", "python3", "tsc"]
SHIM = """#!/bin/sh
began=$(date +%s%N)
"{tool}" "$@"
code=$?
ended=$(date +%s%N)
echo $((ended - began)) >>"{log}"
exit $code
"""


def read(path):
    command, files, section = None, {}, None
    for line in open(path).read().splitlines(keepends=True)[1:]:
        if line.startswith("-- ") and line.rstrip().endswith(" --"):
            section = line.rstrip()[3:-3]
            files[section] = ""
        elif section is None and line.startswith("$ "):
            command = line[2:].strip()
        elif section:
            files[section] += line
    files.pop("changes", None)
    return command, files


def measure(name, work):
    language = name.split("/")[0]
    base_command, base = read(f"{root}/tests/scenarios/{language}/project")
    command, files = read(f"{root}/tests/scenarios/{name}")
    command = (command or base_command).replace("node_modules/.bin/", "")
    shims, log = f"{work}/bin", f"{work}/times"
    os.makedirs(shims, exist_ok=True)
    path = os.environ["PATH"] + f":{root}/target/counterparts/node_modules/.bin"
    for tool in TIMED:
        found = shutil.which(tool, path=path)
        if found:
            with open(f"{shims}/{tool}", "w") as f:
                f.write(SHIM.format(tool=found, log=log))
            os.chmod(f"{shims}/{tool}", 0o755)
    if not os.path.exists(f"{shims}/{command.split()[0]}"):
        print(f"{name:28} not measured: `{command.split()[0]}` is not installed")
        return
    env = dict(os.environ, PATH=f"{shims}:{path}", XDG_CACHE_HOME=f"{work}/cache", GOCACHE=f"{work}/go")
    rows = []
    for run in range(runs + 1):
        repo, out = f"{work}/repo", f"{work}/out"
        for path_, text in {**base, **files}.items():
            os.makedirs(os.path.dirname(f"{repo}/{path_}"), exist_ok=True)
            with open(f"{repo}/{path_}", "w") as f:
                f.write(text)
        open(log, "w").close()
        line = [binary, "fix", "--repo", repo, "--run", command, "--provider", "suggestions", "--out", out]
        began = time.perf_counter()
        done = subprocess.run(line, env=env, capture_output=True, text=True)
        wall = (time.perf_counter() - began) * 1e3
        if done.returncode != 0:
            sys.exit(f"{name}: exit {done.returncode}\n{done.stderr[-2000:]}")
        outcome = json.load(open(f"{out}/outcome.json"))
        assert outcome["outcome"] == "fixed" and outcome["requests"] == 0, outcome
        commands = sum(int(line) for line in open(log)) / 1e6
        # The first run fills caches.
        if run > 0:
            rows.append((wall, commands, wall - commands))
        shutil.rmtree(f"{repo}/.papa-yu", ignore_errors=True)
    whole, commands, own = (statistics.median(column) for column in zip(*rows))
    print(f"{name:28} whole {whole:8.1f} ms   commands {commands:8.1f} ms   own {own:6.1f} ms")


for scenario in SCENARIOS:
    folder = tempfile.mkdtemp(prefix="papayu zero ")
    try:
        measure(scenario, folder)
    finally:
        shutil.rmtree(folder)
