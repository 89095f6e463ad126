//! The parts of a recipe that change source files.

use std::collections::BTreeMap;

use papayu_lang::Language;
use serde_json::{Map, Value};

use super::api_name::ApiName;

/// A rule of ast-grep, with the APIs that its names mean.
#[derive(Clone, Debug, PartialEq)]
pub struct RewriteRule {
    /// The language of its patterns.
    pub language: Language,
    /// The document as ast-grep reads it.
    pub document: Map<String, Value>,
    /// The API that each name in the patterns means; other names for it are found in each file.
    pub imports: BTreeMap<String, ApiName>,
    /// The API that each new name in the fix means; a missing import is added.
    pub becomes: BTreeMap<String, ApiName>,
    /// Variables of the pattern that must have a value of this module.
    pub typed: BTreeMap<String, String>,
}

/// An API with a new name or module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRule {
    /// The language of the files.
    pub language: Language,
    /// The API as it was.
    pub old: ApiName,
    /// The API as it is.
    pub new: ApiName,
}
