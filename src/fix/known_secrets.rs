//! Collects the values that are secret in this run: of the environment, of settings, and of the user's credential files.

use std::io::Read as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use papayu_system::decode_percent;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::ci_environment::CiEnvironment;
use super::models::model_keys;
use super::session::Session;
use crate::settings::KEYS;
use papayu_base::text::{Masker, secrets_in};
use papayu_forge::ForgeKind;
use papayu_system::Disk;
use papayu_system::environment::is_secret;

/// Files of credentials, below the home folder.
const FILES: [&str; 16] = [
    ".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".yarnrc.yml",
    ".pypirc", ".docker/config.json", ".cargo/credentials.toml", ".cargo/credentials",
    ".aws/credentials", ".config/gh/hosts.yml", ".gem/credentials", ".m2/settings.xml",
    ".gradle/gradle.properties", ".pgpass",
];

/// The longest credential file read, in bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// Returns every value that is secret whatever it looks like.
pub(super) fn known_secrets(session: &Session) -> Vec<String> {
    let mut known = environment_secrets(&session.environment);
    let search = session.settings.online_tavily_api_key.value.as_ref();
    known.extend(search.map(|key| key.expose_secret().to_owned()));
    known.extend(model_keys(session));
    known.extend(forge_secrets(session));
    known.extend(snyk_secrets(session));
    known.extend(address_secrets(session.settings.queue_url.value.as_ref()));
    known.extend(address_secrets(session.settings.store_url.value.as_ref()));
    for path in credential_files(session) {
        known
            .extend(read(&session.disk, &path).as_deref().map(secrets_of_file).unwrap_or_default());
    }
    known
}

/// Returns a masker for errors that come before the settings are read: it knows the secrets of the environment.
pub(crate) fn environment_masker(environment: &[(String, String)]) -> Masker {
    Masker::new(environment_secrets(environment))
}

/// Returns the secret values of an environment.
fn environment_secrets(environment: &[(String, String)]) -> Vec<String> {
    let mut known = Vec::new();
    for (name, value) in environment {
        // A password in an address, such as that of a database, is secret whatever the variable is called.
        known.extend(secrets_in(value));
        if is_address_setting(name) {
            known.extend(secrets_of_address(value));
            continue;
        }
        let is_named_so = if is_setting(name) { is_secret_setting(name) } else { is_secret(name) };
        if is_named_so || may_be_secret(name, value) {
            known.push(value.trim().to_owned());
        }
    }
    known
}

/// Returns `true` for a variable that a command may need and that may be secret all the same.
fn may_be_secret(name: &str, value: &str) -> bool {
    const NAMES: [&str; 8] =
        ["_KEY_", "_PW", "_CREDS", "_SAS", "COOKIE", "CONN_STR", "CONNECTION_STRING", "SIGNING"];
    let name = name.to_ascii_uppercase();
    // A path names a file of secrets, and is none.
    NAMES.iter().any(|part| name.contains(part))
        && value.len() >= 8
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && !value.starts_with(['/', '.', '~'])
}

/// Returns the paths of the user's credential files.
fn credential_files(session: &Session) -> Vec<PathBuf> {
    let variable = |name: &str| {
        let found = session.environment.iter().find(|(variable, _)| variable == name);
        found.map(|(_, value)| PathBuf::from(value))
    };
    let home = variable("HOME").or_else(|| variable("USERPROFILE"));
    let at_home = home.iter().flat_map(|home| FILES.map(|file| home.join(file)));
    let named = ["NETRC", "NPM_CONFIG_USERCONFIG", "AWS_SHARED_CREDENTIALS_FILE", "PGPASSFILE"];
    at_home.chain(named.into_iter().filter_map(variable)).collect()
}

/// Reads a short text; nothing where there is none.
fn read(disk: &dyn Disk, path: &std::path::Path) -> Option<String> {
    if !disk.is_file(path) {
        return None;
    }
    let mut text = String::new();
    disk.open(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the secrets in a file of credentials: those with the form of one, and all values with such a name.
fn secrets_of_file(text: &str) -> Vec<String> {
    const NAMES: [&str; 6] = ["password", "passwd", "token", "secret", "_auth", "auth\""];
    let mut secrets = secrets_in(text);
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';', '!']));
    for line in lines.clone() {
        let lower = line.to_ascii_lowercase();
        let Some(name) = NAMES.into_iter().find(|name| lower.contains(name)) else { continue };
        let rest = lower.find(name).and_then(|at| line.get(at + name.len()..)).unwrap_or_default();
        let rest = rest.trim_start_matches(|c: char| c.is_alphanumeric() || "_-".contains(c));
        let end = |c: char| c.is_whitespace() || "\"'<,".contains(c);
        let value = rest.trim_start_matches([' ', '\t', ':', '=', '"', '\'', '>']);
        secrets.extend(
            value.split(end).next().filter(|value| !value.starts_with('$')).map(str::to_owned),
        );
    }
    // `host:port:database:user:password`
    let entries = lines.filter(|line| !line.contains([' ', '/']));
    secrets.extend(entries.filter_map(|line| Some(line.splitn(5, ':').nth(4)?.to_owned())));
    let pairs: Vec<_> = secrets.iter().filter_map(|secret| password_of_pair(secret)).collect();
    secrets.extend(pairs);
    secrets
}

/// Returns the password of `user:password` in base64.
fn password_of_pair(secret: &str) -> Option<String> {
    let pair = String::from_utf8(STANDARD.decode(secret).ok()?).ok()?;
    Some(pair.split_once(':')?.1.to_owned())
}

/// The tokens of forges, and the forms in which pushes and requests carry them.
fn forge_secrets(session: &Session) -> Vec<String> {
    let settings = &session.settings;
    let set = [&settings.github_token.value, &settings.forge_token.value].into_iter().flatten();
    let mut tokens: Vec<String> =
        set.map(|token| token.expose_secret().trim().to_owned()).collect();
    let job = CiEnvironment::of(&session.environment);
    tokens.extend(ForgeKind::ALL.iter().filter_map(|kind| job.token(*kind)));
    // A token of Bitbucket may have the address of its person before it.
    let lone: Vec<String> =
        tokens.iter().filter_map(|token| Some(token.split_once(':')?.1.to_owned())).collect();
    tokens.extend(lone);
    // Requests have no user before the token.
    let users = ForgeKind::ALL.iter().flat_map(|kind| kind.git_users()).copied().chain([""]);
    let pairs = users.flat_map(|user| {
        tokens.iter().map(move |token| STANDARD.encode(format!("{user}:{token}")))
    });
    let whole: Vec<String> =
        pairs.chain(tokens.iter().map(|token| STANDARD.encode(token))).collect();
    whole.into_iter().chain(tokens).collect()
}

/// The token of Snyk.
fn snyk_secrets(session: &Session) -> Option<String> {
    let token = session.settings.snyk_token.value.as_ref();
    token.map(|token| token.expose_secret().trim().to_owned())
}

/// The passwords in the address of a queue or of a store.
fn address_secrets(url: Option<&SecretString>) -> Vec<String> {
    url.map(|url| secrets_of_address(url.expose_secret())).unwrap_or_default()
}

/// Returns the passwords in the addresses of servers, which commas separate, as they are written and as they are meant. A
/// text that cannot be read as an address may be a password itself.
fn secrets_of_address(text: &str) -> Vec<String> {
    let mut secrets = Vec::new();
    for address in text.split(',').map(str::trim).filter(|address| !address.is_empty()) {
        let has_user = address.contains('@');
        let parsed = Url::parse(address).ok().filter(|url| url.has_authority() || !has_user);
        let Some(url) = parsed else {
            secrets.push(address.to_owned());
            continue;
        };
        // A lone name may be a token.
        let lone = Some(url.username()).filter(|name| !name.is_empty());
        let Some(secret) = url.password().or(lone) else { continue };
        secrets.extend([decode_percent(secret), address.to_owned(), secret.to_owned()]);
    }
    // A password may have a comma.
    if !secrets.is_empty() {
        secrets.push(text.trim().to_owned());
    }
    secrets
}

/// Returns `true` for a variable with the address of a server, of which only the password is secret.
fn is_address_setting(name: &str) -> bool {
    const ADDRESSES: [&str; 2] = ["queue.url", "store.url"];
    KEYS.iter().any(|key| ADDRESSES.contains(&key.name) && key.env.contains(&name))
}

/// Our own variables are kept from children, but most of their values are words such as `openai` that must
/// not be masked everywhere.
fn is_setting(name: &str) -> bool {
    name.starts_with("PAPAYU_")
}

/// Returns `true` for a variable of a setting that is a secret by the table of settings.
fn is_secret_setting(name: &str) -> bool {
    KEYS.iter().any(|key| key.secret && key.env.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_keys_are_known_and_paths_and_words_are_not() {
        for (name, value, secret) in [
            ("DEPLOY_KEY_BASE64", "c3dvcmRmaXNo1", true),
            ("AWS_ACCESS_KEY_ID", "ZXCV1234ASDF", true),
            ("db_pw", "swordfish7lane", true),
            ("AZURE_STORAGE_CONNECTION_STRING", "AccountName=a;Key=b1", true),
            ("SSH_KEY_PATH", "/home/bob/id_1", false),
            ("SIGNING_MODE", "automatic", false),
            ("PWD", "/home/bob1", false),
            ("GITHUB_SHA", "6ceb498b221efa11f559602beb2463b8b52c2161", false),
        ] {
            assert_eq!(may_be_secret(name, value), secret, "{name}");
        }
    }

    #[test]
    fn every_setting_that_is_a_secret_is_known_before_the_settings_are_read() {
        let secret = |key: &&crate::settings::SettingKey| key.secret;
        let named = KEYS.iter().filter(secret).flat_map(|key| key.env);
        let environment: Vec<_> = named
            .zip(100..)
            .map(|(name, number)| ((*name).to_owned(), format!("orchard-{number}-lane")))
            .collect();
        assert!(environment.len() > 8, "{environment:?}");
        let masker = environment_masker(&environment);
        for (name, value) in &environment {
            assert_eq!(masker.mask(&format!("<{value}>")), "<***>", "{name}");
        }
        let plain = [("PAPAYU_LLM_PROVIDER".to_owned(), "openai-responses".to_owned())];
        assert_eq!(environment_masker(&plain).mask("openai-responses"), "openai-responses");
    }

    #[test]
    fn only_the_password_of_an_address_is_a_secret() {
        for (variable, address, secret) in [
            ("PAPAYU_QUEUE", "nats://127.0.0.1:4222", None),
            ("PAPAYU_QUEUE", "nats://a.example.org,tls://b.example.org/night", None),
            ("PAPAYU_STORE", "unix:///run/redis.sock", None),
            ("PAPAYU_QUEUE", "nats://worker:swordfish-lane@127.0.0.1", Some("swordfish-lane")),
            ("PAPAYU_QUEUE", "nats://a,nats://w:sword%40fish@b:1", Some("sword@fish")),
            ("PAPAYU_QUEUE", "nats://swordfish-lane@127.0.0.1", Some("swordfish-lane")),
            ("PAPAYU_STORE", "redis://:swordfish-lane@h:1", Some("swordfish-lane")),
            ("PAPAYU_STORE", "swordfish-lane", Some("swordfish-lane")),
        ] {
            let masker = environment_masker(&[(variable.to_owned(), address.to_owned())]);
            let is_shown = masker.mask(address) == address;
            assert_eq!(is_shown, secret.is_none(), "{address}");
            if let Some(secret) = secret {
                assert_eq!(masker.mask(&format!("<{secret}>")), "<***>", "{address}");
            }
        }
    }

    #[test]
    fn the_secrets_of_credential_files_are_read() {
        let pair = STANDARD.encode("bob:swordfish-lane");
        for (text, secret) in [
            ("machine h login bob password swordfish-lane\n".to_owned(), "swordfish-lane"),
            ("machine h\n  login bob\n  password swordfish-lane\n".to_owned(), "swordfish-lane"),
            ("https://bob:swordfish-lane@github.com\n".to_owned(), "swordfish-lane"),
            ("//r/:_authToken=swordfish-lane\n".to_owned(), "swordfish-lane"),
            ("[pypi]\nusername = bob\npassword: swordfish-lane\n".to_owned(), "swordfish-lane"),
            (format!("{{\"auths\": {{\"r\": {{\"auth\": \"{pair}\"}}}}}}"), "swordfish-lane"),
            ("[registry]\ntoken = \"swordfish-lane\"\n".to_owned(), "swordfish-lane"),
            ("aws_secret_access_key = swordfish/lane\n".to_owned(), "swordfish/lane"),
            ("github.com:\n    oauth_token: swordfish-lane\n".to_owned(), "swordfish-lane"),
            ("<password>swordfish-lane</password>".to_owned(), "swordfish-lane"),
            ("db:5432:app:bob:swordfish-lane".to_owned(), "swordfish-lane"),
        ] {
            let found = secrets_of_file(&text);
            assert!(found.iter().any(|found| found == secret), "{text}: {found:?}");
        }
    }
}
