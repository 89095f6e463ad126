//! The masker of errors that come before the settings are read.

use papayu_base::text::Masker;
use papayu_system::environment::is_secret;
use papayu_system::os::environment;

/// Returns a masker of the environment's secrets, which are all that are known without settings.
pub(super) fn environment_masker() -> Masker {
    // Other settings have values such as `openai`, which are words.
    let is_plain = |name: &str| name.starts_with("PAPAYU_") && !name.ends_with("_KEY");
    let secret = |(name, _): &(String, String)| is_secret(name) && !is_plain(name);
    Masker::new(environment::snapshot().into_iter().filter(secret).map(|(_, value)| value))
}
