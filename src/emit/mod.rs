//! The outputs of a run: the result folder, and the formats of CI systems.
//!
//! [`results`] writes the files that every run leaves behind: `outcome.json`, `papayu.patch`,
//! `plan.json` and `log.txt`. The other modules render one format each as text or JSON and
//! touch no
//! file; `cli::ci` and `fix` write what they return.

pub mod agent_sync;
pub mod annotations;
mod changes;
pub mod github_output;
pub mod junit;
pub mod results;
pub mod sarif;
pub mod step_summary;

pub use changes::changed_files;
pub use results::{JUDGE_PACKET, ResultError, Results, remove_earlier_change, write_results};
