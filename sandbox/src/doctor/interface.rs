//! The tables of the interface, as far as a serializer may know them.

use payments_core::json::Json;
use payments_core::operation::{INTEGRATION_KEY, Operation, RequestMember, RequestShape};

/// Sorts members as the table that fits them best lists them: the integration key
/// first, and members of no table last.
pub(super) fn sort_as_in_the_interface(members: &mut [(&str, &Json)]) {
    let fit = |table: &&[RequestMember]| {
        table.iter().filter(|known| members.iter().any(|(name, _)| *name == known.name)).count()
    };
    let table = tables().into_iter().rev().max_by_key(fit).unwrap_or_default();
    members.sort_by_key(|(name, _)| {
        let place = table.iter().position(|known| known.name == *name).unwrap_or(table.len());
        (*name != INTEGRATION_KEY.name, place)
    });
}

/// Whether some table has an amount of that name.
pub(super) fn is_amount(name: &str) -> bool {
    let mut members = tables().into_iter().flatten();
    members.any(|it| it.name == name && matches!(it.shape, RequestShape::Amount))
}

fn tables() -> Vec<&'static [RequestMember]> {
    let mut tables: Vec<_> = Operation::ALL.into_iter().map(Operation::fields).collect();
    let mut at = 0;
    while let Some(table) = tables.get(at) {
        tables.extend(table.iter().map(|it| it.shape.fields()).filter(|it| !it.is_empty()));
        at += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use payments_core::json::Members;

    use super::*;

    #[test]
    fn members_are_in_the_order_of_the_interface() {
        for (sorted, expected) in [
            (
                r#"{"amount_total":1,"country":"br","email":"e","name":"n","other":1}"#,
                r#"{"name":"n","email":"e","country":"br","amount_total":1,"other":1}"#,
            ),
            (
                r#"{"a":1,"hash":"h","integration_key":"k"}"#,
                r#"{"integration_key":"k","hash":"h","a":1}"#,
            ),
        ] {
            let json = Json::parse(sorted.as_bytes()).unwrap();
            let mut members: Vec<_> = json.as_object().unwrap().iter().collect();
            sort_as_in_the_interface(&mut members);
            let arranged: Members =
                members.into_iter().map(|(name, it)| (name, it.clone())).collect();
            assert_eq!(Json::from(arranged).to_text(), expected);
        }
    }
}
