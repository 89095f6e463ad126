//! Discounts: ten per cent from 500 cents on.

/// The subtotal from which the discount is given, in cents.
pub const THRESHOLD: u64 = 500;

/// Returns what is taken off a subtotal.
pub fn discount(subtotal: u64) -> u64 {
    if subtotal >= THRESHOLD { subtotal / 10 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_orders_get_none() {
        assert_eq!(discount(499), 0);
        assert_eq!(discount(500), 50);
    }
}
