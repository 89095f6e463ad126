//! A model that answers by script: a chat-completions server on this machine.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use papayu_base::domain::Sha256;
use serde_json::{Value, json};

/// The key that the program sends; it must be seen nowhere else.
pub(crate) const KEY: &str = "sk-scripted-9f31c2a7";

/// A server that gives its replies in order and keeps what it was asked. One that has none left
/// answers 400.
pub(crate) struct Model {
    url: String,
    script: Arc<Mutex<Script>>,
}

struct Script {
    left: Vec<Value>,
    prompts: Vec<String>,
    requests: Vec<Value>,
}

impl Model {
    /// Serves these replies. In a reply, a `base_sha256` of `@` becomes the digest that the request
    /// shows for the action's path; a reply that is a string is sent as it is; `refusal` is the message of an error. A
    /// reply with `when` is for the first request that has this text in its last message.
    pub(crate) fn serve(replies: impl IntoIterator<Item = Value>) -> Self {
        Self::serve_after(replies, |_| ())
    }

    /// The same, with something done before each reply; it is told how many came before.
    pub(crate) fn serve_after(
        replies: impl IntoIterator<Item = Value>,
        act: impl Fn(usize) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let left: Vec<_> = replies.into_iter().collect();
        let script =
            Arc::new(Mutex::new(Script { left, prompts: Vec::new(), requests: Vec::new() }));
        let shared = Arc::clone(&script);
        // The thread ends with the test binary: it holds nothing that outlives it.
        thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &shared, &act);
            }
        });
        Self { url, script }
    }

    /// Returns the address of the API.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the variables by which the program finds the model, asked without the tools first.
    pub(crate) fn variables(&self) -> Vec<(&str, &str)> {
        let mut all = self.found_out();
        all.push(("PAPAYU_LLM_PROVIDER", "openai"));
        all
    }

    /// The same without naming the provider, so that the tools are asked first.
    pub(crate) fn found_out(&self) -> Vec<(&str, &str)> {
        vec![
            ("PAPAYU_LLM_API_URL", &self.url),
            ("PAPAYU_LLM_API_KEY", KEY),
            ("PAPAYU_LLM_MODEL", "scripted"),
            // A test of the judge turns it on; the replies of the others are for the change.
            ("PAPAYU_JUDGE", "off"),
        ]
    }

    /// Returns the bodies of all requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.script.lock().unwrap().requests.clone()
    }

    /// Returns the user's side of the conversation in each request so far.
    pub(crate) fn prompts(&self) -> Vec<String> {
        self.script.lock().unwrap().prompts.clone()
    }
}

fn answer(mut stream: TcpStream, script: &Mutex<Script>, act: &impl Fn(usize)) {
    let body = request_body(&mut stream);
    let messages = body["messages"].as_array().unwrap();
    let of_user = messages.iter().filter(|message| message["role"] == "user");
    let prompt: String =
        of_user.map(|message| message["content"].as_str().unwrap()).collect::<Vec<_>>().join("\n");
    let mut script = script.lock().unwrap();
    act(script.prompts.len());
    script.prompts.push(prompt.clone());
    script.requests.push(body.clone());
    let last = messages.last().unwrap()["content"].as_str().unwrap();
    let fits = |reply: &Value| reply["when"].as_str().is_none_or(|text| last.contains(text));
    let next = script.left.iter().position(fits);
    let mut next = next.map(|at| script.left.remove(at)).unwrap_or_default();
    if let Some(reply) = next.as_object_mut() {
        reply.remove("when");
    }
    let (status, reply) = if next.is_null() {
        ("400 Bad Request", json!({"error": {"message": "the script has no more replies"}}))
    } else if let Some(message) = next["refusal"].as_str() {
        ("401 Unauthorized", json!({"error": {"message": message}}))
    } else {
        let text = filled(next, &prompt);
        let message = json!({"role": "assistant", "content": text});
        (
            "200 OK",
            json!({
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
            }),
        )
    };
    let reply = reply.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reply.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(reply.as_bytes()).unwrap();
}

fn request_body(stream: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let head_end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = head_end {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.unwrap().trim().parse().unwrap();
            if bytes.len() >= end + 4 + length {
                return serde_json::from_slice(&bytes[end + 4..end + 4 + length]).unwrap();
            }
        }
        let read = stream.read(&mut chunk).unwrap();
        assert!(read > 0, "the request was cut off");
        bytes.extend_from_slice(&chunk[..read]);
    }
}

fn filled(mut reply: Value, prompt: &str) -> String {
    if let Value::String(text) = reply {
        return text;
    }
    for action in reply["actions"].as_array_mut().into_iter().flatten() {
        if action["base_sha256"] == "@" {
            let path = action["path"].as_str().unwrap();
            let (_, rest) = prompt.rsplit_once(&format!("FILE[{path}] (sha256=")).unwrap();
            action["base_sha256"] =
                Sha256::parse(rest.get(..64).unwrap()).unwrap().to_string().into();
        }
    }
    reply.to_string()
}

/// Returns a PLAN reply.
pub(crate) fn plan(summary: &str) -> Value {
    json!({"actions": [], "summary": summary})
}

/// Returns an APPLY reply of v3 with these edits of that file, each an operation, anchor, before and
/// after, the digest filled in.
pub(crate) fn edit(path: &str, edits: &[[&str; 4]]) -> Value {
    let edit = |[op, anchor, before, after]: &[&str; 4]| json!({"op": op, "anchor": anchor, "before": before, "after": after});
    let edits: Vec<_> = edits.iter().map(edit).collect();
    let action = json!({"kind": "EDIT_FILE", "path": path, "base_sha256": "@", "edits": edits});
    json!({"actions": [action], "summary": "edits it"})
}

/// Returns an APPLY reply of one patch of that file, the digest filled in.
pub(crate) fn patch(path: &str, hunks: &str) -> Value {
    let text = format!("--- a/{path}\n+++ b/{path}\n{hunks}");
    let action = json!({"kind": "PATCH_FILE", "path": path, "base_sha256": "@", "patch": text});
    json!({"actions": [action], "summary": "patches it"})
}
