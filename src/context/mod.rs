//! What the model sees, why each piece is there, and how much of it.

pub mod answer;
pub mod cache;
pub mod collect;
pub mod diet;
pub mod evidence;
pub mod file_block;
pub mod gathered;
mod git;
mod lookup;
mod outline;
pub mod ranking;
pub mod windows;

pub use cache::{Cache, CacheStats};
pub use collect::{Known, collect};
pub use diet::{ContextStats, DietConfig, Rendered, render};
pub use gathered::{Context, ContextFile, ContextText, Rank, TextKind};
