//! The real outside: the operating system's files, processes, network and clock.

pub mod walk;
