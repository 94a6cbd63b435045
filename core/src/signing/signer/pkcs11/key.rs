//! Finds the key in its token, and reads its public attributes.

use cryptoki::error::Error as CryptokiError;
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle};
use cryptoki::session::Session;

use super::KeyChoice;
use super::refusal::{self, KeyName, member};
use crate::model::error::{Error, messages};
use crate::signing::jws::PublicKey;
use crate::signing::signer::key_refusal::of_size;

/// Finds the one private key that matches.
pub(super) fn find(session: &Session, choice: &KeyChoice) -> Result<ObjectHandle, Error> {
    let found = of_class(session, ObjectClass::PRIVATE_KEY, choice).map_err(call)?;
    match found[..] {
        [key] => Ok(key),
        [] => {
            let others = session.find_objects(&template(choice)).map_err(call)?;
            let class = others.iter().find_map(|object| class_of(session, *object));
            Err(refusal::key_unknown(choice, class, || private_keys(session)))
        }
        [_, _, ..] => {
            let found: Vec<KeyName> = found.iter().map(|key| name_of(session, *key)).collect();
            Err(messages::pkcs11_key_ambiguous(member(choice), refusal::keys(&found)))
        }
    }
}

/// Checks that `key` can sign as the interface requires. Returns its public key
/// if the token reveals it.
pub(super) fn examine(
    session: &Session,
    key: ObjectHandle,
    choice: &KeyChoice,
    allow_small_keys: bool,
) -> Result<Option<PublicKey>, Error> {
    for attribute in read(session, key, &[AttributeType::KeyType, AttributeType::Sign]) {
        match attribute {
            Attribute::KeyType(kind) if kind != KeyType::RSA => {
                return Err(refusal::key_not_rsa(choice, kind));
            }
            Attribute::Sign(false) => {
                return Err(messages::pkcs11_key_cannot_sign(member(choice)));
            }
            _ => {}
        }
    }
    let asks_each_time = read(session, key, &[AttributeType::AlwaysAuthenticate]);
    if matches!(asks_each_time[..], [Attribute::AlwaysAuthenticate(true)]) {
        return Err(messages::pkcs11_key_asks_each_time(member(choice)));
    }
    let Some(Numbers { modulus, exponent }) = numbers(session, key)? else {
        return Ok(None);
    };
    match of_size(member(choice), bits(&modulus), allow_small_keys, "in the token") {
        Some(refused) => Err(refused),
        None => Ok(exponent.and_then(|exponent| PublicKey::from_numbers(&modulus, &exponent))),
    }
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
    let publics = of_class(session, ObjectClass::PUBLIC_KEY, &beside).map_err(call)?;
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

fn bits(modulus: &[u8]) -> usize {
    let leading = modulus.iter().take_while(|byte| **byte == 0).count();
    let first = modulus.get(leading).map_or(0, |byte| byte.leading_zeros() as usize);
    (modulus.len() - leading) * 8 - first
}

fn name_of(session: &Session, object: ObjectHandle) -> KeyName {
    let mut name = KeyName { label: None, id: None };
    for attribute in read(session, object, &[AttributeType::Label, AttributeType::Id]) {
        match attribute {
            Attribute::Label(label) => {
                name.label = Some(String::from_utf8_lossy(&label).into_owned());
            }
            Attribute::Id(id) if !id.is_empty() => name.id = Some(id),
            _ => {}
        }
    }
    name
}

fn private_keys(session: &Session) -> Vec<KeyName> {
    let any = KeyChoice { label: None, id: None };
    let keys = of_class(session, ObjectClass::PRIVATE_KEY, &any).unwrap_or_default();
    let mut names: Vec<KeyName> = keys.into_iter().map(|key| name_of(session, key)).collect();
    // Tokens list their objects in any order.
    names.sort();
    names
}

fn class_of(session: &Session, object: ObjectHandle) -> Option<ObjectClass> {
    match read(session, object, &[AttributeType::Class])[..] {
        [Attribute::Class(class)] => Some(class),
        _ => None,
    }
}

fn of_class(
    session: &Session,
    class: ObjectClass,
    choice: &KeyChoice,
) -> Result<Vec<ObjectHandle>, CryptokiError> {
    let mut wanted = template(choice);
    wanted.push(Attribute::Class(class));
    session.find_objects(&wanted)
}

fn template(choice: &KeyChoice) -> Vec<Attribute> {
    let label = choice.label.as_ref().map(|label| Attribute::Label(label.clone().into_bytes()));
    let id = choice.id.as_ref().map(|id| Attribute::Id(id.clone()));
    label.into_iter().chain(id).collect()
}

/// Returns those of the `attributes` that the object has and reveals.
fn read(session: &Session, object: ObjectHandle, attributes: &[AttributeType]) -> Vec<Attribute> {
    session.get_attributes(object, attributes).unwrap_or_default()
}

fn call(error: CryptokiError) -> Error {
    refusal::call(&error)
}
