#!/usr/bin/env python3
"""Runs that are killed, interrupted, or that find a full disk: nothing is lost or torn, and nothing is left behind.

usage: benches/soak.py [PATH-TO-papayu-batch] [--runs 500] [--jobs 2] [--seed N]

Each run applies a plan that changes three files, in a repository of its own. A third is killed with SIGKILL at a random instant, a third
gets SIGTERM or SIGINT, the rest a limit on the size of files or, where this user may mount one, a disk of 400 kB that others fill. Then
the next run begins. Afterwards each repository must have all three files as before or all three as planned, what the change does not
name must be as before, no process of a run may be left, and no temporary folder once a later run has started.
Exits 1 with the runs that were wrong.
"""
import argparse, collections, concurrent.futures, hashlib, json, os, pathlib, random, resource, signal, subprocess, sys, tempfile, time

OLD, NEW = "value = 1\n" * 40, "value = 2\n" + "value = 1\n" * 39
FILES = ["a.py", "deep/b.py", "deep/er/c.py"]
KINDS = ["kill", "kill", "term", "int", "small files", "full disk"]


def plan():
    def action(path):
        patch = f"--- a/{path}\n+++ b/{path}\n@@ -1,4 +1,4 @@\n-value = 1\n+value = 2\n value = 1\n value = 1\n value = 1\n"
        digest = "sha256:" + hashlib.sha256(OLD.encode()).hexdigest()
        return {"kind": "PATCH_FILE", "path": path, "patch": patch, "base_sha256": digest.removeprefix("sha256:")}
    return json.dumps({"actions": [action(path) for path in FILES], "summary": "s"})


def mount(folder):
    """Mounts a small disk; returns whether this user may."""
    words = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    return subprocess.run(words, capture_output=True).returncode == 0


def processes(mark):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def play(program, number, seed):
    """Returns the kind of the run, its exit code, and what was wrong."""
    chance = random.Random(f"{seed}-{number}")
    kind = chance.choice(KINDS)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        repo, home, temporary = root / "repo", root / "home", root / "tmp"
        for path in (repo, home, temporary):
            path.mkdir()
        mounted = kind == "full disk" and mount(repo)
        try:
            return play_in(program, kind if kind != "full disk" or mounted else "small files", chance, (repo, home, temporary))
        finally:
            if mounted:
                subprocess.run(["umount", "-l", str(repo)], capture_output=True)


def play_in(program, kind, chance, folders):
    repo, home, temporary = folders
    for path in FILES:
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(OLD)
    (repo / "other.txt").write_text("mine\n")
    (home / "plan.json").write_text(plan())
    mark = f"PAPAYU_SOAK_MARK={repo.parent.name}"
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary), mark.split("=")[0]: mark.split("=")[1]}
    check = "sleep 0.3; grep -q 2 a.py && grep -q 2 deep/b.py && grep -q 2 deep/er/c.py"
    words = [program, "apply", "--plan", str(home / "plan.json"), "--run", check, "--emit", "worktree", "--timeout", "60"]
    limit = chance.choice([0, 200, 500, 2_000, 20_000])

    def before():
        if kind == "small files":
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    if kind == "full disk":
        room = os.statvfs(repo)
        free = room.f_bavail * room.f_frsize
        (repo / "fill").write_bytes(b"\0" * max(0, free - chance.choice([0, 4096, 8192, 16384, 40960])))
    started = time.monotonic()
    child = subprocess.Popen(words, cwd=repo, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=before)
    if kind in ("kill", "term", "int"):
        time.sleep(chance.random() * 1.6)
        child.send_signal({"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT}[kind])
    try:
        code = child.wait(90)
    except subprocess.TimeoutExpired:
        child.kill()
        return kind, None, [f"it did not end in {time.monotonic() - started:.0f} s"]
    wrong = []
    deadline = time.monotonic() + 5
    while processes(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left := processes(mark):
        wrong.append(f"{len(left)} processes are left")
    if kind == "full disk":
        (repo / "fill").unlink()
    later = subprocess.run([program, "fix", "--provider", "suggestions", "--run", "true"], cwd=repo, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if later.returncode != 0:
        wrong.append(f"the next run ended with {later.returncode}: {later.stderr[-300:]}")
    texts = [(repo / path).read_text() if (repo / path).exists() else None for path in FILES]
    if texts not in ([OLD] * 3, [NEW] * 3):
        wrong.append(f"the files are torn: {[text and len(text) for text in texts]}")
    if code == 0 and texts != [NEW] * 3:
        wrong.append("the change is lost")
    if (repo / "other.txt").read_text() != "mine\n":
        wrong.append("a file that the change does not name is another")
    own = {"a.py", "deep", "other.txt", ".papa-yu"}
    if more := {path.name for path in repo.iterdir()} - own:
        wrong.append(f"left in the repository: {more}")
    if folders_left := [path.name for path in temporary.iterdir()]:
        wrong.append(f"left in the temporary folder: {folders_left}")
    return kind, code, wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", nargs="?", default="target/release/papayu-batch")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    counts, wrong = collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ended = pool.map(lambda number: (number, play(program, number, options.seed)), range(options.runs))
        for number, (kind, code, faults) in ended:
            counts[kind, code] += 1
            wrong += [(number, kind, code, fault) for fault in faults]
    for (kind, code), count in sorted(counts.items(), key=str):
        print(f"{count:5} {kind}, exit code {code}")
    for number, kind, code, fault in wrong:
        print(f"WRONG run {number} ({kind}, exit code {code}): {fault}")
    print(f"seed {options.seed}: {options.runs} runs, {len({row[0] for row in wrong})} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
