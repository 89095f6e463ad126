#!/usr/bin/env python3
"""Waits without an end that a command, a repository, a tool or a server offers: each run must end soon after its `--timeout`.

usage: benches/waits.py [PATH-TO-papayu-batch] [--limit 10] [--grace 2] [--jobs 4] [--only PART-OF-A-NAME]

Each case is a small repository, files in it, programs in `PATH`, or a server of this script. A run counts as held if it ends within
`--limit` plus `--grace` seconds, and leaves no process behind. Exits 1 and names the cases that did not hold.
"""
import argparse, concurrent.futures, os, pathlib, socket, subprocess, sys, tempfile, threading, time

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
HANG = "#!/bin/sh\nexec sleep 1000\n"
STUBBORN = "#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n"
FLOOD = "#!/bin/sh\nexec yes 'a.py:1: error: x'\n"


class Case:
    """A repository with `a.py` in one commit; what a case adds to it is in its function."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.repo, self.home, self.bin = (self.root / name for name in ("repo", "home", "bin"))
        for path in (self.repo, self.home, self.bin):
            path.mkdir()
        self.write("a.py", "a = 1\n")
        self.arguments, self.variables, self.stdin, self.run = [], {}, subprocess.DEVNULL, "echo 'a.py:1: error: x'; exit 1"
        self.stdout = self.stderr = subprocess.DEVNULL
        self.command = None
        self.git("init", "-q", "-b", "main", ".")
        self.commit()

    def git(self, *words):
        subprocess.run([*GIT, *words], cwd=self.repo, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a", "--allow-empty")

    def write(self, path, text, mode=0o644):
        path = self.repo / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def pipe(self, path):
        path = self.repo / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    def program(self, name, text=HANG):
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def model(self, behaviour):
        address = serve(behaviour)
        self.variables.update(PAPAYU_LLM_API_URL=f"http://{address}/v1", PAPAYU_LLM_API_KEY="k", PAPAYU_LLM_MODEL="m")


def serve(behaviour):
    """Starts a server that treats each connection as `behaviour` does, and returns its address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def treat(connection):
        with connection:
            try:
                connection.settimeout(1000)
                behaviour(connection)
            except OSError:
                pass

    def accept():
        while True:
            threading.Thread(target=treat, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return "127.0.0.1:%d" % listener.getsockname()[1]


def full_pipe(case):
    """Returns the end of a pipe that takes nothing more, because nobody reads it."""
    reader, writer = os.pipe()
    case.readers = getattr(case, "readers", []) + [reader]
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writer, True)
    return writer


def silence(connection):
    time.sleep(1000)


def sender(head, piece, pause):
    def behaviour(connection):
        connection.recv(65536)
        connection.sendall(head)
        while True:
            connection.sendall(piece)
            time.sleep(pause)
    return behaviour


OK = b"HTTP/1.1 200 OK\r\n"
SERVERS = {
    "says nothing": silence,
    "sends a header without an end": sender(OK, b"x-a: b\r\n", 0.1),
    "sends a byte of a header now and then": sender(b"", b"H", 0.5),
    "sends a body without an end": sender(OK + b"content-type: application/json\r\n\r\n", b" " * 65536, 0),
    "sends a byte of a body now and then": sender(OK + b"content-type: application/json\r\n\r\n", b" ", 0.3),
    "sends a chunk now and then": sender(OK + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.3),
    "promises more than it sends": sender(OK + b"content-length: 1000000\r\n\r\n", b"", 1),
    "says 100 again and again": sender(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.1),
    "streams events that say nothing": sender(OK + b"content-type: text/event-stream\r\n\r\n", b": still here\n\n", 0.3),
    "redirects to itself": sender(b"", b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", 0.1),
    "is busy for hours": sender(b"", b"HTTP/1.1 429 Busy\r\nretry-after: 9999\r\ncontent-length: 0\r\n\r\n", 1),
    "is down": sender(b"", b"HTTP/1.1 503 Down\r\ncontent-length: 0\r\n\r\n", 1),
}
COMMANDS = {
    "sleeps": "sleep 1000",
    "ignores signals": "trap '' TERM INT HUP; while :; do sleep 1; done",
    "prints without an end": "yes 'a.py:1: error: x'",
    "prints one line without an end": "tr '\\0' x </dev/zero",
    "prints a dot now and then": "while :; do printf .; sleep 0.2; done",
    "leaves a child with its output": "sleep 1000 & echo 'a.py:1: error: x'; exit 1",
    "leaves a child of another session": "setsid sleep 1000 >/dev/null 2>&1 & sleep 1000",
    "reads its input": "cat",
    "reads the terminal": "cat </dev/tty || sleep 1000",
    "forks again and again": "f() { (sleep 0.2; f) & }; f; sleep 1000",
    "waits for a pipe": "mkfifo p; cat p",
    "stops itself": "kill -STOP $$; sleep 1000",
    "stops its group": "kill -STOP 0; sleep 1000",
    "passes only once": "test -e m && sleep 1000; touch m; echo 'a.py:1: error: x'; exit 1",
    "replaces the index by a pipe": "rm -f .git/index; mkfifo .git/index; echo 'a.py:1: error: x'; exit 1",
    "replaces HEAD by a pipe": "rm -f .git/HEAD; mkfifo .git/HEAD; echo 'a.py:1: error: x'; exit 1",
    "replaces the settings of git by a pipe": "rm -f .git/config; mkfifo .git/config; echo 'a.py:1: error: x'; exit 1",
    "replaces a source by a pipe": "rm a.py; mkfifo a.py; echo 'a.py:1: error: x'; exit 1",
    "makes a pipe of the manifest": "mkfifo package.json pyproject.toml; echo 'a.py:1: error: x'; exit 1",
}
FILES = ["papayu.toml", "AGENTS.md", "package.json", "pyproject.toml", "Cargo.toml", ".papa-yu/project.json", ".papa-yu/lock", ".gitignore",
         ".git/info/exclude", ".git/packed-refs", "tsconfig.json"]
TOOLS = {
    "ruff": ("a.py:1:1: F401 [*] `os` imported but unused", "pyproject.toml", "[tool.ruff]\n"),
    "git": ("a.py:1: error: x", None, None),
    "python3": ("a.py:1: error: x", None, None),
    "cargo": ("error[E0425]: cannot find value `x`\n --> a.rs:1:1", "Cargo.toml", "[package]\nname='a'\nversion='0.1.0'\n"),
    "go": ("./a.go:1:1: undefined: x", "go.mod", "module a\n"),
}


def cases():
    """Returns the name of each case with the function that prepares it."""
    found = []

    def add(name, prepare):
        found.append((name, prepare))

    def set_run(case, text):
        case.run = text

    for name, text in COMMANDS.items():
        add(f"a command that {name}", lambda case, text=text: set_run(case, text))
    for name, behaviour in SERVERS.items():
        add(f"a model that {name}", lambda case, behaviour=behaviour: case.model(behaviour))
    for path in FILES:
        add(f"a pipe as {path}", lambda case, path=path: case.pipe(path))
    for name, text in {"hangs": HANG, "ignores signals": STUBBORN, "floods": FLOOD}.items():
        for tool, (line, manifest, content) in TOOLS.items():
            def prepare(case, tool=tool, text=text, line=line, manifest=manifest, content=content):
                if manifest:
                    case.write(manifest, content)
                case.program(tool, text)
                case.run = f"echo '{line}'; exit 1"
            add(f"a {tool} that {name}", prepare)

    def log(case, path):
        case.arguments += ["--log", path]

    def open_stdin(case):
        reader, case.writer = os.pipe()
        case.stdin = reader
        log(case, "-")

    def pipe_log(case, flag="--log"):
        case.pipe("in.log")
        case.arguments += [flag, "in.log"]

    add("a log from standard input without an end", open_stdin)
    add("a log that is a pipe", pipe_log)
    add("a JUnit report that is a pipe", lambda case: pipe_log(case, "--junit"))
    add("a SARIF report that is a pipe", lambda case: pipe_log(case, "--sarif"))
    add("a goal that is a pipe", lambda case: pipe_log(case, "--goal-file"))
    add("a log that is /dev/zero", lambda case: log(case, "/dev/zero"))
    add("a log that is /dev/urandom", lambda case: log(case, "/dev/urandom"))

    def unread(case, streams, arguments=(), command=None):
        for stream in streams.split():
            setattr(case, stream, full_pipe(case))
        case.arguments += arguments
        case.command = command
        case.variables["PAPAYU_TIMEOUT_SEC"] = "10"

    def unread_batch(case):
        case.write("b.toml", "[[repositories]]\nrepo = '.'\nrun = \"echo 'a.py:1: error: x'; exit 1\"\n")
        unread(case, "stdout stderr", command=["batch", "b.toml", "--provider", "suggestions"])
        # The limit is that of a task, and once more that of its output.
        case.variables["PAPAYU_TIMEOUT_SEC"] = "5"

    add("an output that nobody reads", lambda case: unread(case, "stdout"))
    add("an output of JSON that nobody reads", lambda case: unread(case, "stdout", ["--format", "json"]))
    add("messages that nobody reads", lambda case: unread(case, "stderr"))
    add("outputs that nobody reads", lambda case: unread(case, "stdout stderr", ["--verbose", "--format", "json"]))
    add("a report that nobody reads", lambda case: unread(case, "stdout", command=["report"]))
    add("a refusal that nobody reads", lambda case: unread(case, "stderr", command=["fix", "--timeout", "10", "--provider", "no"]))
    add("a batch that nobody reads", unread_batch)

    def hook(case):
        case.write(".git/hooks/pre-commit", HANG, 0o755)
        case.git("config", "core.fsmonitor", str(case.root / "bin/monitor"))
        case.program("monitor")
        case.arguments += ["--emit", "branch"]

    def filters(case):
        case.write(".gitattributes", "*.py filter=slow diff=slow\n")
        for key in ("filter.slow.clean", "filter.slow.smudge", "diff.slow.textconv", "core.sshCommand", "credential.helper"):
            case.git("config", key, "sleep 1000;")
        case.arguments += ["--emit", "branch"]

    def remote(case):
        address = serve(silence)
        case.git("remote", "add", "origin", f"http://{address}/o/r.git")
        case.arguments += ["--emit", "branch"]
        case.variables.update(CI="true", GITHUB_TOKEN="t" * 40)

    def research(case):
        case.model(silence)
        address = serve(sender(OK + b"\r\n", b" ", 0.3))
        case.variables.update(PAPAYU_ONLINE_RESEARCH="1", PAPAYU_SEARXNG_URL=f"http://{address}", PAPAYU_ONLINE_AUTO_USE_AS_CONTEXT="1")

    add("hooks and a monitor of git that hang", hook)
    add("filters and helpers of git that hang", filters)
    add("a remote that says nothing", remote)
    add("a search that never ends", research)
    return found


def children(mark):
    """Returns the processes whose environment has the mark of a case."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def play(program, name, prepare, limit):
    """Runs a case. Returns its seconds, its exit code, and how many processes were left."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(folder)
        prepare(case)
        mark = f"PAPAYU_WAIT_MARK={os.path.basename(folder)}"
        environment = {"PATH": f"{case.bin}:{os.environ['PATH']}", "HOME": str(case.home), **case.variables}
        environment[mark.split("=")[0]] = mark.split("=")[1]
        provider = [] if "PAPAYU_LLM_API_URL" in case.variables else ["--provider", "suggestions"]
        words = ["fix", *provider, "--run", case.run, "--timeout", str(limit), *case.arguments]
        words = [program, *(case.command or words)]
        start = time.monotonic()
        child = subprocess.Popen(words, cwd=case.repo, env=environment, stdin=case.stdin, stdout=case.stdout, stderr=case.stderr)
        try:
            code = child.wait(limit * 6)
        except subprocess.TimeoutExpired:
            child.kill()
            code = None
        seconds = time.monotonic() - start
        left = [process for process in children(mark) if process != str(os.getpid())]
        for process in left:
            subprocess.run(["kill", "-9", process], capture_output=True)
        return name, seconds, code, len(left)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", nargs="?", default="target/release/papayu-batch")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--grace", type=float, default=2)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    chosen = [(name, prepare) for name, prepare in cases() if options.only in name]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ended = list(pool.map(lambda case: play(program, *case, options.limit), chosen))
    wrong = 0
    for name, seconds, code, left in sorted(ended, key=lambda row: -row[1]):
        is_wrong = seconds > options.limit + options.grace or code is None or left
        wrong += bool(is_wrong)
        print(f"{'WRONG' if is_wrong else 'ok   '} {seconds:6.1f} s, exit code {code}, {left} processes left: {name}")
    print(f"{len(ended) - wrong} of {len(ended)} waits ended within {options.limit} + {options.grace:g} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
