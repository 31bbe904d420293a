//! What a person reads after a run of specs: failed ones in full, the others counted per file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use countersign_kernel::decision::{Decision, Verdict};
use countersign_sim::specs::{Failure, Told};

use super::Done;
use crate::output::{ASIDE, BAD, GOOD, TITLE, excerpt, paint, printable, table};

pub(super) fn print(out: &mut impl Write, done: &[Done<'_>], is_verbose: bool) -> io::Result<()> {
    if is_verbose {
        for done in done.iter().filter(|done| done.run.failures.is_empty()) {
            writeln!(out, "{} {}", paint(GOOD, "passed"), title(done))?;
            transcript(out, &done.run.transcript)?;
        }
    }
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for done in done {
        let counts = files.entry(&done.spec.file).or_default();
        if done.run.failures.is_empty() { counts.0 += 1 } else { counts.1 += 1 }
    }
    let rows: Vec<Vec<String>> = files
        .iter()
        .map(|(file, (passed, failed))| {
            let failed = if *failed == 0 { String::new() } else { format!("{failed} failed") };
            vec![(*file).to_owned(), format!("{passed} passed"), failed]
        })
        .collect();
    for line in table(&rows) {
        writeln!(out, "{line}")?;
    }
    for done in done.iter().filter(|done| !done.run.failures.is_empty()) {
        writeln!(out, "\n{} {}", paint(BAD, "FAILED"), title(done))?;
        writeln!(out, "  {}", paint(ASIDE, &printable(&done.spec.why)))?;
        for failure in &done.run.failures {
            self::failure(out, &done.spec.file, failure)?;
        }
        // A run ends with the first turn in which something does not hold, so all failures are of one turn.
        decisions(out, done.run.failures.first())?;
        writeln!(out, "  the conversation:")?;
        transcript(out, &done.run.transcript)?;
    }
    Ok(())
}

pub(super) fn summary(out: &mut impl Write, passed: usize, failed: usize, took: Duration) -> io::Result<()> {
    let style = if failed == 0 { GOOD } else { BAD };
    writeln!(out, "\n{}", paint(ASIDE, &format!("took {:.1} s", took.as_secs_f64())))?;
    writeln!(out, "{}", paint(style, &format!("{passed} passed, {failed} failed")))
}

fn title(done: &Done<'_>) -> String {
    let title = paint(TITLE, &printable(&done.spec.title));
    format!("{title} ({}:{}, {} ms)", done.spec.file, done.spec.line, done.took.as_millis())
}

fn failure(out: &mut impl Write, file: &str, failure: &Failure) -> io::Result<()> {
    writeln!(out, "  {file}:{}", failure.line)?;
    block(out, "expected", &failure.expected)?;
    block(out, "got", &failure.got)
}

fn decisions(out: &mut impl Write, failure: Option<&Failure>) -> io::Result<()> {
    let decisions = failure.into_iter().flat_map(|failure| &failure.decisions);
    let rows: Vec<Vec<String>> = decisions.filter(|made| is_telling(made)).map(row).collect();
    if !rows.is_empty() {
        writeln!(out, "  decided in this turn:")?;
        for line in table(&rows) {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

/// Gates that had nothing to say are left out.
fn is_telling(decision: &Decision) -> bool {
    decision.verdict != Verdict::Pass || !decision.about.is_empty() || !decision.detail.is_empty()
}

fn row(decision: &Decision) -> Vec<String> {
    let (gate, verdict, reason) = (decision.gate.name(), decision.verdict.name(), decision.reason.code());
    vec![gate.to_owned(), verdict.to_owned(), reason.to_owned(), decision.about.clone(), excerpt(&decision.detail)]
}

fn block(out: &mut impl Write, label: &str, text: &str) -> io::Result<()> {
    let text = printable(text);
    let mut lines = text.split('\n');
    writeln!(out, "    {label:<8}  {}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|line| writeln!(out, "              {line}"))
}

fn transcript(out: &mut impl Write, transcript: &[Told]) -> io::Result<()> {
    for told in transcript {
        writeln!(out, "    {}", excerpt(&told.said))?;
        for answer in &told.answers {
            writeln!(out, "    {}", excerpt(answer))?;
        }
    }
    Ok(())
}
