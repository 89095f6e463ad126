//! Replies that are neither a plan nor a change.

use serde::de::DeserializeOwned;

use crate::protocol::extract::extract_json;
use crate::protocol::refusal::Refusal;
use crate::protocol::reply_form::ReplyForm;
use crate::protocol::schema::form_schema;
use crate::protocol::wire_schema::drop_nulls;
use papayu_base::domain::ErrorCode;

/// Returns the contents of a reply of a form, in the type that the form names.
///
/// # Errors
///
/// `ERR_SCHEMA_VALIDATION` for faults of the schema, and the errors of [`extract_json`].
///
/// ```
/// use papayu_patch::protocol::{ReplyForm, WebSummary, decode_form};
///
/// let reply = r#"{"summary": "Use `model_validator`.", "sources": [1]}"#;
/// let read: WebSummary = decode_form(ReplyForm::WebSummary, reply)?;
/// assert_eq!(read.sources, [1]);
/// # Ok::<(), papayu_patch::protocol::Refusal>(())
/// ```
pub fn decode_form<T: DeserializeOwned>(form: ReplyForm, reply: &str) -> Result<T, Refusal> {
    let value = drop_nulls(extract_json(reply)?.value);
    let refused = |reason: String| Refusal::of_reply(ErrorCode::SchemaValidation, reason);
    form_schema(form).validate(&value).map_err(refused)?;
    // A number that is whole for the schema and not for the type, such as 1e300.
    serde_json::from_value(value).map_err(|error| refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::reply_form::{Claim, Claims, Remarks};

    #[test]
    fn each_form_is_read_by_its_own_schema() {
        let reply = r#"Here: {"claims": [{"claim": "it is 41", "path": "a.py", "start_line": 1, "end_line": 2, "quote": null}]}"#;
        let claims: Claims = decode_form(ReplyForm::Claims, reply).unwrap();
        let claim = Claim {
            claim: "it is 41".into(),
            path: "a.py".into(),
            start_line: 1,
            end_line: 2,
            quote: None,
        };
        assert_eq!(claims.claims, [claim]);
        let reply = r#"{"summary": "s", "remarks": [{"path": "a", "line": 3, "severity": "note", "text": "t"}]}"#;
        let remarks: Remarks = decode_form(ReplyForm::Remarks, reply).unwrap();
        assert_eq!((remarks.remarks.len(), remarks.remarks[0].line), (1, 3));
    }

    #[test]
    fn a_reply_of_another_form_is_refused() {
        for (form, reply) in [
            (ReplyForm::Claims, "I cannot do that"),
            (ReplyForm::Claims, r#"{"actions": [], "summary": "s"}"#),
            (
                ReplyForm::Claims,
                r#"{"claims": [{"claim": "", "path": "a", "start_line": 1, "end_line": 1}]}"#,
            ),
            (
                ReplyForm::Claims,
                r#"{"claims": [{"claim": "c", "path": "a", "start_line": -1, "end_line": 1}]}"#,
            ),
            (
                ReplyForm::Remarks,
                r#"{"summary": "s", "remarks": [{"path": "a", "line": 1e300, "severity": "note", "text": "t"}]}"#,
            ),
            (
                ReplyForm::Remarks,
                r#"{"summary": "s", "remarks": [{"path": "a", "line": 1, "severity": "fatal", "text": "t"}]}"#,
            ),
            (ReplyForm::Remarks, r#"{"summary": "s", "remarks": [], "actions": []}"#),
            (
                ReplyForm::Opinion,
                r#"{"verdict": "right", "confidence": "high", "why": "w", "lines": []}"#,
            ),
            (ReplyForm::Opinion, r#"{"verdict": "cause", "confidence": "high", "why": "w"}"#),
            (
                ReplyForm::Opinion,
                r#"{"verdict": "cause", "confidence": "high", "why": "w", "lines": [], "accept": true}"#,
            ),
            (ReplyForm::WebSummary, r#"{"summary": "s"}"#),
            (ReplyForm::ConversationSummary, r#"{"summary": ""}"#),
            (ReplyForm::Recipe, r#"{"recipe": ""}"#),
        ] {
            let read: Result<serde_json::Value, Refusal> = decode_form(form, reply);
            // A plain value takes any number; the types of the forms do not.
            let is_refused = match form {
                ReplyForm::Remarks => decode_form::<Remarks>(form, reply).is_err(),
                ReplyForm::Claims
                | ReplyForm::Opinion
                | ReplyForm::WebSummary
                | ReplyForm::ConversationSummary
                | ReplyForm::Recipe => read.is_err(),
            };
            assert!(is_refused, "{reply}");
        }
    }
}
