//! The name of an API: a module, and the name that it gives away.

use std::fmt;
use std::str::FromStr;

use super::language::is_script;
use papayu_base::text::WordList;
use papayu_lang::Language;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An API, written `fetch from acme/client`, or `acme/client` for the whole module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiName {
    /// The module as an import names it.
    pub module: String,
    /// The name in the module, `.` between its parts; empty for the module itself.
    pub name: String,
}

impl ApiName {
    /// Returns the parts of the full name, outermost first. The parts of a module that is no path of names are one.
    pub fn parts(&self, language: Language) -> Vec<String> {
        let mut parts = module_parts(language, &self.module);
        parts.extend(self.name.split('.').filter(|it| !it.is_empty()).map(str::to_owned));
        parts
    }

    /// Returns the API of a full name, of which the first `module` parts are the module.
    pub fn of_parts(language: Language, parts: &[String], module: usize) -> Self {
        let (module, name) = parts.split_at(module.min(parts.len()));
        Self { module: module.join(separator(language)), name: name.join(".") }
    }

    /// Returns the last part of the name.
    pub fn last(&self, language: Language) -> String {
        self.parts(language).pop().unwrap_or_default()
    }
}

/// The modules of Node.js that may be named with or without `node:`; those that must have it, such as `node:test`, are not here.
static NODE_MODULES: WordList = WordList::new(
    "assert async_hooks buffer child_process cluster console constants crypto dgram \
    diagnostics_channel dns domain events fs http http2 https inspector module net os path \
    perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls \
    trace_events tty url util v8 vm wasi worker_threads zlib",
);

/// Returns the text between the parts of a name.
pub(crate) fn separator(language: Language) -> &'static str {
    if language == Language::Rust { "::" } else { "." }
}

/// Returns the parts of a module: those of a dotted path, else one.
pub(crate) fn module_parts(language: Language, module: &str) -> Vec<String> {
    let by = match language {
        Language::Python | Language::Java | Language::CSharp => ".",
        Language::Rust => "::",
        _ => {
            let plain = module.strip_prefix("node:").filter(|_| is_script(language));
            let name = |it: &str| it.split('/').next().unwrap_or_default().to_owned();
            let plain = plain.filter(|it| NODE_MODULES.contains(&name(it)));
            return vec![plain.unwrap_or(module).to_owned()];
        }
    };
    // A leading `.` of Python is relative to the file.
    if module.starts_with('.') {
        return vec![module.to_owned()];
    }
    module.split(by).map(|part| part.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

impl fmt::Display for ApiName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            f.write_str(&self.module)
        } else {
            write!(f, "{} from {}", self.name, self.module)
        }
    }
}

impl FromStr for ApiName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, module) = text.trim().split_once(" from ").unwrap_or(("", text.trim()));
        let is_bad = |it: &str| it.chars().any(|c| c.is_whitespace() || "\"'`;(){}".contains(c));
        if module.is_empty() || is_bad(module) || is_bad(name) {
            return Err(format!("`{text}` is no API; write `NAME from MODULE` or `MODULE`"));
        }
        Ok(Self { module: module.to_owned(), name: name.to_owned() })
    }
}

impl<'de> Deserialize<'de> for ApiName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Serialize for ApiName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
