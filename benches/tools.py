#!/usr/bin/env python3
"""Measures the MCP server, and compares ten questions asked through its six tools with grep and cat.

usage: benches/tools.py [PATH-TO-papayu-batch] [--files 10000] [--calls 100]

The first part starts `mcp` in a TypeScript repository of so many files and prints the time until `initialize` is answered,
and the median time of each read-only tool with a warm index. The second part asks questions about this repository: who
calls a function, what a change of a file reaches, why a test is red. grep and cat answer by fixed steps: search the name,
then read the files with hits, at most four. Both must print the expected names. The run fails if the tools need more than
half of the calls or of the characters.
"""
import json, os, re, statistics, subprocess, sys, tempfile, time

import options
import typescript_tree

args = sys.argv[1:]


files, count = options.take_number(args, "--files", 10000), options.take_number(args, "--calls", 100)
binary = os.path.abspath(args[0] if args else "target/release/papayu-batch")
project = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Server:
    """A session of the MCP server."""

    def __init__(self, root, profile="default"):
        environment = {**os.environ, "PAPAYU_CACHE_DIR": os.environ.get("PAPAYU_CACHE_DIR", "")}
        if not environment["PAPAYU_CACHE_DIR"]:
            del environment["PAPAYU_CACHE_DIR"]
        started = time.perf_counter()
        self.process = subprocess.Popen([binary, "mcp", "--profile", profile, "--repo", root], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.number = 0
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.started = time.perf_counter() - started
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the server ended during {method}")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer

    def call(self, tool, **arguments):
        """The text of the answer."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        if result.get("isError"):
            sys.exit(f"{tool} {arguments}: {result['content'][0]['text']}")
        return result["content"][0]["text"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def milliseconds(seconds):
    return f"{seconds * 1000:8.2f} ms"


def measure(root):
    typescript_tree.make(root, files)
    subprocess.run(["git", "init", "--quiet", root], check=True)
    first = Server(root, "all")
    path = f"src/{typescript_tree.folder(17)}/module17.ts"
    text = open(os.path.join(root, path)).read()
    function = re.search(r"export async function (\w+)", text).group(1)
    kind = re.search(r"export class (\w+)", text).group(1)
    log = f" FAIL  {path} > sums\nAssertionError: expected 1 to be +0\n ❯ {path}:20:9\n"
    begun = time.perf_counter()
    first.call("find_definition", symbol=function)
    print(f"{files} files\nfirst call, index built   {milliseconds(time.perf_counter() - begun)}")
    first.close()
    starts = []
    for _ in range(20):
        server = Server(root)
        starts.append(server.started)
        server.close()
    print(f"start until initialized   {milliseconds(statistics.median(starts))}")
    server = Server(root, "all")
    calls = [
        ("get_lines", {"path": path, "start": 1, "end": 60}), ("get_function", {"path": path, "name": function}),
        ("get_class", {"path": path, "name": kind}), ("get_structure", {"path": os.path.dirname(path)}),
        ("find_definition", {"symbol": function}), ("find_references", {"symbol": function}),
        ("get_dependencies", {"path": path}), ("get_dependents", {"path": path}),
        ("get_complexity", {"path": os.path.dirname(path)}), ("get_todos", {"path": os.path.dirname(path)}),
        ("git_status", {"path": path}), ("symbol", {"name": function}), ("graph", {"path": path}),
        ("read", {"path": path, "name": function}), ("search_code", {"query": function}),
        ("failure_context", {"log": log}),
    ]
    medians = []
    for tool, arguments in calls:
        server.call(tool, **arguments)
        times = []
        limit = time.perf_counter() + 10
        while len(times) < count and time.perf_counter() < limit:
            begun = time.perf_counter()
            server.call(tool, **arguments)
            times.append(time.perf_counter() - begun)
        medians.append(statistics.median(times))
        print(f"{tool:26}{milliseconds(medians[-1])}")
    server.close()
    print(f"{'median of the tools':26}{milliseconds(statistics.median(medians))}")


def shell(words):
    return subprocess.run(words, cwd=project, capture_output=True, text=True).stdout


def grep(word):
    return shell(["grep", "-rnw", "--include=*.rs", word, "src"])


def by_grep(words, own=()):
    """Searches each word, then reads the files with hits that were not read yet, at most four."""
    outputs, read = [], list(own)
    outputs += [shell(["cat", path]) for path in own]
    for word in words:
        found = grep(word)
        outputs.append(found)
        for path in dict.fromkeys(line.split(":")[0] for line in found.splitlines()):
            if path not in read and len(read) < 4 + len(own):
                read.append(path)
                outputs.append(shell(["cat", path]))
    return outputs


def line_of(path, text):
    with open(os.path.join(project, path)) as f:
        return next(number for number, line in enumerate(f, 1) if text in line)


def red(path, text, name):
    number = line_of(path, text)
    module = path.removeprefix("src/").removesuffix(".rs").replace("/", "::")
    return (f"running 1 test\ntest {module}::tests::{name} ... FAILED\n\nfailures:\n\n---- {module}::tests::{name} stdout ----\n"
            f"thread '{module}::tests::{name}' panicked at {path}:{number}:9:\nassertion `left == right` failed\n"
            f"  left: 1\n right: 2\n\ntest result: FAILED. 0 passed; 1 failed\n")


def questions():
    """Each question: its words, the calls of our tools, the outputs of grep and cat, and names that answers must have."""
    for name, expected in [("nearest_name", ["find_tool"]), ("parse_lenient", ["parse_span"]), ("join_lines", ["run"]),
                           ("remove_hidden", ["shorten_diff"])]:
        yield f"who calls {name}", [("symbol", {"name": name})], by_grep([name]), [name, *expected]
    for path, stem, expected in [("src/text/line_diff.rs", "line_diff", []), ("src/tools/answer.rs", "answer", []),
                                 ("src/protocol/json_repair.rs", "json_repair", ["src/protocol/extract.rs"])]:
        yield f"what breaks if I change {path}", [("graph", {"path": path})], by_grep([stem]), expected
    for path, text, name, subject in [
            ("src/tools/git_output.rs", 'assert_eq!(remove_hidden("")', "the_diff_of_a_protected_file_is_left_out", "remove_hidden"),
            ("src/protocol/json_repair.rs", "assert_eq!(parse_lenient", "harmless_damage_is_mended_and_everything_is_kept", "parse_lenient"),
            ("src/index/references/tests.rs", "assert", "", "find_references")]:
        log = red(path, text, name or "references")
        yield (f"why is {path} red", [("failure_context", {"log": log})], [log, *by_grep([subject], [path])],
               [subject])


def compare():
    server = Server(project)
    server.call("search_code", query="fn main")
    total = {"calls": [0, 0], "characters": [0, 0]}
    print(f"\n{'question':55}{'tools: calls':>14}{'characters':>12}{'grep: calls':>14}{'characters':>12}")
    for words, calls, outputs, expected in questions():
        answers = [server.call(tool, **arguments) for tool, arguments in calls]
        for name in expected:
            for kind, texts in [("the tools", answers), ("grep and cat", outputs)]:
                if not any(name in text for text in texts):
                    sys.exit(f"{words}: {kind} do not name {name}")
        ours = (len(answers), sum(map(len, answers)))
        theirs = (len(outputs), sum(map(len, outputs)))
        print(f"{words[:54]:55}{ours[0]:14}{ours[1]:12}{theirs[0]:14}{theirs[1]:12}")
        for at, figures in enumerate((ours, theirs)):
            total["calls"][at] += figures[0]
            total["characters"][at] += figures[1]
    server.close()
    for name, (ours, theirs) in total.items():
        print(f"{name}: {ours} of {theirs}, {ours / theirs:.0%}")
        if ours * 2 > theirs:
            sys.exit(f"the tools need more than half of the {name}")


with tempfile.TemporaryDirectory() as folder:
    measure(os.path.join(folder, "made"))
compare()
