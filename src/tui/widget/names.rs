//! Names of strategies, told apart in few columns: what several names begin with alike is left out where they would not fit,
//! since it is their ends that tell them apart.

use crate::text::{displayable, truncate_with, width};

/// Names in one row of so many columns.
pub fn in_one_row(names: &[&str], columns: usize, mark: &str) -> Vec<String> {
    let names = shown(names);
    names.iter().map(|name| truncate_with(&short(name, &names, columns, mark), columns, mark).into_owned()).collect()
}

/// Names in two rows of so many columns each; the first row is empty where one will do.
pub fn in_two_rows(names: &[&str], columns: usize, mark: &str) -> Vec<[String; 2]> {
    let names = shown(names);
    let short = |name: &String| short(name, &names, columns, mark);
    // One row will do where all names fit so; else those stay whole that fit into two.
    if names.iter().all(|name| width(&short(name)) <= columns) {
        return names.iter().map(|name| [String::new(), short(name)]).collect();
    }
    let head = |name: &String| {
        let whole = in_two(name, columns, mark);
        let is_whole = whole.iter().map(String::len).sum::<usize>() == name.len();
        if is_whole { whole } else { in_two(&short(name), columns, mark) }
    };
    names.iter().map(head).collect()
}

fn shown(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| displayable(name).into_owned()).collect()
}

/// A name without what it begins with like others, where the whole does not fit.
fn short(name: &str, names: &[String], columns: usize, mark: &str) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let rest = name.get(shared(name, names)..).unwrap_or(name);
    if rest.len() < name.len() { format!("{mark}{rest}") } else { rest.to_owned() }
}

/// Bytes of the longest beginning that a name shares with another one, up to the last joint in it; 0 where that is short.
fn shared(name: &str, names: &[String]) -> usize {
    let with = |other: &String| -> usize {
        if other == name {
            return 0;
        }
        let alike = name.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        let joint = name.get(..alike).and_then(|begun| begun.rfind(is_joint));
        joint.map_or(0, |joint| joint + 1)
    };
    // The shortest one that a group of names shares keeps more of each, the longest tells more apart.
    let longest = names.iter().map(with).max().unwrap_or(0);
    let group: Vec<usize> = names.iter().map(with).filter(|bytes| *bytes > 0).collect();
    let common = group.iter().min().copied().unwrap_or(0);
    let bytes = if common >= WORTH { common } else { longest };
    if bytes >= WORTH { bytes } else { 0 }
}

/// A shared beginning of fewer bytes is not worth its mark.
const WORTH: usize = 4;

fn is_joint(c: char) -> bool {
    matches!(c, '-' | '_' | ' ' | '/' | '.' | ':')
}

/// A name in two rows, broken behind a joint where there is one.
fn in_two(name: &str, columns: usize, mark: &str) -> [String; 2] {
    if width(name) <= columns {
        return [String::new(), name.to_owned()];
    }
    let joints = name.char_indices().filter(|(_, c)| is_joint(*c)).map(|(at, c)| at + c.len_utf8());
    let fits = |at: &usize| name.get(..*at).is_some_and(|first| width(first) <= columns);
    let at = joints.rev().find(fits).filter(|at| *at > mark.len());
    // The longest beginning that fits, where no joint does.
    let at = at.or_else(|| name.char_indices().map(|(at, _)| at).rev().find(fits)).unwrap_or(0);
    let (first, second) = name.split_at_checked(at).unwrap_or(("", name));
    [first.to_owned(), truncate_with(second, columns, mark).into_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_are_told_apart_by_their_ends() {
        let names = [
            "recency",
            "managed-relevant",
            "whole-context-gpt-1.1-mini-cot",
            "whole-context-gpt-1.1-mini-memo",
            "whole-context-gpt-2o-mini-cot",
        ];
        let found: Vec<String> = in_two_rows(&names, 8, "…").into_iter().map(|rows| rows.join("|")).collect();
        assert_eq!(found, ["|recency", "managed-|relevant", "…1.1-|mini-cot", "…1.1-|mini-me…", "…2o-|mini-cot"]);
        assert_eq!(in_two_rows(&names, 40, "…")[2], ["", names[2]]);
        let few = ["managed-all", "managed-relevant", "append-all"];
        let rows: Vec<String> = in_two_rows(&few, 12, "…").into_iter().map(|rows| rows.join("|")).collect();
        assert_eq!(rows, ["|managed-all", "|…relevant", "|append-all"]);
        assert_eq!(in_two_rows(&few, 8, "…")[1], ["managed-", "relevant"], "whole, where it takes two rows anyway");
    }

    #[test]
    fn one_row_keeps_the_ends_of_names_that_begin_alike() {
        let names = ["recency", "whole-context-gpt-1.1-mini-cot", "whole-context-gpt-1.1-mini-memo"];
        assert_eq!(in_one_row(&names, 20, "…"), ["recency", "…cot", "…memo"]);
        assert_eq!(in_one_row(&names, 40, "…"), names);
        assert_eq!(in_one_row(&names, 4, "~"), ["rec~", "~cot", "~me~"]);
    }

    #[test]
    fn any_name_fits() {
        for name in ["", "x", "漢字漢字漢字漢字漢字", "👩‍🔬👩‍🔬👩‍🔬👩‍🔬👩‍🔬", "a\u{202e}b\u{1b}[2Jc-d-e-f"]
        {
            for columns in 0..12 {
                let [first, second] = &in_two_rows(&[name, "漢字漢字漢字"], columns, "…")[0];
                assert!(width(first) <= columns && width(second) <= columns.max(1), "{name:?} in {columns}");
                assert!(!first.contains('\u{1b}') && !second.contains('\u{202e}'));
            }
        }
    }
}
