//! Games of random moves, eight side by side.
//!
//! They are those that are played alone, move by move: all draws come from keys (see [`evoply_core::rules::playout`]).

use evoply_core::bitboard::{Bitboard, Board, MOST_AMONG, Word};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::playout::{Playout, Playouts};
use evoply_core::rules::{Color, Game};
use evoply_core::stream::Key;

use crate::code::{Found, MOST_KEPT, Wide, mask};
use crate::moves::{Chosen, Move};
use crate::rules::{DataRules, MOST_SETS};
use crate::side_by_side::{beside, changed, usual};
use crate::{DataGame, NoMove};

impl<B: Board> Playouts for DataGame<B> {
    #[inline(always)]
    fn finish_playouts<C: Cpu>(cpu: C, games: &mut [Playout<Self>]) {
        if games.iter().all(|game| game.position.rules.0.slides.is_empty()) {
            cpu.call(Finish(games));
        } else {
            games.iter_mut().for_each(Playout::finish);
        }
    }
}

/// Games of random moves to be played to their end, by rules without slides.
struct Finish<'a, B: Board>(&'a mut [Playout<DataGame<B>>]);

impl<B: Board> Task for Finish<'_, B> {
    type Output = ();
    const WORTH_AVX512: bool = B::WORTH_AVX512;

    /// Games go on side by side that have the same side to move; a finished one is replaced when that side is to begin.
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) {
        let Self(games) = self;
        let mut waiting: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        for (index, game) in games.iter().enumerate().rev() {
            waiting[game.position.turn as usize].push(index);
        }
        let Some(rules) = games.first().map(|game| game.position.rules) else { return };
        let nothing = Lanes::splat(B::Word::ZERO);
        let mut running = Running {
            rules,
            turn: Color::Black,
            game_of: [None; LANES],
            boards: [nothing; 2],
            keys: [[Key(0); LANES]; 2],
        };
        let mut found = Found::new(B::Word::splat(cpu, B::Word::ZERO));
        loop {
            // Step 1. Games for lanes that have none.
            for lane in 0..LANES {
                if running.game_of[lane].is_none() {
                    running.game_of[lane] = waiting[running.turn as usize].pop();
                    if let Some(index) = running.game_of[lane] {
                        let (position, key) = (&games[index].position, games[index].key);
                        for side in [Color::Black, Color::White] {
                            running.keys[side as usize][lane] = key.child(side as u64);
                        }
                        (running.boards[0].0[lane], running.boards[1].0[lane]) = (position.own.0, position.opponent.0);
                    }
                }
            }
            if running.game_of.iter().all(Option::is_none) {
                if waiting.iter().all(Vec::is_empty) {
                    return;
                }
                running.turn = running.turn.opposite();
                continue;
            }
            // Step 2. A ply of all of them.
            if rules.0.ways.is_empty() {
                running.put(cpu, games, &mut found);
            } else if rules.0.only_steps {
                running.walk(cpu, games, &mut found);
            } else {
                running.go(cpu, games, &mut found);
            }
        }
    }
}

/// Eight games that are going on; the lanes without one are empty boards.
struct Running<B: Board> {
    rules: DataRules<B>,
    turn: Color,
    /// The game in each lane.
    game_of: [Option<usize>; LANES],
    /// Own and the opponent's pieces, as the side sees them that is to move.
    boards: [Lanes<B::Word>; 2],
    /// The keys of Black's draws and of White's.
    keys: [[Key; LANES]; 2],
}

/// A lane whose game is over, or without a game.
const NO_MOVE: Move = Move { from: 0, to: u8::MAX, rule: 0 };

impl<B: Board> Running<B> {
    /// What says which moves are legal, into `found`.
    #[inline(always)]
    fn legal<C: Cpu>(&self, cpu: C, found: &mut Found<<B::Word as Word>::Eight<C>>) {
        let nothing = B::Word::splat(cpu, B::Word::ZERO);
        let (own, opponent) = (B::Word::load(cpu, &self.boards[0]), B::Word::load(cpu, &self.boards[1]));
        self.rules.0.legal[self.turn as usize].run_into(Wide(cpu), [own, opponent, nothing, nothing], found);
    }

    /// A ply by rules that only put pieces on the board: the bits of one set are the moves.
    #[inline(always)]
    fn put<C: Cpu>(
        &mut self,
        cpu: C,
        games: &mut [Playout<DataGame<B>>],
        found: &mut Found<<B::Word as Word>::Eight<C>>,
    ) {
        self.legal(cpu, found);
        let code = &self.rules.0.legal[self.turn as usize];
        let over = code.outputs.last().map_or(0, |&over| found.truth(over));
        // Step 1. The squares of all moves, and one of them in each game.
        let mut legal = B::Word::splat(cpu, B::Word::ZERO);
        for &(set, _) in &self.rules.0.places {
            legal = legal | found.set(code.outputs[usize::from(set)]);
        }
        let legal = B::Word::lanes(legal);
        let mut drawn = Lanes::splat(0);
        for lane in 0..LANES {
            if let Some(index) = self.game_of[lane] {
                let is_over = over >> lane & 1 == 1;
                let count = if is_over { 0 } else { u64::from(legal.0[lane].count_ones()) };
                match self.draw(&mut games[index], lane, count) {
                    Some(which) => drawn.0[lane] = which,
                    None if count == 0 && !is_over && self.may_pass(&games[index], lane) => {}
                    None => self.leave(&mut games[index], lane),
                }
            }
        }
        let squares = B::Word::nth_bits(cpu, &legal, &drawn);
        // Step 2. The rules that allow them.
        let mut chosen = [NO_MOVE; LANES];
        for (lane, chosen) in chosen.iter_mut().enumerate() {
            let Some(index) = self.game_of[lane] else { continue };
            let square = if legal.0[lane] == B::Word::ZERO { B::Word::ZERO } else { squares.0[lane] };
            let rule = match &*self.rules.0.places {
                [(_, rule)] => *rule,
                places => {
                    let holds = |&&(set, _): &&(u8, u8)| {
                        B::Word::lanes(found.set(code.outputs[usize::from(set)])).0[lane] & square != B::Word::ZERO
                    };
                    places.iter().find(holds).map_or(0, |&(_, rule)| rule)
                }
            };
            let to = square.trailing_zeros().min(self.rules.0.geometry.squares()) as u8;
            *chosen = Move { from: 0, to, rule };
            self.note(&mut games[index], *chosen);
        }
        self.advance(cpu, &chosen, found);
    }

    /// A ply by rules that only take pieces from square to square, in few directions and without effects of their own.
    #[inline(always)]
    fn walk<C: Cpu>(
        &mut self,
        cpu: C,
        games: &mut [Playout<DataGame<B>>],
        found: &mut Found<<B::Word as Word>::Eight<C>>,
    ) {
        self.legal(cpu, found);
        let (code, rules, turn) = (&self.rules.0.legal[self.turn as usize], self.rules.0, self.turn);
        let over = code.outputs.last().map_or(0, |&over| found.truth(over));
        // Step 1. The squares that each way starts from, and how many moves there are.
        let (zero, nothing) = (B::Word::ZERO, Lanes::splat(B::Word::ZERO));
        let (mut froms, mut counts) = ([nothing; MOST_AMONG], Lanes::splat(0));
        for (from, way) in froms.iter_mut().zip(&rules.ways) {
            let to = B::Word::lanes(found.set(code.outputs[usize::from(way.set)]));
            *from = to.map(|to| way.back(to, turn));
            counts = counts.zip(to, |sum, to| sum + u64::from(to.count_ones()));
        }
        let froms = &froms[..rules.ways.len().min(MOST_AMONG)];
        // Step 2. Which of the moves each game makes.
        let (mut drawn, mut moves) = (Lanes::splat(0), 0_u8);
        for lane in 0..LANES {
            let Some(index) = self.game_of[lane] else { continue };
            let is_over = over >> lane & 1 == 1;
            let count = if is_over { 0 } else { counts.0[lane] };
            match self.draw(&mut games[index], lane, count) {
                Some(which) => {
                    drawn.0[lane] = which;
                    moves |= 1 << lane;
                }
                None if count == 0 && !is_over && self.may_pass(&games[index], lane) => {
                    let to = rules.geometry.squares() as u8;
                    self.note(&mut games[index], Move { from: 0, to, rule: 0 });
                }
                None => self.leave(&mut games[index], lane),
            }
        }
        // Step 3. The squares from and to, as `step` finds them.
        let [squares, rest] = B::Word::nth_among(cpu, froms, &drawn);
        let is_moved = mask(moves);
        let from = squares.map(|square| B::Word::ONE << square as u32) & is_moved;
        let mut targets = nothing;
        for (&froms, way) in froms.iter().zip(&rules.ways) {
            targets = targets | (froms & from).map(|from| way.along(from, turn));
        }
        let to = B::Word::nth_bits(cpu, &targets, &rest) & is_moved;
        for lane in 0..LANES {
            if let Some(index) = self.game_of[lane]
                && from.0[lane] != zero
            {
                let to = to.0[lane].trailing_zeros() as u8;
                self.note(&mut games[index], Move { from: squares.0[lane] as u8 + 1, to, rule: 0 });
            }
        }
        let chosen = Chosen::<B> { from, to, rules: [0; LANES], len: LANES };
        let [moved, other] = usual(cpu, &chosen, &self.boards);
        self.boards = [other, moved];
        self.turn = turn.opposite();
    }

    /// A ply by any rules without slides.
    #[inline(always)]
    fn go<C: Cpu>(
        &mut self,
        cpu: C,
        games: &mut [Playout<DataGame<B>>],
        found: &mut Found<<B::Word as Word>::Eight<C>>,
    ) {
        self.legal(cpu, found);
        let code = &self.rules.0.legal[self.turn as usize];
        let over = code.outputs.last().map_or(0, |&over| found.truth(over));
        let set = |set: u8| B::Word::lanes(found.set(code.outputs[usize::from(set)]));
        // Step 1. Where pieces may be put, and the squares that each way leads to.
        let nothing = Lanes::splat(B::Word::ZERO);
        let (mut places, mut ways) = (nothing, [nothing; MOST_SETS]);
        for &(place, _) in &self.rules.0.places {
            places = places.zip(set(place), |a, b| a | b);
        }
        for (to, way) in ways.iter_mut().zip(&self.rules.0.ways) {
            *to = set(way.set);
        }
        let ways = &ways[..self.rules.0.ways.len()];
        // Step 2. One of the moves in each game.
        let mut chosen = [NO_MOVE; LANES];
        for (lane, chosen) in chosen.iter_mut().enumerate() {
            let Some(index) = self.game_of[lane] else { continue };
            let is_over = over >> lane & 1 == 1;
            let put = u64::from(places.0[lane].count_ones());
            let count = put + ways.iter().map(|to| u64::from(to.0[lane].count_ones())).sum::<u64>();
            let count = if is_over { 0 } else { count };
            *chosen = match self.draw(&mut games[index], lane, count) {
                Some(which) if which < put => {
                    let to = Bitboard::<B>(places.0[lane]).into_iter().nth(which as usize).unwrap_or_default();
                    let at = Bitboard::<B>::square(to).0;
                    let holds = |&&(place, _): &&(u8, u8)| set(place).0[lane] & at != B::Word::ZERO;
                    let rule = self.rules.0.places.iter().find(holds).map_or(0, |&(_, rule)| rule);
                    Move { from: 0, to: to as u8, rule }
                }
                Some(which) => self.step(ways, lane, (which - put) as u32),
                None if count == 0 && !is_over && self.may_pass(&games[index], lane) => {
                    Move { from: 0, to: self.rules.0.geometry.squares() as u8, rule: 0 }
                }
                None => {
                    self.leave(&mut games[index], lane);
                    continue;
                }
            };
            self.note(&mut games[index], *chosen);
        }
        self.advance(cpu, &chosen, found);
    }

    /// Step number `which` of a game, by the squares from and to: as [`Moves`] lists them, found without a list.
    #[inline(always)]
    fn step(&self, ways: &[Lanes<B::Word>], lane: usize, which: u32) -> Move {
        let (rules, zero) = (&self.rules.0.ways, B::Word::ZERO);
        let mut froms = [zero; MOST_SETS];
        for ((from, to), way) in froms.iter_mut().zip(ways).zip(rules) {
            *from = way.back(to.0[lane], self.turn);
        }
        let froms = &froms[..ways.len()];
        // Step 1. The square moved from: steps from squares before it are not more than `which`, bit by bit of its index.
        let before = |square: u32| {
            let those = (B::Word::ONE << square).wrapping_sub(B::Word::ONE);
            froms.iter().map(|&from| (from & those).count_ones()).sum::<u32>()
        };
        let (mut from, mut skipped) = (0, 0);
        for bit in (0..7).rev() {
            let further = from + (1 << bit);
            if further < B::SQUARES {
                let count = before(further);
                if count <= which {
                    (from, skipped) = (further, count);
                }
            }
        }
        // Step 2. The square moved to, and the way there.
        let at = Bitboard::<B>::square(from).0;
        let reached = |way: usize| rules[way].along(froms[way] & at, self.turn);
        let targets = (0..froms.len()).fold(zero, |targets, way| targets | reached(way));
        let to = Bitboard::<B>(targets).into_iter().nth((which - skipped) as usize).unwrap_or_default();
        let to_set = Bitboard::<B>::square(to).0;
        let way = (0..froms.len()).find(|&way| reached(way) & to_set != zero).unwrap_or_default();
        Move { from: from as u8 + 1, to: to as u8, rule: rules[way].rule }
    }

    /// Which of the moves is made; `None` if there is none or the game is too long. As the slow way draws.
    #[inline(always)]
    fn draw(&self, game: &mut Playout<DataGame<B>>, lane: usize, count: u64) -> Option<u64> {
        if count == 0 || game.position.ply >= game.most_plies {
            return None;
        }
        Some(match count {
            1 => 0,
            _ if game.plies < game.opening_plies => game.opening.below(count),
            _ => self.keys[self.turn as usize][lane].child(game.position.ply.into()).stream().below(count),
        })
    }

    /// Whether a side without a move passes.
    #[inline(always)]
    fn may_pass(&self, game: &Playout<DataGame<B>>, lane: usize) -> bool {
        self.rules.0.no_move == NoMove::Passes
            && game.position.ply < game.most_plies
            && self.position(&game.position, lane).legal_moves().len() > 0
    }

    /// Where the game in a lane stands.
    #[inline(always)]
    fn position(&self, kept: &DataGame<B>, lane: usize) -> DataGame<B> {
        let (own, opponent) = (Bitboard(self.boards[0].0[lane]), Bitboard(self.boards[1].0[lane]));
        DataGame { own, opponent, turn: self.turn, ..*kept }
    }

    /// A game is over: it gets its last position and leaves its lane.
    #[inline(always)]
    fn leave(&mut self, game: &mut Playout<DataGame<B>>, lane: usize) {
        game.position = self.position(&game.position, lane);
        self.game_of[lane] = None;
    }

    /// A move is made, which the board does not know yet.
    #[inline(always)]
    fn note(&self, game: &mut Playout<DataGame<B>>, chosen: Move) {
        game.hash = Key(game.hash).child(chosen.code(self.rules.0.geometry.squares())).0;
        game.plies += 1;
        game.position.ply = game.position.ply.wrapping_add(1);
    }

    /// The boards after the moves, as the other side sees them; `found` has what the legal moves are made of.
    #[inline(always)]
    fn advance<C: Cpu>(&mut self, cpu: C, chosen: &[Move; LANES], found: &mut Found<<B::Word as Word>::Eight<C>>) {
        let (rules, turn) = (self.rules, self.turn);
        let chosen = beside(rules.0.geometry.squares(), chosen);
        let [moved, other] = if rules.0.has_effects {
            let code = &rules.0.legal[turn as usize];
            let mut kept = [B::Word::splat(cpu, B::Word::ZERO); MOST_KEPT];
            for place in 0..code.kept.len() {
                kept[place % MOST_KEPT] = found.kept(code, place);
            }
            changed(cpu, rules, turn, &chosen, &self.boards, |place| kept[place % MOST_KEPT], found)
        } else {
            usual(cpu, &chosen, &self.boards)
        };
        self.boards = [other, moved];
        self.turn = turn.opposite();
    }
}
