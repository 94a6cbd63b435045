//! Command-line options for the members of a request, built from the library's
//! table.
//!
//! The member `amount_total` has the option `--amount-total`. A member of an
//! inner object is prefixed with the object's name, as in `--payee-name`,
//! unless that object is the only required member, as `payment` is.

use payments_core::ErrorCode;
use payments_core::Operation;
use payments_core::json::{Json, Members};
use payments_core::operation::{EXTRA, Presence, RequestMember, RequestObject, RequestShape};

use crate::process::failure::Failure;

/// An option, and the request member it sets.
#[derive(Clone, Debug)]
pub(crate) struct MemberOption {
    /// Its name without the leading hyphens.
    pub(crate) name: String,
    /// The member's path in the request.
    path: Vec<&'static str>,
    /// The member; `None` for an `extra` object.
    pub(crate) field: Option<&'static RequestMember>,
}

/// The options of an operation, in the order members are written.
pub(crate) fn options_of(operation: Operation) -> Vec<MemberOption> {
    let mut options = Vec::new();
    collect(operation.fields(), &[], &[], &mut options);
    options
}

/// The member that may be given positionally: the first one, if all members
/// are plain values.
pub(crate) fn nameless_member(operation: Operation) -> Option<&'static RequestMember> {
    let fields = operation.fields();
    let are_plain = fields.iter().all(|field| field.shape.fields().is_empty());
    fields.first().filter(|_| are_plain)
}

fn collect(
    fields: &'static [RequestMember],
    path: &[&'static str],
    prefix: &[&'static str],
    options: &mut Vec<MemberOption>,
) {
    let extended = |names: &[&'static str], name| [names, &[name]].concat();
    for field in fields {
        match &field.shape {
            RequestShape::Object(object) => {
                let is_whole = path.is_empty()
                    && fields.iter().all(|it| it.is_required() == (it.name == field.name));
                let inner = if is_whole { prefix.to_vec() } else { extended(prefix, field.name) };
                collect(object.fields, &extended(path, field.name), &inner, options);
            }
            // `send` has its own options.
            RequestShape::Parameters => {}
            _ => options.push(MemberOption {
                name: option_name(&extended(prefix, field.name)),
                path: extended(path, field.name),
                field: Some(field),
            }),
        }
    }
    options.push(MemberOption {
        name: option_name(&extended(path, EXTRA)),
        path: extended(path, EXTRA),
        field: None,
    });
}

fn option_name(names: &[&str]) -> String {
    names.join("-").replace('_', "-")
}

impl MemberOption {
    /// Whether the option may be repeated.
    pub(crate) fn is_list(&self) -> bool {
        let shape = self.field.map(|field| &field.shape);
        matches!(shape, Some(RequestShape::Objects(_) | RequestShape::TextsOrObjects(_)))
    }

    /// Whether this option sets the request member at `path`.
    fn is_at(&self, path: &str) -> bool {
        let path = path.split('[').next().unwrap_or_default();
        path.split('.').eq(self.path.iter().copied())
    }

    /// Sets the member to the option's values. Replaces the previous value,
    /// except for `extra`, which is merged member by member.
    ///
    /// # Errors
    /// `usage` if a value must be JSON and is not.
    pub(crate) fn set_in(&self, request: &mut Members, values: &[String]) -> Result<(), Failure> {
        let first = values.first().map(String::as_str).unwrap_or_default();
        let Some(field) = self.field else {
            let extra = self.object(first)?;
            for (name, value) in extra.iter() {
                place(request, &[&self.path[..], &[name]].concat(), value.clone());
            }
            return Ok(());
        };
        let value = match &field.shape {
            RequestShape::Objects(_) | RequestShape::TextsOrObjects(_) => {
                let elements = values.iter().map(|value| self.element(value));
                Json::Array(elements.collect::<Result<_, _>>()?)
            }
            // Anything but a number stays text, which the library rejects.
            RequestShape::Open => self.object(first)?.into(),
            RequestShape::Integer => Json::number(first).unwrap_or_else(|| first.into()),
            _ => first.into(),
        };
        place(request, &self.path, value);
        Ok(())
    }

    fn object(&self, value: &str) -> Result<Members, Failure> {
        let Ok(Json::Object(members)) = Json::parse(value.as_bytes()) else {
            let message = format!(
                "--{} must be a JSON object, for example '{{\"installments\": 3}}'",
                self.name
            );
            return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
        };
        Ok(members)
    }

    fn element(&self, value: &str) -> Result<Json, Failure> {
        if !value.trim_start().starts_with('{') {
            return Ok(value.into());
        }
        Json::parse(value.as_bytes()).map_err(|error| {
            let message = format!("--{} is not valid JSON: {error}", self.name);
            Failure::usage(ErrorCode::INVALID_ARGUMENTS, message)
        })
    }
}

/// The options that a request lacks.
struct MissingOptions {
    options: Vec<MemberOption>,
    required: Vec<String>,
    /// Those of which one is enough, in words.
    choices: Vec<String>,
}

impl MissingOptions {
    fn of(operation: Operation, request: &Members) -> Self {
        let options = options_of(operation);
        let mut missing = Self { options, required: Vec::new(), choices: Vec::new() };
        if let Some(object) = operation.request() {
            missing.collect(object, request, &[]);
        }
        missing
    }

    fn collect(&mut self, object: &'static RequestObject, members: &Members, path: &[&str]) {
        let none = Members::new();
        let is_given =
            |field: &RequestMember| members.get(field.name).is_some_and(|it| !it.is_null());
        for field in object.fields {
            let inner = [path, &[field.name]].concat();
            let is_required = field.presence_in(members) == Presence::Required;
            match (&field.shape, members.get(field.name).and_then(Json::as_object)) {
                (RequestShape::Object(object), Some(members)) => {
                    self.collect(object, members, &inner);
                }
                (RequestShape::Object(object), None) if is_required => {
                    self.collect(object, &none, &inner);
                }
                _ if is_required && !is_given(field) => {
                    self.required.extend(self.option_at(&inner))
                }
                _ => {}
            }
        }
        for choice in [Presence::OneOf, Presence::AtLeastOne] {
            let is_choice = |field: &&RequestMember| field.presence_in(members) == choice;
            let fields: Vec<_> = object.fields.iter().filter(is_choice).collect();
            if fields.iter().any(|field| is_given(field)) {
                continue;
            }
            let option_of =
                |field: &&RequestMember| self.option_at(&[path, &[field.name]].concat());
            let names: Vec<_> = fields.iter().filter_map(option_of).collect();
            self.choices.extend((!names.is_empty()).then(|| names.join(" or ")));
        }
    }

    /// The first option that sets the member at `path`, or a member inside it.
    fn option_at(&self, path: &[&str]) -> Option<String> {
        let option = self.options.iter().find(|option| option.path.starts_with(path))?;
        Some(format!("--{}", option.name))
    }
}

/// Sets the value at a path, creating missing objects. If the path crosses
/// something that is not an object, the library rejects the request.
fn place(object: &mut Members, path: &[&str], value: Json) {
    match path {
        [] => {}
        [name] => object.set(name, value),
        [name, rest @ ..] => {
            if object.get(name).is_none_or(Json::is_null) {
                object.set(name, Members::new());
            }
            if let Some(inner) = object.get_mut(name).and_then(Json::as_object_mut) {
                place(inner, rest, value);
            }
        }
    }
}

/// Advice about the member at `path` that the library misses or rejected: which
/// options are missing, or which option set it.
pub(crate) fn advice(
    operation: Operation,
    request: &[u8],
    is_missing: bool,
    path: &str,
    given: &[(MemberOption, Vec<String>)],
) -> Option<String> {
    if !is_missing {
        let (option, _) = given.iter().find(|(option, _)| option.is_at(path))?;
        return Some(format!("it comes from --{}", option.name));
    }
    let request = Json::parse(request).ok()?;
    let request = request.as_object()?;
    let MissingOptions { required, choices, .. } = MissingOptions::of(operation, request);
    // The library names all that a JSON request lacks.
    if given.is_empty() && !required.is_empty() {
        return None;
    }
    let all = [required, choices].concat();
    (!all.is_empty()).then(|| format!("give {}", all.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(operation: Operation) -> Vec<String> {
        options_of(operation).into_iter().map(|option| option.name).collect()
    }

    #[test]
    fn members_have_options_and_those_of_inner_objects_too() {
        let payment = names(Operation::CreatePayment);
        assert_eq!(payment[..3], ["operation", "name", "email"]);
        assert_eq!(payment[payment.len() - 2..], ["payment-extra", "extra"]);
        let payout = names(Operation::CreatePayout);
        for name in ["amount", "payee-name", "payee-document-type", "payee-extra", "extra"] {
            assert!(payout.iter().any(|it| it == name), "{name}: {payout:?}");
        }
        assert!(names(Operation::RegisterTracking).contains(&"tracking-code".to_owned()));
    }

    fn set(operation: Operation, options: &[(&str, &[&str])], request: &str) -> String {
        let mut request = Json::parse(request.as_bytes()).unwrap();
        let request = request.as_object_mut().unwrap();
        for option in options_of(operation) {
            if let Some((_, values)) = options.iter().find(|(name, _)| *name == option.name) {
                let values: Vec<_> = values.iter().map(|&value| value.to_owned()).collect();
                option.set_in(request, &values).unwrap();
            }
        }
        Json::Object(request.clone()).to_text()
    }

    #[test]
    fn an_option_replaces_a_member_and_makes_the_object_around_it() {
        let request = r#"{"payment":{"name":"A","amount_total":1.0,"extra":{"a":1,"b":2}}}"#;
        let options: &[(&str, &[&str])] =
            &[("amount-total", &["100.10"]), ("payment-extra", &[r#"{"b":3}"#])];
        assert_eq!(
            set(Operation::CreatePayment, options, request),
            r#"{"payment":{"name":"A","amount_total":"100.10","extra":{"a":1,"b":3}}}"#
        );
        assert_eq!(
            set(Operation::CreatePayout, &[("payee-name", &["A"])], "{}"),
            r#"{"payee":{"name":"A"}}"#
        );
        let codes: &[(&str, &[&str])] = &[("tracking-code", &["A1", r#"{"tracking_code":"B2"}"#])];
        assert_eq!(
            set(Operation::RegisterTracking, codes, "{}"),
            r#"{"tracking_code":["A1",{"tracking_code":"B2"}]}"#
        );
    }

    #[test]
    fn advice_names_missing_options_or_the_one_at_fault() {
        let advice = |operation, request: &str, is_missing, path| {
            let given: Vec<_> =
                options_of(operation).into_iter().map(|option| (option, Vec::new())).collect();
            advice(operation, request.as_bytes(), is_missing, path, &given).unwrap_or_default()
        };
        let request = r#"{"payment":{"name":"A","country":"br","amount_total":1}}"#;
        assert_eq!(
            advice(Operation::CreatePayment, request, true, "payment.email"),
            "give --email, --payment-type-code, --merchant-payment-code, --currency-code, --document"
        );
        assert!(
            advice(Operation::CreatePayout, "{}", true, "payee")
                .ends_with("--payee-name or --payee-uuid")
        );
        assert_eq!(
            advice(Operation::QueryPayment, "{}", true, "hash"),
            "give --hash or --merchant-payment-code"
        );
        assert_eq!(
            advice(Operation::CreatePayment, request, false, "payment.country"),
            "it comes from --country"
        );
        assert_eq!(
            advice(Operation::RegisterTracking, "{}", false, "tracking_code[1]"),
            "it comes from --tracking-code"
        );
    }
}
