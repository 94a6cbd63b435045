//! Entries as JSON, for stores outside of this process.

use super::replacements::{Pause, Replacements};
use super::{Backoff, Token, TokenEntry};
use crate::model::json::{Json, Members};

impl TokenEntry {
    /// The entry as an object. It contains the token: treat it as a secret.
    pub fn to_json(&self) -> Json {
        let mut entry = Members::new();
        if let Some(token) = &self.token {
            let members = token.members.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            entry.push(
                "token",
                Members::from([
                    ("value", Json::from(token.value.expose())),
                    ("obtained_at", token.obtained_at.into()),
                    ("expires_at", token.expires_at.into()),
                    ("members", members.collect::<Members>().into()),
                ]),
            );
        }
        if let Some(backoff) = self.backoff {
            entry.push(
                "backoff",
                Members::from([
                    ("since", Json::from(backoff.since)),
                    ("until", backoff.until.into()),
                    ("failures", u64::from(backoff.failures).into()),
                ]),
            );
        }
        if !self.replacements.is_empty() {
            entry.push("replacements", json_of(&self.replacements));
        }
        Json::Object(entry)
    }

    /// Parses an entry. Unreadable text gives an empty entry, so that a damaged
    /// store recovers.
    pub fn from_json(text: &[u8]) -> Self {
        Json::parse(text).map(|json| Self::of(&json)).unwrap_or_default()
    }

    fn of(json: &Json) -> Self {
        Self {
            token: json.get("token").and_then(token_of),
            backoff: json.get("backoff").and_then(backoff_of),
            replacements: json.get("replacements").map(replacements_of).unwrap_or_default(),
        }
    }
}

fn token_of(json: &Json) -> Option<Token> {
    let value = json.get("value")?.as_str()?;
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let members = json.get("members").and_then(Json::as_object);
    let texts = members.into_iter().flat_map(Members::iter);
    Some(Token {
        value: value.into(),
        obtained_at: number(json, "obtained_at")?,
        expires_at: number(json, "expires_at")?,
        members: texts
            .filter_map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned())))
            .collect(),
    })
}

fn backoff_of(json: &Json) -> Option<Backoff> {
    Some(Backoff {
        since: number(json, "since")?,
        until: number(json, "until")?,
        failures: number(json, "failures").and_then(|count| u32::try_from(count).ok())?,
    })
}

fn json_of(replacements: &Replacements) -> Members {
    let pause = |pause: &Pause| {
        Members::from([
            ("since", Json::from(pause.since)),
            ("until", pause.until.into()),
            ("number", pause.number.into()),
        ])
    };
    let mut members = Members::new();
    if let Some(of_token) = &replacements.pause {
        members.push("pause", pause(of_token));
    }
    let targets = replacements.targets.iter().map(|(target, it)| (target.as_str(), pause(it)));
    members.push("targets", targets.collect::<Members>());
    let requested_at = replacements.requested_at.iter().map(|at| Json::from(*at));
    members.push("requested_at", requested_at.collect::<Vec<_>>());
    members.push("dropped_until", replacements.dropped_until);
    members
}

fn replacements_of(json: &Json) -> Replacements {
    let targets = json.get("targets").and_then(Json::as_object).into_iter().flat_map(Members::iter);
    let requested_at = json.get("requested_at").and_then(Json::as_array).unwrap_or_default();
    Replacements {
        pause: json.get("pause").and_then(pause_of),
        targets: targets
            .filter_map(|(target, pause)| Some((target.to_owned(), pause_of(pause)?)))
            .collect(),
        requested_at: requested_at.iter().filter_map(Json::as_u64).collect(),
        dropped_until: number(json, "dropped_until"),
    }
}

fn pause_of(json: &Json) -> Option<Pause> {
    Some(Pause {
        since: number(json, "since")?,
        until: number(json, "until")?,
        number: number(json, "number")?,
    })
}

fn number(json: &Json, name: &str) -> Option<u64> {
    json.get(name)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_survives_the_round_trip() {
        let token = Token {
            value: "a.b".into(),
            obtained_at: 1,
            expires_at: 2,
            members: [("jti".to_owned(), "x\"y".to_owned())].into(),
        };
        for entry in [
            TokenEntry::default(),
            TokenEntry {
                token: Some(token),
                backoff: Some(Backoff { since: 3, until: 4, failures: 5 }),
                replacements: Replacements {
                    pause: Some(Pause { since: 6, until: 7, number: 8 }),
                    targets: [("a1".to_owned(), Pause { since: 9, until: 10, number: 11 })].into(),
                    requested_at: vec![12, 13],
                    dropped_until: Some(14),
                },
            },
        ] {
            assert_eq!(TokenEntry::from_json(&entry.to_json().to_bytes()), entry);
        }
    }

    #[test]
    fn spoiled_texts_count_as_empty() {
        let with_value = |value: &str| {
            format!(r#"{{"token":{{"value":"{value}","obtained_at":1,"expires_at":2}}}}"#)
        };
        assert!(TokenEntry::from_json(with_value("a.b").as_bytes()).token.is_some());
        // A token that cannot be in a header would break every call until it
        // expires.
        let unusable = ["", "a b", "a\\nb", "é"].map(with_value);
        let spoiled = ["", "{", "[]", "null", "\u{0}", r#"{"token":7}"#];
        for text in spoiled.into_iter().chain(unusable.iter().map(String::as_str)) {
            assert_eq!(TokenEntry::from_json(text.as_bytes()), TokenEntry::default(), "{text}");
        }
        let without_times = br#"{"token":{"value":"a"},"replacements":{"dropped_until":9}}"#;
        assert_eq!(TokenEntry::from_json(without_times).token, None);
        assert_eq!(TokenEntry::from_json(without_times).replacements.dropped_until, Some(9));
        for spoiled in ["7", r#"{"pause":7,"targets":[1],"requested_at":{}}"#, r#"{"pause":{}}"#] {
            let text = format!(r#"{{"replacements":{spoiled}}}"#);
            assert_eq!(TokenEntry::from_json(text.as_bytes()), TokenEntry::default(), "{text}");
        }
    }
}
