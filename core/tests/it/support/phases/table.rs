//! The text of the table; each test knows its part.

use std::collections::BTreeMap;

use super::{Call, Cell, End, Phase, phases};

/// The text of each cell, by phase and end.
pub type Blocks = BTreeMap<(String, String), String>;

const HEAD: &str = include_str!("head.txt");

/// The text of the cells of `ends`; calls with the same end share lines.
pub fn blocks(
    phases: &[Phase],
    ends: &[End],
    cells: &BTreeMap<(&'static str, End, Call), Cell>,
) -> Blocks {
    let all = phases.iter().flat_map(|phase| ends.iter().map(move |end| (phase, *end)));
    let text = |(phase, end): (&Phase, End)| {
        let mut text = String::new();
        if let Some(reason) = phase.never(end) {
            text.push_str(&format!("    never: {reason}\n"));
        }
        let mut groups: Vec<Vec<(Call, &Cell)>> = Vec::new();
        for call in phase.calls {
            let Some(cell) = cells.get(&(phase.name, end, *call)) else { continue };
            match groups.iter_mut().find(|group| group[0].1.lines == cell.lines) {
                Some(group) => group.push((*call, cell)),
                None => groups.push(vec![(*call, cell)]),
            }
        }
        groups.iter().for_each(|group| text.push_str(&text_of(group)));
        ((phase.name.to_owned(), end.name().to_owned()), text)
    };
    all.map(text).collect()
}

/// The text of calls that differ in their entries alone.
fn text_of(group: &[(Call, &Cell)]) -> String {
    let names: Vec<_> = group.iter().map(|(call, _)| call.name()).collect();
    let entries: Vec<_> =
        group.iter().filter_map(|(call, cell)| Some((call, cell.entry.as_ref()?))).collect();
    let is_same = entries.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let entry = match &*entries {
        [] => None,
        [(_, entry), ..] if is_same => Some((*entry).clone()),
        _ => {
            let each = entries.iter().map(|(call, entry)| format!("{entry} ({})", call.name()));
            Some(each.collect::<Vec<_>>().join(", "))
        }
    };
    let entry = entry.map_or(String::new(), |entry| format!("entry {entry}; "));
    let lines = group[0].1.lines.join("\n      ");
    format!("    {}: {entry}{lines}\n", names.join(", "))
}

/// Compares these cells with the table in the file at `path`, or writes them into it.
pub fn compare(path: &str, own: &Blocks) {
    let known = std::fs::read_to_string(path).unwrap_or_default();
    let table = merged(&known, own);
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(path, &table).unwrap();
    }
    for (line, expected) in table.lines().zip(known.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(table, known);
}

/// The table `old` with these cells.
fn merged(old: &str, own: &Blocks) -> String {
    let known = read(old);
    let mut text = HEAD.to_owned();
    for phase in phases() {
        text.push_str(&format!("\n== {}\n{}\n", phase.name, phase.about));
        if phase.calls.len() < Call::ALL.len() {
            let others = Call::ALL.iter().filter(|call| !phase.calls.contains(call));
            let names: Vec<_> = others.map(|call| call.name()).collect();
            text.push_str(&format!("{}: never, {}\n", names.join(", "), phase.others));
        }
        let block = |end: End| {
            let key = (phase.name.to_owned(), end.name().to_owned());
            own.get(&key).or_else(|| known.get(&key)).map_or("", String::as_str)
        };
        let ends = End::ALL.map(|end| (end, block(end)));
        for alike in ends.chunk_by(|one, next| one.1 == next.1) {
            let names: Vec<_> = alike.iter().map(|(end, _)| end.name()).collect();
            text.push_str(&format!("  {}\n{}", names.join(", "), alike[0].1));
        }
    }
    text
}

fn read(text: &str) -> Blocks {
    let mut blocks = Blocks::new();
    let (mut phase, mut keys): (&str, Vec<(String, String)>) = ("", Vec::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            (phase, keys) = (name, Vec::new());
        } else if line.starts_with("    ") {
            for key in &keys {
                blocks.entry(key.clone()).or_default().extend([line, "\n"]);
            }
        } else if let Some(ends) = line.strip_prefix("  ") {
            keys = ends.split(", ").map(|end| (phase.to_owned(), end.to_owned())).collect();
        }
    }
    blocks
}
