//! Reads the parameters of one statement and gives them names SQLite can bind.
//!
//! A pack writes `:row.boleto_id`; SQLite knows no dot in a parameter, so the statement is rewritten to
//! `:row__boleto_id` once, before it is prepared.
//! Invariant: only parameters outside literals, quoted names and comments are touched, and nothing but the pack's own
//! text is ever looked at: values are bound later and never become part of a statement.
//! Deliberately absent: a grammar. SQLite parses; this only has to know where a parameter can stand.

use std::collections::BTreeMap;

/// Longest statement in bytes; a page of SQL is a program and belongs elsewhere.
pub(crate) const SQL_MAX: usize = 16 * 1024;
/// Most different parameters of one statement.
pub(crate) const BINDS_MAX: usize = 64;
/// The connector's own table, which no statement of a pack may name.
pub(crate) const EFFECTS_TABLE: &str = "countersign_effects";
/// What a statement may begin with. Everything else (transactions, pragmas, schema changes, attached files) would let
/// a pack reach around the connector.
const VERBS: &[&str] = &["select", "with", "values", "insert", "update", "delete", "replace"];

/// A statement whose parameters have legal names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The statement for SQLite.
    pub(crate) sql: String,
    /// Legal name with its colon -> path as the pack wrote it: `:row__id` -> `row.id`.
    pub(crate) binds: BTreeMap<String, String>,
}

/// Rewrites one statement; says what is wrong with it if it cannot be run.
pub(crate) fn name(source: &str) -> Result<Named, String> {
    if source.len() > SQL_MAX {
        return Err(format!("the statement is longer than {SQL_MAX} bytes"));
    }
    let mut scan = Scan { rest: source, out: String::with_capacity(source.len()), ..Scan::default() };
    while let Some(first) = scan.rest.chars().next() {
        scan.token(first)?;
    }
    match scan.verb.as_deref() {
        Some(verb) if VERBS.contains(&verb) => Ok(Named { sql: scan.out, binds: scan.binds }),
        Some(verb) => Err(format!("a statement begins with {}, not with `{verb}`", VERBS.join(", "))),
        None => Err("the statement is empty".to_owned()),
    }
}

#[derive(Default)]
struct Scan<'s> {
    rest: &'s str,
    out: String,
    binds: BTreeMap<String, String>,
    verb: Option<String>,
    is_ended: bool,
}

impl<'s> Scan<'s> {
    fn token(&mut self, first: char) -> Result<(), String> {
        if first.is_whitespace() {
            self.copy(first.len_utf8());
            return Ok(());
        }
        if self.rest.starts_with("--") {
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            return Ok(());
        }
        if self.rest.starts_with("/*") {
            let end = self.rest.find("*/").ok_or("a comment `/*` has no end")?;
            self.take(end + 2);
            // A comment separates words; without it `a/**/b` would become `ab`.
            self.out.push(' ');
            return Ok(());
        }
        if self.is_ended {
            return Err("more than one statement; write each as its own entry".to_owned());
        }
        match first {
            '\'' | '"' | '`' => self.quoted(first),
            '[' => {
                let end = self.rest.find(']').ok_or("a name `[` has no end")?;
                self.own_table(self.rest.get(1..end).unwrap_or_default())?;
                self.copy(end + 1);
                Ok(())
            }
            ':' => self.parameter(),
            '?' | '@' | '$' | '#' => Err(format!("a parameter is written `:name`, not `{first}`")),
            ';' => {
                self.is_ended = true;
                self.take(1);
                Ok(())
            }
            c if is_word(c) => self.word(),
            c => {
                self.copy(c.len_utf8());
                Ok(())
            }
        }
    }

    /// A literal or quoted name; a doubled quote inside stands for itself.
    fn quoted(&mut self, quote: char) -> Result<(), String> {
        let mut ahead = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = ahead.next() {
            if c != quote {
                continue;
            }
            if ahead.peek().is_some_and(|(_, next)| *next == quote) {
                ahead.next();
                continue;
            }
            if quote != '\'' {
                self.own_table(self.rest.get(1..at).unwrap_or_default())?;
            }
            self.copy(at + 1);
            return Ok(());
        }
        Err(format!("a text or name that begins with {quote} has no end"))
    }

    fn word(&mut self) -> Result<(), String> {
        let word = self.word_ahead(0);
        self.own_table(word)?;
        if self.verb.is_none() {
            self.verb = Some(word.to_ascii_lowercase());
        }
        self.copy(word.len());
        Ok(())
    }

    fn parameter(&mut self) -> Result<(), String> {
        let first = self.word_ahead(1);
        if !is_name(first) {
            return Err("a `:` outside a text must begin a parameter such as `:name`".to_owned());
        }
        let mut path = first.to_owned();
        let mut length = 1 + first.len();
        if self.rest.get(length..).is_some_and(|after| after.starts_with('.')) {
            let column = self.word_ahead(length + 1);
            if !is_name(column) {
                return Err(format!("`:{first}.` lacks a column"));
            }
            path = format!("{first}.{column}");
            length += 1 + column.len();
        }
        let legal = format!(":{}", path.replace('.', "__"));
        self.out.push_str(&legal);
        self.take(length);
        if let Some(other) = self.binds.insert(legal, path.clone()).filter(|other| *other != path) {
            return Err(format!("`:{other}` and `:{path}` cannot be told apart; rename one"));
        }
        if self.binds.len() > BINDS_MAX {
            return Err(format!("more than {BINDS_MAX} parameters"));
        }
        Ok(())
    }

    fn own_table(&self, name: &str) -> Result<(), String> {
        if name.eq_ignore_ascii_case(EFFECTS_TABLE) {
            return Err(format!("`{EFFECTS_TABLE}` belongs to the connector"));
        }
        Ok(())
    }

    /// The word that begins this many bytes ahead.
    fn word_ahead(&self, from: usize) -> &'s str {
        let ahead = self.rest.get(from..).unwrap_or_default();
        let end = ahead.find(|c: char| !is_word(c)).unwrap_or(ahead.len());
        ahead.get(..end).unwrap_or_default()
    }

    fn copy(&mut self, length: usize) {
        self.out.push_str(self.rest.get(..length).unwrap_or_default());
        self.take(length);
    }

    fn take(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }
}

/// A letter of a word as SQLite sees one.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()
}

/// A parameter's name: plain letters, so that every name is legal in a pack and in SQLite.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && word.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: Result<(&str, &[&str]), &str>) {
        let named = name(source);
        let paths = |named: &Named| named.binds.values().cloned().collect::<Vec<_>>();
        match (named, expected) {
            (Ok(named), Ok((sql, binds))) => {
                assert_eq!(named.sql, sql, "{source}");
                assert_eq!(paths(&named), binds, "{source}");
            }
            (Err(message), Err(part)) => assert!(message.contains(part), "{source}: {message}"),
            (found, expected) => panic!("{source}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn parameters_get_legal_names() {
        check("select :a, :row.id, :a", Ok(("select :a, :row__id, :a", &["a", "row.id"])));
        check("select :a.b.c", Ok(("select :a__b.c", &["a.b"])));
        check("select x from t where y=:y;  -- done\n", Ok(("select x from t where y=:y  \n", &["y"])));
        check("  WITH a AS (SELECT 1) select * from a", Ok(("  WITH a AS (SELECT 1) select * from a", &[])));
    }

    #[test]
    fn texts_names_and_comments_are_left_alone() {
        check("select ':no', 'it''s :no'", Ok(("select ':no', 'it''s :no'", &[])));
        check(r#"select ":no", `:no`, [:no]"#, Ok((r#"select ":no", `:no`, [:no]"#, &[])));
        check(r#"select "a"":no" from t"#, Ok((r#"select "a"":no" from t"#, &[])));
        check("select 1 -- :no\n, :yes", Ok(("select 1 \n, :yes", &["yes"])));
        check("select/* :no ; ' */1, :yes", Ok(("select 1, :yes", &["yes"])));
        check("select 'a--b', ';', 'ção :x' , :yes", Ok(("select 'a--b', ';', 'ção :x' , :yes", &["yes"])));
        check("select d -> '$.a', d ->> '$.b'", Ok(("select d -> '$.a', d ->> '$.b'", &[])));
        check("select x'00ff', 1e5, 2-1", Ok(("select x'00ff', 1e5, 2-1", &[])));
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        check("", Err("empty"));
        check(" -- nothing\n;", Err("empty"));
        check("select 1; select 2", Err("more than one statement"));
        check("select 1; drop table t", Err("more than one statement"));
        check("select ?", Err("`?`"));
        check("select ?1", Err("`?`"));
        check("select @x", Err("`@`"));
        check("select $x", Err("`$`"));
        check("select :", Err("must begin a parameter"));
        check("select :1", Err("must begin a parameter"));
        check("select :é", Err("must begin a parameter"));
        check("select :row.", Err("lacks a column"));
        check("select :row.id, :row__id", Err("cannot be told apart"));
        check("select 'open", Err("no end"));
        check("select \"open", Err("no end"));
        check("select [open", Err("no end"));
        check("select /* open", Err("no end"));
    }

    #[test]
    fn a_pack_cannot_reach_around_the_connector() {
        for verb in
            ["begin", "commit", "pragma query_only = 0", "attach 'x' as y", "drop table t", "vacuum", "explain x"]
        {
            check(verb, Err("a statement begins with"));
        }
        check("delete from countersign_effects", Err("belongs to the connector"));
        check("delete from main.\"Countersign_Effects\"", Err("belongs to the connector"));
        check("delete from `countersign_effects`", Err("belongs to the connector"));
        check("delete from [COUNTERSIGN_EFFECTS]", Err("belongs to the connector"));
        check("select 'countersign_effects'", Ok(("select 'countersign_effects'", &[])));
    }

    #[test]
    fn length_and_number_of_parameters_are_bounded() {
        let sized = |length: usize| format!("select '{}'", "x".repeat(length - "select ''".len()));
        assert!(name(&sized(SQL_MAX)).is_ok());
        assert!(name(&sized(SQL_MAX + 1)).is_err());
        let many =
            |count: usize| format!("select {}", (0..count).map(|n| format!(":p{n}")).collect::<Vec<_>>().join(","));
        assert!(name(&many(BINDS_MAX)).is_ok());
        assert!(name(&many(BINDS_MAX + 1)).is_err());
    }
}
