//! Ways to write the same content in other bytes.

use payments_core::json::{Json, Members, ParseOptions};

use super::encoding::{BYTE_ORDER_MARK, EDGES, TextChange, from_latin_1};
use super::finding::{Change, SignatureFinding};
use super::style::{JsonStyle, is_sorted};
use super::tree_change::TreeChange;

/// More changes at once than this are not a likely mistake.
const MOST_CHANGES: usize = 5;
/// In larger bodies, no values are changed.
const LARGEST_WITH_VALUES: usize = 64 * 1024;
/// In more orders of its members than this, a sorted body is not tried.
const MOST_ORDERS: usize = 50_000;
/// At most this many orders are tried, each also with other changes.
const MOST_REORDERINGS: usize = 100_000;

const FROM_LATIN_1: Change =
    (SignatureFinding::CharacterEncoding, "encoded as UTF-8 in place of Latin-1 (ISO-8859-1)");
const OTHER_ORDER: Change =
    (SignatureFinding::BodyReserialized, "with its members in another order");

/// One way to rewrite a body.
pub(super) struct Rewriting {
    /// `None` leaves the text as it is.
    style: Option<JsonStyle>,
    /// The place among the body's changes of values.
    tree: Option<usize>,
    edge: Option<&'static TextChange>,
    /// Whether to read the body as Latin-1.
    is_decoded: bool,
    /// The largest change first.
    pub(super) changes: Vec<Change>,
}

/// A body to rewrite.
pub(super) struct OriginalBody<'a> {
    bytes: &'a [u8],
    /// The body as UTF-8, if it is not in UTF-8.
    decoded: Option<Vec<u8>>,
    document: Option<Document>,
}

/// A body as JSON.
struct Document {
    json: Json,
    /// Its own style, if it is a known one, and others, with their changes.
    styles: Vec<(JsonStyle, Vec<Change>)>,
    tree_changes: Vec<Vec<TreeChange>>,
}

impl Document {
    fn of(text: &str) -> Option<Self> {
        let json =
            Json::parse_with(text.as_bytes(), ParseOptions::new().keeping_duplicates()).ok()?;
        let text = text.trim();
        let styles = JsonStyle::of(text, &json).all(text, &json);
        let changes_values = text.len() <= LARGEST_WITH_VALUES;
        let tree_changes = if changes_values { TreeChange::sets(&json) } else { Vec::new() };
        Some(Self { styles, tree_changes, json })
    }
}

impl<'a> OriginalBody<'a> {
    /// `take_apart` says whether to parse the body as JSON. Without JSON, only
    /// its ends and its encoding can be rewritten.
    pub(super) fn new(bytes: &'a [u8], take_apart: bool) -> Self {
        let content = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let decoded = std::str::from_utf8(content).is_err().then(|| from_latin_1(content));
        let text = std::str::from_utf8(decoded.as_deref().unwrap_or(content)).ok();
        let document = text.filter(|_| take_apart).and_then(Document::of);
        Self { bytes, decoded, document }
    }

    /// Every rewriting that makes a difference, fewest changes first.
    pub(super) fn rewritings(&self) -> Vec<Rewriting> {
        let mut all = Vec::new();
        for edge in std::iter::once(None).chain(EDGES.iter().map(Some)) {
            let mut push = |style, tree, is_decoded: bool, mut changes: Vec<Change>| {
                changes.extend(is_decoded.then_some(FROM_LATIN_1));
                changes.extend(edge.map(|(change, _)| *change));
                changes.sort_by_key(|(finding, _)| *finding as usize);
                if changes.len() <= MOST_CHANGES {
                    all.push(Rewriting { style, tree, edge, is_decoded, changes });
                }
            };
            let is_decoded = self.decoded.is_some();
            push(None, None, false, Vec::new());
            if is_decoded {
                push(None, None, true, Vec::new());
            }
            let Some(document) = &self.document else { continue };
            for (style, changes) in &document.styles {
                push(Some(*style), None, is_decoded, changes.clone());
                for (index, set) in document.tree_changes.iter().enumerate() {
                    let set = set.iter().map(TreeChange::change);
                    let changes = changes.iter().copied().chain(set).collect();
                    push(Some(*style), Some(index), is_decoded, changes);
                }
            }
        }
        all.retain(|it| !it.changes.is_empty());
        // An extra line end is a likelier cause than a reformatted document.
        all.sort_by_key(|it| (it.changes.len(), it.style.is_some(), it.tree.is_some()));
        all
    }

    /// The rewritten body, if the rewriting applies.
    pub(super) fn rewritten(&self, rewriting: &Rewriting) -> Option<Vec<u8>> {
        let content = match (rewriting.style, &self.document) {
            (Some(style), Some(document)) => {
                style.written(&document.tree(rewriting.tree)).into_bytes()
            }
            _ if rewriting.is_decoded => self.decoded.clone()?,
            _ => self.bytes.to_vec(),
        };
        match rewriting.edge {
            Some((_, apply)) => apply(&content),
            None => Some(content),
        }
    }

    /// The body with its members in every other order, if they arrived sorted:
    /// as sent, and with one or two more changes.
    pub(super) fn reorderings(&self) -> impl Iterator<Item = (Vec<u8>, Vec<Change>)> {
        let document = self.document.as_ref().filter(|it| is_sorted(&it.json));
        let orders = document.map_or(1, |it| orders(&it.json));
        let orders = if orders > MOST_ORDERS { 1 } else { orders };
        let is_simple = |it: &Rewriting| it.style.is_some() && it.edge.is_none();
        let own = document.and_then(|it| it.styles.iter().find(|(_, changes)| changes.is_empty()));
        let unchanged = own.map(|(style, _)| (*style, None, Vec::new()));
        let changed = self.rewritings().into_iter().filter(move |it| is_simple(it));
        let changed = changed.take_while(|it| it.changes.len() <= 2).filter_map(|it| {
            let changes = it.changes.clone();
            it.style.map(|style| (style, it.tree, changes))
        });
        let simple = unchanged.into_iter().chain(changed);
        let all = simple.flat_map(move |(style, tree, others)| {
            let json = document.map(|it| it.tree(tree)).unwrap_or_default();
            (1..orders).map(move |order| {
                let text = style.written(&arranged(&json, &mut { order }));
                (text.into_bytes(), [&[OTHER_ORDER], others.as_slice()].concat())
            })
        });
        all.take(MOST_REORDERINGS)
    }
}

impl Document {
    fn tree(&self, change: Option<usize>) -> Json {
        match change.and_then(|index| self.tree_changes.get(index)) {
            Some(set) => TreeChange::applied_in_turn(set, &self.json),
            None => self.json.clone(),
        }
    }
}

/// The number of orders that the members of all objects can have.
fn orders(json: &Json) -> usize {
    match json {
        Json::Array(elements) => elements.iter().map(orders).fold(1, usize::saturating_mul),
        Json::Object(members) => {
            let own = (1..=members.len()).fold(1, usize::saturating_mul);
            members.iter().map(|(_, value)| orders(value)).fold(own, usize::saturating_mul)
        }
        _ => 1,
    }
}

/// `json` with its members in the order of that number; 0 leaves them.
fn arranged(json: &Json, order: &mut usize) -> Json {
    match json {
        Json::Array(elements) => {
            Json::Array(elements.iter().map(|element| arranged(element, order)).collect())
        }
        Json::Object(members) => {
            let mut left: Vec<_> = members.iter().collect();
            let mut chosen = Members::new();
            while !left.is_empty() {
                let (name, value) = left.remove(*order % left.len());
                *order /= left.len() + 1;
                chosen.push(name, arranged(value, order));
            }
            chosen.into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_json_has_no_style() {
        for bytes in [&b"{"[..], b"", b"\xff", b"{} {}", &[b'['; 1000]] {
            let source = OriginalBody::new(bytes, true);
            assert!(source.rewritings().iter().all(|it| it.style.is_none()));
            assert_eq!(source.reorderings().count(), 0);
        }
    }

    #[test]
    fn every_order_is_tried_once() {
        let json = Json::parse(br#"{"a":{"x":1,"y":2},"b":3,"c":[{"p":4,"q":5}]}"#).unwrap();
        let count = orders(&json);
        assert_eq!(count, 6 * 2 * 2);
        let mut all: Vec<_> = (0..count).map(|it| arranged(&json, &mut { it }).to_text()).collect();
        assert_eq!(all[0], json.to_text());
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
