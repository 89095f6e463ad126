//! Invariants of the registry.

use std::collections::BTreeSet;

use super::*;

fn all() -> impl Iterator<Item = &'static ToolEntry> {
    SINGLE.iter().chain(COMPOSED)
}

#[test]
fn there_are_18_single_tools_and_no_name_or_alias_twice() {
    assert_eq!(SINGLE.len(), 18);
    let names: Vec<&str> =
        all().flat_map(|tool| std::iter::once(&tool.name).chain(tool.aliases())).copied().collect();
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), distinct.len(), "{names:?}");
}

#[test]
fn every_schema_is_an_object_and_every_parameter_is_described() {
    for tool in all() {
        for schema in [(tool.input_schema)(), (tool.output_schema)()] {
            assert_eq!(schema["type"], "object", "{}: {schema}", tool.name);
            assert!(jsonschema::validator_for(&schema).is_ok(), "{}", tool.name);
        }
        let schema = (tool.input_schema)();
        for (name, parameter) in schema["properties"].as_object().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{} {name}: {parameter}", tool.name);
        }
    }
}

#[test]
fn a_tool_is_found_by_its_aliases_and_a_misspelt_name_gets_the_nearest_one() {
    let tools: Vec<&ToolEntry> = all().collect();
    for name in ["find_usages", "Find-Usages", "functions.find_references"] {
        assert_eq!(find_tool(&tools, name).unwrap().name, "find_references");
    }
    for tool in &tools {
        // A tool without a row in the table of names would be unknown.
        assert_eq!(find_tool(&tools, tool.name).unwrap().name, tool.name);
    }
    let error = find_tool(&tools, "get_line").unwrap_err();
    assert_eq!(error.to_string(), "there is no tool `get_line`; there is `get_lines`");
}
