//! The modules of the Python client for asyncio, made from those of the client that
//! blocks its thread: the same methods as coroutines, which a task cancels.

use crate::file::{File, read};

const PYTHON: &str = "bindings-python/python/libpayments";

/// The differences in text, apart from `def` and from cancel handles.
const CHANGES: [(&str, &str); 10] = [
    (
        "            yield from entries",
        "            for entry in entries:\n                yield entry",
    ),
    ("._client_journal", "._async_client_journal"),
    ("._operations", "._async_operations"),
    ("._base import BlockingClient, call", "._base import call\nfrom ._waiting import TaskClient"),
    ("._base import BlockingClient", "._waiting import TaskClient"),
    ("BlockingClient", "TaskClient"),
    ("Operations", "AsyncOperations"),
    ("ClientMethods", "AsyncClientMethods"),
    ("ClientJournal", "AsyncClientJournal"),
    ("Iterator", "AsyncIterator"),
];

/// The lines about cancelling from elsewhere, by how they begin.
const OMITTED: [&str; 3] =
    ["cancel: CancelHandle", "cancel: ends", "from ._native import CancelHandle"];

/// The counterparts of that client's modules; `made` has one of them.
pub(crate) fn files(made: &[File]) -> Vec<File> {
    let operations = made.iter().filter(|file| file.path == format!("{PYTHON}/_operations.py"));
    let operations = operations.map(|file| (file.path.clone(), file.text.clone()));
    let written = ["client_methods", "client_journal"].map(|name| {
        let origin =
            format!("# Generated from _{name}.py; do not edit. To update: cargo xtask generate");
        let path = format!("{PYTHON}/_{name}.py");
        let text = format!("{origin}\n\n{}", read(&path));
        (path, text)
    });
    let counterpart =
        |(path, text): (String, String)| File::new(path.replace("/_", "/_async_"), of_text(&text));
    operations.chain(written).map(counterpart).collect()
}

fn of_text(text: &str) -> String {
    let mut made = String::new();
    let mut is_property = false;
    for line in text.lines().filter(|line| !OMITTED.iter().any(|it| line.trim().starts_with(it))) {
        let is_method = line.starts_with("    def ") && !line.contains("__init__") && !is_property;
        is_property = line.trim() == "@property";
        let mut line = line.replace(", None, cancel)", ")").replace(", cancel)", ")");
        line = line.replace("self._run(", "await self._run(");
        line = line.replace("self._client._run(", "await self._client._run(");
        if is_method {
            line = line.replacen("def ", "async def ", 1);
        }
        for (from, to) in CHANGES {
            line = line.replace(from, to);
        }
        made.push_str(&line);
        made.push('\n');
    }
    made
}
