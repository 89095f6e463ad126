//! A recipe: rules for source files and configuration, with the failures that they repair.

use std::collections::BTreeMap;

use ast_grep_config::{GlobalRules, RuleConfig};
use globset::{Glob, GlobSet, GlobSetBuilder};
use papayu_base::domain::Sha256;
use papayu_lang::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::config_edit::ConfigEdit;
use super::error::RecipeError;
use super::fault::{RecipeFault, from_key, from_value};
use super::go_patterns::read_calls;
use super::language::{GrammarLanguage, language_of, name_of};
use super::load_checks::{check_fields, check_names, find_line, without_place};
use super::pattern_text::without_context;
use super::rule_bounds::check_bounds;
use super::rules::{MoveRule, RewriteRule};
use super::signature::Signature;

/// Most bytes of a recipe file.
pub const MAX_FILE_BYTES: usize = 64 << 10;

/// Most rules of a recipe.
const MAX_STEPS: usize = 64;

/// Failures in a row after which a recipe is not tried any more.
pub const RETIRED_AFTER: u32 = 3;

/// Fields of the first document that are not part of a rule.
const HEADER: [&str; 8] =
    ["id", "message", "when", "from", "tried", "healed", "failed", "examples"];

/// Rules that repair the failures of a signature.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Its name, unique in a folder.
    pub id: String,
    /// Its effect in one line.
    pub message: Option<String>,
    /// The failures that it repairs, any of which is enough; none for a rule that only a person starts.
    pub when: Vec<Signature>,
    /// The fix that taught it; `None` for a rule that a person wrote.
    pub from: Option<Origin>,
    /// The repositories in which it was tried, and the results.
    pub record: Record,
    /// Texts before and after, which `recipe test` checks.
    pub examples: Vec<RecipeExample>,
    /// Its rules, applied one after the other.
    pub steps: Vec<RecipeStep>,
}

/// The fix that taught a recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The run.
    pub run: String,
    /// The repository, without its host's credentials.
    pub repository: String,
    /// The level of the proof: `tests` or `counts`.
    pub proof: String,
    /// The day, `YYYY-MM-DD`.
    pub date: String,
}

/// A text before and after a recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeExample {
    /// The path of the file; one of the language of the first rule if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The text before.
    pub before: String,
    /// The text after; the same as before if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// The number of tries of a recipe, and their results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The repositories in which it had a change to offer.
    pub tried: u32,
    /// Those in which the change was proved.
    pub healed: u32,
    /// The failures since it last healed one.
    pub failed: u32,
}

/// One rule of a recipe.
#[derive(Clone, Debug, PartialEq)]
pub enum RecipeStep {
    /// A rule of ast-grep.
    Rewrite(RewriteRule),
    /// An API with a new name or module.
    Move(MoveRule),
    /// A key of a configuration file.
    Config(ConfigEdit),
}

impl Recipe {
    /// Reads a recipe; `file` names it in messages.
    ///
    /// # Errors
    ///
    /// A file that is too large, is no YAML, has an unknown field, a rule that ast-grep refuses, or one that may take too long.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecipeError> {
        if text.len() > MAX_FILE_BYTES {
            let reason = format!("it has {} bytes", text.len());
            return Err(RecipeError::new(file, reason, "a recipe has at most 64 kB"));
        }
        let documents: Vec<Map<String, Value>> =
            ast_grep_config::from_multiple(text).map_err(|error| {
                let line = error.location().and_then(|it| usize::try_from(it.line()).ok());
                let reason = without_place(&error.to_string());
                RecipeError::new(file, reason, "write it as YAML, as ast-grep does").at(line)
            })?;
        let lines = document_lines(text);
        if documents.len() > MAX_STEPS {
            let reason = format!("it has {} rules", documents.len());
            return Err(RecipeError::new(file, reason, "write at most 64 rules"));
        }
        let mut recipe = Self {
            id: String::new(),
            message: None,
            when: Vec::new(),
            from: None,
            record: Record::default(),
            examples: Vec::new(),
            steps: Vec::new(),
        };
        for (at, mut document) in documents.into_iter().enumerate() {
            let place = |error: RecipeFault| {
                let start = lines.get(at).copied().unwrap_or(1);
                let line = find_line(text, start, &error.keys);
                RecipeError::new(file, error.reason, error.hint).at(Some(line))
            };
            if at == 0 {
                read_header(&mut recipe, &mut document).map_err(place)?;
            } else {
                document.remove("id");
            }
            recipe.steps.push(RecipeStep::read(document).map_err(place)?);
        }
        if recipe.steps.is_empty() {
            return Err(RecipeError::new(
                file,
                "it has no rule",
                "add `language`, `rule` and `fix`",
            ));
        }
        if recipe.id.is_empty() {
            recipe.id = recipe.content_id();
        }
        Ok(recipe)
    }

    /// Returns the recipe as YAML, the header and the first rule in one document, each further rule in one of its own.
    pub fn to_yaml(&self) -> String {
        let mut text = String::new();
        for (at, step) in self.steps.iter().enumerate() {
            let mut document = if at == 0 { self.header() } else { Map::new() };
            if at > 0 {
                text.push_str("---\n");
                document.insert("id".to_owned(), format!("{}-{at}", self.id).into());
            }
            document.extend(step.document());
            text.push_str(&serde_saphyr::to_string(&document).unwrap_or_default());
        }
        text
    }

    /// Returns an identity of what the recipe does, equal wherever it is learned.
    pub fn content_id(&self) -> String {
        let steps: Vec<Map<String, Value>> = self.steps.iter().map(RecipeStep::document).collect();
        let content = serde_json::json!({ "when": self.when, "steps": steps }).to_string();
        let digest = Sha256::of(content.as_bytes()).to_string();
        digest.chars().take(12).collect()
    }

    /// Returns `true` if the recipe failed too often in a row.
    pub fn is_retired(&self) -> bool {
        self.record.failed >= RETIRED_AFTER
    }

    /// Returns what the recipe does in one line.
    pub fn title(&self) -> String {
        let first = || self.steps.first().map(RecipeStep::title).unwrap_or_default();
        self.message.clone().unwrap_or_else(first)
    }

    /// Returns the fields before the rule of the first document.
    fn header(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("id".to_owned(), self.id.clone().into());
        if let Some(message) = &self.message {
            map.insert("message".to_owned(), message.clone().into());
        }
        if !self.when.is_empty() {
            map.insert("when".to_owned(), to_value(&self.when));
        }
        if let Some(from) = &self.from {
            map.insert("from".to_owned(), to_value(from));
        }
        if !self.examples.is_empty() {
            map.insert("examples".to_owned(), to_value(&self.examples));
        }
        let Record { tried, healed, failed } = self.record;
        for (name, count) in [("tried", tried), ("healed", healed), ("failed", failed)] {
            if self.from.is_some() || count > 0 {
                map.insert(name.to_owned(), count.into());
            }
        }
        map
    }
}

impl RecipeStep {
    /// Returns the rule in one line.
    pub fn title(&self) -> String {
        match self {
            Self::Move(step) => format!("{} is now {}", step.old, step.new),
            Self::Config(edit) => edit.title(),
            Self::Rewrite(rule) => {
                let pattern =
                    find_patterns(&Value::Object(rule.document.clone())).into_iter().next();
                let fix = rule.document.get("fix").and_then(Value::as_str).unwrap_or("(a fix)");
                let pattern = pattern.unwrap_or_else(|| "(a rule)".to_owned());
                format!("{} becomes {}", one_line(without_context(&pattern)), one_line(fix))
            }
        }
    }

    /// Reads one document without the header.
    fn read(mut document: Map<String, Value>) -> Result<Self, RecipeFault> {
        check_fields(&document)?;
        if document.contains_key("file") {
            let edit: ConfigEdit = from_value(Value::Object(document))?;
            edit.check()?;
            return Ok(Self::Config(edit));
        }
        let language = document.get("language").and_then(Value::as_str).unwrap_or_default();
        let Some(language) = language_of(language).filter(|it| GrammarLanguage::new(*it).is_some())
        else {
            let reason = format!("it has no grammar for the language `{language}`");
            let fault = RecipeFault::new(reason, "name one such as `language: python`");
            return Err(fault.at(&["language"]));
        };
        if let Some(old) = document.remove("move") {
            let step = MoveRule {
                language,
                old: from_key("move", old)?,
                new: from_key("to", document.remove("to").unwrap_or_default())?,
            };
            if step.old == step.new {
                let fault = RecipeFault::new("it changes nothing", "give `to` another name");
                return Err(fault.at(&["to"]));
            }
            step.check().map_err(|fault| fault.at(&["move"]))?;
            return Ok(Self::Move(step));
        }
        let mut read =
            |name: &str| document.remove(name).unwrap_or_else(|| Value::Object(Map::new()));
        let (imports, becomes, typed) = (read("imports"), read("becomes"), read("typed"));
        let rule = RewriteRule {
            language,
            imports: from_key("imports", imports)?,
            becomes: from_key("becomes", becomes)?,
            typed: from_key("typed", typed)?,
            document,
        };
        rule.check()?;
        Ok(Self::Rewrite(rule))
    }

    /// Returns the rule as a document.
    fn document(&self) -> Map<String, Value> {
        match self {
            Self::Move(step) => Map::from_iter([
                ("language".to_owned(), name_of(step.language).into()),
                ("move".to_owned(), to_value(&step.old)),
                ("to".to_owned(), to_value(&step.new)),
            ]),
            Self::Config(edit) => match to_value(edit) {
                Value::Object(map) => map,
                _ => Map::new(),
            },
            Self::Rewrite(rule) => {
                let mut map = rule.document.clone();
                let names = [("imports", &rule.imports), ("becomes", &rule.becomes)];
                for (name, value) in names.into_iter().filter(|(_, names)| !names.is_empty()) {
                    map.insert(name.to_owned(), to_value(value));
                }
                if !rule.typed.is_empty() {
                    map.insert("typed".to_owned(), to_value(&rule.typed));
                }
                map
            }
        }
    }
}

impl MoveRule {
    /// Refuses a move between a module and a name, which imports bind in different ways.
    fn check(&self) -> Result<(), RecipeFault> {
        let is_path = matches!(self.language, Language::Rust | Language::Java);
        if is_path || self.old.name.is_empty() == self.new.name.is_empty() {
            return Ok(());
        }
        let reason = format!("`{}` and `{}` are a module and a name", self.old, self.new);
        Err(RecipeFault::new(
            reason,
            "move a name to a name (`NAME from MODULE`), or a module to a module",
        ))
    }
}

impl RewriteRule {
    /// Compiles the rule for the language of a file.
    pub(crate) fn compile(
        document: &Map<String, Value>,
        language: Language,
    ) -> Result<RuleConfig<GrammarLanguage>, RecipeFault> {
        let mut document = read_calls(document, language);
        document.insert("language".to_owned(), name_of(language).into());
        let config = from_value(Value::Object(document))?;
        RuleConfig::try_from(config, &GlobalRules::default()).map_err(|error| {
            let reason = full_reason(&error);
            let fields = ["constraints", "transform", "utils", "fix", "rewriters"];
            let at = fields.into_iter().find(|field| reason.contains(field)).unwrap_or("rule");
            RecipeFault::new(reason, "see docs/recipes.md for the fields of a rule").at(&[at])
        })
    }

    /// Returns whether the rule is meant for a file by its `files` and `ignores`.
    pub(crate) fn takes(&self, path: &str) -> bool {
        let globs = |name: &str| {
            self.document.get(name).and_then(|it| build_globs(it).ok()).unwrap_or_default()
        };
        let (files, ignores) = (globs("files"), globs("ignores"));
        (files.is_empty() || files.is_match(path)) && !ignores.is_match(path)
    }

    /// Returns every pattern in the rule.
    pub(crate) fn patterns(&self) -> Vec<String> {
        find_patterns(self.document.get("rule").unwrap_or(&Value::Null))
    }

    fn check(&self) -> Result<(), RecipeFault> {
        for (key, value) in &self.document {
            let field = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
            check_bounds(&field).map_err(|fault| fault.at(&[key]))?;
        }
        for name in ["files", "ignores"] {
            let globs = self.document.get(name).map(build_globs).transpose();
            globs.map_err(|fault| fault.at(&[name]))?;
        }
        let compiled = Self::compile(&self.document, self.language)?;
        if compiled.fixer.is_empty() {
            return Err(RecipeFault::new("the rule has no `fix`", "add one"));
        }
        check_names(self)
    }
}

/// Reads the header off the first document.
fn read_header(recipe: &mut Recipe, document: &mut Map<String, Value>) -> Result<(), RecipeFault> {
    let mut fields: BTreeMap<&str, Value> =
        HEADER.iter().filter_map(|name| Some((*name, document.remove(*name)?))).collect();
    let mut take = |name: &str| fields.remove(name).unwrap_or(Value::Null);
    recipe.id = from_key::<Option<String>>("id", take("id"))?.unwrap_or_default();
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    // The id becomes the name of a file.
    if !recipe.id.chars().all(is_word) || recipe.id.starts_with('.') || recipe.id.len() > 80 {
        let hint = "use letters, digits, `-` and `_`";
        let fault = RecipeFault::new(format!("the id `{}` is no name", recipe.id), hint);
        return Err(fault.at(&["id"]));
    }
    recipe.message = from_key("message", take("message"))?;
    recipe.when = match take("when") {
        Value::Null => Vec::new(),
        Value::Array(all) => {
            let read = |it| from_key("when", it);
            all.into_iter().map(read).collect::<Result<_, _>>()?
        }
        one => vec![from_key("when", one)?],
    };
    let checked = recipe.when.iter().try_for_each(Signature::check);
    checked.map_err(|fault| fault.at(&["when"]))?;
    recipe.from = from_key("from", take("from"))?;
    recipe.examples = from_key::<Option<_>>("examples", take("examples"))?.unwrap_or_default();
    let mut count = |name| from_key::<Option<u32>>(name, take(name)).map(Option::unwrap_or_default);
    recipe.record =
        Record { tried: count("tried")?, healed: count("healed")?, failed: count("failed")? };
    Ok(())
}

/// Returns a matcher of globs, none of which leaves the repository.
fn build_globs(value: &Value) -> Result<GlobSet, RecipeFault> {
    let mut builder = GlobSetBuilder::new();
    for glob in from_value::<Vec<String>>(value.clone())? {
        if glob.starts_with('/') || glob.contains("..") || glob.contains('\\') {
            let hint = "name paths inside the repository, relative to it";
            return Err(RecipeFault::new(format!("`{glob}` is outside of the repository"), hint));
        }
        let glob =
            Glob::new(&glob).map_err(|error| RecipeFault::new(error.to_string(), "correct it"))?;
        builder.add(glob);
    }
    builder.build().map_err(|error| RecipeFault::new(error.to_string(), "use fewer globs"))
}

/// Returns the texts of all `pattern` fields.
fn find_patterns(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(find_patterns).collect(),
        Value::Object(fields) => {
            let of_field = |(name, item): (&String, &Value)| match (name.as_str(), item) {
                ("pattern", Value::String(text)) => vec![text.clone()],
                ("pattern", Value::Object(fields)) => fields
                    .get("context")
                    .and_then(Value::as_str)
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
                _ => find_patterns(item),
            };
            fields.iter().flat_map(of_field).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the line at which each document begins.
fn document_lines(text: &str) -> Vec<usize> {
    let mut lines = vec![1];
    for (at, _) in text.lines().enumerate().filter(|(_, line)| line.trim_end() == "---") {
        if at > 0 {
            lines.push(at + 2);
        }
    }
    lines
}

fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Returns an error with its causes.
fn full_reason(error: &dyn std::error::Error) -> String {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        reason = format!("{reason} {inner}");
        cause = inner.source();
    }
    reason
}

fn one_line(text: &str) -> String {
    format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" "))
}
