//! Totals an order: lines of items, a discount, and a receipt to print.

pub mod discount;
pub mod order;
pub mod receipt;
