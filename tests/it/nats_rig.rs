//! A real NATS server with JetStream of the test's own, on a free port in a folder that goes with it.
#![expect(clippy::disallowed_methods, reason = "tests start processes themselves")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support;

/// The password that none of our output may show.
pub(crate) const PASSWORD: &str = "geheim-und-lang";

/// A NATS server that keeps everything in its files.
pub(crate) struct Nats {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Nats {
    /// Starts one.
    pub(crate) fn new() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut nats = Self { folder: tempfile::tempdir().unwrap(), port, child: None };
        let store = nats.folder.path().join("store").display().to_string();
        let rights = "{ publish: \"papayu.nothing\", subscribe: \"_INBOX.>\" }";
        let config = format!(
            "host: 127.0.0.1\nport: {port}\njetstream {{ store_dir: \"{store}\" }}\nauthorization {{ users: [\n\
             {{ user: worker, password: \"{PASSWORD}\" }}\n\
             {{ user: guest, password: \"{PASSWORD}\", permissions: {rights} }}\n] }}\n"
        );
        fs::write(nats.folder.path().join("nats.conf"), config).unwrap();
        nats.start();
        nats
    }

    /// Returns its address with the password of a user.
    pub(crate) fn url_of(&self, user: &str) -> String {
        format!("nats://{user}:{PASSWORD}@127.0.0.1:{}", self.port)
    }

    /// Returns its address with the password of a worker.
    pub(crate) fn url(&self) -> String {
        self.url_of("worker")
    }

    /// Starts it on what it has on the disk.
    pub(crate) fn start(&mut self) {
        let mut command = Command::new("nats-server");
        command.arg("--config").arg(self.folder.path().join("nats.conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = command.spawn();
        self.child = Some(started.expect("`nats-server` is needed: apt install nats-server"));
        for _ in 0..500 {
            if self.sent("papayu.nothing", "").is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("nats-server does not answer");
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

    /// Publishes a message, and waits until the server has it.
    pub(crate) fn send(&self, subject: &str, text: &str) {
        self.sent(subject, text).unwrap();
    }

    /// The same by the protocol itself; `None` while the server does not answer.
    fn sent(&self, subject: &str, text: &str) -> Option<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let user = format!("{{\"verbose\":false,\"user\":\"worker\",\"pass\":\"{PASSWORD}\"}}");
        let length = text.len();
        write!(stream, "CONNECT {user}\r\nPUB {subject} {length}\r\n{text}\r\nPING\r\n").ok()?;
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.into_iter().find(|line| line == "PONG").map(drop)
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}
