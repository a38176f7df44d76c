//! Where the values of code are kept: registers are given out as values come to life and taken back after their last use.

use evoply_core::bitboard::{Board, Direction, Word};
use evoply_core::expression::Node;

use crate::code::{Code, INPUTS, Into, MOST_KEPT, Number, Op, Output, REGISTERS, Register};
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

/// The code that makes some values and is given others, which [`keeping_code`] has kept.
pub(crate) fn given_code<B: Board>(maker: &Maker<'_, B>, outputs: &[Value], given: &[Id]) -> Result<Code<B>, String> {
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
    /// Shifts that are one operation with the intersection that reads them.
    fused: Vec<bool>,
    /// Free registers of sets and of truths.
    free: [Vec<Register>; 2],
}

impl<'a, B: Board> Coder<'a, B> {
    fn new(maker: &'a Maker<'a, B>) -> Self {
        let (count, last) = (maker.made.len(), REGISTERS as u8);
        let mut places = vec![None; count];
        (0..INPUTS).for_each(|input| places[usize::from(input)] = Some(input));
        let free = [(INPUTS..last).rev().collect(), (0..last).rev().collect()];
        Self { maker, ops: Vec::new(), places, readers: vec![0; count], fused: vec![false; count], free }
    }

    /// Who reads what, from the results backwards, and which shifts are one operation with their reader.
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
                && let Made::Intersection(a, b) = self.maker.made[id]
            {
                let is_shift = |id: &&Id| match self.maker.made[**id as usize] {
                    Made::Shift(_, offset) => {
                        let by = self.maker.geometry.offset(offset).by;
                        let is_there = self.places[**id as usize].is_some();
                        by.unsigned_abs() <= MOST_SHIFT && self.readers[**id as usize] == 1 && !is_there
                    }
                    _ => false,
                };
                if let Some(&shift) = [a, b].iter().find(is_shift) {
                    self.fused[shift as usize] = true;
                }
            }
        }
    }

    fn run(mut self, outputs: &[Value], keeps: &[Id], given: &[Id]) -> Result<Code<B>, String> {
        // Step 1. What is there, and who reads what.
        let given_places: Box<[Register]> = given.iter().filter_map(|_| self.free[0].pop()).collect();
        for (&id, &place) in given.iter().zip(&given_places) {
            self.places[id as usize] = Some(place);
        }
        let needed: Vec<Value> = outputs.iter().cloned().chain(keeps.iter().map(|&id| Value::Set(id))).collect();
        self.count_readers(&needed);
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
        Ok(Code { geometry, ops: self.ops.into(), outputs: found.into(), number, kept, given: given_places })
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
        // An intersection that takes a shift with it reads what the shift would have read.
        if let Made::Intersection(a, b) = made
            && let Some(shift) =
                [a, b].into_iter().find(|&id| self.fused[id as usize] && self.places[id as usize].is_none())
            && let Made::Shift(from, offset) = self.maker.made[shift as usize]
        {
            let other = if shift == a { b } else { a };
            let (from, other) = (self.read(from), self.read(other));
            let to = self.write(id)?;
            self.ops.push(self.shift(to, from, offset, Into::Set(other)));
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
            Made::Shift(_, offset) => this.shift(to, at(0), offset, Into::Playable),
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

    fn shift(&self, to: Register, from: Register, offset: (i32, i32), into: Into) -> Op<B::Word> {
        let step = self.maker.geometry.offset(offset);
        let by = step.by.unsigned_abs();
        match (step.by > 0, by > MOST_SHIFT) {
            (true, false) => Op::ShiftUp(to, from, by, step.staying, into),
            (false, false) => Op::ShiftDown(to, from, by, step.staying, into),
            (_, true) => Op::ShiftFar(to, from, step),
        }
    }

    fn fill(&self, to: Register, start: Register, through: Register, bits: u8) -> Op<B::Word> {
        let board = self.maker.geometry;
        let steps: Vec<_> =
            Direction::ALL.into_iter().filter(|&way| bits >> way as u8 & 1 == 1).map(|way| board.step(way)).collect();
        if let [step] = steps[..] {
            let (reached, by) = (step.of(B::FULL, |mask| mask), step.by.unsigned_abs());
            let is_long = board.rows().max(board.columns()) > 8;
            return if step.by > 0 {
                Op::RayUp(to, start, through, by, reached, is_long)
            } else {
                Op::RayDown(to, start, through, by, reached, is_long)
            };
        }
        Op::Fill(to, start, through, steps.into())
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
