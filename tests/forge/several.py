"""Stand-ins for GitHub for several repositories of one owner, behind one address.

Argument: the folder with their bare repositories, o/NAME.git. `/_state/NAME` is the memory of one. Prints `ready URL` when it
listens.
"""

import os
import queue
import re
import runpy
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = sys.argv[1]
KEPT = ("authorization", "content-type", "accept", "if-none-match")


def start(bare):
    """Starts the stand-in of one repository in a thread and returns its address."""
    ready = queue.Queue()

    def run():
        sys.argv = ["github.py", bare]
        runpy.run_path(os.path.join(HERE, "github.py"), init_globals={"print": lambda text, **_: ready.put(text)})

    threading.Thread(target=run, daemon=True).start()
    return ready.get().removeprefix("ready ")


URLS = {name.removesuffix(".git"): start(os.path.join(FOLDER, name)) for name in sorted(os.listdir(FOLDER))}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0)) or None
        found = re.fullmatch(r"/(repos/o|_state)/([\w-]+)(.*)", self.path)
        if not found or found[2] not in URLS:
            return self.answer(404, [], b'{"message": "Not Found"}')
        kind, name, rest = found.groups()
        path = "/_state" if kind == "_state" else f"/repos/o/r{rest}"
        request = urllib.request.Request(URLS[name] + path, data=body, method=self.command)
        for key in KEPT:
            if self.headers.get(key):
                request.add_header(key, self.headers[key])
        try:
            with urllib.request.urlopen(request) as answer:
                status, headers, out = answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            status, headers, out = error.code, error.headers, error.read()
        kept = [(key, value) for key, value in headers.items() if key.lower() in ("content-type", "etag")]
        self.answer(status, kept, out.replace(b"o/r", b"o/" + name.encode()))

    def answer(self, status, headers, out):
        self.send_response(status)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = do_PATCH = do_PUT = serve

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"ready http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
