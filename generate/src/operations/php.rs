//! The client methods of the PHP package.

use payments_core::operation::Definition;

use crate::ORIGIN;
use crate::requests::operations;
use crate::words::{doc_of_operation, in_camel_case, places, wrapped};

const WIDTH: usize = 120;

pub(crate) fn methods() -> String {
    let responses: std::collections::BTreeSet<_> =
        operations().filter_map(|(operation, _)| Some(operation.response()?.name)).collect();
    let used: String = ["AccessToken", "Response"]
        .into_iter()
        .chain(responses)
        .map(|name| format!("use Libpayments\\{name};\n"))
        .collect();
    let imports: String = operations()
        .map(|(_, request)| format!(" * @phpstan-import-type {} from Requests\n", request.name))
        .collect();
    let mut text = format!(
        "<?php\n\n// {ORIGIN}\n\ndeclare(strict_types=1);\n\nnamespace Libpayments\\Internal;\n\n\
         {used}use Libpayments\\Exception\\PaymentsException;\nuse Libpayments\\Requests;\n\n\
         /**\n * A method of the client for each operation.\n *\n * @internal\n{imports} \
         * @phpstan-import-type Request from Requests\n */\ntrait Operations\n{{\n"
    );
    for (operation, request) in operations() {
        let Some(response) = operation.response() else { continue };
        push_method(&mut text, operation.definition(), request.name, response.name);
    }
    push_call(&mut text);
    text
}

/// The client's interface, which test doubles implement.
pub(crate) fn interface() -> String {
    let imports: String = operations()
        .map(|(_, request)| format!(" * @phpstan-import-type {} from Requests\n", request.name))
        .collect();
    let mut text = format!(
        "<?php\n\n// {ORIGIN}\n\ndeclare(strict_types=1);\n\nnamespace Libpayments;\n\n\
         use Libpayments\\Exception\\PaymentsException;\n\
         use Libpayments\\Journal\\ClientJournal;\n\n\
         /**\n * What `Client` does. Take this type where your tests pass a double.\n *\n{imports} \
         * @phpstan-import-type Request from Requests\n */\ninterface ClientInterface\n{{\n"
    );
    for (operation, request) in operations() {
        let Some(response) = operation.response() else { continue };
        push_signature(&mut text, operation.definition(), request.name, response.name);
        text.push_str(";\n\n");
    }
    text.push_str(INTERFACE_END);
    text
}

const INTERFACE_END: &str = "    \
    /**
     * The operation of that name, for example `create_payment`.
     *
     * @param Request|array{}|string $request
     * @throws PaymentsException
     */
    public function call(
        string $operation,
        #[\\SensitiveParameter] array|string $request = [],
        ?int $timeoutMs = null,
    ): Response;

    /**
     * Returns a bearer token that is valid now.
     *
     * @throws PaymentsException
     */
    public function accessToken(?int $timeoutMs = null): AccessToken;

    /**
     * Returns the state of the bearer token, without fetching one.
     *
     * @throws PaymentsException
     */
    public function tokenStatus(?int $timeoutMs = null): TokenStatus;

    /** Returns the journal of this client. */
    public function journal(): ClientJournal;

    /**
     * Signs your own bytes and sends them unchanged, to any path under the
     * base URL.
     *
     * @param array<string, string|int>|list<array{string, string|int}> $query
     * @throws PaymentsException
     */
    public function send(
        string $method,
        string $path,
        #[\\SensitiveParameter] string $body = '',
        #[\\SensitiveParameter] array $query = [],
        ?string $contentType = null,
        ?string $reference = null,
        ?int $timeoutMs = null,
    ): Response;

    /**
     * Prepares a request for your own HTTP client without sending it.
     *
     * @param Request|array<string, mixed>|string $request
     * @throws PaymentsException
     */
    public function prepare(
        string $operation,
        #[\\SensitiveParameter] array|string $request,
        #[\\SensitiveParameter] string $body = '',
        ?int $timeoutMs = null,
    ): PreparedRequest;
}
";

fn push_method(text: &mut String, definition: &Definition, request: &str, response: &str) {
    push_signature(text, definition, request, response);
    let name = definition.name;
    text.push_str(&format!(
        " {{\n        \
         return $this->operate('{name}', $request, {response}::class, $timeoutMs);\n    }}\n\n"
    ));
}

/// Appends the doc comment and signature of an operation's method.
fn push_signature(text: &mut String, definition: &Definition, request: &str, response: &str) {
    let start = "     * ";
    let method = in_camel_case(definition.name);
    text.push_str("    /**\n");
    text.push_str(&wrapped(&doc_of_operation(definition), start, start, WIDTH));
    text.push_str("     *\n     * Members of the request:\n     *\n");
    for (place, field) in places(definition) {
        let line = format!("`{place}`: {}", field.doc());
        text.push_str(&wrapped(&line, "     * - ", "     *   ", WIDTH));
    }
    text.push_str(&format!(
        "     *\n     * @param {request}|string $request the array, or its JSON text\n"
    ));
    let failure = format!(
        "@throws PaymentsException with the outcome `unknown`, {}",
        definition.when_unknown
    );
    text.push_str(&wrapped(&failure, start, "     *     ", WIDTH));
    text.push_str(&format!(
        "     */\n    public function {method}(\n        \
         #[\\SensitiveParameter] array|string $request,\n        ?int $timeoutMs = null,\n    \
         ): {response}"
    ));
}

fn push_call(text: &mut String) {
    text.push_str(
        "    /**\n     * The operation of that name, for example `create_payment`: for queues and scripts \
         that have the name as a text.\n     *\n     * @param Request|array{}|string $request\n     \
         * @throws PaymentsException\n     */\n    public function call(\n        \
         string $operation,\n        #[\\SensitiveParameter] array|string $request = [],\n        \
         ?int $timeoutMs = null,\n    ): Response {\n        return match ($operation) {\n",
    );
    for (operation, _) in operations() {
        let (name, method) = (operation.name(), in_camel_case(operation.name()));
        text.push_str(&format!("            '{name}' => $this->{method}($request, $timeoutMs),\n"));
    }
    text.push_str(
        "            'access_token' => $this->accessToken($timeoutMs),\n            \
         // The core refuses a name that is no operation's.\n            \
         default => $this->native()->callByName($operation, Json::encode($request, $operation), $timeoutMs),\n        \
         };\n    }\n\n    abstract public function accessToken(?int $timeoutMs = null): AccessToken;\n}\n",
    );
}
