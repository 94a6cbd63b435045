//! Clients that callers in other languages hold.

use std::ops::Deref;
use std::sync::Arc;

use crate::follow::Followings;
use payments_core::Client;

/// A client, with the followings that its caller holds by number. Clones share
/// them.
#[derive(Clone)]
pub struct HostClient {
    client: Client,
    followings: Arc<Followings>,
}

impl HostClient {
    /// Follows nothing yet.
    pub fn new(client: Client) -> Self {
        Self { client, followings: Arc::default() }
    }

    /// What it follows.
    pub(super) fn followings(&self) -> &Followings {
        &self.followings
    }
}

impl Deref for HostClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
