//! `countersign replay`: decides a recorded conversation again, under the pack that decided it or under another.

use std::io::Write;

use anyhow::{Context, Result, bail};
use countersign_kernel::policy::Policy;
use countersign_pack::{Source, compile, tenants};
use countersign_runtime::replay::{Difference, ReplayReport, replay};
use serde_json::{Value as Json, json};

use crate::Ending;
use crate::config::ReplayArgs;
use crate::output::{BAD, GOOD, WARN, count, excerpt, note, paint, printable};
use crate::packs;
use crate::wire::{self, Existing};

/// Records read at a time.
const PAGE: u32 = 256;

pub(crate) fn run(args: &ReplayArgs) -> Result<Ending> {
    let runtime = wire::runtime()?;
    let other = match &args.pack {
        Some(folder) => Some(policy(&packs::read(folder)?, &args.store.tenant)?),
        None => None,
    };
    let report = runtime.block_on(async {
        let existing = wire::existing(&args.store.data, &args.store.tenant).await?;
        let recorded = recorded_under(&existing, &args.conversation).await?;
        let decided = kept(&existing, &recorded)?;
        let tenant = &existing.tenant;
        Ok::<_, anyhow::Error>(
            replay(&decided, other.as_ref(), existing.store.as_ref(), tenant, &args.conversation).await?,
        )
    })?;
    if args.json {
        print_json(args, &report)?
    } else {
        print(args, &report)?
    }
    Ok(if report.differences.is_empty() { Ending::Fine } else { Ending::Findings })
}

/// The hashes of the policies a conversation was decided under, oldest first.
async fn recorded_under(existing: &Existing, conversation: &str) -> Result<Vec<String>> {
    let (mut hashes, mut after) = (Vec::<String>::new(), 0);
    loop {
        let records = existing.store.records(Some(conversation), after, PAGE).await?;
        let Some(last) = records.last() else { break };
        after = last.seq;
        for record in &records {
            let body: Json = serde_json::from_str(&record.body).context("a record's body cannot be read")?;
            if let Some(hash) = body.get("policy").and_then(Json::as_str).filter(|hash| !hash.is_empty())
                && hashes.last().is_none_or(|last| last != hash)
            {
                hashes.push(hash.to_owned());
            }
        }
    }
    if hashes.is_empty() {
        bail!("`{}` has no conversation `{conversation}`", existing.data.display());
    }
    Ok(hashes)
}

/// The policy whose sources were kept with the data.
fn kept(existing: &Existing, hashes: &[String]) -> Result<Policy> {
    let Some(hash) = hashes.last() else { bail!("no record names its policy") };
    if hashes.len() > 1 {
        note(&format!("the conversation was decided under {} packs; the last is used for all of it", hashes.len()));
    }
    let folder = packs::kept(&existing.data, hash);
    if !folder.is_dir() {
        bail!("the pack `{hash}` was not kept in `{}`; name one with --pack", folder.display());
    }
    let policy = policy(&packs::read(&folder)?, &existing.tenant)?;
    if policy.hash != *hash {
        note("the pack was decided by another version of this program; differences may come from that");
    }
    Ok(policy)
}

fn policy(source: &Source, tenant: &str) -> Result<Policy> {
    let overlay = tenants(source).into_iter().find(|known| known == tenant);
    let outcome = compile(source, overlay.as_deref());
    outcome.policy.context("the pack has mistakes; `countersign check` lists them")
}

fn print(args: &ReplayArgs, report: &ReplayReport) -> Result<()> {
    let mut out = anstream::stdout();
    for difference in &report.differences {
        let Difference { seq, what, recorded, replayed } = difference;
        writeln!(out, "{} {}", paint(WARN, &format!("record {seq}:")), what)?;
        if !recorded.is_empty() || !replayed.is_empty() {
            writeln!(out, "  recorded  {}", shown(recorded))?;
            writeln!(out, "  {}  {}", if args.pack.is_some() { "other   " } else { "again   " }, shown(replayed))?;
        }
    }
    let read = format!("{}, {}", count(as_usize(report.records), "record"), count(as_usize(report.events), "event"));
    if report.erased > 0 {
        writeln!(out, "{} of an erased person cannot be decided again", count(as_usize(report.erased), "record"))?;
    }
    if report.erased == report.records && report.records > 0 {
        writeln!(out, "{}: nothing is left to compare", paint(WARN, "erased"))?;
        return Ok(());
    }
    match (report.differences.len(), args.pack.is_some()) {
        (0, false) => writeln!(out, "{}: {read}, decided again with the same result", paint(GOOD, "identical"))?,
        (0, true) => writeln!(out, "{}: {read}, the other pack decides the same", paint(GOOD, "identical"))?,
        (n, false) => writeln!(out, "{}: {read}, {}", paint(BAD, "different"), count(n, "difference"))?,
        (n, true) => writeln!(out, "{}: {read}, {} would change", paint(WARN, "different"), count(n, "decision"))?,
    }
    Ok(())
}

/// A recorded decision in words; anything else as it is.
fn shown(text: &str) -> String {
    let parsed: Option<Vec<Json>> = serde_json::from_str(text).ok();
    let words = parsed.map(|parts| parts.iter().filter_map(Json::as_str).map(printable).collect::<Vec<_>>().join(" "));
    excerpt(&words.filter(|words| !words.is_empty()).unwrap_or_else(|| text.to_owned()))
}

fn print_json(args: &ReplayArgs, report: &ReplayReport) -> Result<()> {
    let differences: Vec<Json> = report
        .differences
        .iter()
        .map(|found| {
            json!({"record": found.seq, "what": found.what, "recorded": found.recorded, "replayed": found.replayed})
        })
        .collect();
    let object = json!({
        "conversation": args.conversation,
        "records": report.records,
        "events": report.events,
        "erased": report.erased,
        "differences": differences,
    });
    writeln!(anstream::stdout(), "{object}")?;
    Ok(())
}

fn as_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
