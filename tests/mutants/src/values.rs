//! Values that a function could return instead. Some of them do not compile,
//! and are dropped later.

use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// Expressions of the type that a function returns.
pub fn of_return(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".to_owned()],
        ReturnType::Type(_, kind) => of_type(kind),
    }
}

fn of_type(kind: &Type) -> Vec<String> {
    let texts: &[&str] = match kind {
        Type::Never(_) | Type::ImplTrait(_) => &[],
        Type::Path(path) => return of_path(path),
        Type::Tuple(tuple) => {
            let all: Vec<_> = tuple.elems.iter().map(of_type).collect();
            return of_tuple(&all);
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => &["\"\"", "\"xyzzy\""],
            Type::Slice(_) if reference.mutability.is_none() => &["&[]"],
            _ => &[],
        },
        _ => &["Default::default()"],
    };
    texts.iter().map(|it| (*it).to_owned()).collect()
}

/// One element differs from its first value at a time.
fn of_tuple(all: &[Vec<String>]) -> Vec<String> {
    if all.iter().any(Vec::is_empty) {
        return vec![];
    }
    let joined = |at: usize, value: &String| {
        let parts = all.iter().enumerate();
        let parts: Vec<_> = parts.map(|(i, it)| if i == at { value } else { &it[0] }).collect();
        format!("({})", parts.iter().map(|it| format!("{it}, ")).collect::<String>())
    };
    let mut texts = vec![];
    for (at, values) in all.iter().enumerate() {
        texts.extend(values.iter().map(|value| joined(at, value)));
    }
    texts.sort();
    texts.dedup();
    if all.is_empty() { vec!["()".to_owned()] } else { texts }
}

fn of_path(path: &syn::TypePath) -> Vec<String> {
    let Some(last) = path.path.segments.last() else { return vec![] };
    let name = last.ident.to_string();
    let inner = || match &last.arguments {
        PathArguments::AngleBracketed(given) => given.args.iter().find_map(|it| match it {
            GenericArgument::Type(kind) => Some(of_type(kind)),
            _ => None,
        }),
        _ => None,
    };
    let wrapped = |wrapper: &str| -> Vec<String> {
        inner().unwrap_or_default().iter().map(|it| format!("{wrapper}({it})")).collect()
    };
    let texts: &[&str] = match name.as_str() {
        "bool" => &["true", "false"],
        "u8" | "u16" | "u32" | "u64" | "usize" => &["0", "1"],
        "i8" | "i16" | "i32" | "i64" | "isize" => &["0", "1", "-1"],
        "String" => &["String::new()", "\"xyzzy\".to_owned()"],
        "Option" => return [vec!["None".to_owned()], wrapped("Some")].concat(),
        "Result" => return wrapped("Ok"),
        "Box" => return wrapped("Box::new"),
        "Arc" => return wrapped("std::sync::Arc::new"),
        "Vec" => &["Vec::new()"],
        _ => &["Default::default()"],
    };
    texts.iter().map(|it| (*it).to_owned()).collect()
}
