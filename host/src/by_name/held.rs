//! Clients that callers in other languages hold.

use std::ops::Deref;
use std::sync::Arc;

use crate::follow::FollowerTable;
use payments_core::Client;

/// A client, with the followers that its caller holds by number. Clones share
/// them.
#[derive(Clone)]
pub struct HostClient {
    client: Client,
    followers: Arc<FollowerTable>,
}

impl HostClient {
    /// A client that follows nothing yet.
    pub fn new(client: Client) -> Self {
        Self { client, followers: Arc::default() }
    }

    /// The items that it follows.
    pub(super) fn followers(&self) -> &Arc<FollowerTable> {
        &self.followers
    }
}

impl Deref for HostClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
