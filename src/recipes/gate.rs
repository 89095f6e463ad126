//! The gate of a batch: one task asks a model about a failure, and the tasks with the same failure wait for its recipe.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Longest pause before a waiting task looks for a signal.
const POLL: Duration = Duration::from_millis(200);

/// The failures that tasks of this process are asking a model about.
#[derive(Debug, Default)]
pub struct RecipeGate {
    busy: Mutex<BTreeSet<String>>,
    changed: Condvar,
}

/// The right to ask about a failure; others wait until it is dropped.
#[derive(Debug)]
pub struct GateTurn {
    gate: Arc<RecipeGate>,
    key: String,
}

impl RecipeGate {
    /// Waits until no other task asks about the failure, and takes the turn. `None` as soon as `stops` returns `true`.
    pub fn enter(self: &Arc<Self>, key: &str, stops: &dyn Fn() -> bool) -> Option<GateTurn> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while busy.contains(key) {
            if stops() {
                return None;
            }
            let waited = self.changed.wait_timeout(busy, POLL);
            busy = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        busy.insert(key.to_owned());
        Some(GateTurn { gate: self.clone(), key: key.to_owned() })
    }
}

impl Drop for GateTurn {
    fn drop(&mut self) {
        self.gate.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        self.gate.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_task_with_the_same_failure_waits_for_the_first_and_another_does_not() {
        let gate = Arc::new(RecipeGate::default());
        let first = gate.enter("a", &|| false).unwrap();
        assert!(gate.enter("a", &|| true).is_none());
        assert!(gate.enter("b", &|| true).is_some());
        drop(first);
        assert!(gate.enter("a", &|| true).is_some());
    }
}
