//! The names of tools, with those that models use instead: one table for replies, `tool` and MCP.

/// The canonical name of each tool, and its aliases.
const NAMES: &[(&str, &[&str])] = &[
    (
        "get_lines",
        &[
            "read_lines", "read_file", "view_file", "open_file", "cat", "get_file", "show_file",
            "get_file_lines", "file_lines", "get_file_content",
        ],
    ),
    (
        "get_function",
        &["get_method", "read_function", "view_function", "get_func", "find_function"],
    ),
    ("get_class", &["get_struct", "get_type", "read_class", "view_class", "find_class"]),
    (
        "get_structure",
        &[
            "list_files", "list_dir", "list_directory", "ls", "tree", "outline", "get_files",
            "get_tree", "list_structure", "get_file_structure", "get_project_structure",
        ],
    ),
    (
        "edit_lines",
        &[
            "replace_lines", "update_lines", "edit_file", "write_lines", "change_lines",
            "modify_lines", "edit", "REPLACE_RANGE", "EDIT_FILE", "PATCH_FILE", "UPDATE_FILE",
            "str_replace", "replace_in_file", "search_replace", "apply_patch", "apply_diff",
            "patch_file", "replace_text",
        ],
    ),
    ("create_file", &["write_file", "new_file", "add_file", "create", "CREATE_FILE"]),
    ("delete_file", &["remove_file", "rm", "unlink", "DELETE_FILE"]),
    (
        "find_definition",
        &[
            "find_def", "goto_definition", "go_to_definition", "find_symbol", "where_is",
            "get_definition",
        ],
    ),
    (
        "find_references",
        &[
            "find_refs", "find_usages", "find_uses", "who_uses", "references", "get_references",
            "get_usages",
        ],
    ),
    ("get_dependencies", &["get_imports", "dependencies", "imports", "get_deps"]),
    ("get_dependents", &["get_importers", "dependents", "who_imports", "impact"]),
    ("get_complexity", &["complexity", "metrics"]),
    ("get_todos", &["todos", "find_todos", "list_todos"]),
    ("git_status", &["status"]),
    ("git_diff", &["diff"]),
    ("git_commit", &["commit"]),
    ("run_command", &["execute_command", "shell", "bash", "exec", "run", "execute"]),
    ("run_tests", &["test", "run_test", "execute_tests"]),
    ("search_code", &["grep", "search", "find_in_files", "rg", "search_files", "grep_search"]),
    ("read", &["view"]),
    ("symbol", &["symbol_info", "explain_symbol"]),
    ("graph", &["dependency_graph", "get_impact"]),
    ("verify", &["check", "run_check"]),
    ("failure_context", &["explain_log", "get_failure_context", "logs", "get_logs"]),
    ("what_changed", &["get_changes", "changes"]),
    ("env", &["environment"]),
    ("create_dir", &["create_directory", "make_dir", "mkdir", "CREATE_DIR"]),
    ("reply", &["respond", "submit", "final_answer", "propose_changes"]),
];

/// Returns the canonical name of a tool, in any case and with `-` or `_`; `None` if there is no such tool.
pub fn canonical_tool_name(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("functions.").unwrap_or(name);
    let exact = |known: &str| known == bare;
    let folded = bare.replace('-', "_").to_lowercase();
    let find = |is_same: &dyn Fn(&str) -> bool| {
        NAMES
            .iter()
            .find(|(name, aliases)| is_same(name) || aliases.iter().any(|alias| is_same(alias)))
    };
    let found = find(&exact).or_else(|| find(&|known: &str| known == folded));
    found.map(|(name, _)| *name)
}

/// Returns the aliases of a tool; none for a name that is not canonical.
pub fn tool_aliases(name: &str) -> &'static [&'static str] {
    NAMES.iter().find(|(known, _)| *known == name).map_or(&[], |(_, aliases)| aliases)
}

/// Returns true for a character of a tool's name.
pub(super) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}
