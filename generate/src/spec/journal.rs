//! `spec/journal.toml`: the table of a journal.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::operations::Operation;
use super::{Mistakes, Text};

/// The table: its columns, their possible values, and its indexes.
#[derive(Deserialize, Serialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    column: IndexMap<String, Column>,
    state: IndexMap<String, String>,
    decided_by: IndexMap<String, String>,
    needs: IndexMap<String, String>,
    index: IndexMap<String, Index>,
    dialect: IndexMap<String, IndexMap<String, String>>,
    failure: IndexMap<String, String>,
    /// The columns of the table: those of an entry, and the reserved ones.
    #[serde(skip_deserializing)]
    table: IndexMap<String, Column>,
    /// The operations that have entries.
    #[serde(skip_deserializing)]
    operations: Vec<String>,
    /// Those that a query finds: they are followed.
    #[serde(skip_deserializing)]
    followed: Vec<String>,
    /// The condition that an entry is one of several with its reference.
    #[serde(skip_deserializing)]
    repeatable: String,
    /// The condition that an entry is that of a cancellation.
    #[serde(skip_deserializing)]
    cancelling: String,
    /// The condition that it is the only one with its reference.
    #[serde(skip_deserializing)]
    single: String,
}

#[derive(Deserialize, Serialize, Clone)]
#[serde(deny_unknown_fields)]
struct Column {
    #[serde(default)]
    r#type: Type,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    reserved: bool,
    since: Option<u32>,
    insert: Option<Insert>,
    update: Option<Update>,
    doc: String,
}

#[derive(Deserialize, Serialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Type {
    #[default]
    Text,
    Amount,
    Number,
    Time,
    Operation,
    State,
    DecidedBy,
}

/// The value of a new row.
#[derive(Deserialize, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Insert {
    Given,
    Now,
    Moved,
}

/// The value of a changed row.
#[derive(Deserialize, Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Update {
    Given,
    Now,
    Counted,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Index {
    since: Option<u32>,
    #[serde(default)]
    unique: bool,
    on: Vec<String>,
    r#where: Option<String>,
}

impl Journal {
    /// Fills in values from the operations.
    fn complete(&mut self, operations: &[Operation]) {
        let moving = operations.iter().filter(|it| it.moves_money);
        let cancellations = operations.iter().filter_map(|it| it.cancellation.as_ref());
        let cancellations: Vec<_> = cancellations.map(|it| it.name.clone()).collect();
        self.operations = moving.map(|it| it.name.clone()).chain(cancellations.clone()).collect();
        self.operations.sort();
        let has_query = |it: &&Operation| {
            it.when_queried.is_some() || it.journal.as_ref().is_some_and(|it| it.found_by.is_some())
        };
        self.followed = operations.iter().filter(has_query).map(|it| it.name.clone()).collect();
        let has_code =
            |it: &&Operation| it.journal.as_ref().is_some_and(|it| it.refund_code.is_some());
        let repeatable: Vec<_> =
            operations.iter().filter(has_code).map(|it| it.name.clone()).collect();
        self.repeatable = is_among(&repeatable);
        self.cancelling = is_among(&cancellations);
        let several: Vec<_> = repeatable.into_iter().chain(cancellations).collect();
        self.single = is_among(&several).replace(" IN ", " NOT IN ");
        let words = match self.operations.split_last() {
            Some((last, others)) => format!("`{}` or `{last}`", others.join("`, `")),
            None => String::new(),
        };
        for column in self.column.values_mut() {
            column.doc = column.doc.replace("{operations}", &words);
        }
        for condition in self.index.values_mut().filter_map(|it| it.r#where.as_mut()) {
            *condition = condition
                .replace("{repeatable}", &self.repeatable)
                .replace("{cancelling}", &self.cancelling)
                .replace("{single}", &self.single);
        }
    }
}

/// The condition that the operation is one of these.
fn is_among(names: &[String]) -> String {
    match names {
        [name] => format!("operation = '{name}'"),
        names => format!("operation IN ('{}')", names.join("', '")),
    }
}

/// The table in this file. `operations` say which entries it has.
pub(super) fn read(file: &Text, operations: &[Operation], mistakes: &mut Mistakes) -> Journal {
    let Some(mut journal) = file.parsed::<Journal>(mistakes) else { return Journal::default() };
    journal.complete(operations);
    for column in journal.column.values_mut().filter(|it| it.update.is_none()) {
        column.insert.get_or_insert(Insert::Given);
    }
    let mut earlier = None;
    for (name, column) in &journal.column {
        let place = file.place(&format!("[column.{name}]"));
        let mut check = |is_right: bool, what: &str| {
            if !is_right {
                mistakes.add(&place, format!("{name} {what}"));
            }
        };
        let is_time = column.r#type == Type::Time;
        let by_update = column.update;
        let by_clock = matches!(column.insert, Some(Insert::Now | Insert::Moved));
        check(column.doc.ends_with('.'), "is not described by a sentence");
        check(is_time == name.ends_with("_at"), "must end in _at if it is a time, and only then");
        check(is_time || (!by_clock && by_update != Some(Update::Now)), "is no time");
        let counts = by_update == Some(Update::Counted);
        check(!counts || column.r#type == Type::Number, "is no number");
        check(column.insert.is_some() || column.optional, "is null when the row is inserted");
        check(!column.reserved || (column.optional && by_update.is_none()), "has a value");
        // The documentation says: `state` and the columns after it.
        let is_last = earlier != Some(Update::Given) || by_update == Some(Update::Given);
        check(column.reserved || is_last, "follows columns that an update writes");
        earlier = by_update;
    }
    for (name, index) in &journal.index {
        let place = file.place(&format!("[index.{name}]"));
        let named = index.r#where.iter().flat_map(|condition| names_in(condition));
        for unknown in index.on.iter().map(String::as_str).chain(named) {
            if !journal.column.contains_key(unknown) {
                mistakes.add(&place, format!("{name} is on {unknown}, which is no column"));
            }
        }
    }
    journal.table = journal.column.clone();
    journal.column.retain(|_, column| !column.reserved);
    journal
}

/// The names of columns in a condition. Its keywords are in capitals.
fn names_in(condition: &str) -> impl Iterator<Item = &str> {
    let outside = condition.split('\'').step_by(2);
    let words = outside.flat_map(|part| part.split(|it: char| !it.is_alphanumeric() && it != '_'));
    words.filter(|word| word.starts_with(|it: char| it.is_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "dialect = {}\nfailure = {}\nstate = {}\ndecided_by = {}\nneeds = {}\n[column.id]\ndoc = 'It.'
[column.at]\noptional = true\nupdate = 'given'\ndoc = 'That.'\n[index.one]\non = ['id']\n";

    fn mistakes(text: &str) -> Vec<String> {
        let file = Text { path: "journal.toml".to_owned(), text: text.to_owned() };
        let mut mistakes = Mistakes::default();
        read(&file, &[], &mut mistakes);
        mistakes.0
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        assert_eq!(mistakes(GOOD), [""; 0]);
        for (from, to, mistake) in [
            ("'It.'", "'it'", "6: id is not described by a sentence"),
            ("doc = 'It.'", "", "6: missing field `doc`"),
            (
                "'It.'",
                "'It.'\ntype = 'time'",
                "6: id must end in _at if it is a time, and only then",
            ),
            ("'It.'", "'It.'\ninsert = 'now'", "6: id is no time"),
            ("'It.'", "'It.'\nupdate = 'counted'\ninsert = 'given'", "6: id is no number"),
            ("optional = true\n", "", "8: at is null when the row is inserted"),
            (
                "[index",
                "[column.last]\ndoc = 'It.'\n[index",
                "12: last follows columns that an update writes",
            ),
            (
                "[index",
                "[column.last]\nreserved = true\ndoc = 'It.'\n[index",
                "12: last has a value",
            ),
            ("['id']", "['no']", "12: one is on no, which is no column"),
            ("['id']", "['id']\nwhere = \"it = 'that'\"", "12: one is on it, which is no column"),
        ] {
            assert_eq!(mistakes(&GOOD.replacen(from, to, 1)), [format!("journal.toml:{mistake}")]);
        }
        let misspelled = mistakes(&GOOD.replace("optional", "optionel"));
        assert!(misspelled[0].starts_with("journal.toml:9: unknown field `optionel`"));
    }
}
