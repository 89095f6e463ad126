#!/usr/bin/env python3
"""Runs a night as docs/batch.md describes it: fresh clones are prepared, fixed and bundled, then published, with kills in between.

usage: benches/nightly.py [PATH-TO-papayu-batch] [--each 4] [--kills 10] [--jobs 2] [--kinds pip,uv,npm,typescript,cargo,go] [--seed N]

Of each kind of project there are EACH bare repositories whose dependencies are not installed: the third of four has a fault that
no tool can mend, the fourth passes, the others are mended by the tools. `batch --setup auto --emit bundle` is killed with SIGKILL at
random instants and continued with `--resume`, then `publish`, in the same way. Forge and git server are those of tests/forge.
Dependencies come from the registries of pip, npm and cargo by their own clients, and for Go from a folder. A kind whose client
is not installed is left out, and named. Exits 1 and says what is wrong if a fix is missing or there twice.
"""
import json, os, random, shutil, signal, subprocess, sys, tempfile, time, urllib.request, zipfile

import red

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN, READER = "ghs_tin7violet9harbour4canyon2amber", "ghs_reader6stone7copper8lantern9field"
OUTCOMES = {"mended": "fixed", "hopeless": "not_fixed", "green": "nothing_to_fix"}

PYTHON = """import iniconfig


def total(prices):
    return sum({sum}) + {more}


assert iniconfig.IniConfig and total([1, 2]) == 3
"""
SCRIPT = """const isNumber = require("is-number");

function total(prices) {
  return prices.reduce((sum, price) => sum + price, {more});
}

if (!{sum}(total([1])) || total([1, 2]) !== 3) throw new Error("total is " + total([1, 2]));
"""
TYPED = """const prices: number[] = [1, 2];

export function total(): number {
  return {sum}.reduce((sum, price) => sum + price, {more});
}

if (total() !== 3) throw new Error("total is " + total());
"""
RUST = """pub fn total(prices: &[u32]) -> String {
    let sum: u32 = {sum}.iter().sum();
    itoa::Buffer::new().format(sum + {more}).to_owned()
}

#[test]
fn adds() {
    assert_eq!(total(&[1, 2]), "3");
}
"""
GO = """package shop

import (
	"example.org/plus"{unused}
)

func Total(a, b int) int { return plus.Plus(a, b) + {more} }
"""
GO_TEST = 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 3 {\n\t\tt.Fatal(Total(1, 2))\n\t}\n}\n'
NPM = {"name": "shop", "version": "1.0.0", "private": True}


def fill(text, state, right, wrong, unused=""):
    """Fills in a misspelt name for a fault that tools mend, and a wrong number for one that they cannot."""
    text = text.replace("{sum}", wrong if state == "mended" else right)
    return text.replace("{unused}", unused if state == "mended" else "").replace("{more}", "7" if state == "hopeless" else "0")


# For each kind: its client, the source with the fault, its text, the other files, what makes the lock file, and the command.
def kinds(root):
    script = {**NPM, "dependencies": {"is-number": "7.0.0"}}
    typed = {**NPM, "devDependencies": {"typescript": "5.4.5"}}
    project = '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["iniconfig==2.0.0"]\n'
    crate = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nitoa = "1"\n'
    strict = '{"compilerOptions": {"strict": true, "outDir": "out", "module": "commonjs", "target": "es2020"}, "include": ["total.ts"]}\n'
    module = "module example.org/shop\n\ngo 1.19\n\nrequire example.org/plus v1.0.0\n"
    python = lambda state: fill(PYTHON, state, "prices", "prics")
    return {
        "pip": ("python3", "total.py", python, {"requirements.txt": "iniconfig==2.0.0\n"}, None, "python3 total.py"),
        "uv": ("uv", "total.py", python, {"pyproject.toml": project}, "uv lock", "python3 total.py"),
        "npm": ("npm", "total.js", lambda state: fill(SCRIPT, state, "isNumber", "isNumbr"), {"package.json": json.dumps(script)},
                "npm install --package-lock-only --silent", "node total.js"),
        "typescript": ("npm", "total.ts", lambda state: fill(TYPED, state, "prices", "pricess"),
                       {"package.json": json.dumps(typed), "tsconfig.json": strict},
                       "npm install --package-lock-only --silent", "npx tsc && node out/total.js"),
        "cargo": ("cargo", "src/lib.rs", lambda state: fill(RUST, state, "prices", "pricess"), {"Cargo.toml": crate},
                  "cargo generate-lockfile --quiet", "cargo test"),
        "go": ("go", "total.go", lambda state: fill(GO, state, "", "", '\n\t"os"'), {"go.mod": module, "total_test.go": GO_TEST},
               "go mod tidy", "go test ./..."),
    }


def go_proxy(root):
    """Writes a module as the folder of a proxy holds it."""
    folder = f"{root}/proxy/example.org/plus/@v"
    os.makedirs(folder)
    module = "module example.org/plus\n\ngo 1.19\n"
    for name, text in {"list": "v1.0.0\n", "v1.0.0.mod": module, "v1.0.0.info": '{"Version": "v1.0.0"}'}.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    with zipfile.ZipFile(f"{folder}/v1.0.0.zip", "w") as archive:
        archive.writestr("example.org/plus@v1.0.0/go.mod", module)
        archive.writestr("example.org/plus@v1.0.0/plus.go", "package plus\n\nfunc Plus(a, b int) int { return a + b }\n")


def start(script, folder):
    env = {**os.environ, "TOKEN": TOKEN, "READER": READER, "APP_KEY": f"{folder}/app.pem"}
    server = subprocess.Popen([sys.executable, f"{HERE}/../tests/forge/{script}", folder], env=env, stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().strip().removeprefix("ready ")


def make(root, each, chosen, env):
    """Makes the bare repositories and returns their names with how the task of each has to end."""
    expected, commands = {}, {}
    for kind, (client, source, text, files, lock, command) in kinds(root).items():
        if kind not in chosen or not shutil.which(client, path=env["PATH"]):
            print(f"left out: {kind}")
            continue
        for number in range(each):
            state = ["mended", "mended", "hopeless", "green"][number % 4]
            name = f"{kind}{number}"
            work, bare = f"{root}/work/{name}", f"{root}/remote/o/{name}.git"
            os.makedirs(work)
            for path, content in files.items():
                with open(f"{work}/{path}", "w") as file:
                    file.write(content)
            if lock:
                os.makedirs(os.path.dirname(f"{work}/{source}"), exist_ok=True)
                with open(f"{work}/{source}", "w") as file:
                    file.write(text("green"))
                subprocess.run(lock, shell=True, cwd=work, env=env, check=True, stdout=subprocess.DEVNULL)
                shutil.rmtree(f"{work}/.venv", ignore_errors=True)
            ignored = ".venv/\nnode_modules/\ntarget/\nout/\n__pycache__/\n"
            red.repository(work, {source: text(state), ".gitignore": ignored})
            red.git(root, "clone", "-q", "--bare", work, bare)
            red.git(bare, "config", "http.receivepack", "true")
            red.git(bare, "config", "uploadpack.allowFilter", "true")
            expected[name], commands[name] = (OUTCOMES[state], source), command
    return expected, commands


def run_with_kills(command, more, env, cwd, kills, chance, longest):
    """Runs a command, killed at random instants of its time, until it ends by itself; returns its exit code and what it wrote."""
    count = 0
    while True:
        with open(f"{cwd}/written", "wb") as written:
            child = subprocess.Popen(command + (more if count else []), env=env, cwd=cwd, stdout=written, stderr=written)
        try:
            child.wait(chance.uniform(0, longest) if count < kills else None)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        status = child.wait()
        count += 1
        if status != -signal.SIGKILL and count > kills:
            with open(f"{cwd}/written", errors="replace") as file:
                return status, file.read()


def faults(root, expected, forge):
    """Returns everything that is not as it must be."""
    wrong = []
    with open(f"{root}/nightly/summary.json") as file:
        rows = {row["name"].removeprefix("o/"): row for row in json.load(file)["tasks"]}
    for name, (outcome, source) in expected.items():
        row = rows.get(name) or next((it for key, it in rows.items() if name in key), None)
        if not row or row["outcome"] != outcome:
            wrong.append(f"{name}: {row and row['outcome']}, not {outcome}: {row and row['reason']}")
        bare = f"{root}/remote/o/{name}.git"
        branches = red.git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/papayu").split()
        with urllib.request.urlopen(f"{forge}/_state/{name}") as answer:
            pulls = json.load(answer)["pulls"]
        due = 1 if outcome == "fixed" else 0
        if (len(branches), len(pulls)) != (due, due):
            wrong.append(f"{name}: {len(branches)} branches and {len(pulls)} pull requests, not {due}")
        for branch in branches:
            commits = red.git(bare, "rev-list", f"main..{branch}").split()
            changed = red.git(bare, "diff", "--name-only", "main", branch).split()
            if len(commits) != 1 or changed != [source]:
                wrong.append(f"{name}: {len(commits)} commits that change {changed}")
    return wrong


def main():
    args = sys.argv[1:]
    binary = os.path.abspath(args[0] if args and not args[0].startswith("--") else "target/release/papayu-batch")
    each, kills, jobs = (int(red.option(f"--{name}", default)) for name, default in (("each", 4), ("kills", 10), ("jobs", 2)))
    seed = int(red.option("--seed", random.randrange(1 << 32)))
    chance = random.Random(seed)
    root = tempfile.mkdtemp(prefix="papayu-nightly-")
    kept = {name: os.environ[name] for name in ("PATH", "RUSTUP_HOME", "CARGO_HOME", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS") if name in os.environ}
    kept.setdefault("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
    env = {**kept, "HOME": f"{root}/home", "GOPROXY": f"file://{root}/proxy", "GONOSUMDB": "*", "GOFLAGS": "-mod=mod"}
    servers = []
    try:
        os.makedirs(f"{root}/home")
        os.makedirs(f"{root}/remote/o")
        go_proxy(root)
        chosen = red.option("--kinds", "pip,uv,npm,typescript,cargo,go").split(",")
        expected, commands = make(root, each, chosen, env)
        git, address = start("git_http.py", f"{root}/remote")
        servers.append(git)
        hub, forge = start("several.py", f"{root}/remote/o")
        servers.append(hub)
        env["GITHUB_API_URL"] = forge
        text = '[defaults]\nsetup = "auto"\nprovider = "suggestions"\n'
        for name, command in commands.items():
            text += f'\n[[repositories]]\nrepo = "{address}/o/{name}.git"\nrun = "{command}"\n'
        with open(f"{root}/repos.toml", "w") as file:
            file.write(text)
        before = time.perf_counter()
        # The first job has a token that can only read.
        batch = [binary, "batch", "repos.toml", "--emit", "bundle", "--out", "nightly", "--jobs", str(jobs), "--progress", "none"]
        status, written = run_with_kills(batch, ["--resume"], {**env, "GITHUB_TOKEN": READER}, root, kills, chance, 6 * each)
        between = time.perf_counter()
        publish = [binary, "publish", "nightly", "--progress", "none"]
        published, more = run_with_kills(publish, [], {**env, "GITHUB_TOKEN": TOKEN}, root, kills, chance, 3)
        ended = time.perf_counter()
        fixed = sum(outcome == "fixed" for outcome, _ in expected.values())
        print(f"{len(expected)} repositories, {fixed} to fix; batch {between - before:.1f} s (exit {status}), "
              f"publish {ended - between:.1f} s (exit {published}), {2 * kills} kills, seed {seed}")
        wrong = faults(root, expected, forge)
        if published != 0:
            wrong.append(f"publish ended with {published}: {more[-2000:]}")
        for line in wrong:
            print(line)
        if wrong:
            print(written[-2000:])
        return 1 if wrong else 0
    finally:
        for server in servers:
            server.kill()
        if "--keep" in sys.argv:
            print(root)
        else:
            # Modules of Go are kept read-only.
            subprocess.run(["chmod", "-R", "u+w", root], check=False)
            shutil.rmtree(root, ignore_errors=True)


sys.exit(main())
