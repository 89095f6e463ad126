//! Commands that build or test a project, by their first words and their targets.

/// A command that builds or tests projects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildCommand {
    words: &'static [&'static str],
    targets: Option<&'static [&'static str]>,
}

impl BuildCommand {
    /// Returns the command that begins with these words, with any others after them.
    pub(super) const fn any(words: &'static [&'static str]) -> Self {
        Self { words, targets: None }
    }

    /// Returns the command that begins with these words and has only options and these targets after them.
    ///
    /// Build tools that also publish are limited in this way.
    pub(super) const fn targets(
        words: &'static [&'static str],
        targets: &'static [&'static str],
    ) -> Self {
        Self { words, targets: Some(targets) }
    }

    /// Returns the words that the command begins with.
    pub fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Returns `true` if a program and its arguments are this command.
    ///
    /// ```
    /// use papayu_batch::project::ProjectKind;
    ///
    /// let words = |command: &str| command.split(' ').map(str::to_owned).collect::<Vec<_>>();
    /// let is_build = |command: &str| {
    ///     let commands = ProjectKind::Maven.build_commands();
    ///     commands.iter().any(|it| it.matches(&words(command)))
    /// };
    /// assert!(is_build("mvn -B -Dtest=ShopTest test"));
    /// assert!(!is_build("mvn test deploy"));
    /// ```
    pub fn matches(&self, argv: &[String]) -> bool {
        // Compared word by word, so that `cargo test` does not allow `cargo testify`.
        let Some((first, rest)) = argv.split_at_checked(self.words.len()) else { return false };
        let Some(targets) = self.targets else { return first == self.words };
        let is_target = |word: &String| {
            // `:shop:test` is the task `test` of a project of Gradle.
            let task = word.strip_prefix(':').and_then(|path| path.rsplit(':').next());
            targets.contains(&task.unwrap_or(word))
        };
        // The value of an option must be in the same word, because a word of its own may be a target.
        first == self.words && rest.iter().all(|word| word.starts_with('-') || is_target(word))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProjectKind;

    fn is_build(kind: ProjectKind, command: &str) -> bool {
        let argv: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        kind.build_commands().iter().any(|it| it.matches(&argv))
    }

    #[test]
    fn tools_that_also_publish_or_run_programs_only_build_and_test() {
        for (kind, command) in [
            (ProjectKind::Maven, "mvn deploy"),
            (ProjectKind::Maven, "mvn -B test deploy"),
            (ProjectKind::Maven, "./mvnw release:perform"),
            (ProjectKind::Maven, "mvn exec:exec -Dexec.executable=sh"),
            (ProjectKind::Maven, "mvnw test"),
            (ProjectKind::Gradle, "gradle publish"),
            (ProjectKind::Gradle, "./gradlew test publishToMavenLocal"),
            (ProjectKind::Gradle, "./gradlew :shop:publish"),
            (ProjectKind::Gradle, "./gradlew shop:test:publish"),
            (ProjectKind::Gradle, "./gradlew run"),
            (ProjectKind::Dotnet, "dotnet nuget push a.nupkg"),
            (ProjectKind::Dotnet, "dotnet publish"),
            (ProjectKind::Dotnet, "dotnet run"),
            (ProjectKind::Ruby, "rake release"),
            (ProjectKind::Ruby, "bundle exec rake test release"),
            (ProjectKind::Ruby, "bundle exec ruby x.rb"),
            (ProjectKind::Ruby, "gem push a.gem"),
            (ProjectKind::Php, "composer exec evil"),
            (ProjectKind::Php, "php x.php"),
            (ProjectKind::Make, "cc x.c"),
            (ProjectKind::Make, "meson install"),
            (ProjectKind::Rust, "cargo publish"),
            (ProjectKind::Rust, "cargo run"),
            (ProjectKind::Rust, "cargo testify"),
            (ProjectKind::Rust, "cargo"),
            (ProjectKind::Go, "go run ."),
            (ProjectKind::Python, "python3 x.py"),
            (ProjectKind::Python, "cargo test"),
            (ProjectKind::Unknown, "make"),
        ] {
            assert!(!is_build(kind, command), "{command}");
        }
    }

    #[test]
    fn builds_and_tests_are_commands_of_their_kind() {
        for (kind, command) in [
            (ProjectKind::Maven, "mvn -B -q -Dtest=ShopTest clean verify"),
            (ProjectKind::Maven, "./mvnw --projects=shop test"),
            (ProjectKind::Gradle, "gradle build"),
            (ProjectKind::Gradle, "./gradlew :shop:test --tests=ShopTest --no-daemon"),
            (ProjectKind::Dotnet, "dotnet build Shop.sln"),
            (ProjectKind::Ruby, "bundle exec rake"),
            (ProjectKind::Ruby, "bundle exec rspec spec/shop_spec.rb:3"),
            (ProjectKind::Php, "vendor/bin/phpunit --filter total"),
            (ProjectKind::Make, "cmake --build build"),
            (ProjectKind::Make, "meson test -C builddir"),
            (ProjectKind::Rust, "cargo test -p shop"),
        ] {
            assert!(is_build(kind, command), "{command}");
        }
    }
}
