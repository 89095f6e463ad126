//! Removes secrets and private names from a query before it leaves the machine.

use papayu_base::text::{MASK, Masker, first_chars, has_word, is_invisible};

/// Maximum characters of a query. Search engines refuse longer ones.
const MAX_QUERY_CHARS: usize = 300;
/// Words of at least so many hexadecimal digits are digests or identifiers of a machine.
const MIN_DIGEST_CHARS: usize = 12;
/// Shorter private names are too common as words of the language.
const MIN_NAME_CHARS: usize = 3;

/// A query that may leave the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeQuery(String);

/// Names that do not leave the machine: of the repository, its owner, the user and the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivateNames(Vec<String>);

impl PrivateNames {
    /// Returns the names in the form that is compared. `OWNER/NAME` counts as two names.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let parts = names.into_iter().flat_map(|name| name.split(['/', '\\']));
        let parts = parts.map(|name| normalize(name.trim().trim_start_matches('@')));
        Self(parts.filter(|name| name.chars().count() >= MIN_NAME_CHARS).collect())
    }

    fn is_in(&self, word: &str) -> bool {
        let word = normalize(word);
        self.0.iter().any(|name| has_word(&word, name))
    }
}

/// Returns a name or word in the form that is compared: `shop_cart` has the words `shop` and `cart`.
fn normalize(name: &str) -> String {
    name.to_lowercase().replace(['_', '-'], " ")
}

impl SafeQuery {
    /// Returns the query of a text, or `None` if nothing is left of it. The rule:
    ///
    /// 1. Only the first line counts; invisible and control characters are removed.
    /// 2. Secrets are masked, and words with a masked part are removed.
    /// 3. Words are removed that are paths, addresses of the web or of e-mail, IP addresses, or digests. `@scope/name`, the name of a package, stays.
    /// 4. Words with a private name in them are removed.
    /// 5. At most 300 characters are left, cut between words.
    ///
    /// # Examples
    ///
    /// ```
    /// use papayu_providers::research::{PrivateNames, SafeQuery};
    /// use papayu_base::text::Masker;
    ///
    /// let names = PrivateNames::new(["acme/shop"]);
    /// let text = "TypeError in /home/jane/shop/src/a.py: shop.cart pydantic v2 model_validator";
    /// let query = SafeQuery::redact(text, &Masker::new([]), &names).unwrap();
    /// assert_eq!(query.as_str(), "TypeError in pydantic v2 model_validator");
    /// ```
    pub fn redact(text: &str, masker: &Masker, names: &PrivateNames) -> Option<Self> {
        let line = text.trim().lines().next().unwrap_or_default();
        let visible: String = line
            .chars()
            .filter(|c| !is_invisible(*c))
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let masked = masker.mask(&visible);
        let mut query = String::new();
        for word in masked.split_whitespace().filter(|word| may_leave(word, names)) {
            let separator = usize::from(!query.is_empty());
            let length = query.chars().count() + separator + word.chars().count();
            if length > MAX_QUERY_CHARS {
                break;
            }
            if separator == 1 {
                query.push(' ');
            }
            query.push_str(word);
        }
        let has_word = query.chars().any(char::is_alphanumeric);
        has_word.then_some(Self(query))
    }

    /// Returns the words of the query, separated by single spaces.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its words in lower case, for comparison with texts; words of one or two letters are left out.
    pub fn keywords(&self) -> Vec<String> {
        let words = self.0.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| word.chars().count() > 2).map(str::to_lowercase);
        words.collect()
    }
}

/// Returns `true` if a word may leave the machine.
fn may_leave(word: &str, names: &PrivateNames) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '@'));
    let is_package = bare.starts_with('@') && bare.matches('/').count() == 1;
    let is_path = !is_package && word.contains(['/', '\\']);
    let is_mail = bare.char_indices().any(|(at, c)| c == '@' && at > 0);
    !(word.contains(MASK)
        || is_path
        || is_mail
        || first_chars(word, 1) == "~"
        || bare.parse::<std::net::IpAddr>().is_ok()
        || is_digest(bare)
        || names.is_in(word))
}

/// Returns `true` for hexadecimal digits, also with the hyphens of a UUID.
fn is_digest(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let count = digits.chars().filter(char::is_ascii_hexdigit).count();
    count >= MIN_DIGEST_CHARS && digits.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}
