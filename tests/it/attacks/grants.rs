//! Links in places that commands can change, which must not widen what the next command may read and change.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::TestEnv;

const CANARY: &str = "canary-91bd";

/// Variables that name caches and homes of tools.
const VARIABLES: [&str; 14] = [
    "CARGO_TARGET_DIR", "GOCACHE", "GOMODCACHE", "PIP_CACHE_DIR", "npm_config_cache",
    "NPM_CONFIG_CACHE", "YARN_CACHE_FOLDER", "UV_CACHE_DIR", "CCACHE_DIR", "DENO_DIR", "GOPATH",
    "CARGO_HOME", "GRADLE_USER_HOME", "PAPAYU_WRITABLE",
];

/// A repository with a secret file and a file of the user next to it.
struct Machine {
    env: TestEnv,
    root: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let env = TestEnv::new();
        let root = env.repo().parent().unwrap().canonicalize().unwrap();
        for folder in ["repo/.git", "home/.ssh", "out", "caches/k"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("home/.ssh/id"), CANARY).unwrap();
        fs::write(root.join("out/file"), "mine").unwrap();
        let machine = Self { env, root };
        machine.env.write("probe.sh", PROBE);
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Runs a command that tries to get out; returns its tries that succeeded, `None` on a machine without a whole sandbox.
    fn find_ways_out(&self, variables: &[(&str, &Path)]) -> Option<Vec<String>> {
        let variables: Vec<_> =
            variables.iter().map(|(name, path)| (*name, path.to_str().unwrap())).collect();
        let command = format!("sh probe.sh {}", self.root.display());
        let words = ["fix", "--provider", "suggestions", "--network", "off", "--run", &command];
        let outcome: Value = self.env.outcome(&words, &variables);
        let tries = self.env.read("tries.txt");
        let ended = tries.lines().any(|line| line == "ended");
        assert!(ended && outcome["outcome"] == "nothing_to_fix", "{outcome} {tries}");
        let broke = tries.lines().filter(|line| line.starts_with("BROKE"));
        let broke: Vec<_> = broke.map(str::to_owned).collect();
        (outcome["sandbox"]["level"] == "full").then_some(broke)
    }
}

/// Tries to read the secret and to change what is outside of the repository.
const PROBE: &str = "\
    : > tries.txt\n\
    grep -q . $1/home/.ssh/id && echo BROKE read >> tries.txt\n\
    for file in out/file out/new new home/new home/.ssh/new caches/new home/.ssh/id; do\n\
    (echo x >> $1/$file) 2> err.txt && echo BROKE $file >> tries.txt\n\
    done\n\
    (echo x >> /papayu-evil) 2> err.txt && echo BROKE root >> tries.txt && rm /papayu-evil\n\
    echo ended >> tries.txt\n";

/// Numbers that are the same in every run of a test.
struct Numbers(u64);

impl Numbers {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Makes folders and links in a folder that commands can change, and returns a path in it.
fn grow_links(machine: &Machine, folder: &Path, numbers: &mut Numbers) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let names = ["a", "b", "c", "pkg", "pkg/mod", "registry", "caches", "a/d", "pkg/e"];
    let outside = ["/", "home", "home/.ssh", "home/.ssh/id", "out", "out/file", "caches", "repo"];
    for name in names {
        let place = folder.join(name);
        if fs::symlink_metadata(&place).is_ok() || !place.parent().unwrap().is_dir() {
            continue;
        }
        // Behind a link, the place is not in the folder.
        if place.parent().unwrap().canonicalize().unwrap() != *place.parent().unwrap() {
            continue;
        }
        let up = "../".repeat(folder.strip_prefix(&machine.root).unwrap().components().count());
        let target = outside[numbers.below(outside.len())];
        match numbers.below(5) {
            0 => fs::create_dir(&place).unwrap(),
            1 => symlink(machine.root.join(target), &place).unwrap(),
            2 if !name.contains('/') => symlink(format!("{up}{target}"), &place).unwrap(),
            3 => symlink(folder.join(names[numbers.below(names.len())]), &place).unwrap(),
            _ => symlink(if numbers.below(2) == 0 { "." } else { ".." }, &place).unwrap(),
        }
    }
    let ends = ["", "/pkg/mod", "/new", "/..", "/../../out", "/home", "/.ssh", "/d/e"];
    let name = names[numbers.below(names.len())];
    PathBuf::from(format!("{}/{name}{}", folder.display(), ends[numbers.below(ends.len())]))
}

#[test]
fn the_temporary_folder_of_a_run_at_the_same_time_is_not_read() {
    let machine = Machine::new();
    for path in
        ["temp/papayu-1234abcd/tmp/file", "temp/papayu-1234abcd/home/file", "temp/tool/file"]
    {
        fs::create_dir_all(machine.at(path).parent().unwrap()).unwrap();
        fs::write(machine.at(path), CANARY).unwrap();
    }
    machine.env.write(
        "neighbour.sh",
        "cat $1/temp/papayu-1234abcd/*/file > seen.txt 2> /dev/null\n\
        cat $1/temp/tool/file > tool.txt\n\
        echo own > $TMPDIR/file && cat $TMPDIR/file > own.txt\n\
        mkdir $TMPDIR/papayu-inner && ls -d $TMPDIR/papayu-inner/. >> own.txt\n",
    );
    let command = format!("sh neighbour.sh {}", machine.root.display());
    let words = ["fix", "--provider", "suggestions", "--network", "off", "--run", &command];
    let temp = machine.at("temp");
    let outcome: Value = machine.env.outcome(&words, &[("TMPDIR", temp.to_str().unwrap())]);
    if outcome["sandbox"]["level"] != "full" {
        return;
    }
    let read = |name: &str| machine.env.read(name);
    assert_eq!((read("seen.txt").as_str(), read("tool.txt").as_str()), ("", CANARY), "{outcome}");
    assert!(read("own.txt").starts_with("own\n/") && read("own.txt").ends_with("papayu-inner/.\n"));
}

#[test]
fn random_links_and_variables_open_nothing_outside_of_the_repository() {
    const TREES: usize = 6;
    let mut escaped = Vec::new();
    // Each night runs more of them.
    let seeds = std::env::var("PAPAYU_TEST_SEEDS").map_or(50, |text| text.parse().unwrap());
    for seed in 0..seeds {
        let machine = Machine::new();
        let mut numbers = Numbers(seed);
        let mut variables = vec![("SCCACHE_DIR", machine.at("caches/k"))];
        for tree in 0..TREES {
            // An earlier command could write in both.
            let top = if numbers.below(4) == 0 { "caches/k" } else { "repo" };
            let folder = machine.at(top).join(format!("t{tree}"));
            variables.push((
                VARIABLES[numbers.below(VARIABLES.len())],
                grow_links(&machine, &folder, &mut numbers),
            ));
            let other = machine.at(top).join(format!("t{}", numbers.below(TREES)));
            variables.push((
                VARIABLES[numbers.below(VARIABLES.len())],
                grow_links(&machine, &other, &mut numbers),
            ));
        }
        let named: Vec<_> = variables.iter().map(|(name, path)| (*name, path.as_path())).collect();
        let Some(broke) = machine.find_ways_out(&named) else { return };
        if !broke.is_empty() {
            escaped.push((seed, broke, variables));
        }
    }
    assert!(escaped.is_empty(), "{escaped:#?}");
}

#[test]
fn a_cache_in_the_repository_that_is_a_link_opens_nothing() {
    let mut escaped = Vec::new();
    for target in ["/", "home/.ssh", "out"] {
        let machine = Machine::new();
        let link = machine.at("repo/cache");
        symlink(machine.root.join(target), &link).unwrap();
        for name in ["pkg", "registry", "caches"] {
            symlink(machine.root.join(target), machine.at("repo").join(name)).unwrap();
        }
        for below in [&link, &machine.at("repo")] {
            let variables: Vec<_> = VARIABLES.iter().map(|name| (*name, below.as_path())).collect();
            let Some(broke) = machine.find_ways_out(&variables) else { return };
            escaped.extend((!broke.is_empty()).then_some((target, broke)));
        }
    }
    assert!(escaped.is_empty(), "{escaped:?}");
}

#[test]
fn a_link_that_an_earlier_run_left_in_a_cache_opens_nothing() {
    let machine = Machine::new();
    fs::create_dir_all(machine.at("go/pkg")).unwrap();
    symlink(machine.at("home/.ssh"), machine.at("go/pkg/mod")).unwrap();
    symlink("/", machine.at("go/pkg/other")).unwrap();
    let variables = [
        ("GOPATH", machine.at("go")),
        ("GOMODCACHE", machine.at("go/pkg/mod")),
        ("PIP_CACHE_DIR", machine.at("go/pkg/other")),
    ];
    let named: Vec<_> = variables.iter().map(|(name, path)| (*name, path.as_path())).collect();
    let broke = machine.find_ways_out(&named).unwrap_or_default();
    assert_eq!(broke, Vec::<String>::new());
}

#[test]
fn a_repository_that_names_a_secret_folder_as_its_objects_does_not_open_it() {
    let machine = Machine::new();
    let info = machine.at("repo/.git/objects/info");
    fs::create_dir_all(&info).unwrap();
    symlink(machine.at("home"), machine.at("repo/link")).unwrap();
    let lines =
        ["home/.ssh", "repo/link/.ssh", "home"].map(|path| machine.at(path).display().to_string());
    fs::write(info.join("alternates"), lines.join("\n")).unwrap();
    let broke = machine.find_ways_out(&[]).unwrap_or_default();
    assert_eq!(broke, Vec::<String>::new());
}

#[test]
fn a_cache_that_is_a_link_of_the_user_or_does_not_exist_yet_works() {
    let machine = Machine::new();
    fs::create_dir_all(machine.at("disk/pip")).unwrap();
    symlink(machine.at("disk"), machine.at("home/.cache")).unwrap();
    let gocache = machine.at("caches/go/build");
    let command = format!(
        "touch {}/new {}/new && ! touch {}/disk/new 2> /dev/null",
        gocache.display(),
        machine.at("home/.cache/pip").display(),
        machine.root.display()
    );
    let words = ["fix", "--provider", "suggestions", "--run", &command];
    let outcome = machine.env.outcome(&words, &[("GOCACHE", gocache.to_str().unwrap())]);
    if outcome["sandbox"]["level"] == "full" {
        assert_eq!(outcome["outcome"], "nothing_to_fix", "{outcome}");
        assert!(machine.at("disk/pip/new").exists() && gocache.join("new").exists());
    }
}
