//! `papayu-batch batch matrix`: the shards of a manifest as a GitHub matrix.

use std::path::Path;

use serde_json::{Value, json};

use super::desk::Desk;
use crate::batch::select::{Names, shard_of};
use crate::cli::args::GlobalArgs;
use crate::cli::{CliError, Output};
use crate::domain::ExitCode;

/// Prints one entry a shard that has tasks, on one line: a job's output is one.
pub(super) fn run(
    global: &GlobalArgs,
    manifest: &Path,
    max: u32,
    filter: &[String],
) -> Result<ExitCode, CliError> {
    let desk = Desk::open(global, Vec::new())?;
    let names = Names::read(filter)?;
    let tasks = desk.read(manifest)?.tasks;
    names.fit_some(&tasks)?;
    let chosen = tasks.iter().filter(|task| names.fit(&task.name()));
    let keys: Vec<&str> = chosen.map(|task| &*task.key).collect();
    Output::data(&json!({ "include": entries(&keys, max) }).to_string())?;
    Ok(ExitCode::Ok)
}

fn entries(keys: &[&str], max: u32) -> Vec<Value> {
    let total = u32::try_from(keys.len()).unwrap_or(u32::MAX).min(max);
    let mut counts = vec![0_usize; total as usize];
    for key in keys {
        if let Some(count) = counts.get_mut(shard_of(key, total) as usize - 1) {
            *count += 1;
        }
    }
    let full = counts.iter().zip(1_u32..).filter(|(count, _)| **count > 0);
    let entry = |(tasks, index): (&usize, u32)| json!({ "shard": format!("{index}/{total}"), "index": index, "total": total, "tasks": tasks });
    full.map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_in_one_entry_and_no_entry_is_empty() {
        let keys: Vec<String> = (0..1000).map(|number| format!("o/r{number}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for (count, max, most) in
            [(0, 256, 0), (1, 256, 1), (3, 256, 3), (1000, 256, 256), (1000, 7, 7)]
        {
            let entries = entries(&keys[..count], max);
            assert!(entries.len() <= most, "{count} {max}");
            let tasks: Vec<u64> = entries.iter().filter_map(|it| it["tasks"].as_u64()).collect();
            assert!(tasks.iter().all(|tasks| *tasks > 0));
            assert_eq!(tasks.iter().sum::<u64>(), count as u64);
        }
    }
}
