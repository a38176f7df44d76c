//! The endgame solver against plain minimax to the end of the game, and on the FFO endgame suite.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use crate::against_minimax::{Best, check_line};
use crate::common::{empties, evaluator, position_with, random_evaluator, searching, tie_rules, written};
use evoply_core::analysis::Question;
use evoply_core::bitboard::{Bitboard, Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::cpu::{available, dispatch, on};
use evoply_core::evaluator::{Evaluator, View};
use evoply_core::rules::playout::random_move;
use evoply_core::rules::{Color, Game};
use evoply_core::search::SearchOptions;
use evoply_core::stream::{Key, Stream};
use evoply_othello::endgame::stability::stable_discs;
use evoply_othello::endgame::{Endgame, Mode, Solution, Solve, solve};
use evoply_othello::{Move, Othello, OthelloRules};

static NEVER: AtomicBool = AtomicBool::new(false);

/// The final score for the side to move, by the rules alone.
fn final_score<B: Board>(position: &Othello<B>, empties_to_winner: bool) -> i32 {
    let difference = position.own().len() as i32 - position.opponent().len() as i32;
    let empties = empties(position) as i32;
    difference + if empties_to_winner { empties * difference.signum() } else { 0 }
}

/// The score under perfect play, by plain minimax to the end.
fn brute_force<B: Board>(position: &Othello<B>, empties_to_winner: bool) -> i32 {
    position
        .legal_moves()
        .map(|chosen| -brute_force(&position.play_unchecked(chosen), empties_to_winner))
        .max()
        .unwrap_or_else(|| final_score(position, empties_to_winner))
}

/// A position with at most `most` empty squares: from a random game, or random discs, where strange things happen.
fn endgame_position<B: Board>(draws: &mut Stream, most: u32) -> Othello<B> {
    if draws.below(2) == 0 {
        let empties = draws.below(u64::from(most) + 1);
        let mut empty = Bitboard::<B>::EMPTY;
        while u64::from(empty.len()) < empties {
            empty = empty | Bitboard::square(draws.below(B::SQUARES.into()) as u32);
        }
        // Few discs of one colour make wipe-outs and passes.
        let share = [1, 2, 4, 8, 16, 32, 56, 62][draws.below(8) as usize];
        let black = (0..B::SQUARES).filter(|_| draws.below(64) < share).collect::<Bitboard<B>>() - empty;
        return Othello::new(black, !(black | empty), Color::Black, 0).unwrap();
    }
    loop {
        let least = draws.below(u64::from(most) + 1) as u32;
        let position = position_with(draws, least);
        if empties(&position) <= most {
            return position;
        }
    }
}

/// Play the line of a solution and give the final position.
fn play_line<B: Board>(position: &Othello<B>, line: &[Move]) -> Othello<B> {
    let end = line.iter().fold(*position, |position, &chosen| position.play(chosen).expect("a legal move"));
    assert!(end.outcome().is_some(), "the line ends before the game");
    end
}

fn check<B: Board>(positions: u64, most: u32) {
    let paths = available();
    let (mut passes, mut early, mut wiped) = (0, 0, 0);
    for round in 0..positions {
        let mut draws = Key::new(21).child(B::SIZE.into()).child(round).stream();
        let position = endgame_position::<B>(&mut draws, most);
        for empties_to_winner in [true, false] {
            let expected = brute_force(&position, empties_to_winner);
            for mode in [Mode::Exact, Mode::Outcome] {
                let every_move = round % 10 == 0;
                let question =
                    Endgame { empties_to_winner, every_move, table_bytes: 1 << 12, ..Endgame::new(mode, &NEVER) };
                let answers: Vec<Solution> = paths
                    .iter()
                    .map(|&path| on(path, Solve { position: &position, question: &question, evaluator: None }).unwrap())
                    .collect();
                assert!(answers.iter().all(|answer| *answer == answers[0]), "paths differ: {position:?}");
                let asked = |score: i32| if mode == Mode::Exact { score } else { score.signum() };
                assert_eq!(answers[0].score, asked(expected), "{mode:?} {position:?}");
                let end = play_line(&position, &answers[0].line);
                let score = final_score(&end, empties_to_winner);
                let score = if end.turn() == position.turn() { score } else { -score };
                if mode == Mode::Exact || expected >= 0 {
                    let won_by_line = asked(score);
                    assert_eq!(won_by_line, asked(expected), "line of {position:?}");
                }
                let mut legal: Vec<_> = position.legal_moves().collect();
                legal.sort_by_key(|&chosen| brute_force(&position.play_unchecked(chosen), empties_to_winner));
                let scored = legal
                    .iter()
                    .map(|&chosen| asked(-brute_force(&position.play_unchecked(chosen), empties_to_winner)));
                assert!(!every_move || answers[0].moves.iter().map(|&(_, score)| score).eq(scored));
                passes += u64::from(answers[0].line.contains(&Move::Pass));
                early += u64::from(empties(&end) > 0);
                wiped += u64::from(end.own().is_empty() || end.opponent().is_empty());
            }
        }
    }
    assert!(passes > 20 && early > 20 && wiped > 5, "too few odd games: {passes} {early} {wiped}");
}

#[test]
fn solver_equals_brute_force() {
    check::<Size8>(1000, 8);
    every_board! {
        check::<Size4>(1000, 8);
        check::<Size6>(1000, 8);
        check::<Size10>(1000, 8);
    }
}

/// Any number of threads, and any guess, give the same scores and lines.
#[test]
fn threads_and_guesses_change_nothing() {
    fn check<B: Board>(positions: u64, empties: u32) {
        for round in 0..positions {
            let mut draws = Key::new(24).child(B::SIZE.into()).child(round).stream();
            let position = position_with::<B>(&mut draws, empties);
            let mode = if round % 3 == 0 { Mode::Outcome } else { Mode::Exact };
            let question = Endgame { every_move: round % 4 == 0, ..Endgame::new(mode, &NEVER) };
            let alone = solve(&position, &question).unwrap();
            for threads in 1..=4 {
                let guess = draws.below(2 * u64::from(B::SQUARES)) as i32 - B::SQUARES as i32;
                let others = solve(&position, &Endgame { threads, guess, ..question }).unwrap();
                let case = format!("{threads} threads, guess {guess}, {position:?}");
                assert_eq!((others.score, &others.line), (alone.score, &alone.line), "{case}");
                assert_eq!(others.moves, alone.moves, "{case}");
            }
        }
    }
    check::<Size8>(20, 17);
    every_board! {
        check::<Size6>(10, 18);
        check::<Size10>(4, 15);
    }
}

/// What an evaluator says about the order of moves and the score changes neither score nor line nor scores of moves.
#[test]
fn an_evaluators_order_changes_nothing() {
    /// Against plain minimax, with an order at every position.
    fn check<B: Board>(positions: u64, most: u32) {
        let mut other_nodes = 0;
        for round in 0..positions {
            let mut draws = Key::new(25).child(B::SIZE.into()).child(round).stream();
            let position = endgame_position::<B>(&mut draws, most);
            let evaluator = random_evaluator(&mut draws);
            let expected = brute_force(&position, true);
            for mode in [Mode::Exact, Mode::Outcome] {
                let every_move = round % 4 == 0;
                let question = Endgame { every_move, foretell_from: 6, ask_from: 2, ..Endgame::new(mode, &NEVER) };
                let alone = solve(&position, &question).unwrap();
                for path in available() {
                    let asked = Solve { position: &position, question: &question, evaluator: Some(&evaluator) };
                    let answer = on(path, asked).unwrap();
                    let case = format!("{mode:?} {position:?}");
                    assert_eq!(answer.score, if mode == Mode::Exact { expected } else { expected.signum() }, "{case}");
                    assert_eq!((&answer.line, &answer.moves), (&alone.line, &alone.moves), "{case}");
                    other_nodes += u64::from(answer.nodes != alone.nodes);
                }
            }
        }
        assert!(other_nodes > positions / 20, "the evaluator is hardly ever asked");
    }
    /// Against the solver alone, with several threads.
    fn check_with_threads<B: Board>(positions: u64, empties: u32) {
        for round in 0..positions {
            let mut draws = Key::new(26).child(B::SIZE.into()).child(round).stream();
            let position = position_with::<B>(&mut draws, empties);
            let evaluator = random_evaluator(&mut draws);
            let every_move = round % 4 == 0;
            let question = Endgame { every_move, ask_from: 13, ..Endgame::new(Mode::Exact, &NEVER) };
            let alone = solve(&position, &question).unwrap();
            for threads in 1..=3 {
                let question = Endgame { threads, ..question };
                let asked = Solve { position: &position, question: &question, evaluator: Some(&evaluator) };
                let answer = dispatch(asked).unwrap();
                let case = format!("{threads} threads, {position:?}");
                assert_eq!(
                    (answer.score, answer.line, answer.moves),
                    (alone.score, alone.line.clone(), alone.moves.clone()),
                    "{case}"
                );
            }
        }
    }
    check::<Size8>(200, 8);
    check::<Size8>(20, 10);
    check_with_threads::<Size8>(12, 16);
    every_board! {
        check::<Size4>(200, 8);
        check::<Size6>(200, 8);
        check::<Size10>(100, 8);
        check::<Size6>(20, 10);
        check_with_threads::<Size6>(10, 17);
        check_with_threads::<Size10>(3, 14);
    }
}

/// A player with an endgame takes one of the moves that keep the score, by its rule for ties.
fn check_player<B: Board>(positions: u64, most: u32) {
    let by_ply = evaluator(&written(r#"["ply"]"#, 0), View::Turn);
    let (mut ties_seen, mut not_first) = (0, 0);
    for round in 0..positions {
        let mut draws = Key::new(23).child(B::SIZE.into()).child(round).stream();
        let position = endgame_position::<B>(&mut draws, most);
        let value = |chosen| (chosen, f64::from(-brute_force(&position.play_unchecked(chosen), true)));
        let values: Vec<_> = position.legal_moves().map(value).collect();
        if values.len() < 2 {
            continue;
        }
        let best = Best::of(&values);
        ties_seen += u64::from(best.moves.len() > 1);
        for ties in tie_rules::<Othello<B>>() {
            let options = SearchOptions { endgame: most, ..SearchOptions::to_depth(1) };
            let question = Question { best: usize::MAX, ..Question::of(Key(round)) };
            let answer = searching(&by_ply, options, ties).analyse(&position, &question, &NEVER).unwrap();
            let case = format!("round {round} {position:?}");
            assert!(answer.choice.is_exact, "{case}");
            best.check(ties, &position, &answer.choice, &case);
            not_first += u64::from(ties == Ties::Random && answer.choice.chosen != best.moves[0]);
            let end = check_line(&position, &answer.choice);
            assert!(end.outcome().is_some(), "the line ends before the game");
            let score = final_score(&end, true) * if end.turn() == position.turn() { 1 } else { -1 };
            assert_eq!(f64::from(score), best.value, "line of {case}");
            let valued: Vec<_> = answer.values.iter().map(|&(chosen, value, _)| (chosen, value)).collect();
            assert_eq!(valued, values, "{case}");
            for (chosen, value, line) in &answer.values {
                let moves = std::iter::once(chosen).chain(line);
                let end = moves.fold(position, |at, &next| at.play(next).unwrap());
                assert!(end.outcome().is_some(), "the line of {chosen:?} ends before the game: {case}");
                let score = final_score(&end, true) * if end.turn() == position.turn() { 1 } else { -1 };
                assert_eq!(f64::from(score), *value, "line of {chosen:?}: {case}");
            }
        }
    }
    assert!(ties_seen > positions / 20 && not_first > positions / 50, "too few ties: {ties_seen} {not_first}");
}

#[test]
fn players_choose_exactly() {
    check_player::<Size8>(300, 7);
    every_board! {
        check_player::<Size4>(400, 7);
        check_player::<Size6>(300, 7);
        check_player::<Size10>(200, 7);
    }
}

#[test]
fn a_stop_ends_a_solve() {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        // Hours of work.
        assert!(solve(&Othello::<Size8>::start(OthelloRules), &Endgame::new(Mode::Exact, &stop)).is_err());
    });
}

/// Discs called stable do not turn in random games.
#[test]
fn stable_discs_stay() {
    fn check<B: Board>() {
        for round in 0..500 {
            let mut draws = Key::new(22).child(B::SIZE.into()).child(round).stream();
            let mut position = endgame_position::<B>(&mut draws, B::SQUARES / 2);
            let stable = [Color::Black, Color::White]
                .map(|color| (color, stable_discs(position.discs(color), position.discs(color.opposite()))));
            while let Some(chosen) = random_move(&position, |bound| draws.below(bound)) {
                position = position.play_unchecked(chosen);
                for (color, stable) in stable {
                    assert!((stable - position.discs(color)).is_empty(), "{position:?}");
                }
            }
        }
    }
    check::<Size8>();
    every_board! {
        check::<Size4>();
        check::<Size6>();
        check::<Size10>();
    }
}

/// A position of an OBF file and the score of each of its moves.
type Problem = (Othello<Size8>, Vec<(Move, i32)>);

fn read_obf(text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for line in text.lines() {
        let mut parts = line.split(';');
        let board: Vec<char> = parts.next().unwrap().chars().filter(|symbol| !symbol.is_whitespace()).collect();
        let set = |symbol| (0..64).filter(|&square| board[square as usize] == symbol).collect::<Bitboard<Size8>>();
        let turn = if board[64] == 'X' { Color::Black } else { Color::White };
        let scores = parts.filter_map(|part| {
            let (square, score) = part.trim().split_once(':')?;
            let [column, row] = square.as_bytes() else { return None };
            Some((Move::Place((row - b'1') * 8 + column - b'A'), score.parse().unwrap()))
        });
        problems.push((Othello::new(set('X'), set('O'), turn, 0).unwrap(), scores.collect()));
    }
    problems
}

/// Mobility: moves of the side to move minus those of the other.
fn mobility() -> Evaluator<Othello<Size8>> {
    let nodes = r#"["number_of_moves", "own"], ["number_of_moves", "opponent"], ["subtract", 0, 1]"#;
    evaluator(&written(nodes, 2), View::Turn)
}

/// Solve the positions of an OBF file, with the order of an evaluator or without, and compare score and move.
fn check_suite(text: &str, first: usize, threads: usize, evaluator: Option<&Evaluator<Othello<Size8>>>) {
    let (mut nodes, began) = (0, std::time::Instant::now());
    for (index, (position, scores)) in read_obf(text).into_iter().enumerate() {
        let start = std::time::Instant::now();
        let question = Endgame { threads, ask_from: 14, ..Endgame::new(Mode::Exact, &NEVER) };
        let answer = dispatch(Solve { position: &position, question: &question, evaluator }).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        #[allow(clippy::print_stdout)]
        if std::env::var_os("EVOPLY_PRINT").is_some() {
            let name = first + index;
            println!(
                "{name:3} {:+3} {:12} nodes {seconds:8.3} s {:6.1} M/s",
                answer.score,
                answer.nodes,
                answer.nodes as f64 / seconds / 1e6
            );
        }
        nodes += answer.nodes;
        let best = scores.iter().map(|&(_, score)| score).max().unwrap();
        assert_eq!(answer.score, best, "position {}", first + index);
        assert!(scores.contains(&(answer.line[0], best)), "position {}: {:?}", first + index, answer.line[0]);
    }
    let seconds = began.elapsed().as_secs_f64();
    #[allow(clippy::print_stdout)]
    if std::env::var_os("EVOPLY_PRINT").is_some() {
        println!("all {nodes} nodes {seconds:.3} s {:.1} M/s", nodes as f64 / seconds / 1e6);
    }
}

#[test]
fn ffo_1_to_19() {
    let suite = include_str!("../../../../testdata/ffo/fforum-1-19.obf");
    for (threads, evaluator) in [(1, None), (3, None), (1, Some(mobility())), (2, Some(mobility()))] {
        check_suite(suite, 1, threads, evaluator.as_ref());
    }
}

#[test]
#[ignore = "minutes; make test-long"]
fn ffo_20_to_39() {
    let suite = include_str!("../../../../testdata/ffo/fforum-20-39.obf");
    for (threads, evaluator) in [(1, None), (2, None), (1, Some(mobility())), (2, Some(mobility()))] {
        check_suite(suite, 20, threads, evaluator.as_ref());
    }
}
