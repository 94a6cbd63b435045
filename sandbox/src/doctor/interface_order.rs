//! The order in which the interface lists the members of a request.

use payments_core::json::{Json, Members};
use payments_core::operation::{Operation, RequestMember};

/// `json` with the members of each object in the order of the interface's table
/// that fits it best: the integration key first, and members of no table last.
pub(super) fn arranged(json: &Json) -> Json {
    match json {
        Json::Array(elements) => Json::Array(elements.iter().map(arranged).collect()),
        Json::Object(members) => {
            let table = best_table(members);
            let place = |name: &str| match name {
                "integration_key" => 0,
                _ => 1 + table.iter().position(|known| *known == name).unwrap_or(table.len()),
            };
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| place(name));
            let sorted: Members =
                sorted.into_iter().map(|(name, value)| (name, arranged(value))).collect();
            sorted.into()
        }
        other => other.clone(),
    }
}

fn best_table(members: &Members) -> Vec<&'static str> {
    let mut tables = Vec::new();
    Operation::ALL.into_iter().for_each(|it| collect(it.fields(), &mut tables));
    let fit = |table: &Vec<&str>| table.iter().filter(|name| members.contains(name)).count();
    tables.into_iter().rev().max_by_key(fit).unwrap_or_default()
}

fn collect(fields: &'static [RequestMember], tables: &mut Vec<Vec<&'static str>>) {
    tables.push(fields.iter().map(|field| field.name).collect());
    fields.iter().for_each(|field| {
        if !field.shape.fields().is_empty() {
            collect(field.shape.fields(), tables);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_in_the_order_of_the_interface() {
        let sorted = br#"{"integration_key":"k","payment":{"amount_total":1,"country":"br","email":"e","name":"n","other":1}}"#;
        let arranged = arranged(&Json::parse(sorted).unwrap()).to_text();
        let expected = r#"{"integration_key":"k","payment":{"name":"n","email":"e","country":"br","amount_total":1,"other":1}}"#;
        assert_eq!(arranged, expected);
    }
}
