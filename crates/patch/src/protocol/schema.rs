//! The canonical schemas: compiled once, hashed, and asked of every reply.

use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::reply_form::ReplyForm;
use papayu_base::domain::{Sha256, Version};

/// The canonical schema of a version, ready to use.
pub struct CompiledSchema {
    text: &'static str,
    json: Value,
    hash: Sha256,
    validator: Result<Validator, String>,
}

static V1: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/llm_response_schema.json"))
});
static V2: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/llm_response_schema_v2.json"))
});
static V3: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/llm_response_schema_v3.json"))
});

static SELF_CHECK: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/self_check_schema.json"))
});
static REVIEW: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/review_schema.json"))
});
static JUDGE: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/judge_schema.json"))
});
static WEB_SUMMARY: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/web_summary_schema.json"))
});
static CONVERSATION_SUMMARY: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/conversation_summary_schema.json"))
});
static RECIPE: LazyLock<CompiledSchema> = LazyLock::new(|| {
    CompiledSchema::compile(include_str!("../../../../schemas/recipe_schema.json"))
});

/// Returns the canonical schema of a reply that is neither a plan nor a change.
pub fn form_schema(form: ReplyForm) -> &'static CompiledSchema {
    match form {
        ReplyForm::Claims => &SELF_CHECK,
        ReplyForm::Remarks => &REVIEW,
        ReplyForm::Opinion => &JUDGE,
        ReplyForm::WebSummary => &WEB_SUMMARY,
        ReplyForm::ConversationSummary => &CONVERSATION_SUMMARY,
        ReplyForm::Recipe => &RECIPE,
    }
}

/// Returns the canonical schema of a version (protocol section 1).
pub fn compiled_schema(version: Version) -> &'static CompiledSchema {
    match version {
        Version::V1 => &V1,
        Version::V2 => &V2,
        Version::V3 => &V3,
    }
}

/// Faults named in one message; more would only repeat the first.
const MAX_FAULTS: usize = 3;
/// Longest description of one fault, in characters.
const MAX_FAULT_CHARS: usize = 240;

impl CompiledSchema {
    /// Compiles a built-in schema. One that does not compile refuses every reply.
    fn compile(text: &'static str) -> Self {
        // The unit tests compile every schema, so neither error occurs in a release.
        let json: Value = serde_json::from_str(text).unwrap_or_default();
        let validator = jsonschema::draft202012::options()
            .build(&json)
            .map_err(|error| format!("the built-in schema does not compile: {error}"));
        Self { text, json, hash: Sha256::of(text.as_bytes()), validator }
    }

    /// Returns the schema file as it is.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Returns the schema as JSON.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Returns `x_schema_version`; 0 for a schema without it.
    pub fn schema_version(&self) -> u64 {
        self.json.get("x_schema_version").and_then(Value::as_u64).unwrap_or_default()
    }

    /// Returns the sha256 of the schema file's bytes, in hex.
    pub fn schema_hash(&self) -> String {
        self.hash.to_string()
    }

    /// Checks a reply after its nulls have been dropped.
    ///
    /// # Errors
    ///
    /// A message with the path and the expected value, for the first fault and at most two more of
    /// the same object.
    pub fn validate(&self, value: &Value) -> Result<(), String> {
        let validator = self.validator.as_ref().map_err(Clone::clone)?;
        // Only the first fault is read: a hostile reply can have millions.
        validator.validate(value).map_err(|error| {
            let mut faults = Vec::new();
            collect_faults(&error, &mut faults);
            faults.truncate(MAX_FAULTS);
            faults.join("; ")
        })
    }
}

/// Adds the faults of one error, at most [`MAX_FAULTS`] of a branch, in words that name the field.
fn collect_faults(error: &ValidationError<'_>, faults: &mut Vec<String>) {
    let ValidationErrorKind::AnyOf { context } = error.kind() else {
        let words = fault_words(error).map_or_else(
            || error.masked_with("the value").to_string(),
            |words| format!("the value must be one of {words}"),
        );
        faults.push(fault_at(error, &words));
        return;
    };
    // Branches are objects that differ in one word; only the branch of the given word is reported.
    match context.iter().find(|branch| !branch.iter().any(is_of_another_branch)) {
        Some(branch) => {
            for inner in branch.iter().take(MAX_FAULTS) {
                collect_faults(inner, faults);
            }
        }
        None if error.instance().is_object() => {
            let words: Vec<_> = context.iter().flatten().filter_map(branch_word).collect();
            let name = context.iter().flatten().find_map(variant_tag).unwrap_or("kind");
            let expected = if words.is_empty() {
                format!("`{name}` is a required property")
            } else {
                format!("`{name}` must be one of {}", words.join(", "))
            };
            faults.push(fault_at(error, &expected));
        }
        None => faults.push(fault_at(error, "expected an object")),
    }
}

/// Returns every allowed word; the validator's own message leaves some out.
fn fault_words(error: &ValidationError<'_>) -> Option<String> {
    let ValidationErrorKind::Enum { options } = error.kind() else { return None };
    let words: Option<Vec<_>> = options.as_array()?.iter().map(Value::as_str).collect();
    words.map(|words| words.join(", "))
}

/// Returns a fault with its JSON pointer, cut to [`MAX_FAULT_CHARS`] characters.
fn fault_at(error: &ValidationError<'_>, what: &str) -> String {
    let path = error.instance_path().as_str();
    let place = if path.is_empty() { "the reply" } else { path };
    format!("{place}: {what}").chars().take(MAX_FAULT_CHARS).collect()
}

/// Returns `kind` or `type` when the fault is in the word that selects the branch.
fn variant_tag(error: &ValidationError<'static>) -> Option<&'static str> {
    let names = ["kind", "type"];
    match error.kind() {
        ValidationErrorKind::Enum { .. } => {
            let last = error.instance_path().as_str().rsplit('/').next().unwrap_or_default();
            names.into_iter().find(|name| *name == last)
        }
        ValidationErrorKind::Required { property } => {
            names.into_iter().find(|name| property.as_str() == Some(name))
        }
        _ => None,
    }
}

/// Returns `true` for an error that only shows that the value is meant for another branch.
fn is_of_another_branch(error: &ValidationError<'static>) -> bool {
    let not_an_object = matches!(
        error.kind(),
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } if kind.to_string() == "object"
    );
    not_an_object || variant_tag(error).is_some()
}

/// Returns the words that select a branch, from the error of its tag; `None` for any other error.
fn branch_word(error: &ValidationError<'static>) -> Option<String> {
    let ValidationErrorKind::Enum { options } = error.kind() else { return None };
    variant_tag(error)?;
    let words: Vec<&str> = options.as_array()?.iter().filter_map(Value::as_str).collect();
    Some(words.join(", "))
}

#[cfg(test)]
mod tests;
