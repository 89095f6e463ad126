#!/usr/bin/env python3
"""Measures what papayu-batch itself costs, against a local server that answers at once.

usage: benches/overhead.py [PATH-TO-papayu-batch] [--runs N]

Prints one line per figure: minimum and median wall time, median processor time (of its children too), and peak memory.
Nothing here fails on a slow machine; compare the figures of two builds on the same one, the processor time when it is busy.

  help       `papayu-batch --help`
  fix        a one-file fix in a repository of 2,000 files, verification command `true`
  fix+log    the same with a log of 100 MB; the difference to `fix` is the log's price

A child's peak memory is counted from its fork on, so this script's own size is the least that shows.
"""
import hashlib, http.server, json, os, resource, shutil, statistics, subprocess, sys, tempfile, threading, time

args = [a for a in sys.argv[1:] if not a.startswith("--")]
runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 15
if "--runs" in sys.argv:
    args = [a for a in args if a != str(runs)]
binary = os.path.abspath(args[0] if args else "target/release/papayu-batch")

SOURCE = "def parse(value):\n    return value.strip()\n"
DIGEST = hashlib.sha256(SOURCE.encode()).hexdigest()
PATCH = "--- a/src/parser.py\n+++ b/src/parser.py\n@@ -1,2 +1,2 @@\n def parse(value):\n-    return value.strip()\n+    return (value or '').strip()\n"
PLAN = {"actions": [], "summary": "None reaches parse(); guard it", "context_requests": [], "memory_patch": {}}
APPLY = dict(PLAN, actions=[{"kind": "PATCH_FILE", "path": "src/parser.py", "base_sha256": DIGEST, "patch": PATCH}])


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write a reply: Python's default is two, and Nagle's algorithm would hold the second back.
    wbufsize = -1

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        reply = APPLY if "## MODE\\nAPPLY" in body else PLAN
        message = {"role": "assistant", "content": json.dumps(reply)}
        text = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                           "usage": {"prompt_tokens": 10, "completion_tokens": 10}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def repository(root):
    os.makedirs(f"{root}/src")
    for n in range(2000):
        folder = f"{root}/lib/part{n // 100}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/file{n}.py", "w") as f:
            f.write(f"def value_{n}():\n    return {n}\n" * 10)
    with open(f"{root}/src/parser.py", "w") as f:
        f.write(SOURCE)
    subprocess.run(["git", "init", "-q", root], check=True)


LOG = """Traceback (most recent call last):
  File "src/parser.py", line 2, in parse
    return value.strip()
AttributeError: 'NoneType' object has no attribute 'strip'
"""


def measure(name, command, env, check):
    times, cpus, peak = [], [], 0
    for _ in range(runs):
        before = time.perf_counter()
        child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        err = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        times.append(time.perf_counter() - before)
        cpus.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss)
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            sys.exit(f"{name}: exit {code}\n{err.decode(errors='replace')[-2000:]}")
        check()
    print(f"{name:8} min {min(times) * 1e3:8.1f} ms   median {statistics.median(times) * 1e3:8.1f} ms   "
          f"processor {statistics.median(cpus) * 1e3:8.1f} ms   peak {peak / 1024:6.1f} MB")
    return statistics.median(times), peak


def main():
    work = tempfile.mkdtemp(prefix="papayu overhead ")
    try:
        root, out = f"{work}/repo", f"{work}/out"
        repository(root)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = {"PATH": os.environ["PATH"], "HOME": work, "PAPAYU_JUDGE": "off", "PAPAYU_LLM_API_KEY": "none", "PAPAYU_LLM_MODEL": "bench",
               "PAPAYU_LLM_PROVIDER": "openai", "PAPAYU_LLM_API_URL": f"http://127.0.0.1:{server.server_port}/v1"}
        small, big = f"{work}/small.log", f"{work}/big.log"
        with open(small, "w") as f:
            f.write(LOG)
        with open(big, "w") as f:
            line = "2026-01-01T00:00:00.0000000Z   Compiling something v1.0.0 (registry) and a few more words to fill the line\n"
            for _ in range(100_000_000 // len(line)):
                f.write(line)
            f.write(LOG)

        def fixed():
            outcome = json.load(open(f"{out}/outcome.json"))
            if outcome["outcome"] != "fixed" or outcome["changed_files"] != ["src/parser.py"]:
                sys.exit(f"not fixed: {outcome}")
            shutil.rmtree(out)

        # A goal makes the command's green the proof after the change, not the end before it.
        fix = [binary, "fix", "--repo", root, "--goal", "fix parse", "--run", "true", "--out", out, "--log"]
        measure("help", [binary, "--help"], env, lambda: None)
        base, base_peak = measure("fix", fix + [small], env, fixed)
        log, log_peak = measure("fix+log", fix + [big], env, fixed)
        print(f"{'100 MB':8} adds {(log - base) * 1e3:7.1f} ms and {(log_peak - base_peak) / 1024:.1f} MB")
    finally:
        shutil.rmtree(work)


main()
