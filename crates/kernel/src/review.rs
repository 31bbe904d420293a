//! review placeholder
