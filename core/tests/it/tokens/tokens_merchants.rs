//! Merchants never share tokens.

use std::sync::Arc;

use payments_core::{Client, Config, Environment};

use crate::support::tokens;
use crate::support::tokens::{ManualClock, Sent, Service, TestStore, at_once, call, client};

const AUTH: &str = "https://auth.example";

/// A service whose tokens contain the client's credentials.
fn service() -> Arc<Service> {
    let service = Service::new();
    let issuing = Arc::downgrade(&service);
    service.on_token(move |asked| {
        issuing.upgrade().expect("it is asking").issue(&token_for(asked.sent), 3600)
    });
    service
}

fn token_for(sent: &Sent) -> String {
    let credentials = sent.authorization.strip_prefix("Basic ").expect("Basic credentials");
    format!("{credentials}@{}", sent.url.split('/').nth(2).expect("a host"))
}

fn merchants(service: &Arc<Service>, store: &Arc<TestStore>) -> Vec<Client> {
    let merchants = [
        (AUTH, "merchant-a", "secret-1"),
        (AUTH, "merchant-b", "secret-1"),
        (AUTH, "merchant-a", "secret-2"),
        ("https://other.example", "merchant-a", "secret-1"),
        // Id and secret concatenate to the same text as the first entry's.
        (AUTH, "merchant-", "asecret-1"),
    ];
    let make = |(auth_url, id, secret): (&str, &str, &str)| {
        client(
            Config::new("https://api.example")
                .client_credentials(auth_url, id, secret)
                .transport(service.clone())
                .clock(ManualClock::new())
                .token_store(store.clone()),
        )
    };
    merchants.into_iter().map(make).collect()
}

#[test]
fn no_merchant_sees_the_token_of_another() {
    let (service, store) = (service(), TestStore::new());
    let merchants = merchants(&service, &store);
    at_once(merchants.len() * 8, |number| call(&merchants[number % merchants.len()]).unwrap());
    assert_eq!(service.token_requests(), merchants.len());
    assert_eq!(store.keys().len(), merchants.len());
    let expected: Vec<String> = service.requests().iter().map(token_for).collect();
    for merchant in &merchants {
        call(merchant).unwrap();
        let own = merchant.access_token(&merchant.context()).unwrap().value;
        assert_eq!(service.last_token(), own.expose());
        assert_eq!(expected.iter().filter(|token| *token == own.expose()).count(), 1);
    }
}

#[test]
fn a_refused_token_of_one_leaves_those_of_others_alone() {
    let (service, store) = (service(), TestStore::new());
    let merchants = merchants(&service, &store);
    merchants.iter().for_each(|merchant| drop(call(merchant).unwrap()));
    let refused = service.calls()[0].token().to_owned();
    service
        .on_call(move |sent| Ok(tokens::status(if sent.token() == refused { 401 } else { 200 })));
    call(&merchants[0]).unwrap_err();
    assert_eq!(service.token_requests(), merchants.len() + 1);
    at_once(merchants.len() - 1, |number| call(&merchants[number + 1]).unwrap());
    assert_eq!(service.token_requests(), merchants.len() + 1);
}

#[test]
fn a_backoff_concerns_one_merchant_only() {
    let (service, store) = (service(), TestStore::new());
    let merchants = merchants(&service, &store);
    service.on_token(|_| Ok(tokens::status(401)));
    call(&merchants[0]).unwrap_err();
    service.issue_tokens();
    merchants[1..].iter().for_each(|merchant| drop(call(merchant).unwrap()));
    assert_eq!(call(&merchants[0]).unwrap_err().code().as_str(), "token_backoff");
}

#[test]
fn a_trailing_slash_does_not_make_another_merchant() {
    let (service, store) = (service(), TestStore::new());
    let make = |auth_url: &str| {
        let config = Config::new("https://api.example")
            .environment(Environment::Sandbox)
            .client_credentials(auth_url, "merchant-a", "secret-1");
        client(config.transport(service.clone()).token_store(store.clone()))
    };
    call(&make(AUTH)).unwrap();
    call(&make("https://auth.example/")).unwrap();
    assert_eq!(service.token_requests(), 1);
}
