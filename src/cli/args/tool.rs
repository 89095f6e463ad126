//! `papayu-batch tool` and `papayu-batch mcp`.
//!
//! The subcommands of `tool` and their flags come from the registry of tools, so that help, completions and
//! messages know every name and parameter.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};
use serde_json::{Map, Value};

use crate::toolbox;

/// Call a tool of those that models use
#[derive(Debug, Args)]
pub struct ToolArgs {
    /// The tool and its parameters.
    #[command(subcommand)]
    pub call: NamedCall,
}

/// A tool with its parameters.
#[derive(Debug)]
pub struct NamedCall {
    /// Name of the tool.
    pub name: String,
    /// The parameters, an object.
    pub params: Value,
}

impl Subcommand for NamedCall {
    fn augment_subcommands(command: Command) -> Command {
        let tools = toolbox::all_tools().into_iter().map(|tool| {
            let schema = (tool.input_schema)();
            Command::new(tool.name)
                .about(tool.description.trim_end_matches('.'))
                .aliases(tool.aliases())
                .args(parameters(&schema).map(|parameter| parameter.argument()))
        });
        command.subcommands(tools).subcommand_required(true).arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        toolbox::all_tools().iter().any(|tool| tool.name == name || tool.aliases().contains(&name))
    }
}

impl FromArgMatches for NamedCall {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.subcommand().and_then(|(name, inner)| {
            let tool = toolbox::all_tools().into_iter().find(|tool| tool.name == name)?;
            Some((tool, inner))
        });
        let Some((tool, inner)) = named else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        let schema = (tool.input_schema)();
        let given = parameters(&schema)
            .filter_map(|parameter| Some((parameter.name.to_owned(), parameter.value(inner)?)));
        Ok(Self { name: tool.name.to_owned(), params: Value::Object(given.collect()) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A parameter of a tool, as its schema describes it.
struct ToolParameter<'s> {
    /// The name in the schema, with `_`.
    name: &'s str,
    schema: &'s Value,
    is_required: bool,
}

/// Returns the parameters of a tool from its input schema.
fn parameters(schema: &Value) -> impl Iterator<Item = ToolParameter<'_>> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = move |name: &str| {
        required.is_some_and(|required| required.iter().any(|it| it.as_str() == Some(name)))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flat_map(Map::iter);
    properties.map(move |(name, schema)| ToolParameter {
        name,
        schema,
        is_required: is_required(name),
    })
}

impl ToolParameter<'_> {
    /// Returns `true` if the schema names this type, alone or among others.
    fn has_type(&self, name: &str) -> bool {
        match self.schema.get("type") {
            Some(Value::String(kind)) => kind == name,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some(name)),
            _ => false,
        }
    }

    /// Returns the flag for a parameter. Its name is accepted with `-` in place of `_`.
    fn argument(&self) -> Arg {
        let help = self.schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let name = self.name.to_owned();
        let argument = Arg::new(name.clone())
            .long(name.clone())
            .help(help.trim_end_matches('.').to_owned())
            .required(self.is_required);
        let argument =
            if name.contains('_') { argument.alias(name.replace('_', "-")) } else { argument };
        if self.has_type("boolean") {
            let values = argument.num_args(0..=1).default_missing_value("true");
            return values.value_parser(clap::value_parser!(bool)).value_name("BOOL");
        }
        if self.has_type("integer") {
            return argument.value_parser(clap::value_parser!(u32)).value_name("N");
        }
        let action = if self.has_type("array") { ArgAction::Append } else { ArgAction::Set };
        argument.action(action).allow_hyphen_values(true).value_name("TEXT")
    }

    /// Returns the value that was given for a parameter; `None` if it was left out.
    fn value(&self, matches: &ArgMatches) -> Option<Value> {
        if self.has_type("boolean") {
            return matches.get_one::<bool>(self.name).map(|value| Value::from(*value));
        }
        if self.has_type("integer") {
            return matches.get_one::<u32>(self.name).map(|value| Value::from(*value));
        }
        if self.has_type("array") {
            let values = matches.get_many::<String>(self.name)?;
            return Some(values.cloned().map(Value::from).collect());
        }
        matches.get_one::<String>(self.name).map(|value| Value::from(value.clone()))
    }
}

/// Serve the tools to a coding agent over stdio, as an MCP server
#[derive(Debug, Args)]
pub struct McpArgs {
    /// The tools to offer
    #[arg(long, value_enum, default_value_t = ToolProfile::Default)]
    pub profile: ToolProfile,
    /// Give the data of each answer as structured content, with its schema, and the text only in short
    #[arg(long)]
    pub structured: bool,
}

/// A set of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToolProfile {
    /// Tools that answer in one call
    Default,
    /// These and the 18 tools with one job each
    All,
}
