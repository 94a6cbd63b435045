//! The answers of the PHP package: a file for each class.

use payments_core::operation::{AnswerMember, AnswerObject, AnswerShape};

use super::{answer_parts, answers};
use crate::requests::operations;
use crate::words::{doc_of_member, in_camel_case, in_capital, wrapped};
use crate::{File, ORIGIN};

const WIDTH: usize = 120;

pub(crate) fn files() -> Vec<File> {
    let token = answer_parts().filter(|part| part.name == "AccessToken");
    let parts = answer_parts().filter(|part| part.name != "AccessToken" && is_class(part));
    let answers = answers().map(|object| (object, answer(object)));
    let all = answers.chain(token.map(|object| (object, answer(object))));
    all.chain(parts.map(|object| (object, part(object))))
        .map(|(object, text)| File::new(format!("bindings-php/src/{}.php", object.name), text))
        .collect()
}

/// What the service says of a part is a class; what the library found out by
/// itself is an array.
fn is_class(part: &AnswerObject) -> bool {
    part.members.iter().any(|member| member.may_be_null)
}

fn head(object: &AnswerObject) -> String {
    format!(
        "<?php\n\n// {ORIGIN}\n\ndeclare(strict_types=1);\n\nnamespace Libpayments;\n\n{}/**\n{} */\n\
         final class {}",
        if object.name == "AccessToken" { "use Libpayments\\Internal\\Secret;\n\n" } else { "" },
        wrapped(object.doc, " * ", " * ", WIDTH),
        object.name
    )
}

fn answer(object: &AnswerObject) -> String {
    let mut text = head(object) + " extends Answer\n{\n";
    if object.name == "AccessToken" {
        text.push_str("    use Secret;\n\n");
    }
    let mut parts = Vec::new();
    let sets = object.members.iter().filter_map(|member| match member.shape {
        AnswerShape::Code(codes) => Some((member, codes)),
        _ => None,
    });
    // The codes of two members would have the same names.
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

fn reader(member: &AnswerMember, body: &str) -> String {
    let doc = doc_of_member(member);
    let doc = match &member.shape {
        AnswerShape::Code(_) => format!("{doc} The set is open: other codes come as they are."),
        _ => doc,
    };
    let nothing = if member.may_be_null { "|null" } else { "" };
    let precise = match &member.shape {
        AnswerShape::Objects(part) => Some(format!("list<{}>{nothing}", shape_of(part))),
        AnswerShape::Object(part) if !is_class(part) => {
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

fn type_of(member: &AnswerMember) -> &'static str {
    match &member.shape {
        AnswerShape::Text(_) | AnswerShape::Code(_) => "string",
        AnswerShape::Integer => "int",
        AnswerShape::Flag => "bool",
        AnswerShape::Object(part) if is_class(part) => part.name,
        AnswerShape::Object(_) | AnswerShape::Objects(_) => "array",
    }
}

/// The type of a part in a comment.
fn shape_of(part: &AnswerObject) -> String {
    if is_class(part) {
        return part.name.to_owned();
    }
    let members: Vec<_> =
        part.members.iter().map(|member| format!("{}: {}", member.name, type_of(member))).collect();
    format!("array{{{}}}", members.join(", "))
}

fn body(member: &AnswerMember) -> String {
    let value = format!("$this->member('{}')", member.name);
    match &member.shape {
        AnswerShape::Flag => format!("        return {value} === true;\n"),
        AnswerShape::Integer if !member.may_be_null => format!("        return (int) {value};\n"),
        AnswerShape::Text(_) if !member.may_be_null => {
            format!("        return (string) {value};\n")
        }
        AnswerShape::Objects(part) if is_class(part) => format!(
            "        $parts = {value} ?? [];\n        \
             return array_map(static fn (array $of): {0} => new {0}($of), $parts);\n",
            part.name
        ),
        AnswerShape::Object(part) if is_class(part) => format!(
            "        $of = {value};\n        return $of === null ? null : new {}($of);\n",
            part.name
        ),
        _ => format!("        return {value};\n"),
    }
}

fn part(object: &AnswerObject) -> String {
    let mut text = head(object)
        + "\n{\n    /**\n     * @internal\n     * @param array<string, mixed> $members\n     */\n    \
           public function __construct(#[\\SensitiveParameter] private array $members)\n    {\n    }\n";
    for member in object.members {
        let body = format!("        return $this->members['{}'] ?? null;\n", member.name);
        text.push_str(&format!("\n{}", reader(member, &body)));
    }
    let shown = object.members.iter().filter(|member| member.is_shown);
    let shown: Vec<_> = shown
        .map(|member| format!("'{0}' => $this->members['{0}'] ?? null", member.name))
        .collect();
    text + &format!(
        "\n    /** @return array<string, mixed> */\n    public function __debugInfo(): array\n    {{\n        \
         return [{}];\n    }}\n}}\n",
        shown.join(", ")
    )
}

/// The rows of the README on operations.
pub(crate) fn readme_rows() -> String {
    let mut text = "\n| Method | Answer |\n|---|---|\n".to_owned();
    for answer in answers() {
        let methods: Vec<_> = operations()
            .filter(|(operation, _)| operation.answer().is_some_and(|it| it.name == answer.name))
            .map(|(operation, _)| format!("`{}($request)`", in_camel_case(operation.name())))
            .collect();
        let readers: Vec<_> = answer
            .members
            .iter()
            .map(|member| format!("`{}()`", in_camel_case(member.name)))
            .collect();
        text.push_str(&format!(
            "| {} | `{}`: {} |\n",
            methods.join(", "),
            in_capital(answer.name),
            readers.join(", ")
        ));
    }
    text
}
