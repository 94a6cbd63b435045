//! Following that ends with an object of the caller.

use std::sync::{Arc, Weak};

use super::follow::planned;
use super::held::HostClient;
use crate::follow::FollowerTable;
use payments_core::error::Error;

/// Something that a client follows, which ends when this is dropped, or with the client.
pub struct Following {
    followers: Weak<FollowerTable>,
    number: u64,
}

impl Following {
    /// Plans to follow, as [`follow_begin`](super::follow_begin) does.
    ///
    /// # Errors
    /// `validation` for members of the wrong type.
    pub fn planned(client: &HostClient, options: &[u8]) -> Result<Self, Error> {
        let number = planned(client, options)?;
        Ok(Self { followers: Arc::downgrade(client.followers()), number })
    }

    /// The member `follow` of [`follow_next`](super::follow_next).
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Ends it, and releases its state file.
    pub fn end(&self) {
        if let Some(followers) = self.followers.upgrade() {
            followers.end(self.number);
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.end();
    }
}
