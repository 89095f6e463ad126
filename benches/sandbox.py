#!/usr/bin/env python3
"""Measures the sandbox of commands: the start of a child, a whole `fix`, and test suites of several languages.

usage: benches/sandbox.py [PATH-TO-papayu-batch] [--runs N] [--suites]

  child       `true` in the sandbox and without it, started as the program starts it; the goal is 5 ms more
  fix         `fix --run true` with `--sandbox auto` and `--sandbox off`; the goal is 1.2 times
  suites      with `--suites`: green with `--network off` after one run with the network, for each tool that is installed
"""
import json, os, shutil, socket, statistics, subprocess, sys, tempfile, time

args = [a for a in sys.argv[1:] if not a.startswith("--")]
runs = 100
if "--runs" in sys.argv:
    runs = int(sys.argv[sys.argv.index("--runs") + 1])
    args = [a for a in args if a != str(runs)]
binary = os.path.abspath(args[0] if args else "target/release/papayu-batch")


def milliseconds(action):
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def confined(folder, network):
    """Starts one command through the supervisor, with the rules of an ordinary machine."""
    ours, theirs = socket.socketpair()
    child = subprocess.Popen([binary, "__supervise"], stdin=theirs, env={}, stdout=subprocess.DEVNULL)
    theirs.close()
    homes = [os.path.join(os.path.expanduser("~"), name) for name in os.listdir(os.path.expanduser("~"))]
    readable = [os.path.join("/", name) for name in os.listdir("/") if name not in ("root", "home", "tmp")] + homes
    job = dict(argv=["/bin/true"], cwd=folder, env=[["PATH", os.environ["PATH"]]], readable=readable, writable=[folder],
               network=network, required=False, gaps=[], registries=[])
    ours.sendall(json.dumps(job).encode() + b"\n")
    answer = b""
    while part := ours.recv(65536):
        answer += part
    child.wait()
    assert b'"exited":0' in answer, answer


def print_row(name, times):
    print(f"{name:32} min {min(times):7.2f} ms   median {statistics.median(times):7.2f} ms")


def measure_children(folder):
    plain = [milliseconds(lambda: subprocess.run(["/bin/true"])) for _ in range(runs)]
    on = [milliseconds(lambda: confined(folder, "on")) for _ in range(runs)]
    off = [milliseconds(lambda: confined(folder, "off")) for _ in range(runs)]
    for name, times in (("child, no sandbox", plain), ("child, sandbox", on), ("child, sandbox, no network", off)):
        print_row(name, times)
    print(f"{'the sandbox costs':32} median {statistics.median(on) - statistics.median(plain):7.2f} ms a child")


def fix(folder, command, *words, **variables):
    call = [binary, "fix", "--repo", folder, "--provider", "suggestions", "--run", command, "--format", "json", *words]
    ran = subprocess.run(call, capture_output=True, text=True, env=dict(os.environ, **variables))
    try:
        return json.loads(ran.stdout)
    except ValueError:
        sys.exit(ran.stderr)


def measure_fix(folder):
    for mode in ("off", "auto"):
        times = [milliseconds(lambda: fix(folder, "true", "--sandbox", mode)) for _ in range(max(runs // 5, 5))]
        print_row(f"fix, --sandbox {mode}", times)


SUITES = {
    "cargo": ("cargo test -q", {"Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nitoa = "1"\n',
              "src/lib.rs": '#[test]\nfn works() {\n    let file = std::env::temp_dir().join("papayu-suite");\n    std::fs::write(&file, itoa::Buffer::new().format(1)).unwrap();\n'
              '    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();\n    std::net::TcpStream::connect(server.local_addr().unwrap()).unwrap();\n}\n'}),
    "node": ("node --test", {"a.test.js": "const test = require('node:test'), http = require('http'), fs = require('fs'), os = require('os');\n"
             "test('serves', async () => { const s = http.createServer((q, r) => r.end('x')).listen(0, '127.0.0.1'); await new Promise(d => s.on('listening', d));\n"
             "await (await fetch(`http://127.0.0.1:${s.address().port}`)).text(); s.close(); fs.mkdtempSync(os.tmpdir() + '/x'); });\n"}),
    "npm": ("npm ci --prefer-offline --no-audit --silent && npm test --silent", {"package.json": '{"name":"a","version":"1.0.0","scripts":{"test":"vitest run"},"devDependencies":{"vitest":"^3"}}',
            "a.test.ts": "import { expect, test } from 'vitest';\ntest('adds', () => { expect(1 + 1).toBe(2); });\n"}),
    "pytest": ("python3 -m pytest -q", {"test_a.py": "import multiprocessing, socket\ndef square(n): return n * n\n"
               "def test_a(tmp_path):\n    (tmp_path / 'x').write_text('x')\n    s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())\n"
               "    with multiprocessing.get_context('fork').Pool(2) as pool: assert pool.map(square, [2]) == [4]\n"}),
    "go": ("go test ./...", {"go.mod": "module a\n\ngo 1.21\n", "a_test.go": 'package a\n\nimport (\n\t"net/http/httptest"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {\n\t_ = t.TempDir()\n\thttptest.NewServer(nil).Close()\n}\n'}),
    "mvn": ("mvn -q -o test", {"pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version>"
            "<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target></properties>"
            "<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version><scope>test</scope></dependency></dependencies>"
            "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build></project>",
            "src/test/java/ATest.java": "import org.junit.jupiter.api.*; import org.junit.jupiter.api.io.TempDir; import java.nio.file.*;\n"
            "class ATest { @TempDir Path folder; @Test void works() throws Exception { Files.writeString(folder.resolve(\"x\"), \"x\"); new java.net.ServerSocket(0).close(); } }\n"}),
}


def run_suites(root):
    for tool, (command, files) in SUITES.items():
        if not shutil.which(tool) and tool != "pytest":
            print(f"{tool:32} is not installed")
            continue
        folder = os.path.join(root, tool)
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            open(os.path.join(folder, path), "w").write(text)
        subprocess.run(["git", "init", "-q", folder])
        warm = {"npm": "npm install --silent", "mvn": "mvn -q test"}.get(tool, command)
        plain = subprocess.run(warm, shell=True, cwd=folder, capture_output=True, text=True)
        for network in ("on", "off"):
            outcome = fix(folder, command, "--network", network, "--no-control-run")
            before = (outcome["verify"]["before"] or {}).get("ms")
            print(f"{tool:10} network {network:4} without: {plain.returncode}   in the sandbox: {outcome['outcome']}, {before} ms, {outcome['sandbox'] and outcome['sandbox']['level']}")
            if outcome["outcome"] != "nothing_to_fix":
                log = os.path.join(folder, ".papa-yu/runs", outcome["run_id"], "log.txt")
                print("   ", outcome["reason"], open(log).read()[-1500:] if os.path.exists(log) else "")


with tempfile.TemporaryDirectory(dir=os.getcwd()) as root:
    folder = os.path.join(root, "repository")
    os.mkdir(folder)
    subprocess.run(["git", "init", "-q", folder])
    if "--suites" in sys.argv:
        run_suites(root)
    else:
        measure_children(folder)
        measure_fix(folder)
