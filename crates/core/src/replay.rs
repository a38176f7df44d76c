//! Games known by their moves, played over again.

use std::fmt;
use std::sync::atomic::AtomicBool;

use crate::cpu::{Cpu, Task, dispatch};
use crate::rules::{Color, Game};
use crate::work::{Stopped, for_each_parallel};

/// A game as a start and the codes of its moves.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a, G> {
    /// The position before the first move.
    pub start: G,
    /// The moves, as [`Game::code`] gives them.
    pub codes: &'a [u64],
}

/// A game played over again as far as its moves are legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed<G> {
    /// The moves that were played, forced passes put in where they were left out.
    pub codes: Vec<u64>,
    /// How many of the moves given are among them: all, or the next is illegal at `last`.
    pub taken: usize,
    /// The position after the last of them.
    pub last: G,
}

/// The forced pass, if it is what must be played.
#[inline(always)]
fn forced_pass<G: Game>(position: &G) -> Option<G::Move> {
    let mut moves = position.legal_moves();
    let first = moves.next()?;
    (moves.len() == 0 && G::moved_to(position.rules(), first).is_empty()).then_some(first)
}

/// Play a game over again until a move is illegal. Forced passes may be written or left out; `each` sees every position.
#[inline(always)]
pub fn replay<G: Game>(game: Moves<'_, G>, mut each: impl FnMut(&G)) -> Replayed<G> {
    let Moves { start: mut last, codes: given } = game;
    let (mut codes, mut taken) = (Vec::with_capacity(given.len() + 2), 0);
    each(&last);
    while let Some(&code) = given.get(taken) {
        let (next, code) = if let Some(next) = last.play_code(code) {
            taken += 1;
            (next, code)
        } else if let Some(pass) = forced_pass(&last) {
            (last.play_unchecked(pass), G::code(last.rules(), pass))
        } else {
            break;
        };
        last = next;
        codes.push(code);
        each(&last);
    }
    Replayed { codes, taken, last }
}

/// [`replay`] of many games on `threads` threads (0: one a core).
///
/// # Errors
/// [`Stopped`] if `stop` was set before all were played.
pub fn replay_all<G: Game>(
    games: &[Moves<'_, G>],
    threads: usize,
    stop: &AtomicBool,
) -> Result<Vec<Replayed<G>>, Stopped> {
    let nothing = |game: &Moves<'_, G>| Replayed { codes: Vec::new(), taken: 0, last: game.start };
    let mut replayed: Vec<_> = games.iter().map(nothing).collect();
    for_each_parallel(&mut replayed, threads, stop, |game, replayed| *replayed = dispatch(Replay(games[game])))?;
    Ok(replayed)
}

struct Replay<'a, G>(Moves<'a, G>);

impl<G: Game> Task for Replay<'_, G> {
    type Output = Replayed<G>;
    const WORTH_AVX512: bool = false;
    #[inline(always)]
    fn run<C: Cpu>(self, _: C) -> Replayed<G> {
        replay(self.0, |_| ())
    }
}

/// A move of a game that is not legal where it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IllegalMove {
    /// Which of the games.
    pub game: usize,
    /// Moves of the game before it.
    pub ply: usize,
    /// Its code.
    pub code: u64,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "game {}, ply {}: {} is no legal move there", self.game, self.ply, self.code)
    }
}

/// The pieces of both sides along games, a row for each game, all rows equally long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceCounts {
    /// Length of a row: the plies of the longest game and one for the start.
    pub columns: usize,
    /// Black's pieces at the start and after each ply, row after row. After its end a game keeps its last count.
    pub black: Vec<i32>,
    /// White's, likewise.
    pub white: Vec<i32>,
}

/// Count the pieces of both sides at the start and after each ply of all games, on `threads` threads (0: one a core). Forced
/// passes must be written.
///
/// # Errors
/// [`Stopped`] if `stop` was set before all were counted; inside, the first illegal move of the first game that has one.
pub fn piece_counts<G: Game>(
    games: &[Moves<'_, G>],
    threads: usize,
    stop: &AtomicBool,
) -> Result<Result<PieceCounts, IllegalMove>, Stopped> {
    struct Row<'a> {
        black: &'a mut [i32],
        white: &'a mut [i32],
        illegal: Option<IllegalMove>,
    }
    let columns = games.iter().map(|game| game.codes.len()).max().unwrap_or(0) + 1;
    let [mut black, mut white] = [(); 2].map(|()| vec![0; games.len() * columns]);
    let rows = black.chunks_mut(columns).zip(white.chunks_mut(columns));
    let mut rows: Vec<_> = rows.map(|(black, white)| Row { black, white, illegal: None }).collect();
    for_each_parallel(&mut rows, threads, stop, |game, row| {
        let Moves { start: mut position, codes } = games[game];
        for column in 0..columns {
            let [black, white] = [Color::Black, Color::White].map(|color| position.pieces(color).len() as i32);
            let Some(&code) = codes.get(column) else {
                row.black[column..].fill(black);
                row.white[column..].fill(white);
                return;
            };
            (row.black[column], row.white[column]) = (black, white);
            let Some(next) = position.play_code(code) else {
                row.illegal = Some(IllegalMove { game, ply: column, code });
                return;
            };
            position = next;
        }
    })?;
    let illegal = rows.iter().find_map(|row| row.illegal);
    Ok(illegal.map_or(Ok(PieceCounts { columns, black, white }), Err))
}
