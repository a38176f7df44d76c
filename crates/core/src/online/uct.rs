//! A tree of positions over all games of an evolution: each game begins with a descent in it, and adds a leaf.
//!
//! Descents of one batch are made one after another, before any of its games is played: until its result is known, a game
//! counts as lost by whoever moved. Source: Kocsis & Szepesvári, "Bandit based Monte-Carlo Planning" (ECML 2006).

use crate::rules::Game;

/// Where a tree stops to grow, at 256 MiB: games that come to a leaf then all begin there.
const MOST_NODES: usize = 1 << 24;

/// A position by the games that came through it.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Games, those included that are still to be played.
    games: u32,
    /// Points of the side whose move led here: 2 for a win, 1 for a draw.
    points: u32,
    /// The first of its children, which stand side by side in the order of legal moves; 0 before a second game comes.
    first: u32,
    children: u32,
}

/// The tree; see the module.
pub struct Positions<G> {
    root: G,
    exploration: f64,
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
        let nodes = vec![Node::default()];
        Self { root, exploration, nodes, most_nodes, ways: Vec::new(), ends: Vec::new() }
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many games began at the root, and with each of its moves.
    pub fn games(&self) -> (u32, Vec<u32>) {
        let Node { games, first, children, .. } = self.nodes[0];
        let below = &self.nodes[first as usize..(first + children) as usize];
        (games, below.iter().map(|node| node.games).collect())
    }

    /// Where the next game begins, and the place of its first move.
    pub fn descend(&mut self) -> (G, usize) {
        let (mut position, mut node, mut first_move) = (self.root, 0, None);
        loop {
            let is_new = self.nodes[node].games == 0 && node > 0;
            let place = if is_new { None } else { self.next(node, &position) };
            self.nodes[node].games += 1;
            let chosen = place.and_then(|place| position.legal_moves().nth(place));
            let (Some(place), Some(chosen)) = (place, chosen) else { break };
            first_move.get_or_insert(place);
            let is_own = position.turn() == self.root.turn();
            position = position.play_unchecked(chosen);
            node = self.nodes[node].first as usize + place;
            self.ways.push((node as u32, is_own));
        }
        self.ends.push(self.ways.len());
        (position, first_move.unwrap_or(0))
    }

    /// The move that looks best from a node, an untried one before all others; `None` if the game is over there, or the tree is
    /// full.
    fn next(&mut self, node: usize, position: &G) -> Option<usize> {
        if self.nodes[node].first == 0 {
            let children = position.legal_moves().len();
            if node > 0 && self.nodes.len() + children > self.most_nodes {
                return None;
            }
            self.nodes[node] = Node { first: self.nodes.len() as u32, children: children as u32, ..self.nodes[node] };
            self.nodes.resize(self.nodes.len() + children, Node::default());
        }
        let Node { first, children, games, .. } = self.nodes[node];
        let children = &self.nodes[first as usize..(first + children) as usize];
        let doubt = self.exploration * self.exploration * logarithm(games);
        let mut best = None;
        for (place, child) in children.iter().enumerate() {
            if child.games == 0 {
                return Some(place);
            }
            let games = f64::from(child.games);
            let bound = f64::from(child.points) / (2.0 * games) + (doubt / games).sqrt();
            if best.is_none_or(|(_, greatest)| bound > greatest) {
                best = Some((place, bound));
            }
        }
        best.map(|(place, _)| place)
    }

    /// What the games came to that began since the last call: points of the side to move at the root.
    pub fn learn(&mut self, points: impl IntoIterator<Item = u32>) {
        let mut begin = 0;
        for (end, points) in self.ends.drain(..).zip(points) {
            for &(node, is_own) in &self.ways[begin..end] {
                self.nodes[node as usize].points += if is_own { points } else { 2 - points };
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
