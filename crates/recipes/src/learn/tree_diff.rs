//! The smallest pairs of nodes in which two versions of a file differ, except for imports.

use tree_sitter::Node;

use crate::nodes::is_import;
use crate::source_tree::SourceTree;

/// Most statements of a block that are compared.
const MAX_CHILDREN: usize = 600;

/// Most levels of nodes.
const MAX_DEPTH: usize = 300;

/// A node before and after a change.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodePair<'n> {
    pub(super) old: Node<'n>,
    pub(super) new: Node<'n>,
}

/// Returns the smallest pairs of nodes that differ; `None` if statements were added, removed or moved.
pub(super) fn find_pairs<'n>(
    old: &'n SourceTree<'_>,
    new: &'n SourceTree<'_>,
) -> Option<Vec<NodePair<'n>>> {
    let mut differ = Differ { old, new, pairs: Vec::new() };
    differ.compare(NodePair { old: old.root(), new: new.root() }, MAX_DEPTH)?;
    Some(differ.pairs)
}

struct Differ<'n, 't> {
    old: &'n SourceTree<'t>,
    new: &'n SourceTree<'t>,
    pairs: Vec<NodePair<'n>>,
}

impl<'n> Differ<'n, '_> {
    fn compare(&mut self, pair: NodePair<'n>, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let NodePair { old, new } = pair;
        if self.old.text_of(old) == self.new.text_of(new) {
            return Some(());
        }
        let (before, after) = (children(old), children(new));
        if old.kind() != new.kind() || old.child_count() == 0 || self.is_wrapped(pair) {
            self.pairs.push(pair);
            return Some(());
        }
        let are_alike = |(old, new): (&Node<'_>, &Node<'_>)| {
            old.kind() == new.kind() || old.is_named() && new.is_named()
        };
        let is_alike = before.len() == after.len() && before.iter().zip(&after).all(are_alike);
        if is_alike && !is_list(old) {
            return before
                .into_iter()
                .zip(after)
                .try_for_each(|(old, new)| self.compare(NodePair { old, new }, depth));
        }
        if is_list(old) {
            return self.compare_lists(&before, &after, depth);
        }
        self.pairs.push(pair);
        Some(())
    }

    /// Returns whether one version of an expression is a part of the other.
    fn is_wrapped(&self, pair: NodePair<'n>) -> bool {
        let has = |tree: &SourceTree<'_>, root: Node<'n>, text: &str| {
            let mut nodes = vec![root];
            while let Some(node) = nodes.pop() {
                if node.is_named() && tree.text_of(node) == text {
                    return true;
                }
                let is_larger = node.byte_range().len() > text.len();
                let mut cursor = node.walk();
                nodes.extend(node.named_children(&mut cursor).filter(|_| is_larger));
            }
            false
        };
        !is_list(pair.old)
            && (has(self.new, pair.new, self.old.text_of(pair.old))
                || has(self.old, pair.old, self.new.text_of(pair.new)))
    }

    /// Compares statements: those between the same neighbours are pairs if there are as many before as after.
    fn compare_lists(
        &mut self,
        before: &[Node<'n>],
        after: &[Node<'n>],
        depth: usize,
    ) -> Option<()> {
        if before.len() > MAX_CHILDREN || after.len() > MAX_CHILDREN {
            return None;
        }
        let texts = |tree: &SourceTree<'_>, nodes: &[Node<'n>]| -> Vec<String> {
            nodes.iter().map(|node| tree.text_of(*node).to_owned()).collect()
        };
        let (old_texts, new_texts) = (texts(self.old, before), texts(self.new, after));
        let mut at = (0, 0);
        let mut anchors = common_positions(&old_texts, &new_texts);
        anchors.push((before.len(), after.len()));
        for (old_end, new_end) in anchors {
            let old_run = before.get(at.0..old_end)?;
            let new_run = after.get(at.1..new_end)?;
            if old_run.len() != new_run.len() {
                return None;
            }
            for (old, new) in old_run.iter().zip(new_run) {
                self.compare(NodePair { old: *old, new: *new }, depth)?;
            }
            at = (old_end + 1, new_end + 1);
        }
        Some(())
    }
}

/// Returns the positions of a longest common subsequence.
fn common_positions(before: &[String], after: &[String]) -> Vec<(usize, usize)> {
    let (rows, columns) = (before.len(), after.len());
    let mut lengths = vec![vec![0_u32; columns + 1]; rows + 1];
    let get = |lengths: &Vec<Vec<u32>>, row: usize, column: usize| {
        lengths.get(row).and_then(|it| it.get(column)).copied().unwrap_or_default()
    };
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let value = if before.get(row) == after.get(column) {
                get(&lengths, row + 1, column + 1) + 1
            } else {
                get(&lengths, row + 1, column).max(get(&lengths, row, column + 1))
            };
            if let Some(cell) = lengths.get_mut(row).and_then(|it| it.get_mut(column)) {
                *cell = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut positions = Vec::new();
    while row < rows && column < columns {
        if before.get(row) == after.get(column) {
            positions.push((row, column));
            row += 1;
            column += 1;
        } else if get(&lengths, row + 1, column) >= get(&lengths, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    positions
}

/// Returns the children without imports and comments.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all = node.children(&mut cursor);
    let is_comment = |child: &Node<'_>| child.is_extra() && child.is_named();
    all.filter(|child| !has_import(*child) && !is_comment(child)).collect()
}

/// Returns whether a node is an import, or a declaration of nothing but imports.
fn has_import(node: Node<'_>) -> bool {
    is_import(node)
        || node.kind().ends_with("_declaration")
            && node.named_child_count() > 0
            && (0..node.named_child_count()).all(|at| {
                u32::try_from(at)
                    .ok()
                    .and_then(|at| node.named_child(at))
                    .is_some_and(|child| is_import(child) || child.kind() == "import_spec_list")
            })
}

/// Returns whether a node is a list of statements or of members.
fn is_list(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["block", "program", "module", "source_file"].contains(&kind)
        || kind.ends_with("_block")
        || kind.ends_with("_body")
        || kind.ends_with("declaration_list")
        || kind == "statement_list"
}
