//! Finds the key in its token, and reads its public attributes.

use cryptoki::error::Error as CryptokiError;
use cryptoki::mechanism::MechanismType;
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::Session;
use der::asn1::UintRef;
use payments_base::pem::form::bits_of;
use sha2::{Digest as _, Sha256};

use super::refusal::{self, KeyName, member};
use super::{KeyChoice, unpadded};
use crate::model::error::{Error, messages};
use crate::signing::jws::PublicKey;

/// The facts in the attributes of a key.
pub(super) struct KeyFacts {
    /// The public key, if the token reveals it.
    pub(super) public_key: Option<PublicKey>,
    /// The mechanisms that the key may be used with. Empty if the key does not
    /// say.
    pub(super) allowed: Vec<MechanismType>,
    /// Tells the key from others of its token.
    pub(super) digest: [u8; 32],
}

/// Finds the one private key that matches and may sign. If none may, returns one
/// that [`examine`] refuses. `was_found` says whether this process found it before.
pub(super) fn find(
    session: &Session,
    choice: &KeyChoice,
    was_found: bool,
) -> Result<ObjectHandle, Error> {
    let found = matching(session, Some(ObjectClass::PRIVATE_KEY), choice).map_err(call)?;
    let Some(first) = found.first() else {
        if was_found {
            return Err(refusal::key_gone(choice));
        }
        let others = matching(session, None, choice).map_err(call)?;
        let class = others.iter().find_map(|object| class_of(session, *object));
        return Err(refusal::key_unknown(choice, class, || private_keys(session)));
    };
    // Keys for other uses may have the same label or id.
    let fit: Vec<_> = found.iter().filter(|key| may_sign(session, **key)).collect();
    match fit[..] {
        [] => Ok(*first),
        [key] => Ok(*key),
        [_, _, ..] => {
            let names: Vec<KeyName> = fit.iter().map(|key| name_of(session, **key)).collect();
            Err(refusal::key_ambiguous(choice, &names))
        }
    }
}

/// Checks that `key` can sign as the interface requires, as far as its attributes
/// say.
pub(super) fn examine(
    session: &Session,
    key: ObjectHandle,
    choice: &KeyChoice,
    allow_small_keys: bool,
) -> Result<KeyFacts, Error> {
    for attribute in read(session, key, &[AttributeType::KeyType, AttributeType::Sign]) {
        match attribute {
            Attribute::KeyType(kind) if kind != KeyType::RSA => {
                return Err(refusal::key_not_rsa(choice, kind));
            }
            Attribute::Sign(false) => {
                let why = "CKA_SIGN is false; name one that may sign";
                return Err(messages::pkcs11_key_cannot_sign(member(choice), why));
            }
            _ => {}
        }
    }
    let asks_each_time = read(session, key, &[AttributeType::AlwaysAuthenticate]);
    if matches!(asks_each_time[..], [Attribute::AlwaysAuthenticate(true)]) {
        return Err(messages::pkcs11_key_asks_each_time(member(choice)));
    }
    let numbers = numbers(session, key)?;
    let modulus = numbers.as_ref().map(|numbers| &numbers.modulus[..]);
    if let Some(modulus) = modulus
        && let Ok(number) = UintRef::new(modulus)
        && let Some(refused) = refusal::refused_size(choice, bits_of(number), allow_small_keys)
    {
        return Err(refused);
    }
    let digest = digest(&name_of(session, key), modulus);
    let allowed = match &mut read(session, key, &[AttributeType::AllowedMechanisms])[..] {
        [Attribute::AllowedMechanisms(allowed)] => std::mem::take(allowed),
        _ => Vec::new(),
    };
    let public_key =
        numbers.and_then(|it| PublicKey::from_numbers(&it.modulus, it.exponent.as_deref()?));
    Ok(KeyFacts { public_key, allowed, digest })
}

/// Whether the key is an RSA key for signing, as far as its attributes say.
fn may_sign(session: &Session, key: ObjectHandle) -> bool {
    !read(session, key, &[AttributeType::KeyType, AttributeType::Sign]).iter().any(|it| match it {
        Attribute::KeyType(kind) => *kind != KeyType::RSA,
        Attribute::Sign(may_sign) => !may_sign,
        _ => false,
    })
}

fn digest(name: &KeyName, modulus: Option<&[u8]>) -> [u8; 32] {
    let label = name.label.as_ref().map(String::as_bytes);
    let parts = [label, name.id.as_deref(), modulus];
    let digest = parts.iter().fold(Sha256::new(), |digest, part| {
        let part = part.unwrap_or_default();
        digest.chain_update(part.len().to_be_bytes()).chain_update(part)
    });
    digest.finalize().into()
}

/// The modulus and exponent of a key, if the token reveals them.
#[derive(Default)]
struct Numbers {
    modulus: Vec<u8>,
    /// Optional in a private key.
    exponent: Option<Vec<u8>>,
}

/// Returns the numbers of the key: from the private key if it reveals both,
/// otherwise from the matching public key.
fn numbers(session: &Session, key: ObjectHandle) -> Result<Option<Numbers>, Error> {
    let own = numbers_of(session, key);
    let name = name_of(session, key);
    if name.id.is_none() || own.as_ref().is_some_and(|own| own.exponent.is_some()) {
        return Ok(own);
    }
    let beside = KeyChoice { label: None, id: name.id };
    let publics = matching(session, Some(ObjectClass::PUBLIC_KEY), &beside).map_err(call)?;
    let is_same = |public: &Numbers| own.as_ref().is_none_or(|own| own.modulus == public.modulus);
    let mut publics = publics.into_iter().filter_map(|public| numbers_of(session, public));
    Ok(publics.find(is_same).or(own))
}

fn numbers_of(session: &Session, key: ObjectHandle) -> Option<Numbers> {
    let mut numbers = Numbers::default();
    for attribute in read(session, key, &[AttributeType::Modulus, AttributeType::PublicExponent]) {
        match attribute {
            Attribute::Modulus(value) => numbers.modulus = value,
            Attribute::PublicExponent(value) if !value.is_empty() => {
                numbers.exponent = Some(value);
            }
            _ => {}
        }
    }
    Some(numbers).filter(|numbers| !numbers.modulus.is_empty())
}

fn name_of(session: &Session, object: ObjectHandle) -> KeyName {
    let mut name = KeyName { label: None, id: None };
    for attribute in read(session, object, &[AttributeType::Label, AttributeType::Id]) {
        match attribute {
            Attribute::Label(label) => {
                name.label = Some(unpadded(&String::from_utf8_lossy(&label)).to_owned());
            }
            Attribute::Id(id) if !id.is_empty() => name.id = Some(id),
            _ => {}
        }
    }
    name
}

fn private_keys(session: &Session) -> Vec<KeyName> {
    let any = KeyChoice { label: None, id: None };
    let keys = matching(session, Some(ObjectClass::PRIVATE_KEY), &any).unwrap_or_default();
    keys.into_iter().map(|key| name_of(session, key)).collect()
}

fn class_of(session: &Session, object: ObjectHandle) -> Option<ObjectClass> {
    match read(session, object, &[AttributeType::Class])[..] {
        [Attribute::Class(class)] => Some(class),
        _ => None,
    }
}

/// The objects of a class, or of any, that match. Some tools pad labels, and a
/// token compares whole ones: without a match, the padding does not count.
fn matching(
    session: &Session,
    class: Option<ObjectClass>,
    choice: &KeyChoice,
) -> Result<Vec<ObjectHandle>, CryptokiError> {
    let id = choice.id.clone().map(Attribute::Id);
    let mut wanted: Vec<Attribute> = class.map(Attribute::Class).into_iter().chain(id).collect();
    let Some(label) = &choice.label else { return session.find_objects(&wanted) };
    wanted.push(Attribute::Label(label.clone().into_bytes()));
    let found = session.find_objects(&wanted)?;
    if !found.is_empty() {
        return Ok(found);
    }
    wanted.pop();
    let is_meant = |object: &ObjectHandle| {
        let own = name_of(session, *object).label;
        own.is_some_and(|own| own == unpadded(label))
    };
    Ok(session.find_objects(&wanted)?.into_iter().filter(is_meant).collect())
}

/// Returns those of the `attributes` that the object has and reveals.
fn read(session: &Session, object: ObjectHandle, attributes: &[AttributeType]) -> Vec<Attribute> {
    session.get_attributes(object, attributes).unwrap_or_default()
}

fn call(error: CryptokiError) -> Error {
    refusal::call(&error)
}
