//! A method for each operation with a typed response.

use super::Client;
use crate::model::error::Error;
use crate::model::operation::operations;
use crate::model::request::all::*;

macro_rules! methods {
    ($($request:ident $name:ident $(-> $response:ident)? {
        method: $method:expr,
        path: $path:expr,
        summary: $summary:literal,
        details: $details:literal,
        when_unknown: $when_unknown:literal,
        $($rest:tt)*
    })*) => {
        impl Client {
            $($(
                #[doc = concat!($summary, " ", $details)]
                ///
                /// # Errors
                #[doc = concat!(
                    "Every kind. With [`Outcome::Unknown`](crate::model::error::Outcome::Unknown), ",
                    $when_unknown,
                )]
                pub fn $name(&self, request: &$request) -> Result<$response, Error> {
                    self.execute(request, &self.context())
                }
            )?)*
        }
    };
}
operations!(methods);
