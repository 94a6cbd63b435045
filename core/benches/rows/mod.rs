//! The output of benchmarks: rows, and the goals that were missed.

/// The subject, its figure, the goal, and whether it was reached.
pub struct Row {
    pub what: String,
    pub measured: String,
    pub goal: &'static str,
    pub is_reached: bool,
}

impl Row {
    pub fn new(what: impl Into<String>, measured: String, goal: &'static str) -> Self {
        Self { what: what.into(), measured, goal, is_reached: true }
    }

    /// Says whether the goal was reached.
    #[allow(dead_code, reason = "not every benchmark has goals")]
    pub fn reached(mut self, is_reached: bool) -> Self {
        self.is_reached = is_reached;
        self
    }
}

/// Prints the table, and after it the goals that were missed.
pub fn print(rows: &[Row]) {
    println!("\n| what is measured | measured | goal |\n|---|---|---|");
    for Row { what, measured, goal, .. } in rows {
        println!("| {what} | {measured} | {goal} |");
    }
    for Row { what, measured, goal, .. } in rows.iter().filter(|row| !row.is_reached) {
        println!("missed: {what}: {measured}, goal {goal}");
    }
}
