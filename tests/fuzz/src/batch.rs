//! The reader of CSV batches, compared with the crate `csv`.

#[path = "../../../host/src/commands/csv_rows.rs"]
#[allow(dead_code, reason = "the command uses the rest")]
mod rows;

use rows::Rows;

pub(crate) fn batch(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let reader = Rows::new(text);
    let delimiter = u8::try_from(reader.delimiter).expect("a delimiter is ASCII");
    let mut rows = Vec::new();
    for row in reader {
        // A lenient reader reads texts that this one refuses.
        let Ok(row) = row else { return };
        rows.push(row);
    }
    let lines: Vec<_> = rows.iter().map(|row| row.line).collect();
    assert!(lines.is_sorted_by(|one, other| one < other), "{lines:?}");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let read: Vec<Vec<String>> = reader
        .records()
        .map(|record| record.expect("no error").iter().map(|it| it.trim().to_owned()).collect())
        .collect();
    let ours: Vec<_> = rows.into_iter().map(|row| row.cells).collect();
    assert_eq!(ours, read);
}
