//! Every row is valid, and the whole reader reads its samples.

use super::table::{FILES, ROWS, read_rows};
use crate::failure::{LogReader, ReportLimits};
use papayu_base::domain::{FailureKind, FailureReport};
use papayu_base::text::Pattern;

fn read(log: &str) -> FailureReport {
    let mut reader = LogReader::new(ReportLimits::default());
    reader.push(log.trim_start_matches('\n').as_bytes());
    reader.finish()
}

#[test]
fn every_row_is_valid() {
    for text in FILES {
        assert_ne!(read_rows(text).unwrap().len(), 0, "{text}");
    }
    for row in ROWS.iter() {
        let single =
            [Some(&row.begin), row.heading.as_ref(), row.ignore.as_ref(), row.end.as_ref()];
        let lists = row.follow.iter().chain(&row.last);
        assert!(single.into_iter().flatten().chain(lists).all(Pattern::is_valid), "{}", row.name);
        assert!(!row.cues.is_empty() && row.cues.iter().all(|cue| cue.len() > 2), "{}", row.name);
    }
}

#[test]
fn every_bad_sample_is_a_failure_of_its_tool_and_every_good_one_is_none() {
    let mut wrong = Vec::new();
    for row in ROWS.iter() {
        let bad = read(&row.bad);
        let is_own = |kind, toolchain: &str| {
            toolchain == row.toolchain && (kind == row.kind || row.kind == FailureKind::Unknown)
        };
        if !bad.failures.iter().any(|one| is_own(one.kind, &one.toolchain)) {
            wrong.push(format!("{}: {:?}", row.name, bad.failures));
        }
        let good = read(&row.good);
        if !good.failures.is_empty() {
            wrong.push(format!("{}, good: {:?}", row.name, good.failures));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
