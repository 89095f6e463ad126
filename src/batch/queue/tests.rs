//! Jobs read from a queue: ours as they were, others refused.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::job::{JobError, MAX_BYTES, decode, encode, task_name};
use crate::batch::manifest::{self, ManifestFormat, TaskOptions};
use crate::batch::{PlannedTask, RepositoryOrigin};
use papayu_base::domain::ErrorCode;

const RUN: &str = "6f1f35d8-40b7-4bb9-9dba-6d6b8e5ce2f7";

fn planned(manifest: &str) -> PlannedTask {
    let mut read =
        manifest::read_manifest(Path::new("m"), manifest.as_bytes(), ManifestFormat::Toml).unwrap();
    let task = read.tasks.remove(0);
    let (named, key) = (Some("r".into()), "k/r".into());
    PlannedTask { named, key, ..PlannedTask::from_task(task).unwrap() }
}

fn job() -> String {
    encode(&planned("[[repositories]]\nrepo = \"r\"\n"), Path::new("/w"), RUN).unwrap()
}

#[test]
fn what_was_put_there_is_taken_as_it_was_with_its_paths_made_absolute() {
    let address = planned(
        "[defaults]\nbranch = \"dev\"\nlabels = [\"a\", \"б\"]\nemit = \"pr\"\n\
         budget = { max_cost = 0.25, max_tokens = 10, max_requests = 3, timeout_sec = 60, verify_timeout_sec = 5 }\n\
         [[repositories]]\nname = \"n\"\nrepo = \"https://h/o/r\"\ngoal = \"a \\\"goal\\\"\\nof two lines\"\n\
         run = \"true\"\nprovider = \"suggestions,openai\"\nmodel = \"m\"\nlog = \"logs/{name}.log\"\n",
    );
    let folder = planned("[defaults]\nbranch = \"dev\"\n[[repositories]]\nrepo = \"../r\"\n");
    for (planned, origin) in [
        (address, RepositoryOrigin::Address("https://h/o/r".into())),
        (folder, RepositoryOrigin::Folder("/w/m/../r".into())),
    ] {
        let text = encode(&planned, Path::new("/w/m"), RUN).unwrap();
        let read = decode(&task_name("k/r"), text.as_bytes()).unwrap();
        let log = planned.options.log.as_ref().map(|log| format!("/w/m/{log}"));
        let options = Arc::new(TaskOptions { log, ..TaskOptions::clone(&planned.options) });
        assert_eq!(read.planned, PlannedTask { origin, options, ..planned });
        assert_eq!(read.run.as_str(), RUN);
    }
}

#[test]
fn hostile_jobs_are_refused_each_in_its_words() {
    let good = job();
    assert!(decode(&task_name("k/r"), good.as_bytes()).is_ok());
    let with = |from: &str, to: &str| {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good, "{from}");
        changed.into_bytes()
    };
    for (bytes, word) in [
        (Vec::new(), "empty"),
        (vec![b'['; 100_000], "expected u32"),
        (
            with(
                "\"budget\":{}",
                &format!("\"goal\":{}{}", "[".repeat(100_000), "]".repeat(100_000)),
            ),
            "too deep",
        ),
        (vec![b' '; MAX_BYTES + 1], "longer"),
        (b"\x00\xff\xfe".to_vec(), "expected value"),
        (good.as_bytes()[..good.len() / 2].to_vec(), "EOF"),
        (with("\"name\":\"r\"", "\"name\":\"../../etc\""), "folder"),
        (with("\"name\":\"r\"", "\"name\":\"Journal.jsonl\""), "folder"),
        (with("\"name\":\"r\"", "\"name\":\"\""), "folder"),
        (with(RUN, "../x"), "no id"),
        (with("\"key\":\"k/r\"", "\"key\":\"other\""), "another"),
        (with("\"repo\":\"r\"", "\"repo\":\"r\\u001b[31m\""), "control characters"),
        (with("\"repo\":\"/w/r\"", "\"repo\":\"https://u:p@h/r\""), "user or password"),
        (with("\"repo\":\"/w/r\"", "\"repo\":\"o/*\""), "pattern"),
        (with("{\"repo\":\"/w/r\"", "\"/a\",{\"repo\":\"/w/r\""), "one task"),
        (with("\"budget\":{}", "\"shell\":\"x\""), "not a key"),
    ] {
        let fault = decode(&task_name("k/r"), &bytes).unwrap_err();
        let JobError::Unreadable(message) = fault else { panic!("{fault:?}") };
        assert!(message.contains(word), "{word}: {message}");
    }
    let newer = decode(&task_name("k/r"), b"{\"form\": 3, \"all\": [\"new\"]}");
    assert_eq!(newer, Err(JobError::OtherForm(3)));
}

#[test]
fn a_path_that_would_be_read_otherwise_is_told_before_it_is_put_there() {
    let odd = planned("[[repositories]]\nrepo = \"r\"\n");
    let error = encode(&odd, Path::new("/w/a::b"), RUN).unwrap_err();
    assert_eq!(error.code(), ErrorCode::QueueUnfit);
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_fall(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0_usize..400) {
        let _ = decode(&task_name("k/r"), &bytes);
        let mut changed = job().into_bytes();
        let place = at % changed.len();
        changed.splice(place..=place, bytes);
        let _ = decode(&task_name("k/r"), &changed);
    }
}
