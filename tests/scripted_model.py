"""A model that answers by script: an OpenAI-compatible server, and the program run against it.

A reply is a text, sent as it is, or an object, sent as JSON. In an object, a `base_sha256` of "@"
becomes the digest that the request showed for the action's path.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples/parser-none"
CHECK = "python3 -m unittest discover -s tests -t ."
SHOWN = re.compile(r"^FILE\[(.+)\] \(sha256=([0-9a-f]{64})\):$", re.MULTILINE)


def filled(reply, prompt):
    """Returns the reply's text, the digests of `prompt` filled in."""
    if isinstance(reply, str):
        return reply
    reply = json.loads(json.dumps(reply))
    shown = dict(SHOWN.findall(prompt))
    for action in reply.get("actions", []) if isinstance(reply, dict) else reply:
        if action.get("base_sha256") == "@":
            action["base_sha256"] = shown[action["path"]]
    return json.dumps(reply, ensure_ascii=False)


class Model:
    """Serves the replies in order for as long as it is open; `left` holds those not asked for."""

    def __init__(self, replies):
        self.left = list(replies)
        model = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                prompt = "\n".join(message["content"] for message in body["messages"])
                if not model.left:
                    self.send_error(400, "the script has no more replies")
                    return
                text = filled(model.left.pop(0), prompt)
                choice = {"index": 0, "finish_reason": "stop"}
                choice["message"] = {"role": "assistant", "content": text}
                usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
                answer = json.dumps({"choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def program():
    """Builds the program and returns its path."""
    subprocess.run(["cargo", "build", "--quiet"], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "debug/papayu-batch"


class Run:
    """One call of the program on a copy of the example; the copy is gone when it is left."""

    def __init__(self, binary, arguments, replies, variables=None):
        self.folder = tempfile.TemporaryDirectory()
        self.repo = Path(self.folder.name) / "parser-none"
        ours = shutil.ignore_patterns("recordings", ".papa-yu", "__pycache__")
        shutil.copytree(EXAMPLE, self.repo, ignore=ours)
        with Model(replies) as model:
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": self.folder.name,
                "PYTHONDONTWRITEBYTECODE": "1",
                "PAPAYU_LLM_STRICT_JSON": "1",
                "PAPAYU_LLM_PROVIDER": "openai",
                "PAPAYU_LLM_API_URL": model.url,
                "PAPAYU_LLM_API_KEY": "no-key-is-needed-here",
                "PAPAYU_LLM_MODEL": "scripted",
                "PAPAYU_JUDGE": "off",
                **(variables or {}),
            }
            command = [binary, *arguments, "--repo", self.repo, "--format", "json"]
            ran = subprocess.run(command, env=environment, capture_output=True, text=True)
            if model.left:
                raise SystemExit(f"{len(model.left)} replies were not asked for:\n{ran.stderr}")
        self.outcome = json.loads(ran.stdout) if ran.stdout else {}
        self.stderr = ran.stderr

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()
