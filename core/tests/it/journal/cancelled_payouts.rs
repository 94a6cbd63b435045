//! The entry of a payout that the service created and cancelled.

use payments_core::Outcome::Executed;
use payments_core::journal::EntryState;
use payments_core::request::RawRequest;

use crate::support::calls::{error_summary, payout};
use crate::support::journaled::journaled;
use crate::support::raw_server::{RawServer, response};

fn answering(payout: &str) -> RawServer {
    let body = format!(r#"{{"type":"success","payout":{{"uid":"p-1",{payout}}}}}"#);
    RawServer::responding(response("200 OK", "", &body))
}

#[test]
fn the_code_of_an_entry_marks_a_cancelled_payout() {
    for (members, code) in [
        (r#""status":"CA","code":"BANK_INFO""#, Some("BANK_INFO")),
        (r#""status":"CA""#, Some("CA")),
        (r#""status":"CA","code":"Maria Souza""#, Some("CA")),
        (r#""status":"OP","code":"BANK_INFO""#, None),
        (r#""status":"PA""#, None),
    ] {
        let server = answering(members);
        let (client, journal) = journaled(&server.base_url());
        client.create_payout(&payout("payout-1")).unwrap();
        let entry = journal.one();
        assert_eq!((entry.state, entry.kind.as_deref()), (EntryState::Done, None), "{members}");
        assert_eq!((entry.uid.as_deref(), entry.cancelled_with()), (Some("p-1"), code));
        assert_eq!(entry.code.as_deref(), code, "{members}");

        let again = client.create_payout(&payout("payout-1"));
        let message = again.as_ref().unwrap_err().message().to_owned();
        assert_eq!(message.contains("created this payout and cancelled it"), code.is_some());
        let (_, code, outcome) = error_summary(again);
        assert_eq!((code, outcome), ("already_done", Executed));
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn the_entry_of_a_payout_by_send_is_marked_too() {
    let server = answering(r#""status":"CA","code":"ACCOUNT_BLOCKED""#);
    let (client, journal) = journaled(&server.base_url());
    let body = br#"{"external_reference":"payout-1","amount":10.00}"#.to_vec();
    let request = RawRequest::new("POST", "/ws/payout/create").body(body).reference("payout-1");
    client.send(&request).unwrap();
    let entry = journal.one();
    assert_eq!((entry.operation.name(), entry.state), ("create_payout", EntryState::Done));
    assert_eq!(entry.cancelled_with(), Some("ACCOUNT_BLOCKED"));
}

#[test]
fn the_code_of_an_error_cancels_nothing() {
    let server = RawServer::responding(response("500 No", "", ""));
    let (client, journal) = journaled(&server.base_url());
    client.create_payout(&payout("payout-1")).unwrap_err();
    let mut entry = journal.one();
    assert_eq!((entry.code.as_deref(), entry.cancelled_with()), (Some("failed"), None));
    entry.state = EntryState::Done;
    assert_eq!(entry.cancelled_with(), None, "a person found it");
}
