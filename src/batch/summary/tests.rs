//! The reports' forms beside each other: the same rows in each, hostile texts as texts, and no secret in any.

use std::io;

use super::*;
use crate::batch::plan::Spent;
use crate::batch::row::{Masked, Row, Rows};
use crate::domain::{Outcome, OutcomeKind, RunId};
use crate::text::Masker;

fn row(name: &str, kind: OutcomeKind, reason: &str) -> Row {
    let outcome = Outcome::new(RunId::new("r".to_owned()), kind, reason);
    let pr_url = Some("https://h/o/r/pull/1?token=tin7violet9".to_owned());
    Row { pr_url, ..Row::of((name, name, name), &outcome, String::new()) }
}

fn forms(rows: &dyn Rows) -> io::Result<[String; 4]> {
    let times = ("t0".to_owned(), "t1".to_owned());
    let summary =
        Summary::new("m".to_owned(), times, rows, (None, 0), (Spent::default(), Vec::new()))?;
    let mut forms = [const { Vec::new() }; 4];
    let [json, page, cases, html_page] = &mut forms;
    serde_json::to_writer_pretty(json, &summary)?;
    markdown(page, &summary)?;
    junit(cases, &summary)?;
    html(html_page, &summary, &|row| Some(format!("at/{}", row.name)))?;
    Ok(forms.map(|bytes| String::from_utf8(bytes).unwrap()))
}

#[test]
fn every_form_has_every_row_without_its_secrets_and_the_bad_ones_stand_first() {
    let rows = vec![
        row("good", OutcomeKind::Fixed, "why"),
        row("bad", OutcomeKind::NotFixed, "password=hunter2hunter2 <b>tin7violet9</b>"),
        row("done", OutcomeKind::NothingToFix, "\u{1b}[31m`|`"),
    ];
    let masker = Masker::new(["tin7violet9".to_owned()]);
    let forms = forms(&Masked { rows: &rows, masker: &masker }).unwrap();
    for form in &forms {
        assert!(!form.contains("tin7violet9") && !form.contains("hunter2"), "{form}");
        assert!(["good", "bad", "done"].iter().all(|name| form.contains(name)), "{form}");
    }
    let [json, page, cases, html] = &forms;
    let read: Summary = serde_json::from_str(json).unwrap();
    assert_eq!(read.tasks.len(), 3);
    assert_eq!((read.outcome, read.counts["fixed"]), (OutcomeKind::NotFixed, 1));
    let at = |text: &str, name: &str| text.find(name).unwrap();
    assert!(at(page, "| bad") < at(page, "| good") && at(page, "| good") < at(page, "| done"));
    assert!(at(html, "<td>bad<") < at(html, "<td>good<"), "{html}");
    assert!(html.contains("<th></th></tr>\n<tr><td>bad</td>") && html.ends_with("</html>\n"));
    assert!(!html.contains("<b>") && cases.contains("tests=\"3\" failures=\"1\""), "{cases}");
}

#[test]
fn a_folder_whose_name_had_a_secret_is_not_linked() {
    let rows =
        vec![row("tin7violet9", OutcomeKind::Fixed, "why"), row("r", OutcomeKind::Fixed, "")];
    let masker = Masker::new(["tin7violet9".to_owned()]);
    let [_, _, _, html] = forms(&Masked { rows: &rows, masker: &masker }).unwrap();
    assert_eq!(html.matches("outcome.json").count(), 1, "{html}");
    assert!(html.contains("<td>***</td>"), "{html}");
}

/// Rows that cannot be read any more.
struct Lost;

impl Rows for Lost {
    fn each(&self, _: &mut crate::batch::row::Take<'_>) -> io::Result<()> {
        Err(io::Error::other("the journal is gone"))
    }
}

#[test]
fn rows_that_cannot_be_read_are_no_shorter_report() {
    assert_eq!(forms(&Lost).unwrap_err().to_string(), "the journal is gone");
    let times = ("t0".to_owned(), "t1".to_owned());
    let none: Vec<Row> = Vec::new();
    let spent = (Spent::default(), Vec::new());
    let summary = Summary::new("m".to_owned(), times, &none, (None, 0), spent).unwrap();
    let told = serde_json::to_string(&summary.with(&Lost as &dyn Rows)).unwrap_err();
    assert!(told.to_string().contains("the journal is gone"), "{told}");
}
