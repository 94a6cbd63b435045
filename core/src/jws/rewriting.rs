//! The ways in which a body gets other bytes for the same content.

use super::layout::{Layout, Node, NonAscii, Slashes, rewrite_strings};

/// Deeper documents are not taken apart: each level is read once more.
const DEEPEST: usize = 32;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is done to the text as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    AsIs,
    LineFeedAdded,
    CrLfAdded,
    LineEndRemoved,
    MarkAdded,
    MarkRemoved,
    CrLfMadeLineFeed,
    LineFeedMadeCrLf,
}

/// One way of rewriting a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Rewriting {
    pub(super) layout: Layout,
    pub(super) sorted: bool,
    pub(super) non_ascii: NonAscii,
    pub(super) slashes: Slashes,
    pub(super) edge: Edge,
}

/// A body that is to be rewritten.
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    json: Option<(&'a str, Node<'a>)>,
}

impl<'a> Source<'a> {
    /// `take_apart` is whether the body is read as JSON; if not, or if it is
    /// none, only its edges can be rewritten.
    pub(super) fn new(bytes: &'a [u8], take_apart: bool) -> Self {
        let content = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let text = std::str::from_utf8(content).ok().filter(|_| take_apart);
        let json = text.and_then(|text| Node::read(text, DEEPEST).map(|node| (text, node)));
        Self { bytes, json }
    }

    /// Every rewriting that can make a difference, least changes first.
    pub(super) fn rewritings(&self) -> Vec<Rewriting> {
        let mut layouts = vec![(Layout::AsIs, false)];
        let mut non_ascii = vec![NonAscii::AsIs];
        let mut slashes = vec![Slashes::AsIs];
        if let Some((text, _)) = &self.json {
            for sorted in [false, true] {
                layouts.extend(
                    [Layout::Compact, Layout::Spaced, Layout::Indented(2), Layout::Indented(4)]
                        .map(|layout| (layout, sorted)),
                );
            }
            if !text.is_ascii() {
                non_ascii.extend([NonAscii::EscapedLowerCase, NonAscii::EscapedUpperCase]);
            }
            if text.contains("\\u") {
                non_ascii.push(NonAscii::Raw);
            }
            if text.contains('/') {
                slashes.push(Slashes::Escaped);
            }
            if text.contains("\\/") {
                slashes.push(Slashes::Raw);
            }
        }
        let edges = [
            Edge::AsIs,
            Edge::LineFeedAdded,
            Edge::CrLfAdded,
            Edge::LineEndRemoved,
            Edge::MarkAdded,
            Edge::MarkRemoved,
            Edge::CrLfMadeLineFeed,
            Edge::LineFeedMadeCrLf,
        ];
        let mut all = Vec::new();
        for edge in edges {
            for &slashes in &slashes {
                for &non_ascii in &non_ascii {
                    for &(layout, sorted) in &layouts {
                        all.push(Rewriting { layout, sorted, non_ascii, slashes, edge });
                    }
                }
            }
        }
        // A line end too many explains more than a document laid out anew.
        all.sort_by_key(|it| (it.changes(), it.layout != Layout::AsIs));
        all
    }

    /// The body rewritten, if it can be.
    pub(super) fn rewritten(&self, rewriting: Rewriting) -> Option<Vec<u8>> {
        let Rewriting { layout, sorted, non_ascii, slashes, edge } = rewriting;
        let unchanged =
            (layout, non_ascii, slashes) == (Layout::AsIs, NonAscii::AsIs, Slashes::AsIs);
        let content = if unchanged {
            self.bytes.to_vec()
        } else {
            let (text, node) = self.json.as_ref()?;
            let mut laid_out = String::with_capacity(text.len() * 2);
            match layout {
                Layout::AsIs => laid_out.push_str(text),
                _ => node.write(layout, sorted, 0, &mut laid_out),
            }
            rewrite_strings(&laid_out, non_ascii, slashes).into_bytes()
        };
        edge.applied(content)
    }
}

impl Rewriting {
    fn changes(&self) -> usize {
        usize::from(self.layout != Layout::AsIs)
            + usize::from(self.sorted)
            + usize::from(self.non_ascii != NonAscii::AsIs)
            + usize::from(self.slashes != Slashes::AsIs)
            + usize::from(self.edge != Edge::AsIs)
    }
}

impl Edge {
    /// `None` if there is nothing to do it to.
    fn applied(self, mut content: Vec<u8>) -> Option<Vec<u8>> {
        match self {
            Self::AsIs => {}
            Self::LineFeedAdded => content.push(b'\n'),
            Self::CrLfAdded => content.extend_from_slice(b"\r\n"),
            Self::LineEndRemoved => {
                let without = content.strip_suffix(b"\n")?;
                let length = without.strip_suffix(b"\r").unwrap_or(without).len();
                content.truncate(length);
            }
            Self::MarkAdded => {
                content.splice(0..0, BYTE_ORDER_MARK.iter().copied());
            }
            Self::MarkRemoved => content = content.strip_prefix(BYTE_ORDER_MARK)?.to_vec(),
            Self::CrLfMadeLineFeed => {
                let text = String::from_utf8(content).ok().filter(|text| text.contains("\r\n"))?;
                content = text.replace("\r\n", "\n").into_bytes();
            }
            Self::LineFeedMadeCrLf => {
                let text = String::from_utf8(content).ok().filter(|text| text.contains('\n'))?;
                content = text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
            }
        }
        Some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_json_has_edges_only() {
        for bytes in [&b"{"[..], b"", b"\xff", b"{} {}", &[b'['; 1000]] {
            let source = Source::new(bytes, true);
            assert!(source.rewritings().iter().all(|it| it.layout == Layout::AsIs));
        }
    }
}
