//! E-mail addresses, and web addresses as something to step over.
//!
//! Invariant: a result has one `@`, a domain with a dot, and only characters people use in addresses.
//! Deliberately absent: quoted local parts and international domains.

use crate::page::Page;

/// The longest address mail systems accept.
const ADDRESS_BYTES_MAX: usize = 254;

/// The address that starts here in lower case, and one past its last token.
pub(crate) fn read(page: &Page<'_>, at: usize) -> Option<(String, usize)> {
    if !page.has_address {
        return None;
    }
    let start = page.token(at)?.span.start as usize;
    let rest = page.text.get(start..)?;
    let local_len = rest.bytes().take(ADDRESS_BYTES_MAX).take_while(|b| is_local(*b)).count();
    let local = rest.get(..local_len)?;
    let domain_start = rest.get(local_len..)?.strip_prefix('@')?;
    let raw_len = domain_start.bytes().take(ADDRESS_BYTES_MAX).take_while(|b| is_domain(*b)).count();
    let domain = domain_start.get(..raw_len)?.trim_end_matches(['.', '-']);
    let top = domain.rsplit_once('.').map(|(_, top)| top)?;
    let is_top = top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic());
    if local.is_empty()
        || local.starts_with('.')
        || local.ends_with('.')
        || !is_top
        || domain.contains("..")
        || domain.starts_with('.')
    {
        return None;
    }
    let end = start + local_len + 1 + domain.len();
    Some((format!("{local}@{domain}").to_ascii_lowercase(), token_at(page, at, end)))
}

/// One past the last token of a web address that starts here.
pub(crate) fn url_end(page: &Page<'_>, at: usize) -> Option<usize> {
    let is_start = matches!(page.word(at), "http" | "https") && page.word(at + 1) == ":" && page.word(at + 2) == "/";
    let is_www = page.word(at) == "www" && page.word(at + 1) == "." && page.touches_next(at);
    if !is_start && !is_www {
        return None;
    }
    let mut end = at + 1;
    while page.touches_previous(end) {
        end += 1;
    }
    Some(end)
}

fn token_at(page: &Page<'_>, from: usize, byte: usize) -> usize {
    let mut at = from + 1;
    while page.token(at).is_some_and(|token| (token.span.start as usize) < byte) {
        at += 1;
    }
    at
}

fn is_local(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'%' | b'+' | b'-')
}

fn is_domain(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-')
}
