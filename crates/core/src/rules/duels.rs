//! Games between players that look at the square where a move lands, and at nothing else.
//!
//! Everything that is drawn in a game comes from one stream, in order, so a game is the same whether it is played alone or
//! beside others.

use std::sync::atomic::{AtomicBool, Ordering};

use super::draws::{Course, DrawRules, result};
use super::{Color, Game};
use crate::bitboard::{Bitboard, Board};
use crate::cpu::Cpu;
use crate::stream::Stream;

/// What moves to each square are worth to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights<B: Board> {
    of_square: Vec<u32>,
    /// Squares of the same weight, the least weight first; those of weight 0 are left out.
    classes: Vec<Bitboard<B>>,
    most_pieces: bool,
}

impl<B: Board> Weights<B> {
    /// Weights of sets of squares that have none in common; all other squares have weight 0. `most_pieces`: of moves of the
    /// greatest weight only those count that leave the player most pieces.
    pub fn new(parts: &mut [(u32, Bitboard<B>)], most_pieces: bool) -> Self {
        parts.sort_unstable_by_key(|&(weight, _)| weight);
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
        Self { of_square, classes, most_pieces }
    }

    /// Squares of the same weight, the least weight first; those of weight 0 are left out.
    pub fn classes(&self) -> &[Bitboard<B>] {
        &self.classes
    }

    /// Whether the player wants to have most pieces, other things being equal.
    pub fn most_pieces(&self) -> bool {
        self.most_pieces
    }

    /// What a move to a square is worth; nowhere is worth nothing.
    #[inline(always)]
    fn of(&self, to: Bitboard<B>) -> u32 {
        if to.is_empty() { 0 } else { self.of_square[to.first() as usize] }
    }

    /// One of the best of several moves, or what stands for them; which one is drawn only where several are left. `best` is
    /// room to work in.
    #[inline(always)]
    fn choose<M: Copy>(
        &self,
        moves: impl Iterator<Item = M>,
        to: impl Fn(M) -> Bitboard<B>,
        pieces_after: impl Fn(M) -> u32,
        draws: &mut Stream,
        best: &mut Vec<M>,
    ) -> Option<M> {
        best.clear();
        let mut greatest = 0;
        for one in moves {
            let weight = self.of(to(one));
            if weight > greatest {
                best.clear();
                greatest = weight;
            }
            if weight == greatest {
                best.push(one);
            }
        }
        if self.most_pieces && best.len() > 1 {
            let most = best.iter().map(|&one| pieces_after(one)).max();
            best.retain(|&one| Some(pieces_after(one)) == most);
        }
        match best.len() {
            0 | 1 => best.first().copied(),
            count => best.get(draws.below(count as u64) as usize).copied(),
        }
    }
}

/// The move that a player of weights makes; `None` if the game is over. `best` is room to work in.
#[inline(always)]
fn choose<G: Game>(
    position: &G,
    weights: &Weights<G::Board>,
    draws: &mut Stream,
    best: &mut Vec<G::Move>,
) -> Option<G::Move> {
    let pieces_after = |chosen| position.play_unchecked(chosen).opponent().len();
    weights.choose(position.legal_moves(), G::moved_to, pieces_after, draws, best)
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
        let to = |place: usize| G::moved_to(self.moves[place]);
        let pieces_after = |place: usize| self.after[place].opponent().len();
        weights.choose(0..self.moves.len(), to, pieces_after, draws, &mut Vec::new())
    }
}

/// One game from an opening.
#[derive(Clone, Debug)]
pub struct Duel<'a, B: Board> {
    /// The side to move at the beginning, then the other one.
    pub players: [&'a Weights<B>; 2],
    /// Where all draws come from.
    pub draws: Stream,
    /// The place of the first move: the one that is given, and in the end the one that was made.
    pub first: Option<usize>,
    /// What the side to move at the beginning has in the end: 2 points for a win, 1 for a draw.
    pub points: u32,
}

impl<'a, B: Board> Duel<'a, B> {
    /// A game that is still to be played.
    pub fn new(players: [&'a Weights<B>; 2], draws: Stream, first: Option<usize>) -> Self {
        Self { players, draws, first, points: 0 }
    }

    /// Make the first move, unless it was given; the position after it, `None` if there is none.
    #[inline(always)]
    pub(super) fn begin<G: Game<Board = B>>(&mut self, opening: &Opening<G>) -> Option<G> {
        self.first = self.first.or_else(|| opening.choose(self.players[0], &mut self.draws));
        self.first.map(|place| opening.after[place])
    }

    /// Play to the end, one ply after the other: what all faster ways must equal.
    pub fn finish<G: Game<Board = B>>(&mut self, opening: &Opening<G>, rules: &DrawRules, stop: &AtomicBool) {
        let (mut course, mut best) = (Course::default(), Vec::new());
        let mut position = opening.position;
        let mut drawn = course.arrive(&position, rules);
        let mut next = if drawn.is_none() { self.begin(opening) } else { None };
        while let Some(after) = next {
            position = after;
            drawn = course.arrive(&position, rules);
            if drawn.is_some() || stop.load(Ordering::Relaxed) {
                break;
            }
            let mover = self.players[usize::from(position.turn() != opening.position.turn())];
            next = choose(&position, mover, &mut self.draws, &mut best).map(|chosen| position.play_unchecked(chosen));
        }
        self.points = points(opening.position.turn(), result(&position, drawn).0);
    }
}

/// The points of a side.
pub(super) fn points(side: Color, winner: Option<Color>) -> u32 {
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
        _: C,
        opening: &Opening<Self>,
        duels: &mut [Duel<'_, Self::Board>],
        rules: &DrawRules,
        stop: &AtomicBool,
    ) {
        for duel in duels {
            duel.finish(opening, rules, stop);
        }
    }
}
