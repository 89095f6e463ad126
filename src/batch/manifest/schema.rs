//! The JSON Schema of a manifest, made from the same tables that read it.

use serde_json::{Map, Value, json};

use super::fields::{BUDGET, EMIT, TASK};

/// Returns the schema in `schemas/batch.schema.json`, for editors.
pub fn manifest_schema() -> Value {
    let task = property_schemas(|_| true);
    let shared = property_schemas(|key| !matches!(key, "repo" | "name"));
    let repository = json!({
        "anyOf": [
            { "type": "string" },
            {
                "type": "object",
                "additionalProperties": false,
                "required": ["repo"],
                "properties": task,
            },
        ],
    });
    let list = json!({ "type": "array", "minItems": 1, "items": repository });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "batch manifest",
        "description": "Repositories for `papayu-batch batch`, in TOML, YAML or JSON",
        "anyOf": [
            list,
            {
                "type": "object",
                "additionalProperties": false,
                "required": ["repositories"],
                "properties": {
                    "defaults": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": shared,
                        "description": "Options of all repositories",
                    },
                    "repositories": list,
                },
            },
        ],
    })
}

/// Returns the schemas of the keys that `keep` selects.
fn property_schemas(keep: impl Fn(&str) -> bool) -> Map<String, Value> {
    let kept = TASK.iter().filter(|key| keep(key));
    kept.map(|key| ((*key).to_owned(), property_schema(key))).collect()
}

/// Returns the schema of one key of a task.
fn property_schema(key: &str) -> Value {
    let text = |doc: &str| json!({ "type": "string", "description": doc });
    let texts = |doc: &str, item: Value| json!({ "anyOf": [item, { "type": "array", "items": item }], "description": doc });
    match key {
        "repo" => text(
            "A folder (relative to the manifest), an address that git clones, or OWNER/PATTERN on the forge",
        ),
        "name" => json!({
            "type": "string",
            "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$",
            "description": "Names the task and its folder of results; taken from the repository where it is missing",
        }),
        "branch" => text("For addresses: the branch to work from and to offer the fix to"),
        "goal" => text("Goal in plain words"),
        "log" => text(
            "A log that shows the failure, relative to the manifest; {name} is replaced by the task's name",
        ),
        "findings" => text(
            "A report of a scanner, relative to the manifest; {name} is replaced by the task's name; each finding is a task",
        ),
        "finding" => text("The only finding of that report that is meant: ADVISORY:PACKAGE"),
        "run" => text("The command that shows the failure and proves the fix"),
        "emit" => texts("Results of the task", json!({ "enum": EMIT })),
        "provider" => text(
            "Provider: openai, anthropic, ollama, suggestions, suggestions,openai or replay:FILE",
        ),
        "model" => text("Model"),
        "setup" => texts(
            "Commands that install what the project needs; `auto` is the usual installation of its kind",
            json!({ "type": "string" }),
        ),
        "labels" => texts("Labels of the pull request", json!({ "type": "string" })),
        _ => {
            let limit = |key: &str| {
                let kind = if key == "max_cost" { "number" } else { "integer" };
                (key.to_owned(), json!({ "type": kind, "minimum": 0 }))
            };
            let properties: Map<String, Value> = BUDGET.iter().map(|key| limit(key)).collect();
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": properties,
                "description": "Budget of the task: US dollars, tokens, requests, seconds of the run and of one call of the command",
            })
        }
    }
}
