//! `refund_payment`: `POST /ws/refund`.

use std::borrow::Cow;

use super::{Draft, DraftBody};
use crate::model::error::{Error, ErrorCode};
use crate::model::json::Members;
use crate::model::json::path::Path;
use crate::model::operation::{EXTRA, Operation};
use crate::model::rules::Rules;

/// The name of the hash member in the tables and in every language.
const HASH: &str = "hash";
const OPERATION: Operation = Operation::RefundPayment;

/// The members of a request, in which the hash may have its configured name, as
/// the tables describe them.
///
/// # Errors
/// `validation` if the hash is set twice.
pub(super) fn as_described<'m>(
    members: &'m Members,
    rules: &Rules,
) -> Result<Cow<'m, Members>, Error> {
    let on_the_wire = rules.refund_hash_member.as_str();
    if on_the_wire == HASH || !members.contains(on_the_wire) {
        return Ok(Cow::Borrowed(members));
    }
    if members.contains(HASH) || members.first_duplicate() == Some(on_the_wire) {
        let reference = [HASH, on_the_wire].into_iter().find_map(|it| members.get(it)?.as_str());
        let message = "the payment hash is set twice, as `hash` and under its configured name; \
                       remove one";
        return Err(Error::validation(HASH, ErrorCode::CONFLICTING_MEMBERS, message)
            .with_operation(OPERATION, reference));
    }
    let mut members = members.clone();
    if let Some(hash) = members.remove(on_the_wire) {
        members.insert_first(HASH, hash);
    }
    Ok(Cow::Owned(members))
}

/// The draft, whose first member is the hash, under its name on the wire.
///
/// # Errors
/// `validation`.
pub(super) fn draft(members: &Members, rules: &Rules) -> Result<Draft, Error> {
    let mut draft = Draft::of_members(OPERATION, &*as_described(members, rules)?, rules)?;
    if let DraftBody::Members(members) = &mut draft.body {
        place_hash(members, &rules.refund_hash_member)
            .map_err(|error| error.with_operation(OPERATION, draft.reference.as_deref()))?;
    }
    Ok(draft)
}

fn place_hash(members: &mut Members, hash_member: &str) -> Result<(), Error> {
    let hash = members.remove(HASH);
    if members.contains(hash_member) {
        let message = "collides with the payment hash, which has this name on the wire; remove it";
        let path = Path::Root.member(EXTRA).member(hash_member).to_string();
        return Err(Error::validation(path, ErrorCode::CONFLICTING_MEMBERS, message));
    }
    if let Some(hash) = hash {
        members.insert_first(hash_member, hash);
    }
    Ok(())
}
