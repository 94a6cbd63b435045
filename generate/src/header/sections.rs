//! The functions of the header in sections, in the order in which a program
//! needs them. A section says what its functions share; the comment of a function has
//! only what is different for it.

use crate::filters::wrapped;

/// The common text of a section, and its functions by the beginning of their
/// names after `payments_`.
struct Section {
    title: &'static str,
    about: &'static str,
    functions: &'static [&'static str],
}

/// Stands for the functions of operations that no section names.
const OTHER_OPERATIONS: &str = "@operations";

/// Stands for the functions of members of responses that no section names.
const OTHER_MEMBERS: &str = "@members";

const SECTIONS: &[Section] = &[
    Section {
        title: "Clients",
        about: "Threads: any, several at once.\n\
                Ownership: client_out gets a handle; options are not taken, and may be freed at once.",
        functions: &[
            "client_new",
            "client_from_file",
            "client_from_env",
            "client_shared",
            "client_warm_up",
            "client_free",
            "client_track",
        ],
    },
    Section {
        title: "Requests: a JSON body under construction",
        about: "Threads: any; one at a time for one handle.\n\
                Ownership: arguments are copied.\n\
                Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, also for a pointer that leads nowhere; the \
                request is then unchanged.",
        functions: &["request_"],
    },
    Section {
        title: "Operations",
        about: "Threads: any, several at once.\nOwnership: response_out gets a handle.",
        functions: &[
            "client_create_payment",
            "client_ensure_payment",
            "client_query_payment",
            "client_wait_for_payment",
            "client_follow",
            "next_step",
            OTHER_OPERATIONS,
            "client_call",
            "client_send",
        ],
    },
    Section {
        title: "Responses",
        about: "Threads: any, several at once.\n\
                Ownership: results belong to the response, and are valid until it is freed; \
                text_out gets a handle.\n\
                Errors: those without a status return NULL or 0 for NULL; otherwise \
                PAYMENTS_STATUS_INVALID_ARGUMENT, also if the body is not JSON or has no such member.",
        functions: &[
            "response_status",
            "response_is_paid",
            "response_hash",
            "response_merchant_payment_code",
            "response_qr_code_value",
            "response_redirect_url",
            "response_oxxo_url",
            "response_oxxo_barcode",
            "response_clabe_account",
            "response_uid",
            "response_code",
            "response_refund_id",
            "response_refund_status",
            "response_payment_status",
            "response_all_created",
            OTHER_MEMBERS,
            "response_view_text",
            "response_view",
            "response_has",
            "response_text",
            "response_integer",
            "response_boolean",
            "response_count",
            "response_json",
            "response_http_status",
            "response_body",
            "response_header",
            "response_free",
        ],
    },
    Section {
        title: "Texts",
        about: "Threads: any, several at once.\n\
                Ownership: the data belongs to the text, and is valid until it is freed.\n\
                Errors: none.",
        functions: &["text_"],
    },
    Section {
        title: "Errors",
        about: "Threads: any, several at once.\n\
                Ownership: results belong to the error, and are valid until it is freed.\n\
                Errors: none; NULL or 0 for a NULL error.",
        functions: &[
            "error_outcome",
            "error_text",
            "error_status",
            "error_code",
            "error_message",
            "error_advice",
            "error_reference",
            "error_",
            "status_name",
        ],
    },
    Section {
        title: "Calls: deadlines, cancellation, traces",
        about: "Threads: any, while no call runs with the handle.\n\
                Ownership: call_out gets a handle; arguments are copied.\n\
                Errors: PAYMENTS_STATUS_INVALID_ARGUMENT.",
        functions: &["call_"],
    },
    Section {
        title: "Tokens and journals",
        about: "Threads: any, several at once.\nOwnership: response_out and text_out get a handle.",
        functions: &[
            "client_access_token",
            "client_token_status",
            "client_forget_token",
            "journal_create",
            "client_journal_",
            "client_follow_",
            "take_journal_failed",
        ],
    },
    Section {
        title: "Requests for your own HTTP client",
        about: "Threads: any, several at once.\n\
                Ownership: results belong to the prepared request, and are valid until it is \
                freed.\n\
                Errors: those without a status return NULL or 0 for NULL.",
        functions: &["client_prepare", "prepared_"],
    },
    Section {
        title: "Tools that need no client",
        about: "Threads: any, several at once.\n\
                Ownership: each place gets a handle, to be freed with payments_text_free.\n\
                Errors: PAYMENTS_STATUS_INVALID_ARGUMENT.",
        functions: &[
            "generate_key",
            "verify",
            "lint",
            "explain",
            "in_camel_case",
            "qr_svg",
            "qr_png",
            "journal_plan",
            "journal_failure",
        ],
    },
    Section {
        title: "Options: callbacks of a client",
        about: "Threads: any; one at a time for one handle.\n\
                Ownership: the options own user_data from here on, even if this fails: destroy, \
                which may be NULL, is called once, when the options and all clients made from them \
                are gone.\n\
                Errors: PAYMENTS_STATUS_INVALID_ARGUMENT for NULL options or function.",
        functions: &["options_new", "options_", "entry_without_token", "client_interrupted"],
    },
    Section {
        title: "Within callbacks",
        about: "Threads: only within the callback that received it.\n\
                Ownership: arguments are copied.\n\
                Errors: PAYMENTS_STATUS_INVALID_ARGUMENT, or none.",
        functions: &["context_", "sink_", "transport_response_"],
    },
    Section {
        title: "Versions, and the process",
        about: "Threads: any, several at once.\n\
                Ownership: texts are static, and must not be freed.\n\
                Errors: none.",
        functions: &["abi_version", "version", "spare_descriptor"],
    },
];

/// The items of the description that have a function, in its order.
pub(super) struct Names<'s> {
    pub(super) operations: Vec<&'s str>,
    pub(super) members: Vec<&'s str>,
}

/// The same header, with its functions in sections.
///
/// # Errors
/// The functions that are in no section.
pub(super) fn arranged(header: &str, names: &Names<'_>) -> Result<String, String> {
    let begin = "extern \"C\" {\n#endif // __cplusplus\n\n";
    let parts = header.split_once(begin).and_then(|(before, rest)| {
        let (functions, after) = rest.split_once("#ifdef __cplusplus")?;
        Some((before, functions, after))
    });
    let (before, functions, after) = parts.ok_or("the header has no functions")?;
    let blocks = functions.split("/**\n").filter(|block| !block.trim().is_empty());
    let blocks = blocks.map(|block| Some((name_of(block)?, block))).collect::<Option<Vec<_>>>();
    let mut left = blocks.ok_or("a function of the header has no comment, or no name")?;
    let mut made = format!("{before}{begin}");
    for section in SECTIONS {
        made.push_str(&section.heading());
        for word in section.words(names) {
            let (its, others) = left.into_iter().partition(|(name, _)| has(&word, name));
            left = others;
            let its: Vec<(&str, &str)> = its;
            its.iter().for_each(|(_, block)| made += &format!("/**\n{block}"));
        }
    }
    if !left.is_empty() {
        let names: Vec<_> = left.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "{} is in no section of the header: name it in generate/src/header/sections.rs",
            names.join(", ")
        ));
    }
    Ok(format!("{made}#ifdef __cplusplus{after}"))
}

/// The name of a function from its comment and its declaration.
fn name_of(block: &str) -> Option<&str> {
    let (_, declaration) = block.split_once("*/")?;
    let (before, _) = declaration.split_once('(')?;
    let before = before.strip_suffix(' ').unwrap_or(before);
    before.rsplit(['*', ' ', '\n']).next()
}

/// Whether a function's name begins with this.
fn has(word: &str, name: &str) -> bool {
    let name = name.strip_prefix("payments_").unwrap_or(name);
    if word.ends_with('_') { name.starts_with(word) } else { is_or_continues(name, word) }
}

impl Section {
    fn words(&self, names: &Names<'_>) -> Vec<String> {
        let words = self.functions.iter().flat_map(|word| match *word {
            OTHER_OPERATIONS => names.operations.iter().map(|it| format!("client_{it}")).collect(),
            OTHER_MEMBERS => names.members.iter().map(|it| format!("response_{it}")).collect(),
            word => vec![word.to_owned()],
        });
        words.collect()
    }

    fn heading(&self) -> String {
        let mut text = format!("/* ==== {} ====\n *\n", self.title);
        for line in self.about.lines() {
            text.push_str(&wrapped(line, 79, " * "));
        }
        text + " */\n\n"
    }
}

/// Whether the name is the word, or one that begins with it as a part.
fn is_or_continues(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}
