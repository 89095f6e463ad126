//! Reads the output of tools that are described by data: a row for each form of message, in TOML.
//!
//! [`table`] has the rows, [`reading`] follows them line by line. To add a tool, add a row with a sample to a file of
//! this folder; a test runs every sample through the whole reader.

mod reading;
mod table;

pub(super) use reading::ToolReader;
pub(super) use table::{RowCue, row_cues, sort_cues};

#[cfg(test)]
mod tests;
