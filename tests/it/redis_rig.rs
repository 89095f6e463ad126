//! A real Redis of the test's own, on a free port in a folder that goes with it.
#![expect(clippy::disallowed_methods, reason = "tests start processes themselves")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support;

/// The password that none of our output may show.
pub(crate) const PASSWORD: &str = "geheim-und-lang";

/// A Redis that keeps everything on the disk before it answers.
pub(crate) struct Redis {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Redis {
    /// Starts one.
    pub(crate) fn new() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut redis = Self { folder: tempfile::tempdir().unwrap(), port, child: None };
        redis.start();
        redis
    }

    /// Returns its address with the password.
    pub(crate) fn url(&self) -> String {
        format!("redis://:{PASSWORD}@127.0.0.1:{}", self.port)
    }

    /// Starts it on what it has on the disk.
    pub(crate) fn start(&mut self) {
        let port = self.port.to_string();
        let mut command = Command::new("redis-server");
        command
            .args(["--port", &port, "--bind", "127.0.0.1", "--requirepass", PASSWORD, "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
            .arg(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = command.spawn();
        self.child = Some(started.expect("`redis-server` is needed: apt install redis-server"));
        for _ in 0..500 {
            if self.asked("PING").is_some_and(|answer| answer.starts_with("+PONG")) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not answer");
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Sends its process a signal.
    pub(crate) fn signal(&self, name: &str) {
        support::signal(self.child.as_ref().unwrap().id(), name);
    }

    /// Sends one command, its words without spaces, and returns how the answer begins.
    pub(crate) fn ask(&self, command: &str) -> String {
        self.asked(command).unwrap()
    }

    fn asked(&self, command: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let words: Vec<&str> = command.split(' ').collect();
        let parts = words.iter().map(|word| format!("${}\r\n{word}\r\n", word.len()));
        let command = format!("*{}\r\n{}", words.len(), parts.collect::<String>());
        stream.write_all(format!("AUTH {PASSWORD}\r\n{command}QUIT\r\n").as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text.strip_prefix("+OK\r\n")?.to_owned())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}
