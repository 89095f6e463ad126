#!/usr/bin/env python3
"""Measures the first request of a repair: its characters, and the lines of the real fix that it shows.

usage: benches/context.py [--binary PATH-TO-papayu-batch] [--clones FOLDER/{owner}+{name}/repo] [--trees FOLDER] [--requests FOLDER] CASES-FOLDER ...

Each folder has a folder for each case, with `log.txt`, the output of the failing command, and `meta.json`:

    {"id": "…", "repo": "owner/name", "language": "go", "fix_commit": "…", "parent_commit": "…",
     "gold_files": [{"path": "a.go", "old_ranges": [[10, 12]]}],
     "revert": {"restored_from_parent": ["a.go"], "deleted_added_in_fix": []}}

The failing tree is the commit of the fix with the sources of its parent: `--clones` is the place of the git directories.
It is laid out below `--trees` once. The model is a program that keeps what it is asked, and `--requests` is a folder to keep it in.
A line a case:
- `chars`: characters of the first request; `rules`: those of them in the system message, the same in every request.
- `gold`: the share of the lines of the fix that the request shows, and `500`: that within the first 500 lines of files.
- `first`: 1 if the first file is one of the fix; `files`: the share of the files of the fix that are shown.
The last lines are the medians, means and goals. The exit code is 0, whatever is measured.
"""
import json, os, re, shlex, shutil, statistics, subprocess, sys, tempfile

REPLY = {"actions": [], "summary": "NO_CHANGES: none", "context_requests": [], "memory_patch": {}}
FILE = re.compile(r"^FILE\[(.+)\] \(sha256=[0-9a-f]{64}\):$")
GAP = re.compile(r"^\.\.\.\[lines? (\d+)(?:–(\d+))? (?:shown|left)[a-z ]*\]\.\.\.$")
EARLY = 500


def run_git(clone, *words, env=None):
    return subprocess.run(["git", "--git-dir", clone, *words], env=env, capture_output=True, check=True).stdout


def lay_out(meta, clone, tree):
    """Writes the failing tree, with a commit of its own, so that no other repository is around it."""
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    env = dict(os.environ, GIT_INDEX_FILE=f"{tree}.index")
    run_git(clone, "read-tree", meta["fix_commit"], env=env)
    run_git(clone, "--work-tree", tree, "checkout-index", "--all", "--force", "--quiet", env=env)
    os.unlink(f"{tree}.index")
    for path in meta["revert"]["restored_from_parent"]:
        os.makedirs(os.path.dirname(f"{tree}/{path}"), exist_ok=True)
        with open(f"{tree}/{path}", "wb") as f:
            f.write(run_git(clone, "cat-file", "blob", f"{meta['parent_commit']}:{path}"))
    for path in meta["revert"]["deleted_added_in_fix"]:
        os.unlink(f"{tree}/{path}")
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.excludesFile="]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a", "--no-verify"]):
        subprocess.run(["git", "-C", tree, *identity, *words], check=True, capture_output=True)


def ask(binary, tree, log, work):
    """Returns the first request of a repair."""
    asked = os.path.join(work, "asked")
    with open(os.path.join(work, "model"), "w") as f:
        f.write(f"#!/bin/sh\ncat >{shlex.quote(asked)}\nprintf %s {shlex.quote(json.dumps(REPLY))}\n")
    os.chmod(f.name, 0o755)
    if os.path.exists(asked):
        os.unlink(asked)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PAPAYU_", "GITHUB_", "CI"))}
    env.update(PAPAYU_LLM_COMMAND=shlex.quote(f.name), XDG_CACHE_HOME=os.path.join(work, "cache"))
    done = subprocess.run([binary, "plan", "--repo", tree, "--log", log, "--provider", "command", "--run", "false",
                           "--out", os.path.join(work, "out"), "--quiet"], env=env, capture_output=True, text=True)
    if not os.path.exists(asked):
        return None, done.stderr[-500:]
    return open(asked, encoding="utf-8").read(), ""


def read_files(request, tree):
    """Returns the path and the number of each line of files that a request shows, in its order."""
    shown, path, number, last = [], None, 0, 0
    for line in request.split("\n"):
        head = FILE.match(line)
        if head and os.path.isfile(f"{tree}/{head[1]}"):
            path, number = head[1], 1
            last = len(open(f"{tree}/{path}", encoding="utf-8", errors="replace").read().splitlines())
        elif path:
            gap = GAP.match(line)
            if gap:
                number = int(gap[2] or gap[1]) + 1
            elif number <= last:
                shown.append((path, number))
                number += 1
            if number > last:
                path = None
    return shown


def score(meta, request, tree):
    shown = read_files(request, tree)
    gold = {(it["path"], n) for it in meta["gold_files"] for start, end in it["old_ranges"] for n in range(start, end + 1)}
    files = {it["path"] for it in meta["gold_files"]}
    order = list(dict.fromkeys(path for path, _ in shown))
    rules = request.find("\nSTRUCTURE:\n")
    lines = len(gold & set(shown)) / len(gold)
    return {"id": meta["id"], "language": meta["language"], "chars": len(request), "rules": max(rules, 0), "gold": lines,
            "all": float(lines == 1), "early": len(gold & set(shown[:EARLY])) / len(gold),
            "first": float(order[:1] != [] and order[0] in files), "files": len(files & set(order[:8])) / len(files),
            "missing": sorted(f"{path}:{n}" for path, n in gold - set(shown)), "order": order}


def take(args, name, default):
    if name not in args:
        return default
    at = args.index(name)
    value = args[at + 1]
    del args[at:at + 2]
    return value


def main():
    args = sys.argv[1:]
    binary = os.path.abspath(take(args, "--binary", "target/release/papayu-batch"))
    clones, trees = take(args, "--clones", None), os.path.abspath(take(args, "--trees", "target/cases"))
    requests = take(args, "--requests", None)
    if not args:
        sys.exit(__doc__)
    rows = []
    print(f"{'case':34} {'chars':>7} {'rules':>6} {'gold':>5} {'500':>5} {'first':>5} {'files':>5}  missing")
    with tempfile.TemporaryDirectory(prefix="papayu context ") as work:
        for folder in sorted(f"{root}/{name}" for root in args for name in os.listdir(root)):
            if not os.path.isfile(f"{folder}/meta.json"):
                continue
            meta = json.load(open(f"{folder}/meta.json", encoding="utf-8"))
            tree = f"{trees}/{meta['id']}"
            if not os.path.isdir(f"{tree}/.git"):
                owner, name = meta["repo"].split("/")
                lay_out(meta, clones.format(owner=owner, name=name), tree)
            request, fault = ask(binary, tree, os.path.abspath(f"{folder}/log.txt"), work)
            if request is None:
                print(f"{meta['id']:34} no request: {fault}")
                continue
            if requests:
                os.makedirs(requests, exist_ok=True)
                with open(f"{requests}/{meta['id']}.txt", "w", encoding="utf-8") as f:
                    f.write(request)
            row = score(meta, request, tree)
            rows.append(row)
            print(f"{row['id']:34} {row['chars']:7} {row['rules']:6} {row['gold']:5.2f} {row['early']:5.2f} {row['first']:5.0f} "
                  f"{row['files']:5.2f}  {' '.join(row['missing'][:4])}", flush=True)
    sizes = sorted(row["chars"] for row in rows)
    p90 = sizes[min(len(sizes) - 1, int(len(sizes) * 0.9))]
    print(f"{len(rows)} cases: characters {statistics.median(sizes):.0f} in the median (at most 25000), {p90} at p90 (at most 32000)")
    for key, goal, words in (("gold", 0.90, "lines of the fix"), ("early", 0.82, "lines of the fix in the first 500"),
                             ("first", 0.70, "first file is one of the fix"), ("files", 0.98, "files of the fix"),
                             ("all", 0.75, "all lines of the fix are shown")):
        print(f"{words}: {statistics.mean(row[key] for row in rows):.3f} (at least {goal})")


main()
