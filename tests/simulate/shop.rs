//! A shop: what it stores about an order, and what changes it, as
//! docs/order-to-delivery.md says. Its own clock and the outcome of a call are all
//! that it goes by.

use std::model;
use std::sync::Arc;
use std::time::Duration;

use payments_core::error::{Error, Outcome, Reason};
use payments_core::{CallContext, Client};
use payments_host::follow::{EndKind, FollowEnd};
use payments_host::{EnsuredPayment, ensure_payment};

use crate::calls::{self, payment};
use crate::chance::one_in;
use crate::plan::{FaultKind, MINUTE};
use crate::world::{State, World};

#[derive(Clone, Debug)]
pub struct Order {
    pub state: OrderState,
    /// The number of the call in progress, and until when it may run.
    attempt: u64,
    until: Duration,
    hash: Option<String>,
    tries: u32,
    /// How often the goods have left.
    pub goods: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderState {
    Waiting,
    NotPaid,
    Conflict,
    Cancelled,
    Delivering,
    Delivered,
}

const CALL: Duration = Duration::from_secs(8);

/// A click on "Pay".
pub fn click(world: &Arc<World>, client: &Client, reference: &str) {
    let begun = world.effect(|state| state.begin_attempt(reference));
    let Some(attempt) = begun.flatten() else { return };
    let (request, context) = (payment(reference), CallContext::with_timeout(CALL));
    let ensure = || ensure_payment(client, &request, &context);
    let Some(result) = calls::ensured(world, reference, CALL, ensure) else { return };
    world.effect(|state| state.end_attempt(reference, attempt, &result));
}

impl State {
    /// Begins a call for an order; `None` if it has ended or another call may run.
    fn begin_attempt(&mut self, reference: &str) -> Option<u64> {
        let now = model::elapsed();
        let begins = match self.orders.get(reference) {
            None => true,
            Some(Order { state: OrderState::NotPaid, .. }) => true,
            Some(Order { state: OrderState::Waiting, hash: None, until, .. }) => *until < now,
            Some(_) => false,
        };
        self.note(|| format!("click {reference}: {begins}"));
        let order = Order {
            state: OrderState::Waiting,
            attempt: self.orders.get(reference).map_or(1, |it| it.attempt + 1),
            until: now + CALL + Duration::from_secs(2),
            hash: None,
            tries: 0,
            goods: 0,
        };
        begins.then(|| self.orders.insert(reference.to_owned(), order.clone()));
        begins.then_some(order.attempt)
    }

    fn end_attempt(
        &mut self,
        reference: &str,
        attempt: u64,
        result: &Result<EnsuredPayment, Error>,
    ) {
        let order = self.orders.get_mut(reference).expect("it was begun");
        if order.state != OrderState::Waiting || order.attempt != attempt {
            return;
        }
        order.until = Duration::ZERO;
        match result {
            Ok(found) => order.hash = found.payment.hash().map(str::to_owned),
            Err(error) if error.reason() == Some(Reason::ReferenceTaken) => {
                order.state = OrderState::Conflict;
            }
            Err(error) if error.outcome() == Outcome::NotExecuted => {
                order.state = OrderState::NotPaid;
            }
            Err(_) => {}
        }
    }

    /// Changes an order by an end that the follower reports.
    pub fn take_end(&mut self, end: &FollowEnd) {
        let Some(order) = self.orders.get_mut(&end.reference) else { return };
        let is_open = matches!(order.state, OrderState::Waiting | OrderState::NotPaid);
        match end.end {
            EndKind::Confirmed if is_open && end.amount.as_deref() == Some("100.10") => {
                (order.state, order.until) = (OrderState::Delivering, Duration::ZERO);
            }
            EndKind::Cancelled if is_open => order.state = OrderState::Cancelled,
            _ => {}
        }
    }

    /// Takes the next order to deliver.
    fn next_delivery(&mut self) -> Option<String> {
        let now = model::elapsed();
        let is_due = |it: &Order| it.state == OrderState::Delivering && it.until <= now;
        let (reference, order) = self.orders.iter_mut().find(|(_, order)| is_due(order))?;
        order.tries += 1;
        order.until = now + (MINUTE * 2_u32.pow(order.tries.min(6)));
        if order.tries > 1 {
            self.interrupted.insert(reference.clone());
        }
        Some(reference.clone())
    }

    /// Whether the goods have arrived, as far as the shop is told.
    fn deliver(&mut self, reference: &str) -> bool {
        let fails = self.faults().any(|it| matches!(it, FaultKind::Delivery));
        if !fails || one_in(2) {
            self.orders.get_mut(reference).expect("it is an order").goods += 1;
            self.note(|| format!("DELIVERED {reference}"));
        }
        !fails
    }
}

/// Delivers what is due.
pub fn deliver_all(world: &Arc<World>) {
    while let Some(Some(reference)) = world.effect(State::next_delivery) {
        if world.effect(|state| state.deliver(&reference)) == Some(true) {
            world.effect(|state| {
                let order = state.orders.get_mut(&reference).expect("it is an order");
                order.state = OrderState::Delivered;
            });
        }
    }
}
