//! The token server, and the store that all processes share.

use std::collections::BTreeMap;
use std::model;
use std::sync::Arc;
use std::time::Duration;

use payments_core::CallContext;
use payments_core::secret::Secret;
use payments_core::token::{Fence, StoreError, TokenEntry, TokenKey, TokenStore};
use payments_core::transport::{Received, TransportFailure};

use crate::plan::{FaultKind, HOUR};
use crate::world::{State, World};

/// The promise of the docs after 401s, and one when a token expires.
const MOST_ISSUED_IN_AN_HOUR: usize = 13;
/// A pause of 2 s that doubles until it is 5 minutes.
const MOST_REFUSED_IN_AN_HOUR: usize = 20;

#[derive(Default)]
pub struct TokenServer {
    /// When each token was issued, by its value in a header.
    issued: BTreeMap<String, Duration>,
    /// The requests, and whether they were refused.
    requests: Vec<(Duration, bool)>,
    /// The entry of the store.
    entry: TokenEntry,
    fences: u64,
    /// The holder of its lock, and until when.
    locked: Option<(u64, Duration)>,
}

impl World {
    /// A token request; `None` if the process has crashed.
    pub fn ask_for_token(
        &self,
        context: &CallContext,
    ) -> Option<Result<Received, TransportFailure>> {
        context.set_may_have_sent();
        let (status, body) = self.effect(State::issue)?;
        let slept = context.sleep(Duration::from_millis(50));
        Some(match slept {
            Ok(()) => Ok(Received::new(status, Vec::new(), body.into_bytes())),
            Err(stopped) => Err(TransportFailure::ended(stopped.ended)),
        })
    }
}

impl State {
    fn issue(&mut self) -> (u16, String) {
        let now = model::elapsed();
        let refused = self.faults().find_map(|it| match it {
            FaultKind::TokenServer { status } => Some(*status),
            _ => None,
        });
        self.count("token requests");
        self.tokens.requests.push((now, refused.is_some()));
        let in_this_hour = self.tokens.requests.iter().filter(|(at, _)| *at + HOUR > now);
        let (no, yes): (Vec<&(Duration, bool)>, Vec<_>) =
            in_this_hour.partition(|(_, is_refused)| *is_refused);
        // Without the store, each process counts for itself.
        let is_shared = !self.plan.faults.iter().any(|it| {
            matches!(it.kind, FaultKind::TokenStore) && it.from <= now && now < it.until + HOUR
        });
        let are_many = yes.len() > MOST_ISSUED_IN_AN_HOUR || no.len() > MOST_REFUSED_IN_AN_HOUR;
        if is_shared && are_many {
            let (yes, no) = (yes.len(), no.len());
            self.broken(format!("{yes} tokens, and {no} refusals, in an hour"));
        }
        self.note(|| format!("token request: {}", refused.unwrap_or(200)));
        if let Some(status) = refused {
            return (status, String::new());
        }
        let value = format!("token-{}", self.tokens.issued.len() + 1);
        self.tokens.issued.insert(format!("Bearer {value}"), now);
        (200, format!(r#"{{"access_token":"{value}","expires_in":3600}}"#))
    }

    /// Whether the service accepts this header at that moment.
    pub fn is_valid(&self, bearer: &str, at: Duration) -> bool {
        let Some(issued) = self.tokens.issued.get(bearer) else { return false };
        let is_revoked = self.plan.faults.iter().any(|it| {
            let is_over = it.until <= at && it.until <= *issued;
            matches!(it.kind, FaultKind::Revocation) && it.from <= at && !is_over
        });
        at < *issued + HOUR && !is_revoked
    }
}

pub struct Store(pub Arc<World>);

impl Store {
    fn use_entry<R>(&self, act: impl FnOnce(&mut TokenServer) -> R) -> Result<R, StoreError> {
        let done = self.0.effect(|state| {
            let is_down = state.faults().any(|it| matches!(it, FaultKind::TokenStore));
            (!is_down).then(|| act(&mut state.tokens))
        });
        done.flatten().ok_or_else(|| StoreError::new("the store is away"))
    }
}

impl TokenStore for Store {
    fn load(&self, _: &CallContext, _: &TokenKey) -> Result<TokenEntry, StoreError> {
        self.use_entry(|it| it.entry.clone())
    }

    fn save(
        &self,
        _: &CallContext,
        _: &TokenKey,
        entry: &TokenEntry,
        fence: Fence,
    ) -> Result<bool, StoreError> {
        self.use_entry(|it| {
            let is_last = fence.0 == it.fences;
            if is_last {
                it.entry = entry.clone();
            }
            is_last
        })
    }

    fn delete_if(&self, _: &CallContext, _: &TokenKey, value: &Secret) -> Result<bool, StoreError> {
        self.use_entry(|it| it.entry.token.take_if(|token| token.value == *value).is_some())
    }

    fn try_lock(&self, _: &CallContext, _: &TokenKey) -> Result<Option<Fence>, StoreError> {
        self.use_entry(|it| {
            let now = model::elapsed();
            if it.locked.is_some_and(|(_, until)| now < until) {
                return None;
            }
            it.fences += 1;
            it.locked = Some((it.fences, now + Duration::from_secs(15)));
            Some(Fence(it.fences))
        })
    }

    fn unlock(&self, _: &TokenKey, fence: Fence) {
        let _ = self.use_entry(|it| it.locked = it.locked.filter(|(holder, _)| *holder != fence.0));
    }

    fn lock_lapses(&self) -> bool {
        true
    }
}
