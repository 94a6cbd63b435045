//! A payment that exists once, with and without a journal, at a service that
//! refuses a used reference and at one that does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use payments_core::journal::EntryState;
use payments_core::json::Json;
use payments_core::request::CreatePayment;
use payments_core::{
    CallContext, CancelHandle, Client, Error, ErrorCode, ErrorKind, Operation, Outcome,
};
use payments_host::{EnsuredPayment, ensure_payment};

use crate::support::calls;
use crate::support::journal::MemoryJournal;
use crate::support::raw_server::{RawServer, ReceivedRequest, json, response};

/// How the service behaves, and what it has.
#[derive(Default)]
struct Service {
    /// Whether it refuses a reference that was used.
    refuses: bool,
    /// Whether its queries find nothing.
    hides: AtomicBool,
    /// Whether the connection breaks once the next payment is made.
    loses: AtomicBool,
    /// Payments that others make while the next creation is under way.
    creates: Mutex<Vec<[String; 3]>>,
    /// A scripted response to creations.
    answers: Mutex<Option<Vec<u8>>>,
    /// A scripted response to queries.
    tells: Mutex<Option<Vec<u8>>>,
    /// Lets the first two queries pass together.
    meeting: Option<Barrier>,
    queries: Mutex<usize>,
    creations: Mutex<usize>,
    /// Amount, currency and status of each payment.
    payments: Mutex<Vec<[String; 3]>>,
}

impl Service {
    /// The response to a request; `None` if the connection breaks.
    fn respond(&self, request: &ReceivedRequest) -> Option<Vec<u8>> {
        if request.head.starts_with("GET") { Some(self.query()) } else { self.create(request) }
    }

    fn query(&self) -> Vec<u8> {
        let number = {
            let mut queries = self.queries.lock().unwrap();
            *queries += 1;
            *queries
        };
        let answer = self.answer_to_query();
        // Neither has created a payment when both answers are decided.
        if let Some(meeting) = self.meeting.as_ref().filter(|_| number <= 2) {
            meeting.wait();
        }
        answer
    }

    fn answer_to_query(&self) -> Vec<u8> {
        if let Some(response) = &*self.tells.lock().unwrap() {
            return response.clone();
        }
        let payments = self.payments.lock().unwrap();
        match payments.last().filter(|_| !self.hides.load(Ordering::SeqCst)) {
            Some([amount, currency, status]) => json(&format!(
                r#"{{"status":"SUCCESS","payment":{{"hash":"5f2c","merchant_payment_code":"order-1","status":"{status}","amount_ext":"{amount}","currency_ext":"{currency}"}}}}"#
            )),
            None => refusal("BP-REF-CAN-2"),
        }
    }

    fn create(&self, request: &ReceivedRequest) -> Option<Vec<u8>> {
        *self.creations.lock().unwrap() += 1;
        if let Some(answer) = &*self.answers.lock().unwrap() {
            return Some(answer.clone());
        }
        let body = Json::parse(&request.body).unwrap();
        let text = |at: &str| body.pointer(at).unwrap().as_text_or_number().unwrap().to_owned();
        let mut payments = self.payments.lock().unwrap();
        if self.refuses && !payments.is_empty() {
            return Some(refusal("BP-DR-0"));
        }
        let made = [text("/payment/amount_total"), text("/payment/currency_code"), "PE".to_owned()];
        payments.push(made);
        payments.append(&mut self.creates.lock().unwrap());
        let created = r#"{"status":"SUCCESS","payment":{"hash":"5f2c","status":"PE"}}"#;
        (!self.loses.swap(false, Ordering::SeqCst)).then(|| json(created))
    }

    fn creations(&self) -> usize {
        *self.creations.lock().unwrap()
    }
}

fn refusal(code: &str) -> Vec<u8> {
    json(&format!(r#"{{"status":"ERROR","status_code":"{code}","status_message":"no"}}"#))
}

/// A service and its client, of which each test has four kinds.
struct Shop {
    service: Arc<Service>,
    server: RawServer,
    journal: Option<Arc<MemoryJournal>>,
}

impl Shop {
    fn of(service: Service, has_journal: bool) -> Self {
        let service = Arc::new(service);
        let serving = Arc::clone(&service);
        let server = RawServer::start(move |mut connection| {
            while let Some(request) = connection.read_request() {
                let Some(response) = serving.respond(&request) else { return };
                connection.write(&response);
            }
        });
        Self { service, server, journal: has_journal.then(Arc::default) }
    }

    /// Each call has its own client, as in another process.
    fn client(&self) -> Client {
        let config = calls::config(&self.server.base_url()).query_retries(0);
        let journal = self.journal.clone();
        let config = match journal {
            Some(journal) => config.journal(journal),
            None => config,
        };
        Client::new(config).unwrap()
    }

    fn ensure(&self, request: &CreatePayment) -> Result<EnsuredPayment, Error> {
        let client = self.client();
        ensure_payment(&client, request, &client.context())
    }

    /// Like [`ensure`](Self::ensure), for a payment that is not found.
    fn ensure_in_vain(&self) -> Error {
        let context = CallContext::with_timeout(Duration::from_secs(4));
        ensure_payment(&self.client(), &order(), &context).unwrap_err()
    }

    fn body_unless_journaled(&self) -> &'static [&'static str] {
        if self.journal.is_some() { &[] } else { &["body"] }
    }

    fn states(&self) -> Vec<EntryState> {
        let entries = self.journal.iter().flat_map(|it| it.all());
        entries.map(|it| it.state).collect()
    }
}

/// Runs a test for each kind of shop, at the same time.
fn in_each_shop(test: impl Fn(&Shop) + Sync) {
    in_each_shop_of(|_, refuses| Service { refuses, ..Service::default() }, test);
}

fn in_each_shop_of(service: impl Fn(bool, bool) -> Service + Sync, test: impl Fn(&Shop) + Sync) {
    std::thread::scope(|scope| {
        for (has_journal, refuses) in [(false, false), (false, true), (true, false), (true, true)] {
            let (service, test) = (&service, &test);
            scope.spawn(move || test(&Shop::of(service(has_journal, refuses), has_journal)));
        }
    });
}

const ORDER: &str = r#"{"payment":{"name":"Maria Souza","email":"maria@example.com","country":"br",
    "payment_type_code":"pix","merchant_payment_code":"order-1","currency_code":"BRL",
    "amount_total":"100.10","document":"853.513.468-93"}}"#;

fn order() -> CreatePayment {
    order_with("", "")
}

/// The order with another text in its place.
fn order_with(text: &str, other: &str) -> CreatePayment {
    CreatePayment::from_json(ORDER.replacen(text, other, 1).as_bytes()).unwrap()
}

#[test]
fn two_calls_at_once_create_one_payment_with_a_journal() {
    // With a journal, the calls of a process share one query.
    let service = |has_journal: bool, refuses| {
        let meeting = (!has_journal).then(|| Barrier::new(2));
        Service { refuses, meeting, ..Service::default() }
    };
    in_each_shop_of(service, |shop| {
        let both: Vec<_> = std::thread::scope(|scope| {
            let call = || scope.spawn(|| shop.ensure(&order()).unwrap());
            let calls = [call(), call()];
            calls.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let is_refused = shop.service.refuses;
        let (creations, payments) = match (&shop.journal, is_refused) {
            (Some(_), _) => (1, 1),
            (None, true) => (2, 1),
            // That depends on the service.
            (None, false) => (2, 2),
        };
        assert_eq!(shop.service.creations(), creations);
        assert_eq!(shop.service.payments.lock().unwrap().len(), payments);
        assert_eq!(both.iter().filter(|it| it.is_created).count(), payments);
    });
}

#[test]
fn a_lost_response_is_queried_and_never_created_again() {
    in_each_shop(|shop| {
        let service = &shop.service;
        service.loses.store(true, Ordering::SeqCst);
        service.hides.store(true, Ordering::SeqCst);
        let error = shop.ensure_in_vain();
        assert_eq!((error.outcome(), service.creations()), (Outcome::Unknown, 1), "{error}");
        assert!(error.advice().is_some() && error.reference() == Some("order-1"), "{error}");
        if shop.journal.is_some() {
            let error = shop.ensure_in_vain();
            assert_eq!((error.code(), error.outcome()), (ErrorCode::UNRESOLVED, Outcome::Unknown));
            assert!(error.advice().is_some() && error.reference() == Some("order-1"), "{error}");
            assert_eq!((service.creations(), shop.states()), (1, vec![EntryState::Unknown]));
        }
        service.hides.store(false, Ordering::SeqCst);
        let found = shop.ensure(&order()).unwrap();
        assert_eq!((found.is_created, &*found.unchecked), (false, shop.body_unless_journaled()));
        assert_eq!((service.creations(), service.payments.lock().unwrap().len()), (1, 1));
        assert!(shop.states().iter().all(|state| *state == EntryState::Done), "as recovery does");
    });
}

#[test]
fn another_payment_does_not_hide_the_creation_that_was_sent() {
    in_each_shop(|shop| {
        let made = ["7.00", "BRL", "PE"].map(str::to_owned);
        shop.service.creates.lock().unwrap().push(made);
        shop.service.loses.store(true, Ordering::SeqCst);
        let error = shop.ensure(&order()).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (ErrorCode::REFERENCE_USED, Outcome::Unknown));
        assert!(error.message().contains("the creation that this call sent may"), "{error}");
        assert_eq!(shop.service.creations(), 1);
    });
}

#[test]
fn a_cancelled_call_keeps_the_advice_to_compare() {
    in_each_shop(|shop| {
        shop.ensure(&order()).unwrap();
        let error = shop.ensure(&order_with("100.10", "200.00")).unwrap_err();
        assert!(!error.message().contains("this call sent"), "{error}");
        let advice = error.advice();
        assert_eq!(error.into_cancelled().advice(), advice);
    });
}

#[test]
fn another_body_is_known_to_a_journal_only() {
    in_each_shop(|shop| {
        shop.ensure(&order()).unwrap();
        let found = shop.ensure(&order_with("maria@", "ana@"));
        assert_eq!(shop.service.creations(), 1);
        if shop.journal.is_none() {
            assert_eq!(found.unwrap().unchecked, ["body"]);
            return;
        }
        let error = found.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Journal, ErrorCode::REFERENCE_USED));
        assert_eq!(error.outcome(), Outcome::Unknown);
        assert!(error.advice().unwrap().contains("compare the two"), "{error}");
        // The same amount may be written otherwise.
        assert!(shop.ensure(&order_with("100.10", "100.1")).is_ok());
    });
}

#[test]
fn a_doubtful_refusal_is_queried_and_stays_unknown() {
    in_each_shop(|shop| {
        *shop.service.answers.lock().unwrap() = Some(refusal("BP-DR-84"));
        let error = shop.ensure_in_vain();
        assert_eq!((error.outcome(), error.service_code()), (Outcome::Unknown, Some("BP-DR-84")));
        assert_eq!(shop.service.creations(), 1);
        assert!(*shop.service.queries.lock().unwrap() > 1);
        if shop.journal.is_some() {
            assert_eq!(shop.ensure_in_vain().code(), ErrorCode::UNRESOLVED);
            assert_eq!(shop.service.creations(), 1);
        }
    });
}

#[test]
fn a_refusal_is_returned_and_may_be_followed_by_another_try() {
    in_each_shop(|shop| {
        *shop.service.answers.lock().unwrap() = Some(refusal("BP-DR-6"));
        let error = shop.ensure(&order()).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (ErrorCode::REFUSED, Outcome::NotExecuted));
        *shop.service.answers.lock().unwrap() = None;
        assert!(shop.ensure(&order()).unwrap().is_created);
        assert_eq!(shop.service.creations(), 2);
    });
}

#[test]
fn a_query_that_fails_creates_nothing_and_proves_nothing() {
    for failure in [
        response("404 Not Found", "", ""),
        response("404 Not Found", "content-type: text/html\r\n", "<html>no such page</html>"),
        response("503 Service Unavailable", "", ""),
        response("401 Unauthorized", "", ""),
        refusal("BP-SA-1"),
        json("[]"),
        json(r#"{"status":"SUCCESS","payment":{"status":"CO","merchant_payment_code":"order-2"}}"#),
    ] {
        in_each_shop(|shop| {
            *shop.service.tells.lock().unwrap() = Some(failure.clone());
            let error = shop.ensure(&order()).unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
            assert_eq!(error.operation(), Some(Operation::CreatePayment), "{error}");
            assert!(error.advice().unwrap().contains("call `ensure_payment()` again"), "{error}");
            assert_eq!((shop.service.creations(), shop.states().len()), (0, 0), "{error}");
        });
    }
}

#[test]
fn the_journal_decides_before_the_service() {
    let shop = Shop::of(Service::default(), true);
    let journal = shop.journal.clone().unwrap();
    shop.ensure(&order()).unwrap();
    // The service does not find what the journal says was done.
    shop.service.hides.store(true, Ordering::SeqCst);
    let error = shop.ensure_in_vain();
    assert_eq!((error.code(), error.outcome()), (ErrorCode::ALREADY_DONE, Outcome::Executed));
    let by_hash = shop.server.requests().iter().rev().any(|it| it.head.contains("hash=5f2c"));
    assert!(by_hash, "it is queried by its hash");
    // Another process is creating it, or was killed.
    journal.change(|entry| entry.state = EntryState::InProgress);
    let error = shop.ensure_in_vain();
    assert_eq!((error.code(), error.outcome()), (ErrorCode::IN_PROGRESS, Outcome::Unknown));
    *journal.ahead.lock().unwrap() = 3_600_000;
    assert_eq!(shop.ensure_in_vain().code(), ErrorCode::UNRESOLVED);
    assert_eq!(shop.service.creations(), 1);
    journal.change(|entry| entry.state = EntryState::Failed);
    assert!(shop.ensure(&order()).unwrap().is_created);
    assert_eq!(shop.service.creations(), 2);
}

#[test]
fn a_journal_that_does_not_work_ends_the_call() {
    let shop = Shop::of(Service::default(), true);
    let fails = || Err(payments_core::journal::JournalError::new("no connection"));
    *shop.journal.as_ref().unwrap().before_find.lock().unwrap() = Some(Box::new(fails));
    let error = shop.ensure(&order()).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Journal, Outcome::Unknown));
    assert!(shop.server.requests().is_empty());
}

#[test]
fn cancelling_keeps_the_doubt() {
    in_each_shop(|shop| {
        shop.service.loses.store(true, Ordering::SeqCst);
        shop.service.hides.store(true, Ordering::SeqCst);
        let cancel = CancelHandle::new();
        let context = CallContext::new(Duration::from_secs(60), cancel.clone(), None);
        let client = shop.client();
        let error = std::thread::scope(|scope| {
            let call = scope.spawn(move || ensure_payment(&client, &order(), &context));
            while *shop.service.queries.lock().unwrap() < 2 {
                std::thread::yield_now();
            }
            cancel.cancel();
            call.join().unwrap().unwrap_err()
        });
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Cancelled, Outcome::Unknown));
        assert_eq!((shop.service.creations(), error.reference()), (1, Some("order-1")));
    });
}

#[cfg(all(unix, feature = "journal-sqlite"))]
mod processes {
    use payments_core::Config;
    use payments_core::journal::SqliteJournal;

    use super::*;
    use crate::support::child;
    use crate::support::folder::Folder;

    const SERVICE: &str = "PAYMENTS_TEST_SERVICE";
    const JOURNAL: &str = "PAYMENTS_TEST_JOURNAL";

    #[test]
    fn two_processes_at_once_create_one_payment() {
        if let (Ok(url), Ok(journal)) = (std::env::var(SERVICE), std::env::var(JOURNAL)) {
            let config: Config = calls::config(&url).journal_file(journal);
            let client = Client::new(config).unwrap();
            ensure_payment(&client, &order(), &client.context()).unwrap();
            return;
        }
        for refuses in [true, false] {
            let folder = Folder::new();
            SqliteJournal::create(folder.journal()).unwrap();
            let meeting = Some(Barrier::new(2));
            let shop = Shop::of(Service { refuses, meeting, ..Service::default() }, false);
            let (url, journal) = (shop.server.base_url(), folder.journal());
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    let mut child = child::command(two_processes_at_once_create_one_payment);
                    child.env(SERVICE, &url).env(JOURNAL, &journal);
                    scope.spawn(move || child::must_pass(&mut child));
                }
            });
            assert_eq!(shop.service.creations(), 1);
        }
    }
}
