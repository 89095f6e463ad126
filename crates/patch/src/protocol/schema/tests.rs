//! What the canonical schemas take, and what they say about the rest.

use serde_json::json;

use super::*;

fn fault(version: Version, value: &Value) -> String {
    compiled_schema(version).validate(value).expect_err("the schema must refuse this")
}

#[test]
fn every_schema_compiles_and_knows_its_version() {
    for version in Version::ALL {
        let schema = compiled_schema(version);
        assert_eq!(schema.schema_version(), u64::from(version.number()));
        assert_eq!(schema.schema_hash(), Sha256::of(schema.text().as_bytes()).to_string());
        assert_eq!(schema.validate(&json!({"actions": []})), Ok(()));
    }
}

#[test]
fn every_form_of_v1_passes() {
    let actions = json!([
        {"kind": "CREATE_FILE", "path": "a", "content": ""},
        {"kind": "CREATE_DIR", "path": "b"},
        {"kind": "UPDATE_FILE", "path": "c", "content": "x"},
        {"kind": "DELETE_FILE", "path": "d"},
        {"kind": "DELETE_DIR", "path": "e"},
    ]);
    for reply in [
        actions.clone(),
        json!({"actions": actions}),
        json!({"proposed_changes": {"actions": actions, "title": "x"}, "summary": "s"}),
        json!({"memory_patch": {"user.output_format": "plan"}}),
    ] {
        assert_eq!(compiled_schema(Version::V1).validate(&reply), Ok(()), "{reply}");
    }
}

#[test]
fn what_a_gate_names_better_passes_the_schema() {
    let reply = json!({"actions": [
        {"kind": "CREATE_FILE", "path": ""},
        {"kind": "PATCH_FILE", "path": "a".repeat(1000), "base_sha256": "nonsense"},
        {"kind": "PATCH_FILE", "path": "../a", "patch": ""},
        {"kind": "REPLACE_RANGE", "path": "a", "start_line": 1, "end_line": 0},
    ]});
    assert_eq!(compiled_schema(Version::V2).validate(&reply), Ok(()));
    assert_eq!(compiled_schema(Version::V3).validate(&reply), Ok(()));
}

#[test]
fn messages_name_the_place_and_what_was_expected() {
    use Version::{V1, V2};
    let kinds_v2 =
        "CREATE_FILE, CREATE_DIR, UPDATE_FILE, PATCH_FILE, REPLACE_RANGE, DELETE_FILE, DELETE_DIR";
    for (version, reply, message) in [
        (V2, json!([]), r#"the reply: the value is not of type "object""#.to_owned()),
        (V2, json!({"summary": "x"}), r#"the reply: "actions" is a required property"#.into()),
        (
            V2,
            json!({"actions": [], "commands": ["rm"]}),
            "the reply: Additional properties are not allowed ('commands' was unexpected)".into(),
        ),
        (
            V1,
            json!({"actoins": []}),
            "the reply: Additional properties are not allowed ('actoins' was unexpected)".into(),
        ),
        (V2, json!({"actions": [7]}), "/actions/0: expected an object".into()),
        (
            V2,
            json!({"actions": [{"kind": "RUN", "path": "x"}]}),
            format!("/actions/0: `kind` must be one of {kinds_v2}"),
        ),
        (
            V2,
            json!({"actions": [{"path": "x"}]}),
            "/actions/0: `kind` is a required property".into(),
        ),
        (
            V2,
            json!({"actions": [{"kind": "CREATE_DIR", "path": "x"}, {"kind": "CREATE_FILE", "path": 3}]}),
            r#"/actions/1/path: the value is not of type "string""#.into(),
        ),
        (
            V2,
            json!({"actions": [{"kind": "UPDATE_FILE", "path": "x", "content": "", "patch": "", "edits": []}]}),
            "/actions/0: Additional properties are not allowed ('patch', 'edits' were unexpected)".into(),
        ),
        (
            V2,
            json!({"actions": [{"kind": "REPLACE_RANGE", "path": "x", "start_line": 0}]}),
            r#"/actions/0: "end_line" is a required property; /actions/0/start_line: the value is less than the minimum of 1"#.into(),
        ),
        (
            V1,
            json!([{"kind": "PATCH_FILE", "path": "x", "patch": ""}]),
            "/0: `kind` must be one of CREATE_FILE, CREATE_DIR, UPDATE_FILE, DELETE_FILE, DELETE_DIR".into(),
        ),
        (
            V2,
            json!({"actions": [], "context_requests": [{"type": "run_command", "command": "ls"}]}),
            "/context_requests/0: `type` must be one of read_file, search, logs, env, get_function, get_class, find_definition, find_references, get_dependencies, get_dependents, get_structure, get_complexity, get_todos, git_status, git_diff".into(),
        ),
        (
            V2,
            json!({"actions": [], "context_requests": [{"type": "read_file", "path": "x", "start_line": "1"}]}),
            r#"/context_requests/0/start_line: the value is not of type "integer""#.into(),
        ),
    ] {
        assert_eq!(fault(version, &reply), message, "{reply}");
    }
}

#[test]
fn messages_about_edits_name_the_edit() {
    for (reply, message) in [
        (
            json!({"actions": [{"kind": "EDIT_FILE", "path": "x", "edits": []}]}),
            "/actions/0/edits: the value has less than 1 item",
        ),
        (
            json!({"actions": [{"kind": "EDIT_FILE", "path": "x", "content": "y"}]}),
            r#"/actions/0: "edits" is a required property; /actions/0: Additional properties are not allowed ('content' was unexpected)"#,
        ),
        (
            json!({"actions": [{"kind": "EDIT_FILE", "path": "x", "edits": [{"op": "append", "after": "y"}]}]}),
            "/actions/0/edits/0/op: the value must be one of replace, insert_before, insert_after, delete",
        ),
        (
            json!({"actions": [{"kind": "EDIT_FILE", "path": "x", "edits": [{"op": "delete", "before": ["y"], "occurrence": 1}]}]}),
            r#"/actions/0/edits/0/before: the value is not of type "string"; /actions/0/edits/0: Additional properties are not allowed ('occurrence' was unexpected)"#,
        ),
    ] {
        assert_eq!(fault(Version::V3, &reply), message, "{reply}");
    }
}
