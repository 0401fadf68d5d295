//! What a record rests on and what rests on it, as two small trees.

use std::collections::BTreeSet;

use serde::Serialize;

use super::error::Result;
use super::{Record, Scope, Store};

/// Branches that are followed at most: beyond them a tree is no longer read by anybody.
const MOST: usize = 1000;

/// A record between what it rests on and what rests on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lineage {
    /// The record.
    pub record: Record,
    /// What it rests on.
    pub above: Vec<Branch>,
    /// What rests on it.
    pub below: Vec<Branch>,
    /// Whether there is more than was followed.
    pub cut: bool,
}

/// A record of a lineage, with those beyond it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Branch {
    /// The record; without its text where it is not the reader's to read.
    pub record: Record,
    /// Whether it stands in this tree before: then it is not followed again.
    pub again: bool,
    /// Those beyond it: what it rests on, or what rests on it.
    pub branches: Vec<Branch>,
}

/// A line of a drawn tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeLine<'a> {
    /// For each level down to the record's own, whether the branch there is the last of its siblings.
    pub last: Vec<bool>,
    /// The record and whether it stands in the tree before.
    pub branch: &'a Branch,
}

impl TreeLine<'_> {
    /// The strokes before the record, three columns a level.
    pub fn strokes(&self, ascii: bool) -> String {
        let (pipe, tee, corner) = if ascii { ("|  ", "|- ", "`- ") } else { ("│  ", "├─ ", "└─ ") };
        let mut strokes = String::new();
        for (level, last) in self.last.iter().enumerate() {
            let own = level + 1 == self.last.len();
            strokes.push_str(match (own, last) {
                (true, true) => corner,
                (true, false) => tee,
                (false, true) => "   ",
                (false, false) => pipe,
            });
        }
        strokes
    }
}

/// The lines of a tree, each record after the one that leads to it.
pub fn tree(branches: &[Branch]) -> Vec<TreeLine<'_>> {
    fn walk<'a>(branches: &'a [Branch], way: &mut Vec<bool>, lines: &mut Vec<TreeLine<'a>>) {
        for (place, branch) in branches.iter().enumerate() {
            way.push(place + 1 == branches.len());
            lines.push(TreeLine { last: way.clone(), branch });
            walk(&branch.branches, way, lines);
            way.pop();
        }
    }
    let mut lines = Vec::new();
    walk(branches, &mut Vec::new(), &mut lines);
    lines
}

impl Store {
    /// The lineage of a record that a reader may see, at every depth in both directions. Of others' records in it, only that
    /// they are there is told.
    ///
    /// # Errors
    /// If SQLite refuses or a stored value is none of this program's.
    pub fn lineage(&self, id: &str, reader: &Scope) -> Result<Option<Lineage>> {
        let view = self.connection.unchecked_transaction()?;
        let Some(record) = self.record(id)?.filter(|record| reader.reads(&record.scope)) else { return Ok(None) };
        let mut walk = Walk { store: self, reader, left: MOST, cut: false };
        let mut seen = BTreeSet::from([id.to_owned()]);
        let above = walk.beyond(id, true, &mut seen)?;
        let mut seen = BTreeSet::from([id.to_owned()]);
        let below = walk.beyond(id, false, &mut seen)?;
        drop(view);
        Ok(Some(Lineage { record, above, below, cut: walk.cut }))
    }
}

struct Walk<'a> {
    store: &'a Store,
    reader: &'a Scope,
    left: usize,
    cut: bool,
}

impl Walk<'_> {
    fn beyond(&mut self, id: &str, up: bool, seen: &mut BTreeSet<String>) -> Result<Vec<Branch>> {
        let ids = if up { self.store.parents(id)? } else { self.store.children(id)? };
        let mut branches = Vec::new();
        for id in ids {
            let Some(left) = self.left.checked_sub(1) else {
                self.cut = true;
                break;
            };
            self.left = left;
            let Some(record) = self.store.record(&id)? else { continue };
            let again = !seen.insert(id.clone());
            let further = if again { Vec::new() } else { self.beyond(&id, up, seen)? };
            branches.push(Branch { record: record.seen_by(self.reader), again, branches: further });
        }
        Ok(branches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::governed::scenario::Scenarios;
    use crate::governed::scenario::tests::after;

    fn drawn(branches: &[Branch]) -> Vec<String> {
        let line = |line: TreeLine<'_>| {
            let again = if line.branch.again { " again" } else { "" };
            let text = line.branch.record.value.as_deref().unwrap_or("-");
            format!("{}{text}{again}", line.strokes(true))
        };
        tree(branches).into_iter().map(line).collect()
    }

    #[test]
    fn a_record_stands_between_what_it_rests_on_and_what_rests_on_it() {
        let store = after("deletion of one of three contributors", 8);
        let mina = Scope::new("acme", Some("mina".into())).unwrap();
        let skill = store.lineage("a03b631248c8", &mina).unwrap().unwrap();
        assert_eq!(
            drawn(&skill.above),
            ["|- receipts one to three attached, closed", "|- -", "`- -"],
            "others' words are theirs"
        );
        assert_eq!(skill.below, []);
        let episode = store.lineage("4858c574e99f", &mina).unwrap().unwrap();
        assert_eq!(episode.below.len(), 4);
        assert!(!episode.cut);
        let li = Scope::new("acme", Some("li".into())).unwrap();
        assert_eq!(store.lineage("4858c574e99f", &li).unwrap(), None, "not li's to see");
        assert_eq!(store.lineage("nothing", &li).unwrap(), None);
    }

    #[test]
    fn what_stands_in_a_tree_before_is_not_followed_again() {
        let read = Scenarios::load(&crate::bundled::governed()).unwrap();
        let scenario = read.scenarios.iter().find(|scenario| scenario.name == "summaries of summaries").unwrap();
        let store = after("summaries of summaries", scenario.steps.len());
        let mina = Scope::new("acme", Some("mina".into())).unwrap();
        for record in store.records().unwrap() {
            if let Some(lineage) = store.lineage(&record.id, &mina).unwrap() {
                let lines = tree(&lineage.below);
                let mut ids: Vec<_> =
                    lines.iter().filter(|line| !line.branch.again).map(|line| &line.branch.record.id).collect();
                let all = ids.len();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), all);
            }
        }
    }
}
