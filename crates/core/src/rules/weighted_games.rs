//! Games between players that look at the square where a move lands and, if they are not blind, at the board one move on.
//!
//! Everything that is drawn in a game comes from one stream, in order, so a game is the same whether it is played alone or
//! beside others.

use std::sync::atomic::{AtomicBool, Ordering};

use super::draws::{Course, DrawRules, result};
use super::{Children, Color, Game};
use crate::bitboard::{Bitboard, Board, Direction, Word};
use crate::cpu::Cpu;
use crate::geometry::Geometry;
use crate::lanes::Lanes;
use crate::stream::Stream;

/// What a player sees of the board after a move, beside the square where the move landed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Foresight {
    /// What each legal move of the opponent costs, a forced pass being none, in eighths of a weight.
    pub mobility: u32,
    /// What each own piece beside an empty square costs, in eighths of a weight.
    pub frontier: u32,
    /// Whether the opponent's best reply costs what it is worth by the same weights.
    pub replies: bool,
}

impl Foresight {
    /// Only the square counts.
    pub const NONE: Self = Self { mobility: 0, frontier: 0, replies: false };
}

/// What moves to each square are worth to a player, and what else counts for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights<B: Board> {
    of_square: Vec<u32>,
    /// Squares of the same weight, the least weight first; those of weight 0 are left out.
    classes: Vec<Bitboard<B>>,
    most_pieces: bool,
    foresight: Foresight,
}

impl<B: Board> Weights<B> {
    /// Weights of sets of squares that have none in common; all other squares have weight 0. `most_pieces`: of moves of the
    /// greatest value only those count that leave the player most pieces.
    pub fn new(parts: &mut [(u32, Bitboard<B>)], most_pieces: bool, foresight: Foresight) -> Self {
        crate::sorting::sort_few(parts, |a, b| a.0.cmp(&b.0));
        let mut of_square = vec![0; B::SQUARES as usize];
        let (mut classes, mut last) = (Vec::with_capacity(parts.len()), 0);
        for &(weight, squares) in parts.iter().filter(|(weight, squares)| *weight > 0 && !squares.is_empty()) {
            for square in squares & Bitboard::FULL {
                of_square[square as usize] = weight;
            }
            match classes.last_mut() {
                Some(class) if last == weight => *class = *class | squares,
                _ => classes.push(squares),
            }
            last = weight;
        }
        Self { of_square, classes, most_pieces, foresight }
    }

    /// Squares of the same weight, the least weight first; those of weight 0 are left out.
    pub fn classes(&self) -> &[Bitboard<B>] {
        &self.classes
    }

    /// Whether the player wants to have most pieces, other things being equal.
    pub fn most_pieces(&self) -> bool {
        self.most_pieces
    }

    /// Whether nothing but the square counts where a move lands.
    pub fn is_blind(&self) -> bool {
        self.foresight == Foresight::NONE
    }

    /// What a move to a square is worth; nowhere is worth nothing.
    #[inline(always)]
    fn of(&self, to: Bitboard<B>) -> u32 {
        if to.is_empty() { 0 } else { self.of_square[to.first() as usize] }
    }

    /// What a move is worth, in eighths of a weight.
    #[inline(always)]
    fn value<G: Game<Board = B>>(&self, to: Bitboard<B>, after: impl FnOnce() -> G) -> i64 {
        let own = 8 * i64::from(self.of(to));
        if self.is_blind() {
            return own;
        }
        let Foresight { mobility, frontier, replies } = self.foresight;
        let (after, mut costs) = (after(), 0);
        if mobility > 0 {
            costs += i64::from(mobility) * i64::from(G::mobility(after.rules(), &after.seen()));
        }
        if frontier > 0 {
            let board = G::geometry(after.rules());
            let empty = board.complement(after.own() | after.opponent());
            costs += i64::from(frontier) * i64::from((after.opponent() & beside(&board, empty)).len());
        }
        if replies {
            let to = G::destinations(after.rules(), &after.seen());
            let best = self.classes.iter().rev().find_map(|&class| (!(class & to).is_empty()).then(|| self.of(class)));
            costs += 8 * i64::from(best.unwrap_or(0));
        }
        own - costs
    }

    /// [`Self::value`] of eight moves of a position at once.
    #[inline(always)]
    fn values<G: Game<Board = B>, C: Cpu>(&self, cpu: C, parent: &G, children: &Children<G>) -> Lanes<i64> {
        let (rules, mover) = (parent.rules(), parent.turn());
        let Foresight { mobility, frontier, replies } = self.foresight;
        let mut values = children.moved_to.map(|to| 8 * i64::from(self.of(Bitboard(to))));
        if mobility > 0 {
            let moves = G::mobility_of_lanes(cpu, rules, children.seen(mover));
            values = values.zip(moves, |value, moves| value - i64::from(mobility) * moves as i64);
        }
        if frontier > 0 {
            let board = G::geometry(rules);
            let pieces = children.moved.zip(children.to_move, |own, other| {
                let empty = board.complement(Bitboard::<B>(own) | Bitboard(other));
                i64::from((Bitboard(own) & beside(&board, empty)).len())
            });
            values = values.zip(pieces, |value, pieces| value - i64::from(frontier) * pieces);
        }
        if replies {
            let destinations = G::destinations_of_lanes(cpu, rules, children.seen(mover));
            let mut best = Lanes::splat(0);
            for &class in &self.classes {
                let weight = 8 * i64::from(self.of(class));
                best = best.zip(destinations, |best, to| if to & class.0 == B::Word::ZERO { best } else { weight });
            }
            values = values.zip(best, |value, best| value - best);
        }
        values
    }

    /// One of the best of several moves, or what stands for them; which one is drawn only where several are left. `best` is
    /// room to work in.
    #[inline(always)]
    fn choose<G: Game<Board = B>, M: Copy>(
        &self,
        moves: impl ExactSizeIterator<Item = M>,
        to: impl Fn(M) -> Bitboard<B>,
        after: impl Fn(M) -> G,
        draws: &mut Stream,
        best: &mut Vec<M>,
    ) -> Option<M> {
        best.clear();
        if moves.len() < 2 {
            return moves.last();
        }
        let mut greatest = i64::MIN;
        for one in moves {
            let value = self.value(to(one), || after(one));
            if value > greatest {
                best.clear();
                greatest = value;
            }
            if value == greatest {
                best.push(one);
            }
        }
        if self.most_pieces && best.len() > 1 {
            let pieces_after = |one| after(one).opponent().len();
            let most = best.iter().map(|&one| pieces_after(one)).max();
            best.retain(|&one| Some(pieces_after(one)) == most);
        }
        match best.len() {
            0 | 1 => best.first().copied(),
            count => best.get(draws.below(count as u64) as usize).copied(),
        }
    }
}

/// The squares one step away from some.
#[inline(always)]
fn beside<B: Board>(board: &Geometry<B>, squares: Bitboard<B>) -> Bitboard<B> {
    Direction::ALL.iter().fold(Bitboard::EMPTY, |set, &direction| set | board.shift(squares, direction))
}

/// A position from which many games begin, with what its moves lead to.
#[derive(Clone, Debug)]
pub struct Opening<G: Game> {
    /// The position.
    pub position: G,
    /// Its legal moves, in order.
    pub moves: Vec<G::Move>,
    after: Vec<G>,
}

impl<G: Game> Opening<G> {
    /// Of a position.
    pub fn new(position: G) -> Self {
        let moves: Vec<_> = position.legal_moves().collect();
        let after = moves.iter().map(|&chosen| position.play_unchecked(chosen)).collect();
        Self { position, moves, after }
    }

    /// The place of the move that a player makes here; `None` if the game is over.
    pub fn choose(&self, weights: &Weights<G::Board>, draws: &mut Stream) -> Option<usize> {
        let to = |place: usize| G::moved_to(self.position.rules(), self.moves[place]);
        weights.choose(0..self.moves.len(), to, |place| self.after[place], draws, &mut Vec::new())
    }
}

/// One game from an opening, or from a position of its own.
#[derive(Clone, Debug)]
pub struct Duel<'a, G: Game> {
    /// The side to move at the beginning, then the other one.
    pub players: [&'a Weights<G::Board>; 2],
    /// Where all draws come from.
    pub draws: Stream,
    /// The place of the first move: the one that is given, and in the end the one that was made.
    pub first: Option<usize>,
    /// Where the game begins if not at the opening, whose first moves it then has nothing to do with.
    pub at: Option<G>,
    /// What the side to move at the beginning has in the end: 2 points for a win, 1 for a draw.
    pub points: u32,
}

impl<'a, G: Game> Duel<'a, G> {
    /// A game from the opening that is still to be played.
    pub fn new(players: [&'a Weights<G::Board>; 2], draws: Stream, first: Option<usize>) -> Self {
        Self { players, draws, first, at: None, points: 0 }
    }

    /// A game from another position.
    pub fn at(position: G, players: [&'a Weights<G::Board>; 2], draws: Stream) -> Self {
        Self { players, draws, first: None, at: Some(position), points: 0 }
    }

    /// The position where players move on their own, and whose turn it is there; `None` if the game is over before. From the
    /// opening the first move is made, unless it was given.
    #[inline(always)]
    pub fn begin(&mut self, opening: &Opening<G>) -> Option<(G, usize)> {
        if let Some(position) = self.at {
            return (!position.is_over()).then_some((position, 0));
        }
        self.first = self.first.or_else(|| opening.choose(self.players[0], &mut self.draws));
        self.first.map(|place| (opening.after[place], 1))
    }

    /// Play to the end, one ply after the other: what all faster ways must equal.
    pub fn finish(&mut self, opening: &Opening<G>, rules: &DrawRules, stop: &AtomicBool) {
        self.play(opening, rules, stop, OneByOne(Vec::new()));
    }

    /// Play to the end, the moves of one position side by side.
    #[inline(always)]
    fn finish_on<C: Cpu>(&mut self, cpu: C, opening: &Opening<G>, rules: &DrawRules, stop: &AtomicBool) {
        self.play(opening, rules, stop, SideBySide { cpu, best: Vec::new() });
    }

    #[inline(always)]
    fn play(&mut self, opening: &Opening<G>, rules: &DrawRules, stop: &AtomicBool, mut mind: impl Mind<G>) {
        let mut course = Course::default();
        let start = self.at.unwrap_or(opening.position);
        let mut position = start;
        let mut drawn = course.arrive(&position, rules);
        let mut next = match (drawn, self.at) {
            (Some(_), _) => None,
            (None, None) => self.begin(opening).map(|(after, _)| after),
            (None, Some(_)) => mind.next(&position, self.players[0], &mut self.draws),
        };
        while let Some(after) = next {
            position = after;
            drawn = course.arrive(&position, rules);
            if drawn.is_some() || stop.load(Ordering::Relaxed) {
                break;
            }
            let mover = self.players[usize::from(position.turn() != start.turn())];
            next = mind.next(&position, mover, &mut self.draws);
        }
        self.points = points(start.turn(), result(&position, drawn).0);
    }
}

/// How players think. Not a closure, so that it is compiled with the instructions of whoever calls it.
trait Mind<G: Game> {
    /// The position after the move of a player; `None` if the game is over.
    fn next(&mut self, position: &G, weights: &Weights<G::Board>, draws: &mut Stream) -> Option<G>;
}

/// One move after the other; with room to work in.
struct OneByOne<M>(Vec<M>);

impl<G: Game> Mind<G> for OneByOne<G::Move> {
    #[inline(always)]
    fn next(&mut self, position: &G, weights: &Weights<G::Board>, draws: &mut Stream) -> Option<G> {
        let to = |chosen| G::moved_to(position.rules(), chosen);
        let after = |chosen| position.play_unchecked(chosen);
        weights.choose(position.legal_moves(), to, after, draws, &mut self.0).map(after)
    }
}

/// Eight moves at once, for players that see what comes after them; with room to work in.
struct SideBySide<C, G> {
    cpu: C,
    best: Vec<G>,
}

impl<G: Game, C: Cpu> Mind<G> for SideBySide<C, G> {
    #[inline(always)]
    fn next(&mut self, position: &G, weights: &Weights<G::Board>, draws: &mut Stream) -> Option<G> {
        let Self { cpu, best } = self;
        best.clear();
        let mut expansion = position.expand(*cpu);
        let is_forced = G::remaining(position.rules(), &expansion).len() < 2;
        let mut greatest = i64::MIN;
        loop {
            let children = position.next_children(*cpu, &mut expansion);
            if children.len == 0 {
                break;
            }
            if is_forced {
                return Some(position.child(&children, 0));
            }
            let values = weights.values(*cpu, position, &children);
            for (lane, &value) in values.0.iter().enumerate().take(children.len) {
                if value > greatest {
                    best.clear();
                    greatest = value;
                }
                if value == greatest {
                    best.push(position.child(&children, lane));
                }
            }
        }
        if weights.most_pieces && best.len() > 1 {
            let most = best.iter().map(|after| after.opponent().len()).max();
            best.retain(|after| Some(after.opponent().len()) == most);
        }
        match best.len() {
            0 | 1 => best.first().copied(),
            count => best.get(draws.below(count as u64) as usize).copied(),
        }
    }
}

/// The points of a side.
pub fn points(side: Color, winner: Option<Color>) -> u32 {
    winner.map_or(1, |winner| if winner == side { 2 } else { 0 })
}

/// A game that such players can play.
pub trait Duels: Game {
    /// How many games are played at once: fewer take as long.
    fn duels_at_once<C: Cpu>(_: C) -> usize {
        1
    }

    /// Play games from one opening to their end. As [`Duel::finish`] for each; a game may have a faster way.
    #[inline(always)]
    fn finish_duels<C: Cpu>(
        cpu: C,
        opening: &Opening<Self>,
        duels: &mut [Duel<'_, Self>],
        rules: &DrawRules,
        stop: &AtomicBool,
    ) {
        finish_each(cpu, opening, duels, rules, stop);
    }
}

/// Play games one after the other.
#[inline(always)]
pub fn finish_each<G: Game, C: Cpu>(
    cpu: C,
    opening: &Opening<G>,
    duels: &mut [Duel<'_, G>],
    rules: &DrawRules,
    stop: &AtomicBool,
) {
    for duel in duels {
        if duel.players.into_iter().all(Weights::is_blind) {
            duel.finish(opening, rules, stop);
        } else {
            duel.finish_on(cpu, opening, rules, stop);
        }
    }
}
