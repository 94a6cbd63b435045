//! `payments doctor`.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use payments_core::error::Reason;
use payments_core::json::{Json, Members};
use payments_core::jws::PublicKey;
use payments_core::signer::PrivateKey;
use payments_sandbox::doctor::{
    self, BearerFinding, Difference, KnownKey, SignatureFinding, diagnose_bearer, differences,
    is_made_by, member_at, with_covered_keys,
};

use crate::args::Global;
use crate::args::tool::DoctorArgs;
use crate::keys::public_keys::KeyArgument;
use crate::keys::sign;
use crate::output;
use crate::output::summary;
use crate::process::failure::{EXIT_FAILED, Failure};
use crate::process::input;

/// More differences than this are only counted.
const MOST_SHOWN: usize = 20;

/// Reports what is wrong with the signature and the bearer token of a request,
/// and where the signed bytes differ from the body.
///
/// # Errors
/// A key, a token or the body cannot be read.
pub(crate) fn run(global: &Global, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let is_for_people = output::is_for_people(global);
    let mut report = Members::new();
    let mut is_good = true;
    if args.token.token.is_some() || args.bearer.is_none() {
        is_good &= signature(args, is_for_people, &mut report)?;
    }
    if let Some(bearer) = &args.bearer {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let finding = diagnose_bearer(&input::text(bearer)?, args.client_id.as_deref(), now);
        let members = [("finding", finding.as_str()), ("message", finding.explanation())];
        report.push("bearer", Members::from(members));
        is_good &= finding == BearerFinding::NothingSeen;
    }
    output::write_list(&summary::text_of(&report.into(), is_for_people))?;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILED) })
}

/// Reports on the signature. Returns whether it is valid.
fn signature(
    args: &DoctorArgs,
    is_for_people: bool,
    report: &mut Members,
) -> Result<bool, Failure> {
    let keys =
        args.public_key.iter().map(|argument| KeyArgument::read(argument).map(KnownKey::from));
    let mut keys = keys.collect::<Result<Vec<_>, _>>()?;
    let own = match &args.key {
        Some(file) => Some(public_half(file, args.key_passphrase_file.as_deref())?),
        None => None,
    };
    keys.extend(own.clone());
    let token = args.token.read()?;
    let body = input::body(args.body.body.as_deref())?;
    let url = args.url.as_deref().map(input::text).transpose()?;
    let found = doctor::examine(token.as_deref(), &body, url.as_deref(), &keys);
    for (name, value) in found.diagnosis.to_json().as_object().into_iter().flat_map(Members::iter) {
        report.push(name, value.clone());
    }
    if let Some(key) = &own {
        let is_made = token.as_deref().and_then(|token| is_made_by(token, &body, key));
        report.push("key_made_the_signature", is_made.map_or(Json::Null, Json::from));
    }
    if let Some(signed) = found.signed_payload.filter(|_| !body.is_empty()) {
        push_differences(report, &signed, &body, is_for_people);
    }
    Ok(found.diagnosis.finding() == SignatureFinding::Valid)
}

/// The public half of the private key in a file, or a public key.
fn public_half(file: &Path, passphrase_file: Option<&Path>) -> Result<KnownKey, Failure> {
    let passphrase = sign::passphrase(passphrase_file)?;
    let name = file.display().to_string();
    // A small key may have signed, even if it should not have.
    let key: PublicKey = match PrivateKey::from_file(file, passphrase.as_ref(), true) {
        // Only its public half is used, so any kid will do.
        Ok(key) => key.signer("own")?.public_key().clone(),
        Err(error) if error.reason() == Some(Reason::PublicKey) => KeyArgument::read(&name)?.key,
        Err(error) => return Err(sign::advised(error)),
    };
    Ok(KnownKey::of_file(key, &name))
}

fn push_differences(report: &mut Members, signed: &[u8], sent: &[u8], is_for_people: bool) {
    let all = differences(signed, sent);
    if all.is_empty() {
        return;
    }
    let covered = [with_covered_keys(signed), with_covered_keys(sent)];
    let shown = all.iter().take(MOST_SHOWN).map(|difference| {
        let text = DifferenceText::of(difference, &covered);
        if is_for_people { Json::from(text.in_a_line()) } else { text.into_json() }
    });
    report.push("differences", Json::Array(shown.collect()));
    if all.len() > MOST_SHOWN {
        report.push("differences_in_all", Json::Number(all.len().to_string()));
    }
}

/// A difference in words.
struct DifferenceText<'a> {
    difference: &'a Difference,
    member: Option<String>,
    signed: String,
    sent: String,
}

impl<'a> DifferenceText<'a> {
    fn of(difference: &'a Difference, [signed, sent]: &[Vec<u8>; 2]) -> Self {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        Self {
            member: member_at(sent, difference.sent.start).map(str::to_owned),
            signed: text(&signed[difference.signed.clone()]),
            sent: text(&sent[difference.sent.clone()]),
            difference,
        }
    }

    fn in_a_line(&self) -> String {
        let quoted = |text: &str| match text {
            "" => "nothing".to_owned(),
            text => format!("\"{text}\""),
        };
        let member = self.member.as_deref().unwrap_or("the beginning");
        format!(
            "at {member}: signed {}, sent {} (byte {} of the body)",
            quoted(&self.signed),
            quoted(&self.sent),
            self.difference.sent.start
        )
    }

    fn into_json(self) -> Json {
        let place = |at: usize| Json::Number(at.to_string());
        let mut members = Members::new();
        members.push("member", self.member.as_deref());
        members.push("signed", self.signed);
        members.push("signed_at", place(self.difference.signed.start));
        members.push("sent", self.sent);
        members.push("sent_at", place(self.difference.sent.start));
        members.into()
    }
}
