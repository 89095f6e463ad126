//! The README says what the program does: its settings table is the one of the code.
#![expect(clippy::disallowed_methods, reason = "the test reads and blesses the file itself")]

use std::fs;

use papayu_batch::settings;

const BEGIN: &str =
    "<!-- settings: kept equal to the table in src/settings/keys.rs by a test -->\n";
const END: &str = "<!-- /settings -->";

fn table() -> String {
    let settings = settings::load(&[], &[], None, None).unwrap();
    let rows = settings.rows().map(|row| {
        let shown = if row.shown_value.is_empty() {
            "–".into()
        } else {
            format!("`{}`", row.shown_value)
        };
        let variables: Vec<_> = row.env.iter().map(|name| format!("`{name}`")).collect();
        format!("| `{}` | {} | {shown} | {} |\n", row.key, variables.join(", "), row.doc)
    });
    let head = "\n| setting | variable | default | what it is |\n|---|---|---|---|\n";
    head.to_owned() + &rows.collect::<String>() + "\n"
}

#[test]
fn the_settings_table_of_the_readme_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let text = fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = [before, BEGIN, &table(), END, after].concat();
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, &expected).unwrap();
    } else {
        assert_eq!(text, expected, "run `BLESS=1 cargo test --test it` and look at the change");
    }
}

#[test]
fn the_example_settings_file_is_taken_as_it_stands() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/papayu.toml");
    let text = fs::read_to_string(path).unwrap();
    let repository = Some((std::path::Path::new("papayu.toml"), text.as_str()));
    let settings = settings::load(&[], &[], repository, None).unwrap();
    assert_eq!(settings.paths_allowed.value, [".py", ".toml", "Makefile"]);
}
