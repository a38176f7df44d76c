//! Plays schedules of games on all cores.
//!
//! A game is known by its key: openings, tie-breaks and random moves all come from it, so the results of a schedule do not
//! depend on the number of threads or on the order of play.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::bitboard::Board;
use crate::cpu::{Cpu, Task, dispatch};
use crate::player::{Player, Workspace};
use crate::rules::draws::{Course, DrawRules, Ending, result};
use crate::rules::playout::{NO_CAP, Playout, Playouts, move_key, random_move};
use crate::rules::{Color, Game};
use crate::search::exact::Endgames;
use crate::stream::Key;
use crate::work::{Stopped, for_each_chunk_with, for_each_parallel};

/// One game to be played: indices into the list of players, and keys.
#[derive(Clone, Copy, Debug)]
pub struct Pairing {
    /// Who plays Black.
    pub black: u32,
    /// Who plays White.
    pub white: u32,
    /// Where the random opening moves come from; games with the same key begin alike.
    pub opening: Key,
    /// Where the draws of the players come from.
    pub key: Key,
    /// Where it begins: a place in the starts of the schedule.
    pub start: u32,
}

/// What all games of a schedule share.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a, G> {
    /// The positions before the opening, one or several.
    pub starts: &'a [G],
    /// Uniformly random legal plies before the players begin.
    pub opening_plies: u32,
    /// Whether to keep the moves and their values.
    pub record_moves: bool,
    /// When a game is drawn that the board would let go on.
    pub draws: DrawRules,
}

/// A played game.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Record {
    /// Black's pieces at the end.
    pub black_pieces: u32,
    /// White's pieces at the end.
    pub white_pieces: u32,
    /// The winner; `None` is a draw.
    pub winner: Option<Color>,
    /// What ended the game.
    pub ending: Ending,
    /// Plies from the start position, openings and passes included.
    pub plies: u32,
    /// A hash of the start and all moves: equal for equal games.
    pub hash: u64,
    /// The moves as codes, if they were to be kept.
    pub moves: Vec<u64>,
    /// With the moves, what each was worth to the side that made it; `None` where nothing was evaluated.
    pub values: Vec<Option<f64>>,
}

/// Play all games on `threads` threads (0: one a core); `done` counts finished games meanwhile.
///
/// # Errors
/// [`Stopped`] if `stop` was set before the last game ended.
///
/// # Panics
/// If a pairing names a player or a start that is not in its list.
pub fn play<G: Playouts + Endgames>(
    players: &[Player<G>],
    pairings: &[Pairing],
    conditions: &Conditions<'_, G>,
    threads: usize,
    stop: &AtomicBool,
    done: &AtomicU64,
) -> Result<Vec<Record>, Stopped> {
    dispatch(Play { players, pairings, conditions, threads, stop, done })
}

/// So many games of random moves are given to a thread at once.
const MOST_BESIDE: usize = 1024;

struct Play<'a, G: Game> {
    players: &'a [Player<G>],
    pairings: &'a [Pairing],
    conditions: &'a Conditions<'a, G>,
    threads: usize,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
}

impl<G: Playouts + Endgames> Task for Play<'_, G> {
    type Output = Result<Vec<Record>, Stopped>;
    const WORTH_AVX512: bool = G::Board::WORTH_AVX512;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let Self { players, pairings, conditions, threads, stop, done } = self;
        let hashes: Vec<u64> = conditions.starts.iter().map(start_hash).collect();
        let only_cap = DrawRules { most_plies: conditions.draws.most_plies, ..DrawRules::NONE };
        let is_simple = !conditions.record_moves && conditions.draws == only_cap;
        let mut records = vec![Record::default(); pairings.len()];
        // Games of random moves are soon over, and the more are played side by side, the better.
        let least = if is_simple && players.iter().all(Player::is_random) { MOST_BESIDE } else { 1 };
        for_each_chunk_with(&mut records, threads, least, stop, Scratch::default, |scratch, first, records| {
            let pairings = &pairings[first..][..records.len()];
            // Step 1. Games of random moves alone are played side by side.
            let random = |pairing: &Pairing| {
                let plays_randomly = |player: u32| players[player as usize].is_random();
                is_simple && plays_randomly(pairing.black) && plays_randomly(pairing.white)
            };
            let Scratch { workspaces, course, playouts } = scratch;
            playouts.clear();
            playouts.extend(pairings.iter().filter(|pairing| random(pairing)).map(|p| conditions.playout(p, &hashes)));
            cpu.call(FinishPlayouts(playouts));
            done.fetch_add(playouts.len() as u64, Ordering::Relaxed);
            // Step 2. The others, one after the other.
            let mut playouts = playouts.iter();
            for (pairing, record) in pairings.iter().zip(records) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                if random(pairing) {
                    *record = playouts.next().map(Record::of_playout).unwrap_or_default();
                } else {
                    *record =
                        cpu.call(PlayGame { players, pairing, conditions, hashes: &hashes, workspaces, course, stop });
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
        })?;
        Ok(records)
    }
}

/// What one thread plays with.
struct Scratch<G: Game> {
    workspaces: [Workspace<G>; 2],
    course: Course<G>,
    playouts: Vec<Playout<G>>,
}

impl<G: Game> Default for Scratch<G> {
    fn default() -> Self {
        Self { workspaces: Default::default(), course: Course::default(), playouts: Vec::new() }
    }
}

struct FinishPlayouts<'a, G: Game>(&'a mut [Playout<G>]);

impl<G: Playouts> Task for FinishPlayouts<'_, G> {
    type Output = ();
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        G::finish_playouts(cpu, self.0);
    }
}

impl<G: Game> Conditions<'_, G> {
    /// A game of random moves from its start, openings included; the hashes are those of the starts.
    fn playout(&self, pairing: &Pairing, hashes: &[u64]) -> Playout<G> {
        Playout {
            position: self.starts[pairing.start as usize],
            plies: 0,
            hash: hashes[pairing.start as usize],
            opening: pairing.opening.stream(),
            opening_plies: self.opening_plies,
            key: pairing.key,
            most_plies: self.draws.most_plies.unwrap_or(NO_CAP),
        }
    }
}

impl Record {
    fn of_playout<G: Game>(playout: &Playout<G>) -> Self {
        let record = Self { plies: playout.plies, hash: playout.hash, ..Self::default() };
        let is_capped = playout.position.ply() >= playout.most_plies;
        record.ended_at(&playout.position, is_capped.then_some(Ending::Cap))
    }

    #[inline(always)]
    fn add(&mut self, code: u64, score: Option<f64>, keep: bool) {
        self.hash = Key(self.hash).child(code).0;
        self.plies += 1;
        if keep {
            self.moves.push(code);
            self.values.push(score);
        }
    }

    /// The record with what the last position says.
    fn ended_at<G: Game>(mut self, position: &G, drawn: Option<Ending>) -> Self {
        (self.winner, self.ending) = result(position, drawn);
        self.black_pieces = position.pieces(Color::Black).len();
        self.white_pieces = position.pieces(Color::White).len();
        self
    }
}

struct PlayGame<'a, G: Game> {
    players: &'a [Player<G>],
    pairing: &'a Pairing,
    conditions: &'a Conditions<'a, G>,
    /// Those of the starts.
    hashes: &'a [u64],
    workspaces: &'a mut [Workspace<G>; 2],
    course: &'a mut Course<G>,
    stop: &'a AtomicBool,
}

impl<G: Endgames> Task for PlayGame<'_, G> {
    type Output = Record;
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Record {
        let Self { players, pairing, conditions, hashes, workspaces, course, stop } = self;
        let mut position = conditions.starts[pairing.start as usize];
        let mut record = Record { hash: hashes[pairing.start as usize], ..Record::default() };
        let has_draws = conditions.draws != DrawRules::NONE;
        course.begin();
        let mut drawn = if has_draws { course.arrive(&position, &conditions.draws) } else { None };
        // Step 1. The opening: the same for every game with this opening key.
        let mut opening = pairing.opening.stream();
        for _ in 0..conditions.opening_plies {
            if drawn.is_some() {
                break;
            }
            let Some(chosen) = random_move(&position, |count| opening.below(count)) else { break };
            position = position.play_unchecked(chosen);
            record.add(G::code(position.rules(), chosen), None, conditions.record_moves);
            drawn = if has_draws { course.arrive(&position, &conditions.draws) } else { None };
        }
        // Step 2. The players.
        let seats = [&players[pairing.black as usize], &players[pairing.white as usize]];
        for (player, workspace) in seats.iter().zip(workspaces.iter_mut()) {
            player.prepare(workspace);
            workspace.begin(pairing.key);
        }
        while drawn.is_none() && !stop.load(Ordering::Relaxed) {
            let side = position.turn();
            let key = move_key(pairing.key, side, position.ply());
            if seats[side as usize].presses_on() {
                workspaces[side as usize].earlier.clear();
                workspaces[side as usize].earlier.extend_from_slice(course.reversible());
            }
            // No choice: the game is over, or the whole schedule is being given up.
            let Some(choice) = seats[side as usize].choose(cpu, &position, key, &mut workspaces[side as usize], stop)
            else {
                break;
            };
            workspaces[side as usize].has_moved();
            position = position.play_unchecked(choice.chosen);
            record.add(G::code(position.rules(), choice.chosen), choice.score, conditions.record_moves);
            drawn = if has_draws { course.arrive(&position, &conditions.draws) } else { None };
        }
        record.ended_at(&position, drawn)
    }
}

/// How often a position is looked for before there is held to be none.
const TRIES: u64 = 1000;

/// Positions that are not over, each after a uniformly drawn number of random plies; drawn again while the game is over by
/// then. Position i comes from the i-th child of `key`; `None` where none was found in a thousand tries.
///
/// # Errors
/// [`Stopped`] if `stop` was set before all were found.
pub fn random_positions<G: Game>(
    rules: G::Rules,
    count: usize,
    key: Key,
    plies: RangeInclusive<u32>,
    stop: &AtomicBool,
) -> Result<Vec<Option<G>>, Stopped> {
    let mut positions = vec![None; count];
    for_each_parallel(&mut positions, 0, stop, |index, found| {
        *found = (0..TRIES).take_while(|_| !stop.load(Ordering::Relaxed)).find_map(|attempt| {
            let mut stream = key.child(index as u64).child(attempt).stream();
            let spread = u64::from(plies.end().saturating_sub(*plies.start())) + 1;
            let mut position = G::start(rules);
            for _ in 0..u64::from(*plies.start()) + stream.below(spread) {
                let chosen = random_move(&position, |bound| stream.below(bound))?;
                position = position.play_unchecked(chosen);
            }
            (position.legal_moves().len() > 0).then_some(position)
        });
    })?;
    Ok(positions)
}

fn start_hash<G: Game>(position: &G) -> u64 {
    use crate::bitboard::Word;
    let words = [position.own().0.to_u128(), position.opponent().0.to_u128()];
    let add = |key: Key, word: u128| key.child(word as u64).child((word >> 64) as u64);
    let key = words.into_iter().fold(Key::new(position.turn() as u64), add);
    if G::HAS_KINGS { add(key, position.kings().0.to_u128()).0 } else { key.0 }
}
