#!/usr/bin/env python3
"""Measures what a fix by a model costs: the characters that are sent, the requests, and the share of shown lines that the fix needs.

usage: benches/tokens.py [PATH-TO-papayu-batch] [LANGUAGE ...]

Each scenario of tests/scenarios with a change is played with a model on loopback that knows the change: it replies with
the change at once if the request shows the file, and asks for the file otherwise. A line a scenario:
- `in`: characters of all messages of all requests, without the system message; `requests`: their number.
- `shown`: lines of files shown; `touched`: the share of them that the change deletes or has next to what it adds.
A scenario that the project's tools fix before a model is asked is not listed. The languages are python and go, if none is named.
"""
import json, os, re, shutil, subprocess, sys, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import scenario_files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
args = sys.argv[1:]
binary = os.path.abspath(args[0] if args else f"{ROOT}/target/release/papayu-batch")
languages = args[1:] or ["python", "go"]


def split_changes(text):
    """Returns the body of a patch for each file."""
    changes, path = {}, None
    for line in text.splitlines(keepends=True):
        if line.strip() and line[0] not in " +-":
            path = line.strip()
            changes[path] = ""
        elif path:
            changes[path] += line if line.strip("\n") else " \n"
    return changes


def make_patch(before, body):
    """Returns the body as a hunk at the first place where its old lines are."""
    lines = before.splitlines()
    while True:
        old = [line[1:] for line in body.splitlines() if line[0] in " -"]
        starts = [at for at in range(len(lines) - len(old) + 1) if lines[at:at + len(old)] == old]
        # A blank line may only separate the change from what follows.
        if starts or not body.endswith("\n \n"):
            break
        body = body[:-2]
    at = starts[0] if starts else 0
    new = sum(line[0] in " +" for line in body.splitlines())
    return f"@@ -{at + 1},{len(old)} +{at + 1},{new} @@\n{body}"


class Model:
    """Replies with the change that it knows."""

    def __init__(self, files, changes):
        self.files, self.changes = files, changes
        self.sent, self.requests, self.shown = 0, 0, {}

    def reply(self, messages):
        said = [m["content"] if isinstance(m["content"], str) else "".join(p.get("text", "") for p in m["content"])
                for m in messages if m["role"] == "user"]
        self.requests += 1
        self.sent += sum(map(len, said))
        text = "\n".join(said)
        self.shown = {}
        digests = {}
        for path, digest, body in re.findall(r"FILE\[([^\]]+)\] \(sha256=([0-9a-f]{64})\):\n(.*?)(?=\nFILE\[|\n## |\Z)", text, re.S):
            digests[path] = digest
            self.shown[path] = self.shown.get(path, 0) + sum(not l.startswith("...[") for l in body.rstrip().splitlines())
        plan = {"actions": [], "summary": "the change", "context_requests": [], "memory_patch": {}}
        missing = [path for path in self.changes if path in self.files and path not in digests]
        if missing:
            plan["context_requests"] = [{"type": "read_file", "path": path} for path in missing]
            return plan
        for path, body in self.changes.items():
            if path in self.files:
                patch = make_patch(self.files[path], body)
                plan["actions"].append({"kind": "PATCH_FILE", "path": path, "base_sha256": digests[path],
                                        "patch": f"--- a/{path}\n+++ b/{path}\n{patch}"})
            else:
                content = "".join(line[1:] for line in body.splitlines(keepends=True))
                plan["actions"].append({"kind": "CREATE_FILE", "path": path, "content": content})
        return plan


def serve(model):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = json.dumps(model.reply(asked["messages"]))
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            body = json.dumps({"choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def play(name, work):
    language = name.split("/")[0]
    base_command, base = scenario_files.read(f"{ROOT}/tests/scenarios/{language}/project")
    command, files = scenario_files.read(f"{ROOT}/tests/scenarios/{name}")
    changes = split_changes(files.pop("changes", ""))
    files.pop("reason", None)
    if not changes:
        return None
    files = {**base, **files}
    repo = f"{work}/repo"
    shutil.rmtree(repo, ignore_errors=True)
    for path, text in files.items():
        os.makedirs(os.path.dirname(f"{repo}/{path}") or repo, exist_ok=True)
        open(f"{repo}/{path}", "w").write(text)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", repo, *words], check=True)
    model = Model(files, changes)
    server = serve(model)
    env = dict(os.environ, PAPAYU_JUDGE="off", PAPAYU_LLM_API_KEY="none", PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=f"{work}/cache")
    done = subprocess.run([binary, "fix", "--repo", repo, "--run", command or base_command, "--provider", "openai",
                           "--model", "m", "--api-url", f"http://127.0.0.1:{server.server_port}/v1", "--out", f"{work}/out",
                           "--quiet"], env=env, capture_output=True, text=True)
    server.shutdown()
    if model.requests == 0:
        return None
    touched = sum(line[0] in " -" for path, body in changes.items() if path in files for line in body.splitlines())
    shown = sum(model.shown.values())
    return model.sent, model.requests, shown, touched / max(shown, 1), done.returncode


def main():
    names = [f"{language}/{name}" for language in languages
             for name in sorted(os.listdir(f"{ROOT}/tests/scenarios/{language}")) if name != "project"]
    rows = []
    print(f"{'scenario':44} {'in':>7} {'requests':>8} {'shown':>6} {'touched':>8}  exit")
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            row = play(name, work)
            if row:
                rows.append(row)
                print(f"{name:44} {row[0]:7} {row[1]:8} {row[2]:6} {row[3]:8.2f}  {row[4]}", flush=True)
    if rows:
        mean = [sum(column) / len(rows) for column in zip(*rows)]
        print(f"{'mean of ' + str(len(rows)):44} {mean[0]:7.0f} {mean[1]:8.2f} {mean[2]:6.0f} {mean[3]:8.2f}")


main()
