//! Files with credentials, found by name and by content: they are never shown.

use std::sync::LazyLock;

use globset::GlobSet;

use papayu_base::domain::RepoPath;
use papayu_base::text::secrets_in;
use papayu_lang::compile_globs;

/// Patterns of file names, in lower case, in addition to the protected ones of
/// `gate/protected.rs`. Each is the default name of a tool's credential file.
const FILES: &str = ".databrickscfg .ftpconfig .irb_history .node_repl_history .ossutilconfig .rediscli_history \
    .sentryclirc recentservers.xml sftp-config.json sitemanager.xml *.pgpass \
    *firebase-adminsdk*.json .bash_history .boto .dockercfg .dockerconfigjson .git-credentials \
    .htpasswd .my.cnf .mylogin.cnf .mysql_history .pgpass .psql_history .pypirc .python_history \
    .s3cfg .secrets .terraformrc .vault-token .vault_pass* .vault-pass* .zsh_history _netrc \
    *.agekey *.bks *.jks *.kdb *.kdbx *.keystore *.keytab *.kubeconfig *.ovpn *.p8 *.pkcs12 *.ppk \
    *.tfstate *.tfstate.backup *.tfvars *.tfvars.json *_credentials.json *-credentials.json \
    *_service_account.json *-service-account.json application_default_credentials.json auth.json \
    client_secret*.json credentials credentials.db credentials.json credentials.toml \
    credentials.xml credentials.yaml credentials.yml credentials.yml.enc kubeconfig \
    local.settings.json oauth2.json pgpass.conf rclone.conf secrets.properties \
    service_account*.json service-account*.json settings-security.xml terraform.rc *.env .env-* \
    .env_* .env~ env.local env.dev env.development env.staging env.test env.prod env.production secret.json secrets.*.json *secrets.json *secrets.json5 \
    *secrets.yaml *secrets.yml *secrets.toml passwords.txt htpasswd vault.yaml vault.yml";

/// Folders with credentials. No file below them is shown.
const FOLDERS: [&str; 7] =
    [".aws", ".azure", ".gnupg", ".kube", ".oci", ".password-store", "gcloud"];

/// Files that only their folder makes recognisable, as the last two parts of the path.
const PAIRS: [&str; 6] = [
    ".composer/auth.json", ".config/hub", ".docker/config.json", ".fly/config.yml",
    ".m2/settings.xml", "gh/hosts.yml",
];

static FILE_NAMES: LazyLock<Option<GlobSet>> =
    LazyLock::new(|| compile_globs(FILES.split_whitespace()));

/// Returns `true` for the identity of a file that by its name has credentials.
pub(super) fn is_named_so(identity: &str) -> bool {
    let (folders, name) = identity.rsplit_once('/').unwrap_or(("", identity));
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || PAIRS.iter().any(|pair| {
            identity.strip_suffix(pair).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
        || FILE_NAMES.as_ref().is_none_or(|names| names.is_match(name))
}

/// Returns `true` for a text that is a private key or the settings of a tool with a credential in them. A source file that only contains
/// a key is not one: the key in it is masked.
// A word that begins a value, with `$` or `{`, is a variable: the secret is elsewhere.
pub(super) fn holds_credentials(path: &RepoPath, text: &str) -> bool {
    let identity = path.identity();
    let name = identity.rsplit('/').next().unwrap_or_default();
    // Leading blank lines do not change what a key file is.
    let begin = text.trim_start();
    let has = |word: &str| text.contains(word);
    let is_set = |key: &str| {
        text.match_indices(key).any(|(at, _)| {
            let value =
                text.get(at + key.len()..).unwrap_or_default().trim_start_matches(['"', ' ']);
            !value.starts_with(['$', '%', '{', '<', '\n']) && !value.is_empty()
        })
    };
    let is_key = begin.starts_with("-----BEGIN") && has("PRIVATE KEY")
        || begin.starts_with("PuTTY-User-Key-File")
        || begin.starts_with("AGE-SECRET-KEY-");
    // Service accounts of Google, states of Terraform, and configurations of Docker.
    let is_json = begin.starts_with('{')
        && (has("\"private_key\"") && has("service_account")
            || has("\"terraform_version\"") && has("\"lineage\"")
            || has("\"auths\"") && has("\"auth\""));
    // Package registries write the token after one of these keys.
    let is_registry = (name.ends_with("npmrc") || name.starts_with(".yarnrc"))
        && ["_authToken=", "_auth=", "_password=", "npmAuthToken:"].into_iter().any(is_set);
    let is_settings = name == "settings.xml" && has("<server>") && is_set("<password>")
        || name == "nuget.config" && has("ClearTextPassword")
        || begin.starts_with('[') && has("\naws_secret_access_key")
        || has("client-key-data:") && has("kind: Config");
    // Settings that are made for one place, with the passwords of that place.
    let is_local = [".properties", ".config"].into_iter().any(|ending| name.ends_with(ending))
        && !secrets_in(text).is_empty();
    is_key || is_json || is_registry || is_settings || is_local
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    #[test]
    fn files_of_credentials_are_known_by_name() {
        assert!(FILE_NAMES.is_some());
        for text in [
            ".env.local", ".netrc", "home/.PYPIRC", "id_ed25519", "a/server.pem", "vault.kdbx",
            ".docker/config.json", "x/.docker/config.json", "credentials.json", ".git-credentials",
            ".aws/credentials", ".aws/config", "deploy/kubeconfig", "infra/terraform.tfstate",
            "infra/prod.tfvars", ".htpasswd", ".m2/settings.xml", "config/credentials.yml.enc",
            "my-service-account.json", "release.jks", ".password-store/bank.gpg", ".oci/config",
            "x-firebase-adminsdk-1.json", ".vscode/sftp-config.json", "deploy/prod.env",
            ".env-prod", ".env_prod", ".env~", "env.production", "secret.json",
            "secrets.prod.json", "app-secrets.json5", "k8s/db_secrets.yaml", "secrets.yml",
            "secrets.toml", "passwords.txt", "htpasswd", "group_vars/vault.yml", "vault.yaml",
            "secrets.env", "env.local", "conf/env.prod",
        ] {
            assert!(crate::is_hidden(&path(text)), "{text}");
        }
        for text in [
            "src/credentials.rs", "src/credentials/mod.rs", "settings.xml", ".npmrc",
            "config.json", "src/auth.js", "infra/main.tf", "docs/kubeconfig.md",
            "certs/readme.txt", "src/secrets.py", "env.ts", "src/env.d.ts", "src/env.rs",
            "vault.py", "secrets.go",
        ] {
            assert!(!crate::is_hidden(&path(text)), "{text}");
        }
    }

    #[test]
    fn files_of_credentials_are_known_by_content() {
        let begin = ["-----BEGIN RSA", "PRIVATE KEY-----\nMIIE\n"].join(" ");
        let account = r#"{"type": "service_account", "private_key": "x"}"#;
        let server = "<server><id>x</id><password>hunter</password></server>";
        for (name, text) in [
            ("deploy.txt", begin.as_str()),
            ("a.json", account),
            (".npmrc", "//r/:_authToken=abc\n"),
            ("conf/settings.xml", server),
            ("aws.ini", "[default]\naws_secret_access_key = x\n"),
            ("app.properties", "db.user=app\ndb.password=orchardlane\n"),
            (
                "Web.config",
                r#"<add name="Db" connectionString="Server=db;User Id=sa;Password=orchardlane;" />"#,
            ),
            ("state.json", r#"{"terraform_version": "1", "lineage": "x"}"#),
        ] {
            assert!(crate::holds_credentials(&path(name), text), "{name}");
        }
        let source = format!("KEY = '''{begin}'''\n");
        for (name, text) in [
            ("a.py", source.as_str()),
            (".npmrc", "//r/:_authToken=${NPM_TOKEN}\n"),
            ("settings.xml", "<server><password>${env.P}</password></server>"),
            ("a.rs", "fn private_key() {}\n"),
            ("app.properties", "db.password=${DB_PASSWORD}\nserver.port=80\n"),
            ("Web.config", "<add key=\"Token\" value=\"#{Token}#\" />"),
            ("package.json", "{\"name\": \"auth\"}"),
        ] {
            assert!(!crate::holds_credentials(&path(name), text), "{name}");
        }
    }
}
