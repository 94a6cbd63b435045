//! The phases of a call, in their order.

use super::End::{Cancel, Deadline, Error, Fork, Panic};
use super::doubles::OK;
use super::peer::Step;
use super::{Actor, Call, Earlier, End, Moment, Phase, Reply};

const REFUSED: Reply = Reply {
    status: 400,
    body: r#"{"status":"ERROR","status_code":"BP-DR-1","status_message":"no"}"#,
    is_html: false,
    executes: false,
};
const CANCELLED: Reply = Reply {
    status: 200,
    body: r#"{"type":"success","payout":{"uid":"p-1","status":"CA","code":"BANK_INFO"}}"#,
    is_html: false,
    executes: true,
};
const UNAUTHORIZED: Reply = Reply { status: 401, body: "", is_html: false, executes: false };
const UNAVAILABLE: Reply = Reply { status: 503, body: "", is_html: false, executes: true };
const PAGE: Reply =
    Reply { status: 200, body: "<html>welcome</html>", is_html: true, executes: true };
const PAGE_404: Reply =
    Reply { status: 404, body: "<html>not here</html>", is_html: true, executes: false };
const LIMITED: Reply = Reply { status: 429, body: "", is_html: false, executes: false };

const MONEY: &[Call] = &[Call::Payment, Call::Payout, Call::Refund];
const NO_ERROR: &str = "an observer returns nothing";
const NO_QUESTION: &str = "a question whether the call goes on cannot fail";
const NO_JOURNAL: &str = "without a journal, or without an entry in it";

/// A phase in a double, of all calls.
fn phase(name: &'static str, about: &'static str, callback: &'static str) -> Phase {
    Phase {
        name,
        about,
        actor: Actor::Double,
        moment: Moment { callback, nth: 1, lasts: false },
        replies: &[OK],
        earlier: Earlier::Nothing,
        calls: &Call::ALL,
        others: "",
        never: &[],
    }
}

impl Phase {
    fn nth(mut self, nth: u32) -> Self {
        self.moment.nth = nth;
        self
    }

    fn lasting(mut self) -> Self {
        self.moment.lasts = true;
        self
    }

    fn replies(self, replies: &'static [Reply]) -> Self {
        Self { replies, ..self }
    }

    fn after(self, earlier: Earlier) -> Self {
        Self { earlier, ..self }
    }

    fn of(self, calls: &'static [Call], others: &'static str) -> Self {
        Self { calls, others, ..self }
    }

    fn by(self, actor: Actor) -> Self {
        Self { actor, ..self }
    }

    fn without(self, never: &'static [(End, &'static str)]) -> Self {
        Self { never, ..self }
    }

    /// Of calls with an entry.
    fn journaled(self) -> Self {
        self.of(Call::JOURNALED, NO_JOURNAL)
    }
}

pub fn phases() -> Vec<Phase> {
    let mut all = before_the_request();
    all.extend(the_request());
    all.extend(the_response());
    all.extend(after_a_401());
    all.extend(after_a_503());
    all.extend(the_end());
    all
}

/// Only an error is a separate moment; all other ends belong to another phase.
macro_rules! only_errors {
    ($phase:literal) => {{
        const WHY: &str = concat!("no moment of its own, but one of `", $phase, "`");
        &[(Panic, WHY), (Cancel, WHY), (Deadline, WHY), (Fork, WHY)]
    }};
}
const OBSERVED: &[(End, &str)] = &[(Error, NO_ERROR)];
const ASKED: &[(End, &str)] = &[(Error, NO_QUESTION)];

fn before_the_request() -> Vec<Phase> {
    vec![
        phase("draft", "The request is checked. Error: a member is wrong; otherwise the call had ended before it was made.", "")
            .by(Actor::Nobody)
            .without(&[
                (Panic, "no code of the caller runs: a draft is made of values"),
                (Fork, "no code of the caller runs; a child makes a call of its own"),
            ]),
        phase("start", "The observer hears that the call begins.", "request_started")
            .without(OBSERVED),
        phase("turn", "The call waits for its turn to sign with a key in memory.", "")
            .by(Actor::Turn)
            .without(ASKED),
        phase("signature", "The caller's signer signs.", "sign"),
        phase("token: load", "The token store is read.", "load"),
        phase("token: lock", "The token store is locked.", "try_lock"),
        phase("token: wait for another call", "Another call of the client asks the token server.", "wait for another call")
            .by(Actor::OtherCall),
        phase("token: connect", "The token server is connected to, which fails each time.", "token_connect")
            .lasting(),
        phase("token: response", "The token server is waited for.", "token_wait"),
        phase("token: refusal", "The token server refuses the credentials.", "token_refuse")
            .without(only_errors!("token: response")),
        phase("token: save", "The token is stored.", "save"),
        phase("token: unlock", "The lock of the token store is released.", "unlock")
            .without(&[(Error, "a store cannot say that it failed to unlock")]),
        phase("token: heard", "The observer hears of the token.", "token_fetched").without(OBSERVED),
        phase("journal: opening read", "The journal is read for the end of an earlier call, which it does not have.", "find")
            .after(Earlier::Unrecorded)
            .journaled(),
        phase("journal: earlier end", "The end of that earlier call is recorded.", "update")
            .after(Earlier::Unrecorded)
            .journaled(),
        phase("journal: insert", "The entry is about to be stored.", "insert").journaled(),
        phase("journal: commit", "The journal loses its connection within the commit.", "commit")
            .journaled()
            .without(only_errors!("journal: insert")),
        phase("journal: inserted", "The entry is stored, but the journal has not returned.", "inserted")
            .journaled(),
        phase("journal: check", "The journal is read for an entry that forbids the call.", "find")
            .journaled(),
    ]
}

fn the_request() -> Vec<Phase> {
    let peer = |name, about, step| phase(name, about, "").by(Actor::Peer(step));
    vec![
        phase("attempt", "The observer hears that the request is about to be sent.", "attempt")
            .without(OBSERVED),
        phase(
            "own transport: connect",
            "A transport of the caller has not yet written.",
            "connect",
        ),
        phase("own transport: connect each time", "As above, and all attempts fail.", "connect")
            .lasting()
            .without(only_errors!("own transport: connect")),
        phase("own transport: write", "It has said that bytes may leave.", "write"),
        phase("own transport: wait", "It has sent the request.", "wait"),
        phase("own transport: read", "It has status and headers of the response.", "read"),
        peer("lookup", "The name of the service is looked up.", Step::Lookup),
        peer(
            "connect",
            "The server has no place for another connection. Error: no server is there.",
            Step::Connect,
        ),
        peer("TLS", "The server has the first bytes of the handshake.", Step::Tls),
        peer(
            "write",
            "The kernels have the head and a part of the request, and take no more. Head and body leave in one write, and one record is for both.",
            Step::Write,
        )
        .of(MONEY, "all of it is a head, which a kernel takes whole"),
        peer("wait", "The service has the request.", Step::Wait),
        peer("read", "The client reads the response, whose end has not come.", Step::Read),
    ]
}

fn the_response() -> Vec<Phase> {
    let judged = |name, about, replies| phase(name, about, "attempt_ended").replies(replies);
    vec![
        judged(
            "judge 200",
            "The observer hears that there is a response, before it is judged.",
            &[OK],
        )
        .without(&[(Error, "a 200 that can be read is no error")]),
        judged(
            "judge 200 CA",
            "As above; a payout was created and cancelled at once.",
            &[CANCELLED],
        )
        .of(&[Call::Payout], "only payouts are cancelled at once")
        .without(&[(Error, "what was created is no error")]),
        judged("judge 400", "As above; the service refused. Error: as it is.", &[REFUSED]),
        judged("judge 429", "As above; the service refused for now.", &[LIMITED]),
        judged("judge 503", "As above; the service failed. A query is sent again.", &[UNAVAILABLE]),
        judged(
            "judge 401",
            "As above; the token was accepted before, so another is fetched.",
            &[UNAUTHORIZED, OK],
        )
        .after(Earlier::Called),
        judged("judge 200 HTML", "As above; a web page.", &[PAGE]),
        judged("judge 404 HTML", "As above; a web page that says no.", &[PAGE_404]),
    ]
}

fn after_a_401() -> Vec<Phase> {
    let again = |name, about, callback| {
        phase(name, about, callback).replies(&[UNAUTHORIZED, OK]).after(Earlier::Called)
    };
    let later = |name, about, callback| again(name, about, callback).nth(2);
    vec![
        again(
            "401: ask",
            "After a 401, the client asks whether the call goes on.",
            "wait after attempt_ended",
        )
        .by(Actor::Hook)
        .without(ASKED),
        again("401: load", "After a 401, the token store is read.", "load"),
        again("401: lock", "The token store is locked.", "try_lock"),
        again("401: connect", "The token server is connected to.", "token_connect").lasting(),
        again("401: response", "The token server is waited for.", "token_wait"),
        again("401: refusal", "The token server refuses the credentials.", "token_refuse")
            .without(only_errors!("401: response")),
        again("401: note", "The store notes that a token is requested.", "save"),
        later("401: save", "The token is stored.", "save"),
        again("401: heard", "The observer hears of the token.", "token_fetched").without(OBSERVED),
        later("401: attempt", "The observer hears of the second attempt.", "attempt")
            .without(OBSERVED),
        later(
            "401: own transport: connect",
            "Nothing of the second attempt was written.",
            "connect",
        ),
        later("401: own transport: write", "The second attempt is written.", "write"),
        later("401: own transport: wait", "The service has both requests.", "wait"),
        later("401: own transport: read", "The second response is read.", "read"),
        later("401: judge 200", "The second response is a 200.", "attempt_ended")
            .without(&[(Error, "a 200 that can be read is no error")]),
        later("401: judge 401", "The second response is a 401, too.", "attempt_ended")
            .replies(&[UNAUTHORIZED, UNAUTHORIZED]),
        later("401: judge 503", "The second response is a 503.", "attempt_ended")
            .replies(&[UNAUTHORIZED, UNAVAILABLE]),
    ]
}

fn after_a_503() -> Vec<Phase> {
    let retried = |name, about, callback| {
        phase(name, about, callback)
            .nth(2)
            .replies(&[UNAVAILABLE, OK])
            .of(&[Call::Query], "what may move money is not sent again")
    };
    vec![
        retried(
            "retry: attempt",
            "The observer hears of the second attempt after a 503.",
            "attempt",
        )
        .without(OBSERVED),
        retried(
            "retry: own transport: connect",
            "Nothing of the second attempt was written.",
            "connect",
        ),
        retried("retry: own transport: write", "The second attempt is written.", "write"),
        retried("retry: own transport: wait", "The service has both requests.", "wait"),
        retried("retry: own transport: read", "The second response is read.", "read"),
        phase(
            "retry: heard",
            "The observer hears that a query is sent again after a 503.",
            "retry",
        )
        .replies(&[UNAVAILABLE, OK])
        .of(&[Call::Query], "what may move money is not sent again")
        .without(OBSERVED),
        phase(
            "retry: wait",
            "The client waits before it sends the query again.",
            "wait after retry",
        )
        .replies(&[UNAVAILABLE, OK])
        .of(&[Call::Query], "what may move money is not sent again")
        .by(Actor::Hook)
        .without(ASKED),
    ]
}

fn the_end() -> Vec<Phase> {
    let recorded = |name, about, replies| phase(name, about, "update").replies(replies).journaled();
    vec![
        recorded(
            "record done",
            "The entry is about to say done. Error: it fails once, and is recorded again.",
            &[OK],
        ),
        recorded("record done, journal away", "As above, and each update fails.", &[OK])
            .lasting()
            .without(only_errors!("record done")),
        phase("recorded done", "The entry says done, but the journal has not returned.", "updated")
            .journaled(),
        recorded("record failed", "The entry is about to say failed.", &[REFUSED]),
        recorded("record failed, journal away", "As above, and each update fails.", &[REFUSED])
            .lasting()
            .without(only_errors!("record failed")),
        recorded("record unknown", "The entry is about to say unknown.", &[UNAVAILABLE]),
        recorded(
            "record unknown, journal away",
            "As above, and each update fails.",
            &[UNAVAILABLE],
        )
        .lasting()
        .without(only_errors!("record unknown")),
        phase("end", "The observer hears how the call ended.", "request_ended").without(OBSERVED),
        phase("end of a failure", "As above, after a 400.", "request_ended")
            .replies(&[REFUSED])
            .without(OBSERVED),
    ]
}
