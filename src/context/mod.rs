//! The context of requests: selection of files and lines, answers to requests of the model, limits.

pub mod answer;
pub mod cache;
mod change_text;
pub mod collect;
mod context_task;
pub mod diet;
pub mod evidence;
pub mod file_block;
pub mod gathered;
mod git;
mod graph;
pub mod later_message;
pub mod line_ranges;
mod mixing;
mod outline;
mod pool;
mod prose;
mod quoted;
pub mod ranking;
mod select;
pub mod shown;
pub mod sources;
mod stale;
mod structure;
pub mod windows;

pub use cache::{AnswerCache, CacheStats};
pub use collect::collect_context;
pub use context_task::{ContextTask, RepositoryIndex};
pub use diet::{ContextStats, DietConfig, Rendered, render_context};
pub use gathered::{Context, ContextFile, ContextText, FileRank, Reason, TextKind, Want};
pub use git::add_diff;
pub use graph::add_graph;
pub use later_message::{Answers, render_answers};
pub use quoted::with_quoted_failures;
pub use shown::ShownTexts;
