//! What the online player plays: the alpha chain played ahead against the plain one, and the tree of positions.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::played_on;
use evoply_checkers::{Checkers, CheckersRules};
use evoply_core::bitboard::{Bitboard, Board, Size4, Size8};
use evoply_core::cpu::{Cpu, Task, available, on};
use evoply_core::geometry::Geometry;
use evoply_core::mcts::tree::{Positions, WHOLE};
use evoply_core::online::chain::{Ahead, wins};
use evoply_core::online::strategy::{Areas, Sight};
use evoply_core::online::tree::{Terminals, Tree};
use evoply_core::online::workers::{Crew, Field, Place, Redraw, Score};
use evoply_core::rules::draws::DrawRules;
use evoply_core::rules::weighted_games::{Duel, Duels, Opening};
use evoply_core::rules::{Color, Game};
use evoply_core::stream::Key;
use evoply_core::work::Stopped;
use evoply_othello::{Othello, OthelloRules};

/// A generation of random players; each game is decoded anew where the number is odd.
fn field<G: Duels>(rules: G::Rules, number: u64) -> Field<G> {
    let mut draws = Key::new(8).child(number).stream();
    let squares = G::Board::SQUARES;
    let of_square: Vec<_> = (0..squares).map(|_| draws.below(8).checked_sub(1).map(|area| area as usize)).collect();
    let areas = Areas::new(&Geometry::WHOLE, &of_square, Bitboard::EMPTY, Bitboard::EMPTY, Sight::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let terminals = Terminals { areas: areas.count(), measures: 0, lowest: 1, highest: 9 };
    let trees = Tree::ramped(20, &terminals, (2, 4), 4096, &mut draws, || false).unwrap_or_default();
    let opening = Arc::new(Opening::new(G::start(rules)));
    Field {
        rules: DrawRules { most_plies: G::MAY_CAPTURE.then_some(60), ..DrawRules::NONE },
        players: trees.iter().map(|tree| areas.weights(&areas.decoded(tree, &mut draws))).collect(),
        redraw: (number % 2 == 1).then(|| Redraw { trees, areas: Arc::new(areas) }),
        key: Key::new(9).child(number),
        games: [1, 3, 10, 40][number as usize % 4],
        given: (0..opening.moves.len()).take((number / 4) as usize).collect(),
        opening,
    }
}

/// Alpha and the scores after each match, one game after the other.
fn plain<G: Duels>(field: &Field<G>) -> Vec<(usize, Vec<Score>)> {
    let mut alpha = field.individuals();
    let match_of = |individual: usize| {
        let score = |number: usize| {
            let place = Place { individual, opponent: alpha, number };
            let [one, other] = [(0, individual), (1, alpha)]
                .map(|(side, index)| field.decoded(&place, side).unwrap_or_else(|| field.players[index].clone()));
            let players = if number.is_multiple_of(2) { [&one, &other] } else { [&other, &one] };
            let mut duel = Duel::new(players, field.key_of(&place).stream(), field.given(&place));
            duel.finish(&field.opening, &field.rules, &AtomicBool::new(false));
            let points = if number.is_multiple_of(2) { duel.points } else { 2 - duel.points };
            Score { points, first: duel.first, of_first: duel.points }
        };
        let scores: Vec<_> = (0..field.games).map(score).collect();
        let points: u32 = scores.iter().map(|score| score.points).sum();
        if points > 2 * field.games as u32 - points {
            alpha = individual;
        }
        (alpha, scores)
    };
    (0..field.individuals()).map(match_of).collect()
}

struct PlayChain<G: Game>(Arc<Field<G>>, usize);

impl<G: Duels> Task for PlayChain<G> {
    type Output = Vec<(usize, Vec<Score>)>;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let (Self(field, threads), stop, mut ahead) = (self, AtomicBool::new(false), Ahead::default());
        std::thread::scope(|scope| {
            let mut crew = Crew::new(cpu, threads, field.games, &stop, scope);
            let mut alpha = field.individuals();
            let mut next = |individual| {
                let scores = ahead.play(&mut crew, &field, individual, alpha).unwrap_or_default();
                let has_won = wins(scores.iter().map(|score| score.points).sum(), field.games);
                ahead.learn(has_won);
                alpha = if has_won { individual } else { alpha };
                (alpha, scores)
            };
            (0..field.individuals()).map(&mut next).collect()
        })
    }
}

fn check<G: Duels>(rules: G::Rules) {
    let mut alphas = 0;
    for number in 0..16 {
        let field = Arc::new(field::<G>(rules, number));
        let expected = plain(&field);
        alphas += expected.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
        for path in available() {
            for threads in 1..4 {
                assert_eq!(on(path, PlayChain(Arc::clone(&field), threads)), expected, "{number} {path:?} {threads}");
            }
        }
    }
    assert!(alphas > 30, "alpha changed {alphas} times");
}

#[test]
fn playing_ahead_gives_the_plain_chain() {
    check::<Othello<Size8>>(OthelloRules);
    check::<Checkers<Size8>>(CheckersRules::LOSING);
    every_board! { check::<Othello<Size6>>(OthelloRules); }
}

#[test]
fn whoever_stops_it_is_obeyed() {
    struct Stop<G: Game>(Arc<Field<G>>);
    impl<G: Duels> Task for Stop<G> {
        type Output = bool;
        #[inline(always)]
        fn run<C: Cpu>(self, cpu: C) -> bool {
            let stop = AtomicBool::new(true);
            std::thread::scope(|scope| {
                let mut crew = Crew::new(cpu, 2, self.0.games, &stop, scope);
                Ahead::default().play(&mut crew, &self.0, 0, self.0.individuals()) == Err(Stopped)
            })
        }
    }
    for path in available() {
        assert!(on(path, Stop(Arc::new(field::<Othello<Size8>>(OthelloRules, 2)))));
    }
}

/// What the side to move at the beginning has in the end of a game of random moves.
fn points_of(position: Othello<Size4>, side: Color, key: Key) -> u32 {
    let position = played_on(position, &mut key.stream(), |_| true);
    position.result().winner.map_or(WHOLE / 2, |winner| if winner == side { WHOLE } else { 0 })
}

/// The value of a position for the side to move, by looking at all games.
fn value(position: &Othello<Size4>) -> i32 {
    let moves = position.legal_moves();
    if moves.len() == 0 {
        return position.result().winner.map_or(0, |winner| if winner == position.turn() { 1 } else { -1 });
    }
    moves.map(|chosen| -value(&position.play_unchecked(chosen))).max().unwrap_or(0)
}

#[test]
fn most_games_go_to_a_best_move() {
    for seed in 0..20 {
        let key = Key::new(4).child(seed);
        let start = Othello::<Size4>::start(OthelloRules);
        let root = played_on(start, &mut key.stream(), |position| position.ply() < 5);
        if root.is_over() {
            continue;
        }
        let mut tree = Positions::new(root, 0.7);
        let mut games = vec![0; root.legal_moves().len()];
        for batch in 0..200 {
            let starts: Vec<_> = (0..10).map(|_| tree.descend(|_, _| ())).collect();
            for start in &starts {
                games[start.first_move] += 1;
            }
            let results = starts.iter().zip(0..);
            let results: Vec<_> = results
                .map(|(start, game)| points_of(start.position, root.turn(), key.child(batch).child(game)))
                .collect();
            tree.learn(results);
        }
        assert_eq!(games.iter().sum::<usize>(), 2000);
        let most = (0..games.len()).max_by_key(|&place| games[place]).unwrap_or(0);
        let after = root.legal_moves().nth(most).map(|chosen| root.play_unchecked(chosen));
        assert_eq!(after.map(|after| -value(&after)), Some(value(&root)), "{seed}: {games:?}");
    }
}

#[test]
fn a_game_on_its_way_counts_as_lost() {
    let mut tree = Positions::new(Othello::<Size4>::start(OthelloRules), 0.5);
    let firsts: Vec<_> = (0..8).map(|_| tree.descend(|_, _| ()).first_move).collect();
    assert_eq!(firsts, [0, 1, 2, 3, 0, 1, 2, 3]);
    tree.learn([2, 0, 0, 0, 2, 0, 0, 0].map(|halves| halves * (WHOLE / 2)));
    assert_eq!(tree.descend(|_, _| ()).first_move, 0);
}

#[test]
fn a_full_tree_goes_on_counting() {
    let mut tree = Positions::limited(Othello::<Size4>::start(OthelloRules), 0.5, 20);
    for _ in 0..100 {
        let start = tree.descend(|_, _| ()).position;
        assert!(start.ply() > 0);
        tree.learn([WHOLE / 2]);
    }
    assert!(tree.nodes() <= 20);
    let of_moves: Vec<_> = tree.tried().map(|tried| tried.games).collect();
    assert_eq!((tree.games(), of_moves.len(), of_moves.iter().sum()), (100, 4, 100));
}
