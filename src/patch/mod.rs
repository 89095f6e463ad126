//! Text in, text out: reads unified diffs and lands them, or refuses; a wrong landing is worse than a refusal.

pub mod preview;

pub use preview::{Change, Preview};
