//! Which moves a side has, on sets of squares, whoever is to move.

use super::moves::{DIAGONALS, Move, dark, step};
use evoply_core::bitboard::{Bitboard, Board, Word};
use evoply_core::rules::Seen;

/// One side's view of a board: its pieces, the other side's, kings of both, and which way its men go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side<B: Board> {
    own: B::Word,
    opponent: B::Word,
    /// Kings of this side.
    kings: B::Word,
    empty: B::Word,
    /// Black's men go down the board, to higher squares.
    is_black: bool,
}

impl<B: Board> Side<B> {
    /// The view of the side that sees a board so; all pieces stand on dark squares.
    #[inline(always)]
    pub fn new(seen: &Seen<B>) -> Self {
        let &Seen { own, opponent, kings, own_is_black: is_black } = seen;
        let dark = B::Word::from_u128(dark(B::SIZE));
        let empty = dark & !(own.0 | opponent.0);
        Self { own: own.0, opponent: opponent.0, kings: own.0 & kings.0, empty, is_black }
    }

    /// Pieces of this side that may go along a diagonal.
    #[inline(always)]
    fn going(&self, diagonal: usize) -> B::Word {
        if (diagonal >= 2) == self.is_black { self.own } else { self.kings }
    }

    /// Pieces of `from` that can step along a diagonal.
    #[inline(always)]
    fn steppers(&self, from: B::Word, diagonal: usize) -> B::Word {
        from & step::<B, _>(self.empty, 3 - diagonal)
    }

    /// Pieces of `from` that can jump along a diagonal over a piece of `targets` to a square of `empty`.
    #[inline(always)]
    fn jumpers(from: B::Word, targets: B::Word, empty: B::Word, diagonal: usize) -> B::Word {
        let back = 3 - diagonal;
        from & step::<B, _>(targets & step::<B, _>(empty, back), back)
    }

    /// Pieces that can jump, by diagonal.
    #[inline(always)]
    fn all_jumpers(&self) -> [B::Word; DIAGONALS] {
        by_diagonal(|diagonal| Self::jumpers(self.going(diagonal), self.opponent, self.empty, diagonal))
    }

    /// Call `found` with every legal move, in order.
    #[inline(always)]
    pub fn for_each_move(&self, mut found: impl FnMut(Move)) {
        let jumpers = self.all_jumpers();
        let jumping = union(jumpers);
        if jumping != B::Word::ZERO {
            for from in Bitboard::<B>(jumping) {
                self.for_each_capture(from, &mut found);
            }
            return;
        }
        let steppers: [B::Word; DIAGONALS] = by_diagonal(|diagonal| self.steppers(self.going(diagonal), diagonal));
        for from in Bitboard::<B>(union(steppers)) {
            let bit = Bitboard::<B>::square(from).0;
            for (diagonal, &able) in steppers.iter().enumerate() {
                if able & bit != B::Word::ZERO {
                    found(Move::step(from, diagonal));
                }
            }
        }
    }

    /// Call `found` with every capture of the piece on `from`, in order.
    fn for_each_capture(&self, from: u32, found: &mut impl FnMut(Move)) {
        let at = Bitboard::<B>::square(from).0;
        let lifted = self.lift(at);
        lifted.captures(at, self.opponent, Move::standing(from), found);
    }

    /// The piece on `at` in hand, its square empty.
    #[inline(always)]
    fn lift(&self, at: B::Word) -> Lifted<B> {
        let is_king = self.kings & at != B::Word::ZERO;
        Lifted { empty: self.empty | at, goes: by_diagonal(|diagonal| is_king || (diagonal >= 2) == self.is_black) }
    }

    /// Number of legal moves.
    #[inline(always)]
    pub fn number_of_moves(&self) -> u32 {
        if self.is_black { self.count::<2>() } else { self.count::<0>() }
    }

    /// As [`Self::number_of_moves`]; men go along the diagonals `AHEAD` and `AHEAD + 1`, known when compiled.
    #[inline(always)]
    fn count<const AHEAD: usize>(&self) -> u32 {
        let (left, right) = (AHEAD, AHEAD + 1);
        let men = self.own & !self.kings;
        let jumpers = |from, diagonal| -> B::Word { Self::jumpers(from, self.opponent, self.empty, diagonal) };
        let (to_left, to_right) = (jumpers(men, left), jumpers(men, right));
        let jumping_kings = if self.kings == B::Word::ZERO {
            B::Word::ZERO
        } else {
            union(by_diagonal(|diagonal| jumpers(self.kings, diagonal)))
        };
        if to_left | to_right | jumping_kings != B::Word::ZERO {
            let mut count = self.count_captures_of_men::<AHEAD>(to_left, to_right);
            for from in Bitboard::<B>(jumping_kings) {
                let at = Bitboard::<B>::square(from).0;
                count += self.lift(at).count(at, self.opponent);
            }
            return count;
        }
        let steps = |from, diagonal| self.steppers(from, diagonal).count_ones();
        let mut count = steps(self.own, left) + steps(self.own, right);
        if self.kings != B::Word::ZERO {
            count += steps(self.kings, 2 - AHEAD) + steps(self.kings, 3 - AHEAD);
        }
        count
    }

    /// Captures of men that can jump left and right.
    ///
    /// Men only go forward, so that what one of them took or left is never in the way of its next jump, and all of them can
    /// jump at once: shifts keep two of them apart.
    #[inline(always)]
    fn count_captures_of_men<const AHEAD: usize>(&self, to_left: B::Word, to_right: B::Word) -> u32 {
        [(to_left, AHEAD), (to_right, AHEAD + 1)]
            .into_iter()
            .map(|(from, diagonal)| {
                let landed = step::<B, _>(step::<B, _>(from, diagonal), diagonal);
                let jumpers = |diagonal| Self::jumpers(landed, self.opponent, self.empty, diagonal);
                let (on_left, on_right) = (jumpers(AHEAD), jumpers(AHEAD + 1));
                let ended = (landed & !(on_left | on_right)).count_ones();
                if on_left | on_right == B::Word::ZERO {
                    ended
                } else {
                    ended + self.count_further_captures_of_men::<AHEAD>(on_left, on_right)
                }
            })
            .sum()
    }

    /// As [`Self::count_captures_of_men`], for jumps after the first: too few to be compiled into everything.
    #[inline(never)]
    fn count_further_captures_of_men<const AHEAD: usize>(&self, to_left: B::Word, to_right: B::Word) -> u32 {
        self.count_captures_of_men::<AHEAD>(to_left, to_right)
    }

    /// Squares where legal moves end.
    #[inline(always)]
    pub fn destinations(&self) -> Bitboard<B> {
        let jumping = union(self.all_jumpers());
        let mut found = B::Word::ZERO;
        if jumping == B::Word::ZERO {
            for diagonal in 0..DIAGONALS {
                found = found | (step::<B, _>(self.going(diagonal), diagonal) & self.empty);
            }
        } else {
            for from in Bitboard::<B>(jumping) {
                let at = Bitboard::<B>::square(from).0;
                found = found | self.lift(at).destinations(at, self.opponent);
            }
        }
        Bitboard(found)
    }

    /// Whether there is a legal move.
    #[inline(always)]
    pub fn can_move(&self) -> bool {
        let able = |diagonal| {
            let from = self.going(diagonal);
            self.steppers(from, diagonal) | Self::jumpers(from, self.opponent, self.empty, diagonal)
        };
        union::<B::Word>(by_diagonal(able)) != B::Word::ZERO
    }
}

/// What a function gives for each diagonal; written out, as [`evoply_core::lanes::Lanes::of`] is.
#[inline(always)]
fn by_diagonal<T>(f: impl Fn(usize) -> T) -> [T; DIAGONALS] {
    [f(0), f(1), f(2), f(3)]
}

#[inline(always)]
fn union<W: Word>(sets: [W; DIAGONALS]) -> W {
    sets[0] | sets[1] | sets[2] | sets[3]
}

/// A piece in the middle of a capture. The pieces it took still stand, but are no targets any more; the square it came
/// from is empty. A man that reaches its last row can go no further forward, which ends its move as the rules demand.
#[derive(Clone, Copy)]
struct Lifted<B: Board> {
    empty: B::Word,
    /// Whether it may go along each diagonal.
    goes: [bool; DIAGONALS],
}

impl<B: Board> Lifted<B> {
    /// Each next jump from `at`: its diagonal, where it ends, and the piece it takes.
    #[inline(always)]
    fn jumps(&self, at: B::Word, targets: B::Word) -> impl Iterator<Item = (usize, B::Word, B::Word)> {
        let Self { empty, goes } = *self;
        (0..DIAGONALS).filter(move |&diagonal| goes[diagonal]).filter_map(move |diagonal| {
            let over = step::<B, _>(at, diagonal) & targets;
            let to = step::<B, _>(over, diagonal) & empty;
            (to != B::Word::ZERO).then_some((diagonal, to, over))
        })
    }

    /// Call `found` with every way to go on with `begun`, which goes on as long as it can.
    fn captures(&self, at: B::Word, targets: B::Word, begun: Move, found: &mut impl FnMut(Move)) {
        let mut ended = true;
        for (diagonal, to, over) in self.jumps(at, targets) {
            ended = false;
            self.captures(to, targets & !over, begun.jump(diagonal), found);
        }
        if ended {
            found(begun);
        }
    }

    /// How many moves [`Self::captures`] finds.
    fn count(&self, at: B::Word, targets: B::Word) -> u32 {
        let count: u32 = self.jumps(at, targets).map(|(_, to, over)| self.count(to, targets & !over)).sum();
        count.max(1)
    }

    /// Where the moves that [`Self::captures`] finds end.
    fn destinations(&self, at: B::Word, targets: B::Word) -> B::Word {
        let ends = self.jumps(at, targets).map(|(_, to, over)| self.destinations(to, targets & !over));
        let ends = ends.fold(B::Word::ZERO, |all, end| all | end);
        if ends == B::Word::ZERO { at } else { ends }
    }
}

/// Moves held in place before the list spills: as many steps as twelve kings can have.
const IN_PLACE: usize = 48;

/// The legal moves of a position, in order.
///
/// Twelve kings have at most 48 steps. More moves than that (fifteen free kings on 10x10, or a maze of captures) are kept on
/// the heap.
#[derive(Clone, Debug)]
pub struct Moves {
    in_place: [Move; IN_PLACE],
    spilled: Vec<Move>,
    next: usize,
    len: usize,
}

impl Moves {
    /// The legal moves of a side.
    #[inline(always)]
    pub fn of<B: Board>(side: &Side<B>) -> Self {
        let mut moves = Self { in_place: [Move::default(); IN_PLACE], spilled: Vec::new(), next: 0, len: 0 };
        side.for_each_move(|found| moves.push(found));
        moves
    }

    #[inline(always)]
    fn push(&mut self, found: Move) {
        if let Some(place) = self.in_place.get_mut(self.len) {
            *place = found;
        } else {
            self.spilled.push(found);
        }
        self.len += 1;
    }
}

impl Iterator for Moves {
    type Item = Move;
    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        if self.next >= self.len {
            return None;
        }
        let index = self.next;
        self.next += 1;
        self.in_place.get(index).or_else(|| self.spilled.get(index - IN_PLACE)).copied()
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.len - self.next;
        (count, Some(count))
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<Move> {
        self.next = self.next.saturating_add(n).min(self.len);
        self.next()
    }
}

impl ExactSizeIterator for Moves {}
