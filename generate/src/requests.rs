//! What the request types of all languages share.

use std::iter::once;

use payments_core::Operation;
use payments_core::operation::{
    INTEGRATION_KEY, Presence, RequestMember, RequestObject, RequestShape,
};

pub(crate) const EXTRA_DOC: &str =
    "Members that are in no table; they follow the others as they are.";

/// The operations with a JSON request.
pub(crate) fn operations() -> impl Iterator<Item = (Operation, &'static RequestObject)> {
    let of_json = Operation::ALL.into_iter().filter(|it| *it != Operation::Send);
    of_json.filter_map(|operation| Some((operation, operation.request()?)))
}

/// Every object of these requests once, inner objects first.
pub(crate) fn objects() -> Vec<&'static RequestObject> {
    fn push(objects: &mut Vec<&'static RequestObject>, object: &'static RequestObject) {
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

/// The members of an object, including the integration key.
pub(crate) fn fields(
    object: &'static RequestObject,
) -> impl Iterator<Item = &'static RequestMember> {
    object.fields.iter().chain(once(&INTEGRATION_KEY).filter(|_| object.holds_key))
}

/// Whether a member is unconditionally required.
pub(crate) fn is_required(field: &RequestMember) -> bool {
    field.presence == Presence::Required
}

/// Whether `null` omits the member. A null amount is an error, since it was
/// probably lost by accident.
pub(crate) fn may_be_null(field: &RequestMember) -> bool {
    !matches!(field.presence, Presence::Required | Presence::OneOf)
        && !matches!(field.shape, RequestShape::Amount)
}

/// What an object is, and its source in the interface.
pub(crate) fn doc_of(object: &RequestObject) -> String {
    format!("{} Interface, \"{}\".", object.doc, object.source)
}
