//! Trees that hold the values of a strategy: functions mean nothing but that they hold their operands.

use crate::stream::Stream;

/// No tree has more nodes.
pub const MOST_NODES: usize = 4096;

/// How often a random tree is tried that must not be too large.
const CREATION_TRIES: u32 = 50;

/// The flags, whose codes come after those of the areas.
pub const FLAGS: usize = 3;

/// Codes of the functions; those of the areas and flags come after them.
const FUNCTIONS: u32 = 2;

/// One node of a tree: its code (0 and 1 are functions of two and of three operands, then come the areas, the three flags and
/// the measures), and 256 times the value of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node(pub u32);

impl Node {
    /// The node of an area or flag with a value.
    #[inline(always)]
    pub fn terminal(place: usize, value: u32) -> Self {
        Self((place as u32 + FUNCTIONS) | value << 8)
    }

    /// The area, flag or measure, and its value; `None` of a function.
    #[inline(always)]
    pub fn value(self) -> Option<(usize, u32)> {
        let code = self.0 & 255;
        (code >= FUNCTIONS).then(|| ((code - FUNCTIONS) as usize, self.0 >> 8))
    }

    /// How many operands it has.
    #[inline(always)]
    pub fn arity(self) -> usize {
        match self.0 & 255 {
            0 => 2,
            1 => 3,
            _ => 0,
        }
    }
}

/// What random terminals are drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terminals {
    /// Areas of the board.
    pub areas: usize,
    /// What else has a weight.
    pub measures: usize,
    /// The least weight of an area.
    pub lowest: u32,
    /// The greatest.
    pub highest: u32,
}

impl Terminals {
    fn count(&self) -> usize {
        self.areas + FLAGS + self.measures
    }

    fn draw(&self, draws: &mut Stream) -> Node {
        let place = draws.below(self.count() as u64) as usize;
        let is_flag = (self.areas..self.areas + FLAGS).contains(&place);
        let (low, high) = if is_flag { (0, 2) } else { (self.lowest, self.highest + 1) };
        let (low, high) = (f64::from(low), f64::from(high));
        Node::terminal(place, (low + (high - low) * draws.random()) as u32)
    }
}

/// How a random tree grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// Every branch reaches the last level.
    Full,
    /// Below the root, which is a function, half the places hold one.
    Grow,
    /// The same, where the root may be a terminal too.
    GrowAnything,
}

/// Nodes in prefix order: each function before its operands.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tree(Vec<Node>);

impl Tree {
    /// The tree of some nodes.
    ///
    /// # Errors
    /// Says in words why they are none over so many areas, flags and measures.
    pub fn checked(nodes: Vec<Node>, places: usize) -> Result<Self, String> {
        if nodes.len() > MOST_NODES {
            return Err(format!("a tree has at most {MOST_NODES} nodes, not {}", nodes.len()));
        }
        let known = |node: &Node| node.value().is_none_or(|(place, _)| place < places);
        let whole = subtree_end(&nodes, 0) == Some(nodes.len());
        if whole && nodes.iter().all(known) { Ok(Self(nodes)) } else { Err("these nodes are no tree".into()) }
    }

    /// A random tree of at most `depth` levels; `None` where it passes `most_nodes`.
    pub fn random(
        terminals: &Terminals,
        depth: usize,
        growth: Growth,
        most_nodes: usize,
        draws: &mut Stream,
    ) -> Option<Self> {
        let mut nodes = Vec::new();
        // Levels of the operands to come, the next one last.
        let mut open = vec![1];
        while let Some(level) = open.pop() {
            let is_free = growth == Growth::GrowAnything || (growth == Growth::Grow && level > 1);
            if level < depth && (!is_free || draws.random() < 0.5) {
                let function = Node(draws.below(FUNCTIONS.into()) as u32);
                nodes.push(function);
                open.extend(std::iter::repeat_n(level + 1, function.arity()));
                if nodes.len() + open.len() > most_nodes {
                    return None;
                }
            } else {
                nodes.push(terminals.draw(draws));
            }
        }
        Some(Self(nodes))
    }

    /// Random trees, ramped half and half: individual i has depth `least` + i modulo the number of depths; those of odd i
    /// are full. One that passes `most_nodes` is tried again, after a quarter of the tries with a smaller depth. Where
    /// `is_late` says so there are fewer, but at least one.
    ///
    /// # Errors
    /// Says that no tree is so small.
    pub fn ramped(
        count: usize,
        terminals: &Terminals,
        (least, most): (usize, usize),
        most_nodes: usize,
        draws: &mut Stream,
        is_late: impl Fn() -> bool,
    ) -> Result<Vec<Self>, String> {
        let one = |individual: usize| {
            let mut depth = least + individual % (most - least + 1);
            let growth = if individual % 2 == 1 { Growth::Full } else { Growth::Grow };
            (0..CREATION_TRIES).find_map(|attempt| {
                let tree = Self::random(terminals, depth, growth, most_nodes, draws);
                if attempt >= CREATION_TRIES / 4 {
                    depth = (depth - 1).max(least);
                }
                tree
            })
        };
        (0..count).take_while(|&individual| individual == 0 || !is_late()).map(one).collect::<Option<_>>().ok_or_else(|| {
            format!(
                "no tree of at most {most_nodes} nodes in {CREATION_TRIES} tries: allow more nodes or smaller depths"
            )
        })
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }

    /// The place behind the subtree that begins at a place.
    fn end(&self, start: usize) -> usize {
        subtree_end(&self.0, start).unwrap_or(self.0.len())
    }

    /// A place where an operator works; the root of a lone terminal without a draw.
    fn point(&self, draws: &mut Stream) -> usize {
        if self.0.len() == 1 { 0 } else { draws.below(self.0.len() as u64) as usize }
    }

    /// The level of every node; the root stands on level 1.
    fn levels(&self) -> Vec<usize> {
        let mut open = vec![1];
        let level = |node: &Node| {
            let level = open.pop().unwrap_or(1);
            open.extend(std::iter::repeat_n(level + 1, node.arity()));
            level
        };
        self.0.iter().map(level).collect()
    }

    /// The tree with other nodes in place of some.
    fn replaced(&self, start: usize, end: usize, nodes: &[Node]) -> Self {
        Self([&self.0[..start], nodes, &self.0[end..]].concat())
    }

    /// Two children of two parents, which exchange subtrees; the parents themselves where no pair of subtrees fits.
    pub fn crossed(&self, other: &Self, draws: &mut Stream) -> [Self; 2] {
        for _ in 0..CREATION_TRIES {
            let (i, j) = (self.point(draws), other.point(draws));
            let (i_end, j_end) = (self.end(i), other.end(j));
            let size = self.0.len() - (i_end - i) + (j_end - j);
            if size <= MOST_NODES && self.0.len() + other.0.len() - size <= MOST_NODES {
                return [self.replaced(i, i_end, &other.0[j..j_end]), other.replaced(j, j_end, &self.0[i..i_end])];
            }
        }
        [self.clone(), other.clone()]
    }

    /// A child with a random subtree in place of one of the parent's, whose lowest level is at most `depth` where the place
    /// allows.
    #[must_use]
    pub fn mutated(&self, terminals: &Terminals, depth: usize, draws: &mut Stream) -> Self {
        let start = self.point(draws);
        let depth = (depth + 1).saturating_sub(self.levels()[start]).max(1);
        match Self::random(terminals, depth, Growth::GrowAnything, MOST_NODES, draws) {
            Some(new) => self.replaced(start, self.end(start), &new.0),
            None => self.clone(),
        }
    }

    /// The tree cut to so many nodes: the deepest function becomes its rightmost terminal, of equally deep ones the
    /// rightmost, until the size fits.
    #[must_use]
    pub fn pruned(self, most_nodes: usize) -> Self {
        let mut size = self.0.len();
        if size <= most_nodes {
            return self;
        }
        let levels = self.levels();
        let mut functions: Vec<_> = (0..size).filter(|&place| self.0[place].arity() > 0).collect();
        functions.sort_unstable_by_key(|&place| std::cmp::Reverse((levels[place], place)));
        let mut is_cut = vec![false; size];
        for place in functions {
            if size <= most_nodes {
                break;
            }
            // All functions below it have been cut: it holds terminals alone.
            is_cut[place] = true;
            size -= self.0[place].arity();
        }
        let (mut nodes, mut place) = (Vec::with_capacity(size), 0);
        while place < self.0.len() {
            let end = if is_cut[place] { self.end(place) } else { place + 1 };
            nodes.push(self.0[end - 1]);
            place = end;
        }
        Self(nodes)
    }
}

/// The place behind the subtree that begins at `start`; `None` if it does not end.
fn subtree_end(nodes: &[Node], start: usize) -> Option<usize> {
    let mut open = 1;
    nodes[start..]
        .iter()
        .position(|node| {
            open += node.arity();
            open -= 1;
            open == 0
        })
        .map(|offset| start + offset + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Key;

    const TERMINALS: Terminals = Terminals { areas: 9, measures: 0, lowest: 1, highest: 32 };

    fn check(tree: &Tree) {
        assert_eq!(Tree::checked(tree.0.clone(), 12).as_ref(), Ok(tree));
        for node in tree.nodes() {
            if let Some((place, value)) = node.value() {
                assert!(if place < 9 { (1..=32).contains(&value) } else { value < 2 });
            }
        }
    }

    #[test]
    fn a_ramp_has_all_depths_both_ways() {
        let trees =
            Tree::ramped(100, &TERMINALS, (2, 6), MOST_NODES, &mut Key::new(1).stream(), || false).unwrap_or_default();
        assert_eq!(trees.len(), 100);
        for (individual, tree) in trees.iter().enumerate() {
            check(tree);
            let levels = tree.levels();
            let depth = levels.iter().copied().max();
            assert!(depth <= Some(2 + individual % 5) && tree.0.len() >= 3);
            if individual % 2 == 1 {
                let is_full = |(node, &level): (&Node, &usize)| (node.arity() == 0) == (Some(level) == depth);
                assert!(tree.0.iter().zip(&levels).all(is_full));
                assert_eq!(depth, Some(2 + individual % 5));
            }
        }
        assert!(Tree::ramped(2, &TERMINALS, (2, 6), 2, &mut Key::new(1).stream(), || false).is_err());
    }

    #[test]
    fn where_it_is_late_there_are_fewer_trees_but_one() {
        let made = |looks: u32| {
            let left = std::cell::Cell::new(looks);
            let is_late = || left.replace(left.get().saturating_sub(1)) == 0;
            Tree::ramped(100, &TERMINALS, (2, 6), MOST_NODES, &mut Key::new(1).stream(), is_late).unwrap_or_default()
        };
        let all = made(u32::MAX);
        assert_eq!((all.len(), made(0).len(), made(6).len()), (100, 1, 7));
        assert_eq!(made(6), all[..7]);
    }

    #[test]
    fn pruning_takes_the_deepest_functions_and_of_those_the_rightmost() {
        let leaf = |value| Node::terminal(0, value);
        let two = Node(0);
        let tree = Tree(vec![two, two, leaf(1), two, leaf(2), leaf(3), two, leaf(4), two, leaf(5), leaf(6)]);
        check(&tree);
        assert_eq!(tree.clone().pruned(11), tree);
        let nine = Tree(vec![two, two, leaf(1), two, leaf(2), leaf(3), two, leaf(4), leaf(6)]);
        assert_eq!(tree.clone().pruned(10), nine);
        assert_eq!(tree.clone().pruned(7), Tree(vec![two, two, leaf(1), leaf(3), two, leaf(4), leaf(6)]));
        assert_eq!(tree.clone().pruned(5), Tree(vec![two, two, leaf(1), leaf(3), leaf(6)]));
        assert_eq!(tree.pruned(1), Tree(vec![leaf(6)]));
    }

    #[test]
    fn children_are_trees_of_their_parents_nodes() {
        let mut draws = Key::new(2).stream();
        let trees = Tree::ramped(40, &TERMINALS, (1, 6), MOST_NODES, &mut draws, || false).unwrap_or_default();
        for pair in trees.windows(2) {
            let children = pair[0].crossed(&pair[1], &mut draws);
            let count = |trees: &[Tree]| trees.iter().map(|tree| tree.0.len()).sum::<usize>();
            assert_eq!(count(&children), count(pair));
            for child in children {
                check(&child);
                let child = child.pruned(20);
                check(&child);
                assert!(child.0.len() <= 20);
                let child = child.mutated(&TERMINALS, 6, &mut draws);
                check(&child);
            }
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let leaf = Node::terminal(0, 1);
        for nodes in [vec![], vec![Node(0), leaf], vec![leaf, leaf], vec![Node::terminal(12, 1)]] {
            assert!(Tree::checked(nodes, 12).is_err());
        }
        assert!(Tree::checked(vec![leaf; MOST_NODES + 1], 12).is_err());
    }
}
