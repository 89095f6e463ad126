//! Settings from every layer, right and wrong.

use super::*;
