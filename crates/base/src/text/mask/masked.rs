//! Values that have passed a masker: what leaves the program takes this type, so that no way out is forgotten.

use std::fmt;
use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Masker;

/// A value with every secret in it replaced by `***`. Only a [`Masker`] makes one.
///
/// # Examples
///
/// ```
/// use papayu_base::text::Masker;
///
/// let masker = Masker::new(["violet-9-tin".to_owned()]);
/// assert_eq!(*masker.masked("it is violet-9-tin"), "it is ***");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked<T>(T);

impl<T> Masked<T> {
    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Masked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: fmt::Display> fmt::Display for Masked<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(to)
    }
}

impl Masker {
    /// Returns the text with every secret replaced.
    pub fn masked(&self, text: &str) -> Masked<String> {
        Masked(self.mask(text).into_owned())
    }

    /// Returns the value with the secrets in its texts replaced.
    ///
    /// # Errors
    ///
    /// The value is not one of JSON, or refuses a text with a mask in it.
    pub fn masked_value<T: Serialize + DeserializeOwned>(
        &self,
        value: &T,
    ) -> serde_json::Result<Masked<T>> {
        let json = self.masked_json(serde_json::to_value(value)?);
        Ok(Masked(serde_json::from_value(json.into_inner())?))
    }

    /// Returns the JSON with the secrets in its texts replaced; names of fields stay.
    pub fn masked_json(&self, mut json: Value) -> Masked<Value> {
        mask_texts(&mut json, &|text| self.mask(text).into_owned());
        Masked(json)
    }
}

/// Replaces each text of a JSON value by what `mask` makes of it; keys are names of this program.
pub fn mask_texts(json: &mut Value, mask: &dyn Fn(&str) -> String) {
    match json {
        Value::String(text) => *text = mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_texts(item, mask)),
        Value::Object(fields) => fields.values_mut().for_each(|field| mask_texts(field, mask)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
