//! The writer's end of the log: chain headers, RFC 6962 leaves, the tree's frontier, checkpoint texts.
//!
//! Invariant: the frontier always belongs to exactly `seq` leaves, so that a root costs one hash per level and never a
//! walk over the log. Deliberately absent: checking. `audit` recomputes everything with code of its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A SHA-256 hash.
pub(crate) type Hash = [u8; 32];

/// A checkpoint is signed whenever this many records were added: few enough that little is unsigned, many enough that
/// a signature costs nothing per record.
pub(crate) const CHECKPOINT_EVERY: u64 = 256;

/// A tree of more than 2^64 leaves cannot exist, so a longer frontier is damage.
pub(crate) const FRONTIER_MAX: usize = 64;

/// The end of a tenant's chain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Chain {
    /// The number of the last record; 0 before the first.
    pub(crate) seq: u64,
    /// The last record's leaf; zeros before the first.
    pub(crate) leaf: Hash,
    /// Roots of the full subtrees, largest first.
    pub(crate) frontier: Vec<Hash>,
}

impl Chain {
    /// Adds a record with this body hash and returns its header.
    pub(crate) fn append(&mut self, tenant: &str, body_hash: &str) -> String {
        let seq = self.seq + 1;
        let header = header(tenant, seq, &self.leaf, body_hash);
        let leaf = leaf(header.as_bytes());
        self.frontier.push(leaf);
        // Every trailing one-bit of the old size is a full subtree that the new leaf completes.
        for _ in 0..self.seq.trailing_ones() {
            if let (Some(right), Some(left)) = (self.frontier.pop(), self.frontier.pop()) {
                self.frontier.push(node(&left, &right));
            }
        }
        self.seq = seq;
        self.leaf = leaf;
        header
    }

    /// The root of the tree over all records; none before the first.
    pub(crate) fn root(&self) -> Option<Hash> {
        let (last, larger) = self.frontier.split_last()?;
        Some(larger.iter().rev().fold(*last, |right, left| node(left, &right)))
    }

    /// The frontier as bytes.
    pub(crate) fn frontier_bytes(&self) -> Vec<u8> {
        self.frontier.concat()
    }

    /// A stored end of a chain; none if the parts do not fit together.
    pub(crate) fn from_parts(seq: u64, leaf: Hash, frontier: &[u8]) -> Option<Self> {
        let (hashes, rest) = frontier.as_chunks::<32>();
        let is_whole = rest.is_empty() && hashes.len() <= FRONTIER_MAX && hashes.len() == seq.count_ones() as usize;
        is_whole.then(|| Self { seq, leaf, frontier: hashes.to_vec() })
    }
}

/// The text a checkpoint's signature covers.
pub(crate) fn checkpoint_text(tenant: &str, size: u64, root: &Hash) -> String {
    format!("countersign/{tenant}\n{size}\n{}\n", STANDARD.encode(root))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|digit| DIGITS.get(usize::from(digit))).collect()
}

/// Standard base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

// A tenant's name and hex need no escaping, and the keys are in canonical order: this is RFC 8785 as written.
fn header(tenant: &str, seq: u64, prev: &Hash, body_hash: &str) -> String {
    format!(r#"{{"body":"{body_hash}","prev":"{}","seq":{seq},"tenant":"{tenant}","v":1}}"#, hex(prev))
}

fn leaf(bytes: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(bytes).finalize().into()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of RFC 6962, word for word.
    fn tree(leaves: &[Hash]) -> Hash {
        if leaves.len() == 1 {
            return leaves[0];
        }
        let split = leaves.len().next_power_of_two() / 2;
        node(&tree(&leaves[..split]), &tree(&leaves[split..]))
    }

    #[test]
    fn the_frontier_gives_the_root_of_the_definition() {
        let mut chain = Chain::default();
        let mut leaves = Vec::new();
        assert_eq!(chain.root(), None);
        for number in 1..=130_u64 {
            let header = chain.append("shop", &hex(&Sha256::digest(number.to_string())));
            leaves.push(leaf(header.as_bytes()));
            assert_eq!(chain.root(), Some(tree(&leaves)), "size {number}");
            assert_eq!(chain.frontier.len(), number.count_ones() as usize);
            let again = Chain::from_parts(chain.seq, chain.leaf, &chain.frontier_bytes());
            assert_eq!(again.as_ref(), Some(&chain));
            assert_eq!(Chain::from_parts(number + 2, chain.leaf, &chain.frontier_bytes()).is_some(), {
                (number + 2).count_ones() == number.count_ones()
            });
        }
    }

    #[test]
    fn leaves_and_nodes_are_those_of_the_published_test_vectors() {
        // The test tree of Certificate Transparency: leaves "" and 0x00.
        let first = leaf(b"");
        assert_eq!(hex(&first), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
        assert_eq!(hex(&node(&first, &leaf(&[0]))), "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125");
    }

    #[test]
    fn a_header_is_canonical_and_names_the_one_before() {
        let mut chain = Chain::default();
        let body = "0".repeat(64);
        let first = chain.append("shop", &body);
        assert_eq!(first, format!(r#"{{"body":"{body}","prev":"{body}","seq":1,"tenant":"shop","v":1}}"#));
        let prev = hex(&chain.leaf);
        assert!(chain.append("shop", &body).contains(&format!(r#""prev":"{prev}","seq":2"#)));
    }
}
