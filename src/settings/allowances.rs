//! The kinds of files that a change may touch, from the three settings that name them.

use std::collections::BTreeSet;

use super::Settings;
use papayu_base::domain::Allowance;

impl Settings {
    /// Returns the kinds of files that a change may touch: `policy.allow`, `policy.allow_test_edits` and `policy.allow_ci_files`.
    pub fn allowances(&self) -> BTreeSet<Allowance> {
        let mut kinds: BTreeSet<Allowance> = self.policy_allow.value.iter().copied().collect();
        if self.policy_allow_test_edits.value {
            kinds.extend(Allowance::OF_TEST_EDITS);
        }
        if self.policy_allow_ci_files.value {
            kinds.insert(Allowance::Ci);
        }
        kinds
    }
}
