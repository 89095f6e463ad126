//! A report as text, Markdown, a self-contained page, or OpenMetrics.

mod facts;
mod html;
mod markdown;
mod openmetrics;
mod text;

pub use html::html;
pub use markdown::markdown;
pub use openmetrics::openmetrics;
pub use text::text;
