//! A look at a statement without understanding it: first word, parameters, semicolons; texts and comments skipped.

use countersign_nlu::Span;

/// What was seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scanned {
    /// The first word, in lower case.
    pub(super) verb: String,
    /// Every `:name` and `:row.column`.
    pub(super) parameters: Vec<Parameter>,
    /// A `;` with something behind it.
    pub(super) has_semicolon: bool,
}

/// A named parameter, without its colon.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// Where it stands, with its colon.
    pub(super) span: Span,
}

/// Looks at a statement.
pub(super) fn scan(sql: &str) -> Scanned {
    let mut scanned = Scanned::default();
    let mut at = 0;
    while let Some(rest) = sql.get(at..).filter(|rest| !rest.is_empty()) {
        at += step(rest, at, &mut scanned);
    }
    scanned
}

/// Looks at what begins here; answers how many bytes it takes.
fn step(rest: &str, at: usize, scanned: &mut Scanned) -> usize {
    let first = rest.chars().next().unwrap_or(' ');
    match first {
        '\'' | '"' | '`' => skip_to(rest, 1, first.encode_utf8(&mut [0; 4])),
        '-' if rest.starts_with("--") => skip_to(rest, 2, "\n"),
        '/' if rest.starts_with("/*") => skip_to(rest, 2, "*/"),
        ':' if rest.starts_with("::") => 2,
        ':' => {
            let name = word(rest.get(1..).unwrap_or_default(), '.').trim_end_matches('.');
            if !name.is_empty() {
                let span = Span::new(at, at + 1 + name.len());
                scanned.parameters.push(Parameter { name: name.to_owned(), span });
            }
            1 + name.len()
        }
        ';' => {
            scanned.has_semicolon = true;
            1
        }
        c if c.is_alphabetic() || c == '_' => {
            let name = word(rest, '_');
            if scanned.verb.is_empty() {
                scanned.verb = name.to_lowercase();
            }
            name.len()
        }
        c => c.len_utf8(),
    }
}

fn skip_to(rest: &str, from: usize, end: &str) -> usize {
    let inner = rest.get(from..).unwrap_or_default();
    inner.find(end).map_or(rest.len(), |found| from + found + end.len())
}

/// The longest run of letters, digits, `_` and one more character.
fn word(text: &str, also: char) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == also)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sql: &str, verb: &str, parameters: &[&str], has_semicolon: bool) {
        let scanned = scan(sql);
        assert_eq!(scanned.verb, verb, "{sql}");
        let names: Vec<&str> = scanned.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, parameters, "{sql}");
        assert_eq!(scanned.has_semicolon, has_semicolon, "{sql}");
        for parameter in &scanned.parameters {
            assert_eq!(parameter.span.of(sql), format!(":{}", parameter.name));
        }
    }

    #[test]
    fn words_parameters_and_semicolons() {
        check("select a from t where b = :b", "select", &["b"], false);
        check("  /* :x */ -- :y\n UPDATE t set a = :row.id, b=':z;'", "update", &["row.id"], false);
        check("select 'it''s :no', \":no\" from é where x=:ação.", "select", &["ação"], false);
        check("delete from t; drop table t", "delete", &[], true);
        check("select x::text, :a", "select", &["a"], false);
        check("select 'open", "select", &[], false);
        check("", "", &[], false);
    }
}
