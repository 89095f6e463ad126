//! The kinds of forges, with their words in settings and messages.

/// Defines [`ForgeKind`] together with the list of its variants and their words, which cannot lack one.
macro_rules! forge_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// A kind of forge.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ForgeKind {
            $($(#[$doc])* $name,)*
        }

        impl ForgeKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the value of `forge.kind` that names it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

forge_kinds! {
    /// GitHub, GitHub Enterprise.
    GitHub = "github",
    /// GitLab.
    GitLab = "gitlab",
    /// Gitea and Forgejo.
    Gitea = "gitea",
    /// Bitbucket Cloud.
    Bitbucket = "bitbucket",
    /// Azure DevOps.
    Azure = "azure",
}

impl ForgeKind {
    /// Returns the variable in which people set a token of this forge.
    pub const fn token_variable(self) -> &'static str {
        match self {
            Self::GitHub => "GITHUB_TOKEN",
            Self::GitLab => "GITLAB_TOKEN",
            Self::Gitea => "GITEA_TOKEN",
            Self::Bitbucket => "BITBUCKET_TOKEN",
            Self::Azure => "AZURE_DEVOPS_EXT_PAT",
        }
    }

    /// Returns the next step of a user after a missing or refused token.
    pub fn token_hint(self) -> String {
        let name = self.token_variable();
        format!("set `{name}` to a valid token of this server that may push and open pull requests")
    }
}
