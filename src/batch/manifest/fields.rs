//! Reads the keys of a task and of the defaults, and collects what is wrong with them.

use std::sync::Arc;

use super::problem::{Problem, ProblemKind};
use super::words::{Limits, Pattern, Source, Task, Wish};
use crate::config_text::{Field, Node, Value};
use crate::settings::nearest;

/// The keys of a task.
pub(super) const TASK: &[&str] = &[
    "repo", "name", "branch", "goal", "log", "run", "emit", "provider", "model", "labels", "budget",
];
/// The keys of a budget.
pub(super) const BUDGET: &[&str] =
    &["max_cost", "max_tokens", "max_requests", "timeout_sec", "verify_timeout_sec"];
/// What can be handed over.
pub(super) const EMIT: &[&str] = &["patch", "worktree", "bundle", "branch", "pr"];
/// Who can answer.
const PROVIDERS: &[&str] = &["openai", "anthropic", "ollama", "suggestions"];
/// How addresses may begin.
const SCHEMES: [&str; 5] = ["https", "http", "ssh", "git", "file"];
/// Longest name of a task.
const MAX_NAME: usize = 100;
/// Longest repository, in bytes: the longest path of Linux.
const MAX_REPO: usize = 4096;

/// Everything that was wrong so far.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) problems: Vec<Problem>,
}

impl Reader {
    pub(super) fn problem(&mut self, line: usize, kind: ProblemKind) {
        self.problems.push(Problem { line, kind });
    }

    pub(super) fn wrong(&mut self, key: &str, node: &Node, expected: &'static str) {
        let (key, got) = (key.to_owned(), node.kind().to_owned());
        self.problem(node.line, ProblemKind::WrongValue { key, got, expected });
    }

    /// Refuses keys that are not known, and those written twice.
    pub(super) fn known(&mut self, fields: &[Field], place: &'static str, known: &[&'static str]) {
        for (index, field) in fields.iter().enumerate() {
            if !known.contains(&field.name.as_str()) {
                let nearest = nearest(&field.name, known.iter().copied());
                let name = field.name.clone();
                self.problem(field.line, ProblemKind::UnknownKey { name, place, nearest });
            } else if fields.iter().take(index).any(|before| before.name == field.name) {
                self.problem(field.line, ProblemKind::TwiceKey(field.name.clone()));
            }
        }
    }

    /// Reads the defaults.
    pub(super) fn shared(&mut self, fields: &[Field]) -> Arc<Wish> {
        self.laid_over(&Arc::default(), fields).1
    }

    /// Reads a task; `None` where it has no repository.
    pub(super) fn task(
        &mut self,
        shared: &Arc<Wish>,
        fields: &[Field],
        line: usize,
    ) -> Option<Task> {
        let repo = fields.iter().find(|field| field.name == "repo");
        let repo: Arc<str> = match repo.map(|field| &field.value.value) {
            Some(Value::Text(text)) if !text.trim().is_empty() => Arc::from(text.trim()),
            Some(Value::Text(_)) | None => {
                self.problem(line, ProblemKind::NoRepo);
                return None;
            }
            Some(_) => {
                let value = repo.map(|field| &field.value)?;
                self.wrong("repo", value, "text");
                return None;
            }
        };
        if repo.len() > MAX_REPO {
            self.problem(line, ProblemKind::LongRepo(MAX_REPO));
            return None;
        }
        let source = match source(&repo) {
            Ok(source) => source,
            Err(kind) => {
                self.problem(line, kind);
                return None;
            }
        };
        let own = fields.iter().any(|field| field.name == "branch");
        let (name, wish) = self.laid_over(shared, fields);
        let key = name.as_ref().unwrap_or(&repo).clone();
        let task = Task { line, name, key, repo, source, wish };
        self.fits(&task, own);
        Some(task)
    }

    /// Refuses what does not go together.
    fn fits(&mut self, task: &Task, own_branch: bool) {
        let hands_over = |word: &str| {
            task.wish.emit.as_ref().is_some_and(|emit| emit.iter().any(|known| known == word))
        };
        match task.source {
            Source::Folder(_) if own_branch => {
                self.problem(task.line, ProblemKind::BranchOfFolder);
            }
            Source::Folder(_) => {}
            Source::Address(_) | Source::Owner(_) => {
                if hands_over("branch") {
                    self.problem(task.line, ProblemKind::BranchOfClone);
                }
                if hands_over("worktree") {
                    self.problem(task.line, ProblemKind::WorktreeOfClone);
                }
            }
        }
    }

    fn laid_over(&mut self, shared: &Arc<Wish>, fields: &[Field]) -> (Option<Arc<str>>, Arc<Wish>) {
        let (mut given, mut wish) = (None, Wish::clone(shared));
        for Field { name, value, .. } in fields {
            match name.as_str() {
                "name" => {
                    let text = self.text(name, value).inspect(|it| self.name(value, it));
                    given = text.map(Arc::from);
                }
                "branch" => {
                    wish.branch = self.text(name, value).inspect(|it| self.branch(value, it));
                }
                "goal" => wish.goal = self.text(name, value),
                "log" => wish.log = self.text(name, value),
                "run" => wish.run = self.text(name, value),
                "model" => wish.model = self.text(name, value),
                "provider" => {
                    wish.provider = self.text(name, value).inspect(|it| self.provider(value, it));
                }
                "emit" => {
                    wish.emit = self.texts(name, value);
                    for word in wish.emit.iter().flatten() {
                        self.one_of("emit", value, word, EMIT);
                    }
                }
                "labels" => wish.labels = self.texts(name, value),
                "budget" => self.budget(&mut wish.limits, value),
                _ => {}
            }
        }
        let wish = if wish == **shared { shared.clone() } else { Arc::new(wish) };
        (given, wish)
    }

    fn budget(&mut self, limits: &mut Limits, node: &Node) {
        let Value::Table(fields) = &node.value else {
            self.wrong("budget", node, "a table");
            return;
        };
        self.known(fields, "`budget`", BUDGET);
        for Field { name, value, .. } in fields {
            let number = match value.value {
                Value::Number(number) if (0.0..=1e12).contains(&number) => number,
                Value::Number(_) => {
                    let expected = "a number from 0 to 1000000000000";
                    self.wrong(name, value, expected);
                    continue;
                }
                _ => {
                    self.wrong(name, value, "a number");
                    continue;
                }
            };
            if name == "max_cost" {
                limits.max_cost = Some(number);
                continue;
            }
            if number.fract() != 0.0 {
                self.wrong(name, value, "a whole number");
                continue;
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and within bounds"
            )]
            let whole = Some(number as u64);
            match name.as_str() {
                "max_tokens" => limits.max_tokens = whole,
                "max_requests" => limits.max_requests = whole,
                "timeout_sec" => limits.timeout_sec = whole,
                "verify_timeout_sec" => limits.verify_timeout_sec = whole,
                _ => {}
            }
        }
    }

    fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            Value::Nothing => None,
            _ => {
                self.wrong(key, node, "text");
                None
            }
        }
    }

    fn texts(&mut self, key: &str, node: &Node) -> Option<Vec<String>> {
        let items = match &node.value {
            Value::Text(text) => return Some(vec![text.clone()]),
            Value::List(items) => items,
            _ => {
                self.wrong(key, node, "text, or a list of texts");
                return None;
            }
        };
        let mut all = Vec::new();
        for item in items {
            match &item.value {
                Value::Text(text) => all.push(text.clone()),
                _ => self.wrong(key, item, "text"),
            }
        }
        Some(all)
    }

    fn one_of(
        &mut self,
        key: &'static str,
        node: &Node,
        word: &str,
        known: &'static [&'static str],
    ) {
        if !known.contains(&word) {
            let word = word.to_owned();
            self.problem(node.line, ProblemKind::UnknownWord { key, word, known });
        }
    }

    fn provider(&mut self, node: &Node, word: &str) {
        if !word.starts_with("replay:") {
            let kind = word.strip_prefix("suggestions,").unwrap_or(word);
            self.one_of("provider", node, kind, PROVIDERS);
        }
    }

    fn name(&mut self, node: &Node, name: &str) {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.len() > MAX_NAME || name.starts_with('.') || !name.chars().all(fits) {
            self.problem(node.line, ProblemKind::Name(name.to_owned()));
        }
    }

    fn branch(&mut self, node: &Node, name: &str) {
        let odd = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
        if name.starts_with(['-', '/']) || name.contains("..") || name.chars().any(odd) {
            self.problem(node.line, ProblemKind::Branch(name.to_owned()));
        }
    }
}

/// Tells a folder from an address and from a pattern.
pub(super) fn source(text: &Arc<str>) -> Result<Source, ProblemKind> {
    let folder = || Source::Folder(text.clone());
    if let Some((scheme, rest)) = text.split_once("://") {
        if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
            return Err(ProblemKind::Scheme(scheme.to_owned()));
        }
        let authority = rest.split('/').next().unwrap_or_default();
        // Over ssh a user is no secret; over HTTP a lone one may be the token itself.
        let is_web = scheme.to_ascii_lowercase().starts_with("http");
        let secret =
            authority.rsplit_once('@').is_some_and(|(user, _)| is_web || user.contains(':'));
        return if secret { Err(ProblemKind::Password) } else { Ok(Source::Address(text.clone())) };
    }
    if let Some((transport, _)) = text.split_once("::") {
        return Err(ProblemKind::Scheme(transport.to_owned()));
    }
    if is_remote_path(text) {
        return Ok(Source::Address(text.clone()));
    }
    let Some((owner, pattern)) = text.split_once('/') else { return Ok(folder()) };
    let part = |part: &str| {
        !part.starts_with('.')
            && !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    if pattern.contains(['*', '?', '[']) && !pattern.contains('/') && part(owner) {
        if let Err(error) = globset::Glob::new(pattern) {
            return Err(ProblemKind::Pattern(text.to_string(), error.kind().to_string()));
        }
        let (owner, names) = (owner.to_owned(), pattern.to_owned());
        return Ok(Source::Owner(Box::new(Pattern { owner, names })));
    }
    Ok(folder())
}

/// Git's own short form of an ssh address: `git@host:owner/name`.
fn is_remote_path(text: &str) -> bool {
    let before = text.split_once(':').map(|(before, _)| before);
    before.is_some_and(|host| host.contains('@') && !host.contains('/') && !host.starts_with('-'))
}
