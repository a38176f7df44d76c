//! Games known by their moves, played over again.

use std::fmt;
use std::sync::atomic::AtomicBool;

use crate::rules::{Color, Game};
use crate::work::{Stopped, for_each_parallel};

/// A game as a start and the codes of its moves, forced passes included.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a, G> {
    /// The position before the first move.
    pub start: G,
    /// The moves, as [`Game::code`] gives them.
    pub codes: &'a [u64],
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

/// Count the pieces of both sides at the start and after each ply of all games, on `threads` threads (0: one a core).
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
            let Some(chosen) = position.legal_moves().find(|&legal| G::code(legal) == code) else {
                row.illegal = Some(IllegalMove { game, ply: column, code });
                return;
            };
            position = position.play_unchecked(chosen);
        }
    })?;
    let illegal = rows.iter().find_map(|row| row.illegal);
    Ok(illegal.map_or(Ok(PieceCounts { columns, black, white }), Err))
}
