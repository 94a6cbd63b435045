//! The journal of all processes: SQLite in memory, with the generated statements.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;
use std::model;
use std::sync::Arc;
use std::time::Duration;

use payments_core::CallContext;
use payments_core::journal::sql::{self, in_dialect};
use payments_core::journal::{Counted, Entry, Filter, Found, Journal, JournalError, Updated};
use payments_core::json::{Json, Members};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Statement};

use crate::world::World;

thread_local! {
    /// One run after another uses it.
    static DATABASE: &'static Connection = {
        let connection = Connection::open_in_memory().expect("memory");
        let schema = in_dialect(sql::SCHEMA, &DIALECT);
        connection.execute_batch(&schema).expect("the schema is valid");
        Box::leak(Box::new(connection))
    };
    static PREPARED: RefCell<BTreeMap<&'static str, Statement<'static>>> = RefCell::default();
}

/// The table.
pub struct Table {
    /// The largest id: a reading behind it finds nothing.
    newest: String,
    /// Rows that were read before, by their ids.
    read: BTreeMap<String, Entry>,
}

/// The journal of a client.
pub struct SharedJournal(pub Arc<World>);

/// The beginning of an execution, in milliseconds since 1970.
const BEGINNING: u64 = 1_800_000_000_000;

const DIALECT: [(&str, &str); 4] = [
    ("{table}", "main.payments_journal"),
    ("{collate}", ""),
    ("{unless_there}", ""),
    ("{now}", "CAST(:now AS INTEGER)"),
];

/// The true time, which is that of the database.
pub fn now() -> u64 {
    BEGINNING + u64::try_from(model::elapsed().as_millis()).expect("an execution is short")
}

/// When in the execution that was.
pub fn elapsed_at(time: u64) -> Option<Duration> {
    time.checked_sub(BEGINNING).map(Duration::from_millis)
}

impl Table {
    /// An empty one.
    pub fn new() -> Self {
        let emptied = DATABASE.with(|it| it.execute_batch("DELETE FROM payments_journal"));
        emptied.expect("memory works");
        Self { newest: String::new(), read: BTreeMap::new() }
    }

    fn insert(&mut self, entry: &Entry) -> rusqlite::Result<bool> {
        let inserted = bound(sql::INSERT, &members_of(entry), Statement::raw_execute)? > 0;
        if inserted && entry.id > self.newest {
            self.newest.clone_from(&entry.id);
        }
        Ok(inserted)
    }

    fn update(&self, entry: &Entry) -> rusqlite::Result<Updated> {
        let members = members_of(entry);
        match bound(sql::UPDATE, &members, Statement::raw_execute) {
            Ok(0) => Ok(Updated::ChangedMeanwhile),
            Ok(_) => Ok(Updated::Changed),
            Err(_) => bound(sql::TAKEN_BY, &members, |statement| {
                let mut rows = statement.raw_query();
                let id = rows.next()?.map(|row| row.get(0)).transpose()?;
                Ok(id.map_or(Updated::ChangedMeanwhile, Updated::TakenBy))
            }),
        }
    }

    fn find(&mut self, filter: &Filter) -> rusqlite::Result<Vec<Entry>> {
        let after = filter.after.as_deref().unwrap_or_default();
        if after >= &*self.newest {
            return Ok(Vec::new());
        }
        let mut members = filter.to_members();
        members.set("after", after);
        let statement = match filter {
            Filter { id: Some(_), .. } => sql::FIND_ID,
            Filter { reference: Some(_), .. } | Filter { hash: Some(_), .. } => sql::FIND_REFERENCE,
            Filter { is_open: true, .. } => sql::FIND_OPEN,
            Filter { ended_from: Some(_), .. } => sql::FIND_ENDED,
            _ => sql::FIND,
        };
        let read = &mut self.read;
        let each = |row: &Row<'_>| {
            let (id, version) = (row.get::<_, String>("id")?, row.get::<_, i64>("version")?);
            let known = read.get(&id).filter(|it| i64::try_from(it.version) == Ok(version));
            if let Some(entry) = known {
                return Ok(entry.clone());
            }
            let entry = Entry::from_json(&json_of(row)?).expect("a row as it was written");
            read.insert(id, entry.clone());
            Ok(entry)
        };
        bound(statement, &members, |statement| statement.raw_query().mapped(each).collect())
    }

    /// All entries.
    pub fn entries(&mut self) -> Vec<Entry> {
        let any = "SELECT scope FROM payments_journal LIMIT 1";
        let scope = DATABASE.with(|it| it.query_row(any, [], |row| row.get::<_, String>(0)));
        let Ok(scope) = scope else { return Vec::new() };
        self.find(&Filter { limit: u32::MAX, ..Filter::of_scope(scope) }).expect("memory works")
    }

    fn count(&self, scope: &str, before: u64) -> rusqlite::Result<Counted> {
        let mut members = Members::from([("scope", scope)]);
        members.push("before", before);
        bound(sql::COUNT, &members, |statement| {
            let mut rows = statement.raw_query();
            let row = rows.next()?.expect("a count has a row");
            Ok(Counted::from_json(&json_of(row)?).expect("a row of the statement"))
        })
    }
}

/// Runs a statement with its parameters.
fn bound<R>(
    sql: &'static str,
    members: &Members,
    run: impl FnOnce(&mut Statement<'static>) -> rusqlite::Result<R>,
) -> rusqlite::Result<R> {
    PREPARED.with_borrow_mut(|prepared| {
        let statement = match prepared.entry(sql) {
            Place::Occupied(known) => known.into_mut(),
            Place::Vacant(place) => {
                let text = in_dialect(sql, &DIALECT);
                place.insert(DATABASE.with(|it| it.prepare(&text))?)
            }
        };
        for index in 1..=statement.parameter_count() {
            let name = statement.parameter_name(index).unwrap_or_default().trim_start_matches(':');
            let value = match members.get(name) {
                _ if name == "now" => Value::Integer(i64::try_from(now()).expect("a time")),
                Some(Json::String(text)) => Value::Text(text.clone()),
                Some(Json::Number(digits)) => Value::Integer(digits.parse().unwrap_or(i64::MAX)),
                _ => Value::Null,
            };
            statement.raw_bind_parameter(index, value)?;
        }
        run(statement)
    })
}

fn members_of(entry: &Entry) -> Members {
    entry.to_json().as_object().expect("an entry is an object").clone()
}

fn json_of(row: &Row<'_>) -> rusqlite::Result<Json> {
    let mut members = Members::new();
    for (index, name) in row.as_ref().column_names().into_iter().enumerate() {
        members.push(
            name,
            match row.get_ref(index)? {
                ValueRef::Integer(number) => Json::from(u64::try_from(number).unwrap_or_default()),
                ValueRef::Text(_) => Json::from(row.get::<_, String>(index)?),
                _ => Json::Null,
            },
        );
    }
    Ok(members.into())
}

impl SharedJournal {
    fn use_table<R>(
        &self,
        name: &str,
        act: impl FnOnce(&mut Table) -> rusqlite::Result<R>,
    ) -> Result<R, JournalError> {
        let done = self.0.effect(|state| {
            if name != "find" {
                state.note(|| format!("journal: {name}"));
            }
            act(&mut state.journal).expect("memory works")
        });
        done.ok_or_else(|| JournalError::new("the process has crashed"))
    }
}

impl Journal for SharedJournal {
    fn insert(&self, _: &CallContext, entry: &Entry) -> Result<bool, JournalError> {
        let name = format!("insert {} {}", entry.operation.name(), entry.reference);
        self.use_table(&name, |table| table.insert(entry))
    }

    fn update(&self, _: &CallContext, entry: &Entry) -> Result<Updated, JournalError> {
        let name = format!("update {} {}", entry.reference, entry.state.as_str());
        self.use_table(&name, |table| table.update(entry))
    }

    fn find(&self, _: &CallContext, filter: &Filter) -> Result<Found, JournalError> {
        self.use_table("find", |table| Ok(Found { now: now(), entries: table.find(filter)? }))
    }

    fn count(&self, _: &CallContext, scope: &str, before: u64) -> Result<Counted, JournalError> {
        self.use_table("count", |table| table.count(scope, before))
    }

    fn prune(&self, _: &CallContext, _: &str, _: u64, _: u32) -> Result<u64, JournalError> {
        Err(JournalError::new("nothing is pruned within days").before_commit())
    }

    fn lock_recovery(&self) -> Result<Box<dyn Any + Send + Sync>, JournalError> {
        Ok(Box::new(()))
    }
}
