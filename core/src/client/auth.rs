//! Adds credentials to requests. Not stated in the interface: which operation
//! needs which. All configured credentials are sent unless an operation
//! overrides that.

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use payments_base::process::{PerProcess, lock, try_lock};
use payments_base::secret::Secret;
use payments_transport::PreparedRequest;
use payments_transport::context::{CallContext, Ended};
use payments_transport::inside::{ACCEPT_ENCODING, Semaphore, SignedBody, USER_AGENT};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use zeroize::Zeroize as _;

use crate::config::{KeyPlacement, Resolved, SignedQuery};
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;
use crate::model::request::{Draft, DraftBody};
use crate::signing::jws::{PublicKey, sign};
use crate::signing::signer::{self, Signer, SigningInput};
use crate::token::Token;

pub(crate) const INTEGRATION_KEY: &str = "integration_key";
pub(crate) const SIGNATURE_HEADER: &str = "x-jws-signature";
/// The unreserved characters of RFC 3986, which stay unencoded in a query.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The calls of this process that sign with a local key, of all clients.
///
/// A signature takes a core for milliseconds. More signatures at a time finish
/// no sooner: they keep the host's own threads from running, and calls overtake
/// each other.
static SIGNING: LazyLock<Semaphore> = LazyLock::new(Semaphore::default);

/// How many calls sign at a time by default. With one per core, a core idles
/// while the next thread wakes up, which costs a sixth of the throughput; with
/// two, some of it.
const SIGNING_PER_CORE: usize = 3;

/// The credentials of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    pub(crate) integration_key: bool,
    pub(crate) signature: Option<Covered>,
    pub(crate) bearer: bool,
}

impl Chosen {
    /// The credentials in words, each with its place.
    pub(crate) fn in_words(self, has_body: bool) -> String {
        let key =
            if has_body { "integration_key in the body" } else { "integration_key in the query" };
        let signature = self.signature.map(|covered| match covered {
            Covered::Body => "a signature of the body",
            Covered::Nothing => "a signature of the empty payload",
            Covered::Query => "a signature of the query",
        });
        let parts = [
            self.integration_key.then_some(key),
            signature,
            self.bearer.then_some("a bearer token"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        if parts.is_empty() { "no credential".to_owned() } else { parts.join(", ") }
    }
}

/// The payload of a signature. Not stated in the interface for a request without
/// a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Covered {
    Body,
    Nothing,
    /// The query string as sent.
    Query,
}

/// Signs requests, and caches the signature over the empty payload.
pub(crate) struct Signing {
    signer: Arc<dyn Signer>,
    kind: SignerKind,
    /// The encoded header of every signature.
    header: String,
    /// The token over an empty payload, which is the same for every GET.
    empty: PerProcess<Mutex<Option<Secret>>>,
}

/// The kinds of signers, by how their use is limited and their signatures are
/// checked.
enum SignerKind {
    /// With a local key, at most `limit` calls sign at a time. Its library checks
    /// its own signatures.
    Local { limit: usize },
    /// An external signer has its own limits. Its signatures are verified.
    External { verify_with: PublicKey },
    /// Like `External`, but only the length of a signature can be checked, which may
    /// be that of a small key.
    Unverified { allow_small_keys: bool },
}

impl Signing {
    /// Signs with a local key, whose library checks its own signatures. At most
    /// `threads` calls sign at a time, by default [`SIGNING_PER_CORE`] for each
    /// core.
    pub(crate) fn local(signer: Arc<dyn Signer>, threads: Option<NonZeroUsize>) -> Self {
        // Respects the scheduler's affinity and the quota of a control group.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let limit = threads.map_or(cores * SIGNING_PER_CORE, NonZeroUsize::get);
        Self::new(signer, SignerKind::Local { limit })
    }

    /// Signs with an external signer. The configured `public_key` takes
    /// precedence over the signer's. Without either, only the length of a
    /// signature can be checked.
    pub(crate) fn external(
        signer: Arc<dyn Signer>,
        public_key: Option<PublicKey>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        signer::check_kid(signer.kid())?;
        let verify_with = public_key.or_else(|| signer.public_key().cloned());
        let kind = match verify_with {
            Some(verify_with) => SignerKind::External { verify_with },
            None => SignerKind::Unverified { allow_small_keys },
        };
        Ok(Self::new(signer, kind))
    }

    fn new(signer: Arc<dyn Signer>, kind: SignerKind) -> Self {
        Self {
            header: sign::encoded_header(signer.kid()),
            signer,
            kind,
            empty: PerProcess::new(Mutex::new(None), |parent| {
                Mutex::new(try_lock(parent).and_then(|token| token.clone()))
            }),
        }
    }

    /// Whether every signature is verified when it is made.
    pub(crate) fn is_verified(&self) -> bool {
        !matches!(self.kind, SignerKind::Unverified { .. })
    }

    pub(crate) fn kid(&self) -> &str {
        self.signer.kid()
    }

    /// After a 401, drops a cached signature that was never verified.
    pub(crate) fn note_refused(&self) {
        if !self.is_verified() {
            *lock(&self.empty.get()) = None;
        }
    }

    /// The token for `body`, which begins with the header and a period.
    fn token(&self, context: &CallContext, body: &SignedBody) -> Result<Secret, Error> {
        let is_empty = body.payload().is_empty();
        if is_empty && let Some(token) = lock(&self.empty.get()).clone() {
            return Ok(token);
        }
        let input = body.signing_input().unwrap_or_default();
        let signature = self.sign(context, input)?;
        let token = Secret::new(sign::token(&self.header, &signature));
        if is_empty {
            *lock(&self.empty.get()) = Some(token.clone());
        }
        Ok(token)
    }

    /// Signs a text that is no request, and verifies the signature if the public
    /// key is known.
    pub(crate) fn try_once(&self, context: &CallContext) -> Result<(), Error> {
        let input = b"a signature that was tried";
        let signature = self.sign(context, input)?;
        match self.signer.public_key() {
            Some(key) if !key.verifies(input, &signature) => Err(Error::new(
                ErrorKind::Signing,
                Outcome::NotExecuted,
                ErrorCode::SIGNATURE_INVALID,
                "the signature does not verify with the public key in the private key; restore the \
                 key from a good copy",
            )),
            _ => Ok(()),
        }
    }

    fn sign(&self, context: &CallContext, input: &[u8]) -> Result<Vec<u8>, Error> {
        let failed = |code, message: &str| {
            Error::new(ErrorKind::Signing, Outcome::NotExecuted, code, message)
        };
        let input_of_signer = SigningInput::new(input);
        let _permit = match self.kind {
            SignerKind::Local { limit } => {
                let permit = SIGNING.acquire(limit, context);
                Some(permit.map_err(|ended| ended_before_signing(context, ended))?)
            }
            SignerKind::External { .. } | SignerKind::Unverified { .. } => None,
        };
        let signing = || context.callback(|| self.signer.sign(context, &input_of_signer));
        let signature = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(signing)) {
            Ok(Ok(Ok(signature))) => signature,
            Ok(Err(ended)) => return Err(context.stopped(ended).into()),
            // A signer that was waiting when the call ended did not fail.
            Ok(Ok(Err(error))) => {
                context.check()?;
                let message = format!("could not sign the request: {error}");
                return Err(failed(ErrorCode::SIGNER_FAILED, &message).with_source(error));
            }
            Err(_) => {
                return Err(failed(
                    ErrorCode::SIGNER_FAILED,
                    "the signer panicked; fix the signer",
                ));
            }
        };
        let invalid = |message: &str| Err(failed(ErrorCode::SIGNATURE_INVALID, message));
        match &self.kind {
            SignerKind::External { verify_with } if !verify_with.verifies(input, &signature) => {
                invalid(
                    "the external signer's signature does not verify with the public key; check \
                     that the two belong together and that the signer uses RSASSA-PKCS1-v1_5 with \
                     SHA-256",
                )
            }
            SignerKind::Unverified { allow_small_keys }
                if !signer::is_signature_length(signature.len(), *allow_small_keys) =>
            {
                invalid(&format!(
                    "the external signer returned {} bytes; return the raw RS256 signature, which \
                     has 512 bytes with the 4096-bit key that the service requires; for a smaller \
                     key, set allow_small_keys",
                    signature.len()
                ))
            }
            _ => Ok(signature),
        }
    }
}

fn ended_before_signing(context: &CallContext, ended: Ended) -> Error {
    match ended {
        Ended::Cancelled | Ended::Forked => context.stopped(ended).into(),
        Ended::Deadline => Error::new(
            ErrorKind::Timeout,
            Outcome::of_record(context.may_have_sent()),
            ErrorCode::DEADLINE_PASSED,
            "the deadline of the call passed while it waited for other calls to sign; make fewer \
             calls at a time, give the process more cores, or raise `timeout_ms`",
        ),
    }
}

/// The credentials of a request of `operation` under this configuration. `auth`
/// decides about an operation, `signed_query` about requests without a body.
pub(crate) fn choose(
    settings: &Resolved,
    has_signer: bool,
    operation: Operation,
    has_body: bool,
) -> Chosen {
    let wanted = settings.options.auth.get(&operation).copied().unwrap_or_default();
    let covered = match settings.options.signed_query {
        _ if has_body => Some(Covered::Body),
        SignedQuery::Empty => Some(Covered::Nothing),
        SignedQuery::Query => Some(Covered::Query),
        SignedQuery::None => None,
    };
    Chosen {
        integration_key: settings.integration_key.is_some()
            && operation != Operation::Send
            && wanted.integration_key.unwrap_or(true),
        signature: covered.filter(|_| has_signer && wanted.signature.unwrap_or(true)),
        bearer: settings.credentials.is_some() && wanted.bearer.unwrap_or(true),
    }
}

/// Prepares everything but the bearer token. Also returns how long signing took.
pub(crate) fn signed_request(
    settings: &Resolved,
    signing: Option<&Signing>,
    chosen: Chosen,
    mut draft: Draft,
    context: &CallContext,
) -> Result<(PreparedRequest, Duration), Error> {
    let key = settings.integration_key.as_ref().filter(|_| chosen.integration_key);
    if let Some(key) = key {
        add_integration_key(&mut draft, key, settings.options.integration_key_placement)?;
    }
    let url = url(&settings.base_url, &draft.path, &draft.query);
    draft.query.iter_mut().for_each(|(_, value)| value.zeroize());
    let signing = signing.zip(chosen.signature);
    let of_body = signing.filter(|(_, covered)| *covered != Covered::Query);
    let (body, content_type) = written(of_body.map(|(signing, _)| signing), draft.body);
    let started = Instant::now();
    let token = match signing {
        None => None,
        // The bytes of the URL that is sent.
        Some((signing, Covered::Query)) => {
            let (_, query) = url.expose().split_once('?').unwrap_or_default();
            let query =
                DraftBody::Bytes { bytes: query.as_bytes().to_vec().into(), content_type: None };
            Some(signing.token(context, &written(Some(signing), query).0)?)
        }
        Some((signing, _)) => Some(signing.token(context, &body)?),
    };
    let took = started.elapsed();

    let (limit, is_read_only) =
        (settings.options.max_response_bytes, draft.operation.is_read_only());
    let mut request = PreparedRequest::new(&draft.method, url, body, limit, is_read_only)
        .with_fixed_headers(&settings.headers);
    request.push_header("accept", "application/json".into());
    request.push_header("accept-encoding", ACCEPT_ENCODING.into());
    request.push_header("user-agent", USER_AGENT.into());
    if let Some(content_type) = content_type {
        request.push_header("content-type", content_type.into());
    }
    if let Some(token) = token {
        request.push_header(SIGNATURE_HEADER, token);
    }
    Ok((request, took))
}

/// Writes a body behind the start of its signing input, into one buffer. Also
/// returns its content type.
fn written(signing: Option<&Signing>, body: DraftBody) -> (SignedBody, Option<String>) {
    let prefix = signing.map_or(["", ""], |signing| [signing.header.as_str(), "."]);
    let reserved = prefix[0].len() + prefix[1].len() + body.longest_written();
    let mut buffer = Vec::with_capacity(reserved);
    prefix.iter().for_each(|part| buffer.extend_from_slice(part.as_bytes()));
    let payload_at = buffer.len();
    let content_type = match body {
        DraftBody::Empty => None,
        DraftBody::Members(members) => {
            members.write_to(&mut buffer);
            Some("application/json".to_owned())
        }
        DraftBody::Bytes { bytes, content_type } => {
            buffer.extend_from_slice(&bytes);
            content_type
        }
    };
    debug_assert!(buffer.len() <= reserved, "growing left a copy behind");
    (SignedBody::new(buffer, payload_at), content_type)
}

/// A request with its credentials.
pub(super) struct Signed {
    request: PreparedRequest,
    chosen: Chosen,
    bearer: Option<Arc<Token>>,
}

impl Signed {
    /// A request that needs no bearer token, or does not have it yet.
    pub(super) fn new(request: PreparedRequest, chosen: Chosen) -> Self {
        Self { request, chosen, bearer: None }
    }

    pub(super) fn request(&self) -> &PreparedRequest {
        &self.request
    }

    pub(super) fn into_request(self) -> PreparedRequest {
        self.request
    }

    /// The credentials of the request.
    pub(super) fn chosen(&self) -> Chosen {
        self.chosen
    }

    /// The bearer token of the request.
    pub(super) fn bearer(&self) -> Option<&Arc<Token>> {
        self.bearer.as_ref()
    }

    /// Adds or replaces the bearer token, which the signature does not cover.
    pub(super) fn carry(&mut self, token: Arc<Token>, settings: &Resolved) {
        let (name, value) = (&settings.options.bearer_header, bearer(settings, &token.value));
        match self.bearer.replace(token) {
            Some(_) => self.request.replace_header(name, value),
            None => self.request.push_header(name, value),
        }
    }

    /// Adds the request's bytes to an error, and removes secrets that the
    /// response echoed.
    pub(super) fn with_evidence(&self, error: Error, settings: &Resolved) -> Error {
        let bearer = self.request.header(&settings.options.bearer_header);
        let is_bearer = |text: &str| bearer.is_some_and(|value| is_last_word(value, text));
        let is_shown = error.service_message().is_some_and(|said| {
            settings.shows_service_message(said) && !self.is_in(said, settings)
        });
        let error = if is_shown { error.showing_service_message() } else { error };
        error
            .with_request_bytes(self.request.body())
            .without_texts(|text| settings.is_secret(text) || is_bearer(text))
    }

    /// Whether `text` repeats a part of the bearer token or of the signature.
    fn is_in(&self, text: &str, settings: &Resolved) -> bool {
        const SHORT: usize = 8;
        let names = [&*settings.options.bearer_header, SIGNATURE_HEADER];
        let values = names.into_iter().filter_map(|name| self.request.header(name));
        let mut parts = values.flat_map(|value| value.split([' ', '.']));
        parts.any(|part| part.len() >= SHORT && text.contains(part))
    }
}

/// Whether `word` is the last word of a header value, as a token is after its
/// scheme.
fn is_last_word(value: &str, word: &str) -> bool {
    value.split(' ').next_back() == Some(word)
}

/// The value of the header that carries the bearer token.
fn bearer(settings: &Resolved, token: &Secret) -> Secret {
    match settings.options.bearer_scheme.as_str() {
        "" => token.clone(),
        scheme => Secret::new(format!("{scheme} {}", token.expose())),
    }
}

fn add_integration_key(
    draft: &mut Draft,
    key: &Secret,
    placement: KeyPlacement,
) -> Result<(), Error> {
    if let Some(path) = draft.given_integration_key() {
        return Err(Error::validation(
            path,
            ErrorCode::CONFLICTING_MEMBERS,
            "the client adds the configured integration key itself; remove it from the request",
        ));
    }
    let holder = draft.inner_key_holder();
    let DraftBody::Members(members) = &mut draft.body else {
        draft.query.insert(0, (INTEGRATION_KEY.to_owned(), key.expose().to_owned()));
        return Ok(());
    };
    let inner = holder.and_then(|name| members.get_mut(name)).and_then(Json::as_object_mut);
    let put = |members: &mut Members| members.insert_first(INTEGRATION_KEY, key.expose());
    match (placement, inner) {
        (KeyPlacement::Beside, _) | (_, None) => put(members),
        (KeyPlacement::Inside, Some(inner)) => put(inner),
        (KeyPlacement::Both, Some(inner)) => {
            put(inner);
            put(members);
        }
    }
    Ok(())
}

fn url(base: &str, path: &str, query: &[(String, String)]) -> Secret {
    // Reserves three bytes per byte, since growing would leave a copy behind.
    let longest: usize = query.iter().map(|(name, value)| 2 + 3 * (name.len() + value.len())).sum();
    let reserved = base.len() + path.len() + longest;
    let mut url = String::with_capacity(reserved);
    url.push_str(base);
    url.push_str(path);
    for (index, (name, value)) in query.iter().enumerate() {
        url.push(if index == 0 { '?' } else { '&' });
        url.extend(utf8_percent_encode(name, ENCODED));
        url.push('=');
        url.extend(utf8_percent_encode(value, ENCODED));
    }
    debug_assert!(url.len() <= reserved, "growing left a copy behind");
    Secret::new(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_cannot_be_broken_out_of() {
        let query = [("hash".to_owned(), "a&b=c#d\r\né %".to_owned())];
        assert_eq!(
            url("https://h", "/ws/query", &query).expose(),
            "https://h/ws/query?hash=a%26b%3Dc%23d%0D%0A%C3%A9%20%25"
        );
    }

    /// Signs when the test lets it.
    struct Slow(Mutex<std::sync::mpsc::Receiver<()>>);

    impl Signer for Slow {
        fn kid(&self) -> &str {
            "slow"
        }

        fn sign(
            &self,
            _: &CallContext,
            _: &SigningInput<'_>,
        ) -> Result<Vec<u8>, signer::SignerError> {
            let _ = lock(&self.0).recv();
            Ok(vec![7; 512])
        }
    }

    #[test]
    fn by_default_three_calls_for_each_core_sign_at_a_time() {
        let cores = std::thread::available_parallelism().unwrap().get();
        let (_told, receiver) = std::sync::mpsc::channel();
        let signing = Signing::local(Arc::new(Slow(Mutex::new(receiver))), None);
        let SignerKind::Local { limit } = signing.kind else { panic!("it is local") };
        assert_eq!(limit, 3 * cores);
    }

    #[test]
    fn local_keys_of_a_process_sign_in_turn() {
        let one = NonZeroUsize::new(1);
        let slow = || {
            let (go, wait) = std::sync::mpsc::channel();
            (go, Arc::new(Slow(Mutex::new(wait))))
        };
        let (go, first) = slow();
        let first = Signing::local(first, one);
        let (go_second, second) = slow();
        let second = Signing::local(second, one);
        go_second.send(()).unwrap();
        let context = |milliseconds| CallContext::with_timeout(Duration::from_millis(milliseconds));
        std::thread::scope(|scope| {
            let signing = scope.spawn(|| first.sign(&context(60_000), b"input"));
            // Until the first call signs, only the second is served.
            let error = loop {
                match second.sign(&context(5), b"input") {
                    Ok(_) => go_second.send(()).unwrap(),
                    Err(error) => break error,
                }
            };
            assert_eq!(
                (error.kind(), error.outcome(), error.code()),
                (ErrorKind::Timeout, Outcome::NotExecuted, ErrorCode::DEADLINE_PASSED)
            );
            let (go_other, other) = slow();
            go_other.send(()).unwrap();
            let other = Signing::external(other, None, false).unwrap();
            assert!(other.sign(&context(60_000), b"input").is_ok());
            go.send(()).unwrap();
            assert!(signing.join().unwrap().is_ok());
        });
        assert!(second.sign(&context(60_000), b"input").is_ok());
    }
}
