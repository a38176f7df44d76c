//! The rules against the same rules said slowly and plainly, on boards as lists of lists.
#![allow(clippy::unwrap_used)]

use super::*;
use evoply_core::bitboard::{Size8, Size10};
use evoply_core::cpu::{Task, available, on};
use evoply_core::stream::{Key, Stream};

/// A square's piece: whose, and whether it is a king.
type Cell = Option<(Color, bool)>;
type Place = (i32, i32);

#[derive(Clone, PartialEq, Debug)]
struct Plain {
    rows: Vec<Vec<Cell>>,
    turn: Color,
}

impl Plain {
    fn of<B: Board>(position: &Checkers<B>) -> Self {
        let size = B::SIZE;
        let cell = |square| {
            let holder =
                [Color::Black, Color::White].into_iter().find(|&color| position.pieces(color).contains(square))?;
            Some((holder, position.kings().contains(square)))
        };
        let rows = (0..size).map(|row| (0..size).map(|column| cell(row * size + column)).collect()).collect();
        Self { rows, turn: position.turn() }
    }

    /// The cell at a place; `None` beyond the edge.
    fn at(&self, (row, column): Place) -> Option<Cell> {
        self.rows.get(usize::try_from(row).ok()?)?.get(usize::try_from(column).ok()?).copied()
    }

    /// The ways of a piece, in the order of the squares they lead to.
    fn ways((color, is_king): (Color, bool)) -> Vec<Place> {
        let forward = if color == Color::Black { 1 } else { -1 };
        [(-1, -1), (-1, 1), (1, -1), (1, 1)].into_iter().filter(|way| is_king || way.0 == forward).collect()
    }

    /// All captures that go on from the last place of `path` having jumped over `jumped`.
    fn captures(&self, piece: (Color, bool), path: &[Place], jumped: &[Place]) -> Vec<Vec<Place>> {
        let (start, last) = (path[0], path[path.len() - 1]);
        let mut found = Vec::new();
        for way in Self::ways(piece) {
            let over = (last.0 + way.0, last.1 + way.1);
            let to = (over.0 + way.0, over.1 + way.1);
            let is_enemy = matches!(self.at(over), Some(Some((color, _))) if color != self.turn);
            let is_free = to == start || self.at(to) == Some(None);
            if is_enemy && is_free && !jumped.contains(&over) {
                found.extend(self.captures(piece, &[path, &[to]].concat(), &[jumped, &[over]].concat()));
            }
        }
        if found.is_empty() && path.len() > 1 { vec![path.to_vec()] } else { found }
    }

    /// The paths of all legal moves.
    fn legal_paths(&self) -> Vec<Vec<Place>> {
        let (mut steps, mut captures) = (Vec::new(), Vec::new());
        let size = self.rows.len() as i32;
        for place in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
            let Some(Some(piece)) = self.at(place) else { continue };
            if piece.0 != self.turn {
                continue;
            }
            captures.extend(self.captures(piece, &[place], &[]));
            let targets = Self::ways(piece).into_iter().map(|way| (place.0 + way.0, place.1 + way.1));
            steps.extend(targets.filter(|&to| self.at(to) == Some(None)).map(|to| vec![place, to]));
        }
        let mut legal = if captures.is_empty() { steps } else { captures };
        legal.sort();
        legal
    }

    fn play(&self, path: &[Place]) -> Self {
        let mut next = self.clone();
        let cell = |place: Place| (place.0 as usize, place.1 as usize);
        let (row, column) = cell(path[0]);
        let (color, mut is_king) = next.rows[row][column].take().unwrap();
        for pair in path.windows(2) {
            if (pair[0].0 - pair[1].0).abs() == 2 {
                let (row, column) = cell((i32::midpoint(pair[0].0, pair[1].0), i32::midpoint(pair[0].1, pair[1].1)));
                next.rows[row][column] = None;
            }
        }
        let (row, column) = cell(path[path.len() - 1]);
        is_king |= row == if color == Color::Black { self.rows.len() - 1 } else { 0 };
        next.rows[row][column] = Some((color, is_king));
        next.turn = self.turn.opposite();
        next
    }
}

/// Any placement that the rules allow, crowded or empty, with kings.
fn any_position<B: Board>(rules: CheckersRules, draws: &mut Stream) -> Checkers<B> {
    let most = u64::from(pieces_at_start::<B>());
    let mut free: Vec<u32> = dark_squares::<B>().into_iter().collect();
    let king_share = draws.below(5);
    let mut sets = [Bitboard::EMPTY; 3];
    for (side, color) in [Color::Black, Color::White].into_iter().enumerate() {
        for _ in 0..draws.below(most + 1) {
            let square = Bitboard::square(free.swap_remove(draws.below(free.len() as u64) as usize));
            sets[side] = sets[side] | square;
            if draws.below(4) < king_share || !(square & last_row(color)).is_empty() {
                sets[2] = sets[2] | square;
            }
        }
    }
    let turn = if draws.below(2) == 0 { Color::Black } else { Color::White };
    Checkers::new(rules, sets[0], sets[1], sets[2], turn, (0, 0)).unwrap()
}

fn path_of<B: Board>(chosen: Move) -> Vec<Place> {
    let place = |square: u32| ((square / B::SIZE) as i32, (square % B::SIZE) as i32);
    std::iter::once(chosen.from()).chain(chosen.path::<B>().map(|(square, _)| square)).map(place).collect()
}

fn check<B: Board>(position: &Checkers<B>) {
    let plain = Plain::of(position);
    let expected = plain.legal_paths();
    let moves: Vec<Move> = position.legal_moves().collect();
    assert!(moves.is_sorted() && position.legal_moves().len() == moves.len());
    assert_eq!(moves.iter().map(|&chosen| path_of::<B>(chosen)).collect::<Vec<_>>(), expected);
    for (index, &chosen) in moves.iter().enumerate() {
        let (after, path) = (position.play_unchecked(chosen), path_of::<B>(chosen));
        assert_eq!(Plain::of(&after), plain.play(&path));
        assert_eq!(after.ply(), position.ply() + 1);
        let quiet = position.kings().contains(chosen.from()) && chosen.jumps() == 0;
        assert_eq!(after.quiet_plies(), if quiet { position.quiet_plies() + 1 } else { 0 });
        assert_eq!(position.opponent() - after.own(), chosen.captured());
        assert_eq!(chosen.captured::<B>().len(), chosen.jumps());
        assert!(after.opponent().contains(chosen.to::<B>()));
        assert_eq!(position.play(chosen), Ok(after));
        assert_eq!(position.legal_moves().nth(index), Some(chosen));
    }
    // Both sides, whoever is to move.
    for color in [Color::Black, Color::White] {
        let seen = position.seen();
        let side = Side::new(&if color == position.turn() { seen } else { seen.from_the_other_side() });
        let paths = Plain { turn: color, ..plain.clone() }.legal_paths();
        assert_eq!(side.number_of_moves() as usize, paths.len());
        assert_eq!(side.can_move(), !paths.is_empty());
        let size = B::SIZE as i32;
        let ends: Bitboard<B> =
            paths.iter().map(|path| path[path.len() - 1]).map(|place| (place.0 * size + place.1) as u32).collect();
        assert_eq!(side.destinations(), ends);
    }
    let outcome = position.outcome();
    assert_eq!(outcome.is_some(), expected.is_empty());
    if let Some(outcome) = outcome {
        assert_eq!(outcome.winner == Some(position.turn()), position.rules().is_losing);
        assert_eq!(outcome.winner == Some(position.turn().opposite()), !position.rules().is_losing);
    }
}

/// Eight boards as one side sees them: on which it cannot move and on which it can capture, and the number of its moves.
struct Counts<'a, B: Board>(SeenLanes<'a, B>);

impl<B: Board> Task for Counts<'_, B> {
    type Output = (u8, u8, Lanes<f64>);
    #[inline(always)]
    fn run<C: Cpu>(self, cpu: C) -> Self::Output {
        let (stuck, capturing) = (
            Checkers::<B>::stuck_lanes(cpu, CheckersRules::AMERICAN, self.0),
            Checkers::<B>::capturing_lanes(cpu, CheckersRules::AMERICAN, self.0),
        );
        (stuck, capturing, Checkers::<B>::mobility_of_lanes(cpu, CheckersRules::AMERICAN, self.0))
    }
}

fn check_side_by_side<B: Board>(rules: CheckersRules) {
    let blocks = if cfg!(miri) { 20 } else { 20_000 };
    let mut draws = Key::new(8).stream();
    let (mut moving, mut going_on) = (0, 0);
    for _ in 0..blocks {
        let mut positions = Lanes::splat(Checkers::<B>::start(rules));
        for position in &mut positions.0 {
            *position = any_position(rules, &mut draws);
        }
        // As Black sees them, or White.
        let color = if draws.below(2) == 0 { Color::Black } else { Color::White };
        let seen = Lanes(positions.0.map(|position| {
            let seen = position.seen();
            if position.turn() == color { seen } else { seen.from_the_other_side() }
        }));
        let (own, opponent) = (seen.map(|seen| seen.own.0), seen.map(|seen| seen.opponent.0));
        let kings = seen.map(|seen| seen.kings.0);
        let lanes =
            SeenLanes { own: &own, opponent: &opponent, kings: Some(&kings), own_is_black: color == Color::Black };
        let counts = seen.map(|seen| f64::from(Side::new(&seen).number_of_moves()));
        let stuck = (0..LANES).fold(0, |stuck, lane| stuck | u8::from(counts.0[lane] == 0.0) << lane);
        let captures = seen.map(|seen| Moves::of(&Side::new(&seen)).any(|chosen| chosen.jumps() > 0));
        let capturing = (0..LANES).fold(0, |capturing, lane| capturing | u8::from(captures.0[lane]) << lane);
        for path in available() {
            assert_eq!(on(path, Counts::<B>(lanes)), (stuck, capturing, counts), "{path:?}");
        }
        moving += counts.0.iter().filter(|&&count| count > 0.0).count();
        let longest = |seen: &Seen<B>| Moves::of(&Side::new(seen)).map(Move::jumps).max();
        going_on += seen.0.iter().filter(|seen| longest(seen) > Some(1)).count();
    }
    assert!(moving > blocks && going_on > blocks / 10, "{moving} {going_on}");
}

#[test]
fn boards_side_by_side_count_as_one_by_one() {
    check_side_by_side::<Size8>(CheckersRules::AMERICAN);
    check_side_by_side::<Size8>(CheckersRules::LOSING);
    check_side_by_side::<Size10>(CheckersRules::AMERICAN);
}

fn check_many<B: Board>(rules: CheckersRules) {
    let games = if std::env::var_os("EVOPLY_LONG").is_some() { 20_000 } else { 1000 };
    let (mut captures, mut long_captures) = (0, 0);
    for number in 0..games {
        let mut draws = Key::new(number).stream();
        let mut position = if number % 2 == 0 { Checkers::<B>::start(rules) } else { any_position(rules, &mut draws) };
        for _ in 0..if number % 2 == 0 { 100 } else { 3 } {
            check(&position);
            let legal = position.legal_moves();
            let Some(chosen) = legal.clone().nth(draws.below(legal.len().max(1) as u64) as usize) else { break };
            captures += u32::from(chosen.jumps() > 0);
            long_captures += u32::from(chosen.jumps() > 2);
            position = position.play_unchecked(chosen);
        }
    }
    assert!(captures > 1000 && long_captures > 10, "{captures} {long_captures}");
}

#[test]
fn agrees_with_plain_rules_on_8x8() {
    check_many::<Size8>(CheckersRules::AMERICAN);
}

#[test]
fn agrees_with_plain_rules_when_losing() {
    check_many::<Size8>(CheckersRules::LOSING);
}

#[test]
fn agrees_with_plain_rules_on_10x10() {
    check_many::<Size10>(CheckersRules::AMERICAN);
}

/// A set of squares by their usual numbers, from 1.
fn squares<B: Board>(numbers: &[usize]) -> Bitboard<B> {
    let dark: Vec<u32> = dark_squares::<B>().into_iter().collect();
    numbers.iter().map(|&number| dark[number - 1]).collect()
}

#[test]
fn more_moves_than_have_room_in_place_are_all_there() {
    // Fifteen kings of which each has four steps, and one king in a lattice of fifteen men.
    let kings = squares::<Size10>(&[7, 8, 9, 10, 17, 18, 19, 20, 27, 28, 29, 30, 37, 38, 39]);
    let wide =
        Checkers::<Size10>::new(CheckersRules::AMERICAN, kings, Bitboard::EMPTY, kings, Color::Black, (0, 0)).unwrap();
    assert_eq!(wide.legal_moves().len(), 60);
    check(&wide);
    let men = squares::<Size10>(&[7, 8, 9, 10, 17, 18, 19, 20, 27, 28, 29, 30, 37, 38, 39]);
    let king = squares(&[13]);
    let maze = Checkers::<Size10>::new(CheckersRules::AMERICAN, king, men, king, Color::Black, (0, 0)).unwrap();
    assert!(maze.legal_moves().len() > 48, "{}", maze.legal_moves().len());
    assert_eq!(maze.legal_moves().count(), maze.legal_moves().len());
    check(&maze);
}

#[test]
fn start_positions() {
    let start = Checkers::<Size8>::start(CheckersRules::AMERICAN);
    assert_eq!(start.pieces(Color::Black), squares(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
    assert_eq!(start.pieces(Color::White), squares(&(21..=32).collect::<Vec<_>>()));
    let start = Checkers::<Size10>::start(CheckersRules::AMERICAN);
    assert_eq!(start.pieces(Color::Black), squares(&(1..=15).collect::<Vec<_>>()));
    assert_eq!(start.pieces(Color::White), squares(&(36..=50).collect::<Vec<_>>()));
    assert_eq!(start.clock_here(), 0.0);
}

#[test]
fn impossible_positions_are_refused() {
    let new = |black: &[usize], white: &[usize], kings: &[usize]| {
        let (black, white) = (squares(black), squares(white));
        Checkers::<Size8>::new(CheckersRules::AMERICAN, black, white, squares(kings), Color::Black, (0, 0))
    };
    assert!(new(&[1, 18], &[32, 19], &[18]).is_some());
    assert!(new(&[1], &[1], &[]).is_none(), "two pieces on a square");
    assert!(new(&[1], &[32], &[5]).is_none(), "a king where nothing stands");
    assert!(new(&[29], &[32], &[]).is_none(), "a man on its last row");
    assert!(new(&[29], &[4], &[4, 29]).is_some());
    assert!(new(&(1..=13).collect::<Vec<_>>(), &[], &[]).is_none(), "thirteen men");
    let light = Bitboard::square(0);
    assert!(
        Checkers::<Size8>::new(CheckersRules::AMERICAN, light, Bitboard::EMPTY, light, Color::Black, (0, 0)).is_none()
    );
}
