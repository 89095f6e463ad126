#!/usr/bin/env python3
"""Measures how often the checks of a change stop, flag or note real fixes: `false_alarms.py GIT_FOLDER …`.

Each git folder (a clone, or a bare repository) gives its newest fix commits: no merges, a subject that names a fix, few files, text only. The
source part of a commit is applied to its parent, and `papayu-batch debug vet` checks it without running anything. The lines that the commit adds to
tests are the evidence of the failure. Grades are counted for each language, and for each rule; `--show RULE` prints the cases of a rule.

Needs a release build: `cargo build --release`.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIX = re.compile(r"\b(fix|fixes|fixed|bug|bugfix|correct|corrects|regression)\b", re.IGNORECASE)
NO_FIX = re.compile(r"\b(typo|docs?|readme|changelog|release|ci|lint|format|test|tests|bump|merge|revert)\b", re.IGNORECASE)
TEST = re.compile(r"(^|/)(tests?|specs?|__tests__|testdata|fixtures|testing)(/|$)|[._-](test|spec)\.|(^|/)test_|_test\.|Tests?\.java$|IT\.java$|(^|/)(tests?|specs?)\.\w+$", re.IGNORECASE)
LANGUAGES = {
    "Python": {"py", "pyi"},
    "JavaScript": {"js", "ts", "jsx", "tsx", "mjs", "cjs", "mts"},
    "Rust": {"rs"},
    "Go": {"go"},
    "Java": {"java", "kt"},
    "C": {"c", "h", "cc", "cpp", "hpp"},
}
# Kinds of files that only an allowance opens, as `docs/proof.md` says.
POLICY = re.compile(r"is an existing|has a change |would be loaded|would be deleted|is run or obeyed|would run it|FORBIDDEN_PATH")
# A commit often changes the tests inside of its source files, and a model that repairs the source does not.
IN_PLACE = re.compile(r"changed or removed|among its tests")


class Repository:
    """A git folder whose objects are read through one process."""

    def __init__(self, folder):
        self.folder = folder
        name = Path(folder).resolve()
        self.name = name.parent.name if name.name in ("repo", ".git") else name.name
        command = ["git", "-C", folder, "cat-file", "--batch"]
        self.reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def git(self, *words):
        ran = subprocess.run(["git", "-C", self.folder, *words], capture_output=True, check=True)
        return ran.stdout.decode("utf-8", "replace")

    def read(self, name):
        """Returns the text of an object; None if it is missing or no text."""
        self.reader.stdin.write(f"{name}\n".encode())
        self.reader.stdin.flush()
        head = self.reader.stdout.readline().split()
        if len(head) != 3:
            return None
        data = self.reader.stdout.read(int(head[2]) + 1)[:-1]
        try:
            return data.decode() if head[1] == b"blob" and b"\0" not in data else None
        except UnicodeDecodeError:
            return None

    def commits(self):
        """Returns the fix commits with their parents, the newest first."""
        for line in self.git("log", "--no-merges", "--format=%H\t%P\t%s").splitlines():
            commit, parents, subject = line.split("\t", 2)
            if FIX.search(subject) and not NO_FIX.search(subject) and len(parents.split()) == 1:
                yield commit, parents, subject


def language_of(paths):
    endings = collections.Counter(path.rsplit(".", 1)[-1] for path in paths)
    for ending, _ in endings.most_common():
        for language, known in LANGUAGES.items():
            if ending in known:
                return language
    return None


def added_lines(before, after):
    old = set((before or "").splitlines())
    return "\n".join(line for line in (after or "").splitlines() if line not in old)


def read_case(repository, commit, parent, limits):
    """Returns the source part of a commit as a case; None if it is no small change of source and text."""
    rows = [line.split("\t") for line in repository.git("diff", "--raw", "--no-renames", "--abbrev=40", parent, commit).splitlines()]
    if not 0 < len(rows) <= limits.max_files:
        return None
    files, tests = [], []
    for facts, path in rows:
        old_mode, new_mode, old, new, _ = facts.lstrip(":").split()
        if {"120000", "160000"} & {old_mode, new_mode}:
            return None
        before, after = (None if set(side) == {"0"} else repository.read(side) for side in (old, new))
        is_read = (before is not None or set(old) == {"0"}) and (after is not None or set(new) == {"0"})
        if not is_read:
            return None
        if TEST.search(path):
            tests.append({"path": path, "text": added_lines(before, after)})
        else:
            files.append({"path": path, "before": before, "after": after})
    # A list of changes, documentation and locks come along with a fix, and a model that repairs a build does not write them.
    files = [it for it in files if not re.search(r"\.(md|rst|txt|adoc|lock)$|(^|/)(docs?|changes|changelog|news)/|CHANGE|HISTORY|AUTHORS", it["path"], re.IGNORECASE)]
    language = language_of([it["path"] for it in files])
    size = sum(len(added_lines(it["before"], it["after"]).splitlines()) for it in files)
    if language is None or not 0 < size <= limits.max_lines:
        return None
    return {"id": [language, repository.name, commit], "files": files, "tests": tests}


def rule_of(reason):
    reason = re.sub(r"`[^`]*`", "`…`", reason.split(";")[0].split(": `")[0])
    return re.sub(r" in line \d+|, in `…`", "", reason)[:90]


def percent(part, whole):
    return f"{part} ({100 * part / max(whole, 1):.1f} %)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="+", help="git folders")
    parser.add_argument("--each", type=int, default=40, help="most commits of a repository")
    parser.add_argument("--max-files", type=int, default=8)
    parser.add_argument("--max-lines", type=int, default=80)
    parser.add_argument("--binary", default=str(ROOT / "target/release/papayu-batch"))
    parser.add_argument("--show", help="print the cases of rules that contain this text")
    limits = parser.parse_args()
    cases = []
    for folder in limits.repositories:
        repository, count = Repository(folder), 0
        for commit, parent, _ in repository.commits():
            case = read_case(repository, commit, parent, limits)
            cases.extend([case] if case else [])
            count += case is not None
            if count == limits.each:
                break
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    ran = subprocess.run([limits.binary, "debug", "vet"], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    table = collections.defaultdict(collections.Counter)
    rules = collections.Counter()
    for answer in answers:
        grade = answer.get("grade", "error")
        language, name, commit = answer["id"]
        said = [(grade, answer.get("reason") or answer.get("error"))] if grade in ("refused", "error") else []
        said += [("flag", it["reason"]) for it in answer.get("flags", [])]
        said += [("note", it["reason"]) for it in answer.get("notes", [])]
        if grade == "refused":
            reason = f"{answer['code']} {answer['reason']}"
            grade = "in_place" if IN_PLACE.search(reason) else "policy" if POLICY.search(reason) else grade
        for row in (language, "all"):
            table[row][grade] += 1
            table[row]["cases"] += 1
        for kind, rule in {(kind, rule_of(reason)) for kind, reason in said}:
            rules[kind, rule] += 1
            if limits.show and limits.show in rule:
                print(f"{name} {commit} {kind}: {[reason for _, reason in said if rule_of(reason) == rule]}")
    print("| | cases | refused or flagged wrongly | documented policy | tests in place | notes |\n|---|---|---|---|---|---|")
    for row in [*LANGUAGES, "all"]:
        found = table[row]
        wrong = found["refused"] + found["flag"] + found["error"]
        columns = [percent(count, found["cases"]) for count in (wrong, found["policy"], found["in_place"], found["note"])]
        print(f"| {row} | {found['cases']} | {' | '.join(columns)} |")
    print("\n| cases | grade | rule |\n|---|---|---|")
    for (kind, rule), count in rules.most_common():
        print(f"| {count} | {kind} | {rule} |")


if __name__ == "__main__":
    sys.exit(main())
