//! Public keys as people hand them around: hex, or a file with hex or PEM.

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes of an Ed25519 public key.
const KEY_BYTES: usize = 32;
/// The largest file that is looked into for a key.
const FILE_MAX: u64 = 64 * 1024;
/// What stands before the key in its DER form (RFC 8410).
const DER_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The key itself, or the key in a file of that name.
pub(super) fn read(text: &str) -> Result<Vec<u8>> {
    if let Some(key) = from_hex(text.trim()) {
        return Ok(key);
    }
    let size = std::fs::metadata(text).with_context(|| format!("`{text}` is neither 64 hex digits nor a file"))?.len();
    if size > FILE_MAX {
        bail!("`{text}` is too large for a key");
    }
    let content = std::fs::read_to_string(text).with_context(|| format!("cannot read `{text}`"))?;
    let key = from_hex(content.trim()).or_else(|| from_pem(&content));
    key.with_context(|| format!("`{text}` holds no Ed25519 public key, as hex or PEM"))
}

/// Lower-case hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 2 * KEY_BYTES || !text.is_ascii() {
        return None;
    }
    (0..KEY_BYTES).map(|at| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()).collect()
}

fn from_pem(text: &str) -> Option<Vec<u8>> {
    let body = text.split_once("-----BEGIN PUBLIC KEY-----")?.1.split_once("-----END PUBLIC KEY-----")?.0;
    let body: String = body.chars().filter(|c| !c.is_whitespace()).collect();
    let der = STANDARD.decode(body).ok()?;
    der.strip_prefix(&DER_PREFIX).filter(|key| key.len() == KEY_BYTES).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_pem_name_the_same_key() {
        // The key of RFC 8410, section 10.1.
        let pem = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                   -----END PUBLIC KEY-----\n";
        let key = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";
        assert_eq!(from_pem(pem), from_hex(key));
        assert_eq!(hex(&from_hex(key).unwrap()), key);
        assert_eq!(from_hex(&key[1..]), None);
        assert_eq!(from_hex(&key.replace('1', "g")), None);
        assert_eq!(from_pem(&pem.replace("MCow", "MDow")), None);
    }
}
