//! The decimal places of currencies, by ISO 4217.

/// Currencies by their decimal places.
const PLACES: [(usize, &str); 4] = [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (
        2,
        "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN \
         BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP \
         GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT \
         LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN \
         NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE \
         SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES \
         WST XCD XCG YER ZAR ZMW ZWG",
    ),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
];

/// How many decimal places `currency` has, in any case; `None` if ISO 4217 does
/// not list it.
pub fn decimal_places(currency: &str) -> Option<usize> {
    let is_listed =
        |codes: &str| codes.split(' ').any(|code| code.eq_ignore_ascii_case(currency.trim()));
    PLACES.into_iter().find(|(_, codes)| is_listed(codes)).map(|(places, _)| places)
}

/// The decimal places of `currency`, if `amount` has digits beyond them. Zeros
/// count as none.
pub fn exceeded_places(amount: &str, currency: &str) -> Option<usize> {
    let (_, fraction) = amount.split_once('.')?;
    decimal_places(currency).filter(|places| fraction.trim_end_matches('0').len() > *places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_beyond_those_of_the_currency_are_found() {
        for (amount, currency, exceeded) in [
            ("100.123", "BRL", Some(2)),
            ("100.10", "BRL", None),
            ("100.1000", "brl", None),
            ("100.101", "Brl", Some(2)),
            ("100.55", "CLP", Some(0)),
            ("100.00", "CLP", None),
            ("100", "CLP", None),
            ("0.001", "KWD", None),
            ("0.0001", "KWD", Some(3)),
            ("1.23456", "CLF", Some(4)),
            ("1.23456", "XYZ", None),
            ("1.23456", "", None),
        ] {
            assert_eq!(exceeded_places(amount, currency), exceeded, "{amount} {currency}");
        }
    }

    #[test]
    fn every_code_is_listed_once() {
        let codes: Vec<_> = PLACES.iter().flat_map(|(_, codes)| codes.split(' ')).collect();
        let distinct: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!(distinct.len(), codes.len());
        assert!(codes.iter().all(|code| code.len() == 3));
    }
}
