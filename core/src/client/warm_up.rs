//! What can be done before the first call.

use super::{Client, Inner, outcome};
use crate::call::context::CallContext;
use crate::model::error::{Error, Outcome};
use crate::model::operation::Operation;
use crate::transport;

impl Client {
    /// Makes ready for the next call, so that it takes one round trip: obtains
    /// the token, if the client has credentials for one, and opens a connection
    /// to the service, which stays open for up to 4 s of idleness. Sends nothing
    /// to the service.
    ///
    /// # Errors
    /// As [`access_token`](Self::access_token); `connect`, `tls` or `timeout`
    /// without a connection. Calls can be made all the same.
    pub fn warm_up(&self, context: &CallContext) -> Result<(), Error> {
        let context = &context.begun();
        if self.0.tokens.is_some() {
            self.access_token(context)?;
        }
        let _entered = self.enter(Operation::AccessToken)?;
        let Inner { transport, settings, .. } = &*self.0;
        let warmed = transport::guarded(context, || transport.warm_up(context, &settings.base_url))
            .map_err(|failure| outcome::of_failure(failure, Outcome::NotExecuted));
        context.unless_forked(warmed)
    }
}
