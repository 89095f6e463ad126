//! One request where nothing must be read, two where something must be, on every route.

use serde_json::{Value, json};

use crate::judges::assert_vendor_accepts;
use crate::mock::{Mock, Route, Sent};
use crate::project::Project;
use crate::replies::{self, BAD, GOOD, base};

/// Returns the conversation of a request, one text for each message, without Anthropic's cache marks.
fn messages(sent: &Sent) -> Vec<String> {
    let mut texts = vec![sent.rules()];
    for mut message in sent.messages().iter().cloned() {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
        texts.push(message.to_string());
    }
    texts
}

/// Asserts that a request is the one before with more messages, and returns the share of its text that is
/// not new: a provider's cache can serve that part.
fn assert_conversation_grows(mock: &Mock) -> Vec<f64> {
    let sent: Vec<_> = mock.sent().iter().map(messages).collect();
    let mut shares = Vec::new();
    for (before, after) in sent.iter().zip(sent.iter().skip(1)) {
        assert_eq!(after.get(..before.len()), Some(before.as_slice()));
        assert_eq!(after.len(), before.len() + 2, "a reply and a message are added");
        let size = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
        #[expect(clippy::cast_precision_loss, reason = "lengths of texts are small")]
        shares.push(size(before) as f64 / size(after) as f64);
    }
    shares
}

#[test]
fn a_fix_that_needs_no_reading_takes_one_request() {
    for route in Route::ALL {
        let mock = Mock::start(&[replies::patch(&base(), GOOD)]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!((&run.outcome["requests"], mock.statuses().len()), (&json!(1), 1));
        let modes: Vec<_> = run.traces.iter().map(|trace| trace["mode"].clone()).collect();
        assert_eq!(modes, [json!("direct")]);
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn a_fix_that_needs_reading_takes_two_requests() {
    let requests = json!([{ "type": "search", "query": "dict(DEFAULTS)" }]);
    for route in Route::ALL {
        let mock = Mock::start(&[replies::plan_reading(&requests), replies::patch(&base(), GOOD)]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!((&run.outcome["requests"], mock.statuses().len()), (&json!(2), 2));
        let [trace] = run.traces.as_slice() else { panic!("{:?}", run.traces) };
        assert_eq!(trace["mode"], "direct");
        let shares = assert_conversation_grows(&mock);
        assert!(shares[0] > 0.9, "{shares:?}");
        assert!(mock.sent()[1].prompt().contains("settings/parser.py:7: found = dict(DEFAULTS)"));
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}

#[test]
fn a_repair_and_a_fallback_only_add_messages() {
    let mended = crate::project::PARSER.replace("in text.", "in (text or \"\").");
    for route in Route::ALL {
        let mock = Mock::start(&[
            replies::patch(&base(), BAD),
            replies::patch(&base(), BAD),
            replies::whole_file(&mended),
        ]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!(run.outcome["protocol"]["attempts"], json!(["v2", "v1"]));
        assert_conversation_grows(&mock);
        let sent = mock.sent();
        let of_model =
            |message: &&Value| message["role"] == "assistant" || message["role"] == "model";
        let replayed: Vec<&Value> = sent[2].messages().iter().filter(of_model).collect();
        assert_eq!(replayed.len(), 2, "the model sees its own replies");
        assert_vendor_accepts(route, &mock);
        project.assert_patch_mends(&run);
    }
}
