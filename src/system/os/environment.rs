//! The process's own environment, read once.

/// Returns every variable with a UTF-8 name and value.
pub fn snapshot() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snapshot_holds_the_search_path() {
        assert!(snapshot().iter().any(|(name, value)| name == "PATH" && !value.is_empty()));
    }
}
