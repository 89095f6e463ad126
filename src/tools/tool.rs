//! The interface of a tool, and its row in the registry.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::{ToolAnswer, TypedAnswer};
use super::error::ToolError;
use super::workspace::ToolSession;
use papayu_patch::protocol;

/// The effect of a tool on the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads.
    Reads,
    /// It adds files or commits and removes nothing.
    Adds,
    /// It changes or removes files, or runs a program that may.
    Changes,
}

/// The answer of a tool with its typed data, or the reason why there is none.
pub type ToolResult<T> = Result<TypedAnswer<T>, ToolError>;

/// A tool with typed parameters and a typed answer.
pub trait Tool {
    /// The parameters. Their JSON Schema is derived from the type.
    type Params: DeserializeOwned + JsonSchema;
    /// The data of the answer.
    type Output<'w>: Serialize + JsonSchema;
    /// The name, in snake case.
    const NAME: &'static str;
    /// One sentence for clients.
    const DESCRIPTION: &'static str;
    /// The effect on the repository.
    const ACCESS: Access = Access::Reads;
    /// True if it reads the index, which is then brought up to date first.
    const USES_INDEX: bool = true;

    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// See [`ToolError`].
    fn run<'w>(
        params: Self::Params,
        workspace: &'w ToolSession<'w>,
    ) -> ToolResult<Self::Output<'w>>;
}

/// A row of the registry.
#[derive(Clone, Copy)]
pub struct ToolEntry {
    /// The name.
    pub name: &'static str,
    /// One sentence for clients.
    pub description: &'static str,
    /// The effect on the repository.
    pub access: Access,
    /// True if it reads the index.
    pub uses_index: bool,
    /// Returns the JSON Schema of the parameters, an object.
    pub input_schema: fn() -> Value,
    /// Returns the JSON Schema of the data, an object.
    pub output_schema: fn() -> Value,
    run: for<'w> fn(Value, &'w ToolSession<'w>) -> Result<ToolAnswer, ToolError>,
}

impl std::fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolEntry").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ToolEntry {
    /// Returns the row of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            description: T::DESCRIPTION,
            access: T::ACCESS,
            uses_index: T::USES_INDEX,
            input_schema: json_schema::<T::Params>,
            output_schema: json_schema::<T::Output<'static>>,
            run: run_typed::<T>,
        }
    }

    /// Returns other names that models use for it. Replies that call tools have the same.
    pub fn aliases(&self) -> &'static [&'static str] {
        protocol::tool_aliases(self.name)
    }

    /// Runs the tool with parameters that were checked against its schema.
    ///
    /// # Errors
    ///
    /// See [`ToolError`].
    pub(super) fn run<'w>(
        &self,
        params: Value,
        workspace: &'w ToolSession<'w>,
    ) -> Result<ToolAnswer, ToolError> {
        (self.run)(params, workspace)
    }
}

/// Returns the schema without the formats of Rust's integers, which validators warn of.
fn json_schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    remove_formats(&mut schema);
    schema
}

/// Removes the keyword `format` from a schema, also in its parts.
fn remove_formats(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| name != "format" || !value.is_string());
            fields.values_mut().for_each(remove_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_formats),
        _ => {}
    }
}

fn run_typed<'w, T: Tool>(
    params: Value,
    workspace: &'w ToolSession<'w>,
) -> Result<ToolAnswer, ToolError> {
    let whole = |error: serde_json::Error| ToolError::Parameter {
        name: "(all)".to_owned(),
        fault: error.to_string(),
    };
    let params: T::Params = serde_json::from_value(params).map_err(whole)?;
    let TypedAnswer { output, text, files } = T::run(params, workspace)?;
    let data = serde_json::to_value(&output).map_err(whole)?;
    Ok(ToolAnswer { data, text, files })
}
