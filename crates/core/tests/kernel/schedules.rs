//! Schedules against games played move by move: starts anywhere, random starts of a player's own, stages drawn for every move.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::common::{
    Tested, ask, late_position, played_on, player, random_evaluator, random_position, random_position_by,
    random_position_of, scaled, searching,
};
use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::analysis::Question;
use evoply_core::arena::{Conditions, Pairing, Record, play};
use evoply_core::bitboard::{Board, Size8};
use evoply_core::choice::Ties;
use evoply_core::cpu::available;
use evoply_core::player::{Chooser, Player, Workspace};
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::playout::{move_key, random_move};
use evoply_core::rules::{Game, Setup};
use evoply_core::search::SearchOptions;
use evoply_core::stages::{StageClock, Stages};
use evoply_core::stream::Key;
use evoply_othello::{Othello, OthelloRules};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Long games of checkers would take long: every game is cut here.
const CAP: DrawRules = DrawRules { quiet_plies: None, repetitions: None, most_plies: Some(90) };

/// Shares that slide from one stage to the next as the board fills, at some numbers of pieces certain.
fn shares<B: Board>(stages: usize) -> Vec<Vec<f64>> {
    let row = |pieces: u32| {
        let place = f64::from(pieces) / f64::from(B::SQUARES) * (stages - 1) as f64;
        let share = |stage: usize| (1.0 - (place - stage as f64).abs()).max(0.0);
        (0..stages).map(share).collect()
    };
    (0..=B::SQUARES).map(row).collect()
}

/// Some of everything, some with a random start.
fn players<G: Tested>() -> Vec<Player<G>> {
    let mut draws = Key::new(41).child(G::Board::SIZE.into()).stream();
    let [stages, by_ply, by_clock] = [StageClock::Pieces, StageClock::Plies, StageClock::Board].map(|clock| {
        Stages::new((0..3).map(|_| random_evaluator(&mut draws)).collect(), shares::<G::Board>(3), clock).unwrap()
    });
    let search = searching(&random_evaluator(&mut draws), SearchOptions::to_depth(2), Ties::Random);
    let after_state = Chooser::AfterState(random_evaluator(&mut draws));
    vec![
        Player::random(),
        player(Chooser::Staged(stages.clone()), Ties::Random),
        player(Chooser::Staged(stages), Ties::Last).with_random_moves(3),
        player(Chooser::Staged(by_ply), Ties::Column),
        player(Chooser::Staged(by_clock), Ties::First),
        search.with_random_moves(5).with_epsilon(0.1).unwrap(),
        player(after_state, Ties::First).with_random_moves(1),
        Player::random().with_random_moves(7),
    ]
}

/// One choice, the obvious way: a random start is a random player, and a stage is a player of its own.
fn chosen<G: Tested>(player: &Player<G>, position: &G, game: Key, moves: u32) -> Option<G::Move> {
    let key = move_key(game, position.turn(), position.ply());
    let one = match player.chooser() {
        _ if moves < player.random_moves() => Player::random(),
        Chooser::Staged(stages) => {
            let evaluators = stages.evaluators();
            let count = match stages.clock() {
                StageClock::Pieces => (position.own() | position.opponent()).len(),
                StageClock::Plies => position.ply().min(G::Board::SQUARES),
                StageClock::Board => (position.clock_here() * f64::from(G::Board::SQUARES)).round() as u32,
            };
            let row = &shares::<G::Board>(evaluators.len())[count as usize];
            let certain = row.iter().position(|&share| share == 1.0);
            let draw = key.named("stage").stream().random();
            let stage = certain.unwrap_or_else(|| {
                let ends = row.iter().scan(0.0, |sum, share| {
                    *sum += share;
                    Some(*sum)
                });
                ends.into_iter().position(|end| draw < end).unwrap()
            });
            self::player(Chooser::AfterState(evaluators[stage].clone()), player.ties())
        }
        _ => player.clone().with_random_moves(0),
    };
    one.analyse(position, &Question::of(game), &NEVER).map(|analysis| analysis.choice.chosen)
}

/// The moves of a game, the obvious way.
fn moves<G: Tested>(players: &[Player<G>], pairing: &Pairing, conditions: &Conditions<'_, G>) -> Vec<u64> {
    let (mut position, mut moves) = (conditions.starts[pairing.start as usize], Vec::new());
    let (mut opening, mut own) = (pairing.opening.stream(), [0, 0]);
    while position.ply() < conditions.draws.most_plies.unwrap() {
        let side = position.turn() as usize;
        let chosen = if moves.len() < conditions.opening_plies as usize {
            random_move(&position, |count| opening.below(count))
        } else {
            own[side] += 1;
            let player = &players[[pairing.black, pairing.white][side] as usize];
            chosen(player, &position, pairing.key, own[side] - 1)
        };
        let Some(chosen) = chosen else { break };
        moves.push(G::code(G::usual(), chosen));
        position = position.play_unchecked(chosen);
    }
    moves
}

fn pairings(count: u64, players: u64, starts: u64, key: Key) -> Vec<Pairing> {
    let pairing = |game: u64| {
        let mut draws = key.child(game).stream();
        Pairing {
            black: draws.below(players) as u32,
            white: draws.below(players) as u32,
            opening: Key(draws.bits()),
            key: Key(draws.bits()),
            start: draws.below(starts) as u32,
        }
    };
    (0..count).map(pairing).collect()
}

fn run<G: Tested>(
    players: &[Player<G>],
    pairings: &[Pairing],
    conditions: &Conditions<'_, G>,
    threads: usize,
) -> Vec<Record> {
    let done = AtomicU64::new(0);
    let records = play(players, pairings, conditions, threads, &NEVER, &done).unwrap();
    assert_eq!(done.into_inner(), pairings.len() as u64);
    records
}

fn check_moves<G: Tested>(rules: G::Rules, games: u64) {
    let players = players::<G>();
    let key = Key::new(42).child(G::Board::SIZE.into()).child(u64::from(G::HAS_KINGS));
    let mut draws = key.stream();
    let starts: Vec<G> =
        std::iter::once(G::start(rules)).chain((0..4).map(|_| random_position_by(rules, &mut draws, 20))).collect();
    let pairings = pairings(games, players.len() as u64, starts.len() as u64, key);
    for opening_plies in [0, 5] {
        let conditions = Conditions { starts: &starts, opening_plies, record_moves: true, draws: CAP };
        for (pairing, record) in pairings.iter().zip(run(&players, &pairings, &conditions, 2)) {
            assert_eq!(record.moves, moves(&players, pairing, &conditions), "{pairing:?} after {opening_plies}");
        }
    }
}

#[test]
fn games_are_those_played_move_by_move() {
    check_moves::<Othello<Size8>>(OthelloRules, scaled(1_500));
    check_moves::<Checkers<Size8>>(CheckersRules::AMERICAN, scaled(800));
    check_moves::<Checkers<Size8>>(CheckersRules::LOSING, scaled(800));
    every_board! {
        check_moves::<Othello<Size4>>(OthelloRules, scaled(1_500));
        check_moves::<Othello<Size6>>(OthelloRules, scaled(1_500));
        check_moves::<Othello<Size10>>(OthelloRules, scaled(400));
        check_moves::<Checkers<Size10>>(CheckersRules::AMERICAN, scaled(400));
    }
}

/// Mixed starts in one call are the same games as one call a start, on any number of threads; random games side by side too.
fn check_starts<G: Tested>(games: u64) {
    let players = players::<G>();
    let key = Key::new(43).child(G::Board::SIZE.into()).child(u64::from(G::HAS_KINGS));
    let mut draws = key.stream();
    let mut starts: Vec<G> = (0..5).map(|_| random_position_of(&mut draws, 40)).collect();
    // A game that is over before it begins is one too.
    starts.push(played_on(G::start(G::usual()), &mut draws, |_| true));
    for (draws, who) in [(DrawRules::NONE, 1), (CAP, players.len() as u64)] {
        let pairings = pairings(games, who, starts.len() as u64, key.child(who));
        let conditions = Conditions { starts: &starts, opening_plies: 6, record_moves: false, draws };
        let mixed = run(&players, &pairings, &conditions, 1);
        for threads in 2..=4 {
            assert_eq!(run(&players, &pairings, &conditions, threads), mixed);
        }
        for start in 0..starts.len() {
            let alone = Conditions { starts: &starts[start..=start], ..conditions };
            let (these, expected): (Vec<Pairing>, Vec<&Record>) =
                pairings.iter().zip(&mixed).filter(|(pairing, _)| pairing.start as usize == start).unzip();
            let these: Vec<Pairing> = these.into_iter().map(|pairing| Pairing { start: 0, ..pairing }).collect();
            let records = run(&players, &these, &alone, 2);
            assert!(records.iter().eq(expected), "start {start} of {who} players");
        }
    }
}

#[test]
fn mixed_starts_are_separate_calls() {
    check_starts::<Othello<Size8>>(scaled(4_000));
    check_starts::<Checkers<Size8>>(scaled(1_000));
    every_board! {
        check_starts::<Othello<Size4>>(scaled(4_000));
        check_starts::<Othello<Size10>>(scaled(1_000));
    }
}

/// Equal games have equal hashes, and the same moves from another start another one.
#[test]
fn hashes_begin_with_the_start() {
    let start = Othello::<Size8>::start(OthelloRules);
    let other = start.play_unchecked(start.legal_moves().next().unwrap());
    let players = [Player::<Othello<Size8>>::random()];
    let starts = [start, other, start];
    let pairing = |start| Pairing { black: 0, white: 0, opening: Key(1), key: Key(2), start };
    let conditions = Conditions { starts: &starts, opening_plies: 0, record_moves: true, draws: DrawRules::NONE };
    let records = run(&players, &[pairing(0), pairing(1), pairing(2)], &conditions, 1);
    assert_eq!(records[0], records[2]);
    assert_ne!(records[0].hash, records[1].hash);
    let none = Conditions { draws: DrawRules { most_plies: Some(0), ..CAP }, ..conditions };
    let hashes: HashSet<u64> =
        run(&players, &[pairing(0), pairing(1), pairing(2)], &none, 1).iter().map(|r| r.hash).collect();
    assert_eq!(hashes.len(), 2);
}

/// A stage is drawn as often as its share says, and whichever is drawn, another workspace draws it too.
#[test]
fn stages_are_drawn_with_their_shares() {
    let mut draws = Key::new(44).stream();
    let evaluators = (0..2).map(|_| random_evaluator::<Othello<Size8>>(&mut draws)).collect();
    let stages = Stages::new(evaluators, vec![vec![0.25, 0.75]; 65], StageClock::Pieces).unwrap();
    let start = Othello::<Size8>::start(OthelloRules);
    let drawn: usize = (0..20_000).map(|number| stages.drawn(&start, Key::new(45).child(number))).sum();
    // Five standard deviations.
    assert!((drawn as f64 - 15_000.0).abs() < 5.0 * (20_000.0 * 0.25 * 0.75_f64).sqrt(), "{drawn}");
    let staged = player(Chooser::Staged(stages), Ties::Random);
    for path in available() {
        let mut workspace = Workspace::default();
        for round in 0..200 {
            let position = random_position_of::<Othello<Size8>>(&mut Key::new(46).child(round).stream(), 60);
            let fresh = staged.analyse(&position, &Question::of(Key(round)), &NEVER).unwrap().choice;
            let choice = ask(path, &staged, &position, Key(round), &mut workspace);
            assert_eq!((choice.chosen, choice.score), (fresh.chosen, fresh.score));
        }
    }
}

/// The clock counts pieces or plies; a position that comes later than there are rows is like the last.
#[test]
fn stages_go_by_their_clock() {
    let mut draws = Key::new(47).stream();
    let rows: Vec<Vec<f64>> =
        (0..65).map(|count| (0..65).map(|stage| f64::from(u8::from(stage == count))).collect()).collect();
    let mut stages = |clock| {
        let evaluators = (0..65).map(|_| random_evaluator::<Othello<Size8>>(&mut draws)).collect();
        Stages::new(evaluators, rows.clone(), clock).unwrap()
    };
    let (by_pieces, by_ply) = (stages(StageClock::Pieces), stages(StageClock::Plies));
    let mut passed = 0;
    for round in 0..2_000 {
        let mut draws = Key::new(48).child(round).stream();
        let position = if round % 2 == 0 { random_position(&mut draws, 60) } else { late_position(&mut draws, 6) };
        let pieces = (position.own() | position.opponent()).len() as usize;
        assert_eq!(by_pieces.drawn(&position, Key(round)), pieces);
        assert_eq!(by_ply.drawn(&position, Key(round)), position.ply() as usize);
        passed += usize::from(position.ply() as usize + 4 > pieces);
        let late = Othello::<Size8>::from_setup(OthelloRules, &Setup { ply: 90, ..position.setup() }).unwrap();
        assert_eq!(by_ply.drawn(&late, Key(round)), 64);
    }
    assert!(passed > 50, "only {passed} positions had passes before them");
}

#[test]
fn shares_are_checked() {
    let mut draws = Key::new(44).stream();
    let mut stages = |count: usize, shares| {
        Stages::new(
            (0..count).map(|_| random_evaluator::<Othello<Size8>>(&mut draws)).collect(),
            shares,
            StageClock::Pieces,
        )
        .map(|_| ())
    };
    assert!(stages(2, vec![vec![0.5, 0.5]; 65]).is_ok());
    assert!(stages(0, vec![vec![]; 65]).unwrap_err().contains("no stage"));
    assert!(stages(2, vec![vec![0.5, 0.5]; 64]).unwrap_err().contains("64 rows"));
    assert!(stages(2, vec![vec![1.0]; 65]).unwrap_err().contains("1 shares of 2 stages"));
    for wrong in [vec![0.5, 0.6], vec![1.5, -0.5], vec![f64::NAN, 1.0]] {
        assert!(stages(2, vec![wrong; 65]).unwrap_err().contains("sum to 1"));
    }
}
