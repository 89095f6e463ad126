//! Machines that provide less: containers with Docker's rules for system calls, and kernels without parts of the sandbox.

use std::collections::BTreeMap;
use std::thread;

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};
use serde_json::{Value, json};

use super::Machine;

/// A call and the values of its first argument that are refused: those with all of these bits.
type Refused = (i64, Option<u64>);

/// The capabilities of a container of Docker.
const OF_DOCKER: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::MKNOD)
    .union(CapabilitySet::NET_RAW)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETFCAP)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::AUDIT_WRITE);

/// The calls that Docker's default profile refuses without `CAP_SYS_ADMIN` and its like, and that the sandbox uses or refuses.
fn docker() -> Vec<Refused> {
    let calls = [
        libc::SYS_acct,
        libc::SYS_add_key,
        libc::SYS_bpf,
        libc::SYS_delete_module,
        libc::SYS_fanotify_init,
        libc::SYS_finit_module,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fsopen,
        libc::SYS_fspick,
        libc::SYS_init_module,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_io_uring_setup,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_mount,
        libc::SYS_mount_setattr,
        libc::SYS_move_mount,
        libc::SYS_open_by_handle_at,
        libc::SYS_open_tree,
        libc::SYS_perf_event_open,
        libc::SYS_pivot_root,
        libc::SYS_quotactl,
        libc::SYS_reboot,
        libc::SYS_request_key,
        libc::SYS_setns,
        libc::SYS_swapon,
        libc::SYS_umount2,
        libc::SYS_unshare,
        libc::SYS_userfaultfd,
    ];
    let namespaces = [
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWUTS,
    ];
    let clones = namespaces.map(|flag| (libc::SYS_clone, Some(u64::from(flag.unsigned_abs()))));
    calls.into_iter().map(|call| (call, None)).chain(clones).collect()
}

const LANDLOCK: [Refused; 3] = [
    (libc::SYS_landlock_create_ruleset, None),
    (libc::SYS_landlock_add_rule, None),
    (libc::SYS_landlock_restrict_self, None),
];

/// The calls that make a filter: `seccomp`, and `prctl` with `PR_SET_SECCOMP`.
const SECCOMP: [Refused; 2] = [(libc::SYS_seccomp, None), (libc::SYS_prctl, Some(22))];

/// Runs `action` in a thread that, with every process it starts, is refused these calls.
fn on_machine<T: Send>(refused: &[Refused], error: i32, action: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let restricted = scope.spawn(|| {
            let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
            for (call, bits) in refused {
                let rules = rules.entry(*call).or_default();
                if let Some(bits) = bits {
                    let operator = SeccompCmpOp::MaskedEq(*bits);
                    let condition =
                        SeccompCondition::new(0, SeccompCmpArgLen::Qword, operator, *bits).unwrap();
                    rules.push(SeccompRule::new(vec![condition]).unwrap());
                }
            }
            let target = TargetArch::try_from(std::env::consts::ARCH).unwrap();
            let refuse = SeccompAction::Errno(error.unsigned_abs());
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, target).unwrap();
            // glibc uses `clone` instead, as in a container.
            let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
            let enosys = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
            let absent = SeccompFilter::new(absent, SeccompAction::Allow, enosys, target).unwrap();
            for filter in [absent, filter] {
                apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
            }
            drop_capabilities();
            action()
        });
        restricted.join().unwrap()
    })
}

fn drop_capabilities() {
    for capability in CapabilitySet::all().difference(OF_DOCKER).iter() {
        // Some are unknown to the kernel, and other users than root have none.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let CapabilitySets { effective, permitted, .. } = capabilities(None).unwrap();
    let (effective, permitted) = (effective & OF_DOCKER, permitted & OF_DOCKER);
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable: none }).unwrap();
}

/// Runs the escapes with `network` and returns the record of the run, the reason if the command did not start, and the
/// machine.
fn run_escapes(network: &str) -> (Value, String, Machine) {
    let machine = Machine::new(network == "on");
    let outcome = machine.outcome("python3 -B escapes.py > tries.txt", &["--network", network]);
    let tries = machine.env.repo().join("tries.txt");
    let tries = std::fs::read_to_string(tries).unwrap_or_default();
    (outcome, tries, machine)
}

/// Returns the parts that this kernel lacks by itself.
fn lacks_nothing() -> bool {
    let machine = Machine::new(false);
    machine.outcome("true", &["--network", "off"])["sandbox"]["level"] == "full"
}

#[test]
fn a_container_without_namespaces_lets_nothing_out_and_names_what_is_shared() {
    if !lacks_nothing() {
        return;
    }
    for (network, least) in [("off", 600), ("on", 350)] {
        let (outcome, tries, machine) = on_machine(&docker(), libc::EPERM, || run_escapes(network));
        let missing = json!(["a `/dev/shm` of its own"]);
        assert_eq!(
            outcome["sandbox"],
            json!({ "level": "partial", "missing": missing, "network": network }),
            "{outcome}"
        );
        let broke: Vec<_> = tries.lines().filter(|line| line.starts_with("BROKE")).collect();
        assert_eq!(broke, Vec::<&str>::new());
        let held = tries.lines().filter(|line| line.starts_with("held")).count();
        assert!(held >= least && tries.contains("broken 0"), "{held}: {tries}");
        drop(machine);
    }
}

#[test]
fn a_container_without_namespaces_cannot_restrict_commands_to_registries() {
    let (outcome, tries, _machine) = on_machine(&docker(), libc::EPERM, || run_escapes("deps"));
    assert_eq!((&outcome["outcome"], tries.as_str()), (&json!("usage_error"), ""), "{outcome}");
    assert!(outcome["reason"].as_str().unwrap().contains("network namespace"), "{outcome}");
}

#[test]
fn machines_that_lack_parts_are_named_in_the_outcome_the_summary_and_the_doctor() {
    let no_files = "files and signals (the kernel has no Landlock)";
    let no_calls = "system calls (";
    let both: Vec<Refused> = LANDLOCK.into_iter().chain(SECCOMP).collect();
    for (refused, error, level, parts) in [
        (LANDLOCK.to_vec(), libc::ENOSYS, "partial", vec![no_files]),
        (LANDLOCK.to_vec(), libc::EOPNOTSUPP, "partial", vec![no_files]),
        (LANDLOCK.to_vec(), libc::EPERM, "partial", vec![no_files]),
        (SECCOMP.to_vec(), libc::EPERM, "partial", vec![no_calls]),
        (both, libc::ENOSYS, "none", vec![no_files, no_calls]),
    ] {
        let refused: Vec<Refused> = docker().into_iter().chain(refused).collect();
        let (outcome, summary, doctor, required) = on_machine(&refused, error, || {
            let machine = Machine::new(true);
            let summary = machine.at("summary.md");
            std::fs::write(&summary, "").unwrap();
            let variables = [
                ("PAPAYU_SANDBOX", "auto"),
                ("GITHUB_ACTIONS", "true"),
                ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
            ];
            let words = ["fix", "--provider", "suggestions", "--run", "true"];
            let outcome = machine.env.outcome(&words, &variables);
            let doctor = machine.env.run_with(&["doctor"], &variables);
            let required = machine.outcome("touch ran", &["--sandbox", "required"]);
            assert!(!machine.env.repo().join("ran").exists(), "{required}");
            (outcome, std::fs::read_to_string(&summary).unwrap(), doctor.stdout, required)
        });
        let sandbox = &outcome["sandbox"];
        assert_eq!(sandbox["level"], level, "{error}: {outcome}");
        let missing = sandbox["missing"].to_string();
        let line = doctor.lines().find(|line| line.contains(" sandbox  ")).unwrap_or(&doctor);
        assert!(line.contains(&format!(" {level}, missing: ")), "{line}");
        for part in parts {
            assert!(missing.contains(part), "{part}: {missing}");
            assert!(line.contains(part), "{part}: {line}");
            assert!(summary.contains(part), "{part}: {summary}");
            assert!(required["reason"].as_str().unwrap().contains(part), "{part}: {required}");
        }
    }
}

#[test]
fn the_network_is_not_off_where_it_cannot_be() {
    let refused: Vec<Refused> = docker().into_iter().chain(SECCOMP).collect();
    let (outcome, tries, _machine) = on_machine(&refused, libc::EPERM, || run_escapes("off"));
    assert_eq!((&outcome["outcome"], tries.as_str()), (&json!("usage_error"), ""), "{outcome}");
    assert!(outcome["reason"].as_str().unwrap().contains("without seccomp"), "{outcome}");
}
