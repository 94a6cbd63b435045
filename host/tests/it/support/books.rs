//! A service with books: it keeps each payment that it was asked for, and a test
//! decides how it answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_core::json::Json;
use payments_core::observer::{Event, EventKind};
use payments_core::request::CreatePayment;
use payments_core::{CallContext, Client, Config, Error};
use payments_host::{EnsuredPayment, ensure_payment};

use super::calls;
use super::journal::MemoryJournal;
use super::raw_server::{RawServer, ReceivedRequest, json, response};

/// A payment of the books.
#[derive(Clone, Debug)]
pub struct Booked {
    pub hash: String,
    pub reference: String,
    pub status: &'static str,
    /// Its members in responses, beside those.
    pub members: String,
}

/// The answers of the service to one kind of request.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Answers {
    /// As the books say.
    #[default]
    Right,
    /// 503.
    Down,
    /// A query finds nothing; a creation is executed, and its response lost.
    Lost,
    /// The operation is refused.
    Refused,
}

#[derive(Default)]
pub struct Books {
    pub payments: Mutex<Vec<Booked>>,
    pub queries: Mutex<Answers>,
    /// The answers to queries by a reference, and to those by a hash.
    pub by_reference: Mutex<Answers>,
    pub by_hash: Mutex<Answers>,
    pub creations: Mutex<Answers>,
    /// Whether references are compared, and shown, without regard to capitals.
    pub ignores_case: bool,
    /// The characters of a reference that are kept; 0 for all.
    pub cuts_at: usize,
    /// Whether responses leave out the reference.
    pub hides_references: bool,
    /// Runs before a query is answered.
    pub before_query: Mutex<Option<Arc<dyn Fn() + Send + Sync>>>,
    /// The members that the next payment shows.
    pub shows: Mutex<String>,
    /// The requests, as `create` and the query strings.
    pub log: Mutex<Vec<String>>,
}

impl Books {
    fn respond(&self, request: &ReceivedRequest) -> Option<Vec<u8>> {
        if request.head.starts_with("GET") {
            let target = request.head.split(' ').nth(1).unwrap().to_owned();
            let query = target.split_once('?').unwrap().1.replace("integration_key=key-1&", "");
            self.log.lock().unwrap().push(query.clone());
            let before = self.before_query.lock().unwrap().clone();
            before.inspect(|run| run());
            return Some(self.query(&query));
        }
        self.log.lock().unwrap().push("create".to_owned());
        self.create(request)
    }

    fn kept(&self, reference: &str) -> String {
        match self.cuts_at {
            0 => reference.to_owned(),
            at => reference.chars().take(at).collect(),
        }
    }

    fn is_same(&self, one: &str, other: &str) -> bool {
        one == other || self.ignores_case && one.eq_ignore_ascii_case(other)
    }

    fn query(&self, query: &str) -> Vec<u8> {
        let by_reference = query.starts_with("merchant_payment_code=");
        let answers = match *self.queries.lock().unwrap() {
            Answers::Right if by_reference => *self.by_reference.lock().unwrap(),
            Answers::Right => *self.by_hash.lock().unwrap(),
            answers => answers,
        };
        match answers {
            Answers::Right => {}
            Answers::Down => return response("503 Service Unavailable", "", ""),
            Answers::Lost => return refusal("BP-REF-CAN-2"),
            Answers::Refused => return refusal("BP-SA-1"),
        }
        let (name, value) = query.split_once('=').unwrap();
        let payments = self.payments.lock().unwrap();
        let found = payments.iter().rev().find(|it| match name {
            "hash" => it.hash == value,
            _ => self.is_same(&it.reference, &self.kept(value)),
        });
        found.map_or_else(|| refusal("BP-REF-CAN-2"), |it| self.shown(it))
    }

    fn create(&self, request: &ReceivedRequest) -> Option<Vec<u8>> {
        let answers = *self.creations.lock().unwrap();
        match answers {
            Answers::Right | Answers::Lost => {}
            Answers::Down => return Some(response("503 Service Unavailable", "", "")),
            Answers::Refused => return Some(refusal("BP-DR-6")),
        }
        let body = Json::parse(&request.body).unwrap();
        let reference = body.pointer("/payment/merchant_payment_code").unwrap().as_str().unwrap();
        let reference = self.kept(reference);
        let mut payments = self.payments.lock().unwrap();
        let known =
            payments.iter().find(|it| self.ignores_case && self.is_same(&it.reference, &reference));
        if let Some(known) = known {
            return Some(self.shown(known));
        }
        let made = Booked {
            hash: format!("{:048x}", payments.len() + 1),
            reference,
            status: "PE",
            members: self.shows.lock().unwrap().clone(),
        };
        payments.push(made.clone());
        (answers == Answers::Right).then(|| self.shown(&made))
    }

    fn shown(&self, payment: &Booked) -> Vec<u8> {
        let Booked { hash, reference, status, members } = payment;
        let reference = if self.hides_references {
            String::new()
        } else {
            format!(r#""merchant_payment_code":"{reference}","#)
        };
        json(&format!(
            r#"{{"status":"SUCCESS","payment":{{"hash":"{hash}",{reference}"status":"{status}"{members}}}}}"#
        ))
    }

    pub fn creations(&self) -> usize {
        self.log.lock().unwrap().iter().filter(|it| *it == "create").count()
    }

    pub fn last(&self) -> String {
        self.log.lock().unwrap().last().unwrap().clone()
    }

    /// Changes the payment that was made last.
    pub fn change(&self, change: impl FnOnce(&mut Booked)) {
        change(self.payments.lock().unwrap().last_mut().unwrap());
    }

    /// Adds a payment that no call of the client has made.
    pub fn add(&self, reference: &str, status: &'static str, members: &str) -> String {
        let mut payments = self.payments.lock().unwrap();
        let hash = format!("{:048x}", payments.len() + 1);
        let (reference, members) = (reference.to_owned(), members.to_owned());
        payments.push(Booked { hash: hash.clone(), reference, status, members });
        hash
    }
}

fn refusal(code: &str) -> Vec<u8> {
    json(&format!(r#"{{"status":"ERROR","status_code":"{code}","status_message":"no"}}"#))
}

/// A merchant of that service.
pub struct Merchant {
    pub books: Arc<Books>,
    server: RawServer,
    pub journal: Option<Arc<MemoryJournal>>,
}

impl Merchant {
    pub fn of(books: Books, has_journal: bool) -> Self {
        let books = Arc::new(books);
        let serving = Arc::clone(&books);
        let server = RawServer::start(move |mut connection| {
            while let Some(request) = connection.read_request() {
                let Some(response) = serving.respond(&request) else { return };
                connection.write(&response);
            }
        });
        Self { books, server, journal: has_journal.then(Arc::default) }
    }

    pub fn config(&self) -> Config {
        let config = calls::config(&self.server.base_url()).query_retries(0);
        match &self.journal {
            Some(journal) => config.journal(Arc::clone(journal) as _),
            None => config,
        }
    }

    /// Each call has its own client, as in another process.
    pub fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }

    pub fn ensure(&self, request: &CreatePayment) -> Result<EnsuredPayment, Error> {
        self.ensure_with(&self.client(), request)
    }

    /// Waits for nothing: the table of outcomes is the same then.
    pub fn ensure_with(
        &self,
        client: &Client,
        request: &CreatePayment,
    ) -> Result<EnsuredPayment, Error> {
        ensure_payment(client, request, &CallContext::with_timeout(Duration::from_secs(60)))
    }

    pub fn journal(&self) -> &MemoryJournal {
        self.journal.as_ref().unwrap()
    }
}

/// The request for an order, as JSON.
pub fn order(reference: &str) -> String {
    format!(
        r#"{{"payment":{{"name":"Maria Souza","email":"maria@example.com","country":"br",
        "payment_type_code":"pix","merchant_payment_code":"{reference}","currency_code":"BRL",
        "amount_total":"100.10","document":"853.513.468-93"}}}}"#
    )
}

pub fn request(text: &str) -> CreatePayment {
    CreatePayment::from_json(text.as_bytes()).unwrap()
}

/// A client that waits for no payment.
pub fn impatient(merchant: &Merchant) -> Client {
    Client::new(merchant.config().ensure_wait(Duration::ZERO)).unwrap()
}

/// A client, and the reasons of its `journal_failed`.
pub fn observed(merchant: &Merchant) -> (Client, Arc<Mutex<Vec<String>>>) {
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&reasons);
    let observer = move |event: &Event<'_>| {
        if let EventKind::JournalFailed { reason, .. } = event.kind {
            told.lock().unwrap().push((*reason).to_owned());
        }
    };
    (Client::new(merchant.config().observer(Arc::new(observer))).unwrap(), reasons)
}
