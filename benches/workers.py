#!/usr/bin/env python3
"""Shows that a queue loses nothing: many tasks, three workers, one of them and the NATS server killed in the middle.

usage: benches/workers.py [PATH-TO-papayu-batch] [--tasks 300] [--servers 1|3] [--jobs 2] [--lease 5] [--seed N]

Needs a build with `--features nats`, and nats-server. Local repositories, `emit = branch`, the zero-token provider. A worker is killed
with -9 when about a third has ended, a server when about a half has. The only one is started again two seconds later; of three in a
cluster, one stays dead.
Ends with exit code 1 unless every task has one outcome, `fixed`, and every repository one branch of one commit.
"""
import json, os, random, shutil, socket, subprocess, sys, tempfile, time

import red

def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def settings(root, count):
    """Writes the settings of servers; returns their folders and ports."""
    servers, routes = [(f"{root}/nats{n}", free_port()) for n in range(count)], [free_port() for _ in range(count)]
    names = ", ".join(f"nats://127.0.0.1:{port}" for port in routes)
    for (folder, port), route in zip(servers, routes):
        os.makedirs(folder)
        cluster = f'server_name: n{route}\ncluster {{ name: c, listen: "127.0.0.1:{route}", routes: [{names}] }}\n'
        with open(f"{folder}/conf", "w") as file:
            file.write(f'host: 127.0.0.1\nport: {port}\njetstream {{ store_dir: "{folder}" }}\n{cluster if count > 1 else ""}')
    return servers


def launch(server):
    return subprocess.Popen(["nats-server", "--config", f"{server[0]}/conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def processor(server):
    """Returns the processor time that a running server has used, in seconds."""
    with open(f"/proc/{server.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait(port):
    for _ in range(500):
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as asked:
                asked.sendall(b"CONNECT {\"verbose\":false}\r\nPING\r\n")
                if b"PONG" in asked.recv(4096) + asked.recv(4096):
                    return
        except OSError:
            pass
        time.sleep(0.02)
    sys.exit("nats-server does not answer")


def repositories(root, count):
    red.repositories(root, count, red.MISSPELT)
    with open(f"{root}/batch.json", "w") as file:
        defaults = {"run": "python3 total.py", "provider": "suggestions", "emit": "branch"}
        json.dump({"defaults": defaults, "repositories": [{"repo": f"r{n}"} for n in range(count)]}, file)


def ended(root):
    total = 0
    for n in range(3):
        try:
            with open(f"{root}/w{n}/journal.jsonl") as file:
                total += file.read().count('"ended":')
        except FileNotFoundError:
            pass
    return total


def branches(root, count):
    """Returns what is wrong: a repository with not one branch, or a branch with not one commit."""
    wrong = []
    for n in range(count):
        names = red.git(f"{root}/r{n}", "for-each-ref", "--format=%(refname)", "refs/heads/papayu").split()
        ahead = [red.git(f"{root}/r{n}", "rev-list", "--count", f"main..{name}") for name in names]
        if ahead != ["1"]:
            wrong.append((f"r{n}", names, ahead))
    return wrong


def main():
    args = sys.argv[1:]
    binary = os.path.abspath(args[0] if args and not args[0].startswith("--") else "target/release/papayu-batch")
    count, jobs, lease = int(red.option("--tasks", "300")), red.option("--jobs", "2"), red.option("--lease", "5")
    seed = int(red.option("--seed", str(random.randrange(10000))))
    chance = random.Random(seed)
    root = tempfile.mkdtemp(prefix="papayu queue ")
    servers = settings(root, int(red.option("--servers", "1")))
    running = [launch(server) for server in servers]
    for _, port in servers:
        wait(port)
    address = ",".join(f"nats://127.0.0.1:{port}" for _, port in servers)
    env = {"PATH": os.environ["PATH"], "HOME": root, "PAPAYU_QUEUE": address}
    workers = []
    try:
        repositories(root, count)
        began = time.perf_counter()
        for _ in range(20):
            # A cluster elects its leaders first.
            said = subprocess.run([binary, "enqueue", f"{root}/batch.json"], env=env, capture_output=True, text=True)
            if said.returncode == 0:
                break
            time.sleep(0.5)
        print(f"enqueue: {said.stdout.strip()}{said.stderr.strip()} in {time.perf_counter() - began:.2f} s")
        began = time.perf_counter()
        for n in range(3):
            command = [binary, "worker", "--out", f"{root}/w{n}", "--jobs", jobs, "--until-empty", "--lease", lease, "--progress", "none", "--format", "json"]
            log = open(f"{root}/w{n}.log", "w")
            workers.append(subprocess.Popen(command, env=env, cwd=root, stdout=subprocess.DEVNULL, stderr=log))
        first, second = count // 3 + chance.randrange(5), count // 2 + chance.randrange(5)
        while ended(root) < first:
            time.sleep(0.01)
        victim = chance.randrange(3)
        workers[victim].kill()
        workers[victim].wait()
        print(f"killed worker {victim} after {ended(root)} ends")
        while ended(root) < second:
            time.sleep(0.01)
        used = processor(running[0])
        running[0].kill()
        running[0].wait()
        print(f"killed a server of {len(servers)} after {ended(root)} ends")
        if len(servers) == 1:
            time.sleep(2)
            running[0] = launch(servers[0])
        codes = [worker.wait() for n, worker in enumerate(workers) if n != victim]
        seconds = time.perf_counter() - began
        used += sum(processor(server) for server in running if server.poll() is None)
        report = subprocess.run([binary, "queue", "report", "--out", f"{root}/all", "--format", "json"], env=env, capture_output=True, text=True)
        summary = json.loads(report.stdout)
        wrong = branches(root, count)
        ends = ended(root)
        print(f"seed {seed}: {count} tasks, 3 workers of {jobs} jobs: {seconds:.1f} s, {summary['counts']}, {ends} ends in journals "
              f"({ends - count} tasks done again), workers ended with {codes}, repositories with more or less than one branch of one commit: {len(wrong)}; "
              f"the servers used {used * 1000 / count:.1f} ms of processor time a task")
        good = summary["counts"] == {"fixed": count} and not wrong and codes == [0, 0] and summary["not_started"] == 0
        if not good:
            for n in range(3):
                with open(f"{root}/w{n}.log") as file:
                    print(file.read()[-2000:])
            print(wrong[:5])
        sys.exit(0 if good else 1)
    finally:
        for child in workers + running:
            child.kill()
            child.wait()
        shutil.rmtree(root)


main()
