//! Games of random moves, sixteen side by side.
//!
//! They are those that are played alone, move by move: all draws come from keys (see [`evoply_core::rules::playout`]).

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::vector::{Eight, Two, Vector};
use evoply_core::cpu::{Cpu, Task};
use evoply_core::geometry::moved;
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::Color;
use evoply_core::rules::playout::{Playout, Playouts};
use evoply_core::stream::{Key, Stream, side_by_side};

use crate::code::{Filled, Found, Machine, Truths, Wider};
use crate::rules::{DataRules, MOST_SETS};
use crate::side_by_side::{changed, usual, where_it_goes_on};
use crate::{DataGame, NoMove};

/// Groups of eight games, and the games of all.
const GROUPS: usize = 2;
const SEATS: usize = GROUPS * LANES;

/// So few games are played faster one after the other.
const FEW: usize = 1;

/// Fills of a colour's code that begin with what they found a ply before.
const MOST_FILLS: usize = 2;

/// Words of all games, group by group.
type Rows<T> = [Lanes<T>; GROUPS];

/// Sets and numbers of all games in the registers of a CPU path.
type Sets<B, C> = Two<<<B as Board>::Word as Word>::Eight<C>>;
type Numbers<C> = Two<<C as Cpu>::Eight>;

impl<B: Board> Playouts for DataGame<B> {
    #[inline(always)]
    fn finish_playouts<C: Cpu>(cpu: C, games: &mut [Playout<Self>]) {
        if games.len() > FEW && games.iter().all(|game| game.position.rules.0.slides.is_empty()) {
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
        let nothing = Wider(cpu).spread(B::Word::ZERO);
        let mut running = Running::new(rules);
        let mut memory = Memory::<B, C> {
            found: Found::new(nothing),
            filled: [[Filled::new(nothing); MOST_FILLS]; 2],
            froms: [nothing; MOST_SETS],
            halves: [numbers(cpu, &[Lanes::splat(0); GROUPS]); MOST_SETS],
        };
        loop {
            // Step 1. Games for seats that have none.
            while running.free != 0
                && let Some(index) = waiting[running.turn as usize].pop()
            {
                running.seat(index, &games[index]);
            }
            if running.free == Truths::MAX {
                if waiting.iter().all(Vec::is_empty) {
                    return;
                }
                running.turn = running.turn.opposite();
                continue;
            }
            // Step 2. A ply of all of them.
            running.go_on(cpu, games, &mut memory);
        }
    }
}

/// What plies leave for those after them, be it only room: to clear it takes longer than the rules of a simple game.
struct Memory<B: Board, C: Cpu> {
    found: Found<Sets<B, C>>,
    /// What the fills of the legal moves of Black and of White have found.
    filled: [[Filled<Sets<B, C>>; MOST_FILLS]; 2],
    /// Squares that each way starts from.
    froms: [Sets<B, C>; MOST_SETS],
    halves: [Numbers<C>; MOST_SETS],
}

/// Games that are going on. A seat without one has a board on which nobody moves.
struct Running<B: Board> {
    rules: DataRules<B>,
    turn: Color,
    /// The game in each seat, and which seats have none.
    game_of: [usize; SEATS],
    free: Truths,
    /// Where the side before had no move: a pass, if this side has one; else the game was over.
    passing: Truths,
    /// Own and the opponent's pieces, as the side sees them that is to move.
    boards: [Rows<B::Word>; 2],
    /// The keys of Black's draws and of White's.
    keys: [Rows<u64>; 2],
    /// States of the draws of openings, and the plies at which openings end.
    openings: Rows<u64>,
    opening_ends: Rows<u64>,
    hashes: Rows<u64>,
    /// Plies of the positions, and those at which games are given up.
    plies: Rows<u64>,
    most_plies: Rows<u64>,
}

/// The moves of all games: where pieces are moved from and to, the codes of the moves, and their rules where anybody asks.
struct Chosen<B: Board, C: Cpu> {
    from: Sets<B, C>,
    to: Sets<B, C>,
    codes: Numbers<C>,
    rules: [u8; SEATS],
}

/// Words into registers. No closures here: these are compiled into the code of each CPU path without fail.
#[inline(always)]
fn numbers<C: Cpu>(cpu: C, rows: &Rows<u64>) -> Numbers<C> {
    Two(cpu.words(&rows[0]), cpu.words(&rows[1]))
}

#[inline(always)]
fn rows_of<T: Eight>(Two(first, second): Two<T>) -> Rows<u64> {
    [first.lanes(), second.lanes()]
}

#[inline(always)]
fn sets<B: Board, C: Cpu>(cpu: C, rows: &Rows<B::Word>) -> Sets<B, C> {
    Two(B::Word::load(cpu, &rows[0]), B::Word::load(cpu, &rows[1]))
}

#[inline(always)]
fn words_of<B: Board, C: Cpu>(Two(first, second): Sets<B, C>) -> Rows<B::Word> {
    [B::Word::lanes::<C>(first), B::Word::lanes::<C>(second)]
}

#[inline(always)]
fn counts<B: Board, C: Cpu>(Two(first, second): Sets<B, C>) -> Numbers<C> {
    Two(B::Word::numbers_of_bits::<C>(first), B::Word::numbers_of_bits::<C>(second))
}

#[inline(always)]
fn only<B: Board, C: Cpu>(sets: Sets<B, C>, games: Numbers<C>) -> Sets<B, C> {
    Two(B::Word::only::<C>(sets.0, games.0), B::Word::only::<C>(sets.1, games.1))
}

#[inline(always)]
fn of_numbers<B: Board, C: Cpu>(cpu: C, Two(first, second): Numbers<C>) -> Sets<B, C> {
    Two(B::Word::of_numbers(cpu, first), B::Word::of_numbers(cpu, second))
}

#[inline(always)]
fn nth_bits<B: Board, C: Cpu>(cpu: C, sets: Sets<B, C>, indices: Numbers<C>) -> Numbers<C> {
    Two(B::Word::nth_bits(cpu, sets.0, indices.0), B::Word::nth_bits(cpu, sets.1, indices.1))
}

/// All bits of some sets of each game, the lowest first: the place of bit number `indices`, and which of the bits in that place it
/// is. Where there are fewer it means nothing. `halves` is room to work in.
#[inline(always)]
pub(crate) fn nth_among<B: Board, C: Cpu>(
    sets: &[Sets<B, C>],
    indices: Numbers<C>,
    halves: &mut [Numbers<C>],
) -> [Numbers<C>; 2] {
    let zero = indices.like(0);
    // Step 1. The half of the words that has the bit.
    let mut lower = zero;
    for set in sets {
        let half = Two(B::Word::lower_half::<C>(set.0), B::Word::lower_half::<C>(set.1));
        lower = lower.plus(half.count_ones());
    }
    let is_lower = indices.less(lower);
    let mut places = zero.like(64) & !is_lower;
    let mut rest = indices.minus(lower & !is_lower);
    let halves = &mut halves[..sets.len()];
    for (half, set) in halves.iter_mut().zip(sets) {
        *half = Two(B::Word::half::<C>(set.0, is_lower.0), B::Word::half::<C>(set.1, is_lower.1));
    }
    // Step 2. Half of the places at a time: is the bit in the lower ones, or does it come after all of those?
    for half in [32, 16, 8, 4, 2, 1] {
        let mut lower = zero;
        for &mut words in &mut *halves {
            lower = lower.plus((words & zero.like((1 << half) - 1)).count_ones());
        }
        let is_lower = rest.less(lower);
        for words in &mut *halves {
            *words = is_lower.select(*words, *words >> half);
        }
        rest = rest.minus(lower & !is_lower);
        places = places | (zero.like(u64::from(half)) & !is_lower);
    }
    [places, rest]
}

#[inline(always)]
fn not_zero<T: Eight>(numbers: Two<T>) -> Truths {
    Truths::from(numbers.0.not_zero()) | Truths::from(numbers.1.not_zero()) << LANES
}

/// Numbers of the seats that are meant.
fn seats(mut of: Truths) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = of.trailing_zeros() as usize;
        of &= of.wrapping_sub(1);
        (first < SEATS).then_some(first)
    })
}

impl<B: Board> Running<B> {
    fn new(rules: DataRules<B>) -> Self {
        let nothing = [Lanes::splat(0); GROUPS];
        Self {
            rules,
            turn: Color::Black,
            game_of: [0; SEATS],
            free: Truths::MAX,
            passing: 0,
            boards: [[Lanes::splat(B::Word::ZERO); GROUPS]; 2],
            keys: [nothing; 2],
            openings: nothing,
            opening_ends: nothing,
            hashes: nothing,
            plies: nothing,
            most_plies: nothing,
        }
    }

    /// A game takes the first free seat.
    fn seat(&mut self, index: usize, game: &Playout<DataGame<B>>) {
        let seat = self.free.trailing_zeros() as usize % SEATS;
        let (group, lane) = (seat / LANES, seat % LANES);
        self.free &= !(1 << seat);
        self.game_of[seat] = index;
        let position = &game.position;
        (self.boards[0][group].0[lane], self.boards[1][group].0[lane]) = (position.own.0, position.opponent.0);
        for side in [Color::Black, Color::White] {
            self.keys[side as usize][group].0[lane] = game.key.child(side as u64).0;
        }
        self.openings[group].0[lane] = game.opening.state();
        let of_opening = u64::from(game.opening_plies.saturating_sub(game.plies));
        self.opening_ends[group].0[lane] = u64::from(position.ply) + of_opening;
        self.hashes[group].0[lane] = game.hash;
        self.plies[group].0[lane] = position.ply.into();
        self.most_plies[group].0[lane] = game.most_plies.into();
    }

    /// A game is over: it gets its last position, in which the side `turn` is to move, and leaves its seat.
    fn leave(&mut self, games: &mut [Playout<DataGame<B>>], seat: usize, turn: Color) {
        let (group, lane) = (seat / LANES, seat % LANES);
        let game = &mut games[self.game_of[seat]];
        let boards = self.boards.each_ref().map(|boards| Bitboard(boards[group].0[lane]));
        let [own, opponent] = if turn == self.turn { boards } else { [boards[1], boards[0]] };
        let ply = self.plies[group].0[lane] as u32;
        game.plies = game.plies.wrapping_add(ply.wrapping_sub(game.position.ply));
        game.position = DataGame { own, opponent, turn, ply, ..game.position };
        game.hash = self.hashes[group].0[lane];
        game.opening = Stream::at(self.openings[group].0[lane]);
        self.free |= 1 << seat;
        self.most_plies[group].0[lane] = 0;
    }

    /// A ply of all games.
    #[inline(always)]
    fn go_on<C: Cpu>(&mut self, cpu: C, games: &mut [Playout<DataGame<B>>], memory: &mut Memory<B, C>) {
        let (machine, rules, turn) = (Wider(cpu), self.rules.0, self.turn);
        // Step 1. The legal moves, by what gives them, and how many there are.
        let nothing = machine.spread(B::Word::ZERO);
        let boards = [sets::<B, C>(cpu, &self.boards[0]), sets::<B, C>(cpu, &self.boards[1])];
        let (code, found) = (&rules.legal[turn as usize], &mut memory.found);
        let filled = &mut memory.filled[turn as usize];
        code.run_into(machine, [boards[0], boards[1], nothing, nothing], found, filled);
        let over = code.outputs.last().map_or(0, |&over| found.truth(over));
        let mut places = nothing;
        for &(set, _) in &rules.places {
            places = places | found.set(code.outputs[usize::from(set)]);
        }
        places = where_it_goes_on::<B::Word, _>(machine, over, places);
        let mut legal = counts::<B, C>(places);
        for (from, way) in memory.froms.iter_mut().zip(&rules.ways) {
            let to = where_it_goes_on::<B::Word, _>(machine, over, found.set(code.outputs[usize::from(way.set)]));
            legal = legal.plus(counts::<B, C>(to));
            *from = moved(to, -way.by[turn as usize]);
        }
        // Step 2. Whoever has no move leaves, or waits for what the other side can do.
        if self.passing != 0 {
            self.pass_or_leave(games, not_zero(legal));
        }
        let one = legal.like(1);
        let plies = numbers(cpu, &self.plies);
        let legal = legal & plies.less(numbers(cpu, &self.most_plies));
        let stuck = !not_zero(legal) & !self.free;
        for seat in seats(stuck) {
            let is_capped = self.plies[seat / LANES].0[seat % LANES] >= self.most_plies[seat / LANES].0[seat % LANES];
            if rules.no_move == NoMove::Passes && over >> seat & 1 == 0 && !is_capped {
                self.passing |= 1 << seat;
            } else {
                self.leave(games, seat, turn);
            }
        }
        // Step 3. One of the moves in each game, drawn from its opening or from the key of the move.
        let key = side_by_side::child(numbers(cpu, &self.keys[turn as usize]), plies);
        let in_opening = plies.less(numbers(cpu, &self.opening_ends));
        let opening = numbers(cpu, &self.openings);
        let (drawn, state) = side_by_side::below(cpu, in_opening.select(opening, key), legal);
        self.openings = rows_of(in_opening.select(state, opening));
        let is_made = legal.select(legal.like(u64::MAX), legal.like(0));
        let chosen = self.choose(cpu, places, drawn, memory);
        // Step 4. The boards after the moves, as the other side sees them.
        let hashes = numbers(cpu, &self.hashes);
        self.hashes = rows_of(is_made.select(side_by_side::child(hashes, chosen.codes), hashes));
        self.plies = rows_of(plies.plus(is_made & one));
        let inputs = [boards[0], boards[1], only::<B, C>(chosen.from, is_made), only::<B, C>(chosen.to, is_made)];
        let [moved, other] = if rules.has_effects {
            changed(machine, self.rules, turn, inputs, &chosen.rules, &mut memory.found)
        } else {
            usual(inputs)
        };
        self.boards = [words_of::<B, C>(other), words_of::<B, C>(moved)];
        self.turn = turn.opposite();
    }

    /// Where the side before had no move: it has passed, if this side has one; else the game was over then.
    #[inline(never)]
    fn pass_or_leave(&mut self, games: &mut [Playout<DataGame<B>>], has_moves: Truths) {
        let pass = u64::from(self.rules.0.geometry.squares());
        for seat in seats(self.passing & has_moves) {
            let (group, lane) = (seat / LANES, seat % LANES);
            let hash = &mut self.hashes[group].0[lane];
            *hash = Key(*hash).child(pass).0;
            self.plies[group].0[lane] += 1;
        }
        for seat in seats(self.passing & !has_moves) {
            self.leave(games, seat, self.turn.opposite());
        }
        self.passing = 0;
    }

    /// The moves by their numbers among all: placements by squares, then steps by the squares from and to.
    #[inline(always)]
    fn choose<C: Cpu>(&self, cpu: C, places: Sets<B, C>, drawn: Numbers<C>, memory: &mut Memory<B, C>) -> Chosen<B, C> {
        let (machine, rules, turn) = (Wider(cpu), self.rules.0, self.turn as usize);
        let nothing = machine.spread(B::Word::ZERO);
        let mut chosen = Chosen { from: nothing, to: nothing, codes: drawn, rules: [0; SEATS] };
        // Step 1. Placements.
        if !rules.places.is_empty() {
            chosen.codes = nth_bits::<B, C>(cpu, places, drawn);
            chosen.to = of_numbers::<B, C>(cpu, chosen.codes);
        }
        // Step 2. Steps, if they are not left out: the square from, by the squares that each way starts from; then the square to.
        if !rules.ways.is_empty() {
            let puts = counts::<B, C>(places);
            let is_step = !drawn.less(puts);
            let froms = &memory.froms[..rules.ways.len().min(MOST_SETS)];
            let [number, rest] = nth_among::<B, C>(froms, drawn.minus(puts) & is_step, &mut memory.halves);
            let from = only::<B, C>(of_numbers::<B, C>(cpu, number), is_step);
            let mut targets = nothing;
            for (&froms, way) in froms.iter().zip(&rules.ways) {
                targets = targets | moved(froms & from, way.by[turn]);
            }
            let to_number = nth_bits::<B, C>(cpu, targets, rest);
            let to = only::<B, C>(of_numbers::<B, C>(cpu, to_number), is_step);
            let squares = drawn.like(rules.geometry.squares().into());
            let codes = squares.plus(drawn.like(1)).plus(number.times_low(squares)).plus(to_number);
            chosen.from = from;
            chosen.to = only::<B, C>(chosen.to, !is_step) | to;
            chosen.codes = is_step.select(codes, chosen.codes);
            // Step 3. The rules of the moves, where any does more than what is usual.
            if rules.has_effects {
                for (&froms, way) in froms.iter().zip(&rules.ways) {
                    let of_way = moved(froms & from, way.by[turn]) & to;
                    chosen.note(Machine::<B::Word>::not_zero(machine, of_way), way.rule);
                }
            }
        }
        if rules.has_effects {
            let code = &rules.legal[turn];
            // The first of several rules counts.
            for &(set, rule) in rules.places.iter().rev() {
                let placed = only::<B, C>(chosen.to, counts::<B, C>(chosen.from).less(drawn.like(1)));
                let by_rule = memory.found.set(code.outputs[usize::from(set)]) & placed;
                chosen.note(Machine::<B::Word>::not_zero(machine, by_rule), rule);
            }
        }
        chosen
    }
}

impl<B: Board, C: Cpu> Chosen<B, C> {
    /// The rule of some moves.
    #[inline(always)]
    fn note(&mut self, of: Truths, rule: u8) {
        for (seat, noted) in self.rules.iter_mut().enumerate() {
            if of >> seat & 1 == 1 {
                *noted = rule;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evoply_core::bitboard::{Size8, Size10};
    use evoply_core::cpu::{available, on};

    /// [`nth_among`] on a CPU path.
    struct Among<'a, B: Board>(&'a [Rows<B::Word>], &'a Rows<u64>);

    impl<B: Board> Task for Among<'_, B> {
        type Output = [Rows<u64>; 2];
        #[inline(always)]
        fn run<C: Cpu>(self, cpu: C) -> Self::Output {
            let words: Vec<_> = self.0.iter().map(|rows| sets::<B, C>(cpu, rows)).collect();
            let mut halves = vec![numbers(cpu, self.1); words.len()];
            nth_among::<B, C>(&words, numbers(cpu, self.1), &mut halves).map(rows_of)
        }
    }

    fn check_among<B: Board>() {
        for round in 0..200 {
            let mut draws = Key::new(7).child(round).stream();
            let count = 1 + draws.below(MOST_SETS as u64) as usize;
            let mut some = || {
                (0..draws.below(12))
                    .fold(B::Word::ZERO, |word, _| word | B::Word::ONE << draws.below(B::SQUARES.into()) as u32)
            };
            let words: Vec<Rows<B::Word>> =
                (0..count).map(|_| std::array::from_fn(|_| Lanes(std::array::from_fn(|_| some())))).collect();
            // The slow, obvious way: a list of all bits, place by place.
            let listed: Vec<Vec<_>> = (0..SEATS)
                .map(|seat| {
                    let word = |rows: &&Rows<B::Word>| rows[seat / LANES].0[seat % LANES];
                    let here =
                        |place| words.iter().filter(|rows| Bitboard::<B>(word(rows)).contains(place)).count() as u64;
                    let of_place = |place| (0..here(place)).map(move |number| (u64::from(place), number));
                    (0..B::SQUARES).flat_map(of_place).collect()
                })
                .collect();
            let mut indices = [Lanes::splat(0); GROUPS];
            for (seat, bits) in listed.iter().enumerate() {
                indices[seat / LANES].0[seat % LANES] = draws.below(bits.len() as u64);
            }
            for path in available() {
                let [places, rest] = on(path, Among::<B>(&words, &indices));
                for (seat, bits) in listed.iter().enumerate() {
                    let (group, lane) = (seat / LANES, seat % LANES);
                    if let Some(&expected) = bits.get(indices[group].0[lane] as usize) {
                        assert_eq!((places[group].0[lane], rest[group].0[lane]), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn bits_among_sets_are_found_as_in_a_list() {
        check_among::<Size8>();
        check_among::<Size10>();
    }
}
