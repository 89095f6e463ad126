//! The prices of tokens: a list compiled in, and the user's own rows over it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use papayu_base::domain::Usage;

/// The list that comes with the program, read once for all runs of a process.
static BUILT_IN: LazyLock<Result<Prices, PricingError>> =
    LazyLock::new(|| Prices::parse_prices(include_str!("pricing.toml")));

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    input: f64,
    cached: f64,
    output: f64,
}

/// A price list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    models: BTreeMap<String, Price>,
}

/// A price file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PricingError {
    /// Not TOML of the documented form.
    #[error("not a price list: {0}")]
    Form(String),
    /// A price is negative or not a number.
    #[error("the price of `{0}` is negative or not a number")]
    Amount(String),
}

impl PricingError {
    /// Names the line only: the file may be any file of the user, and errors are printed.
    fn form(text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
        Self::Form(format!(
            "line {line} is not of the form `\"MODEL\" = {{ input = 1.0, cached = 0.1, output = 2.0 }}` below `[models]`"
        ))
    }
}

impl Prices {
    /// Returns the list that comes with the program.
    ///
    /// # Errors
    ///
    /// [`PricingError`] if the list in the program cannot be parsed, which the tests exclude.
    pub fn built_in() -> Result<Self, PricingError> {
        BUILT_IN.clone()
    }

    /// Returns the built-in list with the rows of a file of the same form over it. Prices are in US dollars for
    /// a million tokens.
    ///
    /// # Errors
    ///
    /// [`PricingError::Form`] with the line if the text is no TOML of this form, and [`PricingError::Amount`]
    /// if a price is negative or not a number.
    pub fn with_file(text: &str) -> Result<Self, PricingError> {
        let mut prices = Self::built_in()?;
        prices.models.extend(Self::parse_prices(text)?.models);
        Ok(prices)
    }

    /// Returns the dollars that a model's tokens cost; `None` if its price is not known, or its tokens are not known and cost
    /// something.
    ///
    /// The row is looked up as `provider/model` first, then as the model alone. A surcharge for
    /// writing a prompt cache is not counted: providers do not all report it.
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn cost(&self, provider: &str, model: &str, usage: Usage) -> Option<f64> {
        let price =
            self.find_price(&format!("{provider}/{model}")).or_else(|| self.find_price(model))?;
        if usage.total() == 0 && price.input + price.output > 0.0 {
            return None;
        }
        let cached = usage.cached.min(usage.input);
        let dollars = (usage.input - cached) as f64 * price.input
            + cached as f64 * price.cached
            + usage.output as f64 * price.output;
        Some(dollars / 1_000_000.0)
    }

    /// Returns the longest row that covers the name.
    fn find_price(&self, name: &str) -> Option<Price> {
        let covering = self.models.iter().filter(|(row, _)| covers_model(row, name));
        covering.max_by_key(|(row, _)| row.len()).map(|(_, price)| *price)
    }

    /// Parses a table of prices in dollars for a million tokens; absurd and negative numbers are
    /// refused.
    fn parse_prices(text: &str) -> Result<Self, PricingError> {
        let prices: Self =
            toml::from_str(text).map_err(|error| PricingError::form(text, &error))?;
        for (model, Price { input, cached, output }) in &prices.models {
            if [input, cached, output].iter().any(|dollars| !(0.0..=1e6).contains(*dollars)) {
                return Err(PricingError::Amount(model.clone()));
            }
        }
        Ok(prices)
    }
}

/// Returns true when a row is of this model: its name, also followed by a date, tag or deployment.
///
/// A row that ends in `*` covers every name with that prefix. Other rows are not prefixes:
/// `gpt-5.5` at the price of `gpt-5` would falsify a budget.
fn covers_model(row: &str, name: &str) -> bool {
    if let Some(beginning) = row.strip_suffix('*') {
        return name.starts_with(beginning);
    }
    name.strip_prefix(row).is_some_and(|rest| {
        rest.is_empty() || ["-20", "-latest", "@", ":"].iter().any(|mark| rest.starts_with(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLION: Usage = Usage { input: 1_000_000, output: 1_000_000, cached: 400_000 };

    fn cost(provider: &str, model: &str) -> Option<String> {
        let prices = Prices::built_in().unwrap();
        prices.cost(provider, model, MILLION).map(|dollars| format!("{dollars:.4}"))
    }

    #[test]
    fn a_model_is_priced_by_its_own_row_or_not_at_all() {
        for (provider, model, expected) in [
            ("openai", "gpt-4o-mini", Some("0.7200")),
            ("openai", "gpt-4o-mini-2024-07-18", Some("0.7200")),
            ("openai", "gpt-4o", Some("12.0000")),
            ("openai", "gpt-4o-2024-05-13", Some("20.0000")),
            ("openai", "gpt-4o-audio-preview", None),
            ("openai", "gpt-5.99-nova", None),
            ("anthropic", "claude-sonnet-4-5-20250929", Some("16.9200")),
            ("ollama", "qwen2.5-coder:7b-instruct", Some("0.0000")),
            ("openai", "qwen2.5-coder", None),
            ("openai", "", None),
        ] {
            assert_eq!(cost(provider, model).as_deref(), expected, "{provider} {model}");
        }
    }

    #[test]
    fn a_file_overrides_rows_and_adds_some() {
        let file = "[models]\nmine = { input = 1, cached = 0, output = 2 }\n\
                    gpt-4o = { input = 0, cached = 0, output = 0 }\n";
        let prices = Prices::with_file(file).unwrap();
        assert_eq!(prices.cost("openai", "mine", MILLION), Some(2.6));
        assert_eq!(prices.cost("openai", "gpt-4o", MILLION), Some(0.0));
        assert!(prices.cost("openai", "gpt-4o-mini", MILLION).is_some());
    }

    #[test]
    fn files_that_are_no_price_list_are_refused() {
        for bad in [
            "",
            "models = 3",
            "[models]\na = { input = 1, output = 2 }",
            "[models]\na = { input = -1, cached = 0, output = 2 }",
            "[models]\na = { input = nan, cached = 0, output = 2 }",
            "[models]\na = { input = 1, cached = 0, output = 2, tax = 1 }",
        ] {
            assert!(Prices::with_file(bad).is_err(), "{bad}");
        }
    }
}
