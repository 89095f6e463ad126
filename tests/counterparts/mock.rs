//! The mock of the model APIs as a process of its own, one a test: its counters are shared by all routes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::judges;

/// The API that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/v1/chat/completions`.
    OpenAi,
    /// `/v1/responses`.
    Responses,
    /// `/v1/messages`.
    Anthropic,
    /// `/v1beta/models/MODEL:generateContent`.
    Gemini,
    /// `/api/chat`.
    Ollama,
}

impl Route {
    /// Every route.
    pub(crate) const ALL: [Self; 5] =
        [Self::OpenAi, Self::Responses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Returns the provider's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Responses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the path that requests go to.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Anthropic => "/v1/messages",
            Self::Gemini => "/v1beta/models/gemini-3.8-flash:generateContent",
            Self::Ollama => "/api/chat",
        }
    }
}

/// The fields of the rules, by the names of each vendor.
const RULES: [&str; 3] = ["system", "instructions", "systemInstruction"];

/// The fields of the messages, by the names of each vendor.
const MESSAGES: [&str; 3] = ["messages", "input", "contents"];

/// A request as it came over the wire.
#[derive(Debug)]
pub(crate) struct Sent {
    /// The path.
    pub(crate) path: String,
    /// The headers, names in lower case.
    pub(crate) headers: Value,
    /// The body.
    pub(crate) body: Value,
}

impl Sent {
    /// Returns every word of the prompt.
    pub(crate) fn prompt(&self) -> String {
        let mut words = String::new();
        for field in [RULES, MESSAGES].concat() {
            collect(&self.body[field], &mut words);
        }
        words
    }

    /// Returns the messages of the conversation.
    pub(crate) fn messages(&self) -> &[Value] {
        let mut lists = MESSAGES.iter().filter_map(|field| self.body[field].as_array());
        lists.next().unwrap()
    }

    /// Returns the body without the rules and the messages.
    pub(crate) fn settings(&self) -> Value {
        let mut body = self.body.clone();
        let fields = [RULES, MESSAGES].concat();
        body.as_object_mut().unwrap().retain(|name, _| !fields.contains(&name.as_str()));
        body
    }

    /// Returns the rules, which are apart from the messages with some vendors.
    pub(crate) fn rules(&self) -> String {
        RULES.iter().map(|field| self.body[field].to_string()).collect()
    }
}

fn collect(value: &Value, words: &mut String) {
    match value {
        Value::String(text) => words.extend([text, "\n"]),
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, words)),
        _ => {}
    }
}

/// A running mock; it ends when it is dropped.
pub(crate) struct Mock {
    process: Child,
    url: String,
    folder: TempDir,
}

impl Mock {
    /// Starts a mock that gives these answers in this order, then refuses.
    pub(crate) fn start(answers: &[Value]) -> Self {
        let home = judges::home();
        let folder = tempfile::tempdir().unwrap();
        let fixtures = answers.iter().enumerate().map(|(index, answer)| {
            let mut fixture = answer.clone();
            fixture["match"] = json!({ "sequenceIndex": index });
            fixture
        });
        let fixtures = json!({ "fixtures": fixtures.collect::<Vec<_>>() });
        fs::write(folder.path().join("fixtures.json"), fixtures.to_string()).unwrap();
        let mut process = Command::new("node")
            .arg(judges::beside("aimock.mjs"))
            .arg(folder.path().join("fixtures.json"))
            .arg(folder.path().join("requests.jsonl"))
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next().expect("the mock ended before it listened").unwrap();
        let url = line.strip_prefix("ready ").expect(&line).to_owned();
        Self { process, url, folder }
    }

    /// Returns the address, without a path.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns every request in its order, as it came.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        let text = fs::read_to_string(self.folder.path().join("requests.jsonl"));
        let text = text.unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|mut line| Sent {
                path: line["path"].as_str().unwrap().to_owned(),
                headers: line["headers"].take(),
                body: line["body"].take(),
            })
            .collect()
    }

    /// Returns the status of every answer in its order, as the mock's journal has it.
    pub(crate) fn statuses(&self) -> Vec<u64> {
        let host = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        // HTTP/1.0: the answer comes in one piece and its end is the end of the connection.
        write!(stream, "GET /__aimock/journal HTTP/1.0\r\nhost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let journal: Vec<Value> = serde_json::from_str(body).unwrap();
        journal.iter().map(|entry| entry["response"]["status"].as_u64().unwrap()).collect()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // It may have ended already; there is nobody to tell.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
