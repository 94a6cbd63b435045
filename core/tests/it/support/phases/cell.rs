//! One cell of the table: a call that ends in one phase in one way.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use payments_core::context::InterruptHook;
use payments_core::journal::{Entry, EntryState};
use payments_core::observer::Event;
use payments_core::request::{QueryPayment, RefundPayment};
use payments_core::{CallContext, Client, Config, Environment, Error, ErrorKind, Outcome};

use super::doubles::{StageJournal, StageSigner, StageStore, StageTransport};
use super::peer::{self, Peer};
use super::stage::Stage;
use super::turn::{self, MANY_ASKS, Turn};
use super::{Actor, Call, Earlier, End, Forks, Phase};
use crate::support::calls;
use crate::support::journal::MemoryJournal;
use crate::support::tokens::TestStore;

/// Only a hanging call reaches it.
const FAR: Duration = Duration::from_secs(60);
/// The first deadline of a call that is to miss it. It is doubled until the call
/// reaches its phase in time, which depends on the load of the machine. Some
/// phases take longer.
const NEAR: Duration = Duration::from_millis(100);

/// The observed end of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The entry of the journal, if the call has one.
    pub entry: Option<String>,
    pub lines: Vec<String>,
    pub broken_rules: Vec<String>,
}

/// A call that has ended.
struct EndedCall {
    result: Result<(), Error>,
    attempts: u32,
    may_have_sent: bool,
}

pub fn run(phase: &Phase, call: Call, end: End, forks: Option<Forks>) -> Cell {
    let mut limit = match end {
        End::Deadline if phase.actor == Actor::Peer(peer::Step::Write) => NEAR * 32,
        End::Deadline if phase.actor == Actor::Turn => NEAR * 16,
        End::Deadline if phase.actor == Actor::Peer(peer::Step::Connect) => NEAR * 8,
        End::Deadline => NEAR,
        _ => FAR,
    };
    loop {
        let cell = Setting::new(phase, call, end, forks).run(limit);
        if let Some(cell) = cell {
            return cell;
        }
        assert_eq!(end, End::Deadline, "{}, {call:?}: the call never came there", phase.name);
        limit *= 2;
        assert!(limit < FAR, "{}, {call:?}: the call never came there", phase.name);
    }
}

/// Everything around one call.
struct Setting<'a> {
    phase: &'a Phase,
    call: Call,
    end: End,
    forks: Option<Forks>,
    stage: Arc<Stage>,
    journal: Arc<MemoryJournal>,
    client: Client,
    peer: Option<Peer>,
}

impl<'a> Setting<'a> {
    fn new(phase: &'a Phase, call: Call, end: End, forks: Option<Forks>) -> Self {
        // The memory of a process about a journal is kept by scope.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let scope = format!("scope-{}", NUMBER.fetch_add(1, Ordering::SeqCst));
        let stage = Stage::new(end, phase.moment, forks);
        let journal = Arc::new(MemoryJournal::default());
        let (config, peer) = match phase.actor {
            Actor::Peer(step) => {
                let peer = Peer::start(step, end, Arc::clone(&stage));
                (peer.configure(calls::config(&peer.base_url())), Some(peer))
            }
            Actor::Turn => {
                let config = base_config(phase, &stage);
                (turn::signing(config, 1), None)
            }
            _ => {
                let signer = Arc::new(StageSigner(Arc::clone(&stage)));
                (base_config(phase, &stage).signer(signer), None)
            }
        };
        let (observed, memory) = (Arc::clone(&stage), Arc::clone(&journal));
        let mut config =
            config.observer(Arc::new(move |event: &Event<'_>| observed.observe(event)));
        if call != Call::Refund {
            let journal = StageJournal { stage: Arc::clone(&stage), memory };
            config = config.journal(Arc::new(journal)).journal_scope(scope);
        }
        let client = Client::new(config.timeout(FAR)).unwrap();
        Self { phase, call, end, forks, stage, journal, client, peer }
    }

    /// `None` if the deadline passed before the call reached its phase.
    fn run(self, limit: Duration) -> Option<Cell> {
        self.call_earlier();
        let turn = (self.phase.actor == Actor::Turn).then(|| (one_at_a_time(), Turn::take()));
        if let Some((_, turn)) = &turn {
            self.stage.on_fork(turn.releaser());
            self.stage.arm_after(MANY_ASKS);
        }
        let context = self.context(limit);
        if self.phase.actor == Actor::Nobody {
            match self.end {
                End::Cancel => self.stage.cancel.cancel(),
                End::Deadline => while context.ended().is_none() {},
                _ => {}
            }
        }
        let is_beside = self.phase.actor == Actor::OtherCall;
        let other = is_beside.then(|| peer::fetch_elsewhere(&self.client, &self.stage));
        self.stage.begin(context.deadline());
        let result = self.execute(&context);
        let attempts = self.stage.attempts.load(Ordering::SeqCst);
        let ended = EndedCall { result, attempts, may_have_sent: context.may_have_sent() };
        if self.stage.is_child() {
            let by_child = self.stage.by_child();
            let after =
                if by_child.is_empty() { "no callback".into() } else { by_child.join(", ") };
            (self.forks.unwrap().leave)(&format!("{}, then {after}", self.end_text(&ended)));
        }
        self.stage.end();
        turn.into_iter().for_each(|(_, turn)| turn.release());
        other.into_iter().for_each(|it| it.join().unwrap());
        if self.phase.actor != Actor::Nobody && !self.stage.has_acted_in_time() {
            return None;
        }
        Some(self.cell(&ended))
    }

    fn call_earlier(&self) {
        let client = &self.client;
        match self.phase.earlier {
            Earlier::Nothing => {}
            Earlier::Called => {
                client
                    .execute(&QueryPayment::by_hash("5f2c"), &client.context())
                    .map(drop)
                    .unwrap();
            }
            Earlier::Unrecorded => {
                let failing = || Err(payments_core::journal::JournalError::new("away"));
                *self.journal.before_update.lock().unwrap() = Some(Box::new(failing));
                client.execute(&calls::payment("earlier"), &calls::brief()).map(drop).unwrap();
                *self.journal.before_update.lock().unwrap() = None;
            }
        }
    }

    fn context(&self, limit: Duration) -> CallContext {
        let is_asked = match self.phase.actor {
            Actor::Double | Actor::Nobody => false,
            Actor::Peer(peer::Step::Connect) => true,
            Actor::Peer(_) => matches!(self.end, End::Panic | End::Fork),
            Actor::Hook | Actor::OtherCall | Actor::Turn => true,
        };
        let stage = Arc::clone(&self.stage);
        let hook: InterruptHook = Arc::new(move || stage.ask());
        CallContext::new(limit, self.stage.cancel.clone(), is_asked.then_some(hook))
    }

    fn execute(&self, context: &CallContext) -> Result<(), Error> {
        let is_wrong = self.phase.actor == Actor::Nobody && self.end == End::Error;
        let reference = if is_wrong { "" } else { "order-1" };
        let note = self.peer.as_ref().map_or("", Peer::note);
        let hash = if is_wrong { "" } else { "5f2c" };
        match self.call {
            Call::Payment => {
                let mut payment = calls::payment(reference);
                if !note.is_empty() {
                    payment = payment.extra("note", note);
                }
                self.client.execute(&payment, context).map(drop)
            }
            Call::Payout => {
                let mut payout = calls::payout(reference);
                if !note.is_empty() {
                    payout = payout.extra("note", note);
                }
                self.client.execute(&payout, context).map(drop)
            }
            Call::Refund => {
                let mut refund = RefundPayment::by_hash(hash);
                if !note.is_empty() {
                    refund = refund.extra("note", note);
                }
                self.client.execute(&refund, context).map(drop)
            }
            Call::Query => {
                let mut query = QueryPayment::by_hash(hash);
                if !note.is_empty() {
                    query = query.extra("note", note);
                }
                self.client.execute(&query, context).map(drop)
            }
        }
    }

    fn entry(&self) -> Option<Entry> {
        let of_call = |it: &Entry| it.reference == "order-1";
        self.journal.all().into_iter().find(of_call)
    }

    /// The result that the caller got.
    fn end_text(&self, ended: &EndedCall) -> String {
        let end = match &ended.result {
            Ok(()) => "ok".to_owned(),
            Err(error) => {
                let (outcome, kind, code) = (error.outcome(), error.kind(), error.code());
                format!("{} {}/{}", outcome.as_str(), kind.as_str(), code.as_str())
            }
        };
        let bytes = if ended.may_have_sent { "may have sent" } else { "sent nothing" };
        format!("{end}; attempts {}; {bytes}", ended.attempts)
    }

    fn cell(&self, ended: &EndedCall) -> Cell {
        let shown = || self.entry().as_ref().map_or("none".to_owned(), shown);
        let entry = self.call.is_journaled().then(shown);
        let stage = &self.stage;
        let (wholes, executed) =
            (stage.wholes.load(Ordering::SeqCst), stage.executed.load(Ordering::SeqCst));
        let parts = stage.begun.load(Ordering::SeqCst) - wholes;
        let got = match (wholes, parts) {
            (0, 0) => "nothing".to_owned(),
            (0, _) => "a part".to_owned(),
            (1, 0) => "the request".to_owned(),
            (1, _) => "the request and a part".to_owned(),
            (number, 0) => format!("{number} requests"),
            (number, _) => format!("{number} requests and a part"),
        };
        let executed = match executed {
            0 => String::new(),
            1 => ", and executed it".to_owned(),
            number => format!(", and executed {number}"),
        };
        let events = match &*stage.events() {
            [] => "none".to_owned(),
            events => events.join(", "),
        };
        let parent = if self.end == End::Fork { "parent: " } else { "" };
        let mut lines = vec![
            format!("{parent}{}; the service got {got}{executed}", self.end_text(ended)),
            format!("events: {events}"),
        ];
        if self.end == End::Fork {
            lines.push(format!("child: {}", (self.forks.unwrap().report)()));
        }
        Cell { entry, lines, broken_rules: self.broken_rules(ended) }
    }

    /// Broken rules that every cell must keep.
    fn broken_rules(&self, ended: &EndedCall) -> Vec<String> {
        let stage = &self.stage;
        let executed = stage.executed.load(Ordering::SeqCst);
        let has_bytes = stage.begun.load(Ordering::SeqCst) > 0;
        let (last, expected) = (stage.events().last().cloned(), self.end_event(ended));
        let is_query = self.call == Call::Query;
        let outcome = ended.result.as_ref().err().map(Error::outcome);
        let may_be = match outcome {
            None | Some(Outcome::Executed) => executed == 1,
            Some(Outcome::NotExecuted) => executed == 0,
            Some(_) => true,
        };
        let is_open = self.entry().is_some_and(|it| it.is_open());
        let is_away = self.phase.moment.callback == "update" && self.phase.moment.lasts;
        let agrees = match self.entry().map(|it| it.state) {
            Some(EntryState::Done) => executed == 1,
            Some(EntryState::Failed) => executed == 0,
            Some(EntryState::InProgress | EntryState::Unknown) => true,
            None => !has_bytes || !self.call.is_journaled(),
        };
        let named = ended.result.as_ref().err().is_none_or(|it| it.attempts() == ended.attempts);
        let rules = [
            (ended.may_have_sent || !has_bytes, "bytes arrived that are in no record"),
            (last == expected, "the observer heard of another end than the caller"),
            (named, "the error counts other attempts than the observer saw"),
            (is_query || executed <= 1, "it was executed more than once"),
            (is_query || may_be, "the outcome is not what the service did"),
            (!is_open || is_away || ended.may_have_sent, "the entry of what never left is open"),
            (is_query || agrees, "the entry is not what the service did"),
        ];
        let broken = rules.into_iter().filter(|(is_so, _)| !is_so);
        broken.map(|(_, rule)| rule.to_owned()).collect()
    }

    /// The last event that the observer must get.
    fn end_event(&self, ended: &EndedCall) -> Option<String> {
        let Err(error) = &ended.result else { return Some("request_ended".to_owned()) };
        let (kind, code) = (error.kind().as_str(), error.code().as_str());
        let end = format!("request_ended {kind}/{code}/{}", error.outcome().as_str());
        // A call with a wrong request does not begin.
        (error.kind() != ErrorKind::Validation).then_some(end)
    }
}

/// Only one call has the turn.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap()
}

/// All but a signer.
fn base_config(phase: &Phase, stage: &Arc<Stage>) -> Config {
    let stage = || Arc::clone(stage);
    Config::new("https://service.test")
        .environment(Environment::Sandbox)
        .integration_key("key-1")
        .client_credentials("https://auth.test", "id", "secret")
        .token_store(Arc::new(StageStore { stage: stage(), store: TestStore::new() }))
        .transport(Arc::new(StageTransport { stage: stage(), replies: phase.replies }))
}

/// The journal's entry of the call.
fn shown(entry: &Entry) -> String {
    let by = entry.decided_by.map_or(String::new(), |by| format!(" by {}", by.as_str()));
    let why = match (&entry.kind, &entry.code) {
        (Some(kind), Some(code)) => format!(" {kind}/{code}"),
        (None, Some(code)) => format!(" {code}"),
        _ => String::new(),
    };
    let uid = entry.uid.as_ref().map_or(String::new(), |uid| format!(" uid {uid}"));
    let hash = entry.hash.as_ref().map_or(String::new(), |hash| format!(" hash {hash}"));
    format!("{}{by}{why}{hash}{uid}", entry.state.as_str())
}
