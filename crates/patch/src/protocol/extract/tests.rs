//! Replies as models write them, and as an enemy would.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const PLAN: &str = r#"{"actions": [], "summary": "s"}"#;

fn found(reply: &str) -> Result<(Value, bool), (ErrorCode, String)> {
    extract_json(reply)
        .map(|found| (found.value, found.repaired))
        .map_err(|refusal| (refusal.code, refusal.reason))
}

#[test]
fn the_answer_is_found_whatever_stands_round_it() {
    let plan = json!({"actions": [], "summary": "s"});
    for reply in [
        PLAN.to_owned(),
        format!("\u{feff}\r\n {PLAN}\n"),
        format!("```json\n{PLAN}\n```"),
        format!("```\n{PLAN}\n```"),
        format!("Here it is: {PLAN} Anything else?"),
        format!(
            "The file has {{\"name\": \"x\", \"version\": \"{}\"}}.\n```json\n{PLAN}\n```",
            "1".repeat(99)
        ),
        format!("<think>maybe {{\"actions\": [{{\"kind\": \"DELETE_DIR\"}}]}}?</think>\n{PLAN}"),
        format!("maybe [{{\"kind\": \"DELETE_DIR\"}}]?\n</think>\n```json\n{PLAN}\n```"),
        format!("I index a[0] and call f({{\"a\": 1}}).\n{PLAN}"),
        format!("Broken prose: {{\"x\" [ .\n```json\n{PLAN}\n```"),
    ] {
        assert_eq!(found(&reply), Ok((plan.clone(), false)), "{reply}");
    }
}

#[test]
fn text_inside_strings_is_left_alone() {
    let value = json!({
        "actions": [],
        "summary": "```json\n{\"actions\": [1]}\n``` </think> {\"summary\": \"x\"} \"quoted\" \\ 😀",
    });
    for reply in [value.to_string(), format!("Sure:\n```json\n{value:#}\n```\nDone.")] {
        assert_eq!(found(&reply), Ok((value.clone(), false)), "{reply}");
    }
}

#[test]
fn harmless_damage_is_mended_and_said() {
    let reply = "```json\n{\"actions\": [], \"summary\": \"a\n\tb\",}\n```";
    let value = json!({"actions": [], "summary": "a\n\tb"});
    assert_eq!(found(reply), Ok((value, true)));
    let reply = r#"[{"kind": "CREATE_DIR", "path": "a"}, {"kind": "CREATE_DIR", "path": "b"},]"#;
    let value = json!([{"kind": "CREATE_DIR", "path": "a"}, {"kind": "CREATE_DIR", "path": "b"}]);
    assert_eq!(found(reply), Ok((value, true)));
}

#[test]
fn a_part_never_passes_for_the_whole() {
    let cut_off = "the JSON is never closed: the reply looks cut off";
    for (reply, reason) in [
        (r#"{"actions": [{"kind": "CREATE_DIR", "path": "a"}, {"kind": "CRE"#, cut_off),
        (r#"{"actions": [{"kind": "CREATE_DIR", "path": "a"}], "summary": "x"#, cut_off),
        (r#"{"proposed_changes": {"actions": [{"kind": "CREATE_DIR"}]}, "#, cut_off),
        (r#"Like {"actions": []}, so: {"actions": [{"kind": "#, cut_off),
        ("```json\n{\"actions\": []}\n```\n```json\n{\"actions\": [", cut_off),
        (
            r#"{"actions": [{"kind": "CREATE_DIR"}}, "x": [{"kind": "DELETE_DIR", "path": "a"}]"#,
            "the JSON is broken: the bracket at byte 35 closes one of another kind",
        ),
        (
            r#"Like {"actions": []}, so: {"actions": [{"kind" "CREATE_DIR"}]}"#,
            "the JSON is broken: expected `:` at line 1 column 22",
        ),
        (
            r#"{"actions": [{"kind": "DELETE_DIR"}], "actions": []}"#,
            "the JSON is broken: an object has two members of the same name: `actions`",
        ),
        (
            r#"{"actions": [{"kind": "CREATE_DIR", "path": "a", "path": "b",}]}"#,
            "the JSON is broken: an object has two members of the same name: `path`",
        ),
        (
            r#"{"summary": "say "hi" now"}"#,
            "the JSON is broken: expected `,` or `}` at line 1 column 19",
        ),
    ] {
        assert_eq!(found(reply), Err((ErrorCode::JsonParse, reason.to_owned())), "{reply}");
    }
}

#[test]
fn a_reply_without_json_says_so() {
    let none = "the reply has no JSON object or array";
    for (reply, reason) in [
        ("", none),
        ("I cannot do that.", none),
        ("\"just a string\"", none),
        ("42", none),
        ("use a[0] and f(x) { return }", none),
        (
            "<think>I never come to an end {\"actions\": []}",
            "the reply ends before its thoughts do: it has no answer",
        ),
    ] {
        assert_eq!(found(reply), Err((ErrorCode::JsonExtract, reason.to_owned())), "{reply}");
    }
}

#[test]
fn huge_and_deep_replies_are_answered_in_linear_time() {
    let fill = |unit: &str, bytes: usize| unit.repeat(bytes / unit.len());
    let too_long = fill("[", 50 * 1024 * 1024);
    assert_eq!(found(&too_long).map_err(|(code, _)| code), Err(ErrorCode::ContentTooLarge));
    for (unit, code) in [
        ("[", ErrorCode::JsonParse),
        ("[ {", ErrorCode::JsonParse),
        ("{\"a\":", ErrorCode::JsonParse),
        ("{\"", ErrorCode::JsonParse),
        ("\"", ErrorCode::JsonExtract),
        ("{ ", ErrorCode::JsonParse),
        ("x { ", ErrorCode::JsonExtract),
        ("x [{] ", ErrorCode::JsonParse),
        ("```json ", ErrorCode::JsonExtract),
        ("<think>", ErrorCode::JsonExtract),
        ("{}", ErrorCode::ContentTooLarge),
        ("[{},", ErrorCode::JsonParse),
    ] {
        // Enough to tell linear from quadratic, little enough for an unoptimised build.
        let reply = fill(unit, MAX_REPLY_BYTES / 4);
        assert_eq!(found(&reply).map_err(|(code, _)| code), Err(code), "{unit}");
    }
}

proptest! {
    #[test]
    fn any_text_is_answered(reply in "(\\PC|[\\[\\]{}\",:\\\\ \n`]){0,300}") {
        let _ = extract_json(&reply);
    }

    #[test]
    fn any_of_our_replies_survives_prose_and_fences(summary in "\\PC{0,40}", before in "[a-z .\n]{0,20}") {
        let value = json!({"actions": [], "summary": summary});
        let reply = format!("{before}\n```json\n{value}\n```\nDone.");
        prop_assert_eq!(found(&reply), Ok((value, false)));
    }

    #[test]
    fn no_beginning_of_a_reply_passes_for_it(cut in 1_usize..150) {
        let reply = r#"{"actions": [{"kind": "CREATE_FILE", "path": "a", "content": "{\"actions\": []}\n[{}]"}, {"kind": "DELETE_DIR", "path": "b"}], "summary": "x y z"}"#;
        let Some(part) = reply.get(..cut.min(reply.len() - 1)) else { return Ok(()) };
        let refused = found(part).map_err(|(code, _)| code);
        prop_assert_eq!(refused, Err(ErrorCode::JsonParse));
    }
}
