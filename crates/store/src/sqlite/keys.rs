//! One tenant's secrets and what they are used for: wrapping people's keys, hiding addresses, signing checkpoints.
//!
//! Invariant: each use has a key of its own, derived from the tenant's, so that no output of one helps with another.
//! Deliberately absent: sealing content. Callers seal before anything reaches the store.

use countersign_runtime::ports::StoreError;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair};

use crate::chain::hex;
use crate::error::{Doing, failed};

/// Bytes of a pseudonym: enough that two never meet.
const PSEUDONYM_BYTES: usize = 16;

/// A tenant as the writer threads need it.
pub(crate) struct Tenant {
    /// Checked: lower-case letters, digits, `_` and `-`.
    pub(crate) name: String,
    address_key: hmac::Key,
    wrapping_key: LessSafeKey,
    signer: Ed25519KeyPair,
}

impl Tenant {
    /// A tenant from its stored secrets.
    pub(crate) fn new(name: &str, key: &[u8], signing_key: &[u8]) -> Result<Self, StoreError> {
        const DOING: &str = "reading a tenant's keys";
        let root = hmac::Key::new(hmac::HMAC_SHA256, key);
        let address_key = hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&root, b"countersign address v1").as_ref());
        let wrapping = UnboundKey::new(&AES_256_GCM, hmac::sign(&root, b"countersign wrap v1").as_ref());
        Ok(Self {
            name: name.to_owned(),
            address_key,
            wrapping_key: LessSafeKey::new(wrapping.map_err(|_| failed(DOING, "the tenant key does not fit"))?),
            signer: Ed25519KeyPair::from_pkcs8(signing_key)
                .map_err(|_| failed(DOING, "the signing key does not fit"))?,
        })
    }

    /// What stands for an address in the file.
    pub(crate) fn address_hmac(&self, address: &str) -> Vec<u8> {
        hmac::sign(&self.address_key, address.as_bytes()).as_ref().to_vec()
    }

    /// A person's key, readable only with the tenant's key and only under this pseudonym.
    pub(crate) fn wrap(&self, pseudonym: &str, key: &[u8; 32]) -> Result<Vec<u8>, StoreError> {
        seal(&self.wrapping_key, pseudonym, key)
    }

    /// The person's key again.
    pub(crate) fn unwrap(&self, pseudonym: &str, wrapped: &[u8]) -> Result<[u8; 32], StoreError> {
        let key = open(&self.wrapping_key, pseudonym, wrapped)?;
        <[u8; 32]>::try_from(key.as_slice()).doing("unwrapping a person's key")
    }

    /// An Ed25519 signature.
    pub(crate) fn sign(&self, text: &str) -> Vec<u8> {
        self.signer.sign(text.as_bytes()).as_ref().to_vec()
    }
}

/// A fresh tenant's secrets.
pub(crate) struct Secrets {
    /// Everything but signing.
    pub(crate) key: [u8; 32],
    /// Ed25519, PKCS #8.
    pub(crate) signing_key: Vec<u8>,
    /// What belongs to the signing key and is no secret.
    pub(crate) public_key: Vec<u8>,
}

/// Makes a tenant's secrets.
pub(crate) fn fresh() -> Result<Secrets, StoreError> {
    const DOING: &str = "making a tenant's keys";
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
        .map_err(|_| failed(DOING, "the system's random numbers are not available"))?;
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).map_err(|_| failed(DOING, "the new key does not fit"))?;
    let (signing_key, public_key) = (pkcs8.as_ref().to_vec(), pair.public_key().as_ref().to_vec());
    Ok(Secrets { key: random()?, signing_key, public_key })
}

/// A fresh person: pseudonym and key.
pub(crate) fn fresh_person() -> Result<(String, [u8; 32]), StoreError> {
    let name: [u8; PSEUDONYM_BYTES] = random()?;
    Ok((hex(&name), random()?))
}

/// An address, readable only with the person's key.
pub(crate) fn seal_address(pseudonym: &str, key: &[u8; 32], address: &str) -> Result<Vec<u8>, StoreError> {
    seal(&address_key(key)?, pseudonym, address.as_bytes())
}

/// The address again.
pub(crate) fn open_address(pseudonym: &str, key: &[u8; 32], sealed: &[u8]) -> Result<String, StoreError> {
    String::from_utf8(open(&address_key(key)?, pseudonym, sealed)?).doing("reading an address")
}

/// The person's key itself seals content; an address gets a key of its own.
fn address_key(key: &[u8; 32]) -> Result<LessSafeKey, StoreError> {
    let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), b"countersign address v1");
    let own = UnboundKey::new(&AES_256_GCM, own.as_ref());
    own.map(LessSafeKey::new).map_err(|_| failed("deriving a key", "it does not fit"))
}

fn seal(key: &LessSafeKey, pseudonym: &str, plain: &[u8]) -> Result<Vec<u8>, StoreError> {
    let nonce: [u8; NONCE_LEN] = random()?;
    let mut sealed = plain.to_vec();
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(pseudonym.as_bytes()), &mut sealed)
        .map_err(|_| failed("sealing", "encryption refused"))?;
    Ok([nonce.as_slice(), &sealed].concat())
}

fn open(key: &LessSafeKey, pseudonym: &str, sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
    const DOING: &str = "opening something sealed";
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(|| failed(DOING, "it is too short"))?;
    let mut sealed = sealed.to_vec();
    let plain = key
        .open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(pseudonym.as_bytes()), &mut sealed)
        .map_err(|_| failed(DOING, "it was not sealed with this key for this person"))?;
    Ok(plain.to_vec())
}

fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| failed("drawing a random number", "the system's random numbers are not available"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant() -> Tenant {
        let secrets = fresh().unwrap();
        Tenant::new("shop", &secrets.key, &secrets.signing_key).unwrap()
    }

    #[test]
    fn a_wrapped_key_opens_only_for_its_tenant_and_its_person() {
        let (ours, theirs) = (tenant(), tenant());
        let (name, key) = fresh_person().unwrap();
        let wrapped = ours.wrap(&name, &key).unwrap();
        assert_eq!(ours.unwrap(&name, &wrapped).unwrap(), key);
        assert!(!wrapped.windows(8).any(|part| key.windows(8).any(|plain| plain == part)));
        assert!(ours.unwrap("somebody else", &wrapped).is_err());
        assert!(theirs.unwrap(&name, &wrapped).is_err());
        assert!(ours.unwrap(&name, &wrapped[..11]).is_err());
        let address = seal_address(&name, &key, "+55").unwrap();
        assert_eq!(open_address(&name, &key, &address).unwrap(), "+55");
        assert!(open_address(&name, &[0; 32], &address).is_err());
    }

    #[test]
    fn the_same_address_is_another_hash_for_another_tenant() {
        let (ours, theirs) = (tenant(), tenant());
        assert_eq!(ours.address_hmac("+55"), ours.address_hmac("+55"));
        assert_ne!(ours.address_hmac("+55"), ours.address_hmac("+56"));
        assert_ne!(ours.address_hmac("+55"), theirs.address_hmac("+55"));
    }
}
