//! State that the clients of a process share.

use core::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::model;
use std::sync::Arc;
use std::thread;

use payments_base::lru::LruTable;

use crate::{Client, Config};

pub fn made_once() {
    model::execution(|| {
        let (table, made) =
            (LruTable::new(1, |it: &Arc<u32>| Arc::strong_count(it) == 1), AtomicUsize::new(0));
        let get = |key: u32| {
            let make = || {
                made.fetch_add(1, SeqCst);
                Arc::new(key)
            };
            table.with(key, make, |value| {
                model::step();
                Arc::clone(value)
            })
        };
        thread::scope(|scope| {
            let two = [1, 1].map(|key| scope.spawn(move || get(key)));
            let other = scope.spawn(|| drop(get(2)));
            let [one, same] = two.map(|it| it.join().unwrap());
            other.join().unwrap();
            assert!(Arc::ptr_eq(&one, &same), "a value in use was dropped");
        });
    });
}

pub fn shared_clients() {
    model::execution(|| {
        let shared = || Client::shared(Config::new("http://127.0.0.1:9").integration_key("key"));
        let clients = [(); 3].map(|()| thread::spawn(move || shared().unwrap()));
        let [first, second, third] = clients.map(|it| it.join().unwrap());
        assert!([&second, &third].iter().all(|client| address(client) == address(&first)));
    });
}

fn address(client: &Client) -> usize {
    // SAFETY: a client is one pointer to the state that its clones share.
    unsafe { std::mem::transmute_copy(client) }
}
