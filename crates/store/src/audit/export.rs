//! Writes a tenant's log as JSON lines: records, then checkpoints, then a line that counts both.
//!
//! Invariants: each line is canonical JSON; headers and bodies are carried as text, byte for byte. Deliberately
//! absent: sealed values. An export can be given away.

use std::io::{BufWriter, Write};

use countersign_runtime::ports::{StoreError, TenantStore};
use serde::Serialize;

use crate::error::Doing;
use crate::sqlite::Exported;
use crate::sqlite::Handle;

/// Records read at once.
const PAGE: u32 = 1_000;

// The fields of each line are declared in canonical order.
#[derive(Serialize)]
struct RecordLine<'a> {
    body: &'a str,
    conversation: &'a str,
    header: &'a str,
    kind: &'static str,
    subject: &'a str,
}

#[derive(Serialize)]
struct CheckpointLine<'a> {
    kind: &'static str,
    note: String,
    signature: &'a str,
}

#[derive(Serialize)]
struct EndLine {
    checkpoints: u64,
    kind: &'static str,
    records: u64,
}

/// Writes everything up to a checkpoint that is signed first.
pub(crate) async fn write(tenant: &Handle, out: impl Write) -> Result<Exported, StoreError> {
    let mut out = BufWriter::new(out);
    let last = tenant.checkpoint_now().await?.map_or(0, |checkpoint| checkpoint.size);
    let mut exported = Exported { records: 0, checkpoints: 0 };
    while exported.records < last {
        let page = tenant.records(None, exported.records, PAGE).await?;
        for record in page.iter().take_while(|record| record.seq <= last) {
            let (body, header) = (record.body.as_str(), record.header.as_str());
            let (conversation, subject) = (record.conversation.as_str(), record.subject.as_str());
            line(&mut out, &RecordLine { body, conversation, header, kind: "record", subject })?;
            exported.records = record.seq;
        }
        if page.is_empty() {
            break;
        }
    }
    let mut size = 0;
    while size < last {
        let page = tenant.checkpoints(size).await?;
        for checkpoint in page.iter().take_while(|checkpoint| checkpoint.size <= last) {
            let note = format!("countersign/{}\n{}\n{}\n", tenant.name(), checkpoint.size, checkpoint.root);
            line(&mut out, &CheckpointLine { kind: "checkpoint", note, signature: &checkpoint.signature })?;
            exported.checkpoints += 1;
            size = checkpoint.size;
        }
        if page.is_empty() {
            break;
        }
    }
    let Exported { records, checkpoints } = exported;
    line(&mut out, &EndLine { checkpoints, kind: "end", records })?;
    out.flush().doing("writing the export")?;
    Ok(exported)
}

fn line(out: &mut impl Write, line: &impl Serialize) -> Result<(), StoreError> {
    serde_json::to_writer(&mut *out, line).doing("writing the export")?;
    out.write_all(b"\n").doing("writing the export")
}
