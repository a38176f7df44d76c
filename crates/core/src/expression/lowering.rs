//! Lowering: from an expression to three-address register code.
//!
//! Only nodes that an output needs become code. Registers of each type are given out as values come to life and taken
//! back after their last use, so that a typical tree stays in the first level of cache.

use std::sync::Arc;

use super::branches::{Branches, Lasting};
use super::order::order_of;
use super::program::{INPUT_SETS, KINGS, Op, PatternRead, Place, Program, REGISTERS, Register};
use super::reference::check_complete;
use super::sums::Sums;
use super::{Expression, ExpressionError, Node, NodeId, Side, Type, WhenZero};
use crate::bitboard::{Bitboard, Board, Word};
use crate::geometry::Geometry;
use crate::patterns::MixedTables;
use crate::patterns::incremental::{Plan, Reading};

impl<B: Board> Program<B> {
    /// Lower an expression for the whole board of the type.
    ///
    /// # Errors
    /// An output is a set of squares, an argument is left open, or too many values are alive at once.
    pub fn new(expression: &Expression) -> Result<Self, ExpressionError> {
        Self::on(Geometry::WHOLE, expression)
    }

    /// Lower an expression for what is played on.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn on(geometry: Geometry<B>, expression: &Expression) -> Result<Self, ExpressionError> {
        check_complete(expression)?;
        // Sets that wait to be counted may be too many where numbers would not be.
        let lower = |expression: &Expression| {
            Lowering::<B>::run(geometry, expression, true).or_else(|_| Lowering::run(geometry, expression, false))
        };
        let branches = Branches::of(expression, lower)?;
        Ok(Self { branches: branches.map(Box::new), ..lower(expression)? })
    }
}

/// How often a value is still to be read, and where it is.
#[derive(Clone, Default)]
struct Life {
    readers: u32,
    register: Option<Register>,
    /// A count whose intersection is never stored: both are one operation.
    fused: bool,
    /// A count that nobody but a sum reads: both are one operation.
    added: bool,
    /// Of a sum of patterns that nobody else reads: these, which are one operation.
    patterns: Vec<NodeId>,
    /// The outputs that this value is.
    outputs: Vec<u16>,
}

struct Lowering<'a, B: Board> {
    expression: &'a Expression,
    life: Vec<Life>,
    /// Free registers of sets, numbers and truths; the last one is taken first.
    free: [Vec<Register>; 3],
    /// The node whose number was made last.
    newest: Option<NodeId>,
    program: Program<B>,
    /// The nodes of the patterns that are read.
    read_by: Vec<NodeId>,
}

impl<'a, B: Board> Lowering<'a, B> {
    fn run(
        geometry: Geometry<B>,
        expression: &'a Expression,
        adds_counts: bool,
    ) -> Result<Program<B>, ExpressionError> {
        let all = |first: u8| (first..=u8::MAX).rev().collect::<Vec<_>>();
        let mut lowering = Self {
            expression,
            life: vec![Life::default(); expression.nodes().len()],
            free: [all(INPUT_SETS), all(0), all(0)],
            newest: None,
            read_by: Vec::new(),
            program: Program {
                geometry,
                preamble: Vec::new(),
                choice: Vec::new(),
                body: Vec::new(),
                tables: expression.tables().to_vec(),
                sums: Sums::all(expression.tables(), geometry.squares()),
                patterns: Vec::new(),
                plan: None,
                constants: Vec::new(),
                outputs: expression.outputs().len(),
                reads_ply: false,
                reads_quiet_plies: false,
                reads_root: expression.nodes().iter().any(|node| matches!(node, Node::RootClock | Node::RootPly)),
                counts_moves: [false; 2],
                branches: None,
            },
        };
        let lasting = Lasting::of(expression);
        lowering.count_readers();
        if adds_counts {
            lowering.add_counts(&lasting);
        }
        lowering.place_inputs_and_constants(&lasting)?;
        lowering.emit_all()?;
        // Outputs that are inputs or constants have no operation of their own after which they could be given out.
        for output in 0..expression.nodes().len() as NodeId {
            lowering.give_out(output);
        }
        lowering.plan_patterns();
        let reads_ply = |op: &Op<B::Word>| matches!(op, Op::Ply(_));
        lowering.program.reads_ply = lowering.program.body.iter().any(reads_ply);
        let reads_quiet_plies = |op: &Op<B::Word>| matches!(op, Op::QuietPlies(_));
        lowering.program.reads_quiet_plies = lowering.program.body.iter().any(reads_quiet_plies);
        for side in [Side::Own, Side::Opponent] {
            let counts = |op: &Op<B::Word>| matches!(op, Op::NumberOfMoves(_, counted) if *counted == side);
            lowering.program.counts_moves[side as usize] = lowering.program.body.iter().any(counts);
        }
        Ok(lowering.program)
    }

    /// Plan how the indices of patterns over pieces are carried from one board to the next.
    fn plan_patterns(&mut self) {
        let (mut readings, mut next) = (Vec::new(), 0_usize);
        for (read, &id) in self.program.patterns.iter_mut().zip(&self.read_by) {
            let Node::Pattern(sets, ..) = self.expression.nodes()[id as usize] else { continue };
            let sets: Vec<_> = sets.into_iter().flatten().map(|set| self.expression.nodes()[set as usize]).collect();
            if sets.iter().all(|set| matches!(set, Node::Pieces(_) | Node::Men(_) | Node::Kings(_))) {
                let digit = |kinds: [Node; 2]| {
                    sets.iter().position(|set| kinds.contains(set)).map_or(0, |place| place as u32 + 1)
                };
                let [own, opponent] = [Side::Own, Side::Opponent].map(|side| {
                    [digit([Node::Pieces(side), Node::Men(side)]), digit([Node::Pieces(side), Node::Kings(side)])]
                });
                let digits = [own[0], opponent[0], own[1], opponent[1]];
                read.carried = u16::try_from(next).ok();
                next += read.pattern.copies().len();
                readings.push(Reading { pattern: Arc::clone(&read.pattern), digits });
            }
        }
        self.program.plan = Plan::new(&readings, self.program.geometry.squares() - 1).map(Arc::new);
        if self.program.plan.is_none() {
            self.program.patterns.iter_mut().for_each(|read| read.carried = None);
        }
    }

    /// Count who reads each value, from the outputs backwards; what nobody reads becomes no code.
    fn count_readers(&mut self) {
        for (number, &output) in self.expression.outputs().iter().enumerate() {
            self.life[output as usize].readers += 1;
            self.life[output as usize].outputs.push(number as u16);
        }
        for id in (0..self.life.len()).rev() {
            if self.life[id].readers > 0 {
                for (argument, _) in self.expression.nodes()[id].arguments() {
                    self.life[argument as usize].readers += 1;
                }
            }
        }
        // A count of an intersection that nobody else reads is one operation: the intersection is never stored.
        for id in 0..self.life.len() {
            if self.life[id].readers > 0
                && let Node::Count(set) = self.expression.nodes()[id]
                && let Node::Intersection(..) = self.expression.nodes()[set as usize]
                && self.life[set as usize].readers == 1
            {
                self.life[set as usize].readers = 0;
                self.life[id].fused = true;
            }
        }
        for id in (0..self.life.len() as NodeId).rev() {
            if self.life[id as usize].readers > 0 {
                self.fuse_patterns(id);
            }
        }
    }

    /// Make one operation of a sum and a count that it alone reads: of two counts, the second.
    fn add_counts(&mut self, lasting: &[Lasting]) {
        for id in 0..self.life.len() {
            if self.life[id].readers == 0 {
                continue;
            }
            if let Node::Add(a, b) = self.expression.nodes()[id] {
                let is_own_count = |&node: &NodeId| {
                    matches!(self.expression.nodes()[node as usize], Node::Count(_))
                        && self.life[node as usize].readers == 1
                        && lasting[node as usize] == Lasting::Board
                };
                if let Some(count) = [b, a].into_iter().find(is_own_count) {
                    let life = &mut self.life[count as usize];
                    (life.readers, life.added) = (0, true);
                }
            }
        }
    }

    /// Make one operation of a node, if it is a sum of patterns, one by one from the left, whose parts nobody else reads.
    fn fuse_patterns(&mut self, id: NodeId) {
        let is_own = |node: NodeId| self.life[node as usize].readers == 1;
        let (mut node, mut patterns, mut sums) = (id, Vec::new(), Vec::new());
        loop {
            match self.expression.nodes()[node as usize] {
                Node::Add(rest, last) if rest != last && is_own(rest) && is_own(last) => {
                    let Node::Pattern(..) = self.expression.nodes()[last as usize] else { return };
                    patterns.push(last);
                    sums.push(rest);
                    node = rest;
                }
                Node::Pattern(..) if node != id => break,
                _ => return,
            }
        }
        patterns.push(node);
        patterns.reverse();
        for &part in patterns.iter().chain(&sums) {
            self.life[part as usize].readers = 0;
        }
        self.life[id as usize].patterns = patterns;
    }

    /// Inputs have fixed registers. Constants, and what is computed once a choice, get registers that are never reused, while
    /// there are plenty.
    fn place_inputs_and_constants(&mut self, lasting: &[Lasting]) -> Result<(), ExpressionError> {
        for (id, &lasting) in lasting.iter().enumerate() {
            if self.life[id].readers == 0 {
                continue;
            }
            let node = self.expression.nodes()[id];
            let fixed = match node {
                Node::Pieces(side) => Some(pieces_of(side)),
                Node::EmptySquares => Some(2),
                Node::MovedTo => Some(3),
                _ => None,
            };
            if fixed.is_some() {
                self.life[id].register = fixed;
                self.life[id].readers = u32::MAX;
                continue;
            }
            let has_arguments = node.arguments().all(|(argument, _)| self.life[argument as usize].register.is_some());
            let room = self.free[index_of(self.expression.type_of(id as NodeId))].len();
            if lasting == Lasting::Board || !has_arguments || room <= REGISTERS / 2 {
                continue;
            }
            let op = self.operation(id as NodeId)?;
            if lasting == Lasting::Always {
                self.note_constant(id as NodeId, Place::Preamble(self.program.preamble.len()));
                self.program.preamble.push(op);
            } else {
                self.program.choice.push(op);
            }
            self.life[id].readers = u32::MAX;
        }
        Ok(())
    }

    /// Features come first, while they are few, so that arithmetic follows arithmetic and most results are read while they
    /// are the newest.
    fn emit_all(&mut self) -> Result<(), ExpressionError> {
        let nodes = self.expression.nodes();
        let mut is_feature: Vec<bool> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut arguments = node.arguments();
            is_feature.push(arguments.all(|(argument, _)| {
                is_feature[argument as usize] && self.expression.type_of(argument) != Type::Number
            }));
        }
        let waits = |life: &Life| life.readers > 0 && life.register.is_none();
        let order = order_of(self.expression);
        let waiting = order.iter().filter(|&&id| is_feature[id as usize] && waits(&self.life[id as usize]));
        let passes: &[bool] = if waiting.count() <= REGISTERS / 4 { &[true, false] } else { &[false] };
        for &only_features in passes {
            for &id in &order {
                if waits(&self.life[id as usize]) && (is_feature[id as usize] || !only_features) {
                    self.emit(id)?;
                }
            }
        }
        Ok(())
    }

    fn emit(&mut self, id: NodeId) -> Result<(), ExpressionError> {
        let op = self.operation(id)?;
        // Reading the newest number from its register would wait for the store before it.
        let node = self.expression.nodes()[id as usize];
        let newest = |argument: NodeId| self.newest == Some(argument);
        let op = match (node, op) {
            (Node::Add(a, b), Op::AddCount(to, _, set)) if newest(a) || newest(b) => Op::AddCountToNewest(to, set),
            (Node::Add(a, b), Op::AddCountIntersection(to, _, one, other)) if newest(a) || newest(b) => {
                Op::AddCountIntersectionToNewest(to, one, other)
            }
            (Node::Add(a, _), Op::Add(to, _, other)) if newest(a) => Op::AddNewest(to, other),
            (Node::Add(_, b), Op::Add(to, other, _)) if newest(b) => Op::AddNewest(to, other),
            (Node::Subtract(a, _), Op::Subtract(to, _, other)) if newest(a) => Op::SubtractFromNewest(to, other),
            (Node::Subtract(_, b), Op::Subtract(to, other, _)) if newest(b) => Op::SubtractNewest(to, other),
            (Node::Multiply(a, _), Op::Multiply(to, _, other)) if newest(a) => Op::MultiplyNewest(to, other),
            (Node::Multiply(_, b), Op::Multiply(to, other, _)) if newest(b) => Op::MultiplyNewest(to, other),
            (Node::Divide(a, _, WhenZero::One), Op::Divide(to, _, other, _)) if newest(a) => {
                Op::DivideNewest(to, other)
            }
            (Node::Divide(_, b, WhenZero::One), Op::Divide(to, other, _, _)) if newest(b) => {
                Op::DivideByNewest(to, other)
            }
            _ => op,
        };
        match (node, self.expression.type_of(id)) {
            // These are calls, in some games or in all, over which no number is kept at hand.
            (Node::Fill(..) | Node::Symmetry(..) | Node::Pattern(..) | Node::Destinations(_), _) => {
                self.newest = None;
            }
            _ if matches!(op, Op::Patterns(..)) => self.newest = None,
            (_, Type::Number) => self.newest = Some(id),
            _ => {}
        }
        self.note_constant(id, Place::Body(self.program.body.len()));
        self.program.body.push(op);
        self.give_out(id);
        Ok(())
    }

    /// Remember where a node comes to stand, if it is a constant number.
    fn note_constant(&mut self, id: NodeId, place: Place) {
        if let Node::ConstantNumber(_) = self.expression.nodes()[id as usize] {
            self.program.constants.push((id, place));
        }
    }

    /// Write the outputs that `id` is, if any, so that no register waits for the end.
    fn give_out(&mut self, id: NodeId) {
        for number in std::mem::take(&mut self.life[id as usize].outputs) {
            let register = self.read(id);
            self.program.body.push(match self.expression.type_of(id) {
                Type::Truth => Op::OutputTruth(number, register),
                _ => Op::OutputNumber(number, register),
            });
        }
    }

    /// The register of a value that is there, one reader fewer; after the last one the register is free.
    fn read(&mut self, id: NodeId) -> Register {
        let kind = index_of(self.expression.type_of(id));
        let life = &mut self.life[id as usize];
        // Every argument stands before its user and was given a register there.
        debug_assert!(life.register.is_some(), "node {id} is read before it is made");
        let register = life.register.unwrap_or_default();
        if life.readers != u32::MAX {
            life.readers -= 1;
            if life.readers == 0 {
                self.free[kind].push(register);
            }
        }
        register
    }

    /// A register for the value of `id`. It may be one that an argument has just left: every operation reads a lane before
    /// it writes it.
    fn write(&mut self, id: NodeId) -> Result<Register, ExpressionError> {
        let Some(register) = self.free[index_of(self.expression.type_of(id))].pop() else {
            return Err(ExpressionError(format!(
                "the expression keeps more than {REGISTERS} values at once: make it smaller"
            )));
        };
        self.life[id as usize].register = Some(register);
        Ok(register)
    }

    /// Note that a pattern is read here.
    fn read_pattern(&mut self, id: NodeId) {
        let Node::Pattern(arguments, pattern, list) = self.expression.nodes()[id as usize] else { return };
        let mut sets = [0; 4];
        for (register, argument) in sets.iter_mut().zip(arguments.into_iter().flatten()) {
            *register = self.read(argument);
        }
        let pattern = Arc::clone(&self.expression.patterns()[pattern as usize]);
        let mixed = pattern.is_mixed().then(|| MixedTables::new(self.program.geometry.squares()));
        self.program.patterns.push(PatternRead { pattern, list, sets, carried: None, mixed });
        self.read_by.push(id);
    }

    /// The registers of what an intersection is of that is never stored, if this count of it is one operation with it.
    fn fused(&mut self, count: NodeId, set: NodeId) -> Option<[Register; 2]> {
        match self.expression.nodes()[set as usize] {
            Node::Intersection(a, b) if self.life[count as usize].fused => Some([self.read(a), self.read(b)]),
            _ => None,
        }
    }

    /// The operation of a sum that a count is one operation with, if it is one.
    fn sum_with_count(&mut self, id: NodeId) -> Result<Option<Op<B::Word>>, ExpressionError> {
        if let Node::Add(a, b) = self.expression.nodes()[id as usize]
            && let Some(count) = [b, a].into_iter().find(|&node| self.life[node as usize].added)
            && let Node::Count(set) = self.expression.nodes()[count as usize]
        {
            let number = self.read(if count == b { a } else { b });
            if let Some([a, b]) = self.fused(count, set) {
                return Ok(Some(Op::AddCountIntersection(self.write(id)?, number, a, b)));
            }
            let set = self.read(set);
            return Ok(Some(Op::AddCount(self.write(id)?, number, set)));
        }
        Ok(None)
    }

    /// The operation of a node, registers chosen.
    fn operation(&mut self, id: NodeId) -> Result<Op<B::Word>, ExpressionError> {
        let node = self.expression.nodes()[id as usize];
        if let Node::Count(set) = node
            && let Some([a, b]) = self.fused(id, set)
        {
            return Ok(Op::CountIntersection(self.write(id)?, a, b));
        }
        if let Some(op) = self.sum_with_count(id)? {
            return Ok(op);
        }
        let mut parts = std::mem::take(&mut self.life[id as usize].patterns);
        if let Node::Pattern(..) = node {
            parts.push(id);
        }
        if !parts.is_empty() {
            let first = self.program.patterns.len();
            for &part in &parts {
                self.read_pattern(part);
            }
            return Ok(Op::Patterns(self.write(id)?, first as u16, parts.len() as u16));
        }
        let mut registers = [0; 4];
        for (place, (argument, _)) in node.arguments().enumerate() {
            registers[place] = self.read(argument);
        }
        let [a, b, c, _] = registers;
        let to = self.write(id)?;
        let kind = self.expression.type_of(id);
        Ok(match node {
            Node::ConstantSquares { squares, turned } => {
                let squares = B::Word::from_u128(squares);
                if turned {
                    Op::TurnedSquares(to, squares, self.program.geometry.symmetry(Bitboard(squares), 3).0)
                } else {
                    Op::ConstantSquares(to, squares)
                }
            }
            Node::Men(side) => Op::Difference(to, pieces_of(side), KINGS),
            Node::Kings(side) => Op::Intersection(to, pieces_of(side), KINGS),
            Node::Intersection(..) => Op::Intersection(to, a, b),
            Node::Union(..) => Op::Union(to, a, b),
            Node::Difference(..) => Op::Difference(to, a, b),
            Node::Complement(_) => Op::Complement(to, a),
            Node::First(_) => Op::First(to, a),
            Node::Shift(_, direction) => {
                let step = self.program.geometry.step(direction);
                let by = step.by.unsigned_abs() as u8;
                if step.by >= 0 { Op::ShiftUp(to, a, by, step.staying) } else { Op::ShiftDown(to, a, by, step.staying) }
            }
            Node::Fill(_, _, directions) => Op::Fill(to, a, b, directions),
            Node::Symmetry(_, index) => Op::Symmetry(to, a, index),
            Node::Destinations(side) => Op::Destinations(to, side),
            Node::ConstantNumber(bits) => Op::ConstantNumber(to, f64::from_bits(bits)),
            Node::PieceCount => Op::PieceCount(to),
            Node::Ply => Op::Ply(to),
            Node::QuietPlies => Op::QuietPlies(to),
            Node::Clock => Op::Clock(to),
            Node::RootClock => Op::RootClock(to),
            Node::RootPly => Op::RootPly(to),
            Node::Count(_) => Op::Count(to, a),
            Node::NumberOfMoves(side) => Op::NumberOfMoves(to, side),
            Node::WeightedSum(_, list, selector) => Op::WeightedSum(to, a, list, selector.map(|_| b)),
            Node::Add(..) => Op::Add(to, a, b),
            Node::Subtract(..) => Op::Subtract(to, a, b),
            Node::Multiply(..) => Op::Multiply(to, a, b),
            Node::Divide(_, _, when_zero) => Op::Divide(to, a, b, when_zero),
            Node::Minimum(..) => Op::Minimum(to, a, b),
            Node::Maximum(..) => Op::Maximum(to, a, b),
            Node::IsBlack => Op::IsBlack(to),
            Node::ConstantTruth(value) => Op::ConstantTruth(to, value),
            Node::IsOdd(_) => Op::IsOdd(to, a),
            Node::IsEmpty(_) => Op::IsEmpty(to, a),
            Node::Contains(_, square) => Op::Contains(to, a, square),
            Node::Less(..) => Op::Less(to, a, b),
            Node::LessEqual(..) => Op::LessEqual(to, a, b),
            Node::Equal(..) => Op::Equal(to, a, b),
            Node::Both(..) => Op::Both(to, a, b),
            Node::Either(..) => Op::Either(to, a, b),
            Node::Negation(_) => Op::Negation(to, a),
            Node::Select(..) => match kind {
                Type::Squares => Op::SelectSquares(to, a, b, c),
                Type::Number => Op::SelectNumber(to, a, b, c),
                Type::Truth => Op::SelectTruth(to, a, b, c),
            },
            Node::Pieces(_)
            | Node::EmptySquares
            | Node::MovedTo
            | Node::MovedFrom
            | Node::Argument(..)
            | Node::Pattern(..) => {
                return Err(ExpressionError(format!("{node:?} has no operation")));
            }
        })
    }
}

fn pieces_of(side: Side) -> Register {
    match side {
        Side::Own => 0,
        Side::Opponent => 1,
    }
}

fn index_of(kind: Type) -> usize {
    match kind {
        Type::Squares => 0,
        Type::Number => 1,
        Type::Truth => 2,
    }
}
