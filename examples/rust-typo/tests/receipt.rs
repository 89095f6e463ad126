//! The receipt of a whole order.

use rust_typo::order::{Line, Order};
use rust_typo::receipt::receipt;

#[test]
fn a_receipt_lists_every_line_and_the_amount() {
    let mut order = Order::default();
    order.add(Line::new("nut", 100, 3));
    order.add(Line::new("bolt", 50, 7));
    assert_eq!(receipt(&order), "100 x nut: 300\n50 x bolt: 350\nto pay: 585");
}
