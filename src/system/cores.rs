//! How many threads are worth starting.

use std::sync::OnceLock;
use std::thread;

/// Returns how many cores this process may use, 1 where that is not known. The system is asked once: Linux reads
/// some files for it.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}
