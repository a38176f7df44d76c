//! Othello on every board, compiled. All generic code is instantiated here and nowhere else.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::sync::atomic::AtomicBool;

use evoply_core::bitboard::{Bitboard, Board, Size4, Size6, Size8, Size10, Word};
use evoply_core::kernel::native::Native;
use evoply_core::kernel::{Answer, Kernel, SolveQuestion, Solved};
use evoply_core::rules::Game;
use evoply_othello::endgame::{self, Endgame, Mode};
use evoply_othello::{Othello, OthelloRules, flips, moves};

/// The games of the family. Nodes in other orders of moves are counted on the boards of the experiments that ask for it.
pub fn kernels() -> Vec<&'static dyn Kernel> {
    vec![
        game::<Size8>("othello").with_node_counts().for_good(),
        game::<Size4>("othello-4").for_good(),
        game::<Size6>("othello-6").for_good(),
        game::<Size10>("othello-10").with_node_counts().for_good(),
    ]
}

fn game<B: Board>(name: &str) -> Native<Othello<B>> {
    Native::new(name, OthelloRules).with_solver(solve::<B>)
}

fn solve<B: Board>(position: &Othello<B>, question: &SolveQuestion, stop: &AtomicBool) -> Answer<Solved> {
    let &SolveQuestion { outcome_only, empties_to_winner, every_move, table_bytes, threads } = question;
    let mode = if outcome_only { Mode::Outcome } else { Mode::Exact };
    let question = Endgame { empties_to_winner, every_move, table_bytes, threads, ..Endgame::new(mode, stop) };
    let solution = endgame::solve(position, &question)?;
    let code = |chosen| Othello::<B>::code(OthelloRules, chosen);
    let moves = solution.moves.into_iter().map(|(chosen, score)| (code(chosen), score)).collect();
    let line = solution.line.into_iter().map(code).collect();
    Ok(Solved { score: solution.score, nodes: solution.nodes, line, moves })
}

/// Run code generic over the board for a size known at run time.
macro_rules! on_board {
    ($size:expr, $board:ident => $body:expr) => {
        match $size {
            4 => {
                type $board = Size4;
                $body
            }
            6 => {
                type $board = Size6;
                $body
            }
            8 => {
                type $board = Size8;
                $body
            }
            10 => {
                type $board = Size10;
                $body
            }
            other => Err(format!("no board of size {other}: sizes are 4, 6, 8, 10")),
        }
    };
}

/// Squares where the owner of `own` may place a disc on a board of a size.
///
/// # Errors
/// There is no such board, or a set leaves it.
pub fn moves_on(size: u32, own: u128, opponent: u128) -> Result<u128, String> {
    on_board!(size, B => Ok(moves::<B>(Bitboard::from_bits(own)?, Bitboard::from_bits(opponent)?).0.to_u128()))
}

/// Discs that turn when the owner of `own` places a disc on a square of a board of a size.
///
/// # Errors
/// As [`moves_on`].
///
/// # Panics
/// If no board has such a square.
pub fn flips_on(size: u32, own: u128, opponent: u128, square: u32) -> Result<u128, String> {
    on_board!(size, B => Ok(flips::<B>(Bitboard::from_bits(own)?, Bitboard::from_bits(opponent)?, square).0.to_u128()))
}
