"""What the benches of batches share: red repositories, and a plan and a change that make the first kind green."""
import hashlib, os, shutil, subprocess, sys

SOURCE = "# the answer\n41\n# the end\n"
DIGEST = hashlib.sha256(SOURCE.encode()).hexdigest()
CHECK = 'found=$(sed -n 2p answer.py)\ntest "$found" = 42 && exit 0\necho "answer.py:2: error: expected 42, found $found"\nexit 1\n'
PATCH = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+42\n # the end\n"
PLAN = {"actions": [], "summary": "write 42", "context_requests": [], "memory_patch": {}}
APPLY = dict(PLAN, actions=[{"kind": "PATCH_FILE", "path": "answer.py", "base_sha256": DIGEST, "patch": PATCH}])
# Needs a model that answers as above.
ANSWER = {"answer.py": SOURCE, "check.sh": CHECK, ".gitignore": ".papa-yu/\n"}
# Needs none.
MISSPELT = {
    "total.py": "def total(prices):\n    return sum(prics)\n\n\nassert total([1, 2]) == 3\n",
    ".gitignore": ".papa-yu/\n__pycache__/\n",
}


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def git(folder, *words):
    ended = subprocess.run(["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
                           capture_output=True, text=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    if ended.returncode != 0:
        sys.exit(f"git {words}: {ended.stderr}")
    return ended.stdout.strip()


def repository(folder, files):
    """Makes a repository of these files, by name, with one commit."""
    for name, text in files.items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")


def repositories(root, count, files):
    """Makes `count` of them, r0 and so on."""
    repository(f"{root}/r0", files)
    for n in range(1, count):
        shutil.copytree(f"{root}/r0", f"{root}/r{n}")
