//! In which order the nodes of an expression become code.

use super::{Expression, NodeId};

/// An order of evaluation that needs few registers: the argument that needs more of them comes first (Sethi and
/// Ullman 1970).
pub(super) fn order_of(expression: &Expression) -> Vec<NodeId> {
    let nodes = expression.nodes();
    let mut need: Vec<u32> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut needs: Vec<u32> = node.arguments().map(|(argument, _)| need[argument as usize]).collect();
        needs.sort_unstable_by(|a, b| b.cmp(a));
        need.push(needs.iter().zip(0..).map(|(need, kept)| need + kept).max().unwrap_or(1));
    }
    let (mut order, mut entered) = (Vec::with_capacity(nodes.len()), vec![false; nodes.len()]);
    let mut stack: Vec<(NodeId, bool)> = expression.outputs().iter().rev().map(|&id| (id, false)).collect();
    while let Some((id, arguments_done)) = stack.pop() {
        if arguments_done {
            order.push(id);
        } else if !std::mem::replace(&mut entered[id as usize], true) {
            stack.push((id, true));
            let first = stack.len();
            stack.extend(nodes[id as usize].arguments().map(|(argument, _)| (argument, false)));
            stack[first..].sort_by_key(|&(argument, _)| need[argument as usize]);
        }
    }
    order
}
