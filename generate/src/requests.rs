//! What the types of requests in all languages have in common.

use std::iter::once;

use payments_core::Operation;
use payments_core::operation::{Field, INTEGRATION_KEY, Object, Presence, Shape};

pub(crate) const EXTRA_DOC: &str =
    "Members that are in no table; they follow the others as they are.";

/// The operations whose request is JSON.
pub(crate) fn operations() -> impl Iterator<Item = (Operation, &'static Object)> {
    let of_json = Operation::ALL.into_iter().filter(|it| *it != Operation::Send);
    of_json.filter_map(|operation| Some((operation, operation.request()?)))
}

/// Every object of these requests once, after those that stand inside it.
pub(crate) fn objects() -> Vec<&'static Object> {
    fn push(objects: &mut Vec<&'static Object>, object: &'static Object) {
        for inner in object.fields.iter().filter_map(|field| field.shape.object()) {
            push(objects, inner);
        }
        if !objects.iter().any(|known| known.name == object.name) {
            objects.push(object);
        }
    }
    let mut objects = Vec::new();
    for (_, request) in operations() {
        push(&mut objects, request);
    }
    objects
}

/// The members of an object that have a field, the integration key included.
pub(crate) fn fields(object: &'static Object) -> impl Iterator<Item = &'static Field> {
    object.fields.iter().chain(once(&INTEGRATION_KEY).filter(|_| object.holds_key))
}

/// Whether a member must be given whatever else is.
pub(crate) fn is_required(field: &Field) -> bool {
    field.presence == Presence::Required
}

/// Whether `null` leaves the member out. An amount that is lost on the way is
/// an error instead.
pub(crate) fn may_be_null(field: &Field) -> bool {
    !matches!(field.presence, Presence::Required | Presence::OneOf)
        && !matches!(field.shape, Shape::Amount)
}

/// What an object is and where that is stated.
pub(crate) fn doc_of(object: &Object) -> String {
    format!("{} Interface, \"{}\".", object.doc, object.source)
}
