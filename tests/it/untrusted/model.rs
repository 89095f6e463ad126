//! A model behind a server of our own: answers what it is told to and remembers what it was asked.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// The server; it lives as long as the test binary.
pub(super) struct Model {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// What the server does with a request.
#[derive(Clone)]
pub(super) enum Answer {
    /// Sends this as the model's text.
    Text(String),
    /// Sends these bytes as the body.
    Body(Vec<u8>),
    /// Accepts the request and never answers.
    Silence,
}

impl Model {
    /// Gives these answers in order, the last one again and again.
    pub(super) fn new(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            let mut kept = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&mut stream) else { continue };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request);
                    seen.len()
                };
                match &answers[number.min(answers.len()) - 1] {
                    Answer::Text(text) => send(&mut stream, reply(text).to_string().as_bytes()),
                    Answer::Body(bytes) => send(&mut stream, bytes),
                    Answer::Silence => kept.push(stream),
                }
            }
        });
        Self { url, asked }
    }

    /// Gives these texts in order, the last one again and again.
    pub(super) fn saying(texts: &[&str]) -> Self {
        Self::new(texts.iter().map(|text| Answer::Text((*text).to_owned())).collect())
    }

    /// Returns the variables that make it the run's model.
    pub(super) fn variables(&self) -> [(&str, &str); 5] {
        [
            ("PAPAYU_LLM_PROVIDER", "openai"),
            ("PAPAYU_LLM_API_URL", &self.url),
            ("PAPAYU_LLM_API_KEY", "sk-test-key"),
            ("PAPAYU_LLM_MODEL", "scripted"),
            ("PAPAYU_JUDGE", "off"),
        ]
    }

    /// Returns what the user's message of each request says.
    pub(super) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let text = |request: &String| {
            let request: Value = serde_json::from_str(request).unwrap();
            request["messages"][1]["content"].as_str().unwrap().to_owned()
        };
        asked.iter().map(text).collect()
    }
}

/// A body as the vendor sends it.
pub(super) fn reply(text: &str) -> Value {
    let message = json!({ "role": "assistant", "content": text });
    json!({ "choices": [{ "message": message, "finish_reason": "stop" }] })
}

fn send(stream: &mut TcpStream, body: &[u8]) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    let head = format!("{head}content-length: {}\r\n\r\n", body.len());
    // The program may hang up before the end.
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
}

/// Reads one request and returns its body.
fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16_384];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if body.len() >= length {
                return Some(body.to_owned());
            }
        }
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
    }
}
