//! The state of an item, and its line in the state file.

use payments_core::json::{Json, Members};

use super::EndKind;
use super::item::Item;
use super::time::DAY;

/// The progress of the report of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Open,
    /// Its end may have been reported.
    Reporting,
    Reported,
}

impl Stage {
    const ALL: [Self; 3] = [Self::Open, Self::Reporting, Self::Reported];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reporting => "reporting",
            Self::Reported => "reported",
        }
    }
}

/// The queries of an item that failed in a row, in ways that may be about it only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Failing {
    /// The time of the first one.
    pub(super) since: u64,
    /// How many were made outside of a pause.
    pub(super) count: u32,
    /// Whether a query of another item was answered meanwhile.
    pub(super) is_alone: bool,
}

impl Failing {
    /// How many queries outside of a pause tell that it is the item, if nothing else does.
    const ENOUGH: u32 = 5;

    /// The series after another failure. `answered` is when any query was last answered.
    pub(super) fn after(
        before: Option<Self>,
        is_probe: bool,
        answered: Option<u64>,
        now: u64,
    ) -> Self {
        let before = before.unwrap_or(Self { since: now, count: 0, is_alone: false });
        Self {
            count: before.count.saturating_add(u32::from(!is_probe)),
            is_alone: before.is_alone || answered.is_some_and(|at| at > before.since),
            ..before
        }
    }

    /// Whether the failures are about the item, and not an outage.
    pub(super) fn is_its_own(&self) -> bool {
        self.is_alone || self.count >= Self::ENOUGH
    }

    fn to_json(self) -> Json {
        let mut members = Members::from([("since", self.since)]);
        members.push("count", u64::from(self.count));
        members.push("alone", self.is_alone);
        members.into()
    }

    fn from_json(json: &Json, now: u64) -> Option<Self> {
        Some(Self {
            since: json.get("since")?.as_u64()?.min(now),
            count: u32::try_from(json.get("count")?.as_u64()?).ok()?,
            is_alone: json.get("alone")?.as_bool()?,
        })
    }
}

/// The state of an item. Times are in milliseconds since 1970 UTC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ItemState {
    pub(super) item: Item,
    pub(super) stage: Stage,
    /// When it was last queried.
    pub(super) asked: Option<u64>,
    /// Its failures, if its last query failed.
    pub(super) failing: Option<Failing>,
    /// How it ended.
    pub(super) end: Option<EndKind>,
    /// When it was reported as given up. From then on it is queried once a day.
    pub(super) given_up: Option<u64>,
    /// Whether it is given up for good.
    pub(super) is_final: bool,
}

impl ItemState {
    /// An item that was not queried yet.
    pub(super) fn new(item: Item) -> Self {
        Self {
            item,
            stage: Stage::Open,
            asked: None,
            failing: None,
            end: None,
            given_up: None,
            is_final: false,
        }
    }

    /// When something last happened to it.
    pub(super) fn newest(&self) -> u64 {
        self.item.since.max(self.asked.unwrap_or(0)).max(self.given_up.unwrap_or(0))
    }

    /// When a given-up item is queried again.
    pub(super) fn due_given_up(&self) -> u64 {
        self.asked.or(self.given_up).unwrap_or(self.item.since).saturating_add(DAY)
    }

    /// Whether nothing is left to do about it.
    pub(super) fn is_ended(&self) -> bool {
        self.stage == Stage::Reported
    }

    /// Whether it may be left out of the file at some time.
    pub(super) fn is_forgettable(&self) -> bool {
        let is_over = matches!(self.end, Some(EndKind::Confirmed | EndKind::Cancelled));
        self.is_ended() && (is_over || self.is_final)
    }

    pub(super) fn to_line(&self) -> String {
        let mut members = self.item.to_members();
        members.push("since", self.item.since);
        members.push("was_found", self.item.was_found);
        members.push("asked", self.asked);
        members.push("stage", self.stage.as_str());
        members.push("end", self.end.map(EndKind::as_str));
        if let Some(failing) = self.failing {
            members.push("failing", failing.to_json());
        }
        if self.given_up.is_some() {
            members.push("given_up", self.given_up);
        }
        if self.is_final {
            members.push("final", true);
        }
        Json::from(members).to_text()
    }

    /// Reads a line. A time in the future is from a clock that was wrong: such an
    /// item is as old as one that begins now, and is queried at once.
    pub(super) fn from_json(json: &Json, now: u64) -> Option<Self> {
        let stage = json.get("stage")?.as_str()?;
        let end = json.get("end")?.as_str();
        let time = |name: &str| json.get(name).and_then(Json::as_u64);
        let mut item = Item::from_json(json)?;
        item.since = item.since.min(now);
        let mut known = Self {
            item,
            stage: Stage::ALL.into_iter().find(|it| it.as_str() == stage)?,
            asked: time("asked").filter(|asked| *asked <= now),
            failing: json.get("failing").and_then(|failing| Failing::from_json(failing, now)),
            end: EndKind::ALL.into_iter().find(|it| Some(it.as_str()) == end),
            given_up: time("given_up").map(|at| at.min(now)),
            is_final: json.get("final").and_then(Json::as_bool).unwrap_or(false),
        };
        // That something was given up is not its end.
        let is_given_up = known.end == Some(EndKind::GivenUp) && !known.is_final;
        if known.stage == Stage::Reported && is_given_up {
            let since = known.given_up.or(known.asked).unwrap_or(known.item.since);
            (known.stage, known.given_up) = (Stage::Open, Some(since));
        }
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(known: &ItemState, now: u64) -> ItemState {
        ItemState::from_json(&Json::parse(known.to_line().as_bytes()).unwrap(), now).unwrap()
    }

    #[test]
    fn it_survives_the_round_trip() {
        let open = ItemState { asked: Some(8), ..ItemState::new(Item::named("a", false, 7)) };
        let ended =
            ItemState { stage: Stage::Reported, end: Some(EndKind::Confirmed), ..open.clone() };
        let end = Some(EndKind::GivenUp);
        let given_up = ItemState { end, given_up: Some(9), ..open.clone() };
        let last = ItemState { stage: Stage::Reported, is_final: true, ..given_up.clone() };
        let payout = ItemState::new(Item::payout("a", true, 7));
        let failing = Some(Failing::after(None, false, Some(8), 7));
        let failing = ItemState { failing, ..open.clone() };
        for known in [open.clone(), ended, given_up.clone(), last, payout, failing] {
            assert_eq!(read(&known, 9), known);
        }
        let reported = ItemState { stage: Stage::Reported, given_up: None, ..given_up };
        let known = read(&reported, 9);
        assert_eq!((known.stage, known.given_up), (Stage::Open, Some(8)), "it is no end");
        let early = read(&open, 5);
        assert_eq!((early.item.since, early.asked), (5, None), "the clock was wrong");
    }

    #[test]
    fn failures_are_those_of_an_item_if_others_work_or_after_five() {
        let mut failing = Failing::after(None, false, Some(8), 9);
        for count in 2..=6_u32 {
            failing = Failing::after(Some(failing), false, Some(8), 9 + u64::from(count));
            assert_eq!(failing.is_its_own(), count >= 5, "{count}");
        }
        let probe = (0..9).fold(None, |it, at| Some(Failing::after(it, true, None, at)));
        assert!(!probe.is_some_and(|it| it.is_its_own()), "an outage");
        assert!(Failing::after(probe, true, Some(3), 9).is_its_own(), "another one was answered");
    }

    #[test]
    fn an_item_for_a_person_is_not_forgotten() {
        let open = ItemState::new(Item::named("a", false, 7));
        let of =
            |stage, end, is_final| ItemState { stage, end: Some(end), is_final, ..open.clone() };
        for (known, expected) in [
            (open.clone(), false),
            (of(Stage::Reporting, EndKind::Confirmed, false), false),
            (of(Stage::Reported, EndKind::Confirmed, false), true),
            (of(Stage::Reported, EndKind::Cancelled, false), true),
            (of(Stage::Open, EndKind::GivenUp, false), false),
            (of(Stage::Reported, EndKind::GivenUp, true), true),
            (of(Stage::Reported, EndKind::Differs, false), false),
        ] {
            assert_eq!(known.is_forgettable(), expected, "{known:?}");
        }
    }
}
