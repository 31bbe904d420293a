//! The one way to write a JSON value (RFC 8785), without floats.
//!
//! Invariant: two different texts never mean the same record, so a changed byte is always a changed record.

use serde_json::Value;

/// The largest integer JSON readers keep exactly.
const INTEGER_MAX: u64 = (1 << 53) - 1;

/// The value of a text, if the text is the canonical one.
///
/// # Errors
/// Says why it is not.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let mut again = String::with_capacity(text.len());
    write(&value, &mut again)?;
    if again == text { Ok(value) } else { Err("not in canonical form".to_owned()) }
}

// Recursion: the parser refuses more than 128 levels, so there are no deeper values.
fn write(value: &Value, out: &mut String) -> Result<(), String> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => {
            let is_exact = number.as_i64().is_some_and(|number| number.unsigned_abs() <= INTEGER_MAX);
            if !is_exact {
                return Err(format!("the number {number} is no integer that every reader keeps"));
            }
            out.push_str(&number.to_string());
        }
        Value::String(text) => write_text(text, out),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(value, out)?;
            }
            out.push(']');
        }
        Value::Object(fields) => {
            // Names are ordered by UTF-16 units, whatever order the map keeps.
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write(value, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canonical_text_is_accepted() {
        let check = |text: &str, is_canonical: bool| assert_eq!(parse(text).is_ok(), is_canonical, "{text}");
        check(r#"{"a":1,"b":[true,false,null,"x"],"c":{"d":-9007199254740991}}"#, true);
        check("{\"a\":\"\\\"\\\\\\b\\t\\n\\f\\r\\u0001é😀/\"}", true);
        // UTF-16 puts the smiling face (a surrogate pair) before U+E000, code points would not.
        check("{\"\u{1F600}\":1,\"\u{E000}\":2}", true);
        check("{\"\u{E000}\":2,\"\u{1F600}\":1}", false);
        check(r#"{"b":1,"a":2}"#, false);
        check(r#"{"a":1,"a":1}"#, false);
        check(r#"{"a": 1}"#, false);
        check(r#"{"a":1} "#, false);
        check(r#"{"a":1.0}"#, false);
        check(r#"{"a":1e2}"#, false);
        check(r#"{"a":-0}"#, false);
        check(r#"{"a":9007199254740992}"#, false);
        check("{\"a\":\"\\u0041\"}", false);
        check("{\"a\":\"\\/\"}", false);
        check("{\"a\":\"\\u000A\"}", false);
        check("nothing", false);
        check(&"[".repeat(200), false);
    }
}
