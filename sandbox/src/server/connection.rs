//! Serves one connection: reads requests, applies faults, and sends responses.

use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Instant;

use payments_core::operation::Operation;

use crate::control;
use crate::faults::edit;
use crate::faults::{At, Fault, FaultKind};
use crate::http::origin;
use crate::http::response::Response;
use crate::http::{Malformed, RequestHead};
use crate::page::events;
use crate::service::Service;
use crate::service::request_log::RequestRecord;
use crate::service::signature::SignatureCheck;
use crate::serving::{self, Effect, operation_of};
use crate::wire::inbound::{Inbound, InboundEnd};
use crate::wire::{self, AfterResponse, SendMode};

/// Serves the connection of that number until it closes.
pub(crate) fn serve(service: &Service, stream: &TcpStream, number: u64) {
    let _ = stream.set_nodelay(true);
    if let Some(fault) = service.faults.take_for_connection() {
        let response = fault.response.clone().unwrap_or_else(|| Response::empty(200));
        service.halt.wait_for(fault.delay);
        let mode = SendMode { head_only: false, keep_alive: false };
        wire::send_harmed(stream, &fault.kind, &response, mode, &service.halt);
        return;
    }
    let connection = Connection { service, stream, number };
    let mut inbound = Inbound::new(stream, &service.halt);
    let mut next = AfterResponse::KeepAlive;
    let mut first = true;
    while next != AfterResponse::Close && !service.halt.is_stopped() {
        inbound.wait_at_most(match next {
            AfterResponse::KeepAliveFor(limit) => limit,
            _ => service.config().idle_timeout,
        });
        next = match inbound.read_head() {
            Ok(head) => match origin::objection(&head) {
                // Before its body is read and before faults and service checks apply.
                Some(reason) => {
                    let record = connection.record_of(None, &head, Vec::new());
                    connection.refuse(record, &Malformed { status: 403, reason })
                }
                None if control::is_control(&head.path) => {
                    if first {
                        forget_connection(service);
                    }
                    connection.serve_control(&mut inbound, &head)
                }
                None => {
                    inbound.wait_at_most(service.config().idle_timeout);
                    connection.serve_request(&mut inbound, &head)
                }
            },
            Err(InboundEnd::Silent) => AfterResponse::Close,
            Err(InboundEnd::Malformed(malformed)) => {
                let record = RequestRecord { connection: number, ..RequestRecord::default() };
                connection.refuse(record, &malformed)
            }
        };
        first = false;
    }
}

/// Uncounts a connection of the control API.
fn forget_connection(service: &Service) {
    let counter = &service.counters.connections;
    let _ = counter
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_sub(1)));
}

/// An open connection, and the service behind it.
struct Connection<'a> {
    service: &'a Service,
    stream: &'a TcpStream,
    number: u64,
}

impl Connection<'_> {
    fn serve_control(&self, inbound: &mut Inbound<'_>, head: &RequestHead) -> AfterResponse {
        let Self { service, stream, .. } = *self;
        let mode = SendMode { head_only: head.method == "HEAD", keep_alive: head.keep_alive };
        match inbound.read_body(head) {
            Ok(_) if head.path == events::PATH && head.method == "GET" => {
                events::stream(service, stream);
                AfterResponse::Close
            }
            Ok(body) => wire::send(stream, &control::serve(service, head, &body), mode),
            Err(InboundEnd::Silent) => AfterResponse::Close,
            Err(InboundEnd::Malformed(malformed)) => refuse_malformed(stream, &malformed),
        }
    }

    fn serve_request(&self, inbound: &mut Inbound<'_>, head: &RequestHead) -> AfterResponse {
        let Self { service, stream, .. } = *self;
        let in_flight = service.counters.begin();
        let began = Instant::now();
        let operation = operation_of(&service.config(), &head.method, &head.path);
        let fault = service.faults.take_for_request(&head.method, &head.path, operation);
        let mode = SendMode { head_only: head.method == "HEAD", keep_alive: head.keep_alive };
        if let Some(fault) = fault.as_ref().filter(|fault| fault.at == At::Head) {
            let response = fault.response.clone().unwrap_or_else(|| Response::empty(200));
            let sequence = service.request_log.enter(RequestRecord {
                fault: Some(fault.name()),
                response: client_gets_response(Some(fault)).then(|| response.clone()),
                is_response_broken: is_response_broken(Some(fault)),
                ..self.record_of(operation, head, Vec::new())
            });
            let next = self.strike_at_head(fault, &response, mode);
            service.request_log.end(sequence, began.elapsed());
            return next;
        }
        let body = match inbound.read_body(head) {
            Ok(body) => body,
            Err(ended) => {
                return self.refuse_body(&ended, self.record_of(operation, head, Vec::new()));
            }
        };
        let record = self.record_of(operation, head, body.clone());
        let (sequence, response) = execute(service, fault.as_ref(), head, &body, record);
        let latency = service.config().latency;
        if !latency.is_zero() && service.halt.wait_for(latency) {
            return AfterResponse::Close;
        }
        let next = match fault {
            None => {
                // A client may read the counters as soon as it has the response.
                drop(in_flight);
                wire::send(stream, &response, mode)
            }
            Some(fault) => {
                if !fault.delay.is_zero() && service.halt.wait_for(fault.delay) {
                    return AfterResponse::Close;
                }
                wire::send_harmed(stream, &fault.kind, &response, mode, &service.halt)
            }
        };
        service.request_log.end(sequence, began.elapsed());
        next
    }

    /// Applies the fault without serving the request: the response of the fault,
    /// if it has one, is sent while the body is still arriving.
    fn strike_at_head(&self, fault: &Fault, response: &Response, mode: SendMode) -> AfterResponse {
        if self.service.halt.wait_for(fault.delay) {
            return AfterResponse::Close;
        }
        let mode = SendMode { keep_alive: false, ..mode };
        wire::send_harmed(self.stream, &fault.kind, response, mode, &self.service.halt);
        if !matches!(fault.kind, FaultKind::Close | FaultKind::Reset) {
            wire::close_gently(self.stream);
        }
        AfterResponse::Close
    }

    /// Ends a request whose body did not arrive.
    fn refuse_body(&self, ended: &InboundEnd, record: RequestRecord) -> AfterResponse {
        if let InboundEnd::Malformed(malformed) = ended {
            return self.refuse(record, malformed);
        }
        let refused = Some("the body did not come to its end".to_owned());
        self.service.request_log.enter(RequestRecord { refused, ..record });
        AfterResponse::Close
    }

    /// Logs a request that is refused before it is served.
    fn refuse(&self, record: RequestRecord, malformed: &Malformed) -> AfterResponse {
        let refused = Some(malformed.reason.clone());
        self.service.request_log.enter(RequestRecord { refused, ..record });
        refuse_malformed(self.stream, malformed)
    }

    fn record_of(
        &self,
        operation: Option<Operation>,
        head: &RequestHead,
        body: Vec<u8>,
    ) -> RequestRecord {
        RequestRecord {
            connection: self.number,
            operation,
            method: head.method.clone(),
            target: head.target.clone(),
            path: head.path.clone(),
            query: head.query.clone(),
            headers: head.headers.clone(),
            body,
            ..RequestRecord::default()
        }
    }
}

/// Serves the request, as far as the fault lets it, and logs it under the number
/// that is returned.
fn execute(
    service: &Service,
    fault: Option<&Fault>,
    head: &RequestHead,
    body: &[u8],
    record: RequestRecord,
) -> (u64, Response) {
    let effect = match fault {
        None => Effect::Normal,
        Some(fault) if !fault.executes() => Effect::None,
        Some(Fault { kind: FaultKind::Decline(why), .. }) => Effect::Decline(*why),
        Some(_) => Effect::Normal,
    };
    let operation = record.operation;
    // Logged before it is served, so that a slow request is visible meanwhile.
    let fault_name = fault.map(Fault::name);
    let record = RequestRecord { complete: true, fault: fault_name, ..record };
    let sequence = service.request_log.enter(record);
    let served = serving::serve(service, operation, head, body, effect);
    let response = with_fault(fault, served.response);
    service.request_log.amend(sequence, |record| {
        record.signature = served.credentials.signature;
        record.bearer = served.credentials.bearer;
        record.integration_key = served.credentials.integration_key;
        record.refused = served.refused;
        record.executed = served.executed;
        if let Some(FaultKind::Unauthorized(cause)) = fault.map(|fault| &fault.kind) {
            record.refused = Some(format!("{cause}: scripted"));
            record.signature = SignatureCheck::Refused {
                cause: cause.as_str().to_owned(),
                detail: "scripted".to_owned(),
            };
        }
        record.response = client_gets_response(fault).then(|| response.clone());
        record.is_response_broken = is_response_broken(fault);
    });
    (sequence, response)
}

/// The response to send: the fault's own, or the service's as edited by the
/// fault.
fn with_fault(fault: Option<&Fault>, own: Response) -> Response {
    let Some(fault) = fault else { return own };
    let mut response = fault.response.clone().unwrap_or(own);
    if let FaultKind::Edit(edits) = &fault.kind {
        edit::apply(edits, &mut response.body);
    }
    response
}

/// Whether the client receives anything that counts as a response.
fn client_gets_response(fault: Option<&Fault>) -> bool {
    !fault.is_some_and(|fault| {
        matches!(
            fault.kind,
            FaultKind::Close
                | FaultKind::Reset
                | FaultKind::Hang
                | FaultKind::Raw(_)
                | FaultKind::PartialStatusLine
        )
    })
}

/// Whether the client cannot read that response to its end.
fn is_response_broken(fault: Option<&Fault>) -> bool {
    fault.is_some_and(|fault| {
        matches!(
            fault.kind,
            FaultKind::CutResponse(_)
                | FaultKind::EndlessBody(_)
                | FaultKind::EndlessHead
                | FaultKind::GiantBody(_)
                | FaultKind::BrokenChunks
                | FaultKind::LongContentLength(_)
        )
    })
}

fn refuse_malformed(stream: &TcpStream, malformed: &Malformed) -> AfterResponse {
    let body = serde_json::json!({"error": malformed.reason});
    let mode = SendMode { head_only: false, keep_alive: false };
    wire::send(stream, &Response::json(malformed.status, &body), mode);
    wire::close_gently(stream);
    AfterResponse::Close
}
