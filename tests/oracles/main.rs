//! Oracles that need a folder of other people's files; each is called by the script of its name.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests look at files and the environment themselves, say what they counted, and fail where it is wrong"
)]

mod rustfix;
