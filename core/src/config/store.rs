//! Where tokens are kept.

use std::path::{Path, PathBuf};

use payments_base::secret::Secret;

use super::Config;
use crate::model::error::{Error, ErrorCode};

/// Where tokens are kept, unless code provides a store.
#[derive(Clone, Hash, Debug)]
pub(crate) enum TokenStoreKind {
    Memory,
    Folder(PathBuf),
    /// A folder of the user that runs this process.
    User,
    /// The URL of a Redis server.
    Redis(Secret),
}

impl TokenStoreKind {
    /// Parses a member. A relative path refers to `folder`.
    pub(super) fn of_text(text: &str, folder: &Path) -> Option<Self> {
        match text.split_once(':') {
            Some(("file", path)) if !path.is_empty() => Some(Self::Folder(folder.join(path))),
            Some(("redis" | "rediss", _)) => Some(Self::Redis(text.into())),
            None if text == "memory" => Some(Self::Memory),
            _ => None,
        }
    }

    /// Makes a relative path absolute, since the working folder may change.
    pub(super) fn pin(&mut self, member: &str) -> Result<(), Error> {
        if let Self::Folder(folder) = self {
            *folder = std::path::absolute(&folder).map_err(|error| {
                let problem = format!("could not find the folder {}: {error}", folder.display());
                Error::config(member, ErrorCode::TOKEN_STORE_FAILED, problem)
            })?;
        }
        Ok(())
    }
}

impl Config {
    /// Keeps bearer tokens in files of this folder, for all processes of the
    /// host that run as this user: see [`FileStore`](crate::token::FileStore).
    /// The folder is created if absent. A relative path refers to the working
    /// folder at the time a client is made.
    pub fn token_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.inputs.token_store = Some(TokenStoreKind::Folder(folder.into()));
        self
    }

    /// Keeps bearer tokens in the user's cache folder, unless another place is
    /// configured. Meant for commands, where each call is a process. The folder
    /// is `libpayments` in `XDG_CACHE_HOME`, or else in `HOME/.cache`, or else
    /// one in the temporary directory. If none is usable, tokens stay in memory
    /// and the observer gets an event.
    pub fn token_folder_of_user(mut self) -> Self {
        self.inputs.token_store.get_or_insert(TokenStoreKind::User);
        self
    }

    /// Keeps bearer tokens in files of this folder while the [Redis
    /// server](Self::token_server) does not work. The default is the user's
    /// cache folder.
    pub fn token_fallback_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.inputs.token_store_fallback = Some(TokenStoreKind::Folder(folder.into()));
        self
    }

    /// Keeps bearer tokens in memory while the [Redis
    /// server](Self::token_server) does not work. Each process then requests
    /// its own.
    pub fn token_fallback_memory(mut self) -> Self {
        self.inputs.token_store_fallback = Some(TokenStoreKind::Memory);
        self
    }

    /// Keeps bearer tokens in the Redis server at this URL, for all processes
    /// that can log in there: see [`RedisStore`]. Its certificate is checked
    /// like the service's. While it does not work, tokens are kept in the
    /// [fallback](Self::token_fallback_folder). Needs the feature `redis`.
    ///
    /// [`RedisStore`]: https://docs.rs/payments-core/latest/payments_core/token/struct.RedisStore.html
    pub fn token_server(mut self, url: impl Into<Secret>) -> Self {
        self.inputs.token_store = Some(TokenStoreKind::Redis(url.into()));
        self
    }
}
