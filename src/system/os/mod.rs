//! The real outside world: the only place that names `std::fs`, `std::env`, `std::process` and clocks.

pub mod clock;
pub mod disk;
pub mod environment;
pub mod http;
pub mod process;
pub mod signal;
pub mod tree;
pub mod walk;

pub use clock::OsClock;
pub use disk::OsDisk;
pub use http::OsHttp;
pub use process::OsProcess;
pub use tree::OsTree;
