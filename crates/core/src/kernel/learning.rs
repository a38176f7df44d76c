//! What a compiled game's kernel learns: weights, tables, strategies before a move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::native::Native;
use super::values::Batch;
use super::{Answer, FitQuestion, LearningQuestion, OnlineQuestion, Row, TableQuestion};
use crate::bitboard::Bitboard;
use crate::learning::labels::{Fitted, fit_tables};
use crate::learning::settings::{Settings, Value};
use crate::learning::tables::{Settings as TableSettings, TableLessons, learn_tables};
use crate::learning::{Lessons, learn};
use crate::online::strategy::{Areas, Strategy};
use crate::online::tree::{FLAGS, Node, Tree};
use crate::online::{Answer as OnlineAnswer, Individual, evolve};
use crate::rules::weighted_games::Duels;

impl<G: Duels> Native<G> {
    pub(super) fn learned(
        &self,
        question: LearningQuestion<'_>,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Answer<Lessons> {
        let LearningQuestion { features, value, starts, plan, weights, coherence } = question;
        let value = value.map(|(program, places)| {
            let compiled = self.compiled(program, "value")?;
            let (program, expression) = (Arc::clone(&compiled.program), Arc::clone(&compiled.expression));
            Ok::<_, String>(Value { program, expression, places })
        });
        let settings = Settings::<G> {
            features: Arc::clone(&self.compiled(features, "features")?.program),
            value: value.transpose()?,
            starts: self.all_positions(starts)?,
            plan,
        };
        Ok(learn(&settings, weights, coherence, stop, done)??)
    }

    pub(super) fn learned_tables(
        &self,
        question: TableQuestion<'_>,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Answer<TableLessons> {
        let TableQuestion { value, starts, plan } = question;
        let compiled = self.compiled(value, "value")?;
        let settings = TableSettings::<G> { starts: self.all_positions(starts)?, plan };
        Ok(learn_tables(&settings, &compiled.expression, &compiled.program, stop, done)??)
    }

    pub(super) fn fitted_tables(&self, question: FitQuestion<'_>, stop: &AtomicBool) -> Answer<Fitted> {
        let FitQuestion { value, boards, labels, pulls, plan } = question;
        let compiled = self.compiled(value, "value")?;
        let Batch { positions, .. } = self.own::<Batch<G>>(boards, boards.game(), "position")?;
        Ok(fit_tables(positions, labels, pulls, plan, &compiled.expression, &compiled.program, stop)??)
    }

    pub(super) fn evolved_online(
        &self,
        row: &Row,
        question: &OnlineQuestion<'_>,
        stop: &AtomicBool,
    ) -> Answer<OnlineAnswer<u64>> {
        let &OnlineQuestion { areas, corners, edges, sight, settings, key, ref alpha } = question;
        let position = self.position(row)?;
        let areas = Areas::new(
            &G::geometry(self.rules),
            areas,
            Bitboard::from_bits(corners)?,
            Bitboard::from_bits(edges)?,
            sight,
        )?;
        let individual = |(nodes, weights, flags): (Vec<u32>, Vec<u32>, [bool; 3])| {
            let nodes = nodes.into_iter().map(Node).collect();
            let tree = Tree::checked(nodes, areas.count() + FLAGS + areas.measures())?;
            Ok::<_, String>(Individual { tree, strategy: Strategy { weights, flags } })
        };
        let alpha = alpha.clone().map(individual).transpose()?;
        let answer = evolve(&position, &areas, settings, key, alpha, stop)??;
        let OnlineAnswer { chosen, alpha, generation, games, roots } = answer;
        let code = |chosen| G::code(self.rules, chosen);
        let roots = roots.into_iter().map(|(chosen, score)| (code(chosen), score)).collect();
        Ok(OnlineAnswer { chosen: code(chosen), alpha, generation, games, roots })
    }
}
