//! `countersign test`: runs a pack's specs and says what does not hold.
//!
//! Invariant: the exit code is 0 only if at least one spec ran and all of them held; a spec that cannot be read counts
//! as failed.

mod junit;
mod report;

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use countersign_pack::spec::{self, Spec};
use countersign_pack::{Diagnostic, Source, render};
use countersign_sim::specs::{Agents, Run, run as run_spec};

use crate::Ending;
use crate::commands::check::is_spec;
use crate::config::TestArgs;
use crate::{packs, wire};

/// Specs run side by side: more threads would only wait for the disk.
const THREADS: usize = 2;

/// A spec and how it ended.
#[derive(Debug)]
struct Done<'s> {
    spec: &'s Spec,
    run: Run,
    took: Duration,
}

pub(crate) fn run(args: &TestArgs) -> Result<Ending> {
    let source = packs::read(&args.pack)?;
    let (specs, unreadable) = specs(&source, args.filter.as_deref());
    if specs.is_empty() && unreadable.is_empty() {
        match &args.filter {
            Some(filter) => bail!("no spec's title or file contains `{filter}`"),
            None => bail!("`{}` has no specs; write conversations in specs/*.md", args.pack.display()),
        }
    }
    let agents = Agents::new(source.clone()).map_err(|error| wire::explain(&source, error))?;
    let started = Instant::now();
    let done = run_all(&agents, &specs)?;
    let mut out = anstream::stdout();
    if !unreadable.is_empty() {
        writeln!(out, "{}\n", render(&unreadable, &source, true))?;
    }
    report::print(&mut out, &done, args.verbose)?;
    if let Some(file) = &args.junit {
        let text = junit::report(&done, &unreadable);
        std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    let failed = done.iter().filter(|done| !done.run.failures.is_empty()).count() + unreadable.len();
    report::summary(&mut out, done.len() + unreadable.len() - failed, failed, started.elapsed())?;
    Ok(if failed == 0 { Ending::Fine } else { Ending::Findings })
}

fn specs(source: &Source, filter: Option<&str>) -> (Vec<Spec>, Vec<Diagnostic>) {
    let (mut specs, mut unreadable) = (Vec::new(), Vec::new());
    for (file, text) in source.files.iter().filter(|(file, _)| is_spec(file)) {
        let (found, diagnostics) = spec::parse(file, text);
        specs.extend(found);
        unreadable.extend(diagnostics);
    }
    if let Some(filter) = filter {
        let filter = filter.to_lowercase();
        let is_meant = |text: &str| text.to_lowercase().contains(&filter);
        specs.retain(|spec| is_meant(&spec.title) || is_meant(&spec.file));
        unreadable.retain(|diagnostic| is_meant(&diagnostic.file));
    }
    (specs, unreadable)
}

/// Runs the specs on a few threads; the order of the result is that of the specs.
fn run_all<'s>(agents: &Agents, specs: &'s [Spec]) -> Result<Vec<Done<'s>>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(specs.len()));
    let work = || -> Result<()> {
        let runtime = wire::runtime()?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(spec) = specs.get(number) else { return Ok(()) };
            let started = Instant::now();
            let run = runtime.block_on(run_spec(agents, spec));
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((number, Done { spec, run, took: started.elapsed() }));
            progress(done.len(), specs.len());
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(_) => bail!("a spec brought its thread down"),
        })
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, done)| done).collect())
}

/// A line that counts up, on a terminal only.
fn progress(done: usize, all: usize) {
    let mut err = std::io::stderr().lock();
    if err.is_terminal() {
        let end = if done == all { "\r\x1b[K" } else { "" };
        // Progress that cannot be shown is not worth an error.
        let _ = write!(err, "\r{done}/{all}{end}");
        let _ = err.flush();
    }
}
