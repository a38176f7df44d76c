//! What the choosing position alone decides: of a player with stages, which one values the boards.
//!
//! A `select` whose condition reads nothing but the clock and the ply of the position where the player chooses takes the same
//! side on every board of a search. So an expression with such conditions is lowered once for every way in which they can
//! turn out, each time with the chosen sides alone; which of these programs is used is looked up once a choice. What else
//! the choosing position alone decides, numbers and constants that are turned with the board, is computed then too.

use super::{Expression, ExpressionError, Node, NodeId};

/// More programs than these take too long to lower: then both sides are computed on every board. There are always fewer
/// conditions than programs, or as many.
pub(super) const MOST_BRANCHES: usize = 16;

/// A condition and how it turns out.
type Assumption = (NodeId, bool);

/// One program, a `P`, for every way in which the conditions can turn out.
#[derive(Clone, Debug)]
pub(super) struct Branches<P> {
    /// Its outputs are the conditions.
    pub conditions: P,
    /// The conditions that are decided, by number, on the way to each program.
    ways: Vec<Vec<(usize, bool)>>,
    pub programs: Vec<P>,
}

impl<P> Branches<P> {
    /// The branches of an expression, `None` if it has none; `lower` makes a program of one without branches.
    pub fn of(
        expression: &Expression,
        lower: impl Fn(&Expression) -> Result<P, ExpressionError>,
    ) -> Result<Option<Self>, ExpressionError> {
        // Searches carry the indices of one program's patterns.
        if !expression.patterns().is_empty() {
            return Ok(None);
        }
        let is_fixed = fixed_nodes(expression);
        let (mut found, mut open) = (Vec::new(), vec![Vec::new()]);
        while let Some(assumed) = open.pop() {
            match undecided(expression, &is_fixed, &assumed) {
                Some(condition) => {
                    for value in [false, true] {
                        open.push([&assumed[..], &[(condition, value)]].concat());
                    }
                }
                None => found.push(assumed),
            }
            if found.len() + open.len() > MOST_BRANCHES {
                return Ok(None);
            }
        }
        let mut conditions: Vec<NodeId> = found.iter().flatten().map(|&(condition, _)| condition).collect();
        crate::sorting::sort_few(&mut conditions, Ord::cmp);
        conditions.dedup();
        if conditions.is_empty() || conditions.len() > MOST_BRANCHES {
            return Ok(None);
        }
        let number = |&(condition, value): &Assumption| (conditions.partition_point(|&known| known < condition), value);
        Ok(Some(Self {
            conditions: lower(&Expression { outputs: conditions.clone(), ..expression.clone() })?,
            ways: found.iter().map(|assumed| assumed.iter().map(number).collect()).collect(),
            programs: found.iter().map(|assumed| lower(&decided(expression, assumed))).collect::<Result<_, _>>()?,
        }))
    }

    /// The place of the program in use when the conditions turn out so.
    pub fn place(&self, turned_out: impl Fn(usize) -> bool) -> usize {
        let is_taken = |way: &Vec<_>| way.iter().all(|&(condition, value)| turned_out(condition) == value);
        self.ways.iter().position(is_taken).unwrap_or(0)
    }

    /// The same with each program changed.
    pub fn map(&self, change: impl Fn(&P) -> P) -> Self {
        Self {
            conditions: change(&self.conditions),
            ways: self.ways.clone(),
            programs: self.programs.iter().map(change).collect(),
        }
    }
}

/// How long the value of a node lasts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Lasting {
    /// It depends on the board.
    Board,
    /// It is the same on all boards of a choice that are seen by the same side.
    Choice,
    /// It is always the same.
    Always,
}

impl Lasting {
    /// Of every node.
    pub fn of(expression: &Expression) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::with_capacity(expression.nodes.len());
        for node in &expression.nodes {
            found.push(match node {
                Node::ConstantNumber(_) | Node::ConstantTruth(_) | Node::ConstantSquares { turned: false, .. } => {
                    Self::Always
                }
                Node::RootClock | Node::RootPly | Node::IsBlack | Node::ConstantSquares { turned: true, .. } => {
                    Self::Choice
                }
                // Its indices are carried from board to board.
                Node::Pattern(..) => Self::Board,
                _ => node.arguments().map(|(argument, _)| found[argument as usize]).min().unwrap_or(Self::Board),
            });
        }
        found
    }
}

/// Which nodes are the same on every board of a search.
fn fixed_nodes(expression: &Expression) -> Vec<bool> {
    let mut is_fixed: Vec<bool> = Vec::with_capacity(expression.nodes.len());
    for node in &expression.nodes {
        let is_leaf = node.arguments().next().is_none();
        let reads_choice =
            matches!(node, Node::RootClock | Node::RootPly | Node::ConstantNumber(_) | Node::ConstantTruth(_));
        is_fixed.push(reads_choice || (!is_leaf && node.arguments().all(|(argument, _)| is_fixed[argument as usize])));
    }
    is_fixed
}

/// The node that a node comes to under assumptions: the side of a `select` that is chosen.
fn followed(expression: &Expression, assumed: &[Assumption], mut id: NodeId) -> NodeId {
    while let Node::Select(condition, yes, no) = expression.nodes[id as usize] {
        let Some(&(_, value)) = assumed.iter().find(|(known, _)| *known == condition) else { break };
        id = if value { yes } else { no };
    }
    id
}

/// A condition that an output still depends on under assumptions, the outermost first.
fn undecided(expression: &Expression, is_fixed: &[bool], assumed: &[Assumption]) -> Option<NodeId> {
    let mut needed = vec![false; expression.nodes.len()];
    for &output in &expression.outputs {
        needed[followed(expression, assumed, output) as usize] = true;
    }
    for id in (0..expression.nodes.len()).rev() {
        if !needed[id] {
            continue;
        }
        if let Node::Select(condition, ..) = expression.nodes[id]
            && is_fixed[condition as usize]
        {
            return Some(condition);
        }
        for (argument, _) in expression.nodes[id].arguments() {
            needed[followed(expression, assumed, argument) as usize] = true;
        }
    }
    None
}

/// The expression under assumptions. Nodes keep their places; those that nothing needs any more become no code.
fn decided(expression: &Expression, assumed: &[Assumption]) -> Expression {
    let follow = |id| followed(expression, assumed, id);
    Expression {
        nodes: expression.nodes.iter().map(|node| node.renamed(follow)).collect(),
        outputs: expression.outputs.iter().map(|&output| follow(output)).collect(),
        ..expression.clone()
    }
}
