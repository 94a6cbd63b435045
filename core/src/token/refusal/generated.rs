// Generated from spec/service_codes.toml by generate/templates/known.rs.jinja; do not edit. To update: cargo xtask generate

use super::Known;

pub(super) const KNOWN: &[Known] = &[
    Known {
        error: "invalid_client",
        meaning: "refused the credentials",
        remedy: "check client_id, client_secret and auth_url",
    },
    Known {
        error: "unauthorized_client",
        meaning: "does not let this client use the grant client_credentials",
        remedy: "ask the provider to enable it for client_id",
    },
    Known {
        error: "unsupported_grant_type",
        meaning: "does not offer the grant client_credentials",
        remedy: "check auth_url, and ask the provider",
    },
    Known {
        error: "invalid_scope",
        meaning: "refused the scope, although the request names none",
        remedy: "ask the provider to give client_id a default scope",
    },
    Known {
        error: "invalid_grant",
        meaning: "considers the grant of this client invalid or expired",
        remedy: "ask the provider whether client_id and its user are active",
    },
    Known {
        error: "invalid_request",
        meaning: "considers the token request malformed",
        remedy: "check auth_url, and that no proxy alters requests; otherwise ask the provider what it requires",
    },
    Known {
        error: "access_denied",
        meaning: "denied access to this client",
        remedy: "ask the provider whether client_id is blocked, and from which addresses it may ask",
    },
];
