//! Problems with the lines of a file, for people: one text for each cause.

use std::collections::HashMap;

use payments_core::json::Json;

/// More lines of one cause are counted.
pub const SHOWN: usize = 3;

/// A text for each cause. Problems have it in common if their columns and their
/// messages are the same but for words with digits, such as amounts.
pub fn grouped(problems: &[Json]) -> Vec<String> {
    let mut causes: Vec<Vec<&Json>> = Vec::new();
    let mut places = HashMap::new();
    for problem in problems {
        let place = *places.entry(cause_of(problem)).or_insert(causes.len());
        if place == causes.len() {
            causes.push(Vec::new());
        }
        causes[place].push(problem);
    }
    causes.iter().flat_map(|cause| texts_of(cause)).collect()
}

fn cause_of(problem: &Json) -> (&str, String) {
    let has_digit = |word: &&str| word.contains(|it: char| it.is_ascii_digit());
    let words: Vec<_> =
        text(problem, "message").split(' ').filter(|word| !has_digit(word)).collect();
    (text(problem, "column"), words.join(" "))
}

fn texts_of(problems: &[&Json]) -> Vec<String> {
    let Some((first, others)) = problems.split_first() else { return Vec::new() };
    let what = |problem: &Json| {
        let column = problem.get("column").and_then(Json::as_str);
        let column = column.map(|column| format!(", {column}")).unwrap_or_default();
        format!("{column}: {}", text(problem, "message"))
    };
    let line = |problem: &Json| problem.get("line").cloned().unwrap_or_default();
    if others.is_empty() {
        return vec![format!("line {}{}", line(first).to_text(), what(first))];
    }
    if others.iter().all(|other| text(other, "message") == text(first, "message")) {
        let lines: Vec<_> = problems.iter().map(|problem| line(problem)).collect();
        return vec![format!("lines {}{}", listed(&lines), what(first))];
    }
    let shown = problems.iter().take(SHOWN);
    let shown = shown.map(|it| format!("line {}{}", line(it).to_text(), what(it)));
    let more = problems.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("and {more} more lines with a problem of this kind"));
    shown.chain(more).collect()
}

/// The first numbers, and how many more there are.
pub(super) fn listed(numbers: &[Json]) -> String {
    let shown: Vec<_> = numbers.iter().take(SHOWN).map(Json::to_text).collect();
    match numbers.len().saturating_sub(SHOWN) {
        0 => match shown.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        },
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn text<'j>(problem: &'j Json, name: &str) -> &'j str {
    problem.get(name).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use payments_core::json::Members;

    use super::*;

    fn problem(line: u64, column: Option<&str>, message: &str) -> Json {
        let (line, column) = (Json::from(line), Json::from(column));
        Members::from([("line", line), ("column", column), ("message", message.into())]).into()
    }

    #[test]
    fn problems_are_grouped_by_cause() {
        let wrong = (2..=21).map(|line| problem(line, Some("payee.document"), "is wrong"));
        let few = [(30, "x"), (31, "y"), (32, "x")].map(|(line, it)| problem(line, None, it));
        let problems: Vec<_> = wrong.chain(few).collect();
        assert_eq!(
            grouped(&problems),
            [
                "lines 2, 3, 4 and 17 more, payee.document: is wrong",
                "lines 30 and 32: x",
                "line 31: y"
            ]
        );
    }

    #[test]
    fn messages_that_name_amounts_are_kept_apart() {
        let amount =
            |line| problem(line, Some("amount"), &format!("write {line}.50; not {line},50"));
        let problems: Vec<_> = (2..=6).map(amount).collect();
        assert_eq!(
            grouped(&problems),
            [
                "line 2, amount: write 2.50; not 2,50",
                "line 3, amount: write 3.50; not 3,50",
                "line 4, amount: write 4.50; not 4,50",
                "and 2 more lines with a problem of this kind"
            ]
        );
        assert_eq!(grouped(&problems[..3]).len(), 3);
        assert_eq!(grouped(&[]), [""; 0]);
    }
}
