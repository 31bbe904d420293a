//! `countersign audit`: reads, checks and exports the log, and forgets a person.

mod key;
mod records;

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};

use anyhow::{Context, Result, bail};
use countersign_runtime::record::{Draft, Facts, Whose};
use countersign_runtime::vault::Vault;
use countersign_sim::folder::TempFolder;
use countersign_store::audit::{Report, verify_export};

use crate::Ending;
use crate::config::{EraseArgs, ExportArgs, ShowArgs, VerifyArgs};
use crate::output::{BAD, GOOD, count, paint, printable};
use crate::wire;

pub(crate) fn verify(args: &VerifyArgs) -> Result<Ending> {
    let (report, key) = match (&args.file, &args.data) {
        (Some(file), _) => {
            let key = key::read(args.key.as_deref().unwrap_or_default())?;
            let log = File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?;
            (verify_export(BufReader::new(log), Some(&key)), key)
        }
        (None, Some(data)) => wire::runtime()?.block_on(async {
            let existing = wire::existing(data, &args.tenant).await?;
            let key = existing.sqlite.public_key(&args.tenant)?;
            // Through the same file that an outsider would get, so that the same check is made.
            let folder = TempFolder::new()?;
            let path = folder.path().join("export.jsonl");
            existing.sqlite.export(&args.tenant, BufWriter::new(File::create(&path)?)).await?;
            let report = verify_export(BufReader::new(File::open(&path)?), Some(&key));
            Ok::<_, anyhow::Error>((report, key))
        })?,
        (None, None) => bail!("give --data DIR, or --file FILE with --key KEY"),
    };
    print(&report, &key)?;
    Ok(if report.is_good() { Ending::Fine } else { Ending::Findings })
}

fn print(report: &Report, key: &[u8]) -> Result<()> {
    let mut out = anstream::stdout();
    for problem in &report.problems {
        writeln!(out, "{} {}", paint(BAD, &format!("record {}:", problem.seq)), printable(&problem.what))?;
    }
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let read = format!(
        "{}, {}, {}",
        count(number(report.records), "record"),
        count(number(report.checkpoints), "checkpoint"),
        count(number(report.signatures), "good signature")
    );
    match report.problems.len() {
        0 => writeln!(out, "{}: {read}", paint(GOOD, "whole"))?,
        problems => writeln!(out, "{}: {read}, {}", paint(BAD, "broken"), count(problems, "problem"))?,
    }
    if let Some(head) = &report.head {
        writeln!(out, "head {head}")?;
    }
    writeln!(out, "public key {}", key::hex(key))?;
    Ok(())
}

pub(crate) fn show(args: &ShowArgs) -> Result<Ending> {
    wire::runtime()?.block_on(async {
        let existing = wire::existing(&args.store.data, &args.store.tenant).await?;
        let shown = records::show(existing.store.as_ref(), &args.conversation, args.json).await?;
        if shown == 0 {
            bail!("`{}` has no conversation `{}`", existing.data.display(), args.conversation);
        }
        Ok(Ending::Fine)
    })
}

pub(crate) fn export(args: &ExportArgs) -> Result<Ending> {
    wire::runtime()?.block_on(async {
        let existing = wire::existing(&args.store.data, &args.store.tenant).await?;
        let file = File::create(&args.out).with_context(|| format!("cannot write `{}`", args.out.display()))?;
        let written = existing.sqlite.export(&existing.tenant, BufWriter::new(file)).await?;
        let key = key::hex(&existing.sqlite.public_key(&existing.tenant)?);
        let mut out = anstream::stdout();
        let (records, path) = (written.records, args.out.display());
        writeln!(
            out,
            "{}: {records} records and {} checkpoints in `{path}`",
            paint(GOOD, "written"),
            written.checkpoints
        )?;
        writeln!(out, "check it with: countersign audit verify --file {path} --key {key}")?;
        Ok(Ending::Fine)
    })
}

pub(crate) fn erase(args: &EraseArgs) -> Result<Ending> {
    wire::runtime()?.block_on(async {
        let existing = wire::existing(&args.store.data, &args.store.tenant).await?;
        let subject = existing.store.subject(&args.customer).await?;
        let records = records::of_subject(existing.store.as_ref(), &subject.pseudonym).await?;
        if records == 0 {
            bail!("the log of `{}` has nobody known as `{}`", existing.tenant, args.customer);
        }
        let vault = Vault::new(&subject.key)?;
        let whose = Whose { conversation: "", subject: &subject.pseudonym, policy: "" };
        let entry = Draft::default().close(whose, &Facts { kind: "erased", ..Facts::default() }, &vault)?;
        existing.store.erase(&subject.pseudonym, entry).await?;
        let mut out = anstream::stdout();
        let records = count(records, "record");
        writeln!(out, "{}: the values in {records} can no longer be read by anybody", paint(GOOD, "erased"))?;
        writeln!(out, "the log itself stays whole; the business database is not touched")?;
        Ok(Ending::Fine)
    })
}
