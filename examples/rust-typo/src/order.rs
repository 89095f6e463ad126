//! An order and the lines it consists of.

/// One item of an order; prices are in cents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub name: String,
    pub quantity: u32,
    pub unit_price: u64,
}

impl Line {
    pub fn new(name: &str, quantity: u32, unit_price: u64) -> Self {
        Self { name: name.to_owned(), quantity, unit_price }
    }

    pub fn total(&self) -> u64 {
        u64::from(self.quantity) * self.unit_price
    }
}

/// Lines in the order they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    lines: Vec<Line>,
}

impl Order {
    pub fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub fn subtotal(&self) -> u64 {
        self.lines.iter().map(Line::total).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subtotal_adds_all_lines() {
        let mut order = Order::default();
        order.add(Line::new("nut", 100, 3));
        order.add(Line::new("bolt", 50, 7));
        assert_eq!(order.subtotal(), 650);
    }
}
