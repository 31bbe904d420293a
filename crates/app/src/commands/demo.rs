//! `countersign demo`: choose an agent, see what to try, talk to it. Offline, with the pack's own made-up data.

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Result, bail};
use countersign_pack::Source;

use crate::Ending;
use crate::commands::chat;
use crate::config::DemoArgs;
use crate::output::{ASIDE, TITLE, paint, printable, table};
use crate::packs;

/// The agent that is taken when nobody chooses.
const DEFAULT: &str = "iris";
/// Where packs are looked for, below the current folder; those of the program itself are used otherwise.
const FOLDER: &str = "packs";
/// The section of a pack's README whose table says what to write and what happens then.
const HINTS: &str = "## Try it";
/// Hints shown at most; more would scroll the first ones away.
const HINTS_MAX: usize = 8;

pub(crate) fn run(args: &DemoArgs) -> Result<Ending> {
    let agents = agents(Path::new(FOLDER))?;
    let name = match &args.agent {
        Some(name) => name.clone(),
        None => choose(&agents, args.session.json)?,
    };
    let Some(source) = agents.get(&name) else {
        let known: Vec<&str> = agents.keys().map(String::as_str).collect();
        bail!("there is no agent `{name}`; there are `{}`", known.join("`, `"));
    };
    if !args.session.json {
        introduce(&name, source)?;
    }
    chat::converse(source, None, &args.session)
}

/// The packs next to the current folder, or those of the program itself.
fn agents(folder: &Path) -> Result<BTreeMap<String, Source>> {
    let mut agents = BTreeMap::new();
    if let Ok(entries) = std::fs::read_dir(folder) {
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if let (true, Some(name)) =
                (path.join("pack.yaml").is_file(), path.file_name().and_then(|name| name.to_str()))
            {
                agents.insert(name.to_owned(), packs::read(&path)?);
            }
        }
    }
    if agents.is_empty() {
        let built_in =
            packs::BUILT_IN.iter().filter_map(|(name, _)| Some(((*name).to_owned(), packs::built_in(name)?)));
        agents.extend(built_in);
    }
    Ok(agents)
}

/// Asks on a terminal; takes the default otherwise.
fn choose(agents: &BTreeMap<String, Source>, is_json: bool) -> Result<String> {
    let names: Vec<&String> = agents.keys().collect();
    let default = names.iter().find(|name| name.as_str() == DEFAULT).or(names.first());
    let Some(default) = default.map(|name| (*name).clone()) else { bail!("there is no agent to try") };
    let is_asking = io::stdin().is_terminal() && io::stdout().is_terminal() && !is_json;
    if names.len() == 1 || !is_asking {
        return Ok(default);
    }
    let mut out = anstream::stdout();
    for (number, name) in names.iter().enumerate() {
        let summary = agents.get(*name).map(summary).unwrap_or_default();
        writeln!(out, "{}. {}  {summary}", number + 1, paint(TITLE, name))?;
    }
    write!(out, "Which agent? [{default}] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    let answer = answer.trim();
    let by_number = answer.parse::<usize>().ok().and_then(|number| names.get(number.checked_sub(1)?));
    Ok(match by_number {
        Some(name) => (*name).clone(),
        None if answer.is_empty() => default,
        None => answer.to_owned(),
    })
}

/// The pack's own line about itself.
fn summary(source: &Source) -> String {
    let pack = source.get("pack.yaml").unwrap_or_default();
    let line = pack.lines().find_map(|line| line.strip_prefix("summary:"));
    printable(line.unwrap_or_default().trim().trim_matches('"'))
}

fn introduce(name: &str, source: &Source) -> Result<()> {
    let mut out = anstream::stdout();
    writeln!(out, "{}: {}", paint(TITLE, name), summary(source))?;
    let hints = hints(source.get("README.md").unwrap_or_default());
    if !hints.is_empty() {
        writeln!(out, "Try:")?;
        for line in table(&hints) {
            writeln!(out, "  {}", paint(ASIDE, &line))?;
        }
    }
    Ok(())
}

/// The rows of the table in the README's section of things to try, without its head.
fn hints(readme: &str) -> Vec<Vec<String>> {
    let section = readme.lines().skip_while(|line| line.trim() != HINTS).skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    let rows = section.filter_map(|line| line.trim().strip_prefix('|')?.strip_suffix('|')).skip(2).take(HINTS_MAX);
    rows.map(|row| row.split('|').map(|cell| printable(&cell.trim().replace('`', ""))).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_the_table_of_one_section() {
        let readme = "# X\n| no | no |\n## Try it\n\n| write | what |\n| --- | --- |\n| `oi`, then `sim` | done |\n\n\
                      ## More\n| no | no |\n";
        assert_eq!(hints(readme), [["oi, then sim", "done"]]);
        assert!(hints("# X\n| no | no |\n").is_empty());
    }

    #[test]
    fn the_agent_that_is_taken_by_default_has_hints() {
        let source = packs::built_in(DEFAULT).unwrap();
        assert!(hints(source.get("README.md").unwrap()).len() >= 5);
    }

    #[test]
    fn the_program_has_an_agent_of_its_own() {
        let agents = agents(Path::new("no such folder")).unwrap();
        assert!(agents.contains_key(DEFAULT));
        assert!(!summary(&agents[DEFAULT]).is_empty());
    }
}
