//! What the mock answers: plans, changes and faults.

use papayu_base::domain::Sha256;
use serde_json::{Value, json};

use crate::project::PARSER;

/// The file that is broken.
pub(crate) const PATH: &str = "settings/parser.py";

/// The diff that mends it.
pub(crate) const GOOD: &str = r#"--- a/settings/parser.py
+++ b/settings/parser.py
@@ -6,5 +6,5 @@
     """Returns the settings in `text`; no text means the defaults."""
     found = dict(DEFAULTS)
-    for line in text.splitlines():
+    for line in (text or "").splitlines():
         key, _, value = line.partition("=")
         found[key.strip()] = value.strip()
"#;

/// A diff that lands and does not help.
pub(crate) const WRONG: &str = r#"--- a/settings/parser.py
+++ b/settings/parser.py
@@ -6,5 +6,7 @@
     """Returns the settings in `text`; no text means the defaults."""
     found = dict(DEFAULTS)
+    if text is None:
+        return {"colour": "none"}
     for line in text.splitlines():
         key, _, value = line.partition("=")
         found[key.strip()] = value.strip()
"#;

/// A diff for lines that the file does not have.
pub(crate) const BAD: &str = r#"--- a/settings/parser.py
+++ b/settings/parser.py
@@ -6,5 +6,5 @@
     """Walks the rows of a table."""
     table = load_table(text)
-    for row in table.rows():
+    for row in table.rows() if table else ():
         cells = row.cells()
         table.add(cells)
"#;

/// Returns the digest of the broken file.
pub(crate) fn base() -> String {
    Sha256::of(PARSER.as_bytes()).to_string()
}

/// A reply of the protocol, with tokens counted: 100 read, 10 written.
pub(crate) fn says(reply: &Value) -> Value {
    text(&reply.to_string())
}

/// A reply of any text.
pub(crate) fn text(content: &str) -> Value {
    json!({ "response": { "content": content, "usage": usage() } })
}

/// A reply that ends because the limit of tokens is reached.
pub(crate) fn cut_off(content: &str) -> Value {
    json!({ "response": { "content": content, "usage": usage(), "finishReason": "length" } })
}

/// A reply that the vendor's filter blocks.
pub(crate) fn blocked() -> Value {
    json!({ "response": { "content": "", "usage": usage(), "finishReason": "content_filter" } })
}

/// Each vendor's names; each reads its own.
fn usage() -> Value {
    json!({ "prompt_tokens": 100, "completion_tokens": 10, "input_tokens": 100, "output_tokens": 10 })
}

/// A plan that asks for nothing more.
pub(crate) fn plan() -> Value {
    says(&json!({ "actions": [], "summary": "treat a missing text as an empty one" }))
}

/// A plan that asks for these first.
pub(crate) fn plan_reading(requests: &Value) -> Value {
    says(&json!({ "actions": [], "summary": "look first", "context_requests": requests }))
}

/// A change by one patch.
pub(crate) fn patch(base_sha256: &str, patch: &str) -> Value {
    let action =
        json!({ "kind": "PATCH_FILE", "path": PATH, "base_sha256": base_sha256, "patch": patch });
    says(&json!({ "actions": [action], "summary": "the parser takes no text" }))
}

/// A change by these edits, in v3; each is an operation, an anchor, the text before and after.
pub(crate) fn edits(base_sha256: &str, edits: &[[&str; 4]]) -> Value {
    let edit = |[op, anchor, before, after]: &[&str; 4]| json!({ "op": op, "anchor": anchor, "before": before, "after": after });
    let edits: Vec<_> = edits.iter().map(edit).collect();
    let action =
        json!({ "kind": "EDIT_FILE", "path": PATH, "base_sha256": base_sha256, "edits": edits });
    says(&json!({ "actions": [action], "summary": "the parser takes no text" }))
}

/// A change by a whole file, in v1.
pub(crate) fn whole_file(content: &str) -> Value {
    let action = json!({ "kind": "UPDATE_FILE", "path": PATH, "content": content });
    says(&json!({ "actions": [action], "summary": "the parser takes no text" }))
}

/// A refusal of the server.
pub(crate) fn error(status: u16, message: &str) -> Value {
    json!({ "response": { "status": status, "error": { "message": message } } })
}

/// A refusal of a busy server that says when it can.
pub(crate) fn busy(seconds: u64) -> Value {
    let mut answer = error(429, "too many requests");
    answer["response"]["retryAfter"] = seconds.into();
    answer
}

/// The same answer, that much later.
pub(crate) fn late(mut answer: Value, ms: u64) -> Value {
    answer["chaos"] = json!({ "latencyMs": ms });
    answer
}
