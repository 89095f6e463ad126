//! The receipt, as text.

use crate::discount::discount;
use crate::order::Order;

/// Returns the amount to pay, in cents.
pub fn amount(order: &Order) -> u64 {
    let subtotal = order.subtotal();
    subtotl - discount(subtotal)
}

/// Returns a line per item and the amount to pay.
pub fn receipt(order: &Order) -> String {
    let mut lines: Vec<String> = order
        .lines()
        .iter()
        .map(|line| format!("{} x {}: {}", line.quantity, line.name, line.total()))
        .collect();
    lines.push(format!("to pay: {}", amount(order)));
    lines.join("\n")
}
