#!/usr/bin/env python3
"""A stateful stand-in for the part of GitHub's API that papayu-batch calls.

usage: TOKEN=T READER=R APP_KEY=K.pem github.py REPOSITORY.git [--page N] [--description GH.json] [--enterprise]
R may read and nothing else. The app 123 with the private key K obtains T. With --enterprise the API is at /api/v3 and /api/graphql, as on GitHub Enterprise.
Prints `ready URL` when it listens. The branches are those of the bare repository. Given GitHub's own OpenAPI
description, each answer is that description's example with our state laid over it.
  PUT /_faults   a list of {"method", "path" (a part of it), "status", "headers", "body" or "raw" (a text), "times", "after": true to carry it out before}: answered instead
  GET /_state    pull requests, labels, reviews, check runs, and every request in its order
  PUT /_state    laid over the state
"""
import argparse
import base64
import json
import os
import re
import subprocess
import tempfile
import threading
import time
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
    "comments": [],
    "suggestions": [],
    "files": {},
    "commit_checks": {},
    "commit_statuses": {},
    "workflows": {},
    "rules": {},
    # Classic protection: what GitHub tells everyone who may push about a branch.
    "classic_rules": {},
    "every_commit_checks": [],
    "every_workflow": [],
    "wrong_commit": False,
    "own_issues": [],
    "requests": [],
    # Seconds that a token of the app lasts, and the statements with which it was asked for.
    "app_lifetime": 3600,
    "app_statements": [],
}
FAULTS = []


def example(form, /, **ours):
    """Returns the description's own example of an answer, ours laid over it."""
    value = json.loads(json.dumps(examples.get(form, {}).get("value", {})))
    value = value[0] if isinstance(value, list) else value
    return laid_over(value, ours)


def laid_over(value, ours):
    if not (isinstance(value, dict) and isinstance(ours, dict)):
        return ours
    return {**value, **{key: laid_over(value.get(key), mine) for key, mine in ours.items()}}


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
        head={
            "ref": it["head"],
            "sha": it.get("head_sha") or commit_of(it["head"]) or "0" * 40,
            "label": f"{owner_of(it)}:{it['head']}",
            "repo": {"full_name": f"{owner_of(it)}/r", "clone_url": it.get("clone_url", "https://github.example/o/r.git")},
        },
        **({} if form == "pull-request-simple-items" else {
            "mergeable": it.get("mergeable", True),
            "maintainer_can_modify": it.get("maintainer_can_modify", False),
        }),
        base={"ref": it["base"], "sha": it.get("base_sha") or commit_of(it["base"]) or "0" * 40, "label": f"o:{it['base']}"},
    )


def invalid(message, code="custom"):
    fault = {"resource": "PullRequest", "field": "base", "code": code, "message": message}
    return 422, {"message": "Validation Failed", "errors": [fault], "documentation_url": "https://docs.github.com/rest"}


def known(number):
    return next((it for it in STATE["pulls"] if it["number"] == int(number)), None)


def owner_of(it):
    """Returns the owner of a pull request's branch: that of a fork, or our own."""
    return it.get("owner", "o")


def list_pulls(query, _):
    state = query.get("state", ["open"])[0]
    found = [it for it in reversed(STATE["pulls"]) if state in ("all", it["state"])]
    if "head" in query:
        found = [it for it in found if f"{owner_of(it)}:{it['head']}" == query["head"][0]]
    return 200, [pull(it, "pull-request-simple-items") for it in found]


def open_pull(_, body):
    for name in ("head", "base"):
        if not commit_of(body[name]):
            return invalid(f"{name} does not exist", "invalid")
    if any(it["head"] == body["head"] and it["state"] == "open" and owner_of(it) == "o" for it in STATE["pulls"]):
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


def list_labelled(query, _):
    """Returns the open issues and pull requests that have all of the labels."""
    wanted = set(query["labels"][0].split(","))
    issues = [(int(number), it, it.get("labels", [])) for number, it in STATE["issues"].items()]
    pulls = [(it["number"], it, STATE["labels"].get(str(it["number"]), [])) for it in STATE["pulls"] if it["state"] == "open"]
    found = [(number, it) for number, it, labels in issues + pulls if wanted <= set(labels)]
    place = "https://github.example/o/r/issues/"
    return 200, [example("issue", number=number, title=it["title"], body=it["body"], html_url=f"{place}{number}") for number, it in found]


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


def list_runs(query, _):
    if "head_sha" in query:
        runs = [example("workflow-run", **it) for it in STATE["workflows"].get(query["head_sha"][0], STATE["every_workflow"])]
        return 200, {"total_count": len(runs), "workflow_runs": runs}
    green = [it for it in STATE["runs"].values() if it["conclusion"] == "success"]
    runs = [example("workflow-run", **it) for it in reversed(green)]
    return 200, {"total_count": len(runs), "workflow_runs": runs}


def list_repositories(*_):
    return 200, [example("minimal-repository-items", **it) for it in STATE["repositories"]]


def read_pull(number, _):
    it = known(number)
    return (200, pull(it)) if it else (404, {"message": "Not Found"})


def list_files(number, _):
    return 200, [example("diff-entry-items", **it) for it in STATE["files"].get(number, [])]


def review_lines(number, body):
    STATE["suggestions"].append({"number": int(number), **body})
    place = f"https://github.example/o/r/pull/{number}#review"
    return 200, example("pull-request-review", id=1, html_url=place)


def comment_of(it):
    return example("issue-comment", id=it["id"], body=it["body"], html_url=f"https://github.example/o/r/issues/{it['number']}#c{it['id']}")


def write_comment(number, body):
    it = {"id": len(STATE["comments"]) + 1, "number": int(number), "body": body["body"], "own": True}
    STATE["comments"].append(it)
    return 201, comment_of(it)


def change_comment(number, body):
    it = next((it for it in STATE["comments"] if it["id"] == int(number)), None)
    if not it or not it["own"]:
        return 403, {"message": "Resource not accessible by integration"}
    it.update(body)
    return 200, comment_of(it)


def issue_of(it):
    place = f"https://github.example/o/r/issues/{it['number']}"
    return example("issue", number=it["number"], title=it["title"], body=it["body"], html_url=place)


def write_issue(_, body):
    it = {"number": 100 + len(STATE["own_issues"]), "own": True, **body}
    STATE["own_issues"].append(it)
    return 201, issue_of(it)


def change_issue(number, body):
    it = next(it for it in STATE["own_issues"] if it["number"] == int(number))
    it.update(body)
    return 200, issue_of(it)


def list_checks(commit, _):
    checks = STATE["commit_checks"].get(commit, STATE["every_commit_checks"])
    shape = examples.get("check-run-paginated", {}).get("value", {}).get("check_runs", [{}])[0]
    runs = [{**shape, "status": "completed" if it["conclusion"] else "in_progress", **it} for it in checks]
    return 200, {"total_count": len(runs), "check_runs": runs}


def list_statuses(commit, _):
    shape = examples.get("combined-commit-status", {}).get("value", {}).get("statuses", [{}])[0]
    statuses = [{**shape, **it} for it in STATE["commit_statuses"].get(commit, [])]
    return 200, example("combined-commit-status", statuses=statuses, total_count=len(statuses))


def read_branch(name, _):
    commit = commit_of(name)
    if not commit:
        return 404, {"message": "Branch not found"}
    rules = STATE["rules"].get(name, []) or STATE["classic_rules"].get(name)
    return 200, example("branch-get", name=name, commit={"sha": commit}, protected=bool(rules),
                        protection={"enabled": bool(rules), "required_status_checks": {"contexts": [], "checks": []}})


def list_rules(name, _):
    return 200, STATE["rules"].get(name, [])


def git(*words, data=b"", **variables):
    ended = subprocess.run(["git", "--git-dir", options.repository, *words], input=data, capture_output=True,
                           env={**os.environ, **variables}, check=True)
    return ended.stdout.decode().strip()


def signed_commit(wanted):
    """Makes the commit as GitHub does: on the expected head only, with a signature and GitHub as its committer."""
    branch = wanted["branch"]["branchName"]
    head = commit_of(branch)
    if head != wanted["expectedHeadOid"]:
        said = f"Expected branch to point to \"{wanted['expectedHeadOid']}\" but it did not. Pull and try again."
        return {"data": {"createCommitOnBranch": None}, "errors": [{"type": "STALE_DATA", "message": said}]}
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
        git("read-tree", head, **index)
        modes = dict(reversed(line.split("\t")[0].split()[:1] + [line.split("\t")[1]]) for line in git("ls-tree", "-r", head).splitlines())
        for it in wanted["fileChanges"].get("additions", []):
            contents = base64.b64decode(it["contents"]) + (b"#" if STATE["wrong_commit"] else b"")
            blob = git("hash-object", "-w", "--stdin", data=contents)
            git("update-index", "--add", "--cacheinfo", f"{modes.get(it['path'], '100644')},{blob},{it['path']}", **index)
        for it in wanted["fileChanges"].get("deletions", []):
            # `--force-remove` needs a working tree.
            git("update-index", "--index-info", data=f"0 {'0' * 40}\t{it['path']}\n".encode(), **index)
        tree = git("write-tree", **index)
    message = wanted["message"]["headline"] + "\n\n" + wanted["message"].get("body", "")
    text = (f"tree {tree}\nparent {head}\nauthor papayu[bot] <bot@users.noreply.github.com> 1767225600 +0000\n"
            "committer GitHub <noreply@github.com> 1767225600 +0000\n"
            "gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n"
            f"\n{message}")
    commit = git("hash-object", "-t", "commit", "-w", "--stdin", data=text.encode())
    git("update-ref", f"refs/heads/{branch}", commit, head)
    return {"data": {"createCommitOnBranch": {"commit": {"oid": commit}}}}


def merged(branch, base):
    """Returns the commit that merges a branch into another as a forge does; None where they conflict."""
    tree = subprocess.run(["git", "--git-dir", options.repository, "merge-tree", "--write-tree", branch, base], capture_output=True, text=True)
    if tree.returncode:
        return None
    identity = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "GitHub"), ("EMAIL", "noreply@github.com"))}
    return git("commit-tree", tree.stdout.strip(), "-p", branch, "-p", base, "-m", "Merge branch 'main' into it", **identity)


def update_branch(number, body):
    it = known(number)
    if not it:
        return 404, {"message": "Not Found"}
    head, base = commit_of(it["head"]), commit_of(it["base"])
    if not head:
        # The pull request of a test that counts requests; it has no branch.
        return 202, {"message": "Updating pull request branch.", "url": f"https://github.example/repos/o/r/pulls/{number}"}
    if body.get("expected_head_sha", head) != head:
        return 422, {"message": f"expected_head_sha was {body['expected_head_sha']} but the head is {head}", "documentation_url": "https://docs.github.com/rest"}
    commit = merged(head, base)
    if not commit:
        return 422, {"message": "merge conflict between base and head", "documentation_url": "https://docs.github.com/rest"}
    git("update-ref", f"refs/heads/{it['head']}", commit, head)
    return 202, {"message": "Updating pull request branch.", "url": f"https://github.example/repos/o/r/pulls/{number}"}


def own_texts(texts, name):
    nodes = [{"databaseId": it.get("id", it["number"]), "body": it["body"], "viewerDidAuthor": it["own"]} for it in texts]
    return {name: {"nodes": nodes, "pageInfo": {"hasPreviousPage": False, "startCursor": None}}}


def answer_graphql(query, variables):
    if "createCommitOnBranch" in query:
        return signed_commit(variables["input"])
    if "comments(" in query:
        texts = [it for it in STATE["comments"] if it["number"] == variables["number"]]
        return {"data": {"repository": {"issueOrPullRequest": own_texts(texts, "comments")}}}
    if "issues(" in query:
        return {"data": {"repository": own_texts(STATE["own_issues"], "issues")}}
    if "refUpdateRule" in query:
        rule = STATE["classic_rules"].get(variables["branch"].removeprefix("refs/heads/"))
        return {"data": {"repository": {"ref": {"refUpdateRule": rule}}}}
    STATE["auto_merge"].append(variables["id"])
    return {"data": {"enablePullRequestAutoMerge": {"clientMutationId": None}}}


def is_of_app(header):
    """Tells whether a header is a statement that the key of the app 123 has signed, and that GitHub takes."""
    text, _, signature = header.removeprefix("Bearer ").rpartition(".")
    decode = lambda part: base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    try:
        head, claims = (json.loads(decode(part)) for part in text.split("."))
        with tempfile.NamedTemporaryFile() as file:
            file.write(decode(signature))
            file.flush()
            verify = ["openssl", "dgst", "-sha256", "-prverify", os.environ["APP_KEY"], "-signature", file.name]
            is_signed = subprocess.run(verify, input=text.encode(), capture_output=True).returncode == 0
    except ValueError:
        return False
    STATE["app_statements"].append({"head": head, "claims": claims})
    is_timely = claims["iat"] <= time.time() < claims["exp"] and claims["exp"] - claims["iat"] <= 600
    return is_signed and is_timely and head["alg"] == "RS256" and claims["iss"] == "123"


def create_token(*_):
    ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + STATE["app_lifetime"]))
    return 201, example("installation-token", token=TOKEN, expires_at=ends)


ROUTES_OF_APP = [
    ("GET", r"/repos/o/r/installation", lambda *_: (200, example("installation", id=5))),
    ("POST", r"/app/installations/5/access_tokens", create_token),
]
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
    ("GET", r"/repos/o/r/issues", list_labelled),
    ("GET", r"/repos/o/r/actions/runs/(\d+)/jobs", list_jobs),
    ("GET", r"/repos/o/r/collaborators/([\w-]+)/permission", read_permission),
    ("GET", r"/repos/o/r/actions/runs/(\d+)", read_run),
    ("GET", r"/repos/o/r/actions/runs", list_runs),
    ("GET", r"/repos/o/r/pulls/(\d+)", read_pull),
    ("PUT", r"/repos/o/r/pulls/(\d+)/update-branch", update_branch),
    ("GET", r"/repos/o/r/pulls/(\d+)/files", list_files),
    ("POST", r"/repos/o/r/pulls/(\d+)/reviews", review_lines),
    ("POST", r"/repos/o/r/issues/(\d+)/comments", write_comment),
    ("PATCH", r"/repos/o/r/issues/comments/(\d+)", change_comment),
    ("POST", r"/repos/o/r/issues", write_issue),
    ("PATCH", r"/repos/o/r/issues/(\d+)", change_issue),
    ("GET", r"/repos/o/r/commits/(\w+)/check-runs", list_checks),
    ("GET", r"/repos/o/r/commits/(\w+)/status", list_statuses),
    ("GET", r"/repos/o/r/branches/(.+)", read_branch),
    ("GET", r"/repos/o/r/rules/branches/(.+)", list_rules),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    # True while a request is carried out whose own answer is lost.
    silent = False

    def answer(self, status, value, headers=()):
        if self.silent:
            return
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
                    if fault.get("after"):
                        self.silent = True
                        self.route(url, body)
                        self.silent = False
                    body = fault["raw"].encode() if "raw" in fault else fault.get("body", {})
                    return self.answer(fault["status"], body, list(fault.get("headers", {}).items()))
            if url.path.startswith("/_log/"):
                if sent:
                    return self.answer(400, {"message": "the token must not come here"})
                log = STATE["logs"][url.path[len("/_log/"):]].encode()
                return self.answer(200, log, [("Content-Type", "text/plain")])
            for method, pattern, handle in ROUTES_OF_APP:
                if method == self.command and re.fullmatch(pattern, url.path):
                    known = is_of_app(sent or "")
                    refusal = 401, {"message": "A JSON web token could not be decoded"}
                    return self.answer(*(handle() if known else refusal))
            if READER and sent == f"Bearer {READER}":
                if self.command != "GET":
                    return self.answer(403, {"message": "Resource not accessible by integration"})
            elif TOKEN and sent != f"Bearer {TOKEN}":
                return self.answer(401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest"})
            return self.route(url, body)

    def route(self, url, body):
        if url.path == "/graphql":
            return self.answer(200, answer_graphql(body["query"], body["variables"]))
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
