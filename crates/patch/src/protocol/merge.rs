//! The replies of several models to one request become one reply: the first action of each path is taken.

use serde_json::{Map, Value, json};

use super::decode::{self, PlanReply};
use super::refusal::Refusal;
use papayu_base::domain::{ActionSet, MergeConflict, Mode, RepoPath, Sha256, Version};

/// The mark of a reply that changes nothing.
const NO_CHANGES: &str = "NO_CHANGES:";

/// The kinds of actions that need the digest of their file.
const PATCHING: [&str; 3] = ["PATCH_FILE", "REPLACE_RANGE", "EDIT_FILE"];

/// The facts of a request that its replies are read by.
#[derive(Clone, Copy, Debug)]
pub struct ReplyRules<'a> {
    /// The protocol.
    pub version: Version,
    /// PLAN or APPLY.
    pub mode: Mode,
    /// `true` if a reply to PLAN may bring the change.
    pub accepts_change: bool,
    /// The files that were shown, with their digests.
    pub shown: &'a [(RepoPath, Sha256)],
}

/// A reply that follows the schema, and its model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReply {
    /// The name of the model.
    pub model: String,
    /// The reply.
    pub value: Value,
}

/// The one reply that several become.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The reply as JSON, in the form of the protocol.
    pub text: String,
    /// The actions that were left out.
    pub conflicts: Vec<MergeConflict>,
}

/// Returns the JSON of a reply if it follows the schema and the mode.
///
/// # Errors
///
/// The errors of [`decode::decode_actions`], [`decode::decode_plan`] and [`decode::decode_plan_reply`].
pub fn read_reply(reading: ReplyRules<'_>, text: &str) -> Result<Value, Refusal> {
    let ReplyRules { version, mode, accepts_change, shown } = reading;
    let (mut value, repairs) = if mode != Mode::Plan {
        decode::decode_actions(version, text).map(|(set, repairs)| (set.validated, repairs))?
    } else if accepts_change {
        let (reply, repairs) = decode::decode_plan_reply(version, text)?;
        let (PlanReply::Plan(plan) | PlanReply::Change(_, plan)) = reply;
        (plan.validated, repairs)
    } else {
        decode::decode_plan(version, text).map(|(plan, repairs)| (plan.validated, repairs))?
    };
    if repairs.tool_calls {
        fill_digests(&mut value, shown);
    }
    Ok(value)
}

/// Returns the actions of a reply of [`read_reply`]; `None` for a reply without actions.
pub fn read_change(version: Version, value: &Value) -> Option<ActionSet> {
    if actions_of(value).is_empty() {
        return None;
    }
    decode::decode_actions(version, &value.to_string()).ok().map(|(set, _)| set)
}

/// Returns `true` for a reply that changes nothing.
pub fn says_no_changes(reply: &ModelReply) -> bool {
    actions_of(&reply.value).is_empty() && summary_of(reply).starts_with(NO_CHANGES)
}

/// Returns `true` if all replies have the same actions, at least one.
pub fn agree(replies: &[ModelReply]) -> bool {
    let mut changes = replies.iter().map(|reply| actions_of(&reply.value));
    let first = changes.next().unwrap_or_default();
    !first.is_empty() && changes.all(|actions| actions == first)
}

/// Returns the first reply with a change, for changes that cannot be made together. The actions of the others are left
/// out.
pub fn take_first(replies: &[ModelReply]) -> Merged {
    let chosen = choose_replies(replies);
    let Some((first, others)) = chosen.split_first() else { return merge_replies(replies) };
    let taken = actions_of(&first.value);
    let dropped = others.iter().flat_map(|reply| claims_of(reply));
    let conflicts = dropped.filter(|claim| !taken.contains(claim.action)).map(|claim| {
        let path = claim.path().to_owned();
        MergeConflict { path, kept: first.model.clone(), dropped: claim.reply.model.clone() }
    });
    Merged { text: first.value.to_string(), conflicts: conflicts.collect() }
}

/// Returns one reply for several, in their order.
///
/// Changes come before plans and plans before `NO_CHANGES:`. Of actions on the same path, or on a path and a folder
/// above it, those of the first model are taken; the same action twice is no conflict. Paths that differ only in case are the same.
pub fn merge_replies(replies: &[ModelReply]) -> Merged {
    let chosen = choose_replies(replies);
    let mut claims: Vec<ClaimedAction<'_>> = Vec::new();
    let mut conflicts = Vec::new();
    for reply in &chosen {
        let own = claims_of(reply);
        for claim in own {
            let others = || claims.iter().filter(|other| other.reply != claim.reply);
            if others().any(|other| other.action == claim.action) {
                continue;
            }
            match others().find(|other| claim.clashes_with(other)) {
                None => claims.push(claim),
                Some(first) => conflicts.push(MergeConflict {
                    path: claim.path().to_owned(),
                    kept: first.reply.model.clone(),
                    dropped: reply.model.clone(),
                }),
            }
        }
    }
    let actions: Vec<&Value> = claims.iter().map(|claim| claim.action).collect();
    let text = json!({
        "actions": actions,
        "summary": join_summaries(&chosen),
        "context_requests": all_requests(&chosen),
        "memory_patch": first_memory(&chosen),
    });
    Merged { text: text.to_string(), conflicts }
}

/// An action and the reply that has it.
struct ClaimedAction<'a> {
    reply: &'a ModelReply,
    action: &'a Value,
    /// The path in the form that equal paths share.
    identity: String,
}

impl ClaimedAction<'_> {
    fn path(&self) -> &str {
        text_at(self.action, "path")
    }

    /// Returns `true` if only one of both actions can be taken.
    fn clashes_with(&self, other: &ClaimedAction<'_>) -> bool {
        self.identity == other.identity || self.is_inside(other) || other.is_inside(self)
    }

    /// Returns `true` for a path below that of an action that leaves no folder there.
    fn is_inside(&self, other: &ClaimedAction<'_>) -> bool {
        let rest = self.identity.strip_prefix(&other.identity);
        rest.is_some_and(|rest| rest.starts_with('/'))
            && text_at(other.action, "kind") != "CREATE_DIR"
    }
}

/// Returns the replies that count: the changes, else the plans, else all.
fn choose_replies(replies: &[ModelReply]) -> Vec<&ModelReply> {
    let with_change: Vec<_> =
        replies.iter().filter(|reply| !actions_of(&reply.value).is_empty()).collect();
    if !with_change.is_empty() {
        return with_change;
    }
    let is_plan = |reply: &&ModelReply| !says_no_changes(reply);
    let plans: Vec<_> = replies.iter().filter(is_plan).collect();
    if plans.is_empty() { replies.iter().collect() } else { plans }
}

/// Returns the actions of a reply, each with the identity of its path.
fn claims_of(reply: &ModelReply) -> Vec<ClaimedAction<'_>> {
    let claim = |action| {
        let path = text_at(action, "path");
        // A path that is none is refused by the gates; here it only needs a name.
        let identity = RepoPath::parse(path).map_or_else(|_| path.to_owned(), |it| it.identity());
        ClaimedAction { reply, action, identity }
    };
    actions_of(&reply.value).iter().map(claim).collect()
}

/// Returns the actions of a valid reply; v1 has them in three places.
fn actions_of(value: &Value) -> &[Value] {
    let list = value.as_array().or_else(|| value.get("actions")?.as_array());
    let list = list.or_else(|| value.pointer("/proposed_changes/actions")?.as_array());
    list.map(Vec::as_slice).unwrap_or_default()
}

/// Returns the different summaries. The first line is that of the first model.
fn join_summaries(replies: &[&ModelReply]) -> String {
    let mut summaries: Vec<&str> = Vec::new();
    for summary in replies.iter().map(|reply| summary_of(reply)) {
        if !summary.is_empty() && !summaries.contains(&summary) {
            summaries.push(summary);
        }
    }
    summaries.join("\n\n")
}

/// Returns the context requests of all replies, each once, in their order.
fn all_requests(replies: &[&ModelReply]) -> Vec<Value> {
    let lists = replies.iter().filter_map(|reply| reply.value.get("context_requests")?.as_array());
    let mut all: Vec<Value> = Vec::new();
    for request in lists.flatten() {
        if !all.contains(request) {
            all.push(request.clone());
        }
    }
    all
}

/// Returns all that is to be remembered; of two values of a key the first.
fn first_memory(replies: &[&ModelReply]) -> Map<String, Value> {
    let patches = replies.iter().filter_map(|reply| reply.value.get("memory_patch")?.as_object());
    let mut all = Map::new();
    for (key, value) in patches.flatten() {
        all.entry(key.clone()).or_insert_with(|| value.clone());
    }
    all
}

/// Adds the digests of shown files to actions that tool calls express: tools have no parameter for them.
fn fill_digests(value: &mut Value, shown: &[(RepoPath, Sha256)]) {
    let Some(actions) = value.get_mut("actions").and_then(Value::as_array_mut) else { return };
    for action in actions {
        let needs_one =
            PATCHING.contains(&text_at(action, "kind")) && action.get("base_sha256").is_none();
        let path = RepoPath::parse(text_at(action, "path")).ok();
        let found = shown.iter().find(|(shown, _)| path.as_ref() == Some(shown));
        if let Some((_, digest)) = found.filter(|_| needs_one) {
            action["base_sha256"] = json!(digest.to_string());
        }
    }
}

fn summary_of(reply: &ModelReply) -> &str {
    text_at(&reply.value, "summary").trim()
}

fn text_at<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(model: &str, value: Value) -> ModelReply {
        ModelReply { model: model.into(), value }
    }

    fn create(path: &str, content: &str) -> Value {
        json!({"kind": "CREATE_FILE", "path": path, "content": content})
    }

    fn merged(replies: &[ModelReply]) -> (Value, Vec<String>) {
        let Merged { text, conflicts } = merge_replies(replies);
        let conflicts =
            conflicts.iter().map(|it| format!("{} {} {}", it.path, it.kept, it.dropped)).collect();
        (serde_json::from_str(&text).unwrap(), conflicts)
    }

    #[test]
    fn the_first_action_of_a_path_is_taken_however_the_path_is_written() {
        let first =
            json!({"actions": [create("src/a.py", "1"), create("src/a.py", "2")], "summary": "a"});
        let folder = json!({"kind": "DELETE_DIR", "path": "src"});
        let second = json!({"actions": [create("SRC/A.py", "3"), folder, create("b.py", "4")], "summary": "b"});
        let third = json!({"actions": [create("b.py", "4"), create("b.py/c", "5"), create("../x", "6")], "summary": "a"});
        let replies = [reply("one", first), reply("two", second), reply("three", third)];
        let (value, conflicts) = merged(&replies);
        let expected = json!({
            // Two actions of one model on a path are for the gates to refuse.
            "actions": [create("src/a.py", "1"), create("src/a.py", "2"), create("b.py", "4"), create("../x", "6")],
            "summary": "a\n\nb", "context_requests": [], "memory_patch": {},
        });
        assert_eq!(value, expected);
        assert_eq!(conflicts, ["SRC/A.py one two", "src one two", "b.py/c two three"]);
    }

    #[test]
    fn a_new_folder_is_no_conflict_with_the_files_in_it() {
        let folder = json!({"kind": "CREATE_DIR", "path": "new"});
        let first = json!({"actions": [folder], "summary": "a"});
        let second = json!({"actions": [folder, create("new/a", "")], "summary": "b"});
        let (value, conflicts) = merged(&[reply("one", first), reply("two", second)]);
        assert_eq!(value["actions"], json!([folder, create("new/a", "")]));
        assert_eq!(conflicts, <[String; 0]>::default());
    }

    #[test]
    fn changes_come_before_plans_and_plans_before_no_changes() {
        let nothing = json!({"actions": [], "summary": "NO_CHANGES: fine"});
        let ask = json!({"type": "env"});
        let plan = json!({"actions": [], "summary": "look", "context_requests": [ask], "memory_patch": {"a": 1}});
        let change = json!([create("a", "1")]);
        let all = [reply("n", nothing), reply("p", plan), reply("c", change)];
        let summary = |replies: &[ModelReply]| merged(replies).0["summary"].clone();
        assert_eq!(merged(&all).0["actions"], json!([create("a", "1")]));
        assert_eq!(merged(&all).0["context_requests"], json!([]));
        let plans = merged(&all[..2]).0;
        let expected = json!({"actions": [], "summary": "look", "context_requests": [ask], "memory_patch": {"a": 1}});
        assert_eq!(plans, expected);
        assert_eq!(summary(&all[..1]), "NO_CHANGES: fine");
    }

    #[test]
    fn of_changes_that_exclude_each_other_the_first_one_is_taken() {
        let plan = json!({"actions": [], "summary": "look"});
        let first = json!({"actions": [create("a", "1"), create("b", "2")], "summary": "one"});
        let second = json!({"actions": [create("b", "2"), create("c", "3")], "summary": "two"});
        let replies = [reply("p", plan), reply("one", first.clone()), reply("two", second)];
        let Merged { text, conflicts } = take_first(&replies);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), first);
        let dropped = MergeConflict { path: "c".into(), kept: "one".into(), dropped: "two".into() };
        assert_eq!(conflicts, [dropped]);
        assert!(!agree(&replies) && !agree(&replies[..1]) && agree(&replies[1..2]));
        assert_eq!(read_change(Version::V2, &first).map(|set| set.actions.len()), Some(2));
        assert_eq!(read_change(Version::V2, &replies[0].value), None);
    }

    #[test]
    fn a_reply_that_breaks_the_mode_is_refused_by_itself() {
        let reading = ReplyRules {
            version: Version::V2,
            mode: Mode::Plan,
            accepts_change: false,
            shown: &[],
        };
        let change = json!({"actions": [create("a", "1")], "summary": "s"}).to_string();
        assert!(read_reply(reading, &change).is_err());
        assert!(read_reply(ReplyRules { accepts_change: true, ..reading }, &change).is_ok());
        assert!(read_reply(ReplyRules { mode: Mode::Apply, ..reading }, &change).is_ok());
        assert!(read_reply(reading, "I cannot help with that").is_err());
    }
}
