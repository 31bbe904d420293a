//! Acts: owns ordering, journaling and retries. Everything outside is a port.

// The traits the outside implements.
pub mod ports;
// The second proof: Armed -> Permit.
pub mod permit;
