//! The work that evidence costs: counted in steps, and limited for each kind.

use std::cell::Cell;

/// Most steps of one kind of evidence. A step is a line that is read, a name that is followed or a
/// definition that is looked at; a million steps take about a quarter of a second.
const MAX_STEPS: u64 = 400_000;

/// Counts the steps of work. The same repository and failure always cost the same steps, so a limit in
/// steps gives the same evidence on every machine, which a limit in seconds does not.
#[derive(Debug, Default)]
pub struct WorkMeter {
    /// All steps so far.
    total: Cell<u64>,
    /// The value of `total` at which the kind under way has to end.
    limit: Cell<u64>,
}

impl WorkMeter {
    /// Begins a kind of evidence, which may use `MAX_STEPS` steps.
    pub fn begin_kind(&self) {
        self.limit.set(self.total.get().saturating_add(MAX_STEPS));
    }

    /// Counts steps. Returns `false` if the kind under way has used up its steps and should end with what it
    /// has.
    pub fn spend(&self, steps: usize) -> bool {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.total.set(self.total.get().saturating_add(steps));
        self.total.get() <= self.limit.get()
    }

    /// Returns the number of all steps so far.
    pub fn total(&self) -> u64 {
        self.total.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_ends_after_its_steps_and_the_next_one_has_steps_of_its_own() {
        let meter = WorkMeter::default();
        meter.begin_kind();
        assert!(meter.spend(400_000) && !meter.spend(1) && !meter.spend(usize::MAX));
        meter.begin_kind();
        assert_eq!(meter.total(), u64::MAX);
        let meter = WorkMeter::default();
        meter.begin_kind();
        meter.spend(500_000);
        meter.begin_kind();
        assert!(meter.spend(400_000) && !meter.spend(1));
    }
}
