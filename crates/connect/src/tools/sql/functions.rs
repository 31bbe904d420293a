//! The functions a pack's SQL may use besides SQLite's own.
//!
//! They read text exactly as the gates do, so a name that was heard finds the record the gates will compare it with.

use countersign_nlu::{name, text};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

/// Adds `resembles(name, said)` (0 or 1) and `fold(text)` (lower case, no accents).
pub(crate) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("resembles", 2, flags, |ctx| {
        let (Some(candidate), Some(said)) = (argument(ctx, 0)?, argument(ctx, 1)?) else { return Ok(false) };
        Ok(name::resembles(&candidate, &said).is_some())
    })?;
    connection.create_scalar_function("fold", 1, flags, |ctx| Ok(argument(ctx, 0)?.map(|text| text::fold(&text))))
}

/// A text argument; none for NULL. Anything else is a mistake of the pack and an error.
fn argument(ctx: &Context<'_>, index: usize) -> Result<Option<String>> {
    match ctx.get_raw(index) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Blob(_) => ctx.get(index).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: Option<&str>) {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        let sql = format!("select cast({expression} as text)");
        let found: Result<Option<String>> = connection.query_row(&sql, [], |row| row.get(0));
        assert_eq!(found.unwrap().as_deref(), expected, "{expression}");
    }

    #[test]
    fn text_is_read_as_the_gates_read_it() {
        check("fold('João SILVA')", Some("joao silva"));
        check("fold(null)", None);
        check("resembles('Ana Souza', 'ana souza')", Some("1"));
        check("resembles('Ana Souza', 'ana')", Some("1"));
        check("resembles('Ana Souza', 'Bruno')", Some("0"));
        check("resembles('Ana Souza', null)", Some("0"));
    }

    #[test]
    fn a_number_is_not_a_name() {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        assert!(connection.query_row("select fold(7)", [], |row| row.get::<_, String>(0)).is_err());
    }
}
