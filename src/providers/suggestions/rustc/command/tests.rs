use super::*;

/// Folder, assignments and command line of each derived command, as one text.
fn derived(run: &str) -> Vec<String> {
    let shown = |command: &CargoCommand| {
        let env: String =
            command.env.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        format!("[{}] {env}{}", command.folder, command.argv.join(" "))
    };
    derive(run).iter().map(shown).collect()
}

#[test]
fn every_command_that_builds_becomes_one_that_prints_json_and_runs_nothing() {
    const JSON: &str = "--quiet --message-format=json";
    for (run, expected) in [
        ("cargo build", format!("[] cargo build {JSON}")),
        ("cargo b --release", format!("[] cargo build {JSON} --release")),
        ("cargo check -p a --all-features", format!("[] cargo check {JSON} -p a --all-features")),
        ("cargo test", format!("[] cargo test {JSON} --no-run")),
        ("cargo t --lib name -- --nocapture", format!("[] cargo test {JSON} --no-run --lib")),
        ("cargo test --features=a,b", format!("[] cargo test {JSON} --no-run --features a,b")),
        ("cargo bench --bench x", format!("[] cargo bench {JSON} --no-run --bench x")),
        ("cargo run --bin x -- --release", format!("[] cargo build {JSON} --bin x")),
        ("cargo doc --no-deps", format!("[] cargo doc {JSON} --no-deps")),
        ("cargo +nightly test", format!("[] cargo +nightly test {JSON} --no-run")),
        ("cargo --locked test", format!("[] cargo test {JSON} --no-run --locked")),
        ("cargo test --message-format short -j 2", format!("[] cargo test {JSON} --no-run")),
        ("cargo test -pa -Fb", format!("[] cargo test {JSON} --no-run -pa -Fb")),
        ("cargo test 2>&1 | tee log", format!("[] cargo test {JSON} --no-run")),
        (
            "cargo nextest run --profile ci --cargo-profile dev -E 'test(a)' --workspace",
            format!("[] cargo test {JSON} --no-run --profile dev --workspace"),
        ),
        (
            "cargo clippy --all-targets --fix -- -D warnings",
            format!("[] cargo clippy {JSON} --all-targets -- -D warnings"),
        ),
        (
            "RUSTFLAGS='-D warnings' cargo build",
            format!("[] RUSTFLAGS=-D warnings cargo build {JSON}"),
        ),
        ("env A=1 cargo build", format!("[] A=1 cargo build {JSON}")),
        ("cd a/../b && cargo build", format!("[b] cargo build {JSON}")),
    ] {
        assert_eq!(derived(run), [expected], "{run}");
    }
}

#[test]
fn a_chain_gives_a_command_for_each_part_that_builds() {
    assert_eq!(
        derived("cargo fmt --check && cargo clippy && cd sub && cargo test"),
        [
            "[] cargo clippy --quiet --message-format=json",
            "[sub] cargo test --quiet --message-format=json --no-run",
        ]
    );
}

#[test]
fn what_is_not_plainly_a_cargo_build_gives_nothing() {
    for run in [
        "",
        "make test",
        "npm test",
        "cargo",
        "cargo fmt --check",
        "cargo install x",
        "cargo publish",
        "cargo test -p \"$NAME\"",
        "cargo test 'unbalanced",
        "cd /elsewhere && cargo test",
        "cd .. && cargo test",
        "cd $DIR && cargo test",
        "xvfb-run cargo test",
        "bash -c 'cargo test'",
    ] {
        assert_eq!(derived(run), Vec::<String>::new(), "{run}");
    }
}
