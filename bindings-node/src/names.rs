//! Names of members as JavaScript has them.

use payments_core::json::{Json, Members};
use payments_host::spelling::in_camel_case;

/// A value whose objects, also inner ones, have such names.
pub(crate) fn with_own_names(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members.into_iter();
            let members =
                members.map(|(name, value)| (in_camel_case(&name), with_own_names(value)));
            members.collect::<Members>().into()
        }
        Json::Array(elements) => Json::Array(elements.into_iter().map(with_own_names).collect()),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_names_as_in_javascript() {
        let inner = Json::from(Members::from([("tracking_code", "a_b")]));
        let json =
            Members::from([("is_paid", Json::Bool(true)), ("all", Json::Array(vec![inner]))]);
        let text = with_own_names(json.into()).to_text();
        assert_eq!(text, r#"{"isPaid":true,"all":[{"trackingCode":"a_b"}]}"#);
    }
}
