//! Clients of one process and identity share one token, one token request, and
//! one backoff.

use std::sync::Arc;

use payments_core::{Client, Config, ErrorKind};

use crate::support::storm::{TokenServer, block, issue};
use crate::support::tokens::{Service, TestStore, at_once, call};

fn config(tokens: &TokenServer, client_id: &str, timeout_ms: u64) -> Config {
    let members = format!(r#", "timeout_ms": {timeout_ms}"#);
    let json = tokens.config(&members).replace("merchant", client_id);
    Config::from_json(json.as_bytes()).unwrap()
}

fn token(client: &Client) -> String {
    client.access_token(&client.context()).unwrap().value.expose().to_owned()
}

#[test]
fn sixty_five_merchants_ask_once_each() {
    let tokens = TokenServer::start(issue);
    for _ in 0..3 {
        for number in 0..65 {
            let shared = config(&tokens, &format!("shop-{number}"), 30_000);
            token(&Client::shared(shared).unwrap());
        }
    }
    assert_eq!(tokens.requests(), 65);
}

#[test]
fn clients_that_differ_in_a_timeout_ask_once() {
    let tokens = TokenServer::start(issue);
    let client = |number: u64| {
        let config = config(&tokens, "shop", 30_000 + number);
        if number < 5 { Client::new(config) } else { Client::shared(config) }.unwrap()
    };
    let had = at_once(10, |number| token(&client(number as u64)));
    assert!(had.iter().all(|token| *token == had[0]), "{had:?}");
    assert_eq!(tokens.requests(), 1);
}

#[test]
fn new_clients_back_off_with_those_before() {
    let tokens = TokenServer::start(|_, connection| block(connection));
    for _ in 0..10 {
        let client = Client::new(config(&tokens, "shop", 30_000)).unwrap();
        let error = client.access_token(&client.context()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Token);
        assert!(error.retry_after().is_some());
    }
    assert_eq!(tokens.requests(), 1);
}

#[test]
fn another_secret_is_another_identity() {
    let tokens = TokenServer::start(issue);
    let client = |secret: &str| {
        let json = tokens.config("").replace(r#""secret""#, &format!("{secret:?}"));
        Client::new(Config::from_json(json.as_bytes()).unwrap()).unwrap()
    };
    assert_ne!(token(&client("one")), token(&client("two")));
    assert_eq!(tokens.requests(), 2);
}

#[test]
fn a_store_of_the_caller_is_never_shared() {
    let tokens = TokenServer::start(issue);
    let stored = || config(&tokens, "shop", 30_000).token_store(TestStore::new());
    for _ in 0..3 {
        token(&Client::new(stored()).unwrap());
        token(&Client::shared(stored()).unwrap());
    }
    assert_eq!(tokens.requests(), 6);
}

/// The client that needs the token asks, not the one that asked first.
#[test]
fn a_client_asks_through_its_own_transport() {
    let (first, second) = (Service::new(), Service::new());
    let client = |service: &Arc<Service>| {
        let config = Config::new("https://api.example").transport(service.clone());
        Client::new(config.client_credentials("https://own-transport.example", "id", "secret"))
            .unwrap()
    };
    let [of_first, of_second] = [client(&first), client(&second)];
    let issuing = Arc::downgrade(&second);
    second.on_token(move |_| issuing.upgrade().expect("it is asking").issue("other", 3600));
    call(&of_first).unwrap();
    assert_eq!((first.token_requests(), second.token_requests()), (1, 0));
    // The second service does not accept the first one's token.
    call(&of_second).unwrap();
    assert_eq!((first.token_requests(), second.token_requests()), (1, 1));
    assert_eq!(second.last_token(), "other");
}
