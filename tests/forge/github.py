#!/usr/bin/env python3
"""A stateful stand-in for the part of GitHub's API that papayu-batch calls.

usage: TOKEN=T READER=R github.py REPOSITORY.git [--page N] [--description GH.json] [--enterprise]
R may read and nothing else. With --enterprise the API is at /api/v3 and /api/graphql, as on GitHub Enterprise.
Prints `ready URL` when it listens. The branches are those of the bare repository. Given GitHub's own OpenAPI
description, each answer is that description's example with our state laid over it.
  PUT /_faults   a list of {"method", "path" (a part of it), "status", "headers", "body", "times"}: answered instead
  GET /_state    pull requests, labels, reviews, check runs, and every request in its order
  PUT /_state    laid over the state
"""
import argparse
import json
import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

arguments = argparse.ArgumentParser()
arguments.add_argument("repository")
arguments.add_argument("--page", type=int, default=100)
arguments.add_argument("--description")
arguments.add_argument("--enterprise", action="store_true")
options = arguments.parse_args()
TOKEN = os.environ.get("TOKEN")
READER = os.environ.get("READER")
examples = {}
if options.description:
    with open(options.description, encoding="utf-8") as text:
        examples = json.load(text)["components"]["examples"]

LOCK = threading.RLock()
SOURCE = {"language": "C"}
STATE = {
    "pulls": [],
    "labels": {},
    "reviews": {},
    "checks": [],
    "issues": {},
    "jobs": {},
    "runs": {},
    "repositories": [],
    "roles": {"ann": "write"},
    "logs": {},
    "auto_merge": [],
    "requests": [],
}
FAULTS = []


def example(form, /, **ours):
    """Returns the description's own example of an answer, ours laid over it."""
    value = json.loads(json.dumps(examples.get(form, {}).get("value", {})))
    value = value[0] if isinstance(value, list) else value
    for key, mine in ours.items():
        value[key] = {**value[key], **mine} if isinstance(mine, dict) and isinstance(value.get(key), dict) else mine
    return value


def commit_of(branch):
    ended = subprocess.run(
        ["git", "--git-dir", options.repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"],
        capture_output=True, text=True,
    )
    return ended.stdout.strip() or None


def pull(it, form="pull-request"):
    return example(
        form,
        number=it["number"],
        id=it["number"],
        node_id=f"PR_{it['number']}",
        html_url=f"https://github.example/o/r/pull/{it['number']}",
        state=it["state"],
        title=it["title"],
        body=it["body"],
        draft=it["draft"],
        merged_at=it.get("merged_at"),
        closed_at=None,
        # The description's own example lacks a field that its schema requires.
        requested_teams=[],
        head={"ref": it["head"], "sha": commit_of(it["head"]) or "0" * 40, "label": f"o:{it['head']}"},
        base={"ref": it["base"], "sha": commit_of(it["base"]) or "0" * 40, "label": f"o:{it['base']}"},
    )


def invalid(message, code="custom"):
    fault = {"resource": "PullRequest", "field": "base", "code": code, "message": message}
    return 422, {"message": "Validation Failed", "errors": [fault], "documentation_url": "https://docs.github.com/rest"}


def known(number):
    return next((it for it in STATE["pulls"] if it["number"] == int(number)), None)


def list_pulls(query, _):
    head = query.get("head", [":"])[0].split(":", 1)[1]
    state = query.get("state", ["open"])[0]
    found = [it for it in reversed(STATE["pulls"]) if it["head"] == head and state in ("all", it["state"])]
    return 200, [pull(it, "pull-request-simple-items") for it in found]


def open_pull(_, body):
    for name in ("head", "base"):
        if not commit_of(body[name]):
            return invalid(f"{name} does not exist", "invalid")
    if any(it["head"] == body["head"] and it["state"] == "open" for it in STATE["pulls"]):
        return invalid(f"A pull request already exists for o:{body['head']}.")
    it = {key: body[key] for key in ("title", "body", "head", "base", "draft")}
    it.update(number=len(STATE["pulls"]) + 1, state="open")
    STATE["pulls"].append(it)
    return 201, pull(it)


def change_pull(number, body):
    it = known(number)
    if not it:
        return 404, {"message": "Not Found"}
    if body.get("state") == "open" and it["state"] == "closed" and not commit_of(it["head"]):
        return invalid("state cannot be changed. The branch was deleted.")
    it.update({key: body[key] for key in ("title", "body", "base", "state") if key in body})
    return 200, pull(it)


def label(number, body):
    names = STATE["labels"].setdefault(number, [])
    names.extend(name for name in body["labels"] if name not in names)
    return 200, [example("label-items", name=name, id=1) for name in names]


def review(number, body):
    if "nobody" in body["reviewers"]:
        return invalid("Reviews may only be requested from collaborators.")
    STATE["reviews"].setdefault(number, []).append(body)
    return 201, pull(known(number), "pull-request-review-request")


def check(it):
    return example(
        "check-run-example-of-completed-conclusion",
        id=it["id"],
        head_sha=it["head_sha"],
        conclusion=it["conclusion"],
        html_url=f"https://github.example/o/r/runs/{it['id']}",
    )


def open_check(_, body):
    if len(body["output"]["annotations"]) > 50:
        return invalid("No more than 50 items are allowed.")
    it = {**body, "id": len(STATE["checks"]) + 1, "batches": [body["output"]["annotations"]]}
    STATE["checks"].append(it)
    return 201, check(it)


def add_to_check(number, body):
    it = next(it for it in STATE["checks"] if it["id"] == int(number))
    it["batches"].append(body["output"]["annotations"])
    return 200, check(it)


def read_issue(number, _):
    it = STATE["issues"].get(number)
    if not it:
        return 404, {"message": "Not Found"}
    return 200, example("issue", number=int(number), title=it["title"], body=it["body"])


def list_jobs(run, _):
    jobs = STATE["jobs"].get(run, [])
    shape = examples.get("job-paginated", {}).get("value", {}).get("jobs", [{}])[0]
    return 200, {"total_count": len(jobs), "jobs": [{"created_at": "2026-01-01T00:00:00Z", **shape, **job} for job in jobs]}


def read_permission(user, _):
    role = STATE["roles"].get(user.lower(), "none")
    return 200, {"permission": {"maintain": "write", "triage": "read"}.get(role, role), "role_name": role, "user": None}


def read_run(run, _):
    it = STATE["runs"].get(run)
    return (200, example("workflow-run", **it)) if it else (404, {"message": "Not Found"})


def list_green_runs(*_):
    green = [it for it in STATE["runs"].values() if it["conclusion"] == "success"]
    runs = [example("workflow-run", **it) for it in reversed(green)]
    return 200, {"total_count": len(runs), "workflow_runs": runs}


def list_repositories(*_):
    return 200, [example("minimal-repository-items", **it) for it in STATE["repositories"]]


ROUTES = [
    ("GET", r"/orgs/o/repos", list_repositories),
    ("GET", r"/users/u/repos", list_repositories),
    ("GET", r"/repos/o/r", lambda *_: (200, example("full-repository-default-response", default_branch="main", language="C", source=SOURCE))),
    ("GET", r"/repos/o/r/pulls", list_pulls),
    ("POST", r"/repos/o/r/pulls", open_pull),
    ("PATCH", r"/repos/o/r/pulls/(\d+)", change_pull),
    ("POST", r"/repos/o/r/issues/(\d+)/labels", label),
    ("POST", r"/repos/o/r/pulls/(\d+)/requested_reviewers", review),
    ("POST", r"/repos/o/r/check-runs", open_check),
    ("PATCH", r"/repos/o/r/check-runs/(\d+)", add_to_check),
    ("GET", r"/repos/o/r/issues/(\d+)", read_issue),
    ("GET", r"/repos/o/r/actions/runs/(\d+)/jobs", list_jobs),
    ("GET", r"/repos/o/r/collaborators/([\w-]+)/permission", read_permission),
    ("GET", r"/repos/o/r/actions/runs/(\d+)", read_run),
    ("GET", r"/repos/o/r/actions/runs", list_green_runs),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value, headers=()):
        out = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        if not any(name.lower() == "content-type" for name, _ in headers):
            self.send_header("Content-Type", "application/json; charset=utf-8")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    def serve(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        url = urlsplit(self.path)
        with LOCK:
            if options.enterprise and url.path.startswith("/api/"):
                url = url._replace(path=url.path.removeprefix("/api").removeprefix("/v3"))
            elif options.enterprise and not url.path.startswith("/_"):
                return self.answer(404, {"message": "Not Found"})
            if url.path == "/_faults":
                FAULTS[:] = body
                return self.answer(200, {})
            if url.path == "/_state":
                STATE.update(body or {})
                return self.answer(200, STATE)
            sent = self.headers.get("authorization")
            STATE["requests"].append({"method": self.command, "path": self.path, "authorized": bool(sent), "body": body})
            for fault in FAULTS:
                if fault["times"] > 0 and fault["method"] == self.command and fault["path"] in self.path:
                    fault["times"] -= 1
                    return self.answer(fault["status"], fault.get("body", {}), list(fault.get("headers", {}).items()))
            if url.path.startswith("/_log/"):
                if sent:
                    return self.answer(400, {"message": "the token must not come here"})
                log = STATE["logs"][url.path[len("/_log/"):]].encode()
                return self.answer(200, log, [("Content-Type", "text/plain")])
            if READER and sent == f"Bearer {READER}":
                if self.command != "GET":
                    return self.answer(403, {"message": "Resource not accessible by integration"})
            elif TOKEN and sent != f"Bearer {TOKEN}":
                return self.answer(401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"})
            return self.route(url, body)

    def route(self, url, body):
        if url.path == "/graphql":
            STATE["auto_merge"].append(body["variables"]["id"])
            return self.answer(200, {"data": {"enablePullRequestAutoMerge": {"clientMutationId": None}}})
        log = re.fullmatch(r"/repos/o/r/actions/jobs/(\d+)/logs", url.path)
        if log and self.command == "GET":
            place = f"http://{self.headers['host']}/_log/{log[1]}"
            return self.answer(302, b"", [("Location", place), ("Content-Type", "text/plain")])
        for method, pattern, handle in ROUTES:
            found = re.fullmatch(pattern, url.path)
            if found and method == self.command:
                first = found[1] if found.groups() else parse_qs(url.query)
                return self.paged(url, *handle(first, body))
        return self.answer(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"})

    def paged(self, url, status, value):
        if not isinstance(value, list) or self.command != "GET":
            return self.answer(status, value)
        query = parse_qs(url.query)
        page = int(query.get("page", ["1"])[0])
        size = min(options.page, int(query.get("per_page", ["30"])[0]))
        headers = []
        if page * size < len(value):
            rest = re.sub(r"&page=\d+", "", url.query) + f"&page={page + 1}"
            # A proxy before us has another address, which a relative one leaves open.
            host = "" if examples else f"http://{self.headers['host']}"
            headers = [("Link", f'<{host}{url.path}?{rest}>; rel="next"')]
        return self.answer(status, value[(page - 1) * size:page * size], headers)

    do_GET = do_POST = do_PATCH = do_PUT = serve

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"ready http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
