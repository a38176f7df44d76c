//! Games of a compiled game's kernel: schedules, and games known by their moves.

use std::sync::atomic::{AtomicBool, AtomicU64};

use super::native::Native;
use super::rows::row;
use super::values::Held;
use super::{Answer, Known, Player, Row, Schedule, Transcripts};
use crate::arena::{Conditions, Record, play};
use crate::replay::{Moves, PieceCounts, Replayed, piece_counts, replay, replay_all};
use crate::rules::playout::Playouts;
use crate::rules::{Color, Game};
use crate::search::exact::Endgames;

impl<G: Playouts + Endgames> Native<G> {
    pub(super) fn played(
        &self,
        players: &[&dyn Player],
        schedule: &Schedule<'_>,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Answer<Vec<Record>> {
        let player = |player: &&dyn Player| {
            self.own::<Held<G>>(*player, player.game(), "player").map(|held| held.player.clone())
        };
        let players = players.iter().map(player).collect::<Result<Vec<_>, _>>()?;
        let starts = self.all_positions(schedule.starts)?;
        let &Schedule { pairings, opening_plies, record_moves, draws, threads, .. } = schedule;
        let conditions = Conditions { starts: &starts, opening_plies, record_moves, draws };
        Ok(play(&players, pairings, &conditions, threads, stop, done)?)
    }

    pub(super) fn replayed(&self, games: &Transcripts<'_>, threads: usize, stop: &AtomicBool) -> Answer<Vec<Known>> {
        let starts = self.all_positions(games.starts)?;
        let replayed = replay_all(&transcripts(games, &starts)?, threads, stop)?;
        Ok(replayed.into_iter().map(known).collect())
    }

    pub(super) fn along(&self, start: &Row, codes: &[u64]) -> Answer<Vec<Row>> {
        let mut rows = Vec::with_capacity(codes.len() + 1);
        replay(Moves { start: self.position(start)?, codes }, |position| rows.push(row(position)));
        Ok(rows)
    }

    pub(super) fn counted_pieces(
        &self,
        games: &Transcripts<'_>,
        threads: usize,
        stop: &AtomicBool,
    ) -> Answer<PieceCounts> {
        let starts = self.all_positions(games.starts)?;
        let counts = piece_counts(&transcripts(games, &starts)?, threads, stop)?;
        Ok(counts.map_err(|illegal| illegal.to_string())?)
    }
}

fn transcripts<'a, G: Game>(transcripts: &Transcripts<'a>, starts: &[G]) -> Result<Vec<Moves<'a, G>>, String> {
    transcripts.check()?;
    let start = |game: usize| starts[transcripts.start_of.map_or(0, |start_of| start_of[game] as usize)];
    Ok(transcripts.games.iter().enumerate().map(|(game, codes)| Moves { start: start(game), codes }).collect())
}

fn known<G: Game>(Replayed { codes, taken, last }: Replayed<G>) -> Known {
    let pieces = [Color::Black, Color::White].map(|color| last.pieces(color).len());
    let outcome = last.outcome();
    let winner = match outcome.and_then(|outcome| outcome.winner) {
        Some(Color::Black) => 1,
        Some(Color::White) => -1,
        None => 0,
    };
    Known { codes, taken, last: row(&last), pieces, is_over: outcome.is_some(), winner }
}
