//! The RFC 6962 tree, worked out from the leaves.
//!
//! Invariant: roots are given for rising sizes in one pass over the leaves. Written apart from the writer's frontier
//! on purpose: subtrees are kept with their sizes and merged by size, not by the bits of a counter.

use sha2::{Digest, Sha256};

/// A SHA-256 hash.
pub(super) type Hash = [u8; 32];

/// The leaf hash of a record's header.
pub(super) fn leaf(header: &[u8]) -> Hash {
    let mut input = Vec::with_capacity(header.len() + 1);
    input.push(0x00);
    input.extend_from_slice(header);
    Sha256::digest(&input).into()
}

/// A tree that grows leaf by leaf.
#[derive(Debug, Default)]
pub(super) struct Tree {
    subtrees: Vec<(u64, Hash)>,
    size: u64,
}

impl Tree {
    /// Leaves so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf.
    pub(super) fn add(&mut self, leaf: Hash) {
        let mut newest = (1, leaf);
        while let Some((size, hash)) = self.subtrees.pop() {
            if size != newest.0 {
                self.subtrees.push((size, hash));
                break;
            }
            newest = (size + newest.0, join(&hash, &newest.1));
        }
        self.subtrees.push(newest);
        self.size += 1;
    }

    /// The root over all leaves so far; none without leaves.
    pub(super) fn root(&self) -> Option<Hash> {
        let mut hashes = self.subtrees.iter().rev().map(|(_, hash)| *hash);
        let smallest = hashes.next()?;
        Some(hashes.fold(smallest, |right, left| join(&left, &right)))
    }
}

fn join(left: &Hash, right: &Hash) -> Hash {
    let mut input = [0x01; 65];
    for (place, byte) in input.iter_mut().skip(1).zip(left.iter().chain(right)) {
        *place = *byte;
    }
    Sha256::digest(input).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::hex;

    #[test]
    fn roots_are_those_of_the_published_test_tree() {
        // The eight leaves and roots used by Certificate Transparency implementations.
        let leaves: [&[u8]; 8] = [
            &[],
            &[0x00],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
        ];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut tree = Tree::default();
        assert_eq!(tree.root(), None);
        for (bytes, root) in leaves.into_iter().zip(roots) {
            tree.add(leaf(bytes));
            assert_eq!(tree.root().map(|hash| hex(&hash)).as_deref(), Some(root));
        }
    }
}
