//! The files that a command line reads as its check: scripts, what they call, and the settings and expected results that they name.

mod command_lines;
mod reader;
#[cfg(test)]
mod tests;

pub use reader::find_check_files;
