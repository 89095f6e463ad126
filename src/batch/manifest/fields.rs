//! Reads the keys of a task and of the defaults, and collects the problems.

use std::sync::Arc;

use super::problem::{ManifestProblem, ManifestProblemKind};
use super::words::{ManifestTask, RepositoryPattern, TaskBudget, TaskOptions, TaskRepository};
use papayu_base::config_text::{ConfigValue, Field, Node};
use papayu_base::text::spelling::find_nearest;
use papayu_forge::git::{SCHEMES, is_short_address};

// In the order of the documentation; unknown keys are compared with these.
/// The keys of a task.
pub(super) const TASK: &[&str] = &[
    "repo", "name", "branch", "goal", "log", "findings", "finding", "setup", "run", "emit",
    "provider", "model", "labels", "budget",
];
/// The keys of a budget.
pub(super) const BUDGET: &[&str] =
    &["max_cost", "max_tokens", "max_requests", "timeout_sec", "verify_timeout_sec"];
/// The results that a task can have.
pub(super) const EMIT: &[&str] = &["patch", "worktree", "bundle", "branch", "pr"];
/// The providers.
const PROVIDERS: &[&str] = &["openai", "anthropic", "ollama", "suggestions"];
/// Longest name of a task.
const MAX_NAME: usize = 100;
/// Longest repository, in bytes: the longest path of Linux.
const MAX_REPO: usize = 4096;

/// The problems found so far.
/// All problems of a manifest are reported together.
#[derive(Default)]
pub(super) struct FieldReader {
    pub(super) problems: Vec<ManifestProblem>,
}

impl FieldReader {
    /// `line` is 1-based.
    pub(super) fn add_problem(&mut self, line: usize, kind: ManifestProblemKind) {
        self.problems.push(ManifestProblem { line, kind });
    }

    /// `expected` completes the sentence "KEY is GOT, expected …".
    pub(super) fn add_wrong_value(&mut self, key: &str, node: &Node, expected: &'static str) {
        let (key, got) = (key.to_owned(), node.kind().to_owned());
        self.add_problem(node.line, ManifestProblemKind::WrongValue { key, got, expected });
    }

    /// Reports unknown and repeated keys.
    pub(super) fn check_keys(
        &mut self,
        fields: &[Field],
        place: &'static str,
        known: &[&'static str],
    ) {
        for (index, field) in fields.iter().enumerate() {
            if !known.contains(&field.name.as_str()) {
                let nearest = find_nearest(&field.name, known.iter().copied());
                let name = field.name.clone();
                self.add_problem(
                    field.line,
                    ManifestProblemKind::UnknownKey { name, place, nearest },
                );
            // The second and each later one is reported, at its own line.
            } else if fields.iter().take(index).any(|before| before.name == field.name) {
                self.add_problem(field.line, ManifestProblemKind::TwiceKey(field.name.clone()));
            }
        }
    }

    /// Reads the defaults.
    /// Defaults are the options of a task without a repository.
    pub(super) fn read_defaults(&mut self, fields: &[Field]) -> Arc<TaskOptions> {
        self.override_options(&Arc::default(), fields).1
    }

    /// Reads a task; `None` where it has no repository.
    /// Problems of its other keys are reported in any case.
    pub(super) fn read_task(
        &mut self,
        shared: &Arc<TaskOptions>,
        fields: &[Field],
        line: usize,
    ) -> Option<ManifestTask> {
        // The first one: a repetition is reported by `check_keys`.
        let repo = fields.iter().find(|field| field.name == "repo");
        let repo: Arc<str> = match repo.map(|field| &field.value.value) {
            Some(ConfigValue::Text(text)) if !text.trim().is_empty() => Arc::from(text.trim()),
            Some(ConfigValue::Text(_)) | None => {
                self.add_problem(line, ManifestProblemKind::NoRepo);
                return None;
            }
            Some(_) => {
                let value = repo.map(|field| &field.value)?;
                self.add_wrong_value("repo", value, "text");
                return None;
            }
        };
        if repo.len() > MAX_REPO {
            self.add_problem(line, ManifestProblemKind::LongRepo(MAX_REPO));
            return None;
        }
        let source = match parse_source(&repo) {
            Ok(source) => source,
            Err(kind) => {
                self.add_problem(line, kind);
                return None;
            }
        };
        // A branch among the defaults is for addresses and no error for a folder.
        let own = fields.iter().any(|field| field.name == "branch");
        let (name, options) = self.override_options(shared, fields);
        // A given name allows two tasks in one repository.
        let key = name.as_ref().unwrap_or(&repo).clone();
        let task = ManifestTask { line, name, key, repo, source, options };
        self.check_combination(&task, own);
        Some(task)
    }

    /// Reports options that exclude each other.
    /// The rules follow from where the work is done: a clone is deleted after the task.
    fn check_combination(&mut self, task: &ManifestTask, own_branch: bool) {
        // Results of the defaults count as well.
        let hands_over = |word: &str| {
            task.options.emit.as_ref().is_some_and(|emit| emit.iter().any(|known| known == word))
        };
        match task.source {
            TaskRepository::Folder(_) if own_branch => {
                self.add_problem(task.line, ManifestProblemKind::BranchOfFolder);
            }
            TaskRepository::Folder(_) => {}
            TaskRepository::Address(_) | TaskRepository::Owner(_) => {
                if hands_over("branch") {
                    self.add_problem(task.line, ManifestProblemKind::BranchOfClone);
                }
                if hands_over("worktree") {
                    self.add_problem(task.line, ManifestProblemKind::WorktreeOfClone);
                }
            }
        }
    }

    /// Returns the name and the options of a task: the defaults with its own keys on top.
    fn override_options(
        &mut self,
        shared: &Arc<TaskOptions>,
        fields: &[Field],
    ) -> (Option<Arc<str>>, Arc<TaskOptions>) {
        // Each task starts from the defaults and overrides them key by key.
        let (mut given, mut options) = (None, TaskOptions::clone(shared));
        for Field { name, value, .. } in fields {
            match name.as_str() {
                "name" => {
                    let text = self.read_text(name, value).inspect(|it| self.check_name(value, it));
                    given = text.map(Arc::from);
                }
                "branch" => {
                    options.branch =
                        self.read_text(name, value).inspect(|it| self.check_branch(value, it));
                }
                "goal" => options.goal = self.read_text(name, value),
                "log" => options.log = self.read_text(name, value),
                "findings" => options.findings = self.read_text(name, value),
                "finding" => options.finding = self.read_text(name, value),
                "run" => options.run = self.read_text(name, value),
                "model" => options.model = self.read_text(name, value),
                "provider" => {
                    options.provider =
                        self.read_text(name, value).inspect(|it| self.check_provider(value, it));
                }
                "emit" => {
                    options.emit = self.read_texts(name, value);
                    for word in options.emit.iter().flatten() {
                        self.check_word("emit", value, word, EMIT);
                    }
                }
                "labels" => options.labels = self.read_texts(name, value),
                "setup" => options.setup = self.read_texts(name, value),
                "budget" => self.read_budget(&mut options.limits, value),
                _ => {}
            }
        }
        // Tasks without options of their own share one allocation.
        let options = if options == **shared { shared.clone() } else { Arc::new(options) };
        (given, options)
    }

    /// Reads the table `budget` into the limits; keys that are absent keep those of the defaults.
    fn read_budget(&mut self, limits: &mut TaskBudget, node: &Node) {
        let ConfigValue::Table(fields) = &node.value else {
            self.add_wrong_value("budget", node, "a table");
            return;
        };
        self.check_keys(fields, "`budget`", BUDGET);
        for Field { name, value, .. } in fields {
            let number = match value.value {
                // JSON and YAML numbers are floats; up to this bound each whole number is exact.
                ConfigValue::Number(number) if (0.0..=1e12).contains(&number) => number,
                ConfigValue::Number(_) => {
                    let expected = "a number from 0 to 1000000000000";
                    self.add_wrong_value(name, value, expected);
                    continue;
                }
                _ => {
                    self.add_wrong_value(name, value, "a number");
                    continue;
                }
            };
            if name == "max_cost" {
                limits.max_cost = Some(number);
                continue;
            }
            if number.fract() != 0.0 {
                // Counts and seconds have no fractions; dollars have.
                self.add_wrong_value(name, value, "a whole number");
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

    /// Reads a text. An empty one counts as absent, because templates of CI systems leave such
    /// values.
    fn read_text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            // Blank texts count as empty.
            ConfigValue::Text(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            ConfigValue::Nothing => None,
            _ => {
                self.add_wrong_value(key, node, "text");
                None
            }
        }
    }

    /// Reads a list of texts; a single text is a list of one.
    fn read_texts(&mut self, key: &str, node: &Node) -> Option<Vec<String>> {
        let items = match &node.value {
            ConfigValue::Text(text) => return Some(vec![text.clone()]),
            ConfigValue::List(items) => items,
            _ => {
                self.add_wrong_value(key, node, "text, or a list of texts");
                return None;
            }
        };
        let mut all = Vec::new();
        for item in items {
            match &item.value {
                ConfigValue::Text(text) => all.push(text.clone()),
                _ => self.add_wrong_value(key, item, "text"),
            }
        }
        Some(all)
    }

    /// Checks a word against those that are known, and proposes the nearest.
    fn check_word(
        &mut self,
        key: &'static str,
        node: &Node,
        word: &str,
        known: &'static [&'static str],
    ) {
        if !known.contains(&word) {
            let word = word.to_owned();
            self.add_problem(node.line, ManifestProblemKind::UnknownWord { key, word, known });
        }
    }

    /// Checks the name of a provider.
    fn check_provider(&mut self, node: &Node, word: &str) {
        // The path after `replay:` is free text.
        if !word.starts_with("replay:") {
            // `suggestions,openai` asks a file of suggestions first.
            let kind = word.strip_prefix("suggestions,").unwrap_or(word);
            self.check_word("provider", node, kind, PROVIDERS);
        }
    }

    /// Checks the name of a task, which becomes the name of its folder of results.
    fn check_name(&mut self, node: &Node, name: &str) {
        // Portable names: Windows allows fewer characters than Linux.
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.len() > MAX_NAME || name.starts_with('.') || !name.chars().all(fits) {
            self.add_problem(node.line, ManifestProblemKind::Name(name.to_owned()));
        }
    }

    /// Checks the name of a branch by the rules that matter for a command line (`git check-ref-
    /// format`); git itself checks the rest.
    fn check_branch(&mut self, node: &Node, name: &str) {
        // These characters would be part of a revision expression.
        let odd = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
        if name.starts_with(['-', '/']) || name.contains("..") || name.chars().any(odd) {
            self.add_problem(node.line, ManifestProblemKind::Branch(name.to_owned()));
        }
    }
}

/// Parses a repository: a folder, an address or a pattern.
///
/// # Errors
///
/// The problem of an address with a password, an unknown scheme or a wrong pattern.
fn parse_source(text: &Arc<str>) -> Result<TaskRepository, ManifestProblemKind> {
    // The last choice: a folder may have any name.
    let folder = || TaskRepository::Folder(text.clone());
    if let Some((scheme, rest)) = text.split_once("://") {
        if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
            return Err(ManifestProblemKind::Scheme(scheme.to_owned()));
        }
        // The part before the first slash has user, password and host.
        let authority = rest.split('/').next().unwrap_or_default();
        // Over ssh a user is no secret; over HTTP a lone one may be the token itself.
        let is_web = scheme.to_ascii_lowercase().starts_with("http");
        let secret =
            authority.rsplit_once('@').is_some_and(|(user, _)| is_web || user.contains(':'));
        return if secret {
            Err(ManifestProblemKind::Password)
        } else {
            Ok(TaskRepository::Address(text.clone()))
        };
    }
    // `ext::` and other transports of git run commands.
    if let Some((transport, _)) = text.split_once("::") {
        return Err(ManifestProblemKind::Scheme(transport.to_owned()));
    }
    if is_short_address(text) {
        return Ok(TaskRepository::Address(text.clone()));
    }
    let Some((owner, pattern)) = text.split_once('/') else { return Ok(folder()) };
    let part = |part: &str| {
        // `./a` and `../a` are folders.
        !part.starts_with('.')
            && !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    // Only the name may be a pattern; an owner is asked by name.
    if pattern.contains(['*', '?', '[']) && !pattern.contains('/') && part(owner) {
        if let Err(error) = globset::Glob::new(pattern) {
            return Err(ManifestProblemKind::Pattern(text.to_string(), error.kind().to_string()));
        }
        let (owner, names) = (owner.to_owned(), pattern.to_owned());
        return Ok(TaskRepository::Owner(Box::new(RepositoryPattern { owner, names })));
    }
    Ok(folder())
}
