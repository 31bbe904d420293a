//! One line of a `chat` block.

use countersign_kernel::decision::Verdict;
use countersign_kernel::reason::Reason;

use super::{Line, LineKind, Reply};
use crate::diagnostic::did_you_mean;
use crate::raw::scalar::Seconds;

/// What is wrong with a line.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: String,
}

fn fault(code: &'static str, message: String, help: impl Into<String>) -> Fault {
    Fault { code, message, help: help.into() }
}

/// Reads one line; a reply is joined to the one before it by [`join`].
pub(super) fn parse(written: &str) -> Result<LineKind, Fault> {
    if let Some(text) = marked(written, "<~") {
        return Ok(LineKind::Reply(Reply::Contains(text.to_owned())));
    }
    if let Some(text) = marked(written, "<") {
        let reply = match text.strip_suffix("...") {
            Some(start) => Reply::Prefix(start.to_owned()),
            None => Reply::Exact(text.to_owned()),
        };
        return Ok(LineKind::Reply(reply));
    }
    if let Some(text) = marked(written, ">") {
        return Ok(LineKind::Customer(text.to_owned()));
    }
    if let Some(text) = marked(written, "!") {
        return expectation(text.trim());
    }
    if let Some(text) = marked(written, "@") {
        return command(text.trim());
    }
    let help = "`> customer`, `< reply`, `<~ part of a reply`, `! what must be decided`, `@ what happens`";
    Err(fault("spec/line", format!("`{written}` begins with no known mark"), help))
}

/// The text behind a mark: nothing, or a space and the text.
fn marked<'t>(written: &'t str, mark: &str) -> Option<&'t str> {
    let rest = written.strip_prefix(mark)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// Consecutive `<` lines are one reply; `...` counts at the end of the whole.
pub(super) fn join(lines: &mut Vec<Line>, number: u32, reply: Reply) {
    let joins = match (lines.last_mut(), &reply) {
        (Some(Line { kind: LineKind::Reply(Reply::Exact(text)), .. }), Reply::Exact(more) | Reply::Prefix(more)) => {
            text.push('\n');
            text.push_str(more);
            true
        }
        (_, _) => false,
    };
    if !joins {
        lines.push(Line { number, kind: LineKind::Reply(reply) });
        return;
    }
    if let (Some(last), Reply::Prefix(_)) = (lines.last_mut(), &reply)
        && let LineKind::Reply(Reply::Exact(text)) = &last.kind
    {
        last.kind = LineKind::Reply(Reply::Prefix(text.clone()));
    }
}

fn expectation(text: &str) -> Result<LineKind, Fault> {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    match first {
        "no" if rest == "effect" => Ok(LineKind::NoEffect),
        "effect" => effect(rest),
        "refused" => refused(rest),
        _ => {
            let verdicts = [Verdict::Pass, Verdict::Note, Verdict::Ask, Verdict::Wait, Verdict::Stop];
            let Some(verdict) = verdicts.into_iter().find(|verdict| verdict.name() == first) else {
                let known = verdicts.iter().map(|verdict| verdict.name()).chain(["effect", "refused", "no effect"]);
                let help = did_you_mean(first, known)
                    .unwrap_or_else(|| "pass, note, ask, wait, stop, effect, no effect, refused".to_owned());
                return Err(fault("spec/expectation", format!("unknown expectation `{text}`"), help));
            };
            Ok(LineKind::Decision { verdict, reason: reason(rest)? })
        }
    }
}

fn reason(code: &str) -> Result<Reason, Fault> {
    Reason::parse(code).ok_or_else(|| {
        let help = did_you_mean(code, Reason::ALL.iter().map(|reason| reason.code()));
        let help = help.unwrap_or_else(|| "the list is in docs/reasons".to_owned());
        fault("spec/unknown_reason", format!("unknown reason `{code}`"), help)
    })
}

fn effect(rest: &str) -> Result<LineKind, Fault> {
    let (tool, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    if tool.is_empty() {
        return Err(fault("spec/expectation", "`! effect` names no tool".to_owned(), "`! effect <tool> name=value`"));
    }
    let mut arguments = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(LineKind::Effect { tool: tool.to_owned(), arguments });
        }
        let Some((name, value)) = rest.split_once('=').filter(|(name, _)| is_name(name)) else {
            let message = format!("`{rest}` is not `name=value`");
            return Err(fault("spec/expectation", message, "put texts with spaces in double quotes"));
        };
        let quoted = value.strip_prefix('"').and_then(|value| value.split_once('"'));
        let (value, after) = quoted.unwrap_or_else(|| value.split_once(' ').unwrap_or((value, "")));
        if value.starts_with('"') {
            let message = format!("the text of `{name}` has no closing quote");
            return Err(fault("spec/expectation", message, "put texts with spaces in double quotes"));
        }
        arguments.push((name.to_owned(), value.to_owned()));
        rest = after;
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

fn refused(rest: &str) -> Result<LineKind, Fault> {
    let (tool, code) = rest.split_once(' ').unwrap_or((rest, ""));
    if tool.is_empty() {
        return Err(fault("spec/expectation", "`! refused` names no tool".to_owned(), "`! refused <tool> <reason>`"));
    }
    let code = code.trim();
    let reason = if code.is_empty() { None } else { Some(reason(code)?) };
    Ok(LineKind::Refused { tool: tool.to_owned(), reason })
}

fn command(text: &str) -> Result<LineKind, Fault> {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    let kind = match (first, rest) {
        ("voice", "") => Some(LineKind::Voice),
        ("restart", "") => Some(LineKind::Restart),
        ("wait", duration) => Seconds::parse(duration).map(|seconds| LineKind::Wait(seconds.0)),
        ("now", time) => time.parse().ok().map(LineKind::Now),
        ("tenant", id) => (!id.is_empty() && !id.contains(' ')).then(|| LineKind::Tenant(id.to_owned())),
        (_, _) => None,
    };
    let help = "`@ wait 6m`, `@ now 2026-11-15T12:00:00-03:00`, `@ voice`, `@ restart`, `@ tenant <id>`";
    kind.ok_or_else(|| fault("spec/command", format!("unknown command `{text}`"), help))
}
