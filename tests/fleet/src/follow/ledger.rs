//! The created payments, their ends, and the reports.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use payments_core::{
    Client, Config, CreatePayment, CreatePayout, Payee, Payment, Payout, RefundPayment,
};
use payments_sandbox::{PaymentStatus, PayoutStatus, RefundStatus, Sandbox};
use serde_json::Value;

use crate::numbers::Numbers;

const AT_ONCE: usize = 4;

/// How an item ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Ending {
    Confirmed,
    Cancelled,
    /// It stays open.
    Never,
}

impl Ending {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Cancelled => "cancelled",
            Self::Never => "given_up",
        }
    }
}

/// A payment or a payout by its reference, or a refund by the hash of its payment.
struct Item {
    made: Made,
    ending: Ending,
    /// Whether each report had the mark.
    reports: Vec<bool>,
}

enum Made {
    Payment,
    /// A refund of that id.
    Refund(String),
    Payout,
}

impl Made {
    const fn operation(&self) -> &'static str {
        match self {
            Self::Payment => "create_payment",
            Self::Refund(_) => "refund_payment",
            Self::Payout => "create_payout",
        }
    }
}

pub(super) struct Ledger {
    items: HashMap<String, Item>,
    /// The items that are to end, the last one first.
    left: Vec<String>,
    all_that_end: usize,
    began: Option<Instant>,
}

impl Ledger {
    /// Creates `count` payments in a journal. Each tenth is paid and refunded:
    /// its refund counts. Another tenth are payouts.
    pub(super) fn create(configuration: &str, sandbox: &Sandbox, count: usize) -> Self {
        let client = Client::new(Config::from_json(configuration.as_bytes()).unwrap()).unwrap();
        let create = |first: usize| {
            let numbers = (first..count).step_by(AT_ONCE);
            numbers.map(|number| created(&client, sandbox, number)).collect::<Vec<_>>()
        };
        let created: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..AT_ONCE).map(|first| scope.spawn(move || create(first))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let mut numbers = Numbers::new();
        let (mut items, mut left) = (HashMap::new(), Vec::new());
        for (reference, made) in created {
            let ending = match numbers.below(10) {
                0 => Ending::Never,
                1..=3 => Ending::Cancelled,
                _ => Ending::Confirmed,
            };
            if ending != Ending::Never {
                let place = numbers.below(left.len() as u64 + 1) as usize;
                left.push(reference.clone());
                let last = left.len() - 1;
                left.swap(place, last);
            }
            items.insert(reference, Item { made, ending, reports: Vec::new() });
        }
        let all_that_end = left.len();
        Self { items, left, all_that_end, began: None }
    }

    pub(super) fn has_more_to_end(&self) -> bool {
        !self.left.is_empty()
    }

    /// Ends payments evenly over `span`.
    pub(super) fn end_due_items(&mut self, sandbox: &Sandbox, span: Duration) {
        let elapsed = self.began.get_or_insert_with(Instant::now).elapsed();
        let share = (elapsed.as_secs_f64() / span.as_secs_f64()).min(1.0);
        let stay = self.all_that_end - (self.all_that_end as f64 * share) as usize;
        for reference in self.left.drain(stay.min(self.left.len())..) {
            let item = &self.items[&reference];
            let is_confirmed = item.ending == Ending::Confirmed;
            match &item.made {
                Made::Refund(id) if is_confirmed => {
                    drop(sandbox.move_refund(id, RefundStatus::Confirmed).unwrap())
                }
                Made::Refund(id) => drop(sandbox.move_refund(id, RefundStatus::Cancelled).unwrap()),
                Made::Payout if is_confirmed => {
                    drop(sandbox.move_payout(&reference, PayoutStatus::Paid).unwrap())
                }
                Made::Payout => {
                    drop(sandbox.move_payout(&reference, PayoutStatus::Cancelled).unwrap())
                }
                Made::Payment if is_confirmed => {
                    drop(sandbox.move_payment(&reference, PaymentStatus::Confirmed).unwrap())
                }
                Made::Payment => {
                    drop(sandbox.move_payment(&reference, PaymentStatus::Cancelled).unwrap())
                }
            }
        }
    }

    pub(super) fn record(&mut self, end: &Value) {
        if end["end"] == "behind" {
            // Time passes faster than queries are made.
            return;
        }
        let reference = end["reference"].as_str().unwrap();
        // The payment of a refund was paid before it was followed.
        let is_it = |it: &&mut Item| end["operation"] == it.made.operation();
        let Some(item) = self.items.get_mut(reference).filter(is_it) else {
            assert_eq!(end["end"], "confirmed", "{end}");
            return;
        };
        assert_eq!(end["end"], item.ending.as_str(), "{end}");
        item.reports.push(end["repeated"].as_bool().unwrap());
    }

    /// None is lost, and none is reported again without the mark.
    pub(super) fn check(&self) {
        for (reference, item) in &self.items {
            assert!(!item.reports.is_empty(), "{reference} was lost");
            let unmarked = item.reports.iter().skip(1).filter(|repeated| !*repeated).count();
            assert_eq!(unmarked, 0, "{reference} was reported again without the mark");
        }
    }

    pub(super) fn summary(&self) -> String {
        let count =
            |counts: &dyn Fn(&Item) -> bool| self.items.values().filter(|it| counts(it)).count();
        format!(
            "{} confirmed, {} cancelled, {} given up; {} were reported again, with the mark",
            count(&|it| it.ending == Ending::Confirmed),
            count(&|it| it.ending == Ending::Cancelled),
            count(&|it| it.ending == Ending::Never),
            count(&|it| it.reports.len() > 1),
        )
    }
}

/// The reference of the created payment or payout.
fn created(client: &Client, sandbox: &Sandbox, number: usize) -> (String, Made) {
    let reference = format!("order-{number}");
    if number % 10 == 1 {
        client.create_payout(&payout(&reference)).unwrap();
        return (reference, Made::Payout);
    }
    let payment = Payment {
        name: "Ana Pérez".into(),
        email: "ana@example.com".into(),
        country: "mx".into(),
        payment_type_code: "oxxo".into(),
        merchant_payment_code: reference.as_str().into(),
        currency_code: "MXN".into(),
        amount_total: 150_u32.into(),
        ..Payment::default()
    };
    let response = client.create_payment(&CreatePayment::new(payment)).unwrap();
    if !number.is_multiple_of(10) {
        return (reference, Made::Payment);
    }
    let hash = response.hash().unwrap().to_owned();
    sandbox.confirm_payment(&hash).unwrap();
    let refund = RefundPayment::by_hash(&hash).merchant_refund_code(&format!("refund-{number}"));
    let response = client.refund_payment(&refund).unwrap();
    let id = response.refund_id().unwrap().to_owned();
    (hash, Made::Refund(id))
}

fn payout(reference: &str) -> CreatePayout {
    CreatePayout::new(Payout {
        external_reference: reference.into(),
        country: "br".into(),
        amount: 150_u32.into(),
        currency_code: "BRL".into(),
        target: Some("pix_key".into()),
        target_account: Some("ana@example.com".into()),
        payee: Some(Payee { name: Some("Ana Pérez".into()), ..Payee::default() }),
        ..Payout::default()
    })
}
