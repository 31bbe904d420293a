//! YAML text -> a tree in which every scalar is still the text that was written, with its place.
//!
//! Invariant: nothing is guessed. `no` stays the word `no` and `0.70` stays those four characters until a field says
//! what it expects, so the old YAML surprises cannot happen and no amount passes through a float.
//! Deliberately absent: anchors, aliases, tags and several documents in one file. A pack is read by people, who
//! should not have to look elsewhere for what a line means; it also leaves nothing to expand.

use countersign_nlu::Span;
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, ScanError, Span as YamlSpan};

/// Deepest nesting: the deepest place of the format is 9 levels down.
const DEPTH_MAX: usize = 24;
/// Most nodes of one file.
const NODES_MAX: usize = 100_000;

/// One node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: NodeKind,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// A text; `is_plain` if it was written without quotes.
    Scalar { text: String, is_plain: bool },
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order it was written.
    Map(Vec<Entry>),
}

/// One entry of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// A mistake found while reading, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<&'static str>,
}

impl Node {
    /// True for a value that was left out: `key:` with nothing behind it, `~` or `null`.
    pub(crate) fn is_null(&self) -> bool {
        match &self.kind {
            NodeKind::Scalar { text, is_plain } => *is_plain && matches!(text.as_str(), "" | "~" | "null"),
            NodeKind::List(_) | NodeKind::Map(_) => false,
        }
    }

    /// The entry of a mapping with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            NodeKind::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            NodeKind::Scalar { .. } | NodeKind::List(_) => None,
        }
    }

    /// The same tree without places, comments and layout: equal texts mean equal content.
    pub(crate) fn canonical(&self) -> String {
        let mut out = String::new();
        write_canonical(self, &mut out);
        out
    }
}

// Recursion is bounded: no tree is deeper than DEPTH_MAX.
fn write_canonical(node: &Node, out: &mut String) {
    match &node.kind {
        NodeKind::Scalar { text, .. } => out.push_str(&format!("{text:?}")),
        NodeKind::List(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        NodeKind::Map(entries) => {
            let mut sorted: Vec<&Entry> = entries.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            out.push('{');
            for entry in sorted {
                out.push_str(&format!("{:?}:", entry.key));
                write_canonical(&entry.value, out);
                out.push(',');
            }
            out.push('}');
        }
    }
}

/// Reads one file. An empty file is an empty mapping; duplicate keys and anchors are faults beside the tree.
///
/// # Errors
/// The one fault after which there is no tree: broken syntax, a second document, too deep, too large.
pub(crate) fn parse(text: &str) -> Result<(Node, Vec<Fault>), Fault> {
    let mut reader = Reader { root: None, open: Vec::new(), faults: Vec::new(), nodes: 0, documents: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax(&error, text))?;
        reader.event(event, place(&span, text))?;
    }
    let empty = Node { span: Span::new(0, 0), kind: NodeKind::Map(Vec::new()) };
    Ok((reader.root.unwrap_or(empty), reader.faults))
}

fn syntax(error: &ScanError, text: &str) -> Fault {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    let message = error.info().trim_end_matches('.').to_owned();
    Fault { code: "pack/syntax", span: Span::new(at, at), message: format!("not YAML: {message}"), help: None }
}

fn place(span: &YamlSpan, text: &str) -> Span {
    let range = span.byte_range().unwrap_or(0..0);
    let written = text.get(range.clone()).unwrap_or_default();
    Span::new(range.start, range.start + written.trim_end().len())
}

/// A collection that is being read.
enum Open {
    List { span: Span, items: Vec<Node> },
    Map { span: Span, entries: Vec<Entry>, key: Option<(String, Span)> },
}

struct Reader {
    root: Option<Node>,
    open: Vec<Open>,
    faults: Vec<Fault>,
    nodes: usize,
    documents: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(fault("pack/syntax", span, "a second document in one file", "remove the `---` line"));
                }
                Ok(())
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.plain_yaml_only(span);
                self.scalar(String::new(), true, span)
            }
            Event::Scalar(text, style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    self.plain_yaml_only(span);
                }
                self.scalar(text.into_owned(), style == ScalarStyle::Plain, span)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.start(Open::List { span, items: Vec::new() }, anchor != 0 || tag.is_some(), span)
            }
            Event::MappingStart(_, anchor, tag) => {
                let map = Open::Map { span, entries: Vec::new(), key: None };
                self.start(map, anchor != 0 || tag.is_some(), span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            // Starts and ends of the stream, comments: nothing a tree holds.
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Anchor(..) | Event::Comment(..) | _ => {
                Ok(())
            }
        }
    }

    fn plain_yaml_only(&mut self, span: Span) {
        let message = "anchors, aliases and tags are not part of the format";
        self.faults.push(fault("pack/syntax", span, message, "write the value out where it is used"));
    }

    fn start(&mut self, open: Open, is_decorated: bool, span: Span) -> Result<(), Fault> {
        if is_decorated {
            self.plain_yaml_only(span);
        }
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(fault("pack/syntax", span, "a key must be a word", "put quotes around the key"));
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(fault("pack/too_large", span, "nested too deeply", "the format is at most 9 levels deep"));
        }
        self.open.push(open);
        Ok(())
    }

    fn scalar(&mut self, text: String, is_plain: bool, span: Span) -> Result<(), Fault> {
        if let Some(Open::Map { key: key @ None, .. }) = self.open.last_mut() {
            *key = Some((text, span));
            return Ok(());
        }
        self.push(Node { span, kind: NodeKind::Scalar { text, is_plain } })
    }

    fn end(&mut self, end: Span) -> Result<(), Fault> {
        let whole = |start: Span| Span { start: start.start, end: end.end.max(start.end) };
        match self.open.pop() {
            Some(Open::List { span, items }) => self.push(Node { span: whole(span), kind: NodeKind::List(items) }),
            Some(Open::Map { span, entries, .. }) => {
                self.push(Node { span: whole(span), kind: NodeKind::Map(entries) })
            }
            None => Ok(()),
        }
    }

    fn push(&mut self, node: Node) -> Result<(), Fault> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(fault(
                "pack/too_large",
                node.span,
                "more values than a pack may have",
                "split the agent in two",
            ));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, key, .. }) => {
                let Some((key, key_span)) = key.take() else { return Ok(()) };
                if entries.iter().any(|entry| entry.key == key) {
                    let message = format!("`{key}` is written twice here");
                    self.faults.push(fault("pack/duplicate_key", key_span, &message, "keep one of the two"));
                } else {
                    entries.push(Entry { key, key_span, value: node });
                }
            }
        }
        Ok(())
    }
}

fn fault(code: &'static str, span: Span, message: &str, help: &'static str) -> Fault {
    Fault { code, span, message: message.to_owned(), help: Some(help) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let found = parse(text);
        let found = match &found {
            Ok((node, faults)) if faults.is_empty() => Ok(node.canonical()),
            Ok((_, faults)) => Err(faults[0].message.clone()),
            Err(fault) => Err(fault.message.clone()),
        };
        assert_eq!(found.as_ref().map(String::as_str).map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn scalars_stay_as_written() {
        check("no: [yes, no, 0.70, 012]", Ok(r#"{"no":["yes","no","0.70","012",],}"#));
        check("b: 1\na: \"x\\n\"", Ok(r#"{"a":"x\n","b":"1",}"#));
        check("", Ok("{}"));
    }

    #[test]
    fn surprises_are_refused() {
        check("a: 1\na: 2", Err("`a` is written twice here"));
        check("a: &x 1\nb: *x", Err("anchors, aliases and tags are not part of the format"));
        check("a: !!str 1", Err("anchors, aliases and tags are not part of the format"));
        check("a: 1\n---\nb: 2", Err("a second document in one file"));
        check("? [a]\n: 1", Err("a key must be a word"));
        check(&format!("{}{}", "[".repeat(30), "]".repeat(30)), Err("nested too deeply"));
        assert!(matches!(parse("a: [1"), Err(fault) if fault.code == "pack/syntax"));
    }

    #[test]
    fn places_are_bytes_of_the_text() {
        let text = "é: 'ação'\nb:\n  - x\n";
        let (node, _) = parse(text).unwrap();
        let NodeKind::Map(entries) = &node.kind else { panic!("a mapping") };
        assert_eq!(entries[0].key_span.of(text), "é");
        assert_eq!(entries[0].value.span.of(text), "'ação'");
        let NodeKind::List(items) = &entries[1].value.kind else { panic!("a list") };
        assert_eq!(items[0].span.of(text), "x");
    }
}
