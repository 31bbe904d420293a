//! The run as a JUnit report, which build servers read.

use std::fmt::Write;
use std::time::Duration;

use countersign_pack::Diagnostic;

use super::Done;

/// The report: one suite, one case per spec; a line of a spec that cannot be read is a failed case of its own.
pub(super) fn report(done: &[Done<'_>], unreadable: &[Diagnostic]) -> String {
    let failed = done.iter().filter(|done| !done.run.failures.is_empty()).count() + unreadable.len();
    let took: Duration = done.iter().map(|done| done.took).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = done.len() + unreadable.len();
    // Writing to a String cannot fail.
    let _ = writeln!(
        xml,
        "<testsuite name=\"specs\" tests=\"{tests}\" failures=\"{failed}\" time=\"{:.3}\">",
        took.as_secs_f64()
    );
    for done in done {
        let (file, title) = (escaped(&done.spec.file), escaped(&done.spec.title));
        let took = done.took.as_secs_f64();
        let _ = write!(xml, "  <testcase classname=\"{file}\" name=\"{title}\" time=\"{took:.3}\"");
        if done.run.failures.is_empty() {
            xml.push_str("/>\n");
            continue;
        }
        xml.push_str(">\n");
        for failure in &done.run.failures {
            let (expected, got) = (escaped(&failure.expected), escaped(&failure.got));
            let line = failure.line;
            let _ = writeln!(xml, "    <failure message=\"line {line}\">expected {expected}\ngot {got}</failure>");
        }
        xml.push_str("  </testcase>\n");
    }
    for found in unreadable {
        let (file, message) = (escaped(&found.file), escaped(&found.message));
        let _ = writeln!(
            xml,
            "  <testcase classname=\"{file}\" name=\"line {}\"><failure message=\"{message}\"/></testcase>",
            found.line
        );
    }
    xml.push_str("</testsuite>\n");
    xml
}

/// Text for XML 1.0, which has no control characters at all.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut xml, c| {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\n' | '\t' => xml.push(c),
            '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            c if c.is_control() => xml.push('\u{fffd}'),
            c => xml.push(c),
        }
        xml
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_for_xml() {
        assert_eq!(escaped("a<b>&\"c\"\u{1b}\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}\n");
    }
}
