#!/usr/bin/env python3
"""A stateful stand-in for the parts of GitLab, Gitea, Bitbucket and Azure DevOps that papayu-batch calls.

usage: TOKEN=T forges.py gitlab|gitea|bitbucket|azure REPOSITORY.git [--page N]
Answers have the form of each forge's documentation. Prints `ready URL` when it listens; the URL is that of the API.
  GET /_state    pull requests, comments, statuses, and every request in its order, in one form for all forges
  PUT /_state    laid over the state
  PUT /_faults   a list of {"method", "path" (a part of it), "status", "body", "times"}: answered instead
"""
import argparse
import base64
import json
import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

arguments = argparse.ArgumentParser()
arguments.add_argument("kind")
arguments.add_argument("repository")
arguments.add_argument("--page", type=int, default=100)
options = arguments.parse_args()
TOKEN = os.environ.get("TOKEN")
LOCK = threading.RLock()
# `pulls`: number, state (open, closed, merged), title, body, head, base, draft, labels, reviewers
STATE = {"pulls": [], "comments": [], "suggestions": [], "statuses": [], "issues": {}, "runs": [], "logs": {}, "checks": [], "files": [], "requests": []}
FAULTS = []
ZERO = "0" * 40


def commit_of(branch):
    ended = subprocess.run(
        ["git", "--git-dir", options.repository, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"],
        capture_output=True, text=True,
    )
    return ended.stdout.strip() or None


class Refusal(Exception):
    def __init__(self, status, body):
        super().__init__(status)
        self.status, self.body = status, body


def pull_of(number):
    found = next((it for it in STATE["pulls"] if it["number"] == int(number)), None)
    if not found:
        raise Refusal(404, {"message": "Not Found"})
    return found


def open_pull(taken, **fields):
    for name in ("head", "base"):
        if not commit_of(fields[name]):
            raise Refusal(400, {"message": f"{name} does not exist"})
    known = next((it for it in STATE["pulls"] if it["head"] == fields["head"] and it["state"] == "open"), None)
    if known and taken:
        raise Refusal(409, taken)
    if known:
        known.update(fields)
        return known
    it = {"number": len(STATE["pulls"]) + 1, "state": "open", "labels": [], "reviewers": [], **fields}
    STATE["pulls"].append(it)
    return it


def comment(number, text, place=None):
    it = {"id": len(STATE["comments"]) + 1, "number": int(number), "body": text}
    (STATE["suggestions"] if place else STATE["comments"]).append({**it, "place": place} if place else it)
    return it


def edit(number, text):
    it = next(it for it in STATE["comments"] if it["id"] == int(number))
    it["body"] = text
    return it


def git(*words):
    identity = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "forge"), ("EMAIL", "forge@example.org"))}
    ended = subprocess.run(["git", "--git-dir", options.repository, *words], capture_output=True, text=True, env={**os.environ, **identity})
    if ended.returncode:
        raise Refusal(409, {"message": "conflict"})
    return ended.stdout.strip()


def update_branch(number, rebases):
    """Brings the branch of a pull request up to date: by a rebase of its one commit, or by a merge."""
    it = pull_of(number)
    head, base = commit_of(it["head"]), commit_of(it["base"])
    tree = git("merge-tree", "--write-tree", head, base)
    if rebases:
        commit = git("commit-tree", tree, "-p", base, "-m", git("log", "-1", "--format=%B", head))
    else:
        commit = git("commit-tree", tree, "-p", head, "-p", base, "-m", "Merge branch into it")
    git("update-ref", f"refs/heads/{it['head']}", commit, head)
    return b""


def run_of(number):
    return next((run for run in STATE["runs"] if run["number"] == int(number)), None)


def status(commit, body):
    STATE["statuses"].append({"commit": commit, "body": body})


def issues_with(query):
    """Returns the numbers and labels of open issues that have the label."""
    wanted = query["labels"][0]
    return [(int(number), it["labels"]) for number, it in STATE["issues"].items() if wanted in it.get("labels", [])]


# Each route is a method, an expression for the path, and a function of its groups, the query and the body.
class GitLab:
    root = "/api/v4"
    header = ("authorization", f"Bearer {TOKEN}")
    repo = "/projects/o%2Fr"

    @staticmethod
    def pull(it):
        head = commit_of(it["head"]) or ZERO
        return {
            "id": 100 + it["number"], "iid": it["number"], "state": {"open": "opened"}.get(it["state"], it["state"]),
            "title": it["title"], "description": it["body"], "draft": it["title"].startswith("Draft: "),
            "source_branch": it["head"], "target_branch": it["base"], "source_project_id": 3, "target_project_id": 3,
            "sha": head, "web_url": f"https://gitlab.example/o/r/-/merge_requests/{it['number']}",
            "merge_status": "can_be_merged", "head_pipeline": {"id": 9} if STATE["checks"] else None,
            "diff_refs": {"base_sha": ZERO, "start_sha": commit_of(it["base"]), "head_sha": head},
        }

    def find(self, query):
        branch, state = query.get("source_branch", [None])[0], query["state"][0]
        wanted = {"opened": "open", "all": None}[state]
        found = [it for it in STATE["pulls"] if branch in (None, it["head"]) and wanted in (None, it["state"])]
        return [self.pull(it) for it in reversed(found)]

    def create(self, body):
        taken = {"message": ["Another open merge request already exists for this source branch: !1"]}
        it = open_pull(taken, title=body["title"], body=body["description"], head=body["source_branch"],
                       base=body["target_branch"], draft=body["title"].startswith("Draft: "))
        return self.pull(it)

    def change(self, number, body):
        it = pull_of(number)
        names = {"title": "title", "description": "body", "target_branch": "base"}
        it.update({names[key]: value for key, value in body.items() if key in names})
        it["state"] = {"close": "closed", "reopen": "open"}.get(body.get("state_event"), it["state"])
        it["labels"] += [name for name in body.get("add_labels", "").split(",") if name]
        it["reviewers"] += body.get("reviewer_ids", [])
        return self.pull(it)

    def job(self, it):
        return {"id": it["id"], "name": it["name"], "status": it["status"], "allow_failure": False}

    def pipeline(self, run):
        return {"id": run["number"], "ref": run["branch"], "status": run["status"], "sha": run.get("commit", "")}

    def jobs(self, number, query):
        scope = query["scope[]"][0]
        return [self.job(it) for it in (run_of(number) or {"jobs": []})["jobs"] if it["status"] == scope]

    def pipelines(self, query):
        ref = query.get("ref", [None])[0]
        return [self.pipeline(run) for run in reversed(STATE["runs"]) if run["status"] == "success" and ref in (None, run["branch"])]

    def note(self, it):
        return {"id": it["id"], "body": it["body"], "author": {"id": 1}, "system": False}

    def routes(self):
        number = r"/merge_requests/(\d+)"
        return [
            ("GET", "", lambda q, b: (200, {"id": 3, "default_branch": "main"})),
            ("GET", "/merge_requests", lambda q, b: (200, self.find(q))),
            ("POST", "/merge_requests", lambda q, b: (201, self.create(b))),
            ("GET", number, lambda n, q, b: (200, self.pull(pull_of(n)))),
            ("PUT", number, lambda n, q, b: (200, self.change(n, b))),
            ("PUT", number + "/merge", lambda n, q, b: (200, self.pull(pull_of(n)))),
            ("GET", number + "/diffs", lambda n, q, b: (200, [{"new_path": it["filename"], "diff": it["patch"]} for it in STATE["files"]])),
            ("POST", number + "/discussions", lambda n, q, b: (201, {"id": str(comment(n, b["body"], b.get("position", {"note": True}))["id"]), "notes": [{"id": 1}]})),
            ("PUT", number + "/rebase", lambda n, q, b: (202, {"rebase_in_progress": True} if update_branch(n, True) == b"" else {})),
            ("GET", "/repository/branches/(.+)", lambda name, q, b: (200, {"name": name, "commit": {"id": commit_of(name)}, "protected": False})),
            ("GET", r"/repository/commits/(\w+)/statuses", lambda c, q, b: (200, STATE["checks"])),
            ("GET", number + "/notes", lambda n, q, b: (200, [self.note(it) for it in reversed(STATE["comments"]) if it["number"] == int(n)])),
            ("POST", number + "/notes", lambda n, q, b: (201, self.note(comment(n, b["body"])))),
            ("PUT", number + r"/notes/(\d+)", lambda n, i, q, b: (200, self.note(edit(i, b["body"])))),
            ("POST", r"/statuses/(\w+)", lambda c, q, b: (201, status(c, b) or {"id": 1, "status": b["state"], "target_url": b.get("target_url")})),
            ("GET", "/issues", lambda q, b: (200, [{"iid": n, "labels": labels, "web_url": f"https://gitlab.example/o/r/-/issues/{n}"} for n, labels in issues_with(q)])),
            ("GET", r"/issues/(\d+)", lambda n, q, b: (200, {"iid": int(n), "title": STATE["issues"][n]["title"], "description": STATE["issues"][n]["body"]})),
            ("GET", r"/pipelines/(\d+)/jobs", lambda n, q, b: (200, self.jobs(n, q))),
            ("GET", r"/pipelines/(\d+)", lambda n, q, b: (200, self.pipeline(run_of(n)))),
            ("GET", "/pipelines", lambda q, b: (200, self.pipelines(q))),
            ("GET", r"/jobs/(\d+)/trace", lambda n, q, b: (200, STATE["logs"][n].encode())),
            ("GET", "!/users", lambda q, b: (200, [{"id": 7}] if q["username"] == ["ann"] else [])),
            ("GET", "!/user", lambda q, b: (200, {"id": 1, "username": "bot"})),
        ]


class Gitea:
    root = "/api/v1"
    header = ("authorization", f"token {TOKEN}")
    repo = "/repos/o/r"

    @staticmethod
    def pull(it):
        side = lambda name: {"label": it[name], "ref": it[name], "sha": commit_of(it[name]) or ZERO, "repo_id": 3, "repo": {"id": 3, "full_name": "o/r"}}
        return {
            "id": 100 + it["number"], "number": it["number"], "state": "open" if it["state"] == "open" else "closed",
            "merged": it["state"] == "merged", "title": it["title"], "body": it["body"],
            "html_url": f"https://gitea.example/o/r/pulls/{it['number']}", "draft": it["title"].startswith("WIP: "),
            "mergeable": True, "base": side("base"), "head": side("head"),
        }

    def find(self, query):
        wanted = {"open": "open"}.get(query["state"][0])
        return [self.pull(it) for it in reversed(STATE["pulls"]) if wanted in (None, it["state"])]

    def create(self, body):
        taken = {"message": "pull request already exists for these targets", "url": "https://gitea.example/api/swagger"}
        it = open_pull(taken, title=body["title"], body=body["body"], head=body["head"], base=body["base"], draft=body["title"].startswith("WIP: "))
        return self.pull(it)

    def change(self, number, body):
        it = pull_of(number)
        it.update({key: body[key] for key in ("title", "body", "base", "state") if key in body})
        return self.pull(it)

    def label(self, number, body):
        pull_of(number)["labels"] += [{1: "ci", 2: "fix"}[name] for name in body["labels"]]
        return [{"id": name} for name in body["labels"]]

    def review(self, number, body):
        pull_of(number)["reviewers"] += body["reviewers"]
        return []

    def job(self, it):
        conclusion = {"failed": "failure"}.get(it["status"], it["status"])
        return {"id": it["id"], "name": it["name"], "status": "completed", "conclusion": conclusion}

    def run(self, run):
        conclusion = {"failed": "failure"}.get(run["status"], run["status"])
        return {"id": run["number"], "path": f"ci.yml@refs/heads/{run['branch']}", "head_branch": run["branch"], "head_sha": run.get("commit", ""), "conclusion": conclusion}

    def jobs(self, number):
        jobs = [self.job(it) for it in (run_of(number) or {"jobs": []})["jobs"]]
        return {"total_count": len(jobs), "jobs": jobs}

    def runs(self):
        runs = [self.run(run) for run in reversed(STATE["runs"]) if run["status"] == "success"]
        return {"total_count": len(runs), "workflow_runs": runs}

    def note(self, it):
        return {"id": it["id"], "body": it["body"], "user": {"id": 1, "login": "bot"}, "html_url": f"https://gitea.example/c/{it['id']}"}

    def routes(self):
        return [
            ("GET", "", lambda q, b: (200, {"id": 3, "default_branch": "main"})),
            ("GET", "/pulls", lambda q, b: (200, self.find(q))),
            ("POST", "/pulls", lambda q, b: (201, self.create(b))),
            ("GET", r"/pulls/(\d+)", lambda n, q, b: (200, self.pull(pull_of(n)))),
            ("PATCH", r"/pulls/(\d+)", lambda n, q, b: (201, self.change(n, b))),
            ("POST", r"/pulls/(\d+)/merge", lambda n, q, b: (200, b"")),
            ("POST", r"/pulls/(\d+)/update", lambda n, q, b: (200, update_branch(n, q["style"] == ["rebase"]))),
            ("GET", "/branches/(.+)", lambda name, q, b: (200, {"name": name, "commit": {"id": commit_of(name)}, "protected": False, "effective_branch_protection_name": ""})),
            ("GET", r"/commits/(\w+)/status", lambda c, q, b: (200, {"sha": c, "statuses": STATE["checks"] or None})),
            ("POST", r"/pulls/(\d+)/requested_reviewers", lambda n, q, b: (201, self.review(n, b))),
            ("GET", "/labels", lambda q, b: (200, [{"id": 1, "name": "ci"}, {"id": 2, "name": "fix"}])),
            ("POST", r"/issues/(\d+)/labels", lambda n, q, b: (200, self.label(n, b))),
            ("GET", r"/issues/(\d+)/comments", lambda n, q, b: (200, [self.note(it) for it in STATE["comments"] if it["number"] == int(n)])),
            ("POST", r"/issues/(\d+)/comments", lambda n, q, b: (201, self.note(comment(n, b["body"])))),
            ("PATCH", r"/issues/comments/(\d+)", lambda n, q, b: (200, self.note(edit(n, b["body"])))),
            ("POST", r"/statuses/(\w+)", lambda c, q, b: (201, status(c, b) or {"id": 1, "status": b["state"], "target_url": b["target_url"]})),
            # A label that the repository lacks filters nothing.
            ("GET", "/issues", lambda q, b: (200, [{"number": n, "labels": [{"id": 1, "name": name} for name in labels], "html_url": f"https://gitea.example/o/r/issues/{n}"}
                                                   for n, labels in issues_with(q) or [(int(n), it.get("labels", [])) for n, it in STATE["issues"].items()]])),
            ("GET", r"/issues/(\d+)", lambda n, q, b: (200, {"number": int(n), "title": STATE["issues"][n]["title"], "body": STATE["issues"][n]["body"]})),
            ("GET", r"/actions/runs/(\d+)/jobs", lambda n, q, b: (200, self.jobs(n))),
            ("GET", r"/actions/runs/(\d+)", lambda n, q, b: (200, self.run(run_of(n)))),
            ("GET", "/actions/runs", lambda q, b: (200, self.runs())),
            ("GET", r"/actions/jobs/(\d+)/logs", lambda n, q, b: (200, STATE["logs"][n].encode())),
            ("GET", "!/user", lambda q, b: (200, {"id": 1, "login": "bot"})),
        ]


class Bitbucket:
    root = "/2.0"
    header = ("authorization", f"Bearer {TOKEN}")
    repo = "/repositories/o/r"
    states = {"open": "OPEN", "closed": "DECLINED", "merged": "MERGED"}

    def pull(self, it):
        side = lambda name: {"branch": {"name": it[name]}, "commit": {"hash": commit_of(it[name]) or ZERO},
                             "repository": {"type": "repository", "full_name": "o/r"}}
        return {
            "type": "pullrequest", "id": it["number"], "title": it["title"], "description": it["body"],
            "state": self.states[it["state"]], "draft": it["draft"], "source": side("head"), "destination": side("base"),
            "reviewers": [{"type": "user", "uuid": uuid} for uuid in it["reviewers"]],
            "links": {"html": {"href": f"https://bitbucket.org/o/r/pull-requests/{it['number']}"}},
        }

    def find(self, query):
        branch = re.fullmatch(r'source\.branch\.name="(.*)"', query.get("q", [""])[0])
        wanted = query.get("state", ["OPEN"])
        found = [it for it in reversed(STATE["pulls"]) if self.states[it["state"]] in wanted and (not branch or it["head"] == branch[1])]
        return [self.pull(it) for it in found]

    def create(self, body):
        it = open_pull(None, title=body["title"], body=body["description"], head=body["source"]["branch"]["name"],
                       base=body["destination"]["branch"]["name"], draft=body["draft"])
        return self.pull(it)

    def change(self, number, body):
        it = pull_of(number)
        it.update(title=body["title"], body=body["description"], reviewers=[one["uuid"] for one in body["reviewers"]])
        it["base"] = body.get("destination", {}).get("branch", {}).get("name", it["base"])
        return self.pull(it)

    def decline(self, number):
        pull_of(number)["state"] = "closed"
        return self.pull(pull_of(number))

    def result(self, word):
        return {"state": {"type": "pipeline_state_completed", "name": "COMPLETED", "result": {"name": {"failed": "FAILED"}.get(word, "SUCCESSFUL")}}}

    def pipelines(self, query):
        wanted = {"success"} if query.get("status") == ["PASSED"] else {"success", "failed"}
        return [{"type": "pipeline", "uuid": f"{{p{run['number']}}}", "build_number": run["number"],
                 "target": {"type": "pipeline_ref_target", "ref_name": run["branch"], "commit": {"type": "commit", "hash": run.get("commit", "")}}, **self.result(run["status"])} for run in reversed(STATE["runs"]) if run["status"] in wanted]

    def steps(self, number):
        return [{"type": "pipeline_step", "uuid": f"{{s{it['id']}}}", "name": it["name"], **self.result(it["status"])} for it in run_of(number)["jobs"]]

    def note(self, it):
        return {"type": "pullrequest_comment", "id": it["id"], "content": {"raw": it["body"]}, "user": {"type": "user", "uuid": "{bot}"},
                "links": {"html": {"href": f"https://bitbucket.org/c/{it['id']}"}}}

    def routes(self):
        number = r"/pullrequests/(\d+)"
        page = lambda values: {"values": values}
        return [
            ("GET", "", lambda q, b: (200, {"type": "repository", "mainbranch": {"type": "branch", "name": "main"}})),
            ("GET", r"/refs/branches/(.+)", lambda name, q, b: (200, {"type": "branch", "name": name, "target": {"type": "commit", "hash": commit_of(name)}})),
            ("GET", r"/commit/(\w+)/statuses", lambda c, q, b: (200, page([]))),
            ("GET", "/pullrequests", lambda q, b: (200, page(self.find(q)))),
            ("POST", "/pullrequests", lambda q, b: (201, self.create(b))),
            ("GET", number, lambda n, q, b: (200, self.pull(pull_of(n)))),
            ("PUT", number, lambda n, q, b: (200, self.change(n, b))),
            ("POST", number + "/decline", lambda n, q, b: (200, self.decline(n))),
            ("GET", number + "/comments", lambda n, q, b: (200, page([self.note(it) for it in reversed(STATE["comments"]) if it["number"] == int(n)]))),
            ("POST", number + "/comments", lambda n, q, b: (201, self.note(comment(n, b["content"]["raw"])))),
            ("PUT", number + r"/comments/(\d+)", lambda n, i, q, b: (200, self.note(edit(i, b["content"]["raw"])))),
            ("POST", r"/commit/(\w+)/statuses/build", lambda c, q, b: (201, status(c, b) or b)),
            ("GET", r"/issues/(\d+)", lambda n, q, b: (200, {"type": "issue", "id": int(n), "title": STATE["issues"][n]["title"], "content": {"raw": STATE["issues"][n]["body"]}})),
            ("GET", "/pipelines", lambda q, b: (200, page(self.pipelines(q)))),
            ("GET", r"/pipelines/\{p(\d+)\}/steps", lambda n, q, b: (200, page(self.steps(n)))),
            ("GET", r"/pipelines/\{p\d+\}/steps/\{s(\d+)\}/log", lambda n, q, b: (307, f"/_log/{n}")),
            ("GET", "!/user", lambda q, b: (200, {"type": "user", "uuid": "{bot}"})),
        ]


class Azure:
    root = "/org"
    header = ("authorization", "Basic " + base64.b64encode(f":{TOKEN}".encode()).decode())
    repo = "/o/_apis/git/repositories/r"
    states = {"open": "active", "closed": "abandoned", "merged": "completed"}

    def pull(self, it, cut=None):
        return {
            "pullRequestId": it["number"], "status": self.states[it["state"]], "title": it["title"], "description": it["body"][:cut],
            "isDraft": it["draft"], "createdBy": {"id": "b0"}, "sourceRefName": f"refs/heads/{it['head']}",
            "targetRefName": f"refs/heads/{it['base']}", "mergeStatus": "succeeded",
            "lastMergeSourceCommit": {"commitId": commit_of(it["head"]) or ZERO},
            "lastMergeTargetCommit": {"commitId": commit_of(it["base"]) or ZERO},
        }

    def find(self, query):
        branch = query.get("searchCriteria.sourceRefName", [None])[0]
        state = query["searchCriteria.status"][0]
        found = [self.pull(it, 400) for it in reversed(STATE["pulls"])]
        return [it for it in found if branch in (None, it["sourceRefName"]) and state in ("all", it["status"])]

    def create(self, body):
        short = lambda name: body[name].removeprefix("refs/heads/")
        taken = {"$id": "1", "message": "TF401179: An active pull request for the source and target branch already exists.", "typeKey": "GitPullRequestExistsException"}
        it = open_pull(taken, title=body["title"], body=body["description"], head=short("sourceRefName"), base=short("targetRefName"), draft=body["isDraft"])
        return self.pull(it)

    def change(self, number, body):
        it = pull_of(number)
        it.update({name: body[key] for key, name in (("title", "title"), ("description", "body")) if key in body})
        it["state"] = {"active": "open", "abandoned": "closed"}.get(body.get("status"), it["state"])
        return self.pull(it)

    def label(self, number, body):
        pull_of(number)["labels"].append(body["name"])
        return {"name": body["name"], "active": True}

    def thread(self, it):
        return {"id": it["id"], "comments": [{"id": 1, "content": it["body"], "author": {"id": "b0"}}]}

    def build(self, run):
        return {"id": run["number"], "definition": {"id": 5}, "sourceBranch": f"refs/heads/{run['branch']}", "sourceVersion": run.get("commit", ""), "result": {"success": "succeeded"}.get(run["status"], run["status"])}

    def builds(self, query):
        branch = query.get("branchName", [None])[0]
        found = [self.build(run) for run in reversed(STATE["runs"])]
        return [it for it in found if it["result"] == "succeeded" and branch in (None, it["sourceBranch"])]

    def timeline(self, number):
        results = {"success": "succeeded"}
        return [{"id": "x", "type": "Job", "name": it["name"], "result": results.get(it["status"], it["status"]), "log": {"id": it["id"]}} for it in run_of(number)["jobs"]]

    def routes(self):
        pulls, number, build = "/pullrequests", r"/pull[rR]equests/(\d+)", "!/o/_apis/build/builds"
        page = lambda values: {"count": len(values), "value": values}
        return [
            ("GET", "", lambda q, b: (200, {"id": "r1", "name": "r", "defaultBranch": "refs/heads/main"})),
            ("GET", number + "/iterations", lambda n, q, b: (200, page([{"id": 1}]))),
            ("GET", number + "/iterations/1/changes", lambda n, q, b: (200, {"changeEntries": [{"item": {"path": "/" + it["filename"]}} for it in STATE["files"]]})),
            ("GET", "/refs", lambda q, b: (200, page([{"name": f"refs/{q['filter'][0]}", "objectId": commit_of(q["filter"][0].removeprefix("heads/"))}]))),
            ("GET", r"/commits/(\w+)/statuses", lambda c, q, b: (200, page([]))),
            ("GET", pulls, lambda q, b: (200, page(self.find(q)))),
            ("POST", pulls, lambda q, b: (201, self.create(b))),
            ("GET", number, lambda n, q, b: (200, self.pull(pull_of(n)))),
            ("PATCH", number, lambda n, q, b: (200, self.change(n, b))),
            ("POST", number + "/labels", lambda n, q, b: (200, self.label(n, b))),
            ("GET", number + "/threads", lambda n, q, b: (200, page([self.thread(it) for it in STATE["comments"] if it["number"] == int(n)]))),
            ("POST", number + "/threads", lambda n, q, b: (200, self.thread(comment(n, b["comments"][0]["content"], b.get("threadContext"))))),
            ("PATCH", number + r"/threads/(\d+)/comments/1", lambda n, i, q, b: (200, {"id": 1, "content": edit(i, b["content"])["body"]})),
            ("POST", r"/commits/(\w+)/statuses", lambda c, q, b: (201, status(c, b) or {"id": 1, **b})),
            ("GET", r"!/o/_apis/wit/workitems/(\d+)", lambda n, q, b: (200, {"id": int(n), "fields": {"System.Title": STATE["issues"][n]["title"], "System.Description": STATE["issues"][n]["body"]}})),
            ("GET", build, lambda q, b: (200, page(self.builds(q)))),
            ("GET", build + r"/(\d+)", lambda n, q, b: (200, self.build(run_of(n)))),
            ("GET", build + r"/(\d+)/timeline", lambda n, q, b: (200, {"records": self.timeline(n)})),
            ("GET", build + r"/\d+/logs/(\d+)", lambda n, q, b: (200, STATE["logs"][n].encode())),
            ("GET", "!/_apis/connectionData", lambda q, b: (200, {"authenticatedUser": {"id": "b0"}})),
        ]


FORGES = {"gitlab": GitLab, "gitea": Gitea, "bitbucket": Bitbucket, "azure": Azure}
if options.kind not in FORGES:
    raise SystemExit(f"forges.py: add a class with the answers of {options.kind}, and its row in FORGES")
FORGE = FORGES[options.kind]()
ROUTES = [(method, FORGE.root + (path[1:] if path[:1] == "!" else re.escape(FORGE.repo) + path), handle) for method, path, handle in FORGE.routes()]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, code, value, headers=()):
        is_text = isinstance(value, bytes)
        out = value if is_text else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "text/plain" if is_text else "application/json")
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    def serve(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        url = urlsplit(self.path)
        with LOCK:
            if url.path == "/_faults":
                FAULTS[:] = body
                return self.answer(200, {})
            if url.path == "/_state":
                STATE.update(body or {})
                return self.answer(200, STATE)
            sent = self.headers.get(FORGE.header[0])
            if url.path.startswith("/_log/"):
                if sent:
                    return self.answer(400, {"message": "the token must not come here"})
                return self.answer(200, STATE["logs"][url.path[6:]].encode())
            STATE["requests"].append(f"{self.command} {url.path}")
            for fault in FAULTS:
                if fault["times"] > 0 and fault["method"] == self.command and fault["path"] in url.path:
                    fault["times"] -= 1
                    return self.answer(fault["status"], fault.get("body", {}))
            if sent != FORGE.header[1]:
                return self.answer(401, {"message": "401 Unauthorized"})
            return self.route(url, body)

    def route(self, url, body):
        # GitLab's own name of a project has an escaped slash, which is no separator of the path.
        path = url.path if options.kind == "gitlab" else unquote(url.path)
        for method, pattern, handle in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and method == self.command:
                try:
                    code, value = handle(*found.groups(), parse_qs(url.query), body)
                except Refusal as refusal:
                    return self.answer(refusal.status, refusal.body)
                if code == 307:
                    return self.answer(code, b"", [("Location", f"http://{self.headers['host']}{value}")])
                return self.paged(url, code, value)
        return self.answer(404, {"message": "404 Not Found"})

    def paged(self, url, code, value):
        items = value if isinstance(value, list) else value.get("values") if isinstance(value, dict) else None
        if items is None or self.command != "GET":
            return self.answer(code, value)
        page = int(parse_qs(url.query).get("page", ["1"])[0])
        first, last = (page - 1) * options.page, page * options.page
        rest = re.sub(r"&page=\d+", "", url.query) + f"&page={page + 1}"
        # Without a path, the address is right behind a proxy, too.
        following = f"?{rest}" if last < len(items) else None
        if isinstance(value, list):
            link = [("Link", f'<{following}>; rel="next"')] if following else []
            return self.answer(code, items[first:last], link)
        return self.answer(code, {"values": items[first:last], **({"next": following} if following else {})})

    do_GET = do_POST = do_PATCH = do_PUT = serve

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"ready http://127.0.0.1:{server.server_port}{FORGE.root}", flush=True)
server.serve_forever()
