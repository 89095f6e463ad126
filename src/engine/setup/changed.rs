//! Installs again what a change of manifests and lock files asks for, before the command runs with or without it.

use std::collections::BTreeMap;

use super::super::fatal::Fatal;
use super::super::run::Run;
use super::prepare;
use crate::bump::names_installed;
use papayu_base::domain::RepoPath;
use papayu_patch::Change;

/// The end of an installation for the files as they are.
pub(in super::super) enum InstallEnd {
    /// Everything is installed.
    Current,
    /// A signal or the time limit of the run ended it.
    Interrupted,
    /// It failed, for this reason.
    Failed(Fatal),
}

/// Installs if the manifests and lock files that the change touches are not as they were at the last installation.
pub(in super::super) fn install_changed(run: &mut Run<'_>) -> InstallEnd {
    if run.inputs.config.setup.steps.is_empty() {
        return InstallEnd::Current;
    }
    let changes = run.changes.vetted.iter().flat_map(|it| it.whole().changes());
    for change in changes.filter(|change| names_installed(change.path().as_str())) {
        let before = match change {
            Change::WriteFile { before, .. } | Change::RemoveFile { before, .. } => Some(before),
            _ => None,
        };
        run.checks.installed.entry(change.path().clone()).or_insert_with(|| before.cloned());
    }
    let tree = run.inputs.world.tree;
    let read = |path: &RepoPath| (path.clone(), tree.read(path, u64::MAX).ok());
    let now: BTreeMap<_, _> = run.checks.installed.keys().map(read).collect();
    if run.checks.installed == now {
        return InstallEnd::Current;
    }
    // The failure to fix is that of the command.
    let (triage, was_unprepared) = (run.failure.triage.clone(), run.checks.is_unprepared);
    let prepared = prepare(run);
    (run.failure.triage, run.checks.is_unprepared) = (triage, was_unprepared);
    match prepared {
        Ok(true) => {
            run.checks.installed = now;
            InstallEnd::Current
        }
        Ok(false) => InstallEnd::Interrupted,
        Err(fatal) => {
            // A part may be installed: the next run installs again.
            run.checks.installed.values_mut().for_each(|it| *it = Some(Vec::new()));
            InstallEnd::Failed(fatal)
        }
    }
}
