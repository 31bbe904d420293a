//! Seals everything personal with the key of the person it belongs to.
//!
//! Invariant: what leaves the process for the disk is either not personal or sealed here. A commitment binds a record
//! to a value without revealing it: after the key is erased nobody can even guess and compare.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// Why something could not be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The operating system gave no randomness.
    #[error("no randomness to seal with")]
    NoRandomness,
    /// The bytes were not sealed with this key for this purpose, or were changed.
    #[error("sealed data for `{0}` cannot be opened: wrong key, or it was changed")]
    CannotOpen(&'static str),
}

/// What was sealed, so that a sealed state cannot pass for a sealed message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A message in the inbox.
    Inbox,
    /// A conversation's snapshot.
    State,
    /// A written-down call.
    Call,
    /// How a call ended.
    Outcome,
    /// A message in the outbox.
    Outbox,
    /// The personal part of a record.
    Record,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Inbox => "inbox",
            Purpose::State => "state",
            Purpose::Call => "call",
            Purpose::Outcome => "outcome",
            Purpose::Outbox => "outbox",
            Purpose::Record => "record",
        }
    }
}

/// One person's keys.
pub struct Vault {
    seal: LessSafeKey,
    commit: hmac::Key,
    random: SystemRandom,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    /// Derives a person's working keys from their one key.
    ///
    /// # Errors
    /// Never with a 32-byte key; the type says so in case the cipher changes.
    pub fn new(key: &[u8; 32]) -> Result<Self, VaultError> {
        let root = hmac::Key::new(hmac::HMAC_SHA256, key);
        let derive = |label: &[u8]| hmac::sign(&root, label);
        let seal =
            UnboundKey::new(&AES_256_GCM, derive(b"seal").as_ref()).map_err(|_| VaultError::CannotOpen("key"))?;
        Ok(Self {
            seal: LessSafeKey::new(seal),
            commit: hmac::Key::new(hmac::HMAC_SHA256, derive(b"commit").as_ref()),
            random: SystemRandom::new(),
        })
    }

    /// Seals bytes for a purpose.
    ///
    /// # Errors
    /// The operating system gave no randomness.
    pub fn seal(&self, purpose: Purpose, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
        let mut nonce = [0_u8; NONCE_LEN];
        self.random.fill(&mut nonce).map_err(|_| VaultError::NoRandomness)?;
        let mut sealed = nonce.to_vec();
        let mut body = plain.to_vec();
        let nonce = Nonce::assume_unique_for_key(nonce);
        self.seal
            .seal_in_place_append_tag(nonce, Aad::from(purpose.name().as_bytes()), &mut body)
            .map_err(|_| VaultError::NoRandomness)?;
        sealed.append(&mut body);
        Ok(sealed)
    }

    /// Opens what was sealed for a purpose.
    ///
    /// # Errors
    /// Another key, another purpose, or changed bytes.
    pub fn open(&self, purpose: Purpose, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let fail = || VaultError::CannotOpen(purpose.name());
        let (nonce, body) = sealed.split_at_checked(NONCE_LEN).ok_or_else(fail)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| fail())?;
        let mut body = body.to_vec();
        let plain =
            self.seal.open_in_place(nonce, Aad::from(purpose.name().as_bytes()), &mut body).map_err(|_| fail())?;
        Ok(plain.to_vec())
    }

    /// A commitment to a value under a field name, in hex.
    #[must_use]
    pub fn commit(&self, field: &str, value: &[u8]) -> String {
        use std::fmt::Write;
        let mut context = hmac::Context::with_key(&self.commit);
        context.update(field.as_bytes());
        context.update(&[0]);
        context.update(value);
        context.sign().as_ref().iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_data_opens_only_with_its_key_and_purpose() {
        let vault = Vault::new(&[1; 32]).unwrap();
        let sealed = vault.seal(Purpose::State, b"Ana Souza").unwrap();
        assert_eq!(vault.open(Purpose::State, &sealed).unwrap(), b"Ana Souza");
        assert!(vault.open(Purpose::Inbox, &sealed).is_err());
        assert!(Vault::new(&[2; 32]).unwrap().open(Purpose::State, &sealed).is_err());
        assert!(vault.open(Purpose::State, &[]).is_err());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(vault.open(Purpose::State, &changed).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_commitment_binds_field_and_value_to_the_person() {
        let (ana, bruno) = (Vault::new(&[1; 32]).unwrap(), Vault::new(&[2; 32]).unwrap());
        let base = ana.commit("text", b"150");
        assert_eq!(base, ana.commit("text", b"150"));
        assert_ne!(base, ana.commit("text", b"151"));
        assert_ne!(base, ana.commit("name", b"150"));
        assert_ne!(base, bruno.commit("text", b"150"));
    }
}
