#!/usr/bin/env python3
"""Measures a batch over many small local repositories, against a local server that answers at once.

usage: benches/batch.py [PATH-TO-papayu-batch] [--sizes 100,1000] [--jobs 8] [--rounds 1]

Prints a row a measurement: repositories a second, milliseconds and processor milliseconds (of commands too) a
repository, peak memory. Nothing here fails on a slow machine; compare the rows of one run.

  fix           one repository after the other, a process each: the median of 20
  batch, 1 job  the same repositories in one process; the last line sets the two against each other
  batch         N repositories, as many at once as --jobs says; with --rounds above 1 each size is done so often, in turns,
                each time without an index of before, and the means and ranges of their peaks stand side by side
  git loop      the floor: `git clone`, `git apply`, `git commit` in a shell loop, nothing read, asked or proved
  multi-gitter  not measured: every repository comes from a forge's API, it has no platform of local folders; and it is
                got through Go alone (`go install github.com/lindell/multi-gitter@latest` asks Go's proxy; npm, PyPI and
                Debian do not have it)

A run reads the log of the command, asks for a plan and a change, lands it, runs the command again, writes the results.
A child's peak memory is counted from its fork on, so this script's own size is the least that shows.
"""
import json, multiprocessing, os, re, shutil, socketserver, statistics, subprocess, sys, tempfile, time

import red


def reply(value):
    message = {"role": "assistant", "content": json.dumps(value)}
    text = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                       "usage": {"prompt_tokens": 10, "completion_tokens": 10}}).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {len(text)}\r\n\r\n"
    return head.encode() + text


ANSWERS = {True: reply(red.APPLY), False: reply(red.PLAN)}


class Model(socketserver.BaseRequestHandler):
    def handle(self):
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.request.recv(65536)
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])
        while len(body) < length:
            body += self.request.recv(65536)
        self.request.sendall(ANSWERS[b"## MODE\\nAPPLY" in body])


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 256


def serve(queue):
    with Server(("127.0.0.1", 0), Model) as server:
        queue.put(server.server_address[1])
        server.serve_forever()


def repositories(root, count):
    """Makes `count` repositories of a dozen files, each with a commit."""
    parts = {f"lib/part{n}.py": f"def value_{n}():\n    return {n}\n" * 10 for n in range(10)}
    red.repositories(root, count, {**parts, **red.ANSWER})
    with open(f"{root}/list.txt", "w") as f:
        f.writelines(f"r{n}\n" for n in range(count))


def timed(command, env):
    before = time.perf_counter()
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    err = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command}: exit {os.waitstatus_to_exitcode(status)}\n{err.decode(errors='replace')[-3000:]}")
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def row(name, count, seconds, cpu, peak):
    print(f"{name:16} {count:6} repositories {seconds:8.2f} s {count / seconds:8.1f}/s {seconds / count * 1e3:8.1f} ms each, "
          f"processor {cpu / count * 1e3:7.1f} ms   peak {peak:6.1f} MB", flush=True)


def main():
    args = sys.argv[1:]
    binary = args[0] if args and not args[0].startswith("--") else "target/release/papayu-batch"
    binary = os.path.abspath(binary)
    sizes = [int(size) for size in red.option("--sizes", "100,1000").split(",")]
    jobs = red.option("--jobs", "8")
    rounds = int(red.option("--rounds", "1"))
    queue = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(queue,), daemon=True)
    server.start()
    work = tempfile.mkdtemp(prefix="papayu batch ")
    try:
        env = {"PATH": os.environ["PATH"], "HOME": work, "PAPAYU_JUDGE": "off", "PAPAYU_LLM_API_KEY": "none", "PAPAYU_LLM_MODEL": "bench",
               "PAPAYU_LLM_PROVIDER": "openai", "PAPAYU_LLM_API_URL": f"http://127.0.0.1:{queue.get()}/v1"}

        def batch(root, count, jobs, name, turn=0):
            out = f"{root}/out-{jobs}-{turn}"
            command = [binary, "batch", f"{root}/list.txt", "--run", "sh check.sh", "--jobs", jobs, "--progress", "none", "--out", out]
            seconds, cpu, peak = timed(command, {**env, "HOME": f"{out} home"})
            summary = json.load(open(f"{out}/summary.json"))
            if summary["counts"] != {"fixed": count}:
                sys.exit(f"not fixed: {summary['counts']}")
            row(name, count, seconds, cpu, peak)
            return seconds / count, peak

        root = f"{work}/single"
        repositories(root, 20)
        times, cpus, peak = [], [], 0
        for n in range(20):
            command = [binary, "fix", "--repo", f"{root}/r{n}", "--run", "sh check.sh", "--out", f"{root}/out/{n}", "--quiet"]
            seconds, cpu, used = timed(command, env)
            times.append(seconds)
            cpus.append(cpu)
            peak = max(peak, used)
        fix = statistics.median(times)
        row("fix", 20, fix * 20, sum(cpus), peak)
        root = f"{work}/serial"
        repositories(root, 100)
        one, _ = batch(root, 100, "1", "batch, 1 job")
        for count in sizes:
            repositories(f"{work}/many{count}", count)
        peaks = {count: [] for count in sizes}
        for turn in range(rounds):
            # What comes first is not always the same.
            for count in sizes if turn % 2 == 0 else reversed(sizes):
                _, peak = batch(f"{work}/many{count}", count, jobs, f"batch, {jobs} jobs", turn)
                peaks[count].append(peak)
        with open(f"{work}/fix.patch", "w") as f:
            f.write("--- a/answer.py\n+++ b/answer.py\n" + red.PATCH)
        loop = f'for n in $(seq 0 99); do git clone -q {work!r}/serial/r$n {work!r}/floor/r$n && cd {work!r}/floor/r$n && git checkout -q -b fix && git apply {work!r}/fix.patch && git -c user.name=A -c user.email=a@example.org commit -q -a -m Fix || exit 1; done'
        os.makedirs(f"{work}/floor")
        seconds, cpu, peak = timed(["sh", "-c", loop], {**env, "GIT_CONFIG_GLOBAL": "/dev/null"})
        row("git loop", 100, seconds, cpu, peak)
        if rounds > 1:
            for count, seen in peaks.items():
                print(f"peak with {count:6} repositories: mean {statistics.mean(seen):.2f} MB, from {min(seen):.2f} to {max(seen):.2f}")
        print("multi-gitter     not beside it: it takes repositories from a forge's API only, and comes through Go's proxy only")
        print(f"a repository in a batch of one job costs {one / fix:.2f} times a `fix` of its own")
    finally:
        server.terminate()
        shutil.rmtree(work)


main()
