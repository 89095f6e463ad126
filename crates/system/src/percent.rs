//! Percent-encoded parts of addresses and settings.

/// Returns a text with its `%40` and the like as characters.
///
/// ```
/// assert_eq!(papayu_system::decode_percent("a%40b+c=d&e"), "a@b+c=d&e");
/// ```
pub fn decode_percent(text: &str) -> String {
    // The decoder is one of forms, where these characters have a meaning.
    let form = text.replace('+', "%2B").replace('=', "%3D").replace('&', "%26");
    let decoded = url::form_urlencoded::parse(form.as_bytes()).next();
    decoded.map(|(text, _)| text.into_owned()).unwrap_or_default()
}
