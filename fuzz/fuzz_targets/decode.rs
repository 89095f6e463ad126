//! Any text as a reply of every protocol: decoding and vetting it on an empty repository never panic.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use papayu_base::domain::{ActionKind, RepoPath, Version};
use papayu_patch::protocol::{decode_actions, decode_plan};
use papayu_base::text::Masker;
use papayu_vet::{PathFact, PathFacts, Policy, Snapshot, vet};

struct Empty;

impl PathFacts for Empty {
    fn find(&self, path: &RepoPath, _: ActionKind) -> PathFact {
        PathFact::Missing { resolved: path.clone(), missing_parents: Vec::new() }
    }
}

fuzz_target!(|data: &[u8]| {
    let reply = String::from_utf8_lossy(data);
    let (shown, masker) = (BTreeMap::new(), Masker::new([]));
    for version in [Version::V1, Version::V2, Version::V3] {
        let _ = decode_plan(version, &reply);
        if let Ok((set, _)) = decode_actions(version, &reply) {
            let snapshot =
                Snapshot { files: &Empty, shown: &shown, earlier: None, masker: &masker };
            let _ = vet(set, &snapshot, &Policy::default());
        }
    }
});
