//! The arguments of each tool.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use payments_host::commands::{duration_of, forget_of};

use crate::process::failure::Failure;
use crate::process::input;

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Also connect: try the proxy, a token, a query for a payment that does not
    /// exist, and the clock
    #[arg(long)]
    pub(crate) online: bool,
}

#[derive(Args, Debug)]
pub(crate) struct FollowArgs {
    /// Payments to follow, by your own references [default: the payments and
    /// refunds of the journal, and its payouts if payout_query is on]
    pub(crate) references: Vec<String>,
    /// Read references from this file, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// The references are payment hashes
    #[arg(long)]
    pub(crate) hash: bool,
    /// The references are those of payouts
    #[arg(long, conflicts_with = "hash")]
    pub(crate) external_reference: bool,
    /// The references are the service's ids of payouts
    #[arg(long, conflicts_with_all = ["hash", "external_reference"])]
    pub(crate) uid: bool,
    /// Remember in this file what was reported, also after a crash
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// How far back the journal is read, such as 12h
    #[arg(long, value_name = "DURATION", default_value = "7d", value_parser = duration_of)]
    pub(crate) since: Duration,
    /// The age at which an open payment is given up
    #[arg(long, value_name = "DURATION", default_value = "7d", value_parser = duration_of)]
    pub(crate) give_up_after: Duration,
    /// How long the state file keeps a reported end that no run asks for, or never
    #[arg(long, value_name = "DURATION", default_value = "90d", value_parser = forget_of)]
    pub(crate) forget: Duration,
    /// Queries in a second at most
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) per_second: u32,
    /// Queries at a time
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) parallel: u16,
}

#[derive(Args, Debug)]
pub(crate) struct SandboxArgs {
    /// Port on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Seed of hashes, key ids and dates, so that runs repeat [default: 1; with
    /// --config-out another one at each start, since a journal remembers hashes]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Credentials every call must carry: jws, bearer, integration_key,
    /// integration_key_unless_signed, by commas; or none [default:
    /// jws,bearer,integration_key_unless_signed]
    #[arg(long, value_name = "LIST|none")]
    pub(crate) require: Option<String>,
    /// Path beyond the interface that is echoed instead of refused with 404; `*`
    /// at its end matches any rest; may be given more than once
    #[arg(long, value_name = "PATH")]
    pub(crate) accept_path: Vec<String>,
    /// Execute used references and refunds beyond the amount, to count them
    #[arg(long)]
    pub(crate) accept_repeats: bool,
    /// Execute requests with findings of `lint` that are certain, instead of
    /// refusing them
    #[arg(long)]
    pub(crate) lenient: bool,
    /// How long tokens live
    #[arg(long, value_name = "SECONDS", default_value_t = 86_399)]
    pub(crate) token_lifetime: u64,
    /// Folder for the configuration of a client: payments.json, the journal,
    /// the key and the secrets, readable by you alone. If they are there, the
    /// sandbox starts with their port, key and client
    #[arg(long, value_name = "DIR")]
    pub(crate) config_out: Option<PathBuf>,
    /// Keep keys, payments, payouts and trackings in this file across restarts
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
    /// End when standard input closes, so that no sandbox outlives the test
    /// run that started it
    #[arg(long)]
    pub(crate) stdin_lifetime: bool,
    /// Public key to register, instead of a key that is made
    #[arg(long, value_name = "FILE")]
    pub(crate) public_key: Option<PathBuf>,
    /// The kid it gets [default: a new one]
    #[arg(long)]
    pub(crate) kid: Option<String>,
    /// Private key that the configuration names
    #[arg(long, value_name = "FILE", requires = "public_key")]
    pub(crate) key_file: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct SignArgs {
    /// Private key, PEM or DER
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Key id that the provider assigned to it
    #[arg(long)]
    pub(crate) kid: String,
    /// File that holds the passphrase of an encrypted key
    #[arg(long, value_name = "FILE")]
    pub(crate) key_passphrase_file: Option<PathBuf>,
    /// Accept RSA keys from 2048 bits on
    #[arg(long)]
    pub(crate) allow_small_keys: bool,
    #[command(flatten)]
    pub(crate) body: BodyArg,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Public key, PEM or DER
    #[arg(long, value_name = "[KID=]FILE")]
    pub(crate) public_key: String,
    #[command(flatten)]
    pub(crate) token: TokenArg,
    #[command(flatten)]
    pub(crate) body: BodyArg,
}

#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Registered public key, PEM or DER; give each that may have been used
    #[arg(long, value_name = "[KID=]FILE", required_unless_present_any = ["key", "bearer"])]
    pub(crate) public_key: Vec<String>,
    /// Private key that should have signed: tells whether it did
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// File that holds the passphrase of an encrypted key
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) key_passphrase_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) token: TokenArg,
    /// Bearer token of the request, or @FILE: tells whether it is whole, has
    /// expired, or belongs to another client
    #[arg(long, value_name = "TOKEN|@FILE")]
    pub(crate) bearer: Option<String>,
    /// Client id that the bearer token should have been issued to
    #[arg(long, value_name = "ID", requires = "bearer")]
    pub(crate) client_id: Option<String>,
    /// URL of a request without a body, with its query as sent, or @FILE: tells
    /// whether the query was signed
    #[arg(long, value_name = "URL|@FILE", conflicts_with = "body")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) body: BodyArg,
}

#[derive(Args, Debug)]
pub(crate) struct TokenArg {
    /// Value of X-JWS-Signature, or @FILE; leave it out if there was none
    #[arg(long)]
    pub(crate) token: Option<String>,
}

impl TokenArg {
    /// The token itself, or the one in the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read(&self) -> Result<Option<String>, Failure> {
        self.token.as_deref().map(input::text).transpose()
    }
}

#[derive(Args, Debug)]
pub(crate) struct BodyArg {
    /// The body: a file, - (standard input), or the bytes themselves; none if absent
    #[arg(value_name = "FILE|BODY|-")]
    pub(crate) body: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct SendArgs {
    /// For example POST
    pub(crate) method: String,
    /// Path under base_url, for example /ws/transfer/create
    pub(crate) path: String,
    #[command(flatten)]
    pub(crate) body: BodyArg,
    /// Query parameter; may be given more than once
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) query: Vec<String>,
    /// Content type [default: application/json when there is a body]
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Your own reference, which a failure then names; it is not sent
    #[arg(long)]
    pub(crate) reference: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct TokenArgs {
    /// Show the status of the current token, but not the token itself; request none
    #[arg(long)]
    pub(crate) status: bool,
    /// Print the token alone, for use in another command
    #[arg(long, conflicts_with = "status")]
    pub(crate) plain: bool,
    /// Drop the current token, also from the token store, so that the next call requests another
    ///
    /// For a token that the service refuses though it has not expired. Prints the status then.
    /// Processes that hold the token continue to use it.
    #[arg(long, conflicts_with_all = ["status", "plain"])]
    pub(crate) forget: bool,
}
