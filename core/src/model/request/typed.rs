//! What typed requests have in common.

use crate::model::amount::Amount;
use crate::model::json::Json;

/// Defines an object of a request from its fields, which are named as on the
/// wire. Adds a field `extra`.
macro_rules! request_object {
    (
        $(#[$doc:meta])*
        pub struct $object:ident { $($(#[$field_doc:meta])* pub $field:ident: $of:ty,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Default)]
        pub struct $object {
            $($(#[$field_doc])* pub $field: $of,)*
            /// Members that are in no table, written unchanged after the
            /// others.
            pub extra: $crate::model::json::Members,
        }

        impl $object {
            /// The fields that are members of a table.
            #[cfg(test)]
            pub(super) const MEMBERS: &[&str] = &[$(stringify!($field)),*];

            pub(super) fn into_members(self) -> $crate::model::json::Members {
                let mut members = $crate::model::json::Members::new();
                $(
                    if let Some(value) = $crate::model::request::typed::IntoMember::into_member(self.$field) {
                        let name = stringify!($field);
                        members.push(name.strip_prefix("r#").unwrap_or(name), value);
                    }
                )*
                if !self.extra.is_empty() {
                    members.push($crate::model::operation::EXTRA, self.extra);
                }
                members
            }
        }

        impl $crate::model::request::typed::IntoMember for $object {
            fn into_member(self) -> Option<$crate::model::json::Json> {
                Some(self.into_members().into())
            }
        }
    };
}
pub(super) use request_object;

/// The value of a field, or `None` to leave its member out.
pub(super) trait IntoMember {
    fn into_member(self) -> Option<Json>;
}

impl IntoMember for String {
    fn into_member(self) -> Option<Json> {
        Some(self.into())
    }
}

impl IntoMember for Amount {
    fn into_member(self) -> Option<Json> {
        Some(self.into())
    }
}

impl IntoMember for i64 {
    fn into_member(self) -> Option<Json> {
        Some(self.into())
    }
}

impl<T: IntoMember> IntoMember for Option<T> {
    fn into_member(self) -> Option<Json> {
        self.and_then(T::into_member)
    }
}

/// Defines what requests with JSON `members` have in common. The members listed
/// first have a field or constructor elsewhere; each member that follows gets a
/// setter.
macro_rules! json_request {
    (
        $(#[$doc:meta])*
        $request:ident, $members:expr
        $(, $($(#[$setter_doc:meta])* $setter:ident: $of:ty,)*)?
    ) => {
        impl $request {
            /// The members of the table that this type has.
            #[cfg(test)]
            pub(super) const MEMBERS: [&[&str]; 2] =
                [$members, &[$($(stringify!($setter)),*)?]];

            /// A request from JSON text. Members keep their order and are
            /// checked when the request is sent, as in typed requests.
            ///
            $(#[$doc])*
            ///
            /// # Errors
            /// `validation` if the text is not a JSON object.
            pub fn from_json(text: &[u8]) -> Result<Self, $crate::model::error::Error> {
                let operation = $crate::model::operation::Operation::$request;
                $crate::model::request::parse_members(operation, text).map(|members| Self { members })
            }

            $($(
                $(#[$setter_doc])*
                #[must_use]
                pub fn $setter(mut self, $setter: $of) -> Self {
                    self.members.set(stringify!($setter), $setter);
                    self
                }
            )*)?

            /// Adds a member that is in no table, under `extra`. A duplicate
            /// makes the request invalid.
            #[must_use]
            pub fn extra(mut self, name: &str, value: impl Into<$crate::model::json::Json>) -> Self {
                $crate::model::request::push_extra(&mut self.members, name, value);
                self
            }
        }

        /// Shows the number of members only.
        impl std::fmt::Debug for $request {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($request)).field(&self.members).finish()
            }
        }

        impl $crate::model::request::sealed::Sealed for $request {}
    };
}
pub(super) use json_request;

#[cfg(test)]
mod tests {
    use crate::model::operation::{Operation, RequestMember, RequestObject, operations};
    use crate::model::request::all::*;

    fn assert_has_every_member(members: &[&str], object: &RequestObject) {
        let typed: Vec<_> = members.iter().map(|name| name.trim_start_matches("r#")).collect();
        for RequestMember { name, .. } in object.fields {
            let is_there = typed.contains(name);
            assert!(is_there, "the request type {} has no field or setter `{name}`", object.name);
        }
        let described: Vec<_> = object.fields.iter().map(|field| field.name).collect();
        assert_eq!(typed, described, "the request type {} and its table", object.name);
    }

    macro_rules! requests {
        ($($request:ident $name:ident $(-> $response:ident)? { $($rest:tt)* })*) => {
            vec![$($(requests!(@typed $request $response),)?)*]
        };
        (@typed $request:ident $response:ident) => {
            (Operation::$request, $request::MEMBERS.concat())
        };
    }

    #[test]
    fn typed_requests_have_every_member_of_the_tables() {
        for (operation, members) in operations!(requests) {
            let object = operation.request().unwrap();
            assert_has_every_member(&members, object);
            for field in object.fields {
                let Some(inner) = field.shape.object() else { continue };
                assert_inner(inner);
                inner.fields.iter().filter_map(|it| it.shape.object()).for_each(assert_inner);
            }
        }
    }

    fn assert_inner(object: &RequestObject) {
        let members = match object.name {
            "Payment" => Payment::MEMBERS,
            "Payee" => Payee::MEMBERS,
            "TrackingDetails" => TrackingDetails::MEMBERS,
            "Item" => Item::MEMBERS,
            "Address" => Address::MEMBERS,
            other => panic!("no request type is named {other}"),
        };
        assert_has_every_member(members, object);
    }
}
