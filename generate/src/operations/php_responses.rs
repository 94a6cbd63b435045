//! The responses of the PHP package, one file per class.

use payments_core::operation::{ResponseMember, ResponseObject, ResponseShape};

use super::{response_parts, responses};
use crate::requests::operations;
use crate::words::{doc_of_member, in_camel_case, in_capital, wrapped};
use crate::{File, ORIGIN};

const WIDTH: usize = 120;

pub(crate) fn files() -> Vec<File> {
    let token = response_parts().filter(|part| part.name == "AccessToken");
    let parts = response_parts().filter(|part| part.name != "AccessToken" && is_class(part));
    let responses = responses().map(|object| (object, response(object)));
    let all = responses.chain(token.map(|object| (object, response(object))));
    all.chain(parts.map(|object| (object, part(object))))
        .map(|(object, text)| File::new(format!("bindings-php/src/{}.php", object.name), text))
        .collect()
}

/// Whether a part is a class. Parts from the service are; parts that the
/// library fills in are arrays.
fn is_class(part: &ResponseObject) -> bool {
    part.members.iter().any(|member| member.may_be_null)
}

fn head(object: &ResponseObject, imports: &str) -> String {
    format!(
        "<?php\n\n// {ORIGIN}\n\ndeclare(strict_types=1);\n\nnamespace Libpayments;\n\n{imports}/**\n{} */\n\
         final class {}",
        wrapped(object.doc, " * ", " * ", WIDTH),
        object.name
    )
}

fn response(object: &ResponseObject) -> String {
    let (import, using) = match object.name {
        "AccessToken" => ("use Libpayments\\Internal\\Secret;\n\n", "    use Secret;\n\n"),
        _ => ("", ""),
    };
    let text = head(object, import) + " extends Response\n{\n" + using;
    let mut parts = Vec::new();
    let sets = object.members.iter().filter_map(|member| match member.shape {
        ResponseShape::Code(codes) => Some((member, codes)),
        _ => None,
    });
    // Two sets of codes could have the same constant names.
    if let [(member, codes)] = sets.collect::<Vec<_>>()[..] {
        let method = in_camel_case(member.name);
        let constants = codes.known.iter().map(|code| {
            let (name, meaning) = (code.name.to_uppercase(), code.meaning);
            format!(
                "    /** `{method}()`: {meaning}. */\n    public const {name} = '{}';\n",
                code.code
            )
        });
        parts.push(constants.collect());
    }
    parts.extend(object.members.iter().map(|member| reader(member, &body(member))));
    text + &parts.join("\n") + "}\n"
}

fn reader(member: &ResponseMember, body: &str) -> String {
    let doc = doc_of_member(member);
    let doc = match &member.shape {
        ResponseShape::Code(_) => format!("{doc} The set is open: other codes come as they are."),
        _ => doc,
    };
    let nothing = if member.may_be_null { "|null" } else { "" };
    let precise = match &member.shape {
        ResponseShape::Objects(part) => Some(format!("list<{}>{nothing}", shape_of(part))),
        ResponseShape::Object(part) if !is_class(part) => {
            Some(format!("{}{nothing}", shape_of(part)))
        }
        _ => None,
    };
    let comment = match precise {
        Some(of) => format!(
            "    /**\n{}     *\n     * @return {of}\n     */\n",
            wrapped(&doc, "     * ", "     * ", WIDTH)
        ),
        None => format!("    /** {doc} */\n"),
    };
    let mark = if member.may_be_null { "?" } else { "" };
    let (method, of) = (in_camel_case(member.name), type_of(member));
    format!("{comment}    public function {method}(): {mark}{of}\n    {{\n{body}    }}\n")
}

fn type_of(member: &ResponseMember) -> &'static str {
    match &member.shape {
        ResponseShape::Text(_) | ResponseShape::Code(_) => "string",
        ResponseShape::Integer => "int",
        ResponseShape::Flag => "bool",
        ResponseShape::Object(part) if is_class(part) => part.name,
        ResponseShape::Object(_) | ResponseShape::Objects(_) => "array",
    }
}

/// The PHPDoc type of a part.
fn shape_of(part: &ResponseObject) -> String {
    if is_class(part) {
        return part.name.to_owned();
    }
    let members: Vec<_> =
        part.members.iter().map(|member| format!("{}: {}", member.name, type_of(member))).collect();
    format!("array{{{}}}", members.join(", "))
}

fn body(member: &ResponseMember) -> String {
    let value = format!("$this->member('{}')", member.name);
    match &member.shape {
        ResponseShape::Flag => format!("        return {value} === true;\n"),
        ResponseShape::Integer if !member.may_be_null => format!("        return (int) {value};\n"),
        ResponseShape::Text(_) if !member.may_be_null => {
            format!("        return (string) {value};\n")
        }
        ResponseShape::Objects(part) if is_class(part) => format!(
            "        $parts = {value} ?? [];\n        \
             return array_map(static fn (array $of): {0} => new {0}($of), $parts);\n",
            part.name
        ),
        ResponseShape::Object(part) if is_class(part) => format!(
            "        $of = {value};\n        return $of === null ? null : new {}($of);\n",
            part.name
        ),
        _ => format!("        return {value};\n"),
    }
}

/// Keeps the members in a serialized part, as in a serialized response.
const KEPT: &str = r"
    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        return $this->members->value();
    }

    /** @param array<string, mixed> $members */
    public function __unserialize(#[\SensitiveParameter] array $members): void
    {
        $this->__construct($members);
    }
";

fn part(object: &ResponseObject) -> String {
    let mut text = head(object, "use Libpayments\\Internal\\Hidden;\n\n")
        + "\n{\n    private Hidden $members;\n\n    \
           /**\n     * @internal\n     * @param array<string, mixed> $members\n     */\n    \
           public function __construct(#[\\SensitiveParameter] array $members)\n    \
           {\n        $this->members = new Hidden($members);\n    }\n";
    for member in object.members {
        let body = format!("        return $this->members->value()['{}'] ?? null;\n", member.name);
        text.push_str(&format!("\n{}", reader(member, &body)));
    }
    let shown = object.members.iter().filter(|member| member.is_shown);
    let shown: Vec<_> = shown
        .map(|member| format!("'{0}' => $this->members->value()['{0}'] ?? null", member.name))
        .collect();
    text + &format!(
        "\n    /** @return array<string, mixed> */\n    public function __debugInfo(): array\n    {{\n        \
         return [{}];\n    }}\n{KEPT}}}\n",
        shown.join(", ")
    )
}

/// The rows of the README's table of operations.
pub(crate) fn readme_rows() -> String {
    let mut text = "\n| Method | Response |\n|---|---|\n".to_owned();
    for response in responses() {
        let methods: Vec<_> = operations()
            .filter(|(operation, _)| {
                operation.response().is_some_and(|it| it.name == response.name)
            })
            .map(|(operation, _)| format!("`{}($request)`", in_camel_case(operation.name())))
            .collect();
        let readers: Vec<_> = response
            .members
            .iter()
            .map(|member| format!("`{}()`", in_camel_case(member.name)))
            .collect();
        text.push_str(&format!(
            "| {} | `{}`: {} |\n",
            methods.join(", "),
            in_capital(response.name),
            readers.join(", ")
        ));
    }
    text
}
