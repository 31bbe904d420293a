//! Implements the runtime's ports: tools, sensors, channels. One provider is one file.
//!
//! ```
//! use countersign_connect::issuer::{Issuer, IssueRequest, LocalIssuer};
//! use countersign_nlu::{Currency, Money};
//! use jiff::civil::date;
//!
//! let request = IssueRequest {
//!     reference: "BOL-1001".to_owned(),
//!     amount: Money::new(15_000, Currency::BRL),
//!     due: date(2026, 12, 4),
//! };
//! let issued = LocalIssuer { bank: 1 }.issue(&request).expect("a valid request");
//! assert_eq!(issued.barcode.len(), 44);
//! ```
//!
//! Invariant: nothing here decides. A connector that changes something takes a `Permit`; what it answers is typed by
//! the tool's declaration or it is a failure.

// Carries out reads and calls on the tenant's business database.
pub mod tools;
// Issues payment slips.
pub mod issuer;
// Reads messages.
pub mod models;
// Delivers messages.
pub mod channels;
// Turns voice into text.
pub mod transcriber;
