//! The processes: each is started again after a crash.

use std::model;
use std::path::PathBuf;
use std::processes;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use payments_core::journal::{Entry, Needs};
use payments_core::operation::Operation;
use payments_core::signer::{Signer, SignerError, SigningInput};
use payments_core::{CallContext, Client, Config, Environment};
use payments_host::follow::FollowOptions;

use crate::chance::between;
use crate::journal::SharedJournal;
use crate::network::Network;
use crate::plan::{CallKind, HOUR, MINUTE, PlannedCall};
use crate::tokens::Store;
use crate::world::{DELIVERY, FOLLOWER, OPERATOR, RECOVERY, State, World};
use crate::{calls, shop};

/// How long a process stays away after a crash.
pub const LONGEST_RESTART: Duration = Duration::from_secs(300);

type Work = fn(&Arc<World>, &Client);

/// Starts all processes of the plan. They end when the run is over.
pub fn start(world: &Arc<World>) -> Vec<JoinHandle<()>> {
    let workers = world.with(|state| state.plan.workers);
    let others: [(usize, Work); 4] =
        [(RECOVERY, recovery), (FOLLOWER, follower), (DELIVERY, delivery), (OPERATOR, operator)];
    let roles = (0..workers).map(|role| (role, worker as Work));
    let roles = roles.chain(others.into_iter().map(|(role, work)| (workers + role, work)));
    roles.map(|(role, work)| start_one(world, role, work)).collect()
}

fn start_one(world: &Arc<World>, role: usize, work: Work) -> JoinHandle<()> {
    let world = Arc::clone(world);
    thread::spawn(move || {
        for incarnation in 1.. {
            processes::enter(u32::try_from(role * 1_000 + incarnation).expect("few"));
            work(&world, &client(&world));
            if !processes::has_crashed() {
                return;
            }
            // The operating system starts it again.
            processes::enter(0);
            let longest = u32::try_from(LONGEST_RESTART.as_secs()).expect("short");
            model::sleep(Duration::from_secs(between(1, longest).into()));
        }
    })
}

struct QuickSigner;

impl Signer for QuickSigner {
    fn kid(&self) -> &str {
        "kid-1"
    }

    fn sign(&self, _: &CallContext, _: &SigningInput<'_>) -> Result<Vec<u8>, SignerError> {
        Ok(vec![1; 512])
    }
}

fn client(world: &Arc<World>) -> Client {
    let config = Config::new("https://api.test")
        .environment(Environment::Production)
        .integration_key("key-1")
        .signer(Arc::new(QuickSigner))
        .client_credentials("https://auth.test", "client-1", "secret-1")
        .payout_query(true)
        .payout_not_found_codes(["NOT-FOUND"])
        .transport(Arc::new(Network(Arc::clone(world))))
        .token_store(Arc::new(Store(Arc::clone(world))))
        .journal(Arc::new(SharedJournal(Arc::clone(world))));
    Client::new(config).expect("the configuration is valid")
}

/// Makes the calls of the plan, each when it is due.
fn worker(world: &Arc<World>, client: &Client) {
    let mut clicks = Vec::new();
    while let Some((place, at)) = world.with(State::next_call) {
        model::sleep(at.saturating_sub(model::elapsed()));
        let taken = world.effect(|state| state.left[place].take());
        let Some(planned) = taken.flatten() else { break };
        if planned.kind == CallKind::Click {
            let (world, client) = (Arc::clone(world), client.clone());
            let click = move || shop::click(&world, &client, &planned.reference);
            clicks.push(thread::spawn(click));
        } else {
            calls::make(world, client, &planned);
        }
    }
    clicks.into_iter().for_each(|click| click.join().expect("a click ends"));
}

impl State {
    /// The next call of the calling process that is left, and when it is due.
    fn next_call(&mut self) -> Option<(usize, Duration)> {
        let role = crate::world::role_of(processes::current());
        let is_own = |it: &Option<PlannedCall>| it.as_ref().is_some_and(|it| it.worker == role);
        let place = self.left.iter().position(is_own)?;
        self.left[place].as_ref().map(|it| (place, it.at))
    }
}

/// Until the run is over, every so often.
fn every(world: &Arc<World>, pause: Duration, act: impl Fn()) {
    while !processes::has_crashed() && !world.with(|state| state.is_over) {
        act();
        model::sleep(pause);
    }
}

fn recovery(world: &Arc<World>, client: &Client) {
    every(world, HOUR, || {
        let recovered = payments_host::recover(client, &client.context());
        let said = recovered.map_or_else(
            |error| error.code().to_string(),
            |it| format!("{} recovered, {} open", it.recovered.len(), it.open.len()),
        );
        world.with(|state| state.note(|| format!("recovery: {said}")));
    });
}

/// Follows what is open, and begins again a minute after nothing is.
fn follower(world: &Arc<World>, client: &Client) {
    let path = world.with(|state| {
        let path = state.folder.join(processes::current().to_string());
        if let Some(left) = state.state_file.take() {
            std::fs::write(&path, left).expect("memory has room");
        }
        path
    });
    every(world, MINUTE, || follow(world, client, path.clone()));
}

/// Prints each end, and confirms it by asking for the next one.
fn follow(world: &Arc<World>, client: &Client, state: PathBuf) {
    let options = FollowOptions { state: Some(state), ..FollowOptions::default() };
    let stopped = match payments_host::follow(client, options, &client.context()) {
        Ok(ends) => ends
            .map(|end| {
                let end = end?;
                world.effect(|state| {
                    state.reported(&end);
                    state.take_end(&end);
                });
                Ok(())
            })
            .find(Result::is_err)
            .map_or(Ok(()), |it| it),
        Err(error) => Err(error),
    };
    if let Err(error) = stopped {
        world.with(|state| state.note(|| format!("follow: {error}")));
    }
}

fn delivery(world: &Arc<World>, _: &Client) {
    every(world, MINUTE, || shop::deliver_all(world));
}

/// A person, who settles what recovery leaves to one, after a look at the platform.
fn operator(world: &Arc<World>, client: &Client) {
    every(world, 2 * HOUR, || {
        let Ok(recovered) = payments_host::recover(client, &client.context()) else { return };
        for open in recovered.open.iter().filter(|it| it.needs == Needs::Person) {
            let entry = &open.entry;
            let executed = world.with(|state| state.looked_up(entry));
            let note = "looked up on the platform";
            let context = client.context();
            let said = payments_host::journal::resolve(client, &entry.id, executed, note, &context);
            world.with(|state| {
                let said =
                    said.map_or_else(|error| error.code().to_string(), |_| executed.to_string());
                state.note(|| format!("a person about {}: {said}", entry.reference));
                state.count("decisions of a person");
            });
        }
    });
}

impl State {
    /// Whether the ledger has what the entry records. Nobody has to look for what a query
    /// finds.
    fn looked_up(&mut self, entry: &Entry) -> bool {
        let executed = self.service.has(entry);
        if executed && entry.operation != Operation::RefundPayment {
            let reference = &entry.reference;
            self.broken(format!("a person is asked about {reference}, which a query finds"));
        }
        executed
    }
}
