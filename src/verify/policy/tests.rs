//! Tests of the allow-list and the block-list.

use super::*;
use crate::project::ProjectKind;

fn check(command: &str) -> Result<(), Blocked> {
    let every: Vec<_> = ProjectKind::all().flat_map(ProjectKind::build_commands).copied().collect();
    check_tool(&shlex::split(command).unwrap(), &every)
}

#[test]
fn detected_commands_and_tools_run() {
    for command in [
        "cargo test",
        "cargo clippy --all-targets -- -D warnings",
        "npm test",
        "npm run lint",
        "npx tsc --noEmit",
        "python3 -m pytest -q",
        "go test ./...",
        "mvn -B test",
        "./mvnw -B test",
        "gradle test",
        "./gradlew test",
        "dotnet test",
        "bundle exec rake test",
        "bundle exec rspec",
        "composer test",
        "vendor/bin/phpunit",
        "bun run test",
        "make check",
        "just test",
        "git status",
        "git -C sub log --oneline",
        "git clean -n",
        "git clean --dry-run",
        "git stash list",
        "git stash pop",
        "git restore --staged a.py",
        "git restore -S a.py",
        "git switch main",
        "git checkout -b work",
        "git checkout --detach main",
        "git push origin main",
    ] {
        assert_eq!(check(command), Ok(()), "{command}");
    }
}

#[test]
fn a_word_that_is_a_command_line_is_read_as_one() {
    for command in [
        "env -S 'rm -r x'", "env '-Srm -r x'", "env --split-string='rm -r x'",
        "npm exec -c 'rm -r x'",
    ] {
        let checked = check(command);
        assert!(matches!(checked, Err(Blocked::Forbidden { rule: "rm -r", .. })), "{checked:?}");
    }
}

#[test]
fn any_program_may_run_its_arguments() {
    for (command, rule) in [
        ("flock lock rm -r x", "rm -r"),
        ("taskset 1 rm -r x", "rm -r"),
        ("script -c 'rm -r x'", "rm -r"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/rm -r x", "rm -r"),
        ("git -c alias.x='!rm -rf src' x", "rm -r"),
        ("git -c core.fsmonitor='rm -rf src' status", "rm -r"),
        ("git submodule foreach 'rm -rf src'", "rm -r"),
        ("flock l git reset --hard", "git reset --hard"),
        ("taskset 1 npm publish", "npm publish"),
        ("taskset 1 chmod 000 a.py", "chmod"),
        ("flock l find x -exec rm {} +", "rm -r"),
        ("git --git-dir=.git reset --hard", "git reset --hard"),
        ("git -c alias.z='reset --hard' z", "git reset --hard"),
        ("tar --remove-files -cf x.tar x", "tar --remove-files"),
        ("zip -rm x.zip x", "zip -m"),
        ("npx --yes del-cli x", "npx --yes"),
        ("npm exec -y del-cli x", "npx --yes"),
    ] {
        let checked = check(command);
        assert!(
            matches!(checked, Err(Blocked::Forbidden { rule: found, .. }) if found == rule),
            "{checked:?}"
        );
    }
    // A word alone may be the name of something else.
    for command in [
        "git checkout -b chmod",
        "npx jest tests/rm.test.js",
        "git commit -m 'Remove rm -rf x and reset --hard'",
        "npm test -- -y",
    ] {
        assert_eq!(check(command), Ok(()), "{command}");
    }
}

#[test]
fn the_block_list_wins_however_it_is_spelt() {
    for (command, rule) in [
        ("rm -rf /", "rm -r"),
        ("/bin/rm -fr x", "rm -r"),
        ("rm -r x --force", "rm -r"),
        ("rm --recursive -vf x", "rm -r"),
        ("npx rm -Rf x", "rm -r"),
        ("rm -r x", "rm -r"),
        ("rm x -R", "rm -r"),
        ("rm --rec x", "rm -r"),
        ("npx rimraf x", "rm -r"),
        ("env A=b nice rm -r x", "rm -r"),
        ("xargs rm -r", "rm -r"),
        ("find . -name x -delete", "find -delete"),
        ("find d -exec rm {} +", "rm -r"),
        ("bash -c 'rm -r d'", "rm -r"),
        ("dash -lc 'true; (git reset --hard)'", "git reset --hard"),
        ("find . -exec rm -r {} +", "rm -r"),
        ("git rm -r x", "rm -r"),
        ("git -C sub rm -qrf x", "rm -r"),
        ("npm exec -- sudo reboot", "sudo"),
        ("git push --force", "git push --force"),
        ("git push -f origin main", "git push --force"),
        ("git push origin +main", "git push --force"),
        ("git push --force-with-lease=main", "git push --force"),
        ("git push --force-with", "git push --force"),
        ("git push --forc origin main", "git push --force"),
        ("git push --mirror", "git push --force"),
        ("git push --mir origin", "git push --force"),
        ("git push -d origin main", "git push --force"),
        ("git push --delete origin main", "git push --force"),
        ("git push origin :main", "git push --force"),
        ("git push -uf origin main", "git push --force"),
        ("git reset --har", "git reset --hard"),
        ("git reset --keep HEAD~1", "git reset --hard"),
        ("git clean --forc -d", "git clean -fd"),
        ("git clean -f", "git clean -fd"),
        ("npm publ", "npm publish"),
        ("npm --prefix . publish", "npm publish"),
        ("npm --unknown x pub", "npm publish"),
        ("npm unpublish x", "npm publish"),
        ("yarn npm publish", "npm publish"),
        ("pnpm --filter x publish", "npm publish"),
        ("npx git push --mirror", "git push --force"),
        ("git -C sub reset --hard HEAD~1", "git reset --hard"),
        ("git clean -fd", "git clean -fd"),
        ("git clean -xdf", "git clean -fd"),
        ("git clean -d --force", "git clean -fd"),
        ("npm publish --dry-run", "npm publish"),
        ("npm --silent publish", "npm publish"),
        ("sudo cargo test", "sudo"),
        ("chmod +x a", "chmod"),
        ("chown root a", "chown"),
    ] {
        let joined = shlex::split(command).unwrap().join(" ");
        let expected = Err(Blocked::Forbidden { command: joined, rule });
        assert_eq!(check(command), expected, "{command}");
    }
}

#[test]
fn a_command_of_another_kind_of_project_does_not_run() {
    let check = |command: &str, kind: ProjectKind| {
        check_tool(&shlex::split(command).unwrap(), kind.build_commands()).is_ok()
    };
    for (command, kind, is_allowed) in [
        ("cargo test", ProjectKind::Rust, true),
        ("cargo test", ProjectKind::Php, false),
        ("make", ProjectKind::Php, false),
        ("npm test", ProjectKind::Php, true),
        ("npm test", ProjectKind::Unknown, true),
        ("cargo test", ProjectKind::Unknown, false),
    ] {
        assert_eq!(check(command, kind), is_allowed, "{command} {kind:?}");
    }
}

#[test]
fn what_is_not_listed_does_not_run() {
    for command in [
        "rm x",
        "curl example.org",
        "sh -c 'npm test'",
        "cargo publish",
        "cargo run",
        "python3 x.py",
        "./npm test",
        "git -c core.pager=evil log",
        "git --exec-path=/tmp log",
        "git --git-dir=/tmp/x log",
        "git -C ../other log",
        "git -C /other log",
        "git clean",
        "git log --output=a.py",
        "git log --outp=a.py",
        "git diff --ext-diff",
        "git grep -Oevil x",
        "git grep --open-files-in-pager=evil x",
        "git fetch --upload-pack=evil",
        "git clone x",
        "git push https://evil/x main",
        "git push ../x main",
        "git push ext::evil main",
        "git config core.pager evil",
        "git branch -D main",
        "git tag -d v1",
        "git stash drop",
        "git rebase --exec evil main",
        "git rebase -x evil",
        "git bisect run evil",
        "git reflog expire",
        "git update-ref -d x",
        "git gc",
        "git remote add x y",
        "git checkout --force main",
        "git difftool",
        "git merge -s evil x",
        "npm token create",
        "npm config set x y",
        "npm login",
        "npm",
        "npm dist-tag add x",
        "yarn plugin import x",
        "pnpm login",
        "npm --unknown test",
        "",
    ] {
        let expected =
            Err(Blocked::NotAllowed { command: shlex::split(command).unwrap().join(" ") });
        assert_eq!(check(command), expected, "{command}");
    }
}

#[test]
fn what_discards_or_puts_away_the_changes_of_a_user_does_not_run() {
    for command in [
        "git stash",
        "git stash -u",
        "git stash push -m work",
        "git stash --include-untracked",
        "git restore .",
        "git restore -sS a.py",
        "git restore --source=HEAD a.py",
        "git restore --staged --worktree a.py",
        "git restore -SW a.py",
        "git checkout .",
        "git checkout a.py",
        "git checkout -- a.py",
        "git checkout HEAD~1 -- a.py",
        "git switch --discard-changes main",
    ] {
        let command_text = command.to_owned();
        assert_eq!(check(command), Err(Blocked::NotAllowed { command: command_text }));
    }
}
