//! Messages from threads to JavaScript, and replies. Each of Node's environments
//! has one queue, so that messages arrive in order.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use napi::bindgen_prelude::{FnArgs, Function, Uint8Array};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, check_status, sys};
use napi_derive::napi;
use payments_core::context::TraceSlot;
use payments_core::observer::Level;
use payments_core::{CallContext, CancelHandle};
use payments_host::CallThreads;

use crate::message::{JsMessage, Message};
use crate::response;

const STACK_BYTES: usize = 512 * 1024;

/// How long the commit of an entry may take beyond the end of its call.
const COMMIT_WITHIN: Duration = Duration::from_millis(250);

/// The threads on which calls run, separate from libuv's four. A process has them
/// once for all of its JavaScript threads.
static THREADS: LazyLock<CallThreads> = LazyLock::new(|| CallThreads::new("payments", STACK_BYTES));

type Arguments = FnArgs<(u32, Message)>;
type Handler<'env> = Function<'env, Arguments, ()>;
/// Weak: it does not keep the event loop alive.
type CallQueue = ThreadsafeFunction<(u32, JsMessage), (), Arguments, Status, false, true>;

/// JavaScript's reply to a question, as the addon gets it.
#[napi(object, object_to_js = false)]
pub struct JsReply {
    pub json: Option<String>,
    pub bytes: Option<Uint8Array>,
    /// Why the callback failed.
    pub failure: Option<String>,
    /// Whether it failed while its commit was under way.
    pub during_commit: Option<bool>,
}

/// A reply, as the thread that asked gets it.
#[derive(Default)]
pub(crate) struct Reply {
    pub(crate) json: Option<String>,
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Why a question has no reply.
pub(crate) enum NoReply {
    /// The callback failed, or the environment is gone. A journal may say whether its
    /// commit was under way.
    Failed { message: String, during_commit: Option<bool> },
    /// The call ended while waiting.
    CallEnded,
}

const ENVIRONMENT_ENDED: &str = "the JavaScript thread has ended";

impl NoReply {
    /// JavaScript was not asked, so no journal commits anything.
    fn unasked(why: &str) -> Self {
        Self::Failed { message: why.to_owned(), during_commit: Some(false) }
    }
}

/// Calls in flight. A call is removed when JavaScript receives its end.
type Calls = Arc<Mutex<HashMap<u32, CancelHandle>>>;

/// The state that an environment shares with the threads that work for it.
pub(crate) struct SharedPort {
    queue: CallQueue,
    calls: Calls,
    /// By the calls that ask them, so that cancelling one of many searches for nothing:
    /// a call asks one at a time.
    questions: Mutex<HashMap<u32, Question>>,
    next_question: AtomicU32,
}

/// A question whose thread waits for the reply.
struct Question {
    number: u32,
    waiting: Sender<Wake>,
}

/// Wakes a waiting thread.
enum Wake {
    Reply(Result<Reply, NoReply>),
    /// Its call was cancelled.
    Cancelled,
}

thread_local! {
    /// The current call of this thread of the pool.
    static CURRENT_CALL: Cell<u32> = const { Cell::new(0) };
    /// The listeners to the events of that call.
    static LISTENER: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// The environment that listens to the events of a call.
#[derive(Clone)]
pub(crate) struct Listener {
    pub(crate) shared: Arc<SharedPort>,
    /// From which level on.
    pub(crate) lowest: Level,
    /// The call, and the place of the traceparent of each request, if the observer gives
    /// it.
    pub(crate) traced: Option<(CallContext, TraceSlot)>,
}

/// Runs a call whose events go to `listener`.
pub(crate) fn with_listener<T>(listener: Option<Listener>, call: impl FnOnce() -> T) -> T {
    /// Leaves even if the call unwinds.
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            LISTENER.take();
        }
    }
    LISTENER.set(listener);
    let _leave = Leave;
    call()
}

/// Sends an event of this thread's call, if somebody listens to events of this level.
pub(crate) fn notify_listener(level: Level, event: impl FnOnce() -> Message) {
    LISTENER.with_borrow(|listener| match listener {
        Some(Listener { shared, lowest, .. }) if level >= *lowest => shared.notify(event()),
        _ => {}
    });
}

/// Lets the request that this thread's call begins carry the traceparent of its span.
pub(crate) fn ask_for_traceparent() {
    let listener = LISTENER.with_borrow(Clone::clone);
    let Some(Listener { shared, traced: Some((context, slot)), .. }) = listener else { return };
    let reply = shared.ask(&context, |question| Message::Traceparent { question });
    let text = reply.ok().and_then(|reply| reply.json);
    if let Some(Ok(traceparent)) = text.map(|text| text.parse()) {
        slot.set(traceparent);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedPort {
    /// Sends a message to JavaScript, and does nothing if the environment is gone.
    fn post(&self, call: u32, js_message: JsMessage) -> Status {
        self.queue.call((call, js_message), ThreadsafeFunctionCallMode::NonBlocking)
    }

    /// Sends a message about the current call of this thread to JavaScript.
    pub(crate) fn notify(&self, message: Message) {
        self.post(CURRENT_CALL.get(), message.into());
    }

    /// Asks JavaScript, and waits for the reply until the call ends. `question` makes
    /// the message from its number.
    pub(crate) fn ask(
        &self,
        context: &CallContext,
        question: impl FnOnce(u32) -> Message,
    ) -> Result<Reply, NoReply> {
        self.ask_and_wait(context, question, |_| Err(NoReply::CallEnded))
    }

    /// Like [`ask`](Self::ask), for an action that may be committing when the call ends:
    /// notifies JavaScript, and waits for a moment.
    pub(crate) fn ask_for_insert(
        &self,
        context: &CallContext,
        question: impl FnOnce(u32) -> Message,
    ) -> Result<Reply, NoReply> {
        if context.ended().is_some() {
            return Err(NoReply::unasked("the call ended"));
        }
        self.ask_and_wait(context, question, |replies| {
            self.notify(Message::InsertEnds);
            let moment = CallContext::with_timeout(COMMIT_WITHIN);
            wait_for(&moment, replies, CallContext::remaining)
        })
    }

    /// `finish` waits on after the call has ended.
    fn ask_and_wait(
        &self,
        context: &CallContext,
        question: impl FnOnce(u32) -> Message,
        finish: impl FnOnce(&Receiver<Wake>) -> Result<Reply, NoReply>,
    ) -> Result<Reply, NoReply> {
        let number = self.next_question.fetch_add(1, Ordering::Relaxed);
        let message = question(number);
        let (call, (waiting, replies)) = (CURRENT_CALL.get(), channel());
        lock(&self.questions).insert(call, Question { number, waiting });
        // A cancellation wakes the thread at once. The end of an entry in a journal
        // is still recorded after that, until its context ends without notice.
        let slice = match message {
            Message::Journal { .. } => CallContext::wait_slice,
            _ => CallContext::remaining,
        };
        let mut reply = match self.post(call, message.into()) {
            Status::Ok => wait_for(context, &replies, slice),
            _ => Err(NoReply::unasked(ENVIRONMENT_ENDED)),
        };
        if matches!(reply, Err(NoReply::CallEnded)) {
            reply = finish(&replies);
        }
        lock(&self.questions).remove(&call);
        match reply {
            // A reply that arrived before the question was removed was accepted,
            // so it must be used: otherwise a lock would be lost.
            Err(NoReply::CallEnded) => replies
                .try_iter()
                .find_map(|wake| match wake {
                    Wake::Reply(reply) => Some(reply),
                    Wake::Cancelled => None,
                })
                .unwrap_or(Err(NoReply::CallEnded)),
            reply => reply,
        }
    }

    /// Cancels calls in flight at once, even those that wait for a reply or for a
    /// thread.
    fn cancel(&self, calls: &[u32]) {
        let in_flight = lock(&self.calls);
        let cancelled = calls.iter().filter_map(|call| in_flight.get(call)).cloned().collect();
        drop(in_flight);
        cancel_all(cancelled);
        let questions = lock(&self.questions);
        for question in calls.iter().filter_map(|call| questions.get(call)) {
            // This has no effect on a thread that already has the reply.
            let _ = question.waiting.send(Wake::Cancelled);
        }
        drop(questions);
        THREADS.look_at_queue();
    }

    /// Runs `work` on a thread of the pool, and sends its result to JavaScript.
    pub(crate) fn start(
        self: &Arc<Self>,
        call: u32,
        context: Option<(CallContext, CancelHandle)>,
        work: impl FnOnce() -> JsMessage + Send + 'static,
    ) {
        let (context, cancel) = context.unzip();
        if let Some(cancel) = cancel {
            lock(&self.calls).insert(call, cancel);
        }
        let shared = Arc::clone(self);
        let started = THREADS.run(context.clone(), move || {
            CURRENT_CALL.set(call);
            shared.post(call, response::guarded(context.as_ref(), work));
        });
        if started.is_err() {
            self.post(call, response::of_no_thread().into());
        }
    }

    /// Ends all calls, because the environment ends.
    fn close(&self) {
        cancel_all(lock(&self.calls).drain().map(|(_, cancel)| cancel).collect());
        lock(&self.questions).clear();
        THREADS.look_at_queue();
    }
}

/// First cancels all calls and then wakes them: one that ends makes room for one that
/// waits, which must not begin. Hundreds that end at once take the cores, so a thread
/// wakes them while the event loop continues.
fn cancel_all(calls: Vec<CancelHandle>) {
    const FEW: usize = 16;
    calls.iter().for_each(CancelHandle::cancel_quietly);
    let calls = Arc::new(calls);
    let wake_all = |calls: &[CancelHandle]| calls.iter().for_each(CancelHandle::wake);
    if calls.len() > FEW {
        let calls = Arc::clone(&calls);
        let thread = Builder::new().name("payments-cancel".to_owned());
        if thread.spawn(move || wake_all(&calls)).is_ok() {
            return;
        }
    }
    wake_all(&calls);
}

/// The message that JavaScript gets, on its thread: a call that was aborted before
/// this moment ends as cancelled.
fn delivered(calls: &Calls, call: u32, js_message: JsMessage) -> Message {
    if !js_message.ends_the_call() {
        return js_message.message;
    }
    let cancel = lock(calls).remove(&call);
    if cancel.is_some_and(|cancel| cancel.is_cancelled()) {
        js_message.into_cancelled()
    } else {
        js_message.message
    }
}

fn wait_for(
    context: &CallContext,
    replies: &Receiver<Wake>,
    slice: fn(&CallContext) -> Duration,
) -> Result<Reply, NoReply> {
    while context.ended().is_none() {
        match replies.recv_timeout(slice(context)) {
            Ok(Wake::Reply(reply)) => return reply,
            Ok(Wake::Cancelled) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let message = ENVIRONMENT_ENDED.to_owned();
                return Err(NoReply::Failed { message, during_commit: None });
            }
        }
    }
    Err(NoReply::CallEnded)
}

/// The addon's object for one environment of Node.
#[napi]
pub struct Port {
    pub(crate) shared: Arc<SharedPort>,
}

#[napi]
impl Port {
    /// `handler` receives every message of every call.
    #[napi(constructor)]
    pub fn new(env: Env, handler: Handler<'_>) -> napi::Result<Self> {
        let calls = Calls::default();
        let in_flight = Arc::clone(&calls);
        let queue: CallQueue =
            handler.build_threadsafe_function().weak::<true>().build_callback(move |context| {
                let (call, js_message): (u32, JsMessage) = context.value;
                Ok(FnArgs::from((call, delivered(&in_flight, call, js_message))))
            })?;
        let shared = Arc::new(SharedPort {
            queue,
            calls,
            questions: Mutex::default(),
            next_question: AtomicU32::new(0),
        });
        env.add_env_cleanup_hook(Arc::clone(&shared), |shared| shared.close())?;
        Ok(Self { shared })
    }

    /// The version of the addon, which must be that of its package.
    #[napi]
    pub fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// Keeps the event loop alive while calls are in flight.
    #[napi]
    pub fn hold(&self, env: Env) -> napi::Result<()> {
        // SAFETY: called on the thread of the environment, whose queue lives
        // as long as this object.
        check_status!(unsafe {
            sys::napi_ref_threadsafe_function(env.raw(), self.shared.queue.raw())
        })
    }

    /// Lets the event loop end when no call is in flight.
    #[napi]
    pub fn release(&self, env: Env) -> napi::Result<()> {
        // SAFETY: as in `hold`.
        check_status!(unsafe {
            sys::napi_unref_threadsafe_function(env.raw(), self.shared.queue.raw())
        })
    }

    /// Cancels those of the calls that are still in flight.
    #[napi]
    pub fn cancel(&self, calls: Vec<u32>) {
        self.shared.cancel(&calls);
    }

    /// Replies to a question of a call. Returns `false` if no thread waits for the reply.
    #[napi]
    pub fn reply(&self, call: u32, question: u32, given: JsReply) -> bool {
        let JsReply { json, bytes, failure, during_commit } = given;
        let reply = match failure {
            Some(message) => Err(NoReply::Failed { message, during_commit }),
            None => Ok(Reply { json, bytes: bytes.map(|bytes| bytes.to_vec()) }),
        };
        // Keep the lock while sending: the waiting thread removes its question
        // and then checks for a reply once more.
        let mut questions = lock(&self.shared.questions);
        let is_asked = questions.get(&call).is_some_and(|asked| asked.number == question);
        let asked = is_asked.then(|| questions.remove(&call)).flatten();
        asked.is_some_and(|asked| asked.waiting.send(Wake::Reply(reply)).is_ok())
    }
}
