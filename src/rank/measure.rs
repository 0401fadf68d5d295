//! What is measured of a ranking, and by which definition.

use super::judge::Counts;
use super::{Cutoff, Row};

/// A measure of one question's ranking before a cutoff.
///
/// Where each required fact stands in one record, the first six are those of `trec_eval`, as `ir_measures` and `ranx` give
/// them: the required facts are the relevant documents. Otherwise facts are counted, not records: a fact that two records
/// carry is found with the first of them, and a record that carries two facts finds both. (`trec_eval` would want both
/// records of the first and take one of the second.) Facts that stand twice in a question's list are one fact.
///
/// All but tokens are between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Required facts that one of the candidates carries / required facts of the question. `R@k`, `recall@k`.
    Recall,
    /// 1 where a candidate carries a required fact, else 0. `Success@k`, `hit_rate@k`.
    Any,
    /// 1 where every required fact is carried, else 0: what an answer needs that puts several facts together.
    All,
    /// Candidates that carry a required fact / k, as `P@k` and `precision@k` define it: places that are not filled count as
    /// misses. Within the quota and over the whole ranking k is the number of candidates there.
    Precision,
    /// 1 / rank of the first candidate that carries a required fact; 0 where none of those before the cutoff does. `RR@k`,
    /// `mrr@k`. (`RR` without a cutoff is this over the whole ranking.)
    Mrr,
    /// Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002, with the discount 1 / log2(rank + 1) at every
    /// rank). Each required fact is a gain of 1 at the first candidate that carries it; the ideal ranking has them as early
    /// as the user's events allow (α-nDCG of Clarke et al. 2008 with α = 1, which is `nDCG@k` and `ndcg@k` where each fact
    /// stands in one record). Within the quota the ideal has room for all facts.
    Ndcg,
    /// Groups of near-duplicates / candidates (see [`super::OVERLAP`]): 1 where no line says what another one says.
    Distinct,
    /// Candidates that carry a replaced fact / candidates, over the questions that name one.
    Stale,
    /// Candidates that carry a fact that the user asked to forget / candidates, over the questions that name one.
    Forgotten,
    /// Tokens of the candidates' lines.
    Tokens,
}

impl Measure {
    /// All measures, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::Recall,
        Self::Any,
        Self::All,
        Self::Precision,
        Self::Mrr,
        Self::Ndcg,
        Self::Distinct,
        Self::Stale,
        Self::Forgotten,
        Self::Tokens,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Any => "any",
            Self::All => "all",
            Self::Precision => "precision",
            Self::Mrr => "mrr",
            Self::Ndcg => "ndcg",
            Self::Distinct => "distinct",
            Self::Stale => "stale",
            Self::Forgotten => "forgotten",
            Self::Tokens => "tokens",
        }
    }

    /// The name on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Any => "any found",
            Self::All => "all found",
            Self::Mrr => "MRR",
            Self::Ndcg => "nDCG",
            _ => self.name(),
        }
    }

    /// The name at the head of a narrow column.
    pub fn head(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::All => "all",
            _ => self.label(),
        }
    }

    /// What it counts, in a few words.
    pub fn counts(self) -> &'static str {
        match self {
            Self::Recall => "required facts found / required facts",
            Self::Any => "questions with a required fact found / questions",
            Self::All => "questions with all required facts found / questions",
            Self::Precision => "records with a required fact / k",
            Self::Mrr => "1 / rank of the first record with a required fact, 0 beyond k",
            Self::Ndcg => "gains of required facts by 1 / log2(rank + 1) / those of the ideal ranking",
            Self::Distinct => "records without near-duplicates before them / records",
            Self::Stale => "records with a replaced fact / records",
            Self::Forgotten => "records with a fact to forget / records",
            Self::Tokens => "tokens of the lines",
        }
    }

    /// Which questions it averages over, in a few words.
    pub fn over(self) -> &'static str {
        match self {
            Self::Distinct => "questions with candidates",
            Self::Stale => "questions with candidates that name a replaced fact",
            Self::Forgotten => "questions with candidates that name a fact to forget",
            Self::Tokens => "questions",
            _ => "questions with required facts",
        }
    }

    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        !matches!(self, Self::Stale | Self::Forgotten | Self::Tokens)
    }

    /// Its value for one question; none where the question is not one of those that it averages over.
    pub fn of(self, row: &Row, counts: &Counts, cutoff: Cutoff) -> Option<f64> {
        if !row.known {
            return None;
        }
        let required = row.required > 0;
        let flag = |holds: bool| f64::from(u8::from(holds));
        let share = |part: u32| (counts.filled > 0).then(|| f64::from(part) / f64::from(counts.filled));
        match self {
            Self::Recall => required.then(|| f64::from(counts.found) / f64::from(row.required)),
            Self::Any => required.then(|| flag(counts.found > 0)),
            Self::All => required.then(|| flag(counts.found == row.required)),
            Self::Precision if !required => None,
            Self::Precision => match cutoff {
                Cutoff::First(k) => Some(f64::from(counts.relevant) / k as f64),
                // No line, no wrong line; but nothing right either.
                Cutoff::Quota | Cutoff::Whole => Some(share(counts.relevant).unwrap_or(0.0)),
            },
            Self::Mrr => required.then(|| if counts.first > 0 { 1.0 / f64::from(counts.first) } else { 0.0 }),
            Self::Ndcg => required.then_some(counts.ndcg),
            Self::Distinct => share(counts.distinct),
            Self::Stale => share(counts.stale).filter(|_| row.names_stale),
            Self::Forgotten => share(counts.forgotten).filter(|_| row.names_forgotten),
            Self::Tokens => Some(f64::from(counts.tokens)),
        }
    }
}
