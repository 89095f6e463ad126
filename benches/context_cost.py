#!/usr/bin/env python3
"""Measures what `context` costs in other repositories, and whether the cost grows with the file faster than it should.

usage: benches/context_cost.py [--binary PATH-TO-papayu-batch] FOLDER ...

Each folder is a repository, or any folder with sources. The failure is an error in its largest source file, as the
language's compiler or interpreter prints it, at a tenth, a half and nine tenths of the file. A line a folder: language,
size of the file in kB, and the processor times (user and system, without an index) in seconds. Then `growth`: the
processor time for the largest file alone, written twice and four times one after the other, in relation to once.

The last lines are the 95th percentile and the maximum. The exit code is 1 if they are over 1 s and 3 s, or if a file of
four times the size costs more than five times as much. Run it with a release build on an idle machine.
"""
import os, shutil, subprocess, sys, tempfile

P95, MOST, GROWTH = 1.0, 3.0, 5.0
# Below this many seconds the start of the program is most of the time.
LEAST = 0.1

RUST = """error[E0308]: mismatched types
    --> {path}:{line}:9
     |
{line} |         {text}
     |         ^^^^ expected `usize`, found `Vec<u8>`

error: could not compile `it` (lib) due to 1 previous error
"""
PYTHON = """Traceback (most recent call last):
  File "{path}", line {line}, in <module>
    {text}
TypeError: unsupported operand type(s) for +: 'int' and 'str'
"""
GO = "# example.com/it\n./{path}:{line}:9: cannot use value (untyped string constant) as int value in assignment\n"
TYPESCRIPT = "{path}({line},9): error TS2322: Type 'string' is not assignable to type 'number'.\n"
JAVASCRIPT = """{path}:{line}
{text}
^

TypeError: Cannot read properties of undefined (reading 'length')
    at run ({path}:{line}:9)
"""
JAVA = "{path}:{line}: error: incompatible types: String cannot be converted to int\n        {text}\n        ^\n1 error\n"
C = "{path}:{line}:9: error: incompatible types when assigning to type 'int'\n {line} | {text}\n      |         ^\n"
LOGS = {".rs": RUST, ".py": PYTHON, ".go": GO, ".ts": TYPESCRIPT, ".tsx": TYPESCRIPT, ".js": JAVASCRIPT, ".mjs": JAVASCRIPT,
        ".java": JAVA, ".c": C, ".cpp": C, ".cc": C}
# A larger file is not read as code.
MAX_BYTES = 1 << 20


def find_largest(root):
    best = (0, None)
    for folder, folders, files in os.walk(root):
        folders[:] = [it for it in folders if it not in {".git", "node_modules", "target", "vendor", "third_party"}]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1] in LOGS and not name.endswith((".min.js", ".d.ts")) and not os.path.islink(path):
                size = os.path.getsize(path)
                if best[0] < size <= MAX_BYTES:
                    best = (size, os.path.relpath(path, root))
    return best


def write_log(at, path, lines, share):
    line = max(1, int(len(lines) * share))
    text = lines[line - 1].strip()[:120] if lines else ""
    with open(at, "w") as f:
        f.write(LOGS[os.path.splitext(path)[1]].format(path=path, line=line, text=text))


def measure(binary, root, log, cache):
    shutil.rmtree(cache, ignore_errors=True)
    env = dict(os.environ, XDG_CACHE_HOME=cache)
    child = subprocess.Popen([binary, "context", "--repo", root, "--log", log], env=env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
    err = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{root}: exit {os.waitstatus_to_exitcode(status)}\n{err.decode(errors='replace')[-2000:]}")
    return usage.ru_utime + usage.ru_stime


def measure_growth(binary, work, path, text):
    """Returns the times for the file alone, once, twice and four times as long."""
    times = []
    for count in (1, 2, 4):
        root = os.path.join(work, f"grown{count}")
        os.makedirs(root)
        name = os.path.basename(path)
        with open(os.path.join(root, name), "w") as f:
            f.write(text * count)
        log = os.path.join(work, "log")
        write_log(log, name, (text * count).splitlines(), 0.5)
        times.append(measure(binary, root, log, os.path.join(work, "cache")))
        shutil.rmtree(root)
    return times


def main():
    args, binary = sys.argv[1:], "target/release/papayu-batch"
    if args[:1] == ["--binary"]:
        binary, args = args[1], args[2:]
    binary = os.path.abspath(binary)
    if not args:
        sys.exit(__doc__)
    all_times, worst_growth = [], 0.0
    work = tempfile.mkdtemp(prefix="papayu cost ")
    try:
        for root in args:
            size, path = find_largest(root)
            if path is None:
                continue
            text = open(os.path.join(root, path), errors="replace").read()
            times = []
            for share in (0.1, 0.5, 0.9):
                log = os.path.join(work, "log")
                write_log(log, path, text.splitlines(), share)
                times.append(measure(binary, os.path.abspath(root), log, os.path.join(work, "cache")))
            all_times += times
            # A file over the limit is not read as code, and the growth would end there.
            grown = measure_growth(binary, work, path, text) if size * 4 <= MAX_BYTES else []
            growth = grown[2] / max(grown[0], LEAST) if grown else 0.0
            worst_growth = max(worst_growth, growth)
            shown = " ".join(f"{time:6.2f}" for time in times)
            print(f"{os.path.basename(root.rstrip('/')):28} {os.path.splitext(path)[1]:5} {size / 1e3:7.0f} kB {shown} s"
                  f"   growth {' '.join(f'{it:5.2f}' for it in grown)}", flush=True)
    finally:
        shutil.rmtree(work)
    if not all_times:
        sys.exit("no sources in these folders")
    all_times.sort()
    p95 = all_times[min(len(all_times) - 1, int(len(all_times) * 0.95))]
    print(f"{len(all_times)} failures: p95 {p95:.2f} s (at most {P95}), maximum {all_times[-1]:.2f} s (at most {MOST})")
    print(f"four times the file: {worst_growth:.1f} times the cost (at most {GROWTH})")
    sys.exit(int(p95 > P95 or all_times[-1] > MOST or worst_growth > GROWTH))


main()
