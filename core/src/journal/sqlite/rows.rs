//! JSON as rows: a parameter and a column have the name of their member.

use rusqlite::types::{Type, Value, ValueRef};
use rusqlite::{Connection, Row, Statement};

use super::super::sql::{SQLITE, in_dialect};
use crate::model::json::{Json, Members};

/// A statement in the dialect of SQLite.
pub(super) fn in_sqlite(sql: &str) -> String {
    in_dialect(sql, &SQLITE)
}

/// The statement with its parameters bound. A missing member is null.
pub(super) fn bound<'c>(
    connection: &'c Connection,
    sql: &str,
    members: &Members,
) -> rusqlite::Result<Statement<'c>> {
    let mut statement = connection.prepare(&in_sqlite(sql))?;
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).unwrap_or_default().trim_start_matches(':');
        let value = value_of(members.get(name));
        statement.raw_bind_parameter(index, value)?;
    }
    Ok(statement)
}

fn value_of(member: Option<&Json>) -> Value {
    match member {
        Some(Json::String(text)) => Value::Text(text.clone()),
        Some(Json::Number(digits)) => Value::Integer(digits.parse().unwrap_or(i64::MAX)),
        _ => Value::Null,
    }
}

/// The values of a row, as `read` finds them in its JSON.
pub(super) fn read_row<T>(
    row: &Row<'_>,
    read: impl FnOnce(&Json) -> Option<T>,
) -> rusqlite::Result<T> {
    let mut members = Members::new();
    for (index, name) in row.as_ref().column_names().into_iter().enumerate() {
        members.push(
            name,
            match row.get_ref(index)? {
                ValueRef::Integer(number) => Json::from(u64::try_from(number).unwrap_or_default()),
                ValueRef::Text(_) => Json::from(row.get::<_, String>(index)?),
                ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Json::Null,
            },
        );
    }
    read(&members.into()).ok_or_else(|| {
        let message = "the row is not what this version writes";
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, message.into())
    })
}
