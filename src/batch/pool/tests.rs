//! A bug of ours in one task, which is that task's outcome and nobody else's.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::batch::clones::Clones;
use crate::batch::expand::expand;
use crate::batch::manifest::{Form, Limits, read};
use crate::batch::plan::{BatchLimits, Spent};
use crate::batch::row::Rows as _;
use crate::batch::task::Turns;
use crate::domain::{NoEvents, OutcomeKind};
use crate::forge::{GitHub, GitHubConfig};
use crate::system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use crate::system::{Disk as _, Http, HttpError, HttpRequest, HttpResponse};
use crate::text::Masker;

/// A door that breaks.
struct Broken;

impl Http for Broken {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        panic!("a bug in the door")
    }
}

struct Nobody;

impl Watcher for Nobody {
    fn started(&self, _: &str) {}
    fn ended(&self, _: &Row, _: usize, _: usize) {}
}

#[test]
fn a_bug_ends_its_own_task_and_no_other() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    for name in ["bad", "good"] {
        OsDisk.write(&at(name).join("file"), b"text\n").unwrap();
    }
    let text =
        "- {repo: bad, run: 'false', provider: openai, model: m}\n- {repo: good, run: 'true'}\n";
    let manifest = read(Path::new("m"), text.as_bytes(), Form::Yaml).unwrap();
    let (flag, masker) = (Arc::new(AtomicBool::new(false)), Arc::new(Masker::new([])));
    let path = std::env::var_os("PATH").unwrap().into_string().unwrap();
    let environment = vec![("PATH".to_owned(), path)];
    let process = OsProcess::new(flag.clone(), environment.clone());
    let (http, clock) = (OsHttp::new(flag.clone()), OsClock::new(flag.clone()));
    let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
    let config = GitHubConfig { api_url: String::new(), repository: String::new(), token: None };
    let digest = manifest.digest;
    let forge = GitHub::whole(&config, system, &NoEvents, &masker);
    let tasks = expand(manifest, &forge).unwrap();
    let shared = Shared {
        flags: vec![("llm.api_url", "http://127.0.0.1:9/v1".to_owned(), "test")],
        config: None,
        environment,
        limits: Limits::default(),
        manifest_folder: root.path().to_owned(),
        out: at("out"),
        interrupted: flag,
        http: Arc::new(Broken),
        clones: Clones::new(&at("clones"), 0, []),
        masker: masker.clone(),
        token: (None, String::new()),
        folders: Turns::default(),
    };
    let place = at("out/journal.jsonl");
    let journal = Journal::begin(&OsDisk, &place, (&digest, &BTreeMap::new()), "t").unwrap();
    let plan = Plan::new([(0, false), (1, false)], BatchLimits::default(), Spent::default());
    let (past, ended) = (Past::default(), vec![None, None]);
    let batch = Batch { shared, tasks, shard: None, jobs: 2, journal, past, ended, system };
    let done = run(batch, plan, &Nobody).unwrap();
    let mut rows = Vec::new();
    let keep = |row: &Row| {
        rows.push(row.clone());
        Ok(())
    };
    done.rows.each(&mut { keep }).unwrap();
    let [bad, good] = <[Row; 2]>::try_from(rows).unwrap();
    assert_eq!((bad.outcome, bad.exit_code), (OutcomeKind::Internal, 1));
    assert!(bad.reason.contains("a bug in the door"), "{}", bad.reason);
    assert!(OsDisk.is_file(&at("out/bad/outcome.json")));
    assert_eq!(good.outcome, OutcomeKind::NothingToFix);
    assert_eq!((done.stop, done.not_started), (None, 0));
    let past = Past::read(&OsDisk, &at("out/journal.jsonl")).unwrap();
    assert!(past.complete && past.rows.len() == 2, "{past:?}");
}
