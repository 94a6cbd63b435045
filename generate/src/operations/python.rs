//! The methods of the Python clients.

use std::collections::BTreeSet;

use payments_core::operation::Definition;

use crate::ORIGIN;
use crate::requests::operations;
use crate::words::{in_imperative, in_rst, places, wrapped};

const WIDTH: usize = 100;

/// The differences between the two clients.
struct Flavor {
    doc: &'static str,
    class: &'static str,
    base: &'static str,
    /// Imports other than names from the tables.
    imports: fn(responses: &str, requests: &str) -> String,
    define: &'static str,
    wait: &'static str,
    /// The cancellation parameter.
    parameter: &'static str,
    parameter_doc: &'static str,
}

const BLOCKING: Flavor = Flavor {
    doc: "The operations of the client that blocks its thread.",
    class: "Operations",
    base: "BlockingClient",
    imports: |responses, requests| {
        format!(
            "from ._base import BlockingClient, call\n\
             from ._responses import (\n{responses})\n\
             from ._typing import overload\n\n\
             # Type checkers treat this as true. Importing typing takes as long as all the rest.\n\
             TYPE_CHECKING = False\n\
             if TYPE_CHECKING:\n    from typing_extensions import Unpack\n\n    \
             from ._native import CancelHandle\n    \
             from ._requests import (\n{requests}    )\n    from ._types import JsonText\n"
        )
    },
    define: "def",
    wait: "",
    parameter: "        cancel: CancelHandle | None = None,\n",
    parameter_doc: "            cancel: ends the call from another thread.\n",
};

const ASYNCIO: Flavor = Flavor {
    doc: "The operations of the client for asyncio.",
    class: "AsyncOperations",
    base: "TaskClient",
    imports: |responses, requests| {
        format!(
            "from typing import TYPE_CHECKING, overload\n\n\
             from ._base import call\n\
             from ._responses import (\n{responses})\n\
             from ._waiting import TaskClient\n\n\
             if TYPE_CHECKING:\n    from typing_extensions import Unpack\n\n    \
             from ._requests import (\n{requests}    )\n    from ._types import JsonText\n"
        )
    },
    define: "async def",
    wait: "await ",
    parameter: "",
    parameter_doc: "",
};

pub(crate) fn blocking() -> String {
    methods(&BLOCKING)
}

pub(crate) fn asyncio() -> String {
    methods(&ASYNCIO)
}

fn methods(flavor: &Flavor) -> String {
    let lines = |names: BTreeSet<&str>, indent: &str| -> String {
        names.iter().map(|name| format!("{indent}{name},\n")).collect()
    };
    let responses = operations().filter_map(|(operation, _)| Some(operation.response()?.name));
    let requests = operations().map(|(_, request)| request.name);
    let imports = (flavor.imports)(
        &lines(responses.collect(), "    "),
        &lines(requests.collect(), "        "),
    );
    let mut text = format!(
        "# {ORIGIN}\n\n\"\"\"{}\"\"\"\n\nfrom __future__ import annotations\n\n{imports}\n\n\
         class {}({}):\n    \"\"\"A method for each operation.\"\"\"\n",
        flavor.doc, flavor.class, flavor.base
    );
    for (operation, request) in operations() {
        let Some(response) = operation.response() else { continue };
        push_method(&mut text, flavor, operation.definition(), request.name, response.name);
    }
    text
}

fn push_method(
    text: &mut String,
    flavor: &Flavor,
    definition: &Definition,
    request: &str,
    response: &str,
) {
    let Flavor { define, wait, parameter, parameter_doc, .. } = flavor;
    let name = definition.name;
    let signature = |request: &str, members: &str| {
        format!(
            "    {define} {name}(\n        self,\n        request: {request},\n        /,\n        \
             *,\n        timeout_ms: int | None = None,\n{parameter}{members}    ) -> {response}:"
        )
    };
    let overloaded = |request: &str, members: &str| {
        format!("\n    @overload\n{} ...\n", signature(request, members))
    };
    text.push_str(&overloaded(&format!("{request} | JsonText"), ""));
    let members = format!("        **members: Unpack[{request}],\n");
    text.push_str(&overloaded("None = None", &members));
    let members = "        **members: object,\n";
    text.push_str(&format!("\n{}\n", signature("object = None", members)));
    let summary = in_rst(&in_imperative(definition.summary));
    text.push_str(&format!("        \"\"\"{summary}\n\n"));
    if !definition.details.is_empty() {
        let details = in_rst(definition.details);
        text.push_str(&(wrapped(&details, "        ", "        ", WIDTH) + "\n"));
    }
    text.push_str(&format!(
        "        Args:\n            request: a mapping, or JSON text; or give its members as \
         keywords.\n            timeout_ms: a deadline for this call.\n{parameter_doc}            \
         members: those of :class:`{request}`:\n\n"
    ));
    for (place, field) in places(definition) {
        let line = format!("``{place}``: {}", in_rst(&field.doc()));
        text.push_str(&wrapped(&line, "                - ", "                  ", WIDTH));
    }
    let failure = format!(
        "PaymentsError: see its class. With the outcome ``unknown``, {}",
        in_rst(definition.when_unknown)
    );
    text.push_str("\n        Raises:\n");
    text.push_str(&wrapped(&failure, "            ", "                ", WIDTH));
    let cancel = if parameter.is_empty() { "" } else { ", cancel" };
    text.push_str(&format!(
        "\n        \"\"\"\n        try:\n            work = call(\"{name}\", request, members)\n        \
         finally:\n            del request, members\n        return {wait}self._run(work, timeout_ms{cancel}, {response}._of)\n"
    ));
}
