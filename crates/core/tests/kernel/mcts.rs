//! Trees of playouts: the same on every CPU path, and what ends them. What they choose Python's tests prove.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::common::{self, American, Tested, any_checkers, asked, evaluator, random_position, small_evaluator};
use evoply_core::analysis::Question;
use evoply_core::bitboard::Size8;
use evoply_core::choice::{Choice, Ties};
use evoply_core::cpu::available;
use evoply_core::engine::{Engine, Limits};
use evoply_core::evaluator::View;
use evoply_core::mcts::{Leaf, Mcts, MctsOptions};
use evoply_core::player::{Chooser, Player, Workspace};
use evoply_core::rules::Game;
use evoply_core::rules::draws::DrawRules;
use evoply_core::stream::{Key, Stream};
use evoply_othello::Othello;

static NEVER: AtomicBool = AtomicBool::new(false);

const USUAL: MctsOptions = MctsOptions {
    playouts: Some(100),
    exploration: 1.0,
    leaf: Leaf::Random,
    scale: 8.0,
    gather: 1,
    time: None,
    endgame: 0,
    draws: DrawRules::NONE,
};

fn player<G: Tested>(draws: &mut Stream, options: MctsOptions) -> Player<G> {
    let evaluator = evaluator(&small_evaluator::<G::Board>(draws), View::Turn);
    common::player(Chooser::Mcts(Mcts::new(evaluator, options).unwrap()), Ties::First)
}

/// Move, score and line.
fn told<G: Game>(choice: &Choice<G>) -> (G::Move, Option<u64>, Vec<G::Move>, u64) {
    (choice.chosen, choice.score.map(f64::to_bits), choice.continuation.clone(), choice.nodes)
}

fn check_paths<G: Tested>(count: u64, position: impl Fn(&mut Stream) -> G) {
    for round in 0..count {
        let mut draws = Key::new(77).child(round).stream();
        let leaf = [Leaf::Random, Leaf::Value, Leaf::Greedy { epsilon: 0.2 }][round as usize % 3];
        let gather = [1, 5, 16][round as usize / 3 % 3];
        let draw_rules = DrawRules { quiet_plies: G::MAY_CAPTURE.then_some(30), ..DrawRules::NONE };
        let player = player::<G>(&mut draws, MctsOptions { leaf, gather, draws: draw_rules, ..USUAL });
        let position = position(&mut draws);
        let key = Key::new(round);
        let chosen = |path| asked(path, &player, &position, key, &mut Workspace::default());
        let mut choices = available().into_iter().map(chosen).map(|choice| choice.map(|choice| told(&choice)));
        let first = choices.next().unwrap();
        assert!(choices.all(|choice| choice == first));
        assert_eq!(first.is_none(), position.is_over());
    }
}

#[test]
fn trees_are_the_same_on_every_path() {
    check_paths(18, |draws| random_position::<Size8>(draws, 55));
    check_paths(18, any_checkers::<American>);
    every_board! { check_paths(18, |draws| random_position::<Size6>(draws, 30)); }
}

#[test]
fn what_has_no_time_makes_one_batch_and_what_is_stopped_none() {
    let start = Othello::<Size8>::start(evoply_othello::OthelloRules);
    let player = player::<Othello<Size8>>(&mut Key::new(1).stream(), MctsOptions { gather: 7, ..USUAL });
    let mut engine = Engine::new(player, 4).unwrap();
    let mut think = |limits, stop: &AtomicBool| {
        let thought = engine.think(&start, &Question::of(Key::new(2)), &limits, stop, &mut |_, _| ());
        thought.map(|thought| (thought.analysis.choice.nodes, thought.is_complete))
    };
    let at_once = Limits { hard: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(think(at_once, &NEVER), Some((7, false)));
    assert_eq!(think(Limits::default(), &NEVER), Some((100, true)));
    assert_eq!(think(Limits::default(), &AtomicBool::new(true)), None);
}

#[test]
fn values_of_moves_are_those_of_the_choice() {
    let start = Othello::<Size8>::start(evoply_othello::OthelloRules);
    let player = player::<Othello<Size8>>(&mut Key::new(1).stream(), USUAL);
    let question = Question { best: usize::MAX, ..Question::of(Key::new(3)) };
    let asked = player.analyse(&start, &question, &NEVER).unwrap();
    let thought = Engine::new(player, 4).unwrap();
    let thought = { thought }.think(&start, &question, &Limits::default(), &NEVER, &mut |_, _| ()).unwrap();
    assert_eq!(asked.values, thought.analysis.values);
    assert_eq!(asked.values.len(), 4);
    let value = asked.values.iter().find(|(chosen, ..)| *chosen == asked.choice.chosen);
    assert_eq!(value.map(|&(_, value, _)| value), asked.choice.score);
}
