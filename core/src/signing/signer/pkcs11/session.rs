//! Sessions with a token: open, logged in, and with the key found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cryptoki::context::Pkcs11;
use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::ObjectHandle;
use cryptoki::session::{Session, SessionState, UserType};
use cryptoki::slot::{Slot, TokenInfo};
use cryptoki::types::AuthPin;
use payments_base::process::{ForkGuard, lock};
use payments_base::secret::Secret;
use payments_transport::context::{CallContext, Stopped};
use sha2::{Digest as _, Sha256};

use super::key::{self, KeyFacts};
use super::module::{self, Module};
use super::{Pkcs11Key, TokenChoice, Way, refusal, unpadded};
use crate::model::error::{Error, ErrorCode, messages};

/// Opens sessions for one key.
pub(super) struct Opener {
    /// Contains the resolved path of the module.
    pub(super) key: Pkcs11Key,
    /// Whether the key was found before: if it is not found now, it is gone.
    was_found: AtomicBool,
}

/// A logged-in session with its key.
pub(super) struct OpenSession {
    session: ForkGuard<Session>,
    slot: Slot,
    key: ObjectHandle,
    module: Arc<Module>,
    epoch: u64,
}

/// Why no session is available.
pub(super) enum SessionFailure {
    /// The token has no sessions left for any program.
    NoSession,
    /// Any other failure, or the end of the call.
    Refused(Error),
}

impl Opener {
    /// Resolves the module's path once, since the path may later refer to
    /// another file.
    pub(super) fn new(key: Pkcs11Key) -> Result<Self, Error> {
        let module = module::locate(&key.module)?;
        Ok(Self { key: Pkcs11Key { module, ..key }, was_found: AtomicBool::new(false) })
    }

    /// The maximum number of sessions.
    pub(super) fn most(&self) -> usize {
        self.key.sessions
    }

    /// Opens a session. Searches for the token each time, since it may have
    /// moved to another slot.
    pub(super) fn open(&self, context: &CallContext) -> Result<OpenSession, SessionFailure> {
        let module = module::load(&self.key.module)?;
        let functions = module.initialized()?;
        let epoch = module.epoch();
        context.check()?;
        let slot = self.find_token(functions)?;
        context.check()?;
        let session = functions.open_ro_session(slot).map_err(|error| match error {
            CryptokiError::Pkcs11(RvError::SessionCount, _) => SessionFailure::NoSession,
            error => SessionFailure::Refused(refusal::call(&error)),
        })?;
        let session = ForkGuard::new(session);
        context.check()?;
        self.log_in(&module, functions, slot, &session, context)?;
        let key = key::find(&session, &self.key.key, self.was_found())?;
        self.was_found.store(true, Ordering::Relaxed);
        Ok(OpenSession { session, slot, key, module, epoch })
    }

    fn find_token(&self, functions: &Pkcs11) -> Result<Slot, Error> {
        let slots = functions.get_slots_with_token().map_err(|error| refusal::call(&error))?;
        // A token may have been removed in the meantime.
        let tokens: Vec<(Slot, TokenInfo)> = slots
            .into_iter()
            .filter_map(|slot| functions.get_token_info(slot).ok().map(|token| (slot, token)))
            .collect();
        let is_meant = |(slot, token): &(Slot, TokenInfo)| match &self.key.token {
            TokenChoice::Slot(number) => slot.id() == *number,
            TokenChoice::Label(label) => {
                unpadded(token.label()) == unpadded(label) && token.token_initialized()
            }
        };
        let found: Vec<usize> = (0..tokens.len()).filter(|&at| is_meant(&tokens[at])).collect();
        match found[..] {
            [at] if tokens[at].1.token_initialized() => Ok(tokens[at].0),
            [] if self.was_found() => Err(refusal::token_gone(&self.key.token, &tokens)),
            _ => Err(refusal::token(&self.key.token, found.len(), &tokens)),
        }
    }

    fn was_found(&self) -> bool {
        self.was_found.load(Ordering::Relaxed)
    }

    /// Logs in, unless this process already is: a login applies to all of its
    /// sessions with a token. Only one thread tries at a time, since each wrong
    /// PIN uses up one of the few attempts.
    fn log_in(
        &self,
        module: &Module,
        functions: &Pkcs11,
        slot: Slot,
        session: &Session,
        context: &CallContext,
    ) -> Result<(), SessionFailure> {
        let permit = module.logins.acquire(1, context);
        let _permit = permit.map_err(|ended| context.stopped(ended))?;
        let state = session.get_session_info().map(|info| info.session_state());
        if matches!(state, Ok(SessionState::RoUser | SessionState::RwUser)) {
            return Ok(());
        }
        // Read again here: while this thread waited, another login may have
        // used up an attempt.
        let token = functions.get_token_info(slot).map_err(|error| refusal::call(&error))?;
        if self.key.pin.is_none() && !token.login_required() {
            return Ok(());
        }
        let name = format!("{} {}", token.serial_number(), token.label());
        let pin = self.pin_for(&token, |pin| lock(&module.refused_pins).contains(&name, pin))?;
        let auth_pin = pin.map(|pin| AuthPin::new(pin.expose().into()));
        match session.login(UserType::User, auth_pin.as_ref()) {
            Ok(()) | Err(CryptokiError::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(()),
            Err(error) => {
                if let (true, Some(pin)) = (is_wrong_pin(&error), pin) {
                    lock(&module.refused_pins).insert(&name, pin.expose());
                }
                Err(refusal::login(&error, &self.key.pin_member, unpadded(token.label())).into())
            }
        }
    }

    /// The PIN to try, unless that could lock the token. `None` for a token that
    /// has its own keypad, or was unlocked by hand.
    fn pin_for(
        &self,
        token: &TokenInfo,
        was_refused: impl FnOnce(&str) -> bool,
    ) -> Result<Option<&Secret>, Error> {
        let (member, label) = (self.key.pin_member.as_str(), unpadded(token.label()));
        let Some(pin) = &self.key.pin else {
            return if token.protected_authentication_path() {
                Ok(None)
            } else {
                Err(messages::pkcs11_pin_missing(label))
            };
        };
        if was_refused(pin.expose()) {
            let message = format!(
                "the token {label:?} refused this PIN before; it is not tried again, since wrong \
                 PINs lock the token; set the correct PIN and restart"
            );
            return Err(Error::config(member, ErrorCode::PKCS11_PIN_WRONG, message));
        }
        if token.user_pin_locked() {
            return Err(messages::pkcs11_pin_locked(member, label));
        }
        if token.user_pin_final_try() {
            return Err(messages::pkcs11_pin_last_try(member, label));
        }
        Ok(Some(pin))
    }

    /// The facts about the key: from the token's mechanisms, and from its own
    /// attributes. Returns the ways in which it may sign.
    pub(super) fn examine(&self, open: &OpenSession) -> Result<(KeyFacts, Vec<Way>), Error> {
        let functions = open.module.initialized()?;
        let mut ways = offered(functions, open.slot);
        if ways.is_empty() {
            return Err(messages::pkcs11_mechanism_missing());
        }
        let small = self.key.allow_small_keys;
        let mut key = key::examine(&open.session, open.key, &self.key.key, small)?;
        if !key.allowed.is_empty() {
            ways.retain(|way| key.allowed.contains(&way.mechanism_type()));
        }
        if ways.is_empty() {
            return Err(refusal::key_restricted(&self.key.key, &key.allowed));
        }
        let token = functions.get_token_info(open.slot).map_err(|error| refusal::call(&error))?;
        let digest = [token.manufacturer_id(), token.serial_number(), token.label()]
            .into_iter()
            .fold(Sha256::new(), |digest, part| digest.chain_update(part).chain_update([0]));
        key.digest = digest.chain_update(key.digest).finalize().into();
        Ok((key, ways))
    }
}

/// The ways in which the token signs, by its own account. A token that does not
/// list its mechanisms, or says nothing about one, may still sign with it.
fn offered(functions: &Pkcs11, slot: Slot) -> Vec<Way> {
    let listed = functions.get_mechanism_list(slot).ok();
    let is_offered = |way: &Way| {
        let mechanism = way.mechanism_type();
        listed.as_ref().is_none_or(|listed| listed.contains(&mechanism))
            && functions.get_mechanism_info(slot, mechanism).map_or(true, |it| it.sign())
    };
    Way::ALL.into_iter().filter(is_offered).collect()
}

impl OpenSession {
    pub(super) fn module(&self) -> &Arc<Module> {
        &self.module
    }

    pub(super) fn sign(
        &self,
        mechanism: &Mechanism<'_>,
        message: &[u8],
    ) -> Result<Vec<u8>, CryptokiError> {
        self.session.sign(mechanism, self.key, message)
    }

    /// Whether the handle still refers to this session.
    pub(super) fn is_current(&self) -> bool {
        self.session.is_of_this_process() && self.epoch == self.module.epoch()
    }

    /// Closes the session if its handle belongs to this process and
    /// initialization. Otherwise the handle may now refer to another session.
    pub(super) fn discard(self) {
        if !self.is_current() {
            std::mem::forget(self.session);
        }
    }

    /// Closes the session after `error`.
    pub(super) fn discard_after(self, error: &CryptokiError) {
        if is_gone(error) {
            std::mem::forget(self.session);
        } else {
            self.discard();
        }
    }

    /// Closes the session after another session with the token failed with
    /// `error`.
    pub(super) fn discard_beside(self, error: &CryptokiError) {
        let lives = || self.is_current() && self.session.get_session_info().is_ok();
        if !is_gone(error) || (is_of_one_session(error) && lives()) {
            self.discard();
        } else {
            std::mem::forget(self.session);
        }
    }
}

/// Whether a new session may work after this error.
pub(super) fn is_lost(error: &CryptokiError) -> bool {
    use RvError as Code;

    let is_of_login_or_device = matches!(
        error,
        CryptokiError::Pkcs11(
            Code::UserNotLoggedIn
                | Code::TokenNotRecognized
                | Code::KeyHandleInvalid
                | Code::ObjectHandleInvalid
                | Code::OperationActive
                | Code::OperationNotInitialized
                | Code::DeviceError
                | Code::FunctionFailed
                | Code::GeneralError,
            _
        )
    );
    is_of_login_or_device || is_gone(error)
}

/// Whether the module has already closed the session.
fn is_gone(error: &CryptokiError) -> bool {
    use RvError::{CryptokiNotInitialized, DeviceRemoved, TokenNotPresent};

    let is_of_all = matches!(
        error,
        CryptokiError::Pkcs11(CryptokiNotInitialized | TokenNotPresent | DeviceRemoved, _)
    );
    is_of_all || is_of_one_session(error)
}

/// Whether the error says nothing about other sessions with the token.
fn is_of_one_session(error: &CryptokiError) -> bool {
    use RvError::{SessionClosed, SessionHandleInvalid};

    matches!(error, CryptokiError::Pkcs11(SessionHandleInvalid | SessionClosed, _))
}

fn is_wrong_pin(error: &CryptokiError) -> bool {
    use RvError::{PinIncorrect, PinInvalid, PinLenRange};

    matches!(error, CryptokiError::Pkcs11(PinIncorrect | PinInvalid | PinLenRange, _))
}

impl From<SessionFailure> for Error {
    fn from(failure: SessionFailure) -> Self {
        match failure {
            SessionFailure::NoSession => messages::pkcs11_no_session(),
            SessionFailure::Refused(error) => error,
        }
    }
}

impl From<Stopped> for SessionFailure {
    fn from(stopped: Stopped) -> Self {
        Self::Refused(stopped.into())
    }
}

impl From<Error> for SessionFailure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}
