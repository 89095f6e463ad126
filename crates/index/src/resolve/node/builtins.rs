//! The modules that come with Node.js.

use papayu_base::text::WordList;

/// Subpaths (`fs/promises`) follow their first segment.
static BUILTINS: WordList = WordList::new(
    "_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server \
    _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_wrap \
    _stream_writable _tls_common _tls_wrap assert async_hooks buffer child_process cluster \
    console constants crypto dgram diagnostics_channel dns domain events fs http http2 https \
    inspector module net os path perf_hooks process punycode querystring readline repl stream \
    string_decoder sys timers tls tty url util v8 vm zlib trace_events wasi worker_threads",
);

/// Returns the builtin a specifier names, `node:` taken off. `None` for a package.
pub(super) fn builtin_name(specifier: &str) -> Option<&str> {
    let runtimes = ["node:", "bun:", "cloudflare:"];
    if let Some(name) = runtimes.iter().find_map(|runtime| specifier.strip_prefix(runtime)) {
        return Some(name);
    }
    let first = specifier.split('/').next()?;
    let known = BUILTINS.contains(first);
    // `buffer/` and `process/` are how the packages of those names are asked for.
    (known && !specifier.ends_with('/')).then_some(specifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_asks_for_the_package() {
        assert_eq!(builtin_name("buffer/"), None);
        assert_eq!(builtin_name("fs-extra"), None);
        assert_eq!(builtin_name("node:test"), Some("test"));
        assert_eq!(builtin_name("fs/promises"), Some("fs/promises"));
    }
}
