//! Decimal amounts as text.
