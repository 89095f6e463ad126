//! Collects all faults of a refused reply, so that one repair request names them all.

use papayu_base::domain::ActionSet;
use papayu_patch::protocol::Refusal;
use papayu_vet::{self as vet, Policy, Snapshot, StopCheck};

/// Most faults besides the first. A reply with more is not repaired one by one.
const MAX_OTHERS: usize = 8;

/// Most actions that are vetted alone: as many as a reply may have.
const MAX_ACTIONS: usize = 200;

/// Returns the refusal of a reply with the faults of its other actions, each of which is vetted alone. The code is that of
/// the first fault, which decides what the run does.
pub(super) fn collect_faults(
    first: Refusal,
    set: &ActionSet,
    snapshot: &Snapshot<'_>,
    policy: &Policy,
    stop: StopCheck<'_>,
) -> Refusal {
    let mut all = first;
    if set.actions.len() < 2 {
        return all;
    }
    for (index, action) in set.actions.iter().enumerate().take(MAX_ACTIONS) {
        if all.others.len() >= MAX_OTHERS {
            break;
        }
        let alone = set.with_actions(vec![action.clone()]);
        let Err(mut fault) = vet::vet_until(alone, snapshot, policy, stop) else { continue };
        fault.action = fault.action.map(|_| index);
        let more = std::mem::take(&mut fault.others);
        for fault in std::iter::once(fault).chain(more) {
            if !is_known(&all, &fault) {
                all.others.push(fault);
            }
        }
    }
    all.others.truncate(MAX_OTHERS);
    all
}

/// Returns `true` for a fault that a refusal names already.
fn is_known(refusal: &Refusal, fault: &Refusal) -> bool {
    std::iter::once(refusal)
        .chain(&refusal.others)
        .any(|known| known.path == fault.path && known.reason == fault.reason)
}
