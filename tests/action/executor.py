#!/usr/bin/env python3
"""Runs a workflow of GitHub Actions on this machine, as far as this project's own workflows go.

usage: executor.py SCENE.json
The scene says: `workflow` (file), `workflows` (folder of called ones), `action` (folder of the Action), `action_name`
(what `uses:` calls it), `root` (scratch folder), `remote` (the repository that is checked out), `event_name`, `event`,
`github` (laid over the context), `vars`, `secrets`, `inputs`, `matrix` (rows in the place
of the file's), `with` (more inputs of
the Action), `tokens` (`read`, `write`: what `github.token` is in jobs without and
with `contents: write`), `env` (laid over the workflow's), `between` (a shell script run after each upload).
Steps run in order with bash as GitHub does; checkout, upload-artifact and download-artifact are copies, and any other
action is an error, as is every function, context and key that is not known here. Prints one JSON object: every job's
result and outputs, and every step's name, outcome and output text.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

TOKEN = re.compile(
    r"\s*(?:(?P<string>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<op>==|!=|&&|\|\||[!()\[\],.])|(?P<name>[A-Za-z_][\w-]*))"
)


def text(value):
    """Returns a value as GitHub writes it into a string."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def equal(left, right):
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    if isinstance(left, type(right)) or isinstance(right, type(left)):
        return left == right

    def number(value):
        try:
            return float({None: 0, True: 1, False: 0}.get(value, value) or 0)
        except ValueError:
            return float("nan")

    return number(left) == number(right)


class Expression:
    """One `${{ }}`, read by recursive descent over the contexts given."""

    def __init__(self, source, contexts):
        self.contexts, self.tokens, at = contexts, [], 0
        while source[at:].strip():
            found = TOKEN.match(source, at)
            if not found:
                raise ValueError(f"cannot read the expression `{source}` at {at}")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()
        self.at = 0

    def value(self):
        value = self.either()
        if self.at != len(self.tokens):
            raise ValueError(f"left over: {self.tokens[self.at:]}")
        return value

    def next_is(self, *words):
        if self.at < len(self.tokens) and self.tokens[self.at] in [("op", word) for word in words]:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def either(self):
        value = self.both()
        while self.next_is("||"):
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.compared()
        while self.next_is("&&"):
            other = self.compared()
            value = value and other
        return value

    def compared(self):
        value = self.negated()
        while word := self.next_is("==", "!="):
            value = equal(value, self.negated()) == (word == "==")
        return value

    def negated(self):
        return not self.negated() if self.next_is("!") else self.single()

    def single(self):
        if self.next_is("("):
            value = self.either()
            if not self.next_is(")"):
                raise ValueError("a parenthesis is not closed")
            return value
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return word[1:-1].replace("''", "'")
        if kind == "number":
            return float(word)
        if kind != "name":
            raise ValueError(f"unexpected `{word}`")
        if word in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[word]
        if self.next_is("("):
            given = []
            while not self.next_is(")"):
                given.append(self.either())
                self.next_is(",")
            return self.call(word, given)
        if word not in self.contexts:
            raise ValueError(f"there is no context `{word}` here")
        value = self.contexts[word]
        while self.next_is("."):
            name = self.tokens[self.at][1]
            self.at += 1
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def call(self, name, given):
        status = self.contexts.get("_status", "success")
        known = {
            "success": lambda: status == "success",
            "failure": lambda: status == "failure",
            "always": lambda: True,
            "startsWith": lambda whole, start: text(whole).lower().startswith(text(start).lower()),
            "contains": lambda whole, part: text(part).lower() in text(whole).lower(),
            "format": lambda form, *rest: re.sub(r"\{(\d+)\}", lambda found: text(rest[int(found[1])]), form),
        }
        return known[name](*given)


def evaluated(value, contexts):
    """Returns a value of the file with its expressions replaced."""
    if isinstance(value, dict):
        return {key: evaluated(part, contexts) for key, part in value.items()}
    if isinstance(value, list):
        return [evaluated(part, contexts) for part in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*", value, re.S)
    if whole:
        return Expression(whole[1], contexts).value()
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: text(Expression(found[1], contexts).value()), value, flags=re.S)


def holds(condition, contexts):
    """Tells whether an `if` lets its step or job run; without a status function it also wants success."""
    condition = "success()" if condition is None else str(condition)
    bare = re.fullmatch(r"\s*\$\{\{(.*)\}\}\s*", condition, re.S)
    condition = bare[1] if bare else condition
    asks = re.search(r"\b(success|failure|always)\(", condition)
    if not asks and contexts["_status"] != "success":
        return False
    return bool(Expression(condition, contexts).value())


def commands(path):
    """Reads a file of `name=value` and `name<<MARK` entries as the runner does; the last one of a name counts."""
    out, lines = {}, open(path, encoding="utf-8").read().split("\n")
    while lines:
        line = lines.pop(0)
        name, equals, rest = line.partition("=")
        key, heredoc, mark = line.partition("<<")
        if heredoc and (not equals or len(key) < len(name)):
            value = []
            while lines and lines[0] != mark:
                value.append(lines.pop(0))
            if not lines:
                raise ValueError(f"`{key}` has no end")
            lines.pop(0)
            out[key] = "\n".join(value)
        elif equals:
            out[name] = rest
        elif line:
            raise ValueError(f"`{line}` is no entry")
    return out


class Job:
    """One job on a machine of its own."""

    def __init__(self, scene, name, contexts, env, writes):
        self.scene, self.contexts, self.env = scene, contexts, env
        self.home = os.path.join(scene["root"], "jobs", name)
        self.workspace, self.temp = os.path.join(self.home, "work"), os.path.join(self.home, "temp")
        for folder in (self.workspace, self.temp, os.path.join(self.home, "home")):
            os.makedirs(folder)
        token = scene["tokens"]["write" if writes else "read"]
        contexts["github"] = {**contexts["github"], "token": token, "workspace": self.workspace}
        contexts["runner"] = {"temp": self.temp, "os": "Linux", "arch": "X64"}
        contexts["secrets"] = {**contexts.get("secrets", {}), "GITHUB_TOKEN": token}
        contexts.setdefault("strategy", {"job-index": 0.0})
        self.log, self.files = [], 0

    def steps(self, steps, contexts, env, inside=None):
        """Runs steps, and returns whether all that matter succeeded."""
        contexts["steps"], contexts["_status"] = {}, "success"
        for step in steps:
            unknown = set(step) - {"id", "name", "if", "uses", "with", "run", "env", "shell", "continue-on-error", "working-directory"}
            if unknown:
                raise ValueError(f"a step has {unknown}")
            name = step.get("name") or step.get("id") or step.get("uses") or step["run"].split("\n")[0]
            outputs, outcome = {}, "skipped"
            if holds(step.get("if"), {**contexts, "env": env}):
                here = {**env, **evaluated(step.get("env") or {}, {**contexts, "env": env})}
                entry = {"step": name, "text": ""}
                self.log.append(entry)
                outcome = self.step(step, {**contexts, "env": here}, here, outputs, entry, inside)
                entry["outcome"] = outcome
            if outcome == "failure" and step.get("continue-on-error") is not True:
                contexts["_status"] = "failure"
            if "id" in step:
                contexts["steps"][step["id"]] = {"outputs": outputs, "outcome": outcome}
        return contexts["_status"]

    def step(self, step, contexts, env, outputs, entry, inside):
        if "run" in step:
            return self.run(step, contexts, env, outputs, entry, inside)
        given = evaluated(step.get("with") or {}, contexts)
        name = step["uses"].split("@")[0]
        if name in (self.scene["action_name"], "./"):
            given = {**self.scene.get("with", {}), **given}
            return self.composite(given, contexts, env, outputs)
        known = {
            "actions/checkout": self.checkout,
            "actions/upload-artifact": self.upload,
            "actions/download-artifact": self.download,
        }
        try:
            known[name](given)
        except subprocess.CalledProcessError:
            return "failure"
        return "success"

    def run(self, step, contexts, env, outputs, entry, inside):
        if inside and "${{" in step["run"]:
            raise ValueError("an action's `run` holds an expression")
        self.files += 1
        paths = {}
        for variable in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"):
            paths[variable] = os.path.join(self.temp, f"{variable.lower()}_{self.files}")
            open(paths[variable], "w", encoding="utf-8").close()
        script = os.path.join(self.temp, f"step_{self.files}.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(evaluated(step["run"], contexts))
        github = contexts["github"]
        fixed = {
            "PATH": os.environ["PATH"],
            "HOME": os.path.join(self.home, "home"),
            "CI": "true",
            "PYTHONDONTWRITEBYTECODE": "1",
            "RUNNER_TEMP": self.temp,
            **{"GITHUB_" + key.upper(): text(value) for key, value in github.items() if key not in ("event", "token")},
            "GITHUB_ACTIONS": "true",
            **paths,
            **({"GITHUB_ACTION_PATH": inside} if inside else {}),
        }
        strict = ["-eo", "pipefail"] if step.get("shell") == "bash" else ["-e"]
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", *strict, script],
            cwd=os.path.join(self.workspace, evaluated(step.get("working-directory", "."), contexts)),
            env={**fixed, **{key: text(value) for key, value in env.items()}},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
        )
        entry["text"] = ended.stdout.decode(errors="replace")
        entry["summary"] = open(paths["GITHUB_STEP_SUMMARY"], encoding="utf-8").read()
        entry["environment"] = open(paths["GITHUB_ENV"], encoding="utf-8").read()
        outputs.update(commands(paths["GITHUB_OUTPUT"]))
        return "success" if ended.returncode == 0 else "failure"

    def composite(self, given, contexts, env, outputs):
        folder = self.scene["action"]
        with open(os.path.join(folder, "action.yml"), encoding="utf-8") as file:
            action = yaml.safe_load(file)
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise ValueError(f"the action has no inputs {unknown}")
        # Names of variables in the Action's steps are those of its own `env`, not its inputs'.
        inner = {key: value for key, value in contexts.items() if key not in ("steps", "secrets", "vars", "needs")}
        inner["inputs"] = {
            name: text(given[name] if name in given else evaluated(about.get("default", ""), inner))
            for name, about in action["inputs"].items()
        }
        status = self.steps(action["runs"]["steps"], inner, env, inside=folder)
        outputs.update({name: evaluated(about["value"], inner) for name, about in action["outputs"].items()})
        return status

    def checkout(self, given):
        remote = os.path.join(self.scene["remote"], (given.get("repository") or self.contexts["github"]["repository"]) + ".git")
        git = ["git", "-c", "advice.detachedHead=false", "-c", "protocol.file.allow=always"]
        subprocess.run([*git, "clone", "-q", "file://" + remote, self.workspace], check=True)
        address = f"{self.contexts['github']['server_url']}/{given.get('repository') or self.contexts['github']['repository']}.git"
        subprocess.run([*git, "remote", "set-url", "origin", address], cwd=self.workspace, check=True)
        if given.get("ref"):
            subprocess.run([*git, "checkout", "-q", "--detach", given["ref"]], cwd=self.workspace, check=True)

    def artifact(self, given):
        return os.path.join(self.scene["root"], "artifacts", given["name"])

    def upload(self, given):
        """Copies a folder's contents; what is hidden stays behind, as it does there."""
        source, goal = os.path.join(self.workspace, given["path"]), self.artifact(given)
        if any(part.startswith(".") for part in os.path.relpath(source, self.home).split("/")) or not os.listdir(source):
            raise ValueError(f"nothing to upload in {source}")
        shutil.copytree(source, goal, ignore=shutil.ignore_patterns(".*"))
        if self.scene.get("between"):
            subprocess.run(["bash", "-e", "-c", self.scene["between"]], cwd=goal, check=True)

    def download(self, given):
        shutil.copytree(self.artifact(given), given["path"], dirs_exist_ok=True)


def run_workflow(scene, file, contexts, prefix=""):
    """Runs every job in the order of `needs`; returns their results."""
    with open(file, encoding="utf-8") as source:
        workflow = yaml.safe_load(source)
    results, waiting = {}, dict(workflow["jobs"])
    while waiting:
        ready = [name for name, job in waiting.items() if set(needs(job)) <= set(results)]
        for name in ready:
            job = waiting.pop(name)
            before = {need: results[need] for need in needs(job)}
            here = {**contexts, "needs": before}
            failed = any(result["result"] != "success" for result in before.values())
            here["_status"] = "failure" if failed else "success"
            if not holds(job.get("if"), here):
                results[name] = {"result": "skipped", "outputs": {}, "steps": []}
                continue
            here.pop("_status")
            results[name] = run_job(scene, job, here, prefix + name, workflow)
    return results


def needs(job):
    wanted = job.get("needs") or []
    return [wanted] if isinstance(wanted, str) else wanted


def run_job(scene, job, contexts, name, workflow):
    rows = evaluated((job.get("strategy") or {}).get("matrix", {}).get("include", [{}]), contexts)
    if rows != [{}]:
        rows = scene.get("matrix", rows)
    done = []
    for index, row in enumerate(rows):
        here = {**contexts, "matrix": row, "strategy": {"job-index": str(index)}}
        label = f"{name}-{index}" if len(rows) > 1 else name
        if "uses" in job:
            called = os.path.join(scene["workflows"], os.path.basename(job["uses"]))
            inner = {key: here[key] for key in ("github", "vars")}
            inner["inputs"] = evaluated(job.get("with") or {}, here)
            inner["secrets"] = evaluated(job.get("secrets") or {}, here)
            jobs = run_workflow(scene, called, inner, label + "-")
            bad = any(result["result"] == "failure" for result in jobs.values())
            done.append({"result": "failure" if bad else "success", "outputs": {}, "jobs": jobs, "steps": []})
            continue
        rights = job.get("permissions", workflow.get("permissions", {})) or {}
        machine = Job(scene, label, here, {}, rights.get("contents") == "write")
        env = evaluated({**(workflow.get("env") or {}), **(job.get("env") or {})}, here)
        result = machine.steps(job["steps"], here, {**env, **scene.get("env", {})})
        outputs = evaluated(job.get("outputs") or {}, here)
        done.append({"result": result, "outputs": outputs, "steps": machine.log})
    if len(done) == 1:
        return done[0]
    bad = any(result["result"] == "failure" for result in done)
    return {"result": "failure" if bad else "success", "outputs": {}, "matrix": done, "steps": []}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        scene = json.load(file)
    event = os.path.join(scene["root"], "event.json")
    with open(event, "w", encoding="utf-8") as file:
        json.dump(scene["event"], file)
    github = {"event": scene["event"], "event_name": scene["event_name"], "event_path": event, **scene["github"]}
    contexts = {"github": github, "vars": scene.get("vars", {}), "secrets": scene.get("secrets", {}), "inputs": scene.get("inputs", {})}
    print(json.dumps(run_workflow(scene, scene["workflow"], contexts)))


main()
