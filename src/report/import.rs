//! What was read, what became of it, and what is doubtful.

use crate::import::{Doubt, Imported};

use super::Table;

/// A row for each kind of thing of each file: how many were read, mapped and doubtful.
pub fn import_table(about: &[Imported]) -> Table {
    let mut table = Table::new(["file", "format", "what", "read", "mapped", "doubtful"]);
    for imported in about {
        let format = clap::ValueEnum::to_possible_value(&imported.format);
        let format = format.map_or_else(String::new, |value| value.get_name().to_owned());
        let mut counted: Vec<&str> = Vec::new();
        for count in &imported.counts {
            counted.push(count.what);
            let doubtful = imported.doubts.iter().filter(|doubt| doubt.kind.about() == count.what).count();
            let [read, mapped, doubtful] = [count.read, count.mapped, doubtful].map(|number| number.to_string());
            table.push([name(&imported.file), format.clone(), count.what.to_owned(), read, mapped, doubtful]);
        }
        // Nothing doubtful goes uncounted, whatever it is about.
        let mut other: Vec<&Doubt> =
            imported.doubts.iter().filter(|doubt| !counted.contains(&doubt.kind.about())).collect();
        other.sort_by_key(|doubt| doubt.kind.about());
        for same in other.chunk_by(|a, b| a.kind.about() == b.kind.about()) {
            let what = same.first().map_or("", |doubt| doubt.kind.about());
            let row = [name(&imported.file), format.clone(), what.to_owned(), String::new(), String::new()];
            table.push(row.into_iter().chain([same.len().to_string()]));
        }
    }
    table
}

/// A file without its folders, which is what tells the rows apart.
fn name(file: &str) -> String {
    std::path::Path::new(file).file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A row for each doubt.
pub fn doubts_table(about: &[Imported]) -> Table {
    let mut table = Table::new(["file", "place", "kind", "about", "found", "done"]);
    for doubt in about.iter().flat_map(|imported| &imported.doubts) {
        let place = doubt.position.map_or_else(String::new, |at| format!("{}:{}", at.line, at.column));
        let (kind, subject) = (doubt.kind.words().to_owned(), doubt.subject.clone());
        table.push([name(&doubt.file), place, kind, subject, doubt.found.clone(), doubt.done.clone()]);
    }
    table
}
