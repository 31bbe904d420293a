//! `countersign schema`: the JSON Schema of the pack format, so that editors complete and check it.

use std::io::Write;

use anyhow::{Context, Result};

use crate::Ending;
use crate::config::SchemaArgs;

pub(crate) fn run(args: &SchemaArgs) -> Result<Ending> {
    let text = format!("{:#}\n", countersign_pack::schema());
    match &args.out {
        Some(file) => std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?,
        None => anstream::stdout().write_all(text.as_bytes())?,
    }
    Ok(Ending::Fine)
}
