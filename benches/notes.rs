//! How long 10,000 notes take to rank, in process: `cargo bench --bench notes`.
//!
//! `rank` is what a run pays for each request of a first message; its bound is 20 ms. `open` is what a run pays once.

use divan::Bencher;
use papayu_base::domain::{Failure, FailureReport, Location};
use papayu_base::text::Masker;
use papayu_index::notes::{Note, NoteBook, NoteDraft, NoteOrigin, NoteQuery};

const NOW: &str = "2026-03-01T12:00:00Z";
const COUNT: usize = 10_000;

fn main() {
    divan::main();
}

/// Notes of the size that proved fixes leave, on 500 files.
fn notes() -> Vec<Note> {
    let masker = Masker::new([]);
    let note = |number: usize| {
        let file = format!("src/part_{}/module_{}.py", number % 25, number % 500);
        let title = format!("{file}: AssertionError: total_{number} != {}", number * 7);
        let text = format!(
            "class: code\nfix: compute the total of step {number} without the tax\nchanged: {file}\n\
             -    return sum(order.price for order in orders_{number}) + tax\n\
             +    return sum(order.price for order in orders_{number})\n"
        );
        let draft = NoteDraft {
            origin: NoteOrigin::Fix,
            identity: "",
            title: &title,
            text: &text,
            ttl_days: 90,
        };
        Note::new(draft, NOW, &masker)
    };
    (0..COUNT).filter_map(note).collect()
}

fn query() -> NoteQuery {
    let path = "src/part_7/module_7.py".to_owned();
    let failure = Failure {
        test: Some("tests.test_orders.T.test_total".to_owned()),
        message: "AssertionError: total_507 != 3549".to_owned(),
        locations: vec![Location { path, line: Some(7), column: None }],
        ..Failure::default()
    };
    let report = FailureReport { failures: vec![failure; 5], ..FailureReport::default() };
    NoteQuery::new(&report, "fix the total of orders")
}

#[divan::bench]
fn rank(bencher: Bencher<'_, '_>) {
    let (book, query) = (NoteBook::new(notes(), NOW), query());
    bencher.bench_local(|| divan::black_box(book.rank(&query).len()));
}

#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let notes = notes();
    bencher
        .with_inputs(|| notes.clone())
        .bench_local_values(|notes| divan::black_box(NoteBook::new(notes, NOW)));
}
