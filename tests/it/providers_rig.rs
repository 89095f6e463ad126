//! A world for providers: the real network, everything else in memory; and servers that misbehave.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use papayu_base::domain::{Event, EventSink, Mode, Version};
use papayu_base::text::Masker;
use papayu_providers::{
    self, Ask, CallLimits, KeySetting, ModelRequest, Provider, ProviderConfig, ProviderError,
    ProviderKind, ProviderReply, ReasoningEffort, WireSchema,
};
use papayu_system::os::http::OsHttp;
use papayu_system::{Clock, CommandSpec, Disk, End, Process, System, Tree};
use serde_json::json;

/// The key that must never be seen in a message.
pub(crate) const KEY: &str = "sk-very-secret-4711";

/// One run's world.
pub(crate) struct Rig {
    pub(crate) interrupted: Arc<AtomicBool>,
    pub(crate) disk: MemoryDisk,
    pub(crate) events: Events,
    clock: FastClock,
    http: OsHttp,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let interrupted = Arc::new(AtomicBool::new(false));
        Self {
            disk: MemoryDisk::default(),
            events: Events::default(),
            clock: FastClock { slept: Mutex::default(), interrupted: interrupted.clone() },
            http: OsHttp::new(interrupted.clone()),
            interrupted,
        }
    }

    pub(crate) fn system(&self) -> System<'_> {
        System { disk: &self.disk, process: &NoProcess, http: &self.http, clock: &self.clock }
    }

    pub(crate) fn open(&self, config: &ProviderConfig) -> Box<dyn Provider + '_> {
        papayu_providers::open_provider(config, self.system()).unwrap()
    }

    /// Asks once with ten minutes left.
    pub(crate) fn ask(&self, provider: &dyn Provider) -> Result<ProviderReply, ProviderError> {
        self.ask_within(provider, Duration::from_mins(10))
    }

    pub(crate) fn ask_within(
        &self,
        provider: &dyn Provider,
        time_left: Duration,
    ) -> Result<ProviderReply, ProviderError> {
        provider.ask(&request(), &CallLimits { time_left, events: &self.events, checks: None })
    }

    pub(crate) fn slept(&self) -> Duration {
        *self.clock.slept.lock().unwrap()
    }
}

pub(crate) fn config(kind: ProviderKind, url: &str) -> ProviderConfig {
    ProviderConfig {
        kind,
        url: Some(url.to_owned()),
        api_key: Some(KEY.into()),
        key_setting: KeySetting::First,
        model: Some("some-model".into()),
        strict_json: Some(true),
        reasoning_effort: ReasoningEffort::Auto,
        temperature: 0.0,
        timeout: Duration::from_secs(5),
        command: None,
    }
}

pub(crate) fn request() -> ModelRequest {
    ModelRequest {
        ask: Ask::Plan,
        mode: Mode::Plan,
        version: Version::V2,
        form: None,
        accepts_change: false,
        system: "Answer in JSON.".into(),
        prefix: Masker::new([]).masked("FILE[a.py]\n"),
        tail: Masker::new([]).masked("It fails.\n"),
        turns: vec![],
        wire_schema: Arc::new(WireSchema {
            name: "plan_v2".into(),
            schema: json!({"type": "object", "properties": {}, "required": [],
                           "additionalProperties": false}),
        }),
        max_output_tokens: 4096,
        shown: vec![],
        report: Arc::default(),
        stable: vec!["goal fix it".into(), "file a.py 00".into()],
    }
}

/// Events in the order they came.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<Event>>);

impl Events {
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().iter().map(|event| event.name.as_str()).collect()
    }

    pub(crate) fn take(&self) -> Vec<Event> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl EventSink for Events {
    fn emit(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

/// A clock that only moves when somebody sleeps, and does not really sleep.
struct FastClock {
    slept: Mutex<Duration>,
    interrupted: Arc<AtomicBool>,
}

impl Clock for FastClock {
    fn elapsed(&self) -> Duration {
        *self.slept.lock().unwrap()
    }

    fn timestamp(&self) -> String {
        "2026-03-01T10:00:00Z".into()
    }

    fn fresh_id(&self) -> String {
        "00000000-0000-4000-8000-000000000000".into()
    }

    fn sleep(&self, time: Duration) -> bool {
        *self.slept.lock().unwrap() += time;
        !self.interrupted()
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

struct NoProcess;

impl Process for NoProcess {
    fn run(&self, _: &CommandSpec, _: &mut dyn FnMut(&[u8])) -> io::Result<End> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Files in memory.
#[derive(Default)]
pub(crate) struct MemoryDisk {
    pub(crate) files: Mutex<BTreeMap<PathBuf, Vec<u8>>>,
}

impl Disk for MemoryDisk {
    fn open_tree(&self, _: &Path) -> io::Result<Box<dyn Tree>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let files = self.files.lock().unwrap();
        let bytes = files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes.clone())))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.files.lock().unwrap().insert(path.to_owned(), bytes.to_owned());
        Ok(())
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.files.lock().unwrap();
        files.entry(path.to_owned()).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn list(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn walk(&self, _: &Path, _: usize) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn delete_folder(&self, _: &Path) -> io::Result<()> {
        unreachable!()
    }
    fn is_file(&self, path: &Path) -> bool {
        self.files.lock().unwrap().contains_key(path)
    }
}

/// Serves one canned answer a connection, byte for byte, and closes it; after the last one it
/// accepts and says nothing. Returns the URL.
pub(crate) fn raw_server(answers: Vec<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let mut silent = Vec::new();
        let mut answers = answers.into_iter();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            match answers.next() {
                Some(answer) => {
                    read_request(&mut stream);
                    // The client may hang up in the middle of a long answer.
                    let _ = stream.write_all(&answer);
                }
                None => silent.push(stream),
            }
        }
    });
    url
}

/// Serves one answer a connection, keeps the connection open for a while and then hangs up unasked.
pub(crate) fn impatient_server(body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            read_request(&mut stream);
            stream.write_all(answer.as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(50));
        }
    });
    url
}

fn read_request(stream: &mut TcpStream) {
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    // A GET ends with its head, a POST with its JSON.
    while !(seen.ends_with(b"}") || seen.starts_with(b"GET") && seen.ends_with(b"\r\n\r\n")) {
        let read = stream.read(&mut chunk).unwrap();
        seen.extend_from_slice(&chunk[..read]);
    }
}

/// Returns an HTTP/1.1 answer whose stated length may be a lie.
pub(crate) fn answer(status: &str, length: usize, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into_bytes()
}
