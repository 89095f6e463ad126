#!/usr/bin/env python3
"""Measures `context` and `fix` in a large TypeScript repository, against a local server that answers at once.

usage: benches/large.py [PATH-TO-papayu-batch] [--files 10000] [--runs N]

Prints a line a measurement: medians of the wall time and of the processor time (user and system), and the peak memory.
`cold` begins without an index, `warm` with that of the run before. Nothing here fails on a slow machine; compare the
processor times of two builds on the same one.
"""
import hashlib, http.server, json, os, shutil, statistics, subprocess, sys, tempfile, threading, time

import options
import typescript_tree

args = [a for a in sys.argv[1:]]


files, runs = options.take_number(args, "--files", 10000), options.take_number(args, "--runs", 5)
binary = os.path.abspath(args[0] if args else "target/release/papayu-batch")
CHANGED = f"src/{typescript_tree.folder(17)}/module17.ts"
OLD = "export async function "
TEST = """import { describe, expect, it } from 'vitest';
import * as module17 from './module17';

describe('ledger of module17', () => {
  it('sums nothing to zero', async () => {
    const [run] = Object.values(module17).filter((value) => typeof value === 'function');
    expect(await run([])).toBe(0);
  });
});
"""


def failure(text):
    line = text[:text.index(OLD)].count("\n") + 3
    test = CHANGED.replace(".ts", ".test.ts")
    return f""" FAIL  {test} > ledger of module17 > sums nothing to zero
AssertionError: expected 1 to be +0 // Object.is equality

- Expected
+ Received

- 0
+ 1

 ❯ {test}:7:32
 ❯ Module.run {CHANGED}:{line}:9

 Test Files  1 failed (1)
      Tests  1 failed (1)
"""


def replies(text):
    new = text.replace(OLD, "// The sum of nothing is zero.\n" + OLD, 1)
    number = text[:text.index(OLD)].count("\n") + 1
    head = text.splitlines()[number - 1]
    patch = f"--- a/{CHANGED}\n+++ b/{CHANGED}\n@@ -{number},1 +{number},2 @@\n+// The sum of nothing is zero.\n {head}\n"
    assert new.splitlines()[number - 1:number + 1] == ["// The sum of nothing is zero.", head]
    digest = hashlib.sha256(text.encode()).hexdigest()
    plan = {"actions": [], "summary": "The sum of nothing is zero", "context_requests": [], "memory_patch": {}}
    action = {"kind": "PATCH_FILE", "path": CHANGED, "base_sha256": digest, "patch": patch}
    return plan, dict(plan, actions=[action])


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write a reply: Python's default is two, and Nagle's algorithm would hold the second back.
    wbufsize = -1
    plan = apply = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        reply = self.apply if "## MODE\\nAPPLY" in body else self.plan
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


def measure(name, command, env, before, after):
    walls, cpus, peak = [], [], 0
    for _ in range(runs):
        before()
        begun = time.perf_counter()
        child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        err = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        walls.append(time.perf_counter() - begun)
        cpus.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss)
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            sys.exit(f"{name}: exit {code}\n{err.decode(errors='replace')[-2000:]}")
        after()
    wall, cpu = statistics.median(walls) * 1e3, statistics.median(cpus) * 1e3
    print(f"{name:14} wall {wall:8.0f} ms   processor {cpu:8.0f} ms   peak {peak / 1024:6.1f} MB", flush=True)


def main():
    work = tempfile.mkdtemp(prefix="papayu large ")
    try:
        root, out, cache, log = (f"{work}/{name}" for name in ("repo", "out", "cache", "failure.log"))
        typescript_tree.make(root, files)
        text = open(f"{root}/{CHANGED}").read()
        open(f"{root}/{CHANGED}".replace(".ts", ".test.ts"), "w").write(TEST)
        open(log, "w").write(failure(text))
        subprocess.run(["git", "init", "-q", root], check=True)
        time.sleep(2.5)  # files that were just written are read again by the next start
        Model.plan, Model.apply = replies(text)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        env = {"PATH": os.environ["PATH"], "HOME": work, "XDG_CACHE_HOME": cache, "PAPAYU_JUDGE": "off", "PAPAYU_LLM_API_KEY": "none",
               "PAPAYU_LLM_MODEL": "bench", "PAPAYU_LLM_PROVIDER": "openai",
               "PAPAYU_LLM_API_URL": f"http://127.0.0.1:{server.server_port}/v1"}

        def fixed():
            outcome = json.load(open(f"{out}/outcome.json"))
            if outcome["outcome"] != "fixed" or outcome["changed_files"] != [CHANGED]:
                sys.exit(f"not fixed: {outcome}")
            shutil.rmtree(out)
            with open(f"{root}/{CHANGED}", "w") as f:
                f.write(text)

        def forget():
            shutil.rmtree(cache, ignore_errors=True)

        context = [binary, "context", "--repo", root, "--log", log]
        fix = [binary, "fix", "--repo", root, "--goal", "fix the sum", "--run", "true", "--out", out, "--log", log]
        measure("context, cold", context, env, forget, lambda: None)
        measure("context, warm", context, env, lambda: None, lambda: None)
        measure("fix, cold", fix, env, forget, fixed)
        measure("fix, warm", fix, env, lambda: None, fixed)
    finally:
        shutil.rmtree(work)


main()
