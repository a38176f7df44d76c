//! How fast the kernel is, each answer checked as its time is taken. `cargo bench --package evoply-core`, or with `-- perft`
//! the rows whose name has that word.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use evoply_core::analysis::{Analysis, Question};
use evoply_core::arena::{Conditions, Pairing, play, random_positions};
use evoply_core::bitboard::{Size8, Size10};
use evoply_core::choice::Ties;
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::expression::program::Program;
use evoply_core::expression::{Builder, json};
use evoply_core::player::{Chooser, Player};
use evoply_core::rules::Game;
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::perft::perft;
use evoply_core::rules::playout::{NO_CAP, Playout};
use evoply_core::search::ordering::MoveOrder;
use evoply_core::search::{LookAhead, SearchOptions};
use evoply_core::stream::Key;
use evoply_othello::endgame::{Endgame, Mode, solve};
use evoply_othello::{Othello, OthelloRules};

static NEVER: AtomicBool = AtomicBool::new(false);

/// How long each row is repeated.
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// Print how long some work takes in the middle of its repeats, the half of them around it, and how many things it does a
/// second.
#[allow(clippy::print_stdout)]
fn time(name: &str, things: u64, mut work: impl FnMut()) {
    if std::env::args().skip(1).any(|word| !word.starts_with('-') && !name.contains(&word)) {
        return;
    }
    work();
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < 10 || begun.elapsed() < LONG_ENOUGH {
        let start = Instant::now();
        work();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    let [low, middle, high] = [1, 2, 3].map(|quarter| times[quarter * times.len() / 4] * 1e3);
    let rate = things as f64 / middle * 1e3;
    println!("{name:58} {middle:9.3} ms ({low:.3} to {high:.3}, {} repeats) {rate:.3e}/s", times.len());
}

/// Own discs minus the opponent's.
const MATERIAL: &str = r#"{"format": 1, "outputs": [4],
    "nodes": [["own"], ["count", 0], ["opponent"], ["count", 2], ["subtract", 1, 3]]}"#;

fn material(options: SearchOptions) -> Player<Othello<Size8>> {
    let expression = json::parse(MATERIAL, 64, Builder::default()).expect("well formed");
    let program = Arc::new(Program::new(&expression).expect("can be lowered"));
    let evaluator = Evaluator { rules: OthelloRules, program, view: View::Turn };
    let ahead = LookAhead::new(evaluator, None, options).expect("sound options");
    Player::new(OthelloRules, Chooser::AlphaBeta(ahead), Ties::First).expect("looks ahead")
}

fn positions(plies: u32) -> Vec<Othello<Size8>> {
    let found = random_positions(OthelloRules, 20, Key::new(7), plies..=plies, &NEVER).expect("not stopped");
    found.into_iter().flatten().collect()
}

fn count_leaves() {
    time("perft of othello to depth 9, leaves", 3_005_288, || {
        assert_eq!(perft(Othello::<Size8>::start(OthelloRules), 9, 1, &NEVER), Ok(3_005_288));
    });
    time("perft of othello-10 to depth 8, leaves", 392_268, || {
        assert_eq!(perft(Othello::<Size10>::start(OthelloRules), 8, 1, &NEVER), Ok(392_268));
    });
}

fn play_random_games() {
    let random = Player::random();
    let key = |game| Key::new(1).child(game);
    let pairings: Vec<_> = (0..10_000)
        .map(|game| Pairing { black: 0, white: 0, opening: key(game), key: key(game).child(1), start: 0 })
        .collect();
    let conditions = Conditions {
        starts: &[Othello::<Size8>::start(OthelloRules)],
        opening_plies: 8,
        record_moves: false,
        draws: DrawRules::NONE,
    };
    let one_by_one = |pairing: &Pairing| {
        let hash = 0;
        let Pairing { opening, key, .. } = *pairing;
        let mut game = Playout {
            position: conditions.starts[0],
            plies: 0,
            hash,
            opening: opening.stream(),
            opening_plies: 8,
            key,
            most_plies: NO_CAP,
        };
        game.finish();
        game.position.own().len() + game.position.opponent().len()
    };
    let discs: u32 = pairings.iter().map(one_by_one).sum();
    time("random games of othello", 10_000, || {
        let players = std::slice::from_ref(&random);
        let records = play(players, &pairings, &conditions, 1, &NEVER, &AtomicU64::new(0)).expect("not stopped");
        assert_eq!(records.iter().map(|record| record.black_pieces + record.white_pieces).sum::<u32>(), discs);
    });
}

fn look_ahead() {
    let positions = positions(20);
    let plain = material(SearchOptions::to_depth(6));
    let options = SearchOptions { ordering: MoveOrder::Killer, table: 1 << 16, ..SearchOptions::to_depth(6) };
    let answers = |player: &Player<Othello<Size8>>| -> Vec<_> {
        let analyses =
            positions.iter().filter_map(|position| player.analyse(position, &Question::of(Key::new(1)), &NEVER));
        analyses.map(|Analysis { choice, .. }| (choice.chosen, choice.score)).collect()
    };
    let expected = answers(&plain);
    for (way, player) in [("plain", plain), ("killers and table", material(options))] {
        let name = format!("positions, six plies of counted pieces, {way}");
        time(&name, 20, || assert_eq!(answers(black_box(&player)), expected));
    }
}

fn solve_endgames() {
    let positions: Vec<_> = positions(50).into_iter().filter(|position| position.outcome().is_none()).collect();
    let scores = |question: &Endgame<'_>| -> Vec<_> {
        positions.iter().map(|position| solve(position, question).map(|solution| solution.score)).collect()
    };
    let expected = scores(&Endgame { every_move: true, ..Endgame::new(Mode::Exact, &NEVER) });
    let question = Endgame { table_bytes: 1 << 20, ..Endgame::new(Mode::Exact, &NEVER) };
    time("endgames of ten empty squares", positions.len() as u64, || assert_eq!(scores(&question), expected));
}

fn main() {
    count_leaves();
    play_random_games();
    look_ahead();
    solve_endgames();
}
