//! What clients of one configuration can have in common.

use std::sync::Arc;

use super::stores::{configured_store, new_token_manager};
use crate::config::{Resolved, TokenPlace};
use crate::error::Error;
use crate::token::TokenManager;
use crate::transport::{HttpTransport, Transport};

/// No code of the caller's is in it. What no client has needed yet is absent.
#[derive(Clone, Default)]
pub(crate) struct Shareable {
    transport: Option<Arc<HttpTransport>>,
    tokens: Option<Arc<TokenManager>>,
}

impl Shareable {
    /// Takes over what is missing here. Both have the same then.
    pub(crate) fn unite(&mut self, other: &mut Self) {
        let Self { transport, tokens } = self;
        *transport = transport.take().or_else(|| other.transport.take());
        *tokens = tokens.take().or_else(|| other.tokens.take());
        other.clone_from(self);
    }

    /// Makes what a client of these settings needs, and may share.
    pub(super) fn complete(&mut self, settings: &Resolved) -> Result<(), Error> {
        if self.transport.is_none() && shares_transport(settings) {
            self.transport = Some(new_transport(settings)?);
        }
        if self.tokens.is_none() && shares_tokens(settings) {
            self.tokens = new_token_manager(settings, configured_store(settings)?);
        }
        Ok(())
    }

    /// The transport of this crate that a client uses which has none of the
    /// caller's.
    pub(super) fn transport(&self, settings: &Resolved) -> Result<Arc<dyn Transport>, Error> {
        let shared = self.transport.clone().filter(|_| shares_transport(settings));
        Ok(shared.map_or_else(|| new_transport(settings), Ok)?)
    }

    /// Who gives the bearer tokens of a client.
    pub(super) fn tokens(&self, settings: &Resolved) -> Result<Option<Arc<TokenManager>>, Error> {
        if shares_tokens(settings) {
            return Ok(self.tokens.clone());
        }
        let store = match &settings.parts.token_store {
            Some(store) => Arc::clone(store),
            None => configured_store(settings)?,
        };
        Ok(new_token_manager(settings, store))
    }
}

/// A transport keeps the lookup that it was made with.
fn shares_transport(settings: &Resolved) -> bool {
    settings.parts.transport.is_none() && settings.parts.lookup.is_none()
}

/// So does the connection to a Redis server.
fn shares_tokens(settings: &Resolved) -> bool {
    let keeps_lookup = matches!(settings.token_place, TokenPlace::Redis(_));
    settings.parts.token_store.is_none() && !(keeps_lookup && settings.parts.lookup.is_some())
}

fn new_transport(settings: &Resolved) -> Result<Arc<HttpTransport>, Error> {
    HttpTransport::new(&settings.transport).map(Arc::new).map_err(|_| {
        Error::config("proxy", "proxy_invalid", "must be env or http://[user:password@]host:port")
    })
}
