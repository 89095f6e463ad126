//! The hidden subcommands, with which the program starts itself.

use std::sync::OnceLock;

/// Name of the supervisor's subcommand.
pub(crate) const SUPERVISE: &str = "__supervise";
/// Name of the subcommand that restricts itself and becomes the command.
pub(super) const CONFINE: &str = "__confine";

/// Set in programs that have the hidden subcommands.
static HAS_SUBCOMMANDS: OnceLock<()> = OnceLock::new();

/// Records that this program has them.
#[cfg(target_os = "linux")]
pub(super) fn set_available() {
    let _ = HAS_SUBCOMMANDS.set(());
}

/// Returns `true` if this program has them.
pub(super) fn is_available() -> bool {
    HAS_SUBCOMMANDS.get().is_some()
}
