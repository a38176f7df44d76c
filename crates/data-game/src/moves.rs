//! Moves, and the legal ones of a position in order: placements by squares, then moves by the squares from and to.

use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::cpu::Cpu;
use evoply_core::lanes::{LANES, Lanes};
use evoply_core::rules::Color;

use crate::code::{Code, Found, MOST_KEPT};
use crate::rules::{DataRules, MOST_SETS};

/// A piece put on a square or moved from one to another, or a forced pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// One more than the square moved from; 0 for a placement and for a pass.
    pub(crate) from: u8,
    /// The square moved to; the number of squares for a pass.
    pub(crate) to: u8,
    /// The rule that allows it.
    pub(crate) rule: u8,
}

impl Move {
    /// A placement is its square, a pass the number of squares, and behind them are moves by the squares from and to.
    #[inline(always)]
    pub(crate) fn code(self, squares: u32) -> u64 {
        let to = u64::from(self.to);
        if self.from == 0 { to } else { u64::from(squares) + 1 + u64::from(self.from - 1) * u64::from(squares) + to }
    }
}

/// Up to eight moves side by side, as squares and rules; the squares of lanes without a move are empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen<B: Board> {
    pub from: Lanes<B::Word>,
    pub to: Lanes<B::Word>,
    pub rules: [u8; LANES],
    pub len: usize,
}

/// The legal moves of a position.
#[derive(Clone, Debug)]
pub struct Moves<B: Board> {
    rules: DataRules<B>,
    color: Color,
    /// As rules list them: placements; squares moved to, of a step; squares moved from, through and onto, of a slide.
    sets: [B::Word; MOST_SETS],
    /// Whether the game has ended by the move before.
    pub(crate) is_over: bool,
    /// What the code of moves with effects is given.
    pub(crate) kept: [B::Word; MOST_KEPT],
    places: B::Word,
    pass: bool,
    /// Squares whose moves are still to come.
    froms: B::Word,
    /// The square whose moves are next, and where they go.
    from: u32,
    targets: B::Word,
    left: usize,
}

impl<B: Board> Moves<B> {
    /// The moves of a side that has some, or none: what the code of its legal moves has found.
    #[inline(always)]
    pub(crate) fn new(rules: DataRules<B>, color: Color, code: &Code<B>, found: &Found<B::Word>) -> Self {
        let zero = B::Word::ZERO;
        let (over, sets) = code.outputs.split_last().map_or((None, &[][..]), |(over, sets)| (Some(*over), sets));
        let is_over = over.is_some_and(|over| found.truth(over) & 1 == 1);
        // Made in its place: to copy what was written word by word makes whoever reads it wait.
        let mut moves = Self {
            rules,
            color,
            sets: [zero; MOST_SETS],
            is_over,
            kept: [zero; MOST_KEPT],
            places: zero,
            pass: false,
            froms: zero,
            from: 0,
            targets: zero,
            left: 0,
        };
        if is_over {
            return moves;
        }
        for (place, &output) in sets.iter().enumerate() {
            moves.sets[place % MOST_SETS] = found.set(output);
        }
        for place in 0..code.kept.len() {
            moves.kept[place % MOST_KEPT] = found.kept(code, place);
        }
        for &(set, _) in &rules.0.places {
            moves.places = moves.places | moves.sets[usize::from(set) % MOST_SETS];
        }
        let mut left = moves.places.count_ones();
        for way in &rules.0.ways {
            let to = moves.sets[usize::from(way.set) % MOST_SETS];
            left += to.count_ones();
            moves.froms = moves.froms | way.back(to, color);
        }
        if !rules.0.slides.is_empty() {
            for slide in &rules.0.slides {
                moves.froms = moves.froms | moves.sets[usize::from(slide.set)];
            }
            let of_pieces = Bitboard::<B>(moves.froms).into_iter().map(|from| moves.targets_of(from).count_ones());
            left = moves.places.count_ones() + of_pieces.sum::<u32>();
        }
        moves.left = left as usize;
        moves
    }

    /// A forced pass is the only move.
    pub(crate) fn pass(&mut self) {
        (self.pass, self.left) = (true, 1);
    }

    /// The next eight moves, or all that are left: what the iterator gives one after the other, without their numbers, and
    /// without their rules where nobody asks for them.
    #[inline(always)]
    pub(crate) fn block(&mut self, cpu: impl Cpu) -> Chosen<B> {
        let (zero, nothing) = (B::Word::ZERO, Lanes::splat(B::Word::ZERO));
        let mut chosen = Chosen { from: nothing, to: nothing, rules: [0; LANES], len: self.left.min(LANES) };
        self.left -= chosen.len;
        if self.pass {
            return chosen;
        }
        // Where one rule puts pieces, they are put side by side.
        if let Some(rule) = self.rules.0.only_place {
            let is_there = Lanes::of(|lane| if lane < chosen.len { !zero } else { zero });
            let places = B::Word::first_squares(cpu, self.places).sets & B::Word::load(cpu, &is_there);
            chosen.to = B::Word::lanes(places);
            for _ in 0..LANES {
                self.places = self.places & self.places.wrapping_sub(B::Word::ONE);
            }
            chosen.rules = [rule; LANES];
            return chosen;
        }
        let tells_rules = self.rules.0.has_effects;
        let mut lane = 0;
        while lane < chosen.len {
            if self.places != zero {
                let to = self.places & !self.places.wrapping_sub(B::Word::ONE);
                self.places = self.places & !to;
                chosen.to.0[lane] = to;
                if tells_rules {
                    chosen.rules[lane] = self.placed(to.trailing_zeros()).rule;
                }
                lane += 1;
            } else if self.targets != zero {
                let to = self.targets & !self.targets.wrapping_sub(B::Word::ONE);
                self.targets = self.targets & !to;
                (chosen.from.0[lane], chosen.to.0[lane]) = (Bitboard::<B>::square(self.from).0, to);
                if tells_rules {
                    chosen.rules[lane] = self.rule_of(self.from, to.trailing_zeros());
                }
                lane += 1;
            } else if self.froms != zero {
                self.go_on();
            } else {
                chosen.len = lane; // Never: as many are left as there are.
            }
        }
        chosen
    }

    /// On to the next square that moves start from.
    #[inline(always)]
    fn go_on(&mut self) {
        self.from = self.froms.trailing_zeros();
        self.froms = self.froms & self.froms.wrapping_sub(B::Word::ONE);
        self.targets = self.targets_of(self.from);
    }

    /// Where the moves from a square go.
    #[inline(always)]
    fn targets_of(&self, from: u32) -> B::Word {
        let (at, mut targets) = (Bitboard::<B>::square(from).0, B::Word::ZERO);
        // The sets are those of all pieces together, but a square is reached by one step from one square only.
        for way in &self.rules.0.ways {
            targets = targets | (way.along(at, self.color) & self.sets[usize::from(way.set) % MOST_SETS]);
        }
        for slide in &self.rules.0.slides {
            let [movers, through, onto] = [0, 1, 2].map(|place| self.sets[usize::from(slide.set) + place]);
            if movers & at == B::Word::ZERO {
                continue;
            }
            for step in &slide.steps[self.color as usize] {
                let mut here = step.of(at, |mask| mask);
                while here != B::Word::ZERO {
                    targets = targets | (here & onto);
                    if here & through == B::Word::ZERO {
                        break;
                    }
                    here = step.of(here, |mask| mask);
                }
            }
        }
        targets
    }

    /// The rule of a move from a square to another.
    #[inline(always)]
    fn rule_of(&self, from: u32, to: u32) -> u8 {
        let at = Bitboard::<B>::square(to).0;
        for way in &self.rules.0.ways {
            if to as i32 - from as i32 == way.by[self.color as usize]
                && self.sets[usize::from(way.set) % MOST_SETS] & at != B::Word::ZERO
            {
                return way.rule;
            }
        }
        self.rules.0.slides.first().map_or(0, |slide| slide.rule)
    }

    fn no_move(&self) -> Move {
        Move { from: 0, to: self.rules.0.geometry.squares() as u8, rule: 0 }
    }

    /// The first of the moves from the square that moves start from.
    #[inline(always)]
    fn gone(&mut self) -> Move {
        let to = self.targets.trailing_zeros();
        self.targets = self.targets & self.targets.wrapping_sub(B::Word::ONE);
        Move { from: self.from as u8 + 1, to: to as u8, rule: self.rule_of(self.from, to) }
    }

    #[inline(always)]
    fn placed(&self, to: u32) -> Move {
        let (at, places) = (Bitboard::<B>::square(to).0, &self.rules.0.places);
        let rule = if let [(_, rule)] = **places {
            rule
        } else {
            let holds = |(set, _): &&(u8, u8)| self.sets[usize::from(*set) % MOST_SETS] & at != B::Word::ZERO;
            places.iter().find(holds).map_or(0, |&(_, rule)| rule)
        };
        Move { from: 0, to: to as u8, rule }
    }
}

impl<B: Board> Iterator for Moves<B> {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        // Without the counts that leaping over moves takes.
        self.left = self.left.checked_sub(1)?;
        if self.pass {
            return Some(self.no_move());
        }
        if self.places != B::Word::ZERO {
            let to = self.places.trailing_zeros();
            self.places = self.places & self.places.wrapping_sub(B::Word::ONE);
            return Some(self.placed(to));
        }
        while self.targets == B::Word::ZERO {
            if self.froms == B::Word::ZERO {
                return None;
            }
            self.go_on();
        }
        Some(self.gone())
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Move> {
        if n >= self.left {
            self.left = 0;
            return None;
        }
        self.left -= n + 1;
        if self.pass {
            return Some(self.no_move());
        }
        let mut skip = n as u32;
        let places = self.places.count_ones();
        if skip < places {
            for _ in 0..skip {
                self.places = self.places & self.places.wrapping_sub(B::Word::ONE);
            }
            let to = self.places.trailing_zeros();
            self.places = self.places & self.places.wrapping_sub(B::Word::ONE);
            return Some(self.placed(to));
        }
        (skip, self.places) = (skip - places, B::Word::ZERO);
        loop {
            let count = self.targets.count_ones();
            if skip < count {
                for _ in 0..skip {
                    self.targets = self.targets & self.targets.wrapping_sub(B::Word::ONE);
                }
                return Some(self.gone());
            }
            skip -= count;
            if self.froms == B::Word::ZERO {
                return None;
            }
            self.go_on();
        }
    }
}

impl<B: Board> ExactSizeIterator for Moves<B> {}
