#!/usr/bin/env python3
"""Serves bare repositories over smart HTTP on loopback with git's own `git http-backend`.

usage: TOKEN=T READER=R git_http.py ROOT
With a token every request needs HTTP Basic with that password, or `Authorization: Bearer T`; others get 401. R may
fetch and not push.
Prints `ready URL` when it listens. Files in ROOT change how the next push is served, and are used up by it:
  cut-before   the connection is closed and nothing is pushed
  cut-after    the push is carried out and the connection closed without an answer
  meanwhile    a shell script that is run first
ROOT/requests.log gets a line for every request, ROOT/argv.log the arguments of git's and our processes during a push.
"""
import argparse
import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

arguments = argparse.ArgumentParser()
arguments.add_argument("root")
options = arguments.parse_args()
TOKEN = os.environ.get("TOKEN")
READER = os.environ.get("READER")
ROOT = os.path.abspath(options.root)
LOCK = threading.Lock()


def used_up(name):
    """Tells whether the file is there, and takes it away."""
    with LOCK:
        try:
            os.rename(os.path.join(ROOT, name), os.path.join(ROOT, name + ".used"))
            return True
        except FileNotFoundError:
            return False


def note(name, text):
    with LOCK, open(os.path.join(ROOT, name), "a", encoding="utf-8") as log:
        log.write(text + "\n")


def processes():
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8", errors="replace") as name:
                is_ours = name.read().startswith(("git", "papayu"))
            if is_ours:
                with open(f"/proc/{process}/cmdline", "rb") as words:
                    yield words.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def is_known(self):
        header = self.headers.get("authorization", "")
        if header.lower().startswith("basic "):
            user, _, password = base64.b64decode(header[6:]).decode(errors="replace").partition(":")
            is_reader = READER and password == READER and "git-receive-pack" not in self.path
            return is_reader or TOKEN in (password, user)
        return header == f"Bearer {TOKEN}"

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        out = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            out += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return out

    def serve(self):
        data = self.body()
        sent = "yes" if self.headers.get("authorization") else "no"
        known = not TOKEN or self.is_known()
        note("requests.log", f"{self.command} {self.path} authorization={sent} known={known}")
        if not known:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        pushes = self.command == "POST" and self.path.endswith("/git-receive-pack")
        if pushes:
            for words in processes():
                note("argv.log", words)
            if used_up("cut-before"):
                self.close_connection = True
                return
            if used_up("meanwhile"):
                subprocess.run(["sh", os.path.join(ROOT, "meanwhile.used")], check=True)
        fields, status, out = self.backend(data)
        if pushes and used_up("cut-after"):
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in fields:
            if name.lower() not in ("status", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    def backend(self, data):
        url = urlsplit(self.path)
        environment = dict(
            os.environ,
            GIT_PROJECT_ROOT=ROOT,
            GIT_HTTP_EXPORT_ALL="1",
            PATH_INFO=unquote(url.path),
            QUERY_STRING=url.query,
            REQUEST_METHOD=self.command,
            REMOTE_USER="somebody",
            REMOTE_ADDR="127.0.0.1",
            CONTENT_TYPE=self.headers.get("content-type", ""),
            CONTENT_LENGTH=str(len(data)),
        )
        for header, variable in (("content-encoding", "HTTP_CONTENT_ENCODING"), ("git-protocol", "GIT_PROTOCOL")):
            if self.headers.get(header):
                environment[variable] = self.headers[header]
        ended = subprocess.run(["git", "http-backend"], input=data, env=environment, capture_output=True)
        head, _, out = ended.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((value for name, value in fields if name.lower() == "status"), "200 OK")
        return fields, int(status.split()[0]) if fields else 500, out

    do_GET = do_POST = serve

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"ready http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
