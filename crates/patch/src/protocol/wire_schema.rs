//! Derives from a canonical schema the strict subset that providers' structured-output modes
//! accept, and undoes its nulls.

use serde_json::{Map, Value, json};

use super::reply_form::ReplyForm;
use super::schema::{compiled_schema, form_schema};
use papayu_base::domain::Version;

/// Returns the wire schema of a version with its name (protocol section 1): every property is required,
/// optional ones are nullable, and there are no additional properties and no references, only
/// `type`, `description`, `properties`, `required`, `items`, `enum` and `anyOf`.
///
/// The canonical schema's `x_wire` marks intended differences: `"omitted"` drops a property,
/// `"required"` demands one whose absence a gate would refuse, an object replaces the property.
pub fn wire_schema(version: Version) -> (&'static str, Value) {
    let canonical = compiled_schema(version).json();
    let name = match version {
        Version::V1 => "papayu_reply_v1",
        Version::V2 => "papayu_reply_v2",
        Version::V3 => "papayu_reply_v3",
    };
    (name, strict_root(canonical))
}

/// Returns the wire schema of a reply that is neither a plan nor a change, with its name.
pub fn form_wire_schema(form: ReplyForm) -> (&'static str, Value) {
    (form.schema_name(), strict_root(form_schema(form).json()))
}

/// Returns the root of a wire schema: a plain object, also where the canonical one may be an array.
fn strict_root(canonical: &Value) -> Value {
    let none = Map::new();
    let definitions = canonical.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    strict_object(canonical, definitions)
}

type SchemaDefinitions = Map<String, Value>;

/// Returns a node of the wire schema: references resolved, and only the keywords that strict modes know.
fn strict_node(node: &Value, definitions: &SchemaDefinitions) -> Value {
    if let Some(name) = node.get("$ref").and_then(Value::as_str) {
        let target = name.strip_prefix("#/$defs/").and_then(|name| definitions.get(name));
        return target.map(|target| strict_node(target, definitions)).unwrap_or_default();
    }
    if let Some(instead) = node.get("x_wire").filter(|value| value.is_object()) {
        return strict_node(instead, definitions);
    }
    if node.get("properties").is_some() {
        return strict_object(node, definitions);
    }
    let mut out = keep_keywords(node, &["type", "description", "enum"]);
    if let Some(items) = node.get("items") {
        out.insert("items".into(), strict_node(items, definitions));
    }
    if let Some(branches) = node.get("anyOf").and_then(Value::as_array) {
        let branches = branches.iter().map(|branch| strict_node(branch, definitions)).collect();
        out.insert("anyOf".into(), branches);
    }
    Value::Object(out)
}

/// Returns an object of the wire schema: all properties required, optional ones nullable, no others allowed.
fn strict_object(node: &Value, definitions: &SchemaDefinitions) -> Value {
    let required = node.get("required").and_then(Value::as_array);
    let mut properties = Map::new();
    for (name, property) in node.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        let mark = property.get("x_wire").and_then(Value::as_str);
        if mark == Some("omitted") {
            continue;
        }
        let inner = strict_node(property, definitions);
        let is_required = mark == Some("required")
            || required.is_some_and(|names| names.iter().any(|required| required == name));
        // Strict modes know no optional members: one that may be absent is null instead.
        let inner = if is_required { inner } else { nullable_node(&inner) };
        properties.insert(name.clone(), inner);
    }
    let mut out = Map::new();
    out.insert("type".into(), json!("object"));
    out.extend(keep_keywords(node, &["description"]));
    out.insert("required".into(), properties.keys().cloned().collect());
    out.insert("properties".into(), Value::Object(properties));
    out.insert("additionalProperties".into(), json!(false));
    Value::Object(out)
}

fn nullable_node(inner: &Value) -> Value {
    json!({ "anyOf": [inner, { "type": "null" }] })
}

fn keep_keywords(node: &Value, keywords: &[&str]) -> Map<String, Value> {
    let pick = |keyword: &&str| Some(((*keyword).to_owned(), node.get(*keyword)?.clone()));
    keywords.iter().filter_map(pick).collect()
}

/// Returns the reply without members that are null: the wire form's way to leave something out. No
/// canonical schema has a place for null, so a null that stood for something required is reported
/// as missing. Nulls in arrays stay and are refused.
///
/// ```
/// use papayu_patch::protocol::wire_schema::drop_nulls;
/// use serde_json::json;
///
/// assert_eq!(drop_nulls(json!({ "path": "a", "patch": null })), json!({ "path": "a" }));
/// ```
pub fn drop_nulls(mut reply: Value) -> Value {
    drop_in_place(&mut reply);
    reply
}

/// Recursion is bounded: the JSON parser refuses what is nested deeper than 128.
fn drop_in_place(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_in_place);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_in_place),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optional_places_become_nullable_and_marks_are_obeyed() {
        let node = json!({"properties": {
            "a": {"type": "string", "minLength": 1, "x_note": 1},
            "b": {"type": "integer", "minimum": 1},
            "c": {"type": "string", "x_wire": "required"},
            "d": {"type": "string", "x_wire": "omitted"},
            "e": {"type": "object", "x_wire": {"type": "array", "items": {"$ref": "#/$defs/f"}}},
        }, "required": ["a", "e"]});
        let definitions = json!({"f": {"anyOf": [{"type": "string", "enum": ["x"]}]}});
        assert_eq!(
            strict_node(&node, definitions.as_object().expect("an object")),
            json!({"type": "object", "required": ["a", "b", "c", "e"], "properties": {
                "a": {"type": "string"},
                "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "c": {"type": "string"},
                "e": {"type": "array", "items": {"anyOf": [{"type": "string", "enum": ["x"]}]}},
            }, "additionalProperties": false})
        );
    }

    #[test]
    fn nulls_go_from_objects_at_any_depth_and_stay_elsewhere() {
        let reply =
            json!({"a": null, "b": [null, {"c": null, "d": "null"}], "e": {"f": {"g": null}}});
        assert_eq!(drop_nulls(reply), json!({"b": [null, {"d": "null"}], "e": {"f": {}}}));
    }

    #[test]
    fn the_published_wire_schemas_are_the_derived_ones() {
        for (version, published) in [
            (Version::V1, include_str!("../../../../schemas/wire/papayu_reply_v1.json")),
            (Version::V2, include_str!("../../../../schemas/wire/papayu_reply_v2.json")),
            (Version::V3, include_str!("../../../../schemas/wire/papayu_reply_v3.json")),
        ] {
            let (_, derived) = wire_schema(version);
            assert_eq!(format!("{derived:#}\n"), published, "{version}");
        }
        for (form, published) in [
            (ReplyForm::Claims, include_str!("../../../../schemas/wire/papayu_self_check.json")),
            (ReplyForm::Remarks, include_str!("../../../../schemas/wire/papayu_review.json")),
            (ReplyForm::Opinion, include_str!("../../../../schemas/wire/papayu_judge.json")),
            (
                ReplyForm::WebSummary,
                include_str!("../../../../schemas/wire/papayu_web_summary.json"),
            ),
            (
                ReplyForm::ConversationSummary,
                include_str!("../../../../schemas/wire/papayu_conversation_summary.json"),
            ),
            (ReplyForm::Recipe, include_str!("../../../../schemas/wire/papayu_recipe.json")),
        ] {
            let (name, derived) = form_wire_schema(form);
            assert_eq!(format!("{derived:#}\n"), published, "{name}");
        }
    }

    #[test]
    fn only_the_strict_subset_is_used() {
        fn judge(node: &Value, at: &str) {
            let members = node.as_object().expect("a schema is an object");
            for (keyword, value) in members {
                match keyword.as_str() {
                    "type" | "description" | "enum" | "required" => {}
                    "additionalProperties" => assert_eq!(value, &json!(false), "{at}"),
                    "items" => judge(value, &format!("{at}[]")),
                    "anyOf" => {
                        value.as_array().expect("a list").iter().for_each(|one| judge(one, at));
                    }
                    "properties" => {
                        let properties = value.as_object().expect("an object");
                        let names: Value = properties.keys().cloned().collect();
                        assert_eq!(node.get("required"), Some(&names), "{at}");
                        assert!(node.get("additionalProperties").is_some(), "{at}");
                        for (name, one) in properties {
                            judge(one, &format!("{at}.{name}"));
                        }
                    }
                    _ => panic!("{at}: {keyword}"),
                }
            }
        }
        let versions = Version::ALL.into_iter().map(wire_schema);
        for (_, schema) in versions.chain(ReplyForm::ALL.into_iter().map(form_wire_schema)) {
            assert_eq!(schema.get("type"), Some(&json!("object")));
            judge(&schema, "$");
        }
    }
}
