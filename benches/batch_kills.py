#!/usr/bin/env python3
"""Kills a batch again and again and goes on with it: one branch of one commit and one pull request a task, none missing.

usage: benches/batch_kills.py [PATH-TO-papayu-batch] [--tasks 120] [--kills 20] [--jobs 4] [--hostile 7] [--seed N]

Every task's remote is a bare repository of this machine; the model and the forge are a server in here. Every second task is a
folder, the others are addresses. A batch with `--emit pr` is killed with SIGKILL
  - at random instants: once a random number of tasks has ended, a random moment later;
  - at hostile ones: while a branch is pushed, right after it, when the forge is asked to open or to change the pull request and
    when it has done so and not answered yet; one task at one of them each, and one task three times over.
After each kill `--resume` goes on, at once: what the killed one started may still be running.
Exits 1 and says what is wrong when anything is missing, stands twice, or was done twice.
"""
import collections, http.server, json, os, random, re, shutil, signal, subprocess, sys, tempfile, threading, time

import red

# What happens at the remote of a task, in the order in which a task makes it happen.
INSTANTS = ["pushing", "pushed", "asked to open", "opened", "asked to change", "changed"]


class Victim:
    """The batch that runs, and at which instants of which tasks it is killed."""

    def __init__(self):
        self.lock = threading.Lock()
        self.child, self.plan, self.kills = None, collections.defaultdict(list), collections.Counter()

    def kill(self, why):
        with self.lock:
            if self.child and self.child.poll() is None:
                self.child.send_signal(signal.SIGKILL)
                self.child.wait()
                self.kills[why] += 1

    def reached(self, task, instant):
        with self.lock:
            is_due = bool(self.plan[task]) and self.plan[task][0] == instant
            if is_due:
                self.plan[task].pop(0)
        if is_due:
            self.kill(instant)
        return is_due


VICTIM = Victim()
PULLS = collections.defaultdict(list)
LOCK = threading.Lock()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def serve(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path.startswith("/instant/"):
            _, _, task, instant = path.split("/")
            # A slow server goes on with a push whose sender is gone.
            time.sleep(0.5 if VICTIM.reached(task, instant) and instant == "pushing" else 0)
            return self.answer(200, {})
        body = json.loads(raw) if raw else None
        if path.endswith("/chat/completions"):
            reply = red.APPLY if "## MODE\\nAPPLY" in raw.decode() else red.PLAN
            message = {"role": "assistant", "content": json.dumps(reply)}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            return self.answer(200, {"choices": choices, "usage": {"prompt_tokens": 10, "completion_tokens": 10}})
        found = re.fullmatch(r"/repos/o/(r\d+)(/pulls(?:/(\d+))?)?", path)
        if not found:
            return self.answer(404, {"message": "Not Found"})
        task, pulls, number = found.groups()
        if not pulls:
            return self.answer(200, {"name": task, "default_branch": "main"})
        head = re.search(r"head=o(?::|%3A)([^&]*)", self.path)
        if self.command == "GET":
            head = head and head[1].replace("%2F", "/")
            with LOCK:
                return self.answer(200, [dict(it) for it in reversed(PULLS[task]) if it["head"]["ref"] == head])
        VICTIM.reached(task, "asked to open" if self.command == "POST" else "asked to change")
        with LOCK:
            if self.command == "POST" and any(it["head"]["ref"] == body["head"] for it in PULLS[task]):
                error = {"message": f"A pull request already exists for o:{body['head']}."}
                status, value = 422, {"message": "Validation Failed", "errors": [error]}
            elif self.command == "POST":
                number = len(PULLS[task]) + 1
                value = dict(number=number, node_id=f"PR_{number}", state="open", draft=False, merged_at=None, title=body["title"],
                             body=body["body"], html_url=f"https://github.example/o/{task}/pull/{number}",
                             head={"ref": body["head"], "sha": "0" * 40}, base={"ref": body["base"], "sha": "0" * 40})
                PULLS[task].append(value)
                status, value = 201, dict(value)
            else:
                it = PULLS[task][int(number) - 1]
                it.update({key: body[key] for key in ("title", "body") if key in body})
                status, value = 200, dict(it)
        VICTIM.reached(task, "opened" if self.command == "POST" else "changed")
        self.answer(status, value)

    do_GET = do_POST = do_PATCH = serve

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # whoever asked was killed

    def log_message(self, *_):
        pass


def repositories(root, count, url):
    """Makes a bare repository a task, and a clone of every second one; the manifest names clones and addresses in turn."""
    first = f"{root}/first"
    red.repository(first, red.ANSWER)
    red.git(root, "clone", "-q", "--bare", first, f"{root}/first.git")
    red.git(f"{root}/first.git", "config", "uploadpack.allowFilter", "true")
    red.git(first, "remote", "add", "origin", "REMOTE")
    lines = []
    for number in range(count):
        bare = f"{root}/remote/o/r{number}.git"
        shutil.copytree(f"{root}/first.git", bare)
        for hook, instant in (("pre-receive", "pushing"), ("post-receive", "pushed")):
            if instant in VICTIM.plan[f"r{number}"]:
                with open(f"{bare}/hooks/{hook}", "w") as f:
                    f.write(f"#!/bin/sh\nexec {sys.executable} {root}/tell.py {url}/instant/r{number}/{instant}\n")
                os.chmod(f"{bare}/hooks/{hook}", 0o755)
        if number % 2 == 0:
            shutil.copytree(first, f"{root}/r{number}")
            with open(f"{root}/r{number}/.git/config", "r+") as f:
                text = f.read().replace("REMOTE", bare)
                f.seek(0)
                f.write(text)
            lines.append(f"{{repo: r{number}}}")
        else:
            lines.append(f"{{name: r{number}, repo: 'file://{bare}'}}")
    with open(f"{root}/tell.py", "w") as f:
        f.write("import sys, urllib.request\nsys.stdin.read()\nurllib.request.urlopen(sys.argv[1]).read()\n")
    with open(f"{root}/batch.yaml", "w") as f:
        f.write("defaults: {run: sh check.sh, emit: pr}\nrepositories:\n" + "".join(f"  - {line}\n" for line in lines))


def journal(root):
    try:
        with open(f"{root}/out/journal.jsonl") as f:
            text = f.read()
    except FileNotFoundError:
        return []
    lines = []
    for line in text.split("\n"):
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass  # empty, or cut off by a kill
    return lines


def faults(root, count):
    """Returns everything that is not as it must be."""
    wrong = []

    def must(is_so, *words):
        if not is_so:
            wrong.append(" ".join(str(word) for word in words))

    with open(f"{root}/out/summary.json") as f:
        summary = json.load(f)
    must(summary["counts"] == {"fixed": count}, summary["counts"])
    for row in summary["tasks"]:
        must(row["outcome"] == "fixed", row["name"], row["outcome"], row["reason"])
    must(sorted(row["name"] for row in summary["tasks"]) == sorted(f"r{number}" for number in range(count)), "other tasks")
    for number in range(count):
        name, bare = f"r{number}", f"{root}/remote/o/r{number}.git"
        lines = red.git(bare, "for-each-ref", "--format=%(refname:short) %(objectname) %(parent)", "refs/heads").split("\n")
        branches = {branch: rest for branch, *rest in (line.split() for line in lines)}
        (begin,) = branches.pop("main")
        must(len(branches) == 1, name, "branches", branches)
        pulls = PULLS[name]
        must(len(pulls) == 1, name, "pull requests", len(pulls))
        for branch, (commit, *parents) in branches.items():
            must(parents == [begin], name, "not one commit on top of main:", parents)
            change = red.git(bare, "diff", "-U0", "main", branch).split("\n")
            must(change[:1] + change[5:] == ["diff --git a/answer.py b/answer.py", "-41", "+42"], name, "another change", change)
            must([it["head"]["ref"] for it in pulls] == [branch], name, "another branch's pull request")
            must(all(commit in it["body"] for it in pulls), name, "the text names another commit than", commit)
        must(all('"attempts":1,' in it["body"] for it in pulls), name, "counted as more than one attempt")
        if number % 2 == 0:
            with open(f"{root}/{name}/answer.py") as f:
                must(f.read() == red.SOURCE, name, "the folder was left changed")
            must(os.listdir(f"{root}/{name}/.git/refs/heads") == ["main"], name, "the folder got a branch")
    ended = set()
    for line in journal(root):
        if "ended" in line:
            ended.add(line["ended"]["key"])
        must("started" not in line or line["started"]["key"] not in ended, "begun after its end:", line)
    return wrong


def main():
    args = sys.argv[1:]
    binary = os.path.abspath(args[0] if args and not args[0].startswith("--") else "target/release/papayu-batch")
    count, kills, jobs = int(red.option("--tasks", 120)), int(red.option("--kills", 20)), int(red.option("--jobs", 4))
    seed = int(red.option("--seed", random.randrange(1 << 32)))
    chance = random.Random(seed)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    root = tempfile.mkdtemp(prefix="papayu-kills-")
    env = {"PATH": os.environ["PATH"], "HOME": f"{root}/home", "PAPAYU_JUDGE": "off", "PAPAYU_LLM_API_KEY": "none", "PAPAYU_LLM_MODEL": "bench",
           "PAPAYU_LLM_PROVIDER": "openai", "PAPAYU_LLM_API_URL": f"{url}/v1", "GITHUB_API_URL": url, "GITHUB_TOKEN": "ghs_of_nobody"}
    before = time.perf_counter()
    try:
        os.makedirs(f"{root}/home")
        # A pull request is only changed once it is there.
        hostile = [[it] if it in INSTANTS[:4] else ["opened", it] for it in INSTANTS] + [["opened", "changed", "changed"]]
        hostile = chance.sample(hostile, int(red.option("--hostile", len(hostile))))
        for number, instants in zip(chance.sample(range(count), len(hostile)), hostile):
            VICTIM.plan[f"r{number}"] = instants
        repositories(root, count, url)
        command = [binary, "batch", f"{root}/batch.yaml", "--jobs", str(jobs), "--progress", "none", "--out", f"{root}/out",
                   "--cache", f"{root}/cache"]
        calls = 0
        while True:
            calls += 1
            more = ["--resume"] if calls > 1 else []
            with open(f"{root}/said", "wb") as said:
                child = subprocess.Popen(command + more, env=env, stdout=said, stderr=said)
            with VICTIM.lock:
                VICTIM.child = child
            left = kills - VICTIM.kills["at random"]
            ended = len({line["ended"]["key"] for line in journal(root) if "ended" in line})
            # The kills that are left are spread over the tasks that are left.
            due = ended + chance.randint(0, max(0, 2 * (count - ended - 2 * jobs) // (left + 1)))
            while left > 0 and child.poll() is None:
                if len({line["ended"]["key"] for line in journal(root) if "ended" in line}) >= due:
                    time.sleep(chance.uniform(0, 0.3))
                    VICTIM.kill("at random")
                    break
                time.sleep(0.01)
            status = child.wait()
            if status != -signal.SIGKILL:
                break
        took = time.perf_counter() - before
        told = ", ".join(f"{many} {why}" for why, many in sorted(VICTIM.kills.items()))
        print(f"{count} tasks, {sum(VICTIM.kills.values())} kills ({told}), {calls} calls, {took:.1f} s, seed {seed}", flush=True)
        with open(f"{root}/said", errors="replace") as f:
            said = f.read()[-2000:]
        wrong = faults(root, count) if os.path.exists(f"{root}/out/summary.json") else ["no summary"]
        if status != 0:
            wrong.append(f"the last call ended with {status}: {said}")
        if VICTIM.kills["at random"] < kills or any(VICTIM.plan.values()):
            wrong.append(f"not every kill came about: {dict(VICTIM.plan)}")
        for line in wrong:
            print(line)
        return 1 if wrong else 0
    finally:
        VICTIM.kill("at the end")
        if "--keep" in sys.argv:
            print(root)
        else:
            shutil.rmtree(root, ignore_errors=True)


sys.exit(main())
