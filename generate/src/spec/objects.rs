//! The objects of requests as languages see them: with the integration key.

use indexmap::IndexMap;

use super::operations::Operation;
use super::requests::{Member, Object};

/// Every object of a JSON request once, inner ones first.
pub(super) fn objects(operations: &[Operation], key: Option<&Member>) -> Vec<Object> {
    let mut objects = Vec::new();
    for operation in operations.iter().filter(|it| it.is_typed) {
        if let Some(request) = &operation.request {
            push_object(&mut objects, operation, request, key);
        }
    }
    objects
}

fn push_object(
    objects: &mut Vec<Object>,
    operation: &Operation,
    object: &Object,
    key: Option<&Member>,
) {
    for (_, name) in object.inner() {
        if let Some(inner) = operation.object.get(name) {
            push_object(objects, operation, inner, key);
        }
    }
    if !objects.iter().any(|known| known.name == object.name) {
        objects.push(with_key(object, key));
    }
}

/// The members of the JSON requests of all operations: the first one of each name.
pub(super) fn members(operations: &[Operation], key: Option<&Member>) -> IndexMap<String, Member> {
    let requests = operations.iter().filter(|it| it.is_typed).flat_map(|it| &it.request);
    let mut members = IndexMap::new();
    for (name, member) in requests.flat_map(|it| with_key(it, key).members) {
        members.entry(name).or_insert(member);
    }
    members
}

/// The members of a request, including those of inner objects, by path:
/// `payment.name`, `tracking_code[].items[].sku`.
pub(super) fn places(operation: &Operation, key: Option<&Member>) -> Vec<(String, Member)> {
    let mut places = Vec::new();
    if let Some(request) = &operation.request {
        push_places(&mut places, operation, request, "", key);
    }
    places
}

/// The characters that texts of requests may have, by path.
pub(super) fn lengths(operations: &[Operation]) -> IndexMap<String, [u32; 2]> {
    let places = operations.iter().flat_map(|it| places(it, None));
    places.filter_map(|(place, member)| Some((place, member.characters?))).collect()
}

fn push_places(
    places: &mut Vec<(String, Member)>,
    operation: &Operation,
    object: &Object,
    above: &str,
    key: Option<&Member>,
) {
    for (name, member) in with_key(object, key).members {
        let place = format!("{above}{name}");
        let inner = member.object.as_ref().and_then(|it| operation.object.get(it));
        let above = format!("{place}{}.", if member.shape == "object" { "" } else { "[]" });
        places.push((place, member));
        if let Some(inner) = inner {
            push_places(places, operation, inner, &above, key);
        }
    }
}

fn with_key(object: &Object, key: Option<&Member>) -> Object {
    let mut object = object.clone();
    if let Some(key) = key.filter(|_| object.key) {
        object.members.insert(key.name.clone(), key.clone());
    }
    object
}
