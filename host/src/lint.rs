//! Finds values in payments, payouts and refunds that are well-formed for the service and
//! probably wrong: tax documents of the wrong form or with wrong check digits, Pix keys
//! in a form that the directory does not know, refunds without an amount, texts of a
//! length that services are seen to refuse, white space at the ends of values that are
//! looked up, and payment methods and currencies that do not belong to the country.
//!
//! Not stated in the interface: the checks of the service. These are rules of
//! the documents and of Pix, so a warning is a reason to look, and no call is
//! refused because of one.

use std::borrow::Cow;

mod documents;
mod generated;
mod lengths;
mod methods;
mod pix_keys;
mod white_space;

use payments_core::json::{Json, Members};

/// A member whose value is probably wrong. Never holds the value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LintWarning {
    /// The member, for example `payee.document`.
    pub path: &'static str,
    /// The mistake: a stable code, which is not an error code.
    pub code: &'static str,
    /// Whether it is surely a mistake.
    pub certainty: Certainty,
    /// The mistake, and the remedy.
    pub message: Cow<'static, str>,
}

/// Whether a value is surely a mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Certainty {
    /// Services are seen to refuse it, or it cannot be intended.
    Certain,
    /// It is right for some.
    Perhaps,
}

impl Certainty {
    /// `certain` or `perhaps`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Perhaps => "perhaps",
        }
    }
}

impl LintWarning {
    fn of(path: &'static str, Finding { code, certainty, message }: Finding) -> Self {
        Self { path, code, certainty, message }
    }

    /// An object with `path`, `code`, `certainty` and `message`.
    pub fn view(&self) -> Json {
        let Self { path, code, certainty, ref message } = *self;
        let certainty = certainty.as_str();
        let members =
            [("path", path), ("code", code), ("certainty", certainty), ("message", message)];
        Members::from(members).into()
    }
}

/// A mistake, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    code: &'static str,
    certainty: Certainty,
    message: Cow<'static, str>,
}

/// Examines the request for a payment or for a payout: the tax document of the payer
/// or payee (kinds of five countries), the Pix key, white space at the ends of these
/// and of references, the lengths of texts, and whether the payment method and the
/// currency belong to the country. A request that names a payment and has none of a
/// payment's or a payout's members is taken for a refund, which should have an
/// amount. It sends nothing, and refuses nothing.
pub fn lint(request: &Members) -> Vec<LintWarning> {
    let object = |name: &str| request.get(name).and_then(Json::as_object);
    let payment = object("payment").and_then(|it| documents::of_document(&country(it)?, it));
    let country = country(request);
    let payee = object("payee").zip(country.as_deref());
    let payee = payee.and_then(|(payee, country)| documents::of_document(country, payee));
    let key = country.filter(|it| it == "br").and_then(|_| of_pix_key(request));
    let found = [
        payment.map(|it| LintWarning::of("payment.document", it)),
        key.map(|it| LintWarning::of("target_account", it)),
        payee.map(|it| LintWarning::of("payee.document", it)),
        of_refund(request).map(|it| LintWarning::of("amount", it)),
    ];
    let ends = white_space::found(request).map(|path| LintWarning::of(path, Finding::WHITE_SPACE));
    let lengths = lengths::found(request, is_refund(request));
    let lengths = lengths.map(|(path, message)| LintWarning::of(path, Finding::length(message)));
    let methods = methods::found(request).map(|(path, it)| LintWarning::of(path, it));
    found.into_iter().flatten().chain(ends).chain(lengths).chain(methods).collect()
}

/// The text of a member, such as `payee.document`.
fn text_at<'m>(request: &'m Members, path: &str) -> Option<&'m str> {
    match path.split_once('.') {
        Some((object, name)) => request.get(object)?.get(name)?.as_str(),
        None => request.get(path)?.as_str(),
    }
}

/// A member without the white space that [`white_space`] finds at its ends.
fn text<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    let text = members.get(name).and_then(Json::as_str)?;
    Some(text.trim_matches(white_space::is_unseen)).filter(|text| !text.is_empty())
}

fn country(members: &Members) -> Option<String> {
    text(members, "country").map(str::to_lowercase)
}

fn of_pix_key(members: &Members) -> Option<Finding> {
    let target = text(members, "target").filter(|it| it.eq_ignore_ascii_case("pix_key"));
    let key = target.and_then(|_| text(members, "target_account"))?;
    pix_keys::problem(key).map(Finding::pix_key_form)
}

/// A query, which names a payment too, needs no examination.
fn of_refund(members: &Members) -> Option<Finding> {
    let is_amount_missing = is_refund(members)
        && text(members, "operation") != Some("cancel")
        && !has(members, "amount");
    is_amount_missing.then_some(Finding::REFUND_AMOUNT_MISSING)
}

fn is_refund(members: &Members) -> bool {
    ["hash", "merchant_payment_code"].into_iter().any(|it| has(members, it))
        && !["payment", "external_reference"].into_iter().any(|it| has(members, it))
}

fn has(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(payout: &str) -> Vec<(&'static str, &'static str)> {
        let payout = Json::parse(payout.as_bytes()).unwrap();
        let found = lint(payout.as_object().unwrap()).into_iter();
        found.map(|it| (it.path, it.code)).collect()
    }

    #[test]
    fn documents_and_keys_are_those_of_the_country() {
        let payout = r#"{"country":"br","target":"pix_key","target_account":"Maria",
                         "payee":{"name":"Maria","document":"1"}}"#;
        let both = [("target_account", "pix_key_form"), ("payee.document", "document_form")];
        assert_eq!(found(payout), both);
        assert_eq!(found(&payout.replace("br", "BR")), both);
        assert_eq!(found(&payout.replace("br", "mx")), []);
        assert_eq!(found(&payout.replace("pix_key", "bank")), both[1..]);
        let payment = r#"{"payment":{"country":"br","document":"853.513.468-92"}}"#;
        assert_eq!(found(payment), [("payment.document", Finding::CPF_CHECK_DIGITS.code)]);
        assert_eq!(found(&payment.replace("-92", "-93")), []);
        assert_eq!(found(&payment.replace("br", "mx")), []);
        assert_eq!(found("{}"), []);
        for end in [" ", "\u{a0}", "\u{200b}"] {
            let spaced = payout.replace("Maria", &format!("85351346893{end}"));
            let spaced = spaced.replace(r#""document":"1""#, r#""email":"A""#);
            for country in ["br", "mx"] {
                let spaced = spaced.replace("br", country);
                let expected = [("target_account", Finding::WHITE_SPACE.code)];
                assert_eq!(found(&spaced), expected, "{country}");
            }
        }
    }

    #[test]
    fn a_refund_should_have_an_amount() {
        let missing = [("amount", Finding::REFUND_AMOUNT_MISSING.code)];
        for refund in [
            r#"{"hash":"5a4f"}"#,
            r#"{"operation":"request","hash":"5a4f","amount":null}"#,
            r#"{"merchant_payment_code":"order-1","description":"returned"}"#,
        ] {
            assert_eq!(found(refund), missing, "{refund}");
        }
        for other in [
            r#"{"hash":"5a4f","amount":"10.00"}"#,
            r#"{"operation":"cancel","hash":"5a4f","refund_id":"1"}"#,
            r#"{"merchant_payment_code":"order-1","payment":{"country":"mx"}}"#,
            r#"{"order_number":"1","tracking_code":["A"]}"#,
        ] {
            assert_eq!(found(other), [], "{other}");
        }
    }

    #[test]
    fn a_warning_names_the_mistake_and_not_the_value() {
        let payout =
            Members::from([("country", "br"), ("target", "pix_key"), ("target_account", "Maria")]);
        let [warning] = &lint(&payout)[..] else { panic!("one warning") };
        assert!(warning.message.contains("is no Pix key"), "{}", warning.message);
        let view = warning.view();
        let view = view.as_object().unwrap();
        for (name, expected) in [
            ("path", "target_account"),
            ("code", "pix_key_form"),
            ("certainty", "certain"),
            ("message", &*warning.message),
        ] {
            assert_eq!(view.get(name).and_then(Json::as_str), Some(expected));
        }
    }
}
