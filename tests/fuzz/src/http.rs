//! The reader of responses, compared with hyper's.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use payments_core::transport::ResponseBytes;
use payments_core::transport::fuzzing::received;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const MAX_BODY: usize = 64 * 1024;

/// The first byte chooses the method and how the response is cut into pieces.
pub(crate) fn response(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    let is_to_head = choice & 1 == 1;
    let whole = received([bytes].into_iter(), is_to_head, MAX_BODY);
    let pieces = bytes.chunks(1 + usize::from(choice >> 1));
    let pieced = received(pieces, is_to_head, MAX_BODY);
    assert_eq!(without_leftovers(&whole), without_leftovers(&pieced), "by its pieces");

    let (Some(ours), Some(hypers)) = (whole, by_hyper(bytes, is_to_head)) else { return };
    let Some((status, body)) = hypers else { return };
    if let (ours, true) = ours {
        assert_eq!((ours.status(), ours.body()), (status, &*body));
    }
}

/// Bytes behind a response are seen only if they came in the same piece.
fn without_leftovers(received: &Option<(ResponseBytes, bool)>) -> Option<(u16, &[u8], bool)> {
    received.as_ref().map(|(response, whole)| (response.status(), response.body(), *whole))
}

/// Status and body; the inner `None` if hyper does not read it to its end.
fn by_hyper(bytes: &[u8], is_to_head: bool) -> Option<Option<(u16, Vec<u8>)>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let io = TokioIo::new(Wire { bytes: bytes.to_vec(), at: 0 });
        let (mut sender, connection) =
            hyper::client::conn::http1::Builder::new().handshake(io).await.ok()?;
        let connection = tokio::spawn(connection);
        let method = if is_to_head { "HEAD" } else { "GET" };
        let request = hyper::Request::builder().method(method).uri("/").header("host", "x");
        let request = request.body(Empty::<Bytes>::new()).ok()?;
        let response = sender.send_request(request).await;
        let read = match response {
            Err(_) => None,
            Ok(response) => {
                let status = response.status().as_u16();
                let body = response.into_body().collect().await.ok();
                body.map(|body| (status, body.to_bytes().to_vec()))
            }
        };
        connection.abort();
        Some(read)
    })
}

/// A connection that has received everything, and takes whatever is written.
struct Wire {
    bytes: Vec<u8>,
    at: usize,
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let end = self.bytes.len().min(self.at + buffer.remaining());
        buffer.put_slice(&self.bytes[self.at..end]);
        self.at = end;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
