//! Walks over an export line by line and collects what is wrong.
//!
//! Invariants: the walk never stops at a problem, so one look shows all of them; each line must be the one canonical
//! text of what it says; records come first, then checkpoints by size, then the end.

use std::io::{BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Report;
use super::canonical;
use super::rules::{Rules, field};
use super::tree::{self, Hash, Tree};

/// The longest line: a record's body is some kilobytes.
const LINE_MAX: u64 = 32 << 20;

/// Which lines may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Records,
    Checkpoints,
    End,
}

struct Walk<'k> {
    report: Report,
    public_key: Option<&'k [u8]>,
    part: Part,
    tenant: Option<String>,
    seq: u64,
    leaves: Vec<Hash>,
    tree: Tree,
    rules: Rules,
}

/// Checks an export.
pub(super) fn run(mut export: impl BufRead, public_key: Option<&[u8]>) -> Report {
    let mut walk = Walk {
        report: Report::default(),
        public_key,
        part: Part::Records,
        tenant: None,
        seq: 0,
        leaves: Vec::new(),
        tree: Tree::default(),
        rules: Rules::default(),
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        match export.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => walk.line(&line),
            Err(error) => {
                walk.report.add(walk.seq, format!("the export cannot be read: {error}"));
                break;
            }
        }
    }
    walk.finish()
}

impl Walk<'_> {
    fn line(&mut self, line: &[u8]) {
        let seq = self.seq;
        let Some(line) = line.strip_suffix(b"\n") else {
            return self.report.add(seq, "a line without an end, or longer than any record");
        };
        let Ok(text) = std::str::from_utf8(line) else { return self.report.add(seq, "a line is not UTF-8") };
        let value = match canonical::parse(text) {
            Ok(value) => value,
            Err(why) => return self.report.add(seq, format!("a line is {why}")),
        };
        match field(&value, "kind") {
            Some("record") if self.comes(Part::Records) => self.record(&value),
            Some("checkpoint") if self.comes(Part::Checkpoints) => self.checkpoint(&value),
            Some("end") if self.comes(Part::End) => self.end(&value),
            Some(kind) => self.report.add(seq, format!("a line of kind `{kind}` where none belongs")),
            None => self.report.add(seq, "a line without a kind"),
        }
    }

    fn comes(&mut self, part: Part) -> bool {
        let is_fine = part >= self.part && self.part != Part::End;
        if is_fine {
            self.part = part;
        }
        is_fine
    }

    fn record(&mut self, line: &Value) {
        self.report.records += 1;
        let parts = (field(line, "header"), field(line, "body"), field(line, "conversation"), field(line, "subject"));
        let (Some(header), Some(body), Some(conversation), Some(subject)) = parts else {
            return self.report.add(self.seq + 1, "a record lacks its header, body, conversation or subject");
        };
        self.only(line, 5, self.seq + 1);
        self.header(header, body);
        self.body(body, conversation, subject);
    }

    fn header(&mut self, text: &str, body: &str) {
        let expected = self.seq + 1;
        let prev = self.leaves.last().map_or_else(|| "0".repeat(64), |leaf| hex(leaf));
        self.leaves.push(tree::leaf(text.as_bytes()));
        let header = match canonical::parse(text) {
            Ok(header) => header,
            Err(why) => {
                self.seq = expected;
                return self.report.add(expected, format!("the header is {why}"));
            }
        };
        let seq = header.get("seq").and_then(Value::as_u64).unwrap_or(0);
        if seq != expected {
            self.report.add(expected, format!("record {expected} should come here, this one is {seq}"));
        }
        // Going on from what it says keeps one gap from being reported at every later record.
        self.seq = seq.max(expected);
        let seq = self.seq;
        self.only(&header, 5, seq);
        if header.get("v").and_then(Value::as_u64) != Some(1) {
            self.report.add(seq, "the header is not of version 1");
        }
        if field(&header, "prev") != Some(&prev) {
            self.report.add(seq, "it does not follow from the record before it");
        }
        if field(&header, "body") != Some(&hex(&Sha256::digest(body))) {
            self.report.add(seq, "the body is not the one that was chained");
        }
        self.same_tenant(field(&header, "tenant"), seq);
    }

    fn body(&mut self, text: &str, conversation: &str, subject: &str) {
        let seq = self.seq;
        let body = match canonical::parse(text) {
            Ok(body) => body,
            Err(why) => return self.report.add(seq, format!("the body is {why}")),
        };
        let named = [("conversation", conversation), ("subject", subject)];
        for (name, beside) in named {
            if field(&body, name).is_some_and(|inside| inside != beside) {
                self.report.add(seq, format!("its {name} is not the one in its body"));
            }
        }
        if named.iter().any(|(name, _)| field(&body, name).is_none()) {
            self.report.unbound += 1;
        }
        for problem in self.rules.judge(&body) {
            self.report.add(seq, problem);
        }
    }

    fn checkpoint(&mut self, line: &Value) {
        self.report.checkpoints += 1;
        let (Some(note), Some(signature)) = (field(line, "note"), field(line, "signature")) else {
            return self.report.add(self.seq, "a checkpoint lacks its note or signature");
        };
        let Some((tenant, size, root)) = read_note(note) else {
            return self.report.add(self.seq, "a checkpoint's note does not have the promised form");
        };
        self.only(line, 3, size);
        self.same_tenant(Some(tenant), size);
        self.root(size, root);
        if let Some(key) = self.public_key {
            let signature = STANDARD.decode(signature).unwrap_or_default();
            match UnparsedPublicKey::new(&ED25519, key).verify(note.as_bytes(), &signature) {
                Ok(()) => self.report.signatures += 1,
                Err(_) => self.report.add(size, "the checkpoint's signature is not good"),
            }
        }
    }

    fn root(&mut self, size: u64, root: &str) {
        if size <= self.tree.size() {
            return self.report.add(size, "checkpoints are not in order, or there are two of one size");
        }
        if size > self.leaves.len() as u64 {
            let what = format!("it covers {size} records, the export has {}: the end is missing", self.leaves.len());
            return self.report.add(size, what);
        }
        while self.tree.size() < size {
            let next = usize::try_from(self.tree.size()).ok().and_then(|next| self.leaves.get(next));
            match next {
                Some(leaf) => self.tree.add(*leaf),
                None => break,
            }
        }
        if self.tree.root().map(|root| STANDARD.encode(root)).as_deref() != Some(root) {
            self.report.add(size, "the records before this checkpoint are not those that were signed");
        }
    }

    fn end(&mut self, line: &Value) {
        self.only(line, 3, self.seq);
        for (name, found) in [("records", self.report.records), ("checkpoints", self.report.checkpoints)] {
            let stated = line.get(name).and_then(Value::as_u64);
            if stated != Some(found) {
                self.report.add(self.seq, format!("the export's end does not state the {found} {name} it has"));
            }
        }
    }

    fn only(&mut self, object: &Value, fields: usize, seq: u64) {
        if object.as_object().map(serde_json::Map::len) != Some(fields) {
            self.report.add(seq, "it has fields that do not belong there, or lacks some");
        }
    }

    fn same_tenant(&mut self, tenant: Option<&str>, seq: u64) {
        match (tenant, &self.tenant) {
            (None, _) => self.report.add(seq, "it names no tenant"),
            (Some(name), None) => self.tenant = Some(name.to_owned()),
            (Some(name), Some(known)) if name != known => {
                let what = format!("it belongs to tenant `{name}`, the others to `{known}`");
                self.report.add(seq, what);
            }
            (Some(_), Some(_)) => {}
        }
    }

    fn finish(mut self) -> Report {
        if self.part != Part::End {
            self.report.add(self.seq, "the export ends early: its last line is missing");
        }
        self.report.head = self.leaves.last().map(|leaf| hex(leaf));
        self.report
    }
}

/// The three lines of a note: tenant, size, root.
fn read_note(note: &str) -> Option<(&str, u64, &str)> {
    let mut lines = note.strip_suffix('\n')?.split('\n');
    let tenant = lines.next()?.strip_prefix("countersign/")?;
    let size_text = lines.next()?;
    let size: u64 = size_text.parse().ok()?;
    let root = lines.next()?;
    (lines.next().is_none() && size.to_string() == size_text).then_some((tenant, size, root))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
