//! `create_payout`: `POST /ws/payout/create`.

use std::fmt;

use super::read::{BodyTypes, read_tree, tells_of_the_call};
use super::reference::Asked;
use super::response::{amounts_as_text, response_accessors};
use super::typed::{json_request, request_object};
use super::{Draft, Request, Response, text_member};
use crate::model::amount::Amount;
use crate::model::error::Error;
use crate::model::json::{Json, Members};
use crate::model::operation::Operation;
use crate::model::rules::Rules;

request_object! {
    /// The body of a payout request.
    ///
    /// Interface, "Payout request".
    pub struct Payout {
        /// The merchant's reference for the payout. Not stated in the
        /// interface: whether the service refuses a second payout with the same
        /// reference.
        pub external_reference: String,
        /// Lower-case two-letter country code, for example `br`.
        pub country: String,
        /// Amount to send, in `currency_code`.
        pub amount: Amount,
        /// Three-letter currency code, for example `BRL`.
        pub currency_code: String,
        /// Kind of destination, for example `pix_key`.
        pub target: String,
        /// Destination identifier; for `pix_key` the key itself.
        pub target_account: String,
        /// Who receives the money.
        pub payee: Payee,
    }
}

/// Hides the recipient.
impl fmt::Debug for Payout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payout")
            .field("country", &self.country)
            .field("currency_code", &self.currency_code)
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

request_object! {
    /// The recipient of a payout.
    ///
    /// Interface, "Payee object". Not stated in the interface: which members
    /// are required. We require the name.
    pub struct Payee {
        /// Payee name.
        pub name: String,
        /// Payee e-mail.
        pub email: Option<String>,
        /// Payee tax id.
        pub document: Option<String>,
        /// Kind of the tax id, for example `CPF`.
        pub document_type: Option<String>,
    }
}

/// Hides the payee.
impl fmt::Debug for Payee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payee").field("document_type", &self.document_type).finish_non_exhaustive()
    }
}

/// A request to send money to a payee.
///
/// Interface, "Endpoints": `POST {base_url}/ws/payout/create`. There is no
/// query for payouts: after an unknown outcome, look the payout up on the
/// provider's platform.
#[derive(Clone)]
pub struct CreatePayout {
    members: Members,
}

impl CreatePayout {
    /// A request for this payout.
    pub fn new(payout: Payout) -> Self {
        Self { members: payout.into_members() }
    }

    fn reference(&self) -> Option<&str> {
        text_member(&self.members, "external_reference")
    }
}

json_request!(CreatePayout, Payout::MEMBERS);

impl Request for CreatePayout {
    type Response = PayoutResponse;

    fn draft(&self, rules: &Rules) -> Result<Draft, Error> {
        Draft::of_members(Operation::CreatePayout, &self.members, self.reference(), rules)
    }

    fn read_response(&self, response: Response, rules: &Rules) -> Result<PayoutResponse, Error> {
        PayoutResponse::read(response, rules, &Asked::payout(self.reference()))
    }
}

/// The response to `create_payout`.
///
/// Not stated in the interface. We look for the members of a payout in an
/// object `payout` and at the top level, and keep everything.
#[derive(Clone)]
pub struct PayoutResponse {
    raw: Response,
    json: Json,
}

response_accessors!(PayoutResponse, |_| None, Self::uid);

impl PayoutResponse {
    fn read(mut raw: Response, rules: &Rules, asked: &Asked<'_>) -> Result<Self, Error> {
        let shape = BodyTypes {
            objects: &["/payout"],
            texts: &["/uid", "/status", "/payout/uid", "/payout/status"],
            ..BodyTypes::default()
        };
        let json = read_tree(Operation::CreatePayout, &mut raw, rules, asked, &shape)?;
        Ok(Self { raw, json })
    }

    /// The service's id of the payout.
    pub fn uid(&self) -> Option<&str> {
        self.text("uid")
    }

    /// The status of the payout as received, unless the text describes the call
    /// (`SUCCESS`). Not stated in the interface: which states exist.
    pub fn status(&self) -> Option<&str> {
        self.text("status").filter(|status| !tells_of_the_call(status))
    }

    /// The response for other languages: `uid`, `status`, and the whole body as
    /// `response`, with amounts as text.
    pub fn view(&self) -> Json {
        Json::Object(Members::from([
            ("uid", Json::from(self.uid())),
            ("status", Json::from(self.status())),
            ("response", amounts_as_text(&self.json)),
        ]))
    }

    fn text(&self, name: &str) -> Option<&str> {
        let inside = self.json.get("payout").and_then(|payout| payout.get(name)?.as_str());
        inside.or_else(|| self.json.get(name)?.as_str())
    }
}

/// Shows the status only.
impl fmt::Debug for PayoutResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayoutResponse")
            .field("status", &self.status())
            .field("raw", &self.raw)
            .finish_non_exhaustive()
    }
}
