//! Countries, as far as reading text depends on them: phone numbers and the order of day and month.
//!
//! Invariant: a [`Region`] is always two upper-case ASCII letters.
//! Deliberately absent: names, currencies and time zones of countries; a pack states those itself.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An ISO 3166 two-letter country code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Region([u8; 2]);

impl Region {
    /// Brazil.
    pub const BR: Region = Region(*b"BR");
    /// United States.
    pub const US: Region = Region(*b"US");
    /// Kenya.
    pub const KE: Region = Region(*b"KE");
    /// Türkiye.
    pub const TR: Region = Region(*b"TR");
    /// United Kingdom.
    pub const GB: Region = Region(*b"GB");

    /// Reads a two-letter code, in any case.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 2] = code.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_alphabetic).then(|| Self(bytes.map(|b| b.to_ascii_uppercase())))
    }

    /// The two letters.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("XX")
    }

    /// True where `03/08` means March 8th; everywhere else it is the third of August.
    #[must_use]
    pub fn is_month_first(&self) -> bool {
        matches!(&self.0, b"US" | b"PH" | b"PR")
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl TryFrom<String> for Region {
    type Error = String;
    fn try_from(code: String) -> Result<Self, Self::Error> {
        Region::parse(&code).ok_or_else(|| format!("`{code}` is not a two-letter country code"))
    }
}

impl From<Region> for String {
    fn from(region: Region) -> String {
        region.code().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_in_any_case() {
        assert_eq!(Region::parse("br"), Some(Region::BR));
        assert_eq!(Region::parse("BR").map(|r| r.code().to_owned()).as_deref(), Some("BR"));
        for bad in ["", "b", "bra", "b1", "é"] {
            assert_eq!(Region::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn month_comes_first_only_where_it_does() {
        assert!(Region::US.is_month_first());
        for region in [Region::BR, Region::GB, Region::KE, Region::TR] {
            assert!(!region.is_month_first(), "{region:?}");
        }
    }
}
