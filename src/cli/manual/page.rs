//! Renders the pages: the sections of clap, then examples, exit status, environment and files.

use std::io;

use clap_mangen::Man;
use roff::{Inline, Roff, bold, italic, roman};

use super::{EXAMPLES, FILES, VARIABLES};
use crate::cli::args::Cli;
use crate::settings::KEYS;
use papayu_base::domain::ExitCode;

/// A page of the manual.
#[derive(Clone, Debug)]
pub struct Page {
    /// The command, such as `runs show`; empty for the program itself.
    pub command: String,
    /// Its text in the language of `man`.
    pub text: String,
}

impl Page {
    /// Returns the name of its file, such as `papayu-batch-runs-show.1`.
    pub fn file_name(&self) -> String {
        format!("{}.1", page_name(&self.command))
    }
}

/// Returns all pages: the one of the program, then one for each command and its subcommands.
///
/// # Errors
///
/// Fails only if text cannot be written to memory.
pub fn render_pages() -> io::Result<Vec<Page>> {
    let mut pages = Vec::new();
    add_pages(&Cli::visible_command(), "", &mut pages)?;
    Ok(pages)
}

/// Adds the page of a command and of those below it. The definition is not built, so the options of
/// every command are on the page of the program only.
fn add_pages(definition: &clap::Command, command: &str, pages: &mut Vec<Page>) -> io::Result<()> {
    pages.push(Page { command: command.to_owned(), text: render_page(definition, command)? });
    for inner in definition.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let name = format!("{command} {}", inner.get_name());
        add_pages(inner, name.trim_start(), pages)?;
    }
    Ok(())
}

fn page_name(command: &str) -> String {
    let words = command.split_whitespace();
    ["papayu-batch"].into_iter().chain(words).collect::<Vec<_>>().join("-")
}

/// Returns the page of a command in the format of man(7).
fn render_page(definition: &clap::Command, command: &str) -> io::Result<String> {
    let name = page_name(command);
    let call = format!("papayu-batch {command}");
    let definition = definition
        .clone()
        .display_name(name.clone())
        .bin_name(call.trim_end())
        .disable_help_subcommand(true);
    let has_commands = definition.has_subcommands();
    let man = Man::new(definition)
        .title(name)
        .section("1")
        .source(concat!("papayu-batch ", env!("CARGO_PKG_VERSION")))
        .manual("papayu-batch");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if has_commands {
        man.render_subcommands_section(&mut text)?;
    }
    own_sections(command).to_writer(&mut text)?;
    String::from_utf8(text).map_err(io::Error::other)
}

/// Returns the sections that follow those of clap.
fn own_sections(command: &str) -> Roff {
    let mut page = Roff::new();
    let mut examples = EXAMPLES.iter().filter(|example| example.command == command).peekable();
    if examples.peek().is_some() {
        page.control("SH", ["EXAMPLES"]);
    }
    for example in examples {
        page.control("TP", []);
        page.text([roman(example.effect)]);
        page.text([bold(example.line)]);
    }
    page.control("SH", ["EXIT STATUS"]);
    for code in ExitCode::ALL {
        add_item(&mut page, bold(code.number().to_string()), code.meaning());
    }
    page.control("SH", ["ENVIRONMENT"]);
    if command.is_empty() {
        add_variables(&mut page);
        page.control("SH", ["FILES"]);
        for file in FILES {
            add_item(&mut page, italic(file.name), file.meaning);
        }
        return page;
    }
    page.text([
        roman("Every setting has a variable; flags override it. "),
        bold("papayu-batch"),
        roman("(1) lists them under ENVIRONMENT, and the options that every command accepts."),
    ]);
    page.control("SH", ["FILES"]);
    page.text([bold("papayu-batch"), roman("(1) lists the files that runs read and write.")]);
    page.control("SH", ["SEE ALSO"]);
    page.text([bold("papayu-batch"), roman("(1)")]);
    page
}

/// Adds every environment variable with its meaning and its setting.
fn add_variables(page: &mut Roff) {
    for key in KEYS {
        let meaning = format!("{} ({}).", key.doc, key.name);
        add_item(page, bold(key.env.join(", ")), &meaning);
    }
    for variable in VARIABLES {
        add_item(page, bold(variable.name), variable.meaning);
    }
}

/// Adds a labelled paragraph (man(7), `.TP`).
fn add_item(page: &mut Roff, label: Inline, text: &str) {
    page.control("TP", []);
    page.text([label]);
    page.text([roman(text)]);
}
