//! Reads SARIF 2.1, which many analysers write.
//!
//! A result can leave its level, its text and its path to tables of the run; they are looked up. Results that need no
//! repair (suppressed, absent, unchanged, passed, below the level `error`) are only counted.

use serde_json::Value;

use super::{Found, items_at, location_at, number_at, sarif_fix, text_at};
use crate::failure::draft::FailureDraft;
use papayu_base::domain::{ColumnUnit, Failure, FailureKind, Location};

/// Most steps from a base to the base that it is relative to.
const MAX_BASES: usize = 8;

/// Returns the errors of a report; `None` for other JSON.
pub(super) fn read_sarif(report: &Value) -> Option<Found> {
    let mut found = Found::default();
    for run in report.get("runs")?.as_array()? {
        let unit = match text_at(run, "/columnKind") {
            Some("utf16CodeUnits") => ColumnUnit::Utf16,
            Some("unicodeCodePoints") => ColumnUnit::CodePoint,
            _ => ColumnUnit::Unsaid,
        };
        for result in items_at(run, "/results") {
            let result = SarifResult { run, result, rule: find_rule(run, result) };
            match result.why_skipped() {
                Some(why) => found.skip(why),
                None => found.failures.push(result.read(unit)),
            }
        }
    }
    Some(found)
}

/// One result with the run and the rule that complete it.
struct SarifResult<'v> {
    run: &'v Value,
    result: &'v Value,
    rule: Option<&'v Value>,
}

/// Returns the rule of a result: by its index, else by its name.
fn find_rule<'v>(run: &'v Value, result: &'v Value) -> Option<&'v Value> {
    let component = match number_at::<usize>(result, "/rule/toolComponent/index") {
        Some(at) => items_at(run, "/tool/extensions").get(at)?,
        None => run.pointer("/tool/driver")?,
    };
    let rules = items_at(component, "/rules");
    let index = number_at::<usize>(result, "/ruleIndex")
        .or_else(|| number_at::<usize>(result, "/rule/index"));
    if let Some(rule) = index.and_then(|at| rules.get(at)) {
        return Some(rule);
    }
    let id = text_at(result, "/ruleId").or_else(|| text_at(result, "/rule/id"))?;
    let extensions = items_at(run, "/tool/extensions").iter().flat_map(|it| items_at(it, "/rules"));
    rules.iter().chain(extensions).find(|rule| {
        // `id/part` is a part of the rule `id`.
        text_at(rule, "/id").is_some_and(|known| {
            id.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    })
}

impl SarifResult<'_> {
    /// Returns the reason why a result needs no repair; `None` for an open error.
    fn why_skipped(&self) -> Option<&'static str> {
        let suppressions = items_at(self.result, "/suppressions");
        // A suppression that is under review or rejected leaves the result open.
        let is_accepted = |it: &Value| matches!(text_at(it, "/status"), None | Some("accepted"));
        if !suppressions.is_empty() && suppressions.iter().any(is_accepted) {
            return Some("suppressed");
        }
        match text_at(self.result, "/baselineState") {
            Some("absent") => return Some("absent since the baseline"),
            Some("unchanged") => return Some("unchanged since the baseline"),
            _ => {}
        }
        if text_at(self.result, "/kind").is_some_and(|kind| kind != "fail") {
            return Some("of another kind than `fail`");
        }
        (self.level() != "error").then_some("below the level `error`")
    }

    /// Returns the level of the result, else that of its rule, else SARIF's default.
    fn level(&self) -> &str {
        text_at(self.result, "/level")
            .or_else(|| text_at(self.rule?, "/defaultConfiguration/level"))
            .unwrap_or("warning")
    }

    /// Returns the failure of an open result.
    fn read(&self, unit: ColumnUnit) -> Failure {
        let id = text_at(self.result, "/ruleId").or_else(|| text_at(self.result, "/rule/id"));
        let id = id.or_else(|| text_at(self.rule?, "/id"));
        let tool = text_at(self.run, "/tool/driver/name").unwrap_or_default();
        // Its scanners are `SnykCode`, `Snyk Open Source` and so on; their rules have names of all kinds.
        let is_snyk = tool.to_ascii_lowercase().starts_with("snyk");
        let toolchain = if is_snyk { "snyk" } else { "sarif" };
        let mut draft = FailureDraft::new(toolchain, FailureKind::Lint, "").with_code(id);
        self.message().lines().for_each(|line| draft.add_line(line));
        // The fix belongs to the location that the tool names first, before runtimes are left out.
        let mut first = None;
        for at in items_at(self.result, "/locations") {
            let Some(artifact) = at.pointer("/physicalLocation/artifactLocation") else { continue };
            let Some(path) = self.path(artifact) else { continue };
            let region = at.pointer("/physicalLocation/region").unwrap_or(&Value::Null);
            let location = location_at(&path, region, "/startLine", "/startColumn");
            if first.is_none() {
                let uri = text_at(artifact, "/uri").unwrap_or(&path);
                first = Some(Location { path: uri.to_owned(), ..location.clone() });
            }
            draft.add_location(location);
        }
        let mut failure = draft.finish();
        let fixes = items_at(self.result, "/fixes");
        failure.fixes.extend(first.and_then(|at| sarif_fix::read_fix(fixes, &at, unit)));
        failure
    }

    /// Returns the text of the message, else the text of the rule that it names, with its arguments.
    fn message(&self) -> String {
        let message = self.result.get("message").unwrap_or(&Value::Null);
        let by_id = || {
            let id = text_at(message, "/id")?;
            let of_rule = self.rule.and_then(|rule| rule.get("messageStrings")?.get(id));
            let shared = || self.run.pointer("/tool/driver/globalMessageStrings")?.get(id);
            let string = of_rule.or_else(shared)?;
            text_at(string, "/text").or_else(|| text_at(string, "/markdown"))
        };
        let of_rule = || {
            let rule = self.rule?;
            text_at(rule, "/shortDescription/text")
                .or_else(|| text_at(rule, "/fullDescription/text"))
        };
        let text = text_at(message, "/text")
            .or_else(by_id)
            .or_else(|| text_at(message, "/markdown"))
            .or_else(of_rule)
            .unwrap_or_default();
        fill_arguments(text, items_at(message, "/arguments"))
    }

    /// Returns the path of an artifact, also one that is named by its index or relative to a base.
    fn path(&self, artifact: &Value) -> Option<String> {
        let listed = || {
            let at = number_at::<usize>(artifact, "/index")?;
            items_at(self.run, "/artifacts").get(at)?.get("location")
        };
        let artifact = if artifact.get("uri").is_some() { artifact } else { listed()? };
        let mut path = sarif_fix::path_of_uri(text_at(artifact, "/uri")?);
        let mut base = text_at(artifact, "/uriBaseId");
        for _ in 0..MAX_BASES {
            let Some(name) = base else { break };
            let Some(known) = self.run.get("originalUriBaseIds").and_then(|all| all.get(name))
            else {
                break;
            };
            // The root of the repository is a base without a path that helps here.
            let uri = text_at(known, "/uri").unwrap_or_default();
            if !uri.contains("://") && !uri.is_empty() && !uri.starts_with('/') {
                path = format!("{}/{path}", sarif_fix::path_of_uri(uri.trim_end_matches('/')));
            }
            base = text_at(known, "/uriBaseId");
        }
        Some(path)
    }
}

/// Replaces `{0}`, `{1}`, … by the arguments; `{{` and `}}` are braces.
fn fill_arguments(text: &str, arguments: &[Value]) -> String {
    if arguments.is_empty() {
        return text.to_owned();
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
            filled.extend(from.chars().next());
            rest = after;
            continue;
        }
        let argument =
            from.strip_prefix('{').and_then(|it| it.split_once('}')).and_then(|(number, after)| {
                Some((arguments.get(number.parse::<usize>().ok()?)?, after))
            });
        if let Some((argument, after)) = argument {
            filled.push_str(argument.as_str().unwrap_or_default());
            rest = after;
        } else {
            filled.extend(from.chars().next());
            rest = from.get(1..).unwrap_or_default();
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_replace_their_numbers() {
        let arguments = [json!("a"), json!("b")];
        for (text, filled) in
            [("{1} and {0}", "b and a"), ("{{0}} {2} {", "{0} {2} {"), ("100% {0", "100% {0")]
        {
            assert_eq!(fill_arguments(text, &arguments), filled, "{text}");
        }
    }

    #[test]
    fn what_is_not_open_is_counted_by_its_reason() {
        let result = |extra: Value| {
            let mut result = json!({"ruleId": "r", "level": "error", "message": {"text": "m"}});
            let fields = result.as_object_mut().unwrap();
            fields.extend(extra.as_object().unwrap().clone());
            result
        };
        let results = [
            result(json!({})),
            result(json!({"kind": "pass"})),
            result(json!({"suppressions": [{"status": "rejected"}]})),
            result(json!({"suppressions": [{"kind": "external"}]})),
            result(json!({"baselineState": "absent"})),
            result(json!({"level": "note"})),
            result(json!({"level": null, "ruleId": "w/part"})),
        ];
        let rules = json!([{"id": "w", "defaultConfiguration": {"level": "error"}}]);
        let driver = json!({"driver": {"rules": rules}});
        let report = json!({"runs": [{"tool": driver, "results": results}]});
        let found = read_sarif(&report).unwrap();
        assert_eq!(found.failures.len(), 3);
        assert_eq!(
            found.notes(),
            [
                "1 result of another kind than `fail` was skipped",
                "1 result suppressed was skipped",
                "1 result absent since the baseline was skipped",
                "1 result below the level `error` was skipped",
            ]
        );
    }
}
