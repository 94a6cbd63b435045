//! JSON trees keep order and numbers, and refuse ambiguous input.

use payments_core::json::{Json, JsonErrorKind, MAX_DEPTH, Members, ParseOptions, PointerError};

fn parse(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn documents_are_written_as_they_were_read() {
    let documents = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "10.10",
        "1e999",
        "1E+2",
        "12345678901234567890123456789012.10",
        r#""""#,
        r#""a\"b\\c\n\u0001/é😀""#,
        "[]",
        "{}",
        r#"[1,[2,[]],{"a":{}}]"#,
        r#"{"b":1,"a":2,"":3,"é":null}"#,
    ];
    for document in documents {
        assert_eq!(parse(document).to_text(), document);
        let spaced = format!(" \t\r\n{document}\n ");
        assert_eq!(parse(&spaced), parse(document));
    }
    assert_eq!(parse("{ \"a\" :\t[ 1.0 ,\n2 ] }").to_text(), r#"{"a":[1.0,2]}"#);
    assert_eq!(parse(r#""\u00e9\/\ud83d\ude00""#).as_str(), Some("é/😀"));
}

#[test]
fn text_that_is_not_json_is_refused_with_its_place() {
    use JsonErrorKind::*;
    let refused = [
        ("", Empty),
        (" \n", Empty),
        ("{", Incomplete),
        ("[1,", Incomplete),
        (r#"{"a":"secret"#, Incomplete),
        ("tru", Incomplete),
        ("nul1", Syntax),
        ("{a:1}", Syntax),
        ("[1,]", Syntax),
        (r#"{"a":1,}"#, Syntax),
        ("[1] [2]", Syntax),
        ("01", Syntax),
        ("+1", Syntax),
        ("NaN", Syntax),
        ("'a'", Syntax),
        ("\"a\nb\"", Syntax),
        ("\u{feff}{}", ByteOrderMark),
        ("// c\n1", Syntax),
        (r#""\x""#, Syntax),
    ];
    for (text, kind) in refused {
        let error = Json::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), kind, "{text:?}");
        assert!(error.position().is_some(), "{text:?}");
        assert!(
            Json::parse_with(text.as_bytes(), ParseOptions::new().keeping_duplicates()).is_err()
        );
    }
    let error = Json::parse(b"{\"a\":1,\n\"b\":x}").unwrap_err();
    assert_eq!(error.position(), Some((2, 5)));
}

#[test]
fn broken_unicode_is_refused() {
    for text in [&b"\xff"[..], b"\"\xc3\"", b"\"\xed\xa0\x80\""] {
        assert_eq!(Json::parse(text).unwrap_err().kind(), JsonErrorKind::Unicode);
    }
    let halves = [(r#"["\ud800"]"#, "[0]"), (r#"{"a":"\udc00x"}"#, "a"), (r#"{"\ud800":1}"#, "")];
    for (text, path) in halves {
        let error = Json::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.path()), (JsonErrorKind::Unicode, path), "{text}");
    }
}

#[test]
fn duplicate_members_are_refused_or_kept() {
    for (text, path) in [
        (r#"{"a":1,"a":2}"#, "a"),
        (r#"{"a":1,"\u0061":2}"#, "a"),
        (r#"{"x":[{},{"a":1,"b":2,"a":3}]}"#, "x[1].a"),
    ] {
        let error = Json::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.path()), (JsonErrorKind::DuplicateMember, path));
    }
    let kept =
        Json::parse_with(br#"{"a":1,"a":2}"#, ParseOptions::new().keeping_duplicates()).unwrap();
    assert_eq!(kept.to_text(), r#"{"a":1,"a":2}"#);
    let many: Vec<_> = (0..5000).map(|index| format!("\"n{index}\":1")).collect();
    assert!(Json::parse(format!("{{{}}}", many.join(",")).as_bytes()).is_ok());
    let twice = format!("{{{},\"n7\":2}}", many.join(","));
    assert_eq!(Json::parse(twice.as_bytes()).unwrap_err().path(), "n7");
}

#[test]
fn depth_ends_at_128() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(parse(&nested(MAX_DEPTH)).to_text(), nested(MAX_DEPTH));
    let error = Json::parse(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err();
    assert_eq!(error.kind(), JsonErrorKind::TooDeep);
    let error = Json::parse(nested(100_000).as_bytes()).unwrap_err();
    assert_eq!(error.kind(), JsonErrorKind::TooDeep);
    assert!(Json::parse("[".repeat(1_000_000).as_bytes()).is_err());
    let objects = format!("{}1{}", r#"{"a":"#.repeat(129), "}".repeat(129));
    let error = Json::parse(objects.as_bytes()).unwrap_err();
    assert_eq!(error.path(), vec!["a"; 128].join("."));
}

#[test]
fn errors_never_repeat_the_document() {
    let documents = [
        r#"{"Zq7Xk":Zq7Xk}"#,
        r#"Zq7Xk"#,
        r#""Zq7Xk"#,
        r#"{"a":"Zq7Xk\ud800"}"#,
        r#"{"Zq7 Xk":1,"Zq7 Xk":2}"#,
        r#"["Zq7Xk" "Zq7Xk"]"#,
    ];
    for document in documents {
        let error = Json::parse(document.as_bytes()).unwrap_err();
        let shown =
            format!("{error} {error:?} {}", payments_core::error::Error::from(error.clone()));
        assert!(!shown.contains("Zq7"), "{shown}");
    }
}

#[test]
fn pointers_read_values() {
    let tree = parse(r#"{"a":{"b":[1,{"c":"x"}],"/":2,"~":3,"~1":4,"":5},"01":6}"#);
    let reads = [
        ("/a/b/0", "1"),
        ("/a/b/1/c", "\"x\""),
        ("/a/~1", "2"),
        ("/a/~0", "3"),
        ("/a/~01", "4"),
        ("/a/", "5"),
        ("/01", "6"),
    ];
    for (pointer, value) in reads {
        assert_eq!(tree.pointer(pointer).unwrap().to_text(), value, "{pointer}");
    }
    assert_eq!(tree.pointer(""), Some(&tree));
    for missing in
        ["a", "/b", "/a/b/2", "/a/b/01", "/a/b/-", "/a/b/x", "/a/b/0/x", "/a/~2", "/a/~", "/a/b/+1"]
    {
        assert_eq!(tree.pointer(missing), None, "{missing}");
    }
}

#[test]
fn pointers_set_values() {
    let mut tree = Json::Null;
    for (pointer, value) in [
        ("/payment/name", Json::from("Ana")),
        ("/tracking_code/-", Json::from("AA1")),
        ("/tracking_code/-/tracking_code", Json::from("AA2")),
        ("/tracking_code/1/items/-/quantity", Json::from(2)),
        ("/payment/a~1b~0", Json::from(true)),
        ("/payment/name", Json::from("Eva")),
        ("/tracking_code/0", Json::Null),
    ] {
        tree.set_pointer(pointer, value).unwrap();
    }
    assert_eq!(
        tree.to_text(),
        r#"{"payment":{"name":"Eva","a/b~":true},"tracking_code":[null,{"tracking_code":"AA2","items":[{"quantity":2}]}]}"#
    );
    tree.set_pointer("", Json::from(1)).unwrap();
    assert_eq!(tree.to_text(), "1");
}

#[test]
fn pointers_that_lead_nowhere_change_nothing() {
    let mut tree = parse(r#"{"a":[1],"b":"x"}"#);
    let before = tree.clone();
    let deep = "/x".repeat(129);
    for (pointer, reason) in [
        ("a", PointerError::Malformed),
        ("/a/~2", PointerError::Malformed),
        ("/a/1", PointerError::NoSuchElement),
        ("/a/x", PointerError::NoSuchElement),
        ("/a/00", PointerError::NoSuchElement),
        ("/a/99999999999999999999", PointerError::NoSuchElement),
        ("/b/c", PointerError::NotAContainer),
        ("/a/0/c", PointerError::NotAContainer),
        (&deep, PointerError::TooDeep),
    ] {
        assert_eq!(tree.set_pointer(pointer, Json::from(1)), Err(reason), "{pointer}");
        assert_eq!(tree, before);
    }
}

#[test]
fn a_pointer_that_leads_nowhere_is_explained() {
    for (problem, said) in [
        (PointerError::Malformed, "must be empty or begin with"),
        (PointerError::TooDeep, "128 levels"),
        (PointerError::NotAContainer, "neither an object nor an array"),
        (PointerError::NoSuchElement, "names an element that the array does not have"),
    ] {
        assert!(problem.to_string().contains(said), "{problem}");
        assert!(said.len() <= problem.problem().len());
        assert_eq!(problem.code().as_str(), "value_invalid");
    }
}

#[test]
fn members_keep_their_order() {
    let mut members = Members::from([("a", 1), ("b", 2), ("c", 3)]);
    members.insert_first("z", "first");
    members.set("b", 20);
    members.set("d", 4);
    assert_eq!(members.remove("a"), Some(Json::from(1)));
    assert_eq!(members.remove("a"), None);
    assert_eq!(members.to_bytes(), br#"{"z":"first","b":20,"c":3,"d":4}"#);
    assert!(members.contains("c") && !members.contains("a"));
    assert_eq!((members.len(), members.is_empty()), (4, false));
    assert_eq!(format!("{members:?}"), "Members(4)");
}

#[test]
fn the_debug_form_of_a_tree_shows_its_shape_only() {
    for (text, shown) in [
        ("null", "Null"),
        ("true", "Bool"),
        ("4711", "Number"),
        (r#""4711""#, "String"),
        ("[4711,4711]", "Array(2 elements)"),
        (r#"{"a":4711}"#, "Object(1 members)"),
    ] {
        assert_eq!(format!("{:?}", Json::parse(text.as_bytes()).unwrap()), shown);
    }
}

#[test]
fn numbers_follow_the_grammar_of_json() {
    for text in ["0", "-0", "1.50", "1e3", "-1.5E-7", "123456789012345678901234567890"] {
        assert_eq!(Json::number(text).unwrap().to_text(), text);
    }
    for text in
        ["", " 1", "1 ", "01", "+1", ".5", "1.", "1e", "NaN", "-", "1,2", "\"1\"", "true", "[1]"]
    {
        assert_eq!(Json::number(text), None, "{text:?}");
    }
}

#[test]
fn an_error_says_where_the_grammar_is_broken() {
    for (text, said) in [
        ("[1,", "is incomplete JSON; it ends too early (line 1, column 3)"),
        ("[1 2]", "is not JSON: a comma or ] is missing (line 1, column 2)"),
        (" ", "is empty; JSON was expected"),
        ("\u{feff}{}", "begins with a byte order mark (BOM)"),
    ] {
        assert_eq!(Json::parse(text.as_bytes()).unwrap_err().to_string(), said, "{text:?}");
    }
}

#[test]
fn a_pointer_reaches_as_deep_as_a_document() {
    for (depth, is_reached) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
        let mut tree = Json::Null;
        assert_eq!(tree.set_pointer(&"/a".repeat(depth), Json::Null).is_ok(), is_reached);
    }
}
