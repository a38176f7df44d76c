//! Where the values of code are kept: registers are given out as values come to life and taken back after their last use.

use evoply_core::bitboard::{Board, Direction, Word};
use evoply_core::expression::Node;

use crate::code::{Code, FREE, INPUTS, MOST_KEPT, NOTHING, Number, Op, Output, PLAYABLE, REGISTERS, Ray, Register};
use crate::lowering::{Figure, Id, Made, Maker, Value};

/// The most bits that a machine shifts by.
const MOST_SHIFT: u32 = 63;

/// The code that makes some values.
pub(crate) fn code<B: Board>(maker: &Maker<'_, B>, outputs: &[Value]) -> Result<Code<B>, String> {
    Coder::new(maker).run(outputs, &[], &[])
}

/// The same of what other code needs too, which `keeps` some of what it makes anyway; and those.
///
/// They are what `others` read that the board alone decides.
pub(crate) fn keeping_code<B: Board>(
    maker: &Maker<'_, B>,
    outputs: &[Value],
    others: &[Value],
) -> Result<(Code<B>, Vec<Id>), String> {
    let mut coder = Coder::new(maker);
    coder.count_readers(outputs);
    let is_made = |id: Id| id >= Id::from(INPUTS) && coder.readers[id as usize] > 0 && !coder.fused[id as usize];
    let mut depends_on_move: Vec<bool> = Vec::with_capacity(maker.made.len());
    for (id, made) in maker.made.iter().enumerate() {
        let mut arguments = coder.arguments(id as Id).into_iter();
        let depends = matches!(made, Made::Input(2..)) || arguments.any(|argument| depends_on_move[argument as usize]);
        depends_on_move.push(depends);
    }
    let (mut kept, mut entered) = (Vec::new(), vec![false; maker.made.len()]);
    let mut stack: Vec<Id> = others.iter().flat_map(ids_of).collect();
    while let Some(id) = stack.pop() {
        let made = &maker.made[id as usize];
        if std::mem::replace(&mut entered[id as usize], true) || matches!(made, Made::Constant(_)) {
            continue;
        }
        if kept.len() < MOST_KEPT && !made.gives_truth() && is_made(id) && !depends_on_move[id as usize] {
            kept.push(id);
        } else {
            stack.extend(coder.arguments(id));
        }
    }
    Ok((Coder::new(maker).run(outputs, &kept, &[])?, kept))
}

/// The code that makes some values and finds others where [`keeping_code`] has kept them, and leaves them there.
pub(crate) fn given_code<B: Board>(
    maker: &Maker<'_, B>,
    outputs: &[Value],
    given: &[(Id, Register)],
) -> Result<Code<B>, String> {
    Coder::new(maker).run(outputs, &[], given)
}

/// Makes operations of values, each once.
struct Coder<'a, B: Board> {
    maker: &'a Maker<'a, B>,
    ops: Vec<Op<B::Word>>,
    /// Where values are.
    places: Vec<Option<Register>>,
    /// How often each value is still to be read.
    readers: Vec<u32>,
    /// Values that are made by the operation that reads them; see [`Self::may_be_fused`].
    fused: Vec<bool>,
    /// Free registers of sets and of truths.
    free: [Vec<Register>; 2],
}

impl<'a, B: Board> Coder<'a, B> {
    fn new(maker: &'a Maker<'a, B>) -> Self {
        let (count, last) = (maker.made.len(), REGISTERS as u8);
        let mut places = vec![None; count];
        (0..INPUTS).for_each(|input| places[usize::from(input)] = Some(input));
        let free = [(FREE..last).rev().collect(), (0..last).rev().collect()];
        Self { maker, ops: Vec::new(), places, readers: vec![0; count], fused: vec![false; count], free }
    }

    /// Who reads what, from the results backwards, and what is one operation with its reader.
    fn count_readers(&mut self, outputs: &[Value]) {
        for id in outputs.iter().flat_map(ids_of) {
            self.readers[id as usize] += 1;
        }
        for id in (0..self.maker.made.len() as Id).rev() {
            // What is given needs no arguments.
            if self.readers[id as usize] > 0 && self.places[id as usize].is_none() {
                self.arguments(id).into_iter().for_each(|argument| self.readers[argument as usize] += 1);
            }
        }
        // Inputs stay, and so do results, which nobody has read before the end.
        self.readers[..usize::from(INPUTS)].fill(u32::MAX);
        for id in 0..self.maker.made.len() {
            if self.readers[id] > 0
                && let Some(&one) =
                    self.arguments(id as Id).iter().find(|&&one| self.may_be_fused(one, &self.maker.made[id]))
            {
                self.fused[one as usize] = true;
            }
        }
    }

    /// Whether a value that nobody else reads is one operation with its reader: a shift with an intersection, or with a fill the
    /// same way; these, shifts and fills in one direction with a union. Machines spend more on reading an operation than on doing it.
    fn may_be_fused(&self, id: Id, reader: &Made<B::Word>) -> bool {
        let (readers, is_there) = (self.readers[id as usize], self.places[id as usize].is_some());
        let made = &self.maker.made[id as usize];
        readers == 1
            && !is_there
            && match (reader, made) {
                (Made::Intersection(..) | Made::Union(..), &Made::Shift(_, offset)) => self.is_near(offset),
                (&Made::Fill(start, _, bits), &Made::Shift(_, offset)) => {
                    start == id && only_way(bits).is_some_and(|way| way.step() == offset)
                }
                (Made::Union(..), Made::Intersection(a, b)) => [a, b].into_iter().any(|&one| self.fused[one as usize]),
                (Made::Union(..), &Made::Fill(_, _, bits)) => only_way(bits).is_some(),
                _ => false,
            }
    }

    fn is_near(&self, offset: (i32, i32)) -> bool {
        self.maker.geometry.offset(offset).by.unsigned_abs() <= MOST_SHIFT
    }

    fn is_fused(&self, id: Id) -> bool {
        self.fused[id as usize] && self.places[id as usize].is_none()
    }

    /// Which of two arguments is made by the operation itself, and the other one.
    fn fused_of(&self, a: Id, b: Id) -> Option<(Id, Id)> {
        if self.is_fused(a) { Some((a, b)) } else { self.is_fused(b).then_some((b, a)) }
    }

    fn run(mut self, outputs: &[Value], keeps: &[Id], given: &[(Id, Register)]) -> Result<Code<B>, String> {
        // Step 1. What is there, and who reads what.
        for &(id, place) in given {
            self.places[id as usize] = Some(place);
            self.free[0].retain(|&free| free != place);
        }
        let needed: Vec<Value> = outputs.iter().cloned().chain(keeps.iter().map(|&id| Value::Set(id))).collect();
        self.count_readers(&needed);
        for &(id, _) in given {
            self.readers[id as usize] = u32::MAX;
        }
        // Step 2. The operations, arguments first.
        let (mut found, mut number) = (Vec::new(), None);
        for output in outputs {
            found.push(match output {
                Value::Set(id) => Output::Set(self.make(*id)?),
                Value::Truth(id) => Output::Truth(self.make(*id)?),
                Value::Always(holds) => Output::Always(*holds),
                Value::Number(figure) => {
                    for id in counts_of(figure) {
                        self.make(id)?;
                    }
                    number = Some(self.number(figure));
                    Output::Number
                }
            });
        }
        let kept = keeps.iter().map(|&id| self.make(id)).collect::<Result<_, _>>()?;
        let geometry = *self.maker.geometry;
        Ok(Code { geometry, ops: self.ops.into(), outputs: found.into(), number, kept })
    }

    fn arguments(&self, id: Id) -> Vec<Id> {
        match self.maker.made[id as usize] {
            Made::Input(_) | Made::Constant(_) => Vec::new(),
            Made::Shift(a, _)
            | Made::Symmetry(a, _)
            | Made::First(a)
            | Made::IsEmpty(a)
            | Made::IsOdd(a)
            | Made::Negation(a) => vec![a],
            Made::Intersection(a, b)
            | Made::Union(a, b)
            | Made::Difference(a, b)
            | Made::Fill(a, b, _)
            | Made::Both(a, b)
            | Made::Either(a, b) => vec![a, b],
            Made::Select(a, b, c) => vec![a, b, c],
            Made::Compare(number) => {
                let (_, a, b) = &self.maker.comparisons[number];
                [counts_of(a), counts_of(b)].concat()
            }
        }
    }

    /// Make a value that is to stay until it was read.
    fn make(&mut self, root: Id) -> Result<Register, String> {
        let mut stack = vec![(root, false)];
        while let Some((id, arguments_done)) = stack.pop() {
            if self.places[id as usize].is_some() || (self.fused[id as usize] && arguments_done) {
                continue;
            }
            if arguments_done {
                self.emit(id)?;
                continue;
            }
            stack.push((id, true));
            let arguments = self.arguments(id);
            stack.extend(arguments.into_iter().rev().map(|argument| (argument, false)));
        }
        Ok(self.places[root as usize].unwrap_or_default())
    }

    fn emit(&mut self, id: Id) -> Result<(), String> {
        let made = self.maker.made[id as usize];
        // An operation reads what the values would have read that it makes itself.
        let (inner, with) = match made {
            Made::Union(a, b) => self.fused_of(a, b),
            _ => None,
        }
        .map_or((made, None), |(inner, with)| (self.maker.made[inner as usize], Some(with)));
        let (moved, into) = match inner {
            Made::Intersection(a, b) => self.fused_of(a, b),
            _ => None,
        }
        .map_or((inner, None), |(moved, into)| (self.maker.made[moved as usize], Some(into)));
        if let Made::Shift(from, offset) = moved
            && self.is_near(offset)
        {
            let from = self.read(from);
            let into = into.map_or(PLAYABLE, |id| self.read(id));
            let with = with.map_or(NOTHING, |id| self.read(id));
            let (to, step) = (self.write(id)?, self.maker.geometry.offset(offset));
            let by = step.by.unsigned_abs();
            self.ops.push(if step.by > 0 {
                Op::ShiftUp(to, from, into, with, by, step.staying)
            } else {
                Op::ShiftDown(to, from, into, with, by, step.staying)
            });
            return Ok(());
        }
        if let Made::Fill(start, through, bits) = inner
            && let Some(way) = only_way(bits)
        {
            let (start, is_moved) = match self.maker.made[start as usize] {
                Made::Shift(from, _) if self.is_fused(start) => (from, true),
                _ => (start, false),
            };
            let (start, through) = (self.read(start), self.read(through));
            let with = with.map_or(NOTHING, |id| self.read(id));
            let to = self.write(id)?;
            self.ops.push(self.ray(to, way, Ray { start, through, with, is_moved, ..Ray::default() }));
            return Ok(());
        }
        let registers: Vec<Register> = match made {
            Made::Compare(_) => Vec::new(),
            _ => self.arguments(id).into_iter().map(|argument| self.read(argument)).collect(),
        };
        let at = |place: usize| registers[place];
        let op = |to: Register, this: &mut Self| match made {
            Made::Input(_) => Op::Constant(to, B::Word::ZERO),
            Made::Constant(word) => Op::Constant(to, word),
            Made::Intersection(..) => Op::Intersection(to, at(0), at(1)),
            Made::Union(..) => Op::Union(to, at(0), at(1)),
            Made::Difference(..) => Op::Difference(to, at(0), at(1)),
            Made::Shift(_, offset) => Op::ShiftFar(to, at(0), this.maker.geometry.offset(offset)),
            Made::Fill(_, _, bits) => this.fill(to, at(0), at(1), bits),
            Made::Symmetry(_, index) => Op::Symmetry(to, at(0), index),
            Made::First(_) => Op::First(to, at(0)),
            Made::Select(..) => Op::Select(to, at(0), at(1), at(2)),
            Made::IsEmpty(_) => Op::IsEmpty(to, at(0)),
            Made::IsOdd(_) => Op::IsOdd(to, at(0)),
            Made::Negation(_) => Op::Negation(to, at(0)),
            Made::Both(..) => Op::Both(to, at(0), at(1)),
            Made::Either(..) => Op::Either(to, at(0), at(1)),
            Made::Compare(number) => {
                let (comparison, a, b) = this.maker.comparisons[number].clone();
                Op::Compare(to, comparison, this.number(&a), this.number(&b))
            }
        };
        // A result never takes the place of what a loop still reads.
        let to = self.write(id)?;
        let op = op(to, self);
        self.ops.push(op);
        Ok(())
    }

    fn ray(&self, to: Register, way: Direction, ray: Ray<B::Word>) -> Op<B::Word> {
        let board = self.maker.geometry;
        let step = board.step(way);
        let is_long = board.rows().max(board.columns()) > 8;
        let ray = Ray { is_long, by: step.by.unsigned_abs(), reached: step.of(B::FULL, |mask| mask), ..ray };
        if step.by > 0 { Op::RayUp(to, ray) } else { Op::RayDown(to, ray) }
    }

    fn fill(&self, to: Register, start: Register, through: Register, bits: u8) -> Op<B::Word> {
        let steps = ways(bits).map(|way| self.maker.geometry.step(way)).collect();
        Op::Fill(to, start, through, steps)
    }

    fn number(&mut self, figure: &Figure) -> Number {
        match figure {
            Figure::Constant(value) => Number::Constant(*value),
            Figure::Count(id) => Number::Count(self.read(*id)),
            Figure::Pair(operation, pair) => {
                let pair = Box::new([self.number(&pair[0]), self.number(&pair[1])]);
                match operation {
                    Node::Add(..) => Number::Add(pair),
                    Node::Subtract(..) => Number::Subtract(pair),
                    Node::Multiply(..) => Number::Multiply(pair),
                    Node::Divide(_, _, when_zero) => Number::Divide(pair, *when_zero),
                    Node::Minimum(..) => Number::Minimum(pair),
                    _ => Number::Maximum(pair),
                }
            }
        }
    }

    fn kind(&self, id: Id) -> usize {
        usize::from(self.maker.made[id as usize].gives_truth())
    }

    /// The register of a value, one reader fewer; after the last one it is free.
    fn read(&mut self, id: Id) -> Register {
        let (kind, register) = (self.kind(id), self.places[id as usize].unwrap_or_default());
        let readers = &mut self.readers[id as usize];
        if *readers != u32::MAX {
            *readers -= 1;
            if *readers == 0 {
                self.free[kind].push(register);
            }
        }
        register
    }

    fn write(&mut self, id: Id) -> Result<Register, String> {
        let kind = self.kind(id);
        let register = self.free[kind].pop().ok_or_else(|| {
            format!("the rules keep more than {REGISTERS} sets at once: make their expressions smaller")
        })?;
        self.places[id as usize] = Some(register);
        Ok(register)
    }
}

/// The directions of a fill.
fn ways(bits: u8) -> impl Iterator<Item = Direction> {
    Direction::ALL.into_iter().filter(move |&way| bits >> way as u8 & 1 == 1)
}

/// The direction of a fill that has one.
fn only_way(bits: u8) -> Option<Direction> {
    if bits.is_power_of_two() { ways(bits).next() } else { None }
}

/// The values that a result is made of.
fn ids_of(value: &Value) -> Vec<Id> {
    match value {
        Value::Set(id) | Value::Truth(id) => vec![*id],
        Value::Always(_) => Vec::new(),
        Value::Number(figure) => counts_of(figure),
    }
}

/// The sets that a number counts, each as often as it does.
fn counts_of(figure: &Figure) -> Vec<Id> {
    match figure {
        Figure::Constant(_) => Vec::new(),
        Figure::Count(id) => vec![*id],
        Figure::Pair(_, pair) => pair.iter().flat_map(counts_of).collect(),
    }
}
