//! The JSON Schema of `papayu.toml`, made from the table.

use serde_json::{Map, Value, json};

use super::keys::KEYS;
use super::load::default_values;
use super::raw::RawValue;

/// Returns the schema in `schemas/papayu.schema.json`, for editors that check TOML.
pub fn papayu_schema() -> Value {
    let defaults = default_values();
    let mut sections: Map<String, Value> = Map::new();
    for key in KEYS {
        let Some((section, name)) = key.name.split_once('.') else { continue };
        let mut schema = (key.schema)();
        if let Some(fields) = schema.as_object_mut() {
            let variables = key.env.join(", else ");
            fields.insert("description".into(), json!(format!("{} ({variables})", key.doc)));
            if let Some((_, raw)) = defaults.iter().find(|(default, _)| *default == key.name) {
                fields.insert("default".into(), json_of(raw));
            }
        }
        let section = sections.entry(section).or_insert_with(
            || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
        );
        section["properties"][name] = schema;
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "papayu.toml",
        "description": "Settings of papayu-batch",
        "type": "object",
        "additionalProperties": false,
        "properties": sections,
    })
}

/// Returns a default for the schema.
fn json_of(raw: &RawValue) -> Value {
    match raw {
        RawValue::Words(text) | RawValue::Text(text) => json!(text),
        RawValue::Integer(number) => json!(number),
        RawValue::Float(number) => json!(number),
        RawValue::Switch(switch) => json!(switch),
        RawValue::List(items) => json!(items),
        RawValue::Other(_) => Value::Null,
    }
}
