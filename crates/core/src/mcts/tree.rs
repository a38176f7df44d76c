//! A tree of positions over many games: each game begins with a descent in it, and adds a leaf (UCT).
//!
//! Descents of one batch are made one after another, before any of its games is played: until its result is known, a game
//! counts as lost by whoever moved. Source: Kocsis & Szepesvári, "Bandit based Monte-Carlo Planning" (ECML 2006).

use crate::rules::Game;
use crate::rules::draws::DrawRules;

/// Where a tree stops to grow, at 384 MiB: games that come to a leaf then all begin there.
const MOST_NODES: usize = 1 << 24;

/// The points of a won game; a drawn one has half of them, a lost one none. Sums of so many games as a node counts are exact
/// numbers of 53 bits.
pub const WHOLE: u32 = 1 << 20;

/// A position by the games that came through it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Node {
    /// Games, those included that are still to be played.
    games: u32,
    /// The first of its children, which stand side by side in the order of legal moves; 0 before a second game comes.
    first: u32,
    /// Points of the side whose move led here.
    points: u64,
    children: u32,
    /// What whoever looked at it before any game came holds it to be worth to that side, in points of one game.
    pub worth: u32,
}

/// Where a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descent<G> {
    /// The position.
    pub position: G,
    /// The place of the move that led from the root towards it.
    pub first_move: usize,
    /// [`Node::worth`] of it.
    pub worth: u32,
    /// Whether a draw ends the game there.
    pub is_drawn: bool,
}

/// What the games came to that began with a move of the root.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tried {
    /// Games.
    pub games: u32,
    /// Points of the side to move.
    pub points: u64,
}

impl Tried {
    /// The share of the points, 0 to 1; NaN where there was no game.
    pub fn share(self) -> f64 {
        self.points as f64 / (f64::from(WHOLE) * f64::from(self.games))
    }
}

/// The tree; see the module.
pub struct Positions<G> {
    root: G,
    exploration: f64,
    draws: DrawRules,
    nodes: Vec<Node>,
    most_nodes: usize,
    /// Of the batch at hand, game by game: the nodes below the root and who moved there, and where they end.
    ways: Vec<(u32, bool)>,
    ends: Vec<usize>,
}

impl<G: Game> Positions<G> {
    /// A tree that is only its root, where the game is not over. `exploration`: the factor of UCB1's second term.
    pub fn new(root: G, exploration: f64) -> Self {
        Self::limited(root, exploration, MOST_NODES)
    }

    /// The same, but it stops to grow with so many nodes; the moves of the root are always there.
    pub fn limited(root: G, exploration: f64, most_nodes: usize) -> Self {
        let (draws, nodes) = (DrawRules::NONE, vec![Node::default()]);
        Self { root, exploration, draws, nodes, most_nodes, ways: Vec::new(), ends: Vec::new() }
    }

    /// The same, but below the root games end by these rules of draws; a tree knows no repetitions.
    #[must_use]
    pub fn with_draws(self, draws: DrawRules) -> Self {
        Self { draws: DrawRules { repetitions: None, ..draws }, ..self }
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many games began at the root.
    pub fn games(&self) -> u32 {
        self.nodes[0].games
    }

    /// What came of the moves of the root, in the order of legal moves; none before the first game.
    pub fn tried(&self) -> impl ExactSizeIterator<Item = Tried> {
        self.children(0).iter().map(|&Node { games, points, .. }| Tried { games, points })
    }

    /// The place of the child that most games went to, of equal ones that with most points, of those the first; `None` if no
    /// game went on from there.
    fn most_visited(&self, node: usize) -> Option<usize> {
        let children = self.children(node).iter().enumerate().filter(|(_, child)| child.games > 0);
        children.max_by_key(|(place, child)| (child.games, child.points, !place)).map(|(place, _)| place)
    }

    /// The moves of the root and below that most games went through; the first is what the tree chooses.
    pub fn line(&self) -> Vec<G::Move> {
        let (mut position, mut node, mut line) = (self.root, 0, Vec::new());
        while let Some(place) = self.most_visited(node) {
            let Some(chosen) = position.legal_moves().nth(place) else { break };
            line.push(chosen);
            position = position.play_unchecked(chosen);
            node = self.nodes[node].first as usize + place;
        }
        line
    }

    /// The place of the root's move that most games went through; see [`Self::line`].
    pub fn chosen(&self) -> Option<usize> {
        self.most_visited(0)
    }

    fn children(&self, node: usize) -> &[Node] {
        let Node { first, children, .. } = self.nodes[node];
        &self.nodes[first as usize..(first + children) as usize]
    }

    /// Where the next game begins. `look` sees every position whose moves become nodes, and these nodes.
    #[inline(always)]
    pub fn descend(&mut self, mut look: impl FnMut(&G, &mut [Node])) -> Descent<G> {
        let (mut position, mut node, mut first_move) = (self.root, 0, None);
        let is_drawn = loop {
            let is_new = self.nodes[node].games == 0 && node > 0;
            let is_drawn = node > 0 && self.draws.at(&position).is_some();
            let place = if is_new || is_drawn { None } else { self.next(node, &position, &mut look) };
            self.nodes[node].games += 1;
            let chosen = place.and_then(|place| position.legal_moves().nth(place));
            let (Some(place), Some(chosen)) = (place, chosen) else { break is_drawn };
            first_move.get_or_insert(place);
            let is_own = position.turn() == self.root.turn();
            position = position.play_unchecked(chosen);
            node = self.nodes[node].first as usize + place;
            self.ways.push((node as u32, is_own));
        };
        self.ends.push(self.ways.len());
        Descent { position, first_move: first_move.unwrap_or(0), worth: self.nodes[node].worth, is_drawn }
    }

    /// The move that looks best from a node, an untried one before all others; `None` if the game is over there, or the tree is
    /// full.
    #[inline(always)]
    fn next(&mut self, node: usize, position: &G, look: &mut impl FnMut(&G, &mut [Node])) -> Option<usize> {
        if self.nodes[node].first == 0 {
            let children = position.legal_moves().len();
            if node > 0 && self.nodes.len() + children > self.most_nodes {
                return None;
            }
            let first = self.nodes.len();
            self.nodes[node] = Node { first: first as u32, children: children as u32, ..self.nodes[node] };
            self.nodes.resize(first + children, Node::default());
            if children > 0 {
                look(position, &mut self.nodes[first..]);
            }
        }
        let doubt = self.exploration * self.exploration * logarithm(self.nodes[node].games);
        let mut best = None;
        for (place, child) in self.children(node).iter().enumerate() {
            if child.games == 0 {
                return Some(place);
            }
            let games = f64::from(child.games);
            let bound = child.points as f64 / (f64::from(WHOLE) * games) + (doubt / games).sqrt();
            if best.is_none_or(|(_, greatest)| bound > greatest) {
                best = Some((place, bound));
            }
        }
        best.map(|(place, _)| place)
    }

    /// What the games came to that began since the last call: points of the side to move at the root, up to [`WHOLE`].
    pub fn learn(&mut self, points: impl IntoIterator<Item = u32>) {
        let mut begin = 0;
        for (end, points) in self.ends.drain(..).zip(points) {
            for &(node, is_own) in &self.ways[begin..end] {
                self.nodes[node as usize].points += u64::from(if is_own { points } else { WHOLE - points });
            }
            begin = end;
        }
        self.ways.clear();
    }
}

/// The natural logarithm, by straight lines between powers of two: the same on every machine, and near enough.
fn logarithm(games: u32) -> f64 {
    let power = games.max(1).ilog2();
    let rest = f64::from(games.max(1)) / f64::from(1_u32 << power) - 1.0;
    std::f64::consts::LN_2 * (f64::from(power) + rest)
}

#[cfg(test)]
mod tests {
    use super::logarithm;

    #[test]
    fn the_logarithm_is_near_enough() {
        assert_eq!((logarithm(0), logarithm(1), logarithm(2)), (0.0, 0.0, std::f64::consts::LN_2));
        for games in [3, 7, 100, 1023, 65_537, u32::MAX] {
            assert!((logarithm(games) - f64::from(games).ln()).abs() < 0.061);
            assert!(logarithm(games) > logarithm(games - 1));
        }
    }
}
