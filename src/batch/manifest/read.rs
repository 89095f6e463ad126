//! Reads a manifest from its bytes, or returns all of its problems.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::fields::{FieldReader, TASK};
use super::problem::{ManifestError, ManifestProblem, ManifestProblemKind};
use super::words::{BatchManifest, ManifestFormat, ManifestTask, TaskOptions, TaskRepository};
use papayu_base::config_text::{self, ConfigFormat, ConfigValue, FaultKind, Field, Node};
use papayu_base::domain::Sha256;

/// Longest manifest read, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Tasks in a manifest at the most.
const MAX_TASKS: usize = 10_000;
/// Most problems reported.
const MAX_PROBLEMS: usize = 50;

/// Reads a manifest; `path` is for messages.
///
/// # Errors
///
/// [`ManifestError`] with the problems in the order of their lines (from 1), at most 50: over 16 MiB, no UTF-8,
/// invalid syntax, unknown or wrong fields, two tasks of one name, or no task.
pub fn read_manifest(
    path: &Path,
    bytes: &[u8],
    form: ManifestFormat,
) -> Result<BatchManifest, ManifestError> {
    let fail = |problems: Vec<ManifestProblem>| ManifestError { path: path.to_owned(), problems };
    if bytes.len() > MAX_BYTES {
        return Err(fail(vec![ManifestProblem {
            line: 1,
            kind: ManifestProblemKind::TooLong(MAX_BYTES),
        }]));
    }
    let fail_at = |at: usize, kind: ManifestProblemKind| {
        let before = bytes.get(..at).unwrap_or_default();
        fail(vec![ManifestProblem { line: memchr::memchr_iter(b'\n', before).count() + 1, kind }])
    };
    if let Some(at) = memchr::memchr(0, bytes) {
        return Err(fail_at(at, ManifestProblemKind::ZeroBytes));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| fail_at(error.valid_up_to(), ManifestProblemKind::NotText))?;
    // Editors on Windows write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = FieldReader::default();
    let root = match form {
        ManifestFormat::Toml => parse_root(text, ConfigFormat::Toml, "TOML"),
        ManifestFormat::Yaml => parse_root(text, ConfigFormat::Yaml, "YAML"),
        ManifestFormat::Json => parse_root(text, ConfigFormat::StrictJson, "JSON"),
        ManifestFormat::Lines => Ok(parse_lines(text, MAX_TASKS)),
    };
    let root = root.map_err(|problem| fail(vec![problem]))?;
    let tasks = read_tasks(&mut reader, root);
    check_unique(&mut reader, &tasks);
    let mut problems = reader.problems;
    if tasks.is_empty() && problems.is_empty() {
        problems.push(ManifestProblem { line: 1, kind: ManifestProblemKind::Empty });
    }
    if problems.is_empty() {
        return Ok(BatchManifest { tasks, digest: Sha256::of(bytes) });
    }
    // Duplicates are found after all other problems.
    problems.sort_by_key(|problem| problem.line);
    // A file of the wrong kind would fill the terminal.
    problems.truncate(MAX_PROBLEMS);
    Err(fail(problems))
}

/// Returns the value of a manifest, or the first thing that is wrong with its text; `name` is the format's.
fn parse_root(
    text: &str,
    format: ConfigFormat,
    name: &'static str,
) -> Result<Node, ManifestProblem> {
    let parsed = config_text::parse(format, text);
    let Some(fault) = parsed.faults.into_iter().next() else {
        let empty = Node { line: 1, value: ConfigValue::Nothing };
        return Ok(parsed.documents.into_iter().next().unwrap_or(empty));
    };
    let kind = match fault.kind {
        FaultKind::Syntax(message) => ManifestProblemKind::Syntax(name, message),
        FaultKind::TooDeep => ManifestProblemKind::TooDeep,
        FaultKind::Anchor => ManifestProblemKind::Anchor,
        FaultKind::SecondDocument => ManifestProblemKind::SecondDocument,
    };
    Err(ManifestProblem { line: fault.line, kind })
}

/// Returns the list of a text with one path or address on each line; `#` begins a comment. It ends one above `max`, which is enough to refuse it.
fn parse_lines(text: &str, max: usize) -> Node {
    let mut items = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') && items.len() <= max {
            items.push(Node { line: number, value: ConfigValue::Text(line.to_owned()) });
        }
    }
    Node { line: 1, value: ConfigValue::List(items) }
}

/// Reads the tasks of the root: a list, or a table with `defaults` and `repositories`.
fn read_tasks(reader: &mut FieldReader, root: Node) -> Vec<ManifestTask> {
    let (defaults, list) = match root.value {
        ConfigValue::List(items) => (Vec::new(), items),
        ConfigValue::Table(fields) => read_top_level(reader, fields),
        ConfigValue::Nothing => return Vec::new(),
        _ => {
            reader.add_wrong_value("the manifest", &root, "a list of repositories, or a table");
            return Vec::new();
        }
    };
    if list.len() > MAX_TASKS {
        reader.add_problem(root.line, ManifestProblemKind::TooMany(MAX_TASKS));
        return Vec::new();
    }
    let shared = reader.read_defaults(&defaults);
    list.into_iter().filter_map(|node| read_entry(reader, &shared, node)).collect()
}

/// Returns the fields of `defaults` and the list of repositories.
fn read_top_level(reader: &mut FieldReader, fields: Vec<Field>) -> (Vec<Field>, Vec<Node>) {
    let (mut defaults, mut list) = (Vec::new(), Vec::new());
    reader.check_keys(&fields, "the manifest", &["defaults", "repositories"]);
    for Field { name, line, value } in fields {
        match (name.as_str(), value.value) {
            ("defaults", ConfigValue::Table(fields)) => {
                let shared: Vec<&str> =
                    TASK.iter().copied().filter(|key| !matches!(*key, "repo" | "name")).collect();
                reader.check_keys(&fields, "`defaults`", &shared);
                defaults = fields;
            }
            ("repositories", ConfigValue::List(items)) => list = items,
            ("defaults", value) => reader.add_wrong_value(&name, &Node { line, value }, "a table"),
            ("repositories", value) => {
                reader.add_wrong_value(&name, &Node { line, value }, "a list");
            }
            _ => {}
        }
    }
    (defaults, list)
}

/// Reads one task: a text that names a repository, or a table.
fn read_entry(
    reader: &mut FieldReader,
    shared: &Arc<TaskOptions>,
    node: Node,
) -> Option<ManifestTask> {
    let line = node.line;
    let fields = match node.value {
        ConfigValue::Text(repo) => {
            let value = Node { line, value: ConfigValue::Text(repo) };
            vec![Field { name: "repo".to_owned(), line, value }]
        }
        ConfigValue::Table(fields) => fields,
        _ => {
            reader.add_wrong_value("a repository", &node, "text, or a table with `repo`");
            return None;
        }
    };
    reader.check_keys(&fields, "a repository", TASK);
    reader.read_task(shared, &fields, line)
}

/// Refuses two tasks with the same key: one would overwrite the results of the other.
fn check_unique(reader: &mut FieldReader, tasks: &[ManifestTask]) {
    let mut lines: HashMap<&str, usize> = HashMap::new();
    for task in tasks {
        if let Some(line) = lines.insert(&task.key, task.line) {
            let kind = ManifestProblemKind::TwiceNamed { name: task.key.to_string(), line };
            reader.add_problem(task.line, kind);
        }
    }
    for task in tasks {
        if let (TaskRepository::Owner(_), Some(name)) = (&task.source, &task.name) {
            let kind = ManifestProblemKind::NamedPattern(task.repo.to_string(), name.to_string());
            reader.add_problem(task.line, kind);
        }
    }
}
