#!/usr/bin/env python3
"""Measures how fast logs are read, and in how much memory: ordinary ones, floods of errors, and hostile ones.

usage: benches/logs.py [--bin PROGRAM] [--mb SIZE] [--only NAME]

The logs are made here, SIZE megabytes each (100 when not given), into a temporary folder. PROGRAM is a built
papayu-batch (target/release/papayu-batch when not given); it is asked for the context of each log in an
empty repository, by which the log is read by every parser, matched with every rule of triage, and cut.

Times are those of the processors, which a busy machine changes less than those of the clock. It fails when a
log takes more than MOST_MB of memory, or LEAST_RATE cannot be kept: memory is bounded, and no text takes more
than linear time.
"""
import os, random, resource, subprocess, sys, tempfile

MOST_MB = 200
LEAST_RATE = 2.0


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


program = os.path.abspath(option("--bin", "target/release/papayu-batch"))
size = int(float(option("--mb", "100")) * 1e6)
WORDS = "resolve fetch link build compile write read check test module target cache layer step queue worker".split()


def ordinary(rng, number):
    """A line as CI prints it: mostly progress, with tests that pass, warnings, and now and then a path."""
    stamp = f"2026-03-01T10:{number // 60000 % 60:02}:{number // 1000 % 60:02}.{number % 1000:03}0000Z "
    text = " ".join(rng.choices(WORDS, k=rng.randint(3, 12)))
    forms = [
        f"[{number}/999999] {text}", f"  ✓ {text} ({number % 90} ms)", f"npm warn deprecated {text}@1.2.3",
        f"   Compiling {WORDS[number % 16]} v1.{number % 50}.0", f"test {text.replace(' ', '_')} ... ok",
        f"#12 {number % 600}.{number % 10} {text}", f"src/{WORDS[number % 16]}/{WORDS[number % 7]}.ts {text}",
        f"tests/test_{WORDS[number % 16]}.py::test_{WORDS[number % 5]} PASSED", f"downloading {text} ... {number % 100}%",
        "", f"info: {text}", f"\x1b[32mok\x1b[0m {text}",
    ]
    return stamp + forms[number % len(forms)] + "\n"


def lines(line):
    """A log of this many bytes, of lines that are numbered."""
    def write(out, rng):
        written = number = 0
        while written < size:
            block = "".join(line(rng, number + at) for at in range(2000)).encode()
            out.write(block)
            written, number = written + len(block), number + 2000
    return write


def repeated(unit, line_bytes):
    """A log of this many bytes, of lines that only repeat something."""
    def write(out, rng):
        line = (unit * (line_bytes // len(unit) + 1))[:line_bytes] + b"\n"
        for _ in range(max(size // len(line), 1)):
            out.write(line)
    return write


def errors(form):
    return lines(lambda rng, number: form.format(n=number, text=" ".join(rng.choices(WORDS, k=12))) + "\n")


LOGS = {
    "ordinary": lines(ordinary),
    "error flood": errors("error: {n} {text} is not what it should be, {text}"),
    "error in place": errors("src/a{n}.ts({n},7): error TS2304: Cannot find name '{text}'."),
    "same error": errors("error: the same thing over and over, whatever was done about it; see the manual, page 12"),
    "failed tests": errors("FAILED tests/test_a.py::test_{n} - AssertionError: assert {n} == 7 {text}"),
    "stack frames": errors("    at f{n} (/home/runner/work/a/a/src/x{n}.js:{n}:13)"),
    "npm errors": errors("npm ERR! code E{n} registry 503 ETIMEDOUT {text}"),
    "10 MB lines": repeated(b"error: src/a.ts:1:2: something long ", 10_000_000),
    "NULs": repeated(b"\0", 1_000_000),
    "no UTF-8": repeated(b"\xff\xfe\xc3error:", 300),
    "escapes": repeated(b"\x1b[31m\x1b[", 3_000),
    "carriage returns": repeated(b"error: 10%\r", 200_000),
    "brackets": repeated(b"[({", 3_900),
    "colons": repeated(b"a:1:", 3_900),
    "slashes": repeated(b"/a", 3_900),
    "dots": repeated(b"a.b::", 3_900),
    "spaces": repeated(b" ", 3_900),
    "almost": repeated(b"Error: Error", 3_900),
    "digits": repeated(b"1", 3_900),
    "at at": repeated(b"at a (", 3_900),
    "quotes": repeated(b"\"File \"", 3_900),
    "JSON": repeated(b"{\"a\":[", 200_000),
    "XML": repeated(b"<testcase><failure>", 200_000),
}


def measure(name, write, folder):
    path = os.path.join(folder, "build.log")
    with open(path, "wb") as out:
        write(out, random.Random(7))
    megabytes = os.path.getsize(path) / 1e6
    repository = os.path.join(folder, "repository")
    os.makedirs(repository, exist_ok=True)
    argv = [program, "context", "--repo", repository, "--log", path, "--format", "json"]
    variables = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": folder, "HOME": folder}
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    os.remove(path)
    seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3
    rate = megabytes / max(seconds, 1e-3)
    print(f"{name:<17} {megabytes:6.1f} MB in {seconds:6.2f} s of the processor: {rate:7.1f} MB/s; peak {peak:4.0f} MB", flush=True)
    wrong = [] if process.returncode == 0 else [f"{name}: ended with {process.returncode}"]
    wrong += [f"{name}: {peak:.0f} MB of memory"] if peak > MOST_MB else []
    return wrong + ([f"{name}: {rate:.1f} MB/s"] if rate < LEAST_RATE else [])


with tempfile.TemporaryDirectory() as scratch:
    only = option("--only", "")
    found = [fault for name, write in LOGS.items() if only in name for fault in measure(name, write, scratch)]
for fault in found:
    print(f"too much: {fault}")
sys.exit(1 if found else 0)
