//! Finds values in payments, payouts and refunds that are well-formed for the
//! service and probably wrong: Brazilian tax documents whose check digits fail,
//! Pix keys of no known form, refunds without an amount, texts of a length that
//! services are seen to refuse, white space at the ends of values that are looked
//! up, and payment methods and currencies that do not belong to the country.
//!
//! Not stated in the interface: what the service checks itself. These are rules
//! of the documents and of Pix, so a warning is a reason to look, and no call
//! is refused because of one.

use std::borrow::Cow;

pub(crate) mod forms;
mod generated;
mod lengths;
mod methods;
mod white_space;

use forms::{
    CNPJ_WEIGHTS, CPF_WEIGHTS, has_check_digits, has_form_of_cnpj, has_form_of_cpf, is_email,
    is_phone, is_random, without_punctuation,
};

use crate::model::json::{Json, Members};

/// A member whose value is probably wrong. Never holds the value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LintWarning {
    /// The member, for example `payee.document`.
    pub path: &'static str,
    /// The mistake: a stable code, which is none of an error.
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
    /// Services are seen to refuse it, or it cannot be meant.
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

/// Examines the request for a payment or for a payout: the payer's or payee's
/// tax document and the Pix key, of which it knows those of Brazil, and the ends
/// of these and of references, and the lengths of texts; also the payment method
/// and the currency, by the country. A request that names a payment and has none of a
/// payment's or a payout's members is taken for a refund, which should have an
/// amount. It sends nothing, and refuses nothing.
pub fn lint(request: &Members) -> Vec<LintWarning> {
    let in_brazil = |members: &&Members| text(members, "country") == Some("br");
    let payment = request.get("payment").and_then(Json::as_object).filter(in_brazil);
    let payout = Some(request).filter(in_brazil);
    let payee = payout.and_then(|it| it.get("payee")).and_then(Json::as_object);
    let found = [
        payment.and_then(of_document).map(|it| LintWarning::of("payment.document", it)),
        payout.and_then(of_pix_key).map(|it| LintWarning::of("target_account", it)),
        payee.and_then(of_document).map(|it| LintWarning::of("payee.document", it)),
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

fn text<'m>(members: &'m Members, name: &str) -> Option<&'m str> {
    members.get(name).and_then(Json::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Judges `document` by `document_type`, or by its length without one.
fn of_document(members: &Members) -> Option<Finding> {
    let characters = without_punctuation(text(members, "document")?);
    let (is_cpf, is_cnpj) = match text(members, "document_type") {
        Some(name) => (name.eq_ignore_ascii_case("cpf"), name.eq_ignore_ascii_case("cnpj")),
        None if characters.len() == 11 => (true, false),
        None => (false, true),
    };
    if is_cpf && !has_form_of_cpf(&characters) || is_cnpj && !has_form_of_cnpj(&characters) {
        Some(Finding::DOCUMENT_FORM)
    } else if is_cpf && !has_check_digits(&characters, CPF_WEIGHTS) {
        Some(Finding::CPF_CHECK_DIGITS)
    } else if is_cnpj && !has_check_digits(&characters, CNPJ_WEIGHTS) {
        Some(Finding::CNPJ_CHECK_DIGITS)
    } else {
        None
    }
}

fn of_pix_key(members: &Members) -> Option<Finding> {
    let key = text(members, "target_account").filter(|_| {
        text(members, "target").is_some_and(|target| target.eq_ignore_ascii_case("pix_key"))
    })?;
    let document = without_punctuation(key);
    let is_known = is_phone(key)
        || is_email(key)
        || is_random(key)
        || forms::is_cpf(&document)
        || forms::is_cnpj(&document);
    (!is_known).then_some(Finding::PIX_KEY_FORM)
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

    fn document(kind: &str, document: &str) -> Option<Finding> {
        let members = Members::from([("document", document), ("document_type", kind)]);
        of_document(&members)
    }

    fn pix_key(key: &str) -> Option<Finding> {
        let members = Members::from([("target", "pix_key"), ("target_account", key)]);
        of_pix_key(&members)
    }

    #[test]
    fn a_cpf_has_two_check_digits() {
        for valid in ["85351346893", "853.513.468-93", "111.444.777-35", "529.982.247-25"] {
            assert_eq!(document("CPF", valid), None, "{valid}");
        }
        // The last two have the check digits 0 for the rests 0 and 1.
        for valid in ["123.456.789-09", "000.000.001-91", "100.000.001-08"] {
            assert_eq!(document("cpf", valid), None, "{valid}");
        }
        for wrong in ["85351346883", "853.513.468-92", "853.513.486-93", "123.456.789-10"] {
            assert_eq!(document("CPF", wrong), Some(Finding::CPF_CHECK_DIGITS), "{wrong}");
        }
        for digit in '0'..='9' {
            let equal = digit.to_string().repeat(11);
            assert_eq!(document("CPF", &equal), Some(Finding::CPF_CHECK_DIGITS), "{equal}");
        }
        for wrong in ["8535134689", "853513468930", "8.5351E+10", "8535134689X", "ü35134689"] {
            assert_eq!(document("CPF", wrong), Some(Finding::DOCUMENT_FORM), "{wrong}");
        }
    }

    #[test]
    fn a_cnpj_has_two_check_digits_and_may_have_letters() {
        for valid in [
            "11222333000181",
            "11.222.333/0001-81",
            "00.000.000/0001-91",
            "33.000.167/0001-01",
            "12ABC34501DE35",
            "12.ABC.345/01DE-35",
        ] {
            assert_eq!(document("CNPJ", valid), None, "{valid}");
        }
        for wrong in [
            "11222333000180",
            "11.222.333/0001-91",
            "12.ABC.345/01DE-36",
            "12.ABD.345/01DE-35",
            "00000000000000",
            "11111111111111",
        ] {
            assert_eq!(document("CNPJ", wrong), Some(Finding::CNPJ_CHECK_DIGITS), "{wrong}");
        }
        // The check digits are digits, and letters are capitals.
        for wrong in
            ["1122233300018", "12abc34501de35", "12ABC34501DEA5", "12ABC34501DE3A", "12ÁBC34501DE3"]
        {
            assert_eq!(document("CNPJ", wrong), Some(Finding::DOCUMENT_FORM), "{wrong}");
        }
    }

    #[test]
    fn a_document_without_a_type_is_judged_by_its_length() {
        let of = |document: &str| of_document(&Members::from([("document", document)]));
        assert_eq!(of("853.513.468-93"), None);
        assert_eq!(of("12.ABC.345/01DE-35"), None);
        assert_eq!(of("853.513.468-92"), Some(Finding::CPF_CHECK_DIGITS));
        assert_eq!(of("11.222.333/0001-80"), Some(Finding::CNPJ_CHECK_DIGITS));
        assert_eq!(of("8535134689"), Some(Finding::DOCUMENT_FORM));
        assert_eq!(of(" "), None);
        assert_eq!(document("PASSPORT", "X1"), None);
        assert_eq!(document("CNPJ", "853.513.468-93"), Some(Finding::DOCUMENT_FORM));
    }

    #[test]
    fn pix_keys_have_five_forms() {
        for known in [
            "85351346893",
            "853.513.468-93",
            "11222333000181",
            "12ABC34501DE35",
            "maria@example.com",
            "maria.souza+pix@mail.example.com.br",
            "+5511999990000",
            "+551133330000",
            "123e4567-e89b-12d3-a456-426655440000",
            "123e4567e89b12d3a456426655440000",
        ] {
            assert_eq!(pix_key(known), None, "{known}");
        }
        for unknown in [
            "85351346892",
            "11222333000180",
            "11999990000",
            "5511999990000",
            "+5511 99999-0000",
            "+5511 9999000",
            "+551199999000x",
            "+55119999900001",
            "+14155550100",
            "maria@example",
            "maria@@example.com",
            "maria@example..com",
            "@example.com",
            "maria souza@example.com",
            "example.com",
            "123e4567-e89b-12d3-a456-42665544000",
            "123e4567e89b12d3a45642665544000",
            "123e4567-e89b12d3a456426655440000",
            "123g4567-e89b-12d3-a456-426655440000",
            "Maria",
        ] {
            assert_eq!(pix_key(unknown), Some(Finding::PIX_KEY_FORM), "{unknown}");
        }
    }

    #[test]
    fn only_documents_and_keys_of_brazil_are_known() {
        let payout = r#"{"country":"br","target":"pix_key","target_account":"Maria",
                         "payee":{"name":"Maria","document":"1"}}"#;
        let both = [
            ("target_account", Finding::PIX_KEY_FORM.code),
            ("payee.document", Finding::DOCUMENT_FORM.code),
        ];
        assert_eq!(found(payout), both);
        assert_eq!(found(&payout.replace("br", "mx")), []);
        assert_eq!(found(&payout.replace("pix_key", "bank")), both[1..]);
        let payment = r#"{"payment":{"country":"br","document":"853.513.468-92"}}"#;
        assert_eq!(found(payment), [("payment.document", Finding::CPF_CHECK_DIGITS.code)]);
        assert_eq!(found(&payment.replace("-92", "-93")), []);
        assert_eq!(found(&payment.replace("br", "mx")), []);
        assert_eq!(found("{}"), []);
        let spaced =
            payout.replace("Maria", "85351346893 ").replace(r#""document":"1""#, r#""email":"A""#);
        for country in ["br", "mx"] {
            let spaced = spaced.replace("br", country);
            assert_eq!(
                found(&spaced),
                [("target_account", Finding::WHITE_SPACE.code)],
                "{country}"
            );
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
