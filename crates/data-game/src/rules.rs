//! Rules as a value: read from their written form and lowered once, for both colours.

use std::fmt;

use evoply_core::bitboard::{Bitboard, Board, Direction, Word};
use evoply_core::expression::{Builder, Expression, NodeId, json};
use evoply_core::geometry::{Geometry, Step};
use evoply_core::rules::{Color, Rules};
use serde_json::Value as Json;

use crate::code::Code;
use crate::lowering::{Id, Maker, Value};
use crate::registers::{code, given_code, keeping_code};

/// The most sets that say which moves are legal: one of a placement, one of each direction of a step, three of a slide.
pub const MOST_SETS: usize = 24;

/// The version of the written form that is read here.
const FORMAT: u64 = 1;

/// What having no move means for the side that has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoMove {
    Loses,
    Wins,
    Draws,
    /// It passes if the other side has a move.
    Passes,
}

/// Who wins where neither side has a move and both would pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BothPass {
    Most,
    Fewest,
    Draw,
}

/// One direction of a rule that steps: the legal moves are a set of squares moved to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub rule: u8,
    /// Which of the sets it is.
    pub set: u8,
    /// From the square moved from to the one moved to, for Black and for White.
    pub by: [i32; 2],
}

impl Way {
    /// Squares moved from, and where they lead: those that the board does not have are no legal moves.
    #[inline(always)]
    pub fn along<W: Word>(&self, from: W, color: Color) -> W {
        from.rotated(self.by[color as usize] as u32)
    }

    /// Where the legal moves to some squares come from.
    #[inline(always)]
    pub fn back<W: Word>(&self, to: W, color: Color) -> W {
        to.rotated(-self.by[color as usize] as u32)
    }
}

/// A rule that slides: the sets moved from, passed through and moved onto stand one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Slide<W> {
    pub rule: u8,
    pub set: u8,
    /// For Black and for White.
    pub steps: [Box<[Step<W>]>; 2],
}

/// What happens on a move.
#[derive(Clone, Debug)]
pub(crate) enum Effect<B: Board> {
    /// A piece is put or moved, and one that stood there is gone.
    Usual,
    /// The new own and opponent's sets, for Black and for White.
    Code(Box<[Changes<B>; 2]>),
}

/// What gives the new own and opponent's sets.
#[derive(Clone, Debug)]
pub(crate) struct Changes<B: Board> {
    pub whole: Code<B>,
    /// The same, given what the code of the legal moves has kept.
    pub rest: Code<B>,
}

/// Rules, ready to be played by.
#[derive(Clone, Debug)]
pub struct Lowered<B: Board> {
    pub(crate) geometry: Geometry<B>,
    pub(crate) black: Bitboard<B>,
    pub(crate) white: Bitboard<B>,
    /// Which of the sets are placements, and their rules.
    pub(crate) places: Box<[(u8, u8)]>,
    /// The rule of all moves, if they are placements by one rule.
    pub(crate) only_place: Option<u8>,
    pub(crate) ways: Box<[Way]>,
    pub(crate) slides: Box<[Slide<B::Word>]>,
    /// Legal moves of Black and of White, and behind them whether the game is over if that side is to move.
    pub(crate) legal: [Code<B>; 2],
    /// Whether Black and White win, lose or draw by the move that they have just made.
    pub(crate) ends: [Code<B>; 2],
    pub(crate) effects: Box<[Effect<B>]>,
    /// Whether a move does anything that is not usual: else nobody asks which rule it is of.
    pub(crate) has_effects: bool,
    pub(crate) no_move: NoMove,
    pub(crate) both_pass: BothPass,
    /// How far the game is, as Black sees the board, if the rules say so themselves.
    pub(crate) clock: Option<Code<B>>,
    /// Whether a board is quiet with Black and with White to move, if the rules say so.
    pub(crate) quiet: Option<[Code<B>; 2]>,
    /// Pieces at the start, and whether moves add pieces.
    pub(crate) pieces: f64,
    pub(crate) fills: bool,
}

/// The rules of a game: a word long, for games are few and none goes.
#[derive(Clone, Copy)]
pub struct DataRules<B: Board>(pub(crate) &'static Lowered<B>);

impl<B: Board> PartialEq for DataRules<B> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<B: Board> Eq for DataRules<B> {}

impl<B: Board> fmt::Debug for DataRules<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rules on {}x{}", self.0.geometry.rows(), self.0.geometry.columns())
    }
}

impl<B: Board> Rules for DataRules<B> {
    fn has_captures(self) -> bool {
        self.0.quiet.is_some()
    }

    fn moves_pieces(self) -> bool {
        !self.0.ways.is_empty() || !self.0.slides.is_empty()
    }

    fn keeps_symmetries(self) -> bool {
        false
    }

    /// As in Othello's tables where sides pass, else as in those of checkers.
    #[inline(always)]
    fn ended_leaves(self) -> u64 {
        u64::from(self.0.no_move == NoMove::Passes)
    }
}

/// Rows and columns of the board that a written form asks for.
///
/// # Errors
/// There are none.
pub fn shape(written: &Json) -> Result<(u32, u32), String> {
    let count = |name: &str| match written[name].as_u64() {
        Some(count @ 1..=10) => Ok(count as u32),
        _ => Err(format!("{name} - is {}, and a board has 1 to 10 - write a whole number", written[name])),
    };
    Ok((count("rows")?, count("columns")?))
}

/// Reads the written form.
struct Reader<'a, B: Board> {
    written: &'a Json,
    expression: Expression,
    geometry: Geometry<B>,
}

/// What a rule of moves says.
enum Moving {
    Place(NodeId),
    Step { from: NodeId, onto: NodeId, offsets: [Vec<(i32, i32)>; 2] },
    Slide { sets: [NodeId; 3], directions: [Vec<Direction>; 2] },
}

impl<B: Board> DataRules<B> {
    /// The rules of a written form, kept for as long as the process runs.
    ///
    /// # Errors
    /// Says which part is wrong and how.
    pub fn read(written: &Json) -> Result<Self, String> {
        Ok(Self(Box::leak(Box::new(Reader::new(written)?.read()?))))
    }
}

impl<'a, B: Board> Reader<'a, B> {
    fn new(written: &'a Json) -> Result<Self, String> {
        if written["format"].as_u64() != Some(FORMAT) {
            return Err(format!("format - is {}, and this version reads {FORMAT}", written["format"]));
        }
        let (rows, columns) = shape(written)?;
        let all = u128::MAX >> (128 - rows * columns);
        let playable = match &written["playable"] {
            Json::Null => all,
            list => squares(list, rows * columns, "playable")?,
        };
        let geometry = Geometry::new(rows, columns, playable).ok_or("rows - the board is too large")?;
        let expression = json::parse(&written["expression"].to_string(), rows * columns, Builder::default())
            .map_err(|error| format!("expression - {error}"))?;
        Ok(Self { written, expression, geometry })
    }

    fn output(&self, value: &Json, what: &str) -> Result<NodeId, String> {
        let place = value.as_u64().and_then(|place| usize::try_from(place).ok());
        let output = place.and_then(|place| self.expression.outputs().get(place));
        output.copied().ok_or_else(|| format!("{what} - {value} is not the number of an output of the expression"))
    }

    fn read(self) -> Result<Lowered<B>, String> {
        // Step 1. Facts.
        let start = &self.written["start"];
        let count = self.geometry.squares();
        let [black, white] = ["black", "white"].map(|side| squares(&start[side], count, side));
        let (black, white) = (Bitboard(B::Word::from_u128(black?)), Bitboard(B::Word::from_u128(white?)));
        if !(black & white).is_empty() || !((black | white) - self.geometry.playable()).is_empty() {
            return Err("start - a square holds two pieces or cannot be played".into());
        }
        let word = |name: &str, words: &[&str]| {
            let found = self.written[name].as_str().and_then(|text| words.iter().position(|&word| word == text));
            found.ok_or_else(|| format!("{name} - is {}, and can be {}", self.written[name], words.join(", ")))
        };
        let no_move = [NoMove::Loses, NoMove::Wins, NoMove::Draws, NoMove::Passes]
            [word("no_move", &["loses", "wins", "draws", "passes"])?];
        let both_pass =
            [BothPass::Most, BothPass::Fewest, BothPass::Draw][word("both_pass", &["most", "fewest", "draw"])?];
        // Step 2. Moves.
        let Some(written) = self.written["moves"].as_array().filter(|moves| (1..=16).contains(&moves.len())) else {
            return Err("moves - there are to be 1 to 16 of them".into());
        };
        let moves = written.iter().enumerate().map(|(rule, written)| self.moving(rule, written));
        let moves = moves.collect::<Result<Vec<_>, _>>()?;
        let makers = [true, false].map(|is_black| Maker::new(&self.geometry, &self.expression, is_black));
        let (mut legal, mut ends, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut places, mut ways, mut slides) = (Vec::new(), Vec::new(), Vec::new());
        for (color, mut maker) in makers.into_iter().enumerate() {
            (places, ways, slides) = (Vec::new(), Vec::new(), Vec::new());
            let mut outputs = self.legal(&mut maker, color, &moves, &mut places, &mut ways, &mut slides)?;
            if outputs.len() > MOST_SETS {
                return Err(format!(
                    "moves - {} directions and sets are more than {MOST_SETS}: use fewer rules or directions",
                    outputs.len()
                ));
            }
            let mut over = Value::Always(false);
            for name in ["wins", "loses", "draws"] {
                let ended = self.end(&mut maker, name, true)?;
                over = maker.either(over, ended)?;
            }
            outputs.push(over);
            let effects = written.iter().map(|written| self.effect(&mut maker, written));
            let effects = effects.collect::<Result<Vec<_>, _>>()?;
            let (of_color, changes_of_color) = codes(&maker, &outputs, &effects)?;
            legal.push(of_color);
            changes.push(changes_of_color);
            let mut maker = Maker::new(&self.geometry, &self.expression, color == 0);
            let outcomes = ["wins", "loses", "draws"].map(|name| self.end(&mut maker, name, false));
            let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
            ends.push(code(&maker, &outcomes)?);
        }
        // Step 3. What players are told of the board.
        let clock = match &self.written["clock"] {
            Json::Null => None,
            written => {
                let mut maker = Maker::new(&self.geometry, &self.expression, true);
                let value = maker.value(self.output(written, "clock")?, false);
                match value.map_err(|error| format!("clock - {error}"))? {
                    number @ Value::Number(_) => Some(code(&maker, &[number])?),
                    _ => return Err("clock - is no number: count something".into()),
                }
            }
        };
        let quiet = if self.written["quiet"].is_null() {
            None
        } else {
            let of_color = |is_black| {
                let mut maker = Maker::new(&self.geometry, &self.expression, is_black);
                let quiet = self.truth(&mut maker, "quiet", &self.written["quiet"], false)?;
                code(&maker, &[quiet])
            };
            Some([of_color(true)?, of_color(false)?])
        };
        // Step 4. What moves do.
        let [of_white, of_black] = [0, 1].map(|_| changes.pop().unwrap_or_default());
        let effect = |pair| match pair {
            (Some(black), Some(white)) => Effect::Code(Box::new([black, white])),
            _ => Effect::Usual,
        };
        let effects: Box<[_]> = of_black.into_iter().zip(of_white).map(effect).collect();
        let has_effects = effects.iter().any(|effect| matches!(effect, Effect::Code(_)));
        let (is_one, moves_pieces) = (places.len() == 1, !ways.is_empty() || !slides.is_empty());
        let both = |codes: Vec<Code<B>>| <[Code<B>; 2]>::try_from(codes).map_err(|_| "moves - not for both colours");
        Ok(Lowered {
            geometry: self.geometry,
            black,
            white,
            only_place: places.first().filter(|_| is_one && !moves_pieces).map(|&(_, rule)| rule),
            places: places.into(),
            ways: ways.into(),
            slides: slides.into(),
            legal: both(legal)?,
            ends: both(ends)?,
            effects,
            has_effects,
            no_move,
            both_pass,
            clock,
            quiet,
            pieces: f64::from((black | white).len()),
            fills: moves.iter().any(|moving| matches!(moving, Moving::Place(_))),
        })
    }

    fn end(&self, maker: &mut Maker<'_, B>, name: &str, swapped: bool) -> Result<Value, String> {
        self.truth(maker, name, &self.written["ends"][name], swapped)
    }

    /// The truth that a part of the written form names; what names none never holds.
    fn truth(&self, maker: &mut Maker<'_, B>, name: &str, written: &Json, swapped: bool) -> Result<Value, String> {
        match written {
            Json::Null => Ok(Value::Always(false)),
            written => match maker.value(self.output(written, name)?, swapped) {
                Ok(value @ (Value::Truth(_) | Value::Always(_))) => Ok(value),
                Ok(_) => Err(format!("{name} - is no truth: ask with is_empty or a comparison")),
                Err(error) => Err(format!("{name} - {error}")),
            },
        }
    }

    /// The sets of legal moves of one colour.
    fn legal(
        &self,
        maker: &mut Maker<'_, B>,
        color: usize,
        moves: &[Moving],
        places: &mut Vec<(u8, u8)>,
        ways: &mut Vec<Way>,
        slides: &mut Vec<Slide<B::Word>>,
    ) -> Result<Vec<Value>, String> {
        let mut outputs = Vec::new();
        let mut taken: Vec<((i32, i32), u32)> = Vec::new();
        for (rule, moving) in moves.iter().enumerate() {
            let of_rule = |error: String| format!("move {} - {error}", rule + 1);
            let (rule, first) = (rule as u8, outputs.len() as u8);
            match moving {
                Moving::Place(on) => {
                    let on = maker.set(*on, false).map_err(of_rule)?;
                    places.push((first, rule));
                    outputs.push(Value::Set(on));
                }
                Moving::Step { from, onto, offsets } => {
                    let from = maker.set(*from, false).map_err(of_rule)?;
                    let onto = maker.set(*onto, false).map_err(of_rule)?;
                    for (place, &offset) in offsets[color].iter().enumerate() {
                        let reached = maker.shift(from, offset);
                        let mut to = maker.intersection(reached, onto);
                        // A move that two rules allow is the earlier rule's.
                        for &(_, earlier) in taken.iter().filter(|(known, _)| *known == offset) {
                            to = maker.difference(to, earlier);
                        }
                        taken.push((offset, to));
                        let by = [0, 1].map(|color: usize| {
                            let (down, right) = offsets[color][place];
                            down * self.geometry.columns() as i32 + right
                        });
                        ways.push(Way { rule, set: outputs.len() as u8, by });
                        outputs.push(Value::Set(to));
                    }
                }
                Moving::Slide { sets, directions } => {
                    let steps = [0, 1].map(|color: usize| {
                        directions[color].iter().map(|&direction| self.geometry.step(direction)).collect()
                    });
                    for &set in sets {
                        outputs.push(Value::Set(maker.set(set, false).map_err(of_rule)?));
                    }
                    slides.push(Slide { rule, set: first, steps });
                }
            }
        }
        Ok(outputs)
    }

    fn moving(&self, rule: usize, written: &Json) -> Result<Moving, String> {
        let set = |name: &str| self.output(&written[name], &format!("move {} {name}", rule + 1));
        Ok(match written["kind"].as_str() {
            Some("place") => Moving::Place(set("on")?),
            Some("step") => {
                let offsets = [Color::Black, Color::White].map(|color| offsets(&written["offsets"], color));
                let [black, white] = offsets;
                Moving::Step { from: set("from")?, onto: set("onto")?, offsets: [black?, white?] }
            }
            Some("slide") => {
                let way = |offset| {
                    let known = Direction::ALL.into_iter().find(|direction| direction.step() == offset);
                    known.ok_or_else(|| format!("move {} - slides go in the eight directions", rule + 1))
                };
                let [black, white] = [Color::Black, Color::White]
                    .map(|color| offsets(&written["offsets"], color)?.into_iter().map(way).collect::<Result<_, _>>());
                Moving::Slide { sets: [set("from")?, set("through")?, set("onto")?], directions: [black?, white?] }
            }
            _ => return Err(format!("move {} - its kind is to be place, step or slide", rule + 1)),
        })
    }

    /// The new own and opponent's sets of a rule that says them.
    fn effect(&self, maker: &mut Maker<'_, B>, written: &Json) -> Result<Option<[Value; 2]>, String> {
        if written["own"].is_null() && written["opponent"].is_null() {
            return Ok(None);
        }
        let own = maker.set(self.output(&written["own"], "own")?, false)?;
        let opponent = maker.set(self.output(&written["opponent"], "opponent")?, false)?;
        Ok(Some([Value::Set(own), Value::Set(opponent)]))
    }
}

/// The code of the legal moves of one colour, and for each rule that says what its moves do what they do.
///
/// What both need is kept by the one for the other, unless that takes more registers than there are.
#[allow(clippy::type_complexity)] // A code, and what the rules say, one after the other.
fn codes<B: Board>(
    maker: &Maker<'_, B>,
    legal: &[Value],
    effects: &[Option<[Value; 2]>],
) -> Result<(Code<B>, Vec<Option<Changes<B>>>), String> {
    let both = |legal: Code<B>, kept: &[Id]| {
        let kept: Vec<_> = kept.iter().copied().zip(legal.kept.iter().copied()).collect();
        let changes = |effect: &Option<[Value; 2]>| {
            let made = |values| Ok(Changes { whole: code(maker, values)?, rest: given_code(maker, values, &kept)? });
            effect.as_ref().map(|values| made(values)).transpose()
        };
        Ok((legal, effects.iter().map(changes).collect::<Result<_, String>>()?))
    };
    let others: Vec<Value> = effects.iter().flatten().flatten().cloned().collect();
    let kept = keeping_code(maker, legal, &others).and_then(|(legal, kept)| both(legal, &kept));
    kept.or_else(|_| both(code(maker, legal)?, &[]))
}

fn squares(list: &Json, count: u32, what: &str) -> Result<u128, String> {
    let Some(list) = list.as_array() else { return Err(format!("{what} - is not a list of squares")) };
    list.iter().try_fold(0, |set, value| match value.as_u64() {
        Some(square) if square < count.into() => Ok(set | 1 << square),
        _ => Err(format!("{what} - {value} is not a square: squares are 0 to {}", count - 1)),
    })
}

/// Rows down and columns to the right as a colour goes: they are written for Black, and `turned` ones are turned round for
/// White.
fn offsets(list: &Json, color: Color) -> Result<Vec<(i32, i32)>, String> {
    let wrong = || format!("offsets - {list} is not a list of [rows down, columns to the right, turned]");
    let Some(list) = list.as_array().filter(|list| !list.is_empty()) else { return Err(wrong()) };
    let read = |offset: &Json| {
        let near = |place: usize| offset[place].as_i64().filter(|by| by.abs() < 10).map(|by| by as i32);
        let (down, right, turned) = (near(0)?, near(1)?, offset[2].as_bool()?);
        let sign = if turned && color == Color::White { -1 } else { 1 };
        ((down, right) != (0, 0)).then_some((sign * down, sign * right))
    };
    list.iter().map(|offset| read(offset).ok_or_else(wrong)).collect()
}
