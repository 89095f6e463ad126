#!/usr/bin/env python3
"""Measures the index of a repository: cold, warm, after one change, and its memory.

usage: benches/index.py PATH | --make N   [--bin PROGRAM] [--runs N]

PATH is a folder with sources; nothing is fetched. `--make N` writes a TypeScript tree of N files into
a temporary folder instead. One file of PATH is written to and put back. PROGRAM is what `cargo bench --no-run --bench index` built (the newest one
below target/release/deps when not given). universal-ctags is compared with in the same
run where it is installed; its line is a ratio, below 1 where we are faster.

Times are of the clock and, in brackets, of the processors: on a machine that is busy with other things
only the second says something. Nothing here fails on a slow machine; compare figures of one run with
each other.
"""
import glob, os, resource, shutil, subprocess, sys, tempfile, time

import typescript_tree


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


runs = int(option("--runs", "7"))
built = sorted(glob.glob("target/release/deps/index-*[0-9a-f]"), key=os.path.getmtime)
program = os.path.abspath(option("--bin", built[-1] if built else "target/release/deps/index"))

def ours(*words):
    """The program's lines of figures, and the process's times."""
    output, times = timed([program, *words], subprocess.PIPE)
    return [[float(figure) for figure in line.split()] for line in output.splitlines()], times


def timed(argv, stdout=subprocess.DEVNULL):
    """A command's output, and the milliseconds it took of the clock and of the processors."""
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdout=stdout, stderr=subprocess.DEVNULL, text=True)
    wall, after = (time.monotonic() - begun) * 1e3, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3
    return done.stdout, (wall, cpu)


def least(times):
    return min(time[0] for time in times), min(time[1] for time in times)


def shown(times):
    return f"{times[0]:.0f} ms ({times[1]:.0f})"


def say(name, text):
    print(f"{name:<10} {text}", flush=True)


def measure(root, cache):
    cores = len(os.sched_getaffinity(0))
    [[time_ms, files, parsed, size, peak]], cold = ours("refresh", root, cache, "1")
    megabytes = size / 1e6
    rate, cpu_rate = megabytes / (time_ms / 1e3) / cores, megabytes / (cold[1] / 1e3)
    say("cold", f"{shown(cold)}, {files:.0f} files, {parsed:.0f} read, {megabytes:.1f} MB; peak {peak / 1e3:.0f} MB")
    say("", f"{rate:.1f} MB/s a core by the clock, {cpu_rate:.1f} by the processors")
    [[bytes_of_ts, alone, whole, bags]] = ours("parse", root)[0]
    if bytes_of_ts:
        speed = lambda ms: f"{bytes_of_ts / 1e3 / max(ms, 1):.1f} MB/s"
        say("of that", f"the parser alone {speed(alone)} of TypeScript on one core, with all that is read off its trees "
            f"{speed(whole)}, words {speed(bags)}, by the processor")
    store = sum(os.path.getsize(path) for path in glob.glob(f"{cache}/*"))
    say("cache", f"{store / 1e6:.1f} MB on disk")

    inside, whole, peaks = [], [], []
    for _ in range(runs):
        [[time_ms, _, parsed, _, peak]], process = ours("refresh", root, cache, "1")
        assert parsed == 0, "something was read although nothing changed"
        inside.append(time_ms), whole.append(process), peaks.append(peak)
    say("warm", f"{shown(least(whole))}, the refresh alone {min(inside):.0f} ms; peak {max(peaks) / 1e3:.0f} MB")

    changed = sorted(glob.glob(f"{root}/**/*.ts", recursive=True) or glob.glob(f"{root}/**/*.*", recursive=True))[0]
    once = []
    with open(changed, "rb") as f:
        before = f.read()
    for number in range(runs):
        with open(changed, "wb") as f:
            f.write(before + f"\n// change {number}\n".encode())
        once.append(ours("refresh", root, cache, "1")[1])
    with open(changed, "wb") as f:
        f.write(before)
    more = [one - other for one, other in zip(least(once), least(whole))]
    say("one change", f"{shown(least(once))}: {more[0]:+.0f} ms ({more[1]:+.0f}) to warm")
    again = ours("refresh", root, cache, "5")[0][1:]
    say("in process", f"{min(line[0] for line in again):.0f} ms for a refresh that finds nothing new")
    words, calls = ours("words", root, cache, "reconcileLedger")[0]
    say("words", f"{words[0]:.0f} ms to load {words[3] / 1e6:.1f} MB of bags, {words[1]:.1f} ms to rank")
    say("calls", f"{calls[0]:.0f} ms to load {calls[1]:.0f}; peak with words {calls[2] / 1e3:.0f} MB")
    compare(root, cold)


def compare(root, cold):
    ratio = lambda mine, its: f"ratio {mine[0] / its[0]:.2f} ({mine[1] / its[1]:.2f})"
    if shutil.which("ctags"):
        with tempfile.TemporaryDirectory() as empty:
            its = timed(["ctags", "-R", "-f", os.path.join(empty, "tags"), root])[1]
        say("ctags", f"{shown(its)}, on one core; cold {shown(cold)}: {ratio(cold, its)}")


with tempfile.TemporaryDirectory() as scratch:
    if "--make" in sys.argv:
        root = os.path.join(scratch, "made")
        typescript_tree.make(root, int(option("--make", "10000")))
        time.sleep(2.5)  # files that were just written are read again by the next start
    else:
        root = os.path.abspath(sys.argv[1])
    cache = os.path.join(scratch, "cache")
    os.makedirs(cache)
    measure(root, cache)
