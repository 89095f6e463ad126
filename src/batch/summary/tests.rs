//! The reports' forms beside each other: the same rows in each, hostile texts as texts, and no secret in any.

use super::*;
use crate::batch::row::TaskRow;
use papayu_base::domain::{Outcome, OutcomeKind, RunId};
use papayu_base::text::Masker;

fn row(name: &str, kind: OutcomeKind, reason: &str) -> TaskRow {
    let outcome = Outcome::new(RunId::new("r".to_owned()), kind, reason);
    let pr_url = Some("https://h/o/r/pull/1?token=tin7violet9".to_owned());
    TaskRow { pr_url, ..TaskRow::new(name, name, name, &outcome, String::new()) }
}

fn forms(rows: Vec<TaskRow>) -> [String; 4] {
    let mut summary = BatchSummary::new(BatchEnd::default(), rows);
    summary.mask(&Masker::new(["tin7violet9".to_owned()]));
    let json = serde_json::to_string_pretty(&summary).unwrap();
    let page = html(&summary, &|row| Some(format!("at/{}", row.name)));
    [json, markdown(&summary), junit(&summary), page]
}

#[test]
fn every_form_has_every_row_without_its_secrets_and_the_bad_ones_stand_first() {
    let rows = vec![
        row("good", OutcomeKind::Fixed, "why"),
        row("bad", OutcomeKind::NotFixed, "password=hunter2hunter2 <b>tin7violet9</b>"),
        row("done", OutcomeKind::NothingToFix, "\u{1b}[31m`|`"),
    ];
    let forms = forms(rows);
    for form in &forms {
        assert!(!form.contains("tin7violet9") && !form.contains("hunter2"), "{form}");
        assert!(["good", "bad", "done"].iter().all(|name| form.contains(name)), "{form}");
    }
    let [json, page, cases, html] = &forms;
    let read: BatchSummary = serde_json::from_str(json).unwrap();
    assert_eq!(read.tasks.len(), 3);
    assert_eq!((read.outcome, read.counts["fixed"]), (OutcomeKind::NotFixed, 1));
    let at = |text: &str, name: &str| text.find(name).unwrap();
    assert!(at(page, "| bad") < at(page, "| good") && at(page, "| good") < at(page, "| done"));
    assert!(at(html, "<td>bad<") < at(html, "<td>good<"), "{html}");
    assert!(
        html.contains("<th></th></tr>\n<tr class=\"failed\"><td>bad</td>")
            && html.ends_with("</html>\n")
    );
    assert!(!html.contains("<b>") && cases.contains("tests=\"3\" failures=\"1\""), "{cases}");
}

#[test]
fn a_folder_whose_name_had_a_secret_is_not_linked() {
    let rows =
        vec![row("tin7violet9", OutcomeKind::Fixed, "why"), row("r", OutcomeKind::Fixed, "")];
    let [_, _, _, html] = forms(rows);
    assert_eq!(html.matches("outcome.json").count(), 1, "{html}");
    assert!(html.contains("<td>***</td>"), "{html}");
}
