//! From a manifest's bytes to its tasks, or to everything that is wrong with it.

use std::path::Path;
use std::sync::Arc;

use super::fields::{Reader, TASK};
use super::lines;
use super::problem::{ManifestError, Problem, ProblemKind};
use super::words::{Form, Manifest, Source, Task, Wish};
use crate::config_text::{self, FaultKind, Field, Format, Node, Value};
use crate::domain::Sha256;

/// Longest manifest read, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Tasks in a manifest at the most.
const MAX_TASKS: usize = 100_000;
/// Problems told at the most.
const MAX_PROBLEMS: usize = 50;

/// Reads a manifest; `path` is for messages. Every problem is told, up to fifty of them.
pub fn read(path: &Path, bytes: &[u8], form: Form) -> Result<Manifest, ManifestError> {
    let fail = |problems: Vec<Problem>| ManifestError { path: path.to_owned(), problems };
    if bytes.len() > MAX_BYTES {
        return Err(fail(vec![Problem { line: 1, kind: ProblemKind::TooLong(MAX_BYTES) }]));
    }
    if let Some(at) = memchr::memchr(0, bytes) {
        let before = bytes.get(..at).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        return Err(fail(vec![Problem { line, kind: ProblemKind::ZeroBytes }]));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        fail(vec![Problem { line, kind: ProblemKind::NotText }])
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::default();
    let tasks = match form {
        Form::Toml => parse_root(text, Format::Toml, "TOML").map(|root| tasks(&mut reader, root)),
        Form::Yaml => parse_root(text, Format::Yaml, "YAML").map(|root| tasks(&mut reader, root)),
        Form::Json => {
            parse_root(text, Format::StrictJson, "JSON").map(|root| tasks(&mut reader, root))
        }
        Form::Lines => {
            let list = || lines::texts(text);
            Ok(listed(&mut reader, (1, &[]), (list().count(), list())))
        }
    };
    let tasks = tasks.map_err(|problem| fail(vec![problem]))?;
    unique(&mut reader, &tasks);
    let mut problems = reader.problems;
    if tasks.is_empty() && problems.is_empty() {
        problems.push(Problem { line: 1, kind: ProblemKind::Empty });
    }
    if problems.is_empty() {
        return Ok(Manifest { tasks, digest: Sha256::of(bytes) });
    }
    problems.sort_by_key(|problem| problem.line);
    problems.truncate(MAX_PROBLEMS);
    Err(fail(problems))
}

/// Returns the value of a manifest, or the first thing that is wrong with its text; `name` is the format's.
fn parse_root(text: &str, format: Format, name: &'static str) -> Result<Node, Problem> {
    let parsed = config_text::parse(format, text);
    let Some(fault) = parsed.faults.into_iter().next() else {
        let empty = Node { line: 1, value: Value::Nothing };
        return Ok(parsed.documents.into_iter().next().unwrap_or(empty));
    };
    let kind = match fault.kind {
        FaultKind::Syntax(message) => ProblemKind::Syntax(name, message),
        FaultKind::TooDeep => ProblemKind::TooDeep,
        FaultKind::Anchor => ProblemKind::Anchor,
        FaultKind::SecondDocument => ProblemKind::SecondDocument,
    };
    Err(Problem { line: fault.line, kind })
}

fn tasks(reader: &mut Reader, root: Node) -> Vec<Task> {
    let (defaults, list) = match root.value {
        Value::List(items) => (Vec::new(), items),
        Value::Table(fields) => top(reader, fields),
        Value::Nothing => return Vec::new(),
        _ => {
            reader.wrong("the manifest", &root, "a list of repositories, or a table");
            return Vec::new();
        }
    };
    listed(reader, (root.line, &defaults), (list.len(), list.into_iter()))
}

/// Reads the repositories of a list, which may be made one by one.
fn listed(
    reader: &mut Reader,
    (line, defaults): (usize, &[Field]),
    (count, list): (usize, impl Iterator<Item = Node>),
) -> Vec<Task> {
    if count > MAX_TASKS {
        reader.problem(line, ProblemKind::TooMany(MAX_TASKS));
        return Vec::new();
    }
    let shared = reader.shared(defaults);
    let mut tasks = Vec::with_capacity(count);
    tasks.extend(list.filter_map(|node| task(reader, &shared, node)));
    tasks
}

/// Returns the fields of `defaults` and the list of repositories.
fn top(reader: &mut Reader, fields: Vec<Field>) -> (Vec<Field>, Vec<Node>) {
    let (mut defaults, mut list) = (Vec::new(), Vec::new());
    reader.known(&fields, "the manifest", &["defaults", "repositories"]);
    for Field { name, line, value } in fields {
        match (name.as_str(), value.value) {
            ("defaults", Value::Table(fields)) => {
                let shared: Vec<&str> =
                    TASK.iter().copied().filter(|key| !matches!(*key, "repo" | "name")).collect();
                reader.known(&fields, "`defaults`", &shared);
                defaults = fields;
            }
            ("repositories", Value::List(items)) => list = items,
            ("defaults", value) => reader.wrong(&name, &Node { line, value }, "a table"),
            ("repositories", value) => reader.wrong(&name, &Node { line, value }, "a list"),
            _ => {}
        }
    }
    (defaults, list)
}

fn task(reader: &mut Reader, shared: &Arc<Wish>, node: Node) -> Option<Task> {
    let line = node.line;
    let fields = match node.value {
        Value::Text(repo) => {
            let value = Node { line, value: Value::Text(repo) };
            vec![Field { name: "repo".to_owned(), line, value }]
        }
        Value::Table(fields) => fields,
        _ => {
            reader.wrong("a repository", &node, "text, or a table with `repo`");
            return None;
        }
    };
    reader.known(&fields, "a repository", TASK);
    reader.task(shared, &fields, line)
}

/// Two tasks that cannot be told apart would share a folder, and one of them its results.
fn unique(reader: &mut Reader, tasks: &[Task]) {
    // Some bytes a task: there may be many.
    let mut by_key: Vec<&Task> = tasks.iter().collect();
    by_key.sort_by_key(|task| &task.key);
    for (before, task) in by_key.iter().zip(by_key.iter().skip(1)) {
        if before.key == task.key {
            let kind = ProblemKind::TwiceNamed { name: task.key.to_string(), line: before.line };
            reader.problem(task.line, kind);
        }
    }
    for task in tasks {
        if let (Source::Owner(_), Some(name)) = (&task.source, &task.name) {
            let kind = ProblemKind::NamedPattern(task.repo.to_string(), name.to_string());
            reader.problem(task.line, kind);
        }
    }
}
