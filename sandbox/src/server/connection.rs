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

/// Serves a connection until it closes.
pub(crate) fn serve(service: &Service, stream: &TcpStream, connection: u64) {
    let _ = stream.set_nodelay(true);
    if let Some(fault) = service.faults.take_for_connection() {
        let response = fault.response.clone().unwrap_or_else(|| Response::empty(200));
        service.halt.wait_for(fault.delay);
        let mode = SendMode { head_only: false, keep_alive: false };
        wire::send_harmed(stream, &fault.kind, &response, mode, &service.halt);
        return;
    }
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
                Some(reason) => turn_away(service, stream, connection, &head, reason),
                None if control::is_control(&head.path) => {
                    if first {
                        forget_connection(service);
                    }
                    serve_control(service, stream, &mut inbound, &head)
                }
                None => {
                    inbound.wait_at_most(service.config().idle_timeout);
                    serve_request(service, stream, connection, &mut inbound, head)
                }
            },
            Err(InboundEnd::Silent) => AfterResponse::Close,
            Err(InboundEnd::Malformed(malformed)) => {
                refuse(service, stream, connection, &malformed)
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

fn serve_control(
    service: &Service,
    stream: &TcpStream,
    inbound: &mut Inbound<'_>,
    head: &RequestHead,
) -> AfterResponse {
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

fn serve_request(
    service: &Service,
    stream: &TcpStream,
    connection: u64,
    inbound: &mut Inbound<'_>,
    head: RequestHead,
) -> AfterResponse {
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
            ..record_of(connection, operation, &head, Vec::new())
        });
        let next = strike_at_head(service, stream, fault, &response, mode);
        service.request_log.end(sequence, began.elapsed());
        return next;
    }
    let body = match inbound.read_body(&head) {
        Ok(body) => body,
        Err(ended) => {
            let record = record_of(connection, operation, &head, Vec::new());
            return refuse_body(service, stream, &ended, record);
        }
    };
    let record = record_of(connection, operation, &head, body.clone());
    let (sequence, response) = execute(service, fault.as_ref(), &head, &body, record);
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

/// Ends a request whose body did not come.
fn refuse_body(
    service: &Service,
    stream: &TcpStream,
    ended: &InboundEnd,
    record: RequestRecord,
) -> AfterResponse {
    let reason = match ended {
        InboundEnd::Silent => "the body did not come to its end",
        InboundEnd::Malformed(malformed) => &malformed.reason,
    };
    service.request_log.enter(RequestRecord { refused: Some(reason.to_owned()), ..record });
    match ended {
        InboundEnd::Silent => AfterResponse::Close,
        InboundEnd::Malformed(malformed) => refuse_malformed(stream, malformed),
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
        Some(fault) if fault.kind == FaultKind::Decline => Effect::Decline,
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
    });
    (sequence, response)
}

/// Strikes without serving the request: the response of the fault, if it has
/// one, is sent while the body is still arriving.
fn strike_at_head(
    service: &Service,
    stream: &TcpStream,
    fault: &Fault,
    response: &Response,
    mode: SendMode,
) -> AfterResponse {
    if service.halt.wait_for(fault.delay) {
        return AfterResponse::Close;
    }
    let mode = SendMode { keep_alive: false, ..mode };
    wire::send_harmed(stream, &fault.kind, response, mode, &service.halt);
    if !matches!(fault.kind, FaultKind::Close | FaultKind::Reset) {
        wire::close_gently(stream);
    }
    AfterResponse::Close
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

/// Refuses a request that a page of another origin may have caused, before its
/// body is read and before faults and service checks apply.
fn turn_away(
    service: &Service,
    stream: &TcpStream,
    connection: u64,
    head: &RequestHead,
    reason: String,
) -> AfterResponse {
    service.request_log.enter(RequestRecord {
        refused: Some(reason.clone()),
        ..record_of(connection, None, head, Vec::new())
    });
    refuse_malformed(stream, &Malformed { status: 403, reason })
}

fn refuse(
    service: &Service,
    stream: &TcpStream,
    connection: u64,
    malformed: &Malformed,
) -> AfterResponse {
    service.request_log.enter(RequestRecord {
        connection,
        refused: Some(malformed.reason.clone()),
        ..RequestRecord::default()
    });
    refuse_malformed(stream, malformed)
}

fn refuse_malformed(stream: &TcpStream, malformed: &Malformed) -> AfterResponse {
    let body = serde_json::json!({"error": malformed.reason});
    let mode = SendMode { head_only: false, keep_alive: false };
    wire::send(stream, &Response::json(malformed.status, &body), mode);
    wire::close_gently(stream);
    AfterResponse::Close
}

fn record_of(
    connection: u64,
    operation: Option<Operation>,
    head: &RequestHead,
    body: Vec<u8>,
) -> RequestRecord {
    RequestRecord {
        connection,
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
