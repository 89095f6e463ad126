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
        Self::with("")
    }

    /// Starts one with more settings.
    pub(crate) fn with(settings: &str) -> Self {
        let mut nats = Self::write(free_port(), settings);
        nats.start();
        nats
    }

    /// Starts three that are one cluster.
    pub(crate) fn cluster() -> [Self; 3] {
        let ports = [free_port(), free_port(), free_port()];
        let routes = ports.map(|port| format!("nats://127.0.0.1:{port}")).join(", ");
        let mut all = ports.map(|port| {
            let cluster = format!("name: c, listen: \"127.0.0.1:{port}\", routes: [{routes}]");
            Self::write(free_port(), &format!("server_name: n{port}\ncluster {{ {cluster} }}\n"))
        });
        // None answers as a cluster before another one is there.
        all.iter_mut().for_each(Self::launch);
        all.iter().for_each(Self::wait);
        all
    }

    /// Writes the settings of one; nothing is started.
    fn write(port: u16, settings: &str) -> Self {
        let nats = Self { folder: tempfile::tempdir().unwrap(), port, child: None };
        let store = nats.folder.path().join("store").display().to_string();
        let rights = "{ publish: \"papayu.nothing\", subscribe: \"_INBOX.>\" }";
        let users = format!(
            "authorization {{ users: [\n{{ user: worker, password: \"{PASSWORD}\" }}\n\
             {{ user: guest, password: \"{PASSWORD}\", permissions: {rights} }}\n] }}\n"
        );
        // Servers of JWT accounts and those with users of their own have no such users.
        let users = if settings.contains("users") || settings.contains("operator") {
            String::new()
        } else {
            users
        };
        let jetstream = format!("jetstream {{ store_dir: \"{store}\" }}");
        let config = format!("host: 127.0.0.1\nport: {port}\n{jetstream}\n{users}{settings}");
        fs::write(nats.folder.path().join("nats.conf"), config).unwrap();
        nats
    }

    /// Returns its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
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
        self.launch();
        self.wait();
    }

    fn launch(&mut self) {
        let mut command = Command::new("nats-server");
        command.arg("--config").arg(self.folder.path().join("nats.conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = command.spawn();
        self.child = Some(started.expect("`nats-server` is needed: apt install nats-server"));
    }

    /// Waits until it takes connections.
    fn wait(&self) {
        for _ in 0..500 {
            let stream = TcpStream::connect(("127.0.0.1", self.port)).map(BufReader::new);
            if stream.is_ok_and(|mut stream| stream.read_line(&mut String::new()).is_ok()) {
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

    /// Returns what is published on a subject while `act` runs: the first message, with its subject.
    pub(crate) fn heard(&self, subject: &str, act: impl FnOnce()) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let user = format!(
            "{{\"verbose\":false,\"user\":\"worker\",\"pass\":\"{PASSWORD}\",\"headers\":true}}"
        );
        write!(stream, "CONNECT {user}\r\nSUB {subject} 1\r\nPING\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "PONG"));
        act();
        let head = lines.find(|line| line.starts_with("HMSG ")).unwrap();
        // Headers end with an empty line.
        assert!(lines.any(|line| line.is_empty()));
        (head.split(' ').nth(1).unwrap().to_owned(), lines.next().unwrap())
    }

    /// Sends a message by the protocol itself; `None` while the server does not answer.
    fn sent(&self, subject: &str, text: &str) -> Option<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let user = format!("{{\"verbose\":false,\"user\":\"worker\",\"pass\":\"{PASSWORD}\"}}");
        let length = text.len();
        write!(stream, "CONNECT {user}\r\nPUB {subject} {length}\r\n{text}\r\nPING\r\n").ok()?;
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.into_iter().find(|line| line == "PONG").map(drop)
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}
