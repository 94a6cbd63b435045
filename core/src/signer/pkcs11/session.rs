//! Sessions with a token: opened, logged in, with the key at hand.

use std::sync::Arc;
use std::time::Duration;

use cryptoki::context::Pkcs11;
use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::mechanism::{Mechanism, MechanismType};
use cryptoki::object::ObjectHandle;
use cryptoki::session::{Session, SessionState, UserType};
use cryptoki::slot::{Slot, TokenInfo};
use cryptoki::types::AuthPin;

use super::module::{self, Module};
use super::pool::Failure;
use super::{Pkcs11Key, TokenChoice, Way, key, refusal};
use crate::context::CallContext;
use crate::error::Error;
use crate::jws::PublicKey;
use crate::process::{Identity, try_lock};

/// How long to wait before asking again whether another thread's login ended.
const LOGIN_POLL: Duration = Duration::from_millis(5);

/// Opens sessions for one key.
pub(super) struct Opener {
    /// Its module is a real path.
    key: Pkcs11Key,
}

/// A session that is logged in and has found its key.
pub(super) struct OpenSession {
    session: Session,
    slot: Slot,
    key: ObjectHandle,
    module: Arc<Module>,
    epoch: u64,
    process: Identity,
}

impl Opener {
    /// Looks for the module, once: what its path leads to may change.
    pub(super) fn new(key: Pkcs11Key) -> Result<Self, Error> {
        let module = module::locate(&key.module)?;
        Ok(Self { key: Pkcs11Key { module, ..key } })
    }

    /// How many sessions there may be at once.
    pub(super) fn most(&self) -> usize {
        self.key.sessions
    }

    /// Opens a session. The token is looked for each time: it may have been
    /// taken out and put into another slot.
    pub(super) fn open(&self, context: &CallContext) -> Result<OpenSession, Failure> {
        let go_on = || context.check().map_err(|_| Failure::Ended);
        let module = module::load(&self.key.module)?;
        let functions = module.initialized()?;
        let epoch = module.epoch();
        go_on()?;
        let slot = self.find_token(functions)?;
        go_on()?;
        let session = functions.open_ro_session(slot).map_err(|error| match error {
            CryptokiError::Pkcs11(RvError::SessionCount, _) => Failure::NoSession,
            error => Failure::Refused(refusal::call(&error)),
        })?;
        go_on()?;
        self.log_in(&module, functions, slot, &session, context)?;
        let key = key::find(&session, &self.key.key)?;
        Ok(OpenSession { session, slot, key, module, epoch, process: Identity::current() })
    }

    fn find_token(&self, functions: &Pkcs11) -> Result<Slot, Error> {
        let slots = functions.get_slots_with_token().map_err(|error| refusal::call(&error))?;
        // A token that was taken out in the meantime is no error.
        let tokens: Vec<(Slot, TokenInfo)> = slots
            .into_iter()
            .filter_map(|slot| functions.get_token_info(slot).ok().map(|token| (slot, token)))
            .collect();
        let is_meant = |(slot, token): &(Slot, TokenInfo)| match &self.key.token {
            TokenChoice::Slot(number) => slot.id() == *number,
            TokenChoice::Label(label) => token.label() == label && token.token_initialized(),
        };
        let found: Vec<usize> = (0..tokens.len()).filter(|&at| is_meant(&tokens[at])).collect();
        match found[..] {
            [at] if !tokens[at].1.token_initialized() => Err(refusal::token_uninitialized(&tokens)),
            [at] => Ok(tokens[at].0),
            [] => Err(refusal::token_unknown(&self.key.token, &tokens)),
            [_, _, ..] => Err(refusal::token_ambiguous(&tokens)),
        }
    }

    /// Logs in, unless this process is: a login counts for all of its
    /// sessions with a token. One thread at a time, so that a wrong PIN costs
    /// one of the few attempts that a token grants.
    fn log_in(
        &self,
        module: &Module,
        functions: &Pkcs11,
        slot: Slot,
        session: &Session,
        context: &CallContext,
    ) -> Result<(), Failure> {
        let mut refused_pins = loop {
            match try_lock(&module.refused_pins) {
                Some(pins) => break pins,
                None => context.sleep(LOGIN_POLL).map_err(|_| Failure::Ended)?,
            }
        };
        let state = session.get_session_info().map(|info| info.session_state());
        if matches!(state, Ok(SessionState::RoUser | SessionState::RwUser)) {
            return Ok(());
        }
        // As it is now: a login that this one waited for may have spent an
        // attempt.
        let token = &functions.get_token_info(slot).map_err(|error| refusal::call(&error))?;
        let name = format!("{} {}", token.serial_number(), token.label());
        let member = self.key.pin_member;
        let pin = match &self.key.pin {
            Some(pin) if refused_pins.contains(&name, pin.expose()) => {
                return Err(refusal::pin_refused_before(member, token).into());
            }
            Some(_) if token.user_pin_locked() => {
                return Err(refusal::pin_locked(member, token).into());
            }
            Some(_) if token.user_pin_final_try() => {
                return Err(refusal::pin_last_try(member, token).into());
            }
            Some(pin) => Some(pin),
            None if !token.login_required() => return Ok(()),
            // The token has a keypad of its own, or was unlocked by a person.
            None if token.protected_authentication_path() => None,
            None => return Err(refusal::pin_missing(token).into()),
        };
        let auth_pin = pin.map(|pin| AuthPin::new(pin.expose().into()));
        match session.login(UserType::User, auth_pin.as_ref()) {
            Ok(()) | Err(CryptokiError::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(()),
            Err(error) => {
                if let (true, Some(pin)) = (is_wrong_pin(&error), pin) {
                    refused_pins.insert(&name, pin.expose());
                }
                Err(refusal::login(&error, member, token).into())
            }
        }
    }

    /// What the key is, and how it signs.
    fn examine(&self, open: &OpenSession) -> Result<(Way, Option<PublicKey>), Error> {
        let functions = open.module.initialized()?;
        let mechanisms =
            functions.get_mechanism_list(open.slot).map_err(|error| refusal::call(&error))?;
        let way = if mechanisms.contains(&MechanismType::SHA256_RSA_PKCS) {
            Way::Sha256RsaPkcs
        } else if mechanisms.contains(&MechanismType::RSA_PKCS) {
            Way::RsaPkcs
        } else {
            return Err(refusal::mechanism_missing());
        };
        let choice = &self.key.key;
        let public_key = key::examine(&open.session, open.key, choice, self.key.allow_small_keys)?;
        Ok((way, public_key))
    }
}

impl OpenSession {
    /// What the key is, and how it signs.
    pub(super) fn examine(&self, opener: &Opener) -> Result<(Way, Option<PublicKey>), Error> {
        opener.examine(self)
    }

    pub(super) fn sign(
        &self,
        mechanism: &Mechanism<'_>,
        message: &[u8],
    ) -> Result<Vec<u8>, CryptokiError> {
        self.session.sign(mechanism, self.key, message)
    }

    /// Whether its handle still means this session.
    pub(super) fn is_current(&self) -> bool {
        self.process == Identity::current() && self.epoch == self.module.epoch()
    }

    /// Closes it, if it is this process's to close: a handle of the parent, or
    /// of a time before the module was initialized anew, may be somebody
    /// else's by now.
    pub(super) fn discard(self) {
        if !self.is_current() {
            std::mem::forget(self.session);
        }
    }

    /// Lets go of it after `error`.
    pub(super) fn discard_after(self, error: &CryptokiError) {
        if is_gone(error) {
            std::mem::forget(self.session);
        } else {
            self.discard();
        }
    }

    /// Lets go of it after another session with the token failed by `error`.
    pub(super) fn discard_beside(self, error: &CryptokiError) {
        let lives = || self.is_current() && self.session.get_session_info().is_ok();
        if !is_gone(error) || (is_of_one_session(error) && lives()) {
            self.discard();
        } else {
            std::mem::forget(self.session);
        }
    }
}

/// Whether a fresh session may do better than the one that failed so.
pub(super) fn is_lost(error: &CryptokiError) -> bool {
    let CryptokiError::Pkcs11(code, _) = error else {
        return false;
    };
    is_gone(error)
        || matches!(
            code,
            RvError::UserNotLoggedIn
                | RvError::TokenNotRecognized
                | RvError::KeyHandleInvalid
                | RvError::ObjectHandleInvalid
                | RvError::OperationActive
                | RvError::OperationNotInitialized
                | RvError::DeviceError
                | RvError::FunctionFailed
                | RvError::GeneralError
        )
}

/// Whether the module has closed the session itself.
fn is_gone(error: &CryptokiError) -> bool {
    let CryptokiError::Pkcs11(code, _) = error else {
        return false;
    };
    is_of_one_session(error)
        || matches!(
            code,
            RvError::CryptokiNotInitialized | RvError::TokenNotPresent | RvError::DeviceRemoved
        )
}

/// Whether nothing is said of other sessions with the token.
fn is_of_one_session(error: &CryptokiError) -> bool {
    matches!(
        error,
        CryptokiError::Pkcs11(RvError::SessionHandleInvalid | RvError::SessionClosed, _)
    )
}

fn is_wrong_pin(error: &CryptokiError) -> bool {
    let CryptokiError::Pkcs11(code, _) = error else {
        return false;
    };
    matches!(code, RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange)
}
