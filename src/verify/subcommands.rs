//! The sub-commands of git and of package managers that may run, with their options: what is not listed is refused.

/// The result of reading a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// All of it is understood and may run.
    Allowed,
    /// It is not understood, or not listed.
    Unknown,
    /// It is a form of something that never runs without a person; the rule has this name.
    Forbidden(&'static str),
}

/// The options of a git sub-command that may run.
struct GitSubcommand {
    name: &'static str,
    /// Options of one letter.
    letters: &'static str,
    /// Long options, without a value or with one after `=`.
    long: &'static str,
    /// Options that never run without a person, and the name of that rule.
    forbidden: Option<(&'static str, &'static str)>,
    /// Options of which one must be there: without them, the sub-command discards changes of a user.
    needed: &'static str,
    /// The form of its other words.
    words: Words,
}

/// The form of the words of a sub-command that are no options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Any.
    Any,
    /// None.
    None,
    /// Names of remotes, branches and tags: no address, no forced or deleting refspec.
    Names,
    /// The first is one of these, if there is one.
    First(&'static str),
    /// The first is one of these.
    Begin(&'static str),
}

/// Options of commands that show commits and differences.
const SHOWING: &str = "--abbrev --abbrev-commit --all --author --branches --cached --color --compact-summary --count --date \
    --decorate --diff-filter --exit-code --find-renames --first-parent --follow --format --full-index --function-context \
    --graph --grep --ignore-all-space --ignore-blank-lines --ignore-space-change --invert-grep --left-right --max-count \
    --merge-base --merges --minimal --name-only --name-status --no-color --no-decorate --no-ext-diff --no-merges --no-patch \
    --no-renames --no-textconv --numstat --oneline --parents --patch --patience --pretty --quiet --raw --relative --remotes \
    --reverse --shortstat --since --skip --staged --stat --submodule --summary --tags --unified --until --word-diff";

const fn git(
    name: &'static str,
    letters: &'static str,
    long: &'static str,
    words: Words,
) -> GitSubcommand {
    GitSubcommand { name, letters, long, forbidden: None, needed: "", words }
}

/// The sub-commands of git that may run. None of them has an option that names a program or a file to write.
const GIT: &[GitSubcommand] = &[
    git("add", "ANnuv", "--all --dry-run --intent-to-add --update --verbose", Words::Any),
    git("blame", "CLMelnpstw0123456789", "--date --line-porcelain --porcelain", Words::Any),
    git(
        "branch",
        "alqrtuv",
        "--all --contains --format --list --merged --no-merged --points-at --remotes --set-upstream-to \
        --show-current --sort --track --verbose",
        Words::Any,
    ),
    git("cat-file", "epst", "--batch-check", Words::Any),
    git("check-ignore", "nqv", "--no-index --non-matching --quiet --verbose", Words::Any),
    // `git switch` changes to a branch and keeps what is not committed; the names of this one may be those of files.
    GitSubcommand {
        needed: "-b -t --detach --track",
        ..git("checkout", "bqt", "--detach --guess --no-track --quiet --track", Words::Any)
    },
    git("cherry-pick", "nx", "--abort --continue --no-commit --no-edit --skip", Words::Any),
    GitSubcommand {
        forbidden: Some(("--force f", "git clean -fd")),
        needed: "-n --dry-run",
        ..git("clean", "Xdnqx", "--dry-run --exclude --quiet", Words::Any)
    },
    git(
        "commit",
        "amqsv",
        "--all --allow-empty --amend --author --date --fixup --message --no-edit --only --quiet --signoff \
        --verbose",
        Words::Any,
    ),
    git("count-objects", "Hv", "--human-readable --verbose", Words::None),
    git(
        "describe",
        "",
        "--abbrev --all --always --contains --dirty --exact-match --long --match --tags",
        Words::Any,
    ),
    git("diff", "BCDMRUbdpqrstuvwz0123456789", SHOWING, Words::Any),
    git("diff-index", "BCDMRUbdpqrstuvwz0123456789", SHOWING, Words::Any),
    git("diff-tree", "BCDMRUbcdmpqrstuvwz0123456789", SHOWING, Words::Any),
    git(
        "fetch",
        "apqtv",
        "--all --atomic --deepen --depth --dry-run --no-tags --prune --quiet --tags --unshallow --verbose",
        Words::Names,
    ),
    git("for-each-ref", "", "--contains --count --format --merged --points-at --sort", Words::Any),
    git(
        "grep",
        "ABCEFGHILPWacehilnopqrvw0123456789",
        "--all-match --and --break --cached --color --count --extended-regexp \
        --files-with-matches --fixed-strings --function-context --heading --ignore-case --line-number --max-depth \
        --name-only --no-color --not --only-matching --or --perl-regexp --untracked --word-regexp",
        Words::Any,
    ),
    git("log", "BCDEGLMRSUbcdiLmnpqrstuvwz0123456789", SHOWING, Words::Any),
    git(
        "ls-files",
        "cdikmostuvz",
        "--cached --deleted --error-unmatch --exclude-standard --full-name --ignored --modified \
        --others --stage --unmerged",
        Words::Any,
    ),
    git("ls-remote", "hqt", "--heads --quiet --refs --symref --tags", Words::Names),
    git("ls-tree", "dlrtz", "--full-name --full-tree --long --name-only --name-status", Words::Any),
    git(
        "merge",
        "mnqv",
        "--abort --continue --ff --ff-only --message --no-commit --no-edit --no-ff --quiet --squash",
        Words::Any,
    ),
    git("merge-base", "a", "--all --fork-point --is-ancestor --octopus", Words::Any),
    git("mv", "knv", "--dry-run --verbose", Words::Any),
    git("name-rev", "", "--all --name-only --refs --tags", Words::Any),
    git(
        "pull",
        "pqrtv",
        "--all --ff-only --no-edit --no-rebase --no-tags --prune --quiet --rebase --tags --verbose",
        Words::Names,
    ),
    GitSubcommand {
        forbidden: Some((
            "--force --force-with-lease --force-if-includes --mirror --delete --prune fd",
            "git push --force",
        )),
        ..git(
            "push",
            "nquv",
            "--all --dry-run --follow-tags --porcelain --progress --quiet --set-upstream --tags --verbose",
            Words::Names,
        )
    },
    git(
        "rebase",
        "qv",
        "--abort --autostash --continue --no-autostash --onto --quiet --skip",
        Words::Any,
    ),
    git("reflog", "BCDEGLMRSUbcdiLmnpqrstuvwz0123456789", SHOWING, Words::First("show exists")),
    git("remote", "v", "--verbose", Words::First("show get-url")),
    GitSubcommand {
        forbidden: Some(("--hard --merge --keep", "git reset --hard")),
        ..git("reset", "Nq", "--intent-to-add --mixed --no-refresh --quiet --soft", Words::Any)
    },
    GitSubcommand {
        needed: "-S --staged",
        ..git("restore", "Sq", "--quiet --source --staged", Words::Any)
    },
    git("rev-list", "nz0123456789", SHOWING, Words::Any),
    git(
        "rev-parse",
        "q",
        "--abbrev-ref --absolute-git-dir --all --branches --git-dir --is-bare-repository \
        --is-inside-work-tree --quiet --short --show-prefix --show-superproject-working-tree --show-toplevel \
        --symbolic-full-name --tags --verify",
        Words::Any,
    ),
    git("revert", "n", "--abort --continue --no-commit --no-edit --skip", Words::Any),
    GitSubcommand {
        forbidden: Some(("r", "rm -r")),
        ..git("rm", "nq", "--cached --dry-run --ignore-unmatch --quiet", Words::Any)
    },
    git("shortlog", "cens", SHOWING, Words::Any),
    git("show", "BCDMRUbcdmpqrstuvwz0123456789", SHOWING, Words::Any),
    git(
        "show-ref",
        "dhqs",
        "--abbrev --branches --dereference --hash --head --heads --quiet --tags --verify",
        Words::Any,
    ),
    git("stash", "pq", "--index --patch --quiet --stat", Words::Begin("apply list pop show")),
    git(
        "status",
        "bsuvz",
        "--ahead-behind --branch --column --find-renames --ignored --long --no-renames --porcelain --short \
        --show-stash --untracked-files --verbose",
        Words::Any,
    ),
    git("submodule", "q", "--cached --quiet --recursive", Words::First("status summary")),
    git("switch", "cdqt", "--create --detach --guess --no-track --quiet --track", Words::Any),
    git(
        "tag",
        "alnm0123456789",
        "--annotate --contains --format --list --merged --message --no-merged --points-at --sort",
        Words::Any,
    ),
    git("worktree", "v", "--porcelain --verbose", Words::First("list")),
];

/// Options of git that precede its sub-command and change nothing; `-C` has a folder as the next word.
const GIT_PLAIN: &[&str] =
    &["--no-pager", "-P", "--literal-pathspecs", "--no-optional-locks", "--no-replace-objects"];

/// Reads the arguments of git.
pub(super) fn read_git(arguments: &[&str]) -> Reading {
    let mut rest = arguments;
    loop {
        match rest {
            ["-C", folder, after @ ..] if is_below(folder) => rest = after,
            [option, after @ ..] if GIT_PLAIN.contains(option) => rest = after,
            ["--version" | "version"] => return Reading::Allowed,
            [name, after @ ..] => {
                let found = GIT.iter().find(|subcommand| subcommand.name == *name);
                return found.map_or(Reading::Unknown, |it| it.read(after));
            }
            [] => return Reading::Unknown,
        }
    }
}

/// Returns `true` for a folder below the one that the command runs in: another has a configuration of its own.
fn is_below(folder: &str) -> bool {
    !folder.starts_with(['/', '-', '~']) && folder.split('/').all(|part| part != "..")
}

impl GitSubcommand {
    /// Reads the words after the sub-command.
    fn read(&self, arguments: &[&str]) -> Reading {
        let mut words = Vec::new();
        let mut has_needed = self.needed.is_empty();
        let needs = |option: &str| lists(self.needed, option);
        let mut reading = Reading::Allowed;
        let end = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
        let (before, after) = arguments.split_at(end);
        for word in before {
            let found = if word.starts_with("--") {
                has_needed |= needs(word);
                self.read_long(word)
            } else if let Some(letters) = word.strip_prefix('-').filter(|it| !it.is_empty()) {
                has_needed |= letters.chars().any(|letter| needs(&format!("-{letter}")));
                self.read_letters(letters)
            } else {
                words.push(*word);
                self.read_word(word)
            };
            reading = reading.stronger(found);
        }
        words.extend(after.iter().skip(1));
        if !self.allows_words(&words) || !has_needed {
            reading = reading.stronger(Reading::Unknown);
        }
        reading
    }

    /// Reads a long option. Git takes the start of a name for the name, so that one is forbidden too.
    fn read_long(&self, word: &str) -> Reading {
        let name = word.split('=').next().unwrap_or(word);
        if self.long.split_whitespace().any(|known| known == name) {
            return Reading::Allowed;
        }
        let (options, rule) = self.forbidden.unwrap_or_default();
        let is_start = |known: &str| known.starts_with("--") && known.starts_with(name);
        if options.split_whitespace().any(is_start) {
            return Reading::Forbidden(rule);
        }
        Reading::Unknown
    }

    /// Reads options of one letter, which can be joined, and have a value at their end.
    fn read_letters(&self, letters: &str) -> Reading {
        let (options, rule) = self.forbidden.unwrap_or_default();
        let forbidden = options.split_whitespace().find(|it| !it.starts_with('-')).unwrap_or("");
        if letters.chars().any(|letter| forbidden.contains(letter)) {
            return Reading::Forbidden(rule);
        }
        // The rest after the first letter may be its value.
        let is_known = letters.chars().next().is_some_and(|letter| self.letters.contains(letter));
        let is_plain =
            |letter: char| self.letters.contains(letter) || !letter.is_ascii_alphabetic();
        if is_known && letters.chars().all(is_plain) { Reading::Allowed } else { Reading::Unknown }
    }

    /// Reads a refspec: one with `+` is forced, and one with nothing before `:` deletes.
    fn read_word(&self, word: &str) -> Reading {
        match self.forbidden {
            Some((_, rule)) if self.words == Words::Names && word.starts_with(['+', ':']) => {
                Reading::Forbidden(rule)
            }
            _ => Reading::Allowed,
        }
    }

    fn allows_words(&self, words: &[&str]) -> bool {
        match self.words {
            Words::Any => true,
            Words::None => words.is_empty(),
            Words::First(known) => words.first().is_none_or(|word| lists(known, word)),
            Words::Begin(known) => words.first().is_some_and(|word| lists(known, word)),
            Words::Names => words.iter().enumerate().all(|(at, word)| {
                let is_name = |c: char| c.is_alphanumeric() || "._-/@^{}~".contains(c);
                // The first is a remote: an address or a folder would be another one.
                let is_remote = at > 0 || !word.contains(['/', '~']) && !word.starts_with('.');
                is_remote && word.chars().all(|c| is_name(c) || (at > 0 && c == ':'))
            }),
        }
    }
}

impl Reading {
    /// Returns the rule that is broken.
    pub(super) fn rule(self) -> Option<&'static str> {
        match self {
            Self::Forbidden(rule) => Some(rule),
            Self::Allowed | Self::Unknown => None,
        }
    }

    /// Returns the one of two that permits less.
    fn stronger(self, other: Self) -> Self {
        match (self, other) {
            (Self::Forbidden(_), _) | (_, Self::Allowed) => self,
            _ => other,
        }
    }
}

/// The commands of a package manager that may run.
struct PackageManager {
    program: &'static str,
    commands: &'static str,
    /// The command that runs another program, which is checked by itself.
    runs: &'static str,
}

/// Commands that run the project's own scripts, install its dependencies, and show.
const SCRIPTS: &str = "audit build check ci compile coverage dev e2e explain fmt format format:check i info install install-test it \
    lint lint:check lint:fix list ls outdated rebuild run run-script show start t test test:ci test:unit tsc tst type-check \
    typecheck unit version view why";

const MANAGERS: &[PackageManager] = &[
    PackageManager {
        program: "npm",
        commands: "add audit bin ci cit clean-install clean-install-test dedupe doctor explain find-dupes fund i in install \
            install-ci-test install-test it la list ll ls outdated ping prefix prune query rb rebuild root rum run run-script \
            search sbom start stop t test tst update up urn view info show v why",
        runs: "exec x",
    },
    PackageManager { program: "pnpm", commands: SCRIPTS, runs: "exec" },
    PackageManager { program: "yarn", commands: SCRIPTS, runs: "exec" },
];

/// Options before the command that have no value, and those with one.
const PLAIN: &str = "--frozen-lockfile --ignore-scripts --immutable --include-workspace-root --no-audit --no-fund --offline \
    --prefer-offline --quiet --recursive --silent --verbose --workspaces -q -r -s -ws";
const VALUED: &str = "--cwd --dir --filter --loglevel --prefix --workspace -C -F -w";

/// The rule of commands that publish packages.
const PUBLISH: &str = "npm publish";

/// Reads the arguments of a package manager; `None` for another program.
pub(super) fn read_manager(program: &str, arguments: &[&str]) -> Option<Reading> {
    let manager = MANAGERS.iter().find(|manager| manager.program == program)?;
    let mut rest = arguments;
    loop {
        match rest {
            // Yarn alone installs.
            [] => return Some(if program == "yarn" { Reading::Allowed } else { Reading::Unknown }),
            ["--version" | "-v"] => return Some(Reading::Allowed),
            [option, _, after @ ..] if lists(VALUED, option) => rest = after,
            [option, after @ ..] if lists(PLAIN, option) => rest = after,
            [option, after @ ..]
                if option.split_once('=').is_some_and(|(name, _)| lists(VALUED, name)) =>
            {
                rest = after;
            }
            [option, after @ ..] if option.starts_with('-') => {
                // It may have the next word as its value, so each of the next may be the command.
                let publishes = after.iter().any(|word| is_publish(word));
                return Some(if publishes {
                    Reading::Forbidden(PUBLISH)
                } else {
                    Reading::Unknown
                });
            }
            [word, after @ ..] => {
                // `yarn npm publish`
                let publishes =
                    is_publish(word) || (*word == "npm" && after.iter().any(|it| is_publish(it)));
                // It would download the program.
                let own = after.iter().take_while(|it| **it != "--");
                if lists(manager.runs, word) && own.clone().any(|it| lists("-y --yes", it)) {
                    return Some(Reading::Forbidden("npx --yes"));
                }
                let is_listed = lists(manager.commands, word) || lists(manager.runs, word);
                return Some(match (publishes, is_listed) {
                    (true, _) => Reading::Forbidden(PUBLISH),
                    (false, true) => Reading::Allowed,
                    (false, false) => Reading::Unknown,
                });
            }
        }
    }
}

/// Returns `true` if a list of words has the word.
fn lists(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Returns `true` for a command that publishes; npm takes the start of a command's name for the name.
fn is_publish(word: &str) -> bool {
    word.len() >= 3 && ["publish", "unpublish"].iter().any(|name| name.starts_with(word))
}
