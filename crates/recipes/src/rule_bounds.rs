//! The bounds of a rule, so that no recipe can take long or much memory.

use serde_json::Value;

use super::fault::RecipeFault;

/// Most nested values of a rule; ast-grep reads them by recursion.
const MAX_DEPTH: usize = 16;

/// Most nested `inside`, `has`, `follows` and `precedes`: each may search the whole file for each node of the one around it.
const MAX_RELATIONS: usize = 3;

/// Most bytes of a pattern or a fix.
const MAX_PATTERN_BYTES: usize = 4 << 10;

/// Most `$$$` of a pattern, each of which tries every length.
const MAX_ELLIPSES: usize = 8;

/// Refuses a rule that may take too long or too much memory.
pub(crate) fn check_bounds(rule: &Value) -> Result<(), RecipeFault> {
    check_value(rule, MAX_DEPTH, 0)
}

/// Refuses a value with too many values in it.
fn check_value(value: &Value, depth: usize, relations: usize) -> Result<(), RecipeFault> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(RecipeFault::new("the rule is nested too deep", "nest at most 16 values"));
    };
    match value {
        Value::String(text) if text.len() > MAX_PATTERN_BYTES => {
            let reason = format!("a pattern has {} bytes", text.len());
            Err(RecipeFault::new(reason, "a pattern has at most 4 kB"))
        }
        Value::String(text) if text.matches("$$$").count() > MAX_ELLIPSES => {
            Err(RecipeFault::new("a pattern has too many `$$$`", "write at most 8"))
        }
        Value::Array(items) => {
            items.iter().try_for_each(|item| check_value(item, depth, relations))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(name, item)| {
            let is_relation = ["inside", "has", "follows", "precedes"].contains(&name.as_str());
            let relations = relations + usize::from(is_relation);
            if relations > MAX_RELATIONS {
                let reason = "the rule may search the file too often";
                return Err(RecipeFault::new(
                    reason,
                    "nest at most 3 of `inside`, `has` and the like",
                ));
            }
            check_value(item, depth, relations)
        }),
        _ => Ok(()),
    }
}
