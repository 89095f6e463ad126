//! Signals that ask the run to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use papayu_base::domain::ExitCode;

/// Returns a flag that SIGINT, SIGTERM and SIGHUP set; a second SIGINT ends the process at once,
/// with the exit code of an interruption. An error when a signal cannot be watched.
pub fn watch() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // Actions run in the order they were registered: the first signal finds the flag still unset.
    let code = i32::from(ExitCode::Interrupted.number());
    flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&interrupted))?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn a_request_to_end_sets_the_flag() {
        let interrupted = watch().unwrap();
        assert!(!interrupted.load(Ordering::Relaxed));
        signal_hook::low_level::raise(SIGTERM).unwrap();
        assert!(interrupted.load(Ordering::Relaxed));
    }
}
