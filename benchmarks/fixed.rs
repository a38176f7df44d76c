//! A crate that never changes: what compiling costs on this machine, today, with this compiler.
//!
//! `make limits` compiles it beside the kernel: the ratio of both stays where a machine is slower
//! or busy, or the compiler is another one. It resembles the kernel, searches over words of bits
//! for several sizes of board, so that nearly all of its time is LLVM's. Nothing of it is ever run.
//! Remember: whoever changes it changes the unit of `kernel.build` in limits.toml.

pub trait Board: Copy {
    fn moves(self) -> u64;
    fn play(self, square: u32) -> Self;
    fn value(self) -> i32;
}

#[derive(Clone, Copy)]
pub struct Discs<const SIZE: u32> {
    own: u64,
    other: u64,
}

impl<const SIZE: u32> Discs<SIZE> {
    const ALL: u64 = if SIZE * SIZE >= 64 { u64::MAX } else { (1 << (SIZE * SIZE)) - 1 };

    #[inline(always)]
    fn inner(self, step: u32) -> u64 {
        let mut edge = 0;
        let mut row = 0;
        while row < SIZE {
            edge |= (1 | 1 << (SIZE - 1)) << (row * SIZE);
            row += 1;
        }
        if step == SIZE {
            self.other
        } else {
            self.other & !edge
        }
    }

    #[inline(always)]
    fn flood(self, from: u64, step: u32, is_left: bool) -> u64 {
        let inner = self.inner(step);
        let mut found = 0;
        let mut at = from;
        let mut count = 0;
        while count < SIZE - 2 {
            at = if is_left { at << step } else { at >> step } & inner;
            found |= at;
            count += 1;
        }
        found
    }
}

impl<const SIZE: u32> Board for Discs<SIZE> {
    #[inline(always)]
    fn moves(self) -> u64 {
        let mut found = 0;
        for step in [1, SIZE - 1, SIZE, SIZE + 1] {
            found |= self.flood(self.own, step, true) << step;
            found |= self.flood(self.own, step, false) >> step;
        }
        found & !(self.own | self.other) & Self::ALL
    }

    #[inline(always)]
    fn play(self, square: u32) -> Self {
        let at = 1u64 << square;
        let mut turned = 0;
        for step in [1, SIZE - 1, SIZE, SIZE + 1] {
            for is_left in [true, false] {
                let line = self.flood(at, step, is_left);
                let end = if is_left { line << step } else { line >> step };
                turned |= if end & self.own == 0 { 0 } else { line };
            }
        }
        Self { own: self.other & !turned, other: self.own | at | turned }
    }

    #[inline(always)]
    fn value(self) -> i32 {
        let mobility = self.moves().count_ones() as i32;
        let discs = self.own.count_ones() as i32 - self.other.count_ones() as i32;
        8 * mobility + discs
    }
}

#[inline(always)]
fn ordered<B: Board>(board: B, moves: u64) -> Vec<(i32, u32)> {
    let mut found = Vec::new();
    let mut left = moves;
    while left != 0 {
        let square = left.trailing_zeros();
        found.push((board.play(square).value(), square));
        left &= left - 1;
    }
    found.sort_by_key(|&(value, square)| (value, square));
    found
}

pub fn search<B: Board, const DEPTH: u32, const KIND: u32>(
    board: B,
    depth: u32,
    mut alpha: i32,
    beta: i32,
) -> i32 {
    let moves = board.moves();
    if depth == 0 || moves == 0 {
        return board.value() + DEPTH as i32;
    }
    if depth == 1 {
        let mut left = moves;
        while left != 0 {
            let next = board.play(left.trailing_zeros());
            alpha = alpha.max(-next.value());
            if alpha >= beta {
                return alpha;
            }
            left &= left - 1;
        }
        return alpha;
    }
    let next = ordered(board, moves);
    for &(value, square) in &next {
        if KIND == 1 && value > beta && depth > 2 {
            continue;
        }
        let reply = board.play(square);
        let found = if KIND == 2 && depth <= DEPTH {
            let narrow = -search::<B, DEPTH, KIND>(reply, depth - 1, -alpha - 1, -alpha);
            if narrow > alpha && narrow < beta {
                -search::<B, DEPTH, KIND>(reply, depth - 1, -beta, -narrow)
            } else {
                narrow
            }
        } else {
            -search::<B, DEPTH, KIND>(reply, depth - 1, -beta, -alpha)
        };
        alpha = alpha.max(found);
        if alpha >= beta {
            return alpha;
        }
    }
    alpha
}

type Searched<const SIZE: u32> = fn(Discs<SIZE>, u32, i32, i32) -> i32;

macro_rules! table {
    ($($name:ident $size:literal)*) => {$(
        pub static $name: [Searched<$size>; 21] = [
            search::<_, 2, 0>, search::<_, 2, 1>, search::<_, 2, 2>,
            search::<_, 3, 0>, search::<_, 3, 1>, search::<_, 3, 2>,
            search::<_, 4, 0>, search::<_, 4, 1>, search::<_, 4, 2>,
            search::<_, 5, 0>, search::<_, 5, 1>, search::<_, 5, 2>,
            search::<_, 6, 0>, search::<_, 6, 1>, search::<_, 6, 2>,
            search::<_, 7, 0>, search::<_, 7, 1>, search::<_, 7, 2>,
            search::<_, 8, 0>, search::<_, 8, 1>, search::<_, 8, 2>,
        ];
    )*};
}

table!(FOUR 4 FIVE 5 SIX 6 SEVEN 7 EIGHT 8);
