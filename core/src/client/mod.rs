//! The client. Every operation takes the same path through it.
//!
//! - `call.rs`: one call from its draft to its response: a chain of values, of
//!   which each can only become the next
//! - `driver.rs`: begins and ends it, and keeps what outlives a panic
//! - `auth.rs`: which credential goes where; the one serialization
//! - `credentials.rs`: the credentials that a client and its calls must have,
//!   and those that the service accepted
//! - `outcome.rs`: the meaning of a response, or of none
//! - `unauthorized.rs`: the step after a 401, or its meaning in the light of what
//!   the client knows
//! - `intent.rs`, `journaling.rs`, `unrecorded.rs`: the journal within a call,
//!   and ends that it does not have yet
//! - `found.rs`: an entry for a payment that a query found
//! - `stores.rs`, `servers.rs`: the token store and the cache of a client, and
//!   the Redis servers that clients share
//! - `shared.rs`: clients that outlive their callers
//! - `inside.rs`: the work of `payments-host` with a client beyond its calls,
//!   under the guards of a call
//! - `generated.rs`: a method for each operation

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use payments_base::debug_shows;
use payments_base::reentrancy::{Callback, Reentrancy, ReentrancyGuard};
use payments_base::standard_streams;
use payments_transport::context::{CallContext, CancelHandle, Ended, InterruptHook};
use payments_transport::inside::guarded;
use payments_transport::{HttpTransport, PreparedRequest, Transport};

use crate::config::log::StderrLog;
use crate::config::{Components, Config, Loaded, Resolved};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::observer::{Event, EventKind, Observer, Subject};
use crate::model::operation::Operation;
use crate::model::request::{Draft, RawRequest, RawResponse, Request, TypedResponse};
use crate::model::response::CallResponse;
use crate::model::rules::Rules;
use crate::token::{Clock, Dependencies, Token, TokenManager, TokenStatus};

mod auth;
mod call;
mod credentials;
mod driver;
mod found;
mod generated;
mod inside;
mod intent;
mod journaling;
pub(crate) mod outcome;
#[cfg(feature = "redis")]
mod servers;
mod shared;
mod stores;
mod unauthorized;
mod unrecorded;

use auth::Signing;
use credentials::History;
use driver::Driver;
pub use driver::looks_like_hash;
pub use journaling::ClientJournal;

/// Talks to the service for one merchant.
///
/// Make one client and use it for all calls, from any number of threads. It
/// holds the parsed key, the bearer token and the open connections; clones
/// share them. A client made before `fork` works after it: each process has its
/// own connections, locks and parsed key.
///
/// ```no_run
/// use payments_core::{Client, Config, CreatePayment, Payment};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::new(Config::from_file("payments.json")?)?;
/// let payment = Payment {
///     name: "Maria Souza".into(),
///     email: "maria@example.com".into(),
///     country: "br".into(),
///     payment_type_code: "pix".into(),
///     merchant_payment_code: "order-1001".into(),
///     currency_code: "BRL".into(),
///     amount_total: "100.10".parse()?,
///     document: Some("853.513.468-93".into()),
///     ..Payment::default()
/// };
/// let response = client.create_payment(&CreatePayment::new(payment))?;
/// println!("{}", response.qr_code_value().unwrap_or("no code: query the payment"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client(Arc<Inner>);

/// A call that has begun.
struct Begun {
    /// It belongs to this process.
    context: CallContext,
    /// The subject of its events, if anybody hears them.
    subject: Option<Subject>,
}

struct Inner {
    settings: Resolved,
    signing: Option<Arc<Signing>>,
    transport: Arc<dyn Transport>,
    tokens: Option<TokenManager>,
    journal: Option<ClientJournal>,
    history: History,
    clock: Arc<dyn Clock>,
    reentrancy: Reentrancy,
}

impl Client {
    /// Checks the configuration, reads its files and parses the key. It
    /// connects to nothing.
    ///
    /// A configuration without any credential is refused, unless it has a
    /// journal: such a client can work with the journal, but makes no calls.
    ///
    /// Within a process, all clients with the same `auth_url`, client id,
    /// client secret and token store share one token, one token request at a
    /// time, and one backoff. Each client uses its own transport and deadline
    /// to fetch the token. A client with a custom [token
    /// store](Config::token_store) or [clock](Config::clock) shares none of
    /// this.
    ///
    /// # Errors
    /// `config`, which names the member.
    pub fn new(config: Config) -> Result<Self, Error> {
        Self::assemble(config.load()?, None, None, Arc::clone)
    }

    /// Makes a client from a loaded configuration, on an existing `transport`
    /// and with the parsed key of another client of the same configuration, if
    /// they are given. A new transport is passed to `share`, which may return
    /// one that another thread made meanwhile.
    pub(crate) fn assemble(
        loaded: Loaded,
        transport: Option<Arc<HttpTransport>>,
        signing: Option<Arc<Signing>>,
        share: impl FnOnce(&Arc<HttpTransport>) -> Arc<HttpTransport>,
    ) -> Result<Self, Error> {
        let mut settings = loaded.resolve()?;
        let logs = [settings.components.stderr_log, StderrLog::of_environment()];
        settings.components.stderr_log = logs.into_iter().flatten().min();
        let signing = match signing {
            Some(signing) if settings.components.signer.is_none() => Some(signing),
            _ => credentials::signing_of(&settings)?.map(Arc::new),
        };
        credentials::check_overrides(&settings, signing.is_some())?;
        credentials::check_client(&settings, signing.is_some())?;
        let tokens = stores::token_manager(&settings)?;
        let journal = ClientJournal::of(&settings)?;
        let transport: Arc<dyn Transport> = match (&settings.components, transport) {
            (Components { transport: Some(transport), .. }, _) => Arc::clone(transport),
            // A transport keeps the lookup that it was made with.
            (Components { lookup: Some(_), .. }, _) => Arc::new(settings.http_transport()?),
            (_, Some(transport)) => transport,
            (_, None) => share(&Arc::new(settings.http_transport()?)),
        };
        let clock = settings.clock();
        Ok(Self(Arc::new(Inner {
            settings,
            signing,
            transport,
            tokens,
            journal,
            history: History::default(),
            clock,
            reentrancy: Reentrancy::default(),
        })))
    }

    /// The address of the service.
    pub fn base_url(&self) -> &str {
        &self.0.settings.base_url
    }

    /// The key id used for signing, or `None` if requests are not signed.
    pub fn kid(&self) -> Option<&str> {
        self.0.signing.as_deref().map(Signing::kid)
    }

    /// A context with this client's deadline, for the `…_with` methods.
    pub fn context(&self) -> CallContext {
        CallContext::with_timeout(self.timeout())
    }

    /// The deadline of its calls.
    #[doc(hidden)]
    pub fn timeout(&self) -> Duration {
        self.0.settings.options.timeout
    }

    /// Like [`context`](Self::context), with a cancel handle and an interrupt
    /// hook.
    pub fn context_with(
        &self,
        cancel: CancelHandle,
        interrupt: Option<InterruptHook>,
    ) -> CallContext {
        CallContext::new(self.timeout(), cancel, interrupt)
    }

    /// Sends your own bytes to any path under the base URL, signed and
    /// unchanged.
    ///
    /// # Errors
    /// Every kind.
    pub fn send(&self, request: &RawRequest) -> Result<RawResponse, Error> {
        self.execute(request, &self.context())
    }

    /// Returns a valid bearer token: the cached one or a new one.
    ///
    /// # Errors
    /// `token` if none could be obtained, `config` without client credentials,
    /// `timeout` or `cancelled`.
    pub fn access_token(&self, context: &CallContext) -> Result<Token, Error> {
        let _entered = self.enter(Operation::AccessToken)?;
        let Begun { context, subject } = &self.begun(context, None);
        let observe = |event: &EventKind<'_>| self.observe(context, subject.as_ref(), event);
        let token = self.tokens()?.token(context, self.dependencies(&observe)).and_then(|token| {
            context.check_cancelled()?;
            Ok(Arc::unwrap_or_clone(token))
        });
        context
            .unless_forked(token)
            .map_err(|error| error.with_operation(Operation::AccessToken, None))
    }

    /// Returns what is known of the bearer token. Does not request one.
    ///
    /// # Errors
    /// `config` without client credentials, `cancelled` in a process that the
    /// token store forked.
    pub fn token_status(&self, context: &CallContext) -> Result<TokenStatus, Error> {
        let _entered = self.enter(Operation::AccessToken)?;
        let Begun { context, subject } = &self.begun(context, None);
        let observe = |event: &EventKind<'_>| self.observe(context, subject.as_ref(), event);
        context.unless_forked(Ok(self.tokens()?.status(context, self.dependencies(&observe))))
    }

    /// Drops the bearer token from this process and from the token store, and the
    /// next call requests another one. Use it for a token that the service
    /// refuses although it has not expired. Pauses and counts stay as they are,
    /// and that request counts like one after a 401. Other processes continue
    /// with the token while they hold it.
    ///
    /// # Errors
    /// `config` without client credentials, `token` if the token store does not
    /// work, `timeout` or `cancelled`.
    pub fn forget_token(&self, context: &CallContext) -> Result<(), Error> {
        let _entered = self.enter(Operation::AccessToken)?;
        let Begun { context, subject } = &self.begun(context, None);
        let observe = |event: &EventKind<'_>| self.observe(context, subject.as_ref(), event);
        let forgotten = self.tokens()?.forget(context, self.dependencies(&observe));
        context
            .unless_forked(forgotten)
            .map_err(|error| error.with_operation(Operation::AccessToken, None))
    }

    /// Prepares for the next call, which then takes one round trip: obtains the
    /// token, if the client has credentials for one, and opens a connection to
    /// the service, which stays open for up to 4 s of idleness. Sends nothing to
    /// the service.
    ///
    /// # Errors
    /// Those of [`access_token`](Self::access_token); `connect`, `tls` or
    /// `timeout` without a connection. Calls can still be made.
    pub fn warm_up(&self, context: &CallContext) -> Result<(), Error> {
        let context = &context.begun();
        if self.0.tokens.is_some() {
            self.access_token(context)?;
        }
        let _entered = self.enter(Operation::AccessToken)?;
        let Inner { transport, settings, .. } = &*self.0;
        let warmed = guarded(context, || transport.warm_up(context, &settings.base_url))
            .map_err(|failure| outcome::error_of_failure(failure, Outcome::NotExecuted));
        context.unless_forked(warmed)
    }

    /// Does everything but send the request. Returns method, URL, headers and
    /// the exact body, for your own HTTP client. It may fetch a bearer
    /// token.
    ///
    /// The request has no journal and no protection against a second payment:
    /// sending it twice, as an HTTP client may do on its own, can pay twice. It
    /// has no outcome: the library does not learn whether it was sent or
    /// executed.
    ///
    /// # Errors
    /// `validation`, `signing`, `token`, `timeout`, `cancelled`.
    pub fn prepare<R: Request>(
        &self,
        request: &R,
        context: &CallContext,
    ) -> Result<PreparedRequest, Error> {
        let draft = request.draft(self.rules())?;
        let _entered = self.enter(draft.operation)?;
        let mut driver = Driver::new(self, &draft, self.begun_for(&draft, context));
        call::prepare(&mut driver, draft).map_err(|error| driver.named(error))
    }

    /// The members of a response about its operation.
    #[doc(hidden)]
    pub fn outcome_of(&self, response: &impl TypedResponse) -> Outcome {
        response.outcome(self.rules())
    }

    /// Has the key sign once, and verifies the signature as far as the public key
    /// is known. Does nothing without a signer.
    ///
    /// # Errors
    /// The key cannot sign.
    #[doc(hidden)]
    pub fn try_signature(&self, context: &CallContext) -> Result<(), Error> {
        self.0.signing.as_ref().map_or(Ok(()), |signing| signing.try_once(context))
    }

    /// The credentials that requests of an operation carry, in words.
    #[doc(hidden)]
    pub fn credentials_of(&self, operation: Operation) -> String {
        let Inner { settings, signing, .. } = &*self.0;
        let has_body = settings.rules.method_of(operation) != "GET";
        auth::choose(settings, signing.is_some(), operation, has_body).in_words(has_body)
    }

    /// The rules for requests.
    #[doc(hidden)]
    pub fn rules(&self) -> &Rules {
        &self.0.settings.rules
    }

    /// Performs any request within your context.
    ///
    /// # Errors
    /// Those of the operation's own method.
    pub fn execute<R: Request>(
        &self,
        request: &R,
        context: &CallContext,
    ) -> Result<R::Response, Error> {
        let rules = self.rules();
        let draft = request.draft(rules)?;
        let _entered = self.enter(draft.operation)?;
        let driver = Driver::new(self, &draft, self.begun_for(&draft, context));
        driver.run(draft, |driver, draft| {
            call::send(driver, draft)?.read(|response| request.read_response(response, rules))
        })
    }

    /// Turns the result of a cancelled call into `cancelled`. The error carries
    /// the response or the failure. If the call returned normally, a cancelled
    /// task could continue and make its next payment.
    fn unless_cancelled<A: TypedResponse>(
        &self,
        result: Result<A, Error>,
        context: &CallContext,
    ) -> Result<A, Error> {
        // A hook that panics must not cost the response.
        let ended = catch_unwind(AssertUnwindSafe(|| context.ended()));
        if !matches!(ended, Ok(Some(Ended::Cancelled))) {
            return result;
        }
        match result {
            Ok(response) => Err(self.interrupted(response.into_call_response())),
            Err(error) => Err(error.into_cancelled()),
        }
    }

    /// The error of a call that was cancelled after its response was complete.
    #[doc(hidden)]
    pub fn interrupted(&self, mut response: CallResponse) -> Error {
        response.raw = response.raw.bounded(self.rules().max_response_values);
        let message = "the call was cancelled when its response was complete; read the response in this error";
        let outcome = self.outcome_of(&response);
        Error::new(ErrorKind::Cancelled, outcome, ErrorCode::INTERRUPTED_AFTER_RESPONSE, message)
            .with_response(response)
            .without_texts(|text| self.is_secret(text))
    }

    fn tokens(&self) -> Result<&TokenManager, Error> {
        let message = "required for a bearer token, with client_secret and auth_url";
        let missing = || Error::required("client_id", message);
        self.0.tokens.as_ref().ok_or_else(missing)
    }

    fn dependencies<'a>(&'a self, observe: &'a dyn Fn(&EventKind<'_>)) -> Dependencies<'a> {
        Dependencies { transport: &*self.0.transport, clock: &*self.0.clock, observe }
    }

    /// Calls the observer, unless this is a forked child. A panic in it does not
    /// fail the call.
    fn observe(&self, context: &CallContext, subject: Option<&Subject>, event: &EventKind<'_>) {
        let Some(subject) = subject else { return };
        let event = Event::new(subject, event);
        for observer in self.observers() {
            let observing = || context.callback(|| observer.on_event(&event));
            let _ = catch_unwind(AssertUnwindSafe(observing));
        }
    }

    /// A call that begins, whose events are about `draft`.
    fn begun_for(&self, draft: &Draft, context: &CallContext) -> Begun {
        let hash = draft.payment_hash();
        let reference = draft.reference.as_deref().filter(|it| Some(*it) != hash);
        let begun = self.begun(context, reference);
        if let (Some(subject), Some(hash)) = (&begun.subject, hash) {
            subject.note_hash(hash);
        }
        begun
    }

    fn begun(&self, context: &CallContext, reference: Option<&str>) -> Begun {
        let is_observed = self.observers().next().is_some();
        let shown = reference.filter(|_| self.0.settings.options.log_references);
        let subject = is_observed.then(|| Subject::next(shown.map(str::to_owned)));
        Begun { context: context.begun(), subject }
    }

    fn observers(&self) -> impl Iterator<Item = &dyn Observer> {
        let Components { observer, process_log, stderr_log, .. } = &self.0.settings.components;
        let stderr = stderr_log.as_ref().map(|log| log as &dyn Observer);
        stderr.into_iter().chain(*process_log).chain(observer.as_deref())
    }

    /// Whether the configuration holds `text` as a secret.
    #[doc(hidden)]
    pub fn is_secret(&self, text: &str) -> bool {
        self.0.settings.is_secret(text)
    }

    /// Refuses a call from within one of this client's own callbacks.
    fn enter(&self, operation: Operation) -> Result<ReentrancyGuard, Error> {
        // For what signers, stores and modules of HSMs open by themselves.
        standard_streams::occupy();
        self.0.reentrancy.enter().map_err(|callback| {
            let message = match callback {
                Callback::InterruptHook => {
                    "a signal handler called the client whose call it interrupts; use a separate \
                     client there, or call this one after the interrupted call"
                }
                Callback::Other => {
                    "a signer, token store, observer or transport, or a signal handler that \
                     interrupted it, called the client that it serves; use a separate client there"
                }
            };
            let (kind, code) = (ErrorKind::Config, ErrorCode::REENTRANT_CALL);
            Error::new(kind, Outcome::NotExecuted, code, message).with_operation(operation, None)
        })
    }
}

debug_shows!(Client, |it| base_url = it.base_url(), kid = it.kid());
