//! A bug of ours in one task, which is that task's outcome and nobody else's.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::batch::clones::Clones;
use crate::batch::expand::expand;
use crate::batch::journal::{BatchHead, BatchHistory};
use crate::batch::manifest::{ManifestFormat, TaskBudget, read_manifest};
use crate::batch::plan::{BatchLimits, BatchSpend, Next};
use crate::batch::task::{FolderLocks, TaskWork};
use crate::fix::fetched_recipes::FetchedRecipes;
use papayu_base::domain::{NoEvents, OutcomeKind};
use papayu_base::text::Masker;
use papayu_forge::{ForgeConfig, GitHub, Outside};
use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use papayu_system::{Disk as _, Http, HttpError, HttpRequest, HttpResponse};

/// A door that breaks.
struct Broken;

impl Http for Broken {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        panic!("a bug in the door")
    }
}

struct Nobody;

impl BatchWatcher for Nobody {
    fn task_started(&self, _: &str) {}
    fn task_ended(&self, _: &TaskRow, _: usize, _: usize) {}
}

struct TwoTasks<'a> {
    tasks: &'a [PlannedTask],
    system: System<'a>,
}

impl TaskSource for TwoTasks<'_> {
    type Ticket = usize;

    fn claim(&self, state: &Mutex<PoolState>) -> Result<NextTask<usize>, BatchError> {
        let next = lock(state).plan.next(self.system.clock.elapsed(), false);
        let Next::Start(index, left) = next else { return Ok(NextTask::End) };
        let (planned, run) = (self.tasks[index].clone(), RunId::new(self.system.clock.fresh_id()));
        let task = Assignment { planned, run, is_resumed: false, left, is_alone: false };
        Ok(NextTask::Run(index, Box::new(task)))
    }

    fn finish(&self, _: &usize, _: &TaskRow, _: bool) -> Result<usize, BatchError> {
        Ok(0)
    }
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
    let manifest = read_manifest(Path::new("m"), text.as_bytes(), ManifestFormat::Yaml).unwrap();
    let (flag, masker) = (Arc::new(AtomicBool::new(false)), Arc::new(Masker::new([])));
    let mut environment = papayu_system::os::environment::snapshot();
    environment.retain(|(name, _)| name == "PATH");
    let process = OsProcess::new(flag.clone(), environment.clone());
    let (http, clock) = (OsHttp::new(flag.clone()), OsClock::new(flag.clone()));
    let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
    let config = ForgeConfig::default();
    let digest = manifest.digest;
    let forge = GitHub::whole(&config, Outside { system, events: &NoEvents, masker: &masker });
    let tasks = expand(manifest, &forge).unwrap();
    let shared = WorkerShared {
        sandbox: Arc::default(),
        flags: vec![("llm.api_url", "http://127.0.0.1:9/v1".to_owned(), "test")],
        config: None,
        environment,
        notices: Vec::new(),
        limits: TaskBudget::default(),
        timeout: Duration::from_mins(30),
        manifest_folder: root.path().to_owned(),
        out: at("out"),
        recipes: at("recipes"),
        gate: Arc::default(),
        fetched: FetchedRecipes::default(),
        interrupted: flag,
        http: Arc::new(Broken),
        clones: Clones::new(&at("clones"), 0, []),
        masker: masker.clone(),
        token: None,
        folders: FolderLocks::default(),
        work: TaskWork::Fix,
    };
    let head = BatchHead { manifest: digest.to_string(), ..BatchHead::default() };
    let journal = BatchJournal::create(&OsDisk, &at("out/journal.jsonl"), head).unwrap();
    let plan =
        BatchPlan::new([(0, false), (1, false)], BatchLimits::default(), BatchSpend::default());
    let total = Some(2);
    let pool =
        Pool { shared: &shared, journal: &journal, watcher: &Nobody, system, jobs: 2, total };
    let source = TwoTasks { tasks: &tasks, system };
    let done = run_pool(&pool, &source, plan, HashMap::new());
    let [bad, good] = ["bad", "good"].map(|key| done.rows[key].clone());
    assert_eq!((bad.outcome, bad.exit_code), (OutcomeKind::Internal, 1));
    assert!(bad.reason.contains("a bug in the door"), "{}", bad.reason);
    assert!(OsDisk.is_file(&at("out/bad/outcome.json")));
    assert_eq!(good.outcome, OutcomeKind::NothingToFix);
    assert_eq!((done.plan.stopped(), done.plan.waiting(), done.done), (None, 0, 2));
    let history = BatchHistory::read(&OsDisk, &at("out/journal.jsonl")).unwrap();
    assert_eq!(history.rows, done.rows);
}
