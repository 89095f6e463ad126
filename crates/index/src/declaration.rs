//! The parts of a definition's head: parameters, types, modifiers and supertypes.

use schemars::JsonSchema;
use serde::Serialize;

/// The parts of a definition's head. Fields that are empty or false are left out of JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(default)]
pub struct Declaration {
    /// The parameters in order, at most 100; `null` for a definition that takes none, such as a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<Parameter>>,
    /// The type that a function returns, as the source spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_type: Option<String>,
    /// The type of a variable, constant, field or property, as the source spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// The visibility; `null` if the language has none here or takes it from the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Visibility>,
    /// True for `async` functions.
    #[serde(skip_serializing_if = "is_false")]
    pub is_async: bool,
    /// True for members of the type itself, and for variables of static storage.
    #[serde(skip_serializing_if = "is_false")]
    pub is_static: bool,
    /// True for values that cannot be assigned again (`readonly`, `final`, `const`).
    #[serde(skip_serializing_if = "is_false")]
    pub is_readonly: bool,
    /// The types that it extends, as the source spells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<String>,
    /// The interfaces or traits that it implements, as the source spells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implements: Vec<String>,
}

/// A parameter of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(default)]
pub struct Parameter {
    /// Its name or pattern; `null` if it has none.
    pub name: Option<String>,
    /// Its type, as the source spells it; `null` if none is given.
    #[serde(rename = "type")]
    pub type_text: Option<String>,
    /// Its default value, as the source spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// True if a call may leave it out.
    #[serde(skip_serializing_if = "is_false")]
    pub optional: bool,
    /// True if it takes the remaining arguments.
    #[serde(skip_serializing_if = "is_false")]
    pub variadic: bool,
}

impl Parameter {
    /// Returns a parameter with a name and a type.
    pub fn new(name: Option<String>, type_text: Option<String>) -> Self {
        Self { name, type_text, ..Self::default() }
    }

    /// Sets the default value, which makes a parameter optional.
    #[must_use]
    pub fn or_default(mut self, default: Option<String>) -> Self {
        self.optional |= default.is_some();
        self.default = default;
        self
    }

    /// Sets whether it takes the remaining arguments.
    #[must_use]
    pub fn variadic(mut self, variadic: bool) -> Self {
        self.variadic = variadic;
        self
    }
}

/// The code that can use a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// All code.
    Public,
    /// The type and its subtypes.
    Protected,
    /// The package, crate or assembly; in Python a name with one leading underscore.
    Internal,
    /// The type, module or file alone.
    Private,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
