//! The real outside world: the only place that names `std::fs`, `std::env`, `std::process` and
//! clocks.

pub mod cache;
pub mod clock;
pub mod disk;
pub mod environment;
pub mod handover;
pub mod http;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "nats")]
mod nats_link;
#[cfg(feature = "nats")]
mod nats_results;
pub mod process;
mod reach;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "redis")]
mod redis_store;
pub mod sandbox;
pub mod signal;
pub mod survey;
mod temporary;
pub mod timed;
mod tls;
pub mod tree;
mod user_key;
pub mod walk;

pub use cache::OsCache;
pub use clock::OsClock;
pub use disk::OsDisk;
pub use http::OsHttp;
pub use process::OsProcess;
#[cfg(feature = "redis")]
pub use redis_store::RedisStore;
pub use temporary::remove_leftovers;
pub use tree::OsTree;
