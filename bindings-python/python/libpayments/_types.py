"""The members of the configuration."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypedDict

from ._protocols import TokenStore

if TYPE_CHECKING:
    from typing_extensions import Required
elif sys.version_info >= (3, 11):
    from typing import Required

JsonText = str | bytes
"""A whole request as JSON text."""

Bytes = bytes | bytearray | memoryview
"""The body of a request of your own."""


class CredentialChoice(TypedDict, total=False):
    """Which credentials an operation carries, where it differs from the rest."""

    integration_key: bool
    signature: bool
    bearer: bool


class Configuration(TypedDict, total=False):
    """Everything that a client is made from.

    A ``token_store`` may also be a :class:`TokenStore` of your own.

    Members:
        environment: `sandbox` or `production` (default)
        base_url: address of the service, up to `/ws`, which the client adds; required
        auth_url: address of the token server, without the path of its endpoint; required
            with `client_id`
        integration_key: merchant key
        integration_key_file: file that holds the merchant key
        client_id: client id for the token server
        client_secret: client secret for the token server
        client_secret_file: file that holds the client secret
        key: private key, PEM text
        key_file: file of the private key, PEM or DER
        key_passphrase: passphrase of an encrypted private key
        key_passphrase_file: file that holds the passphrase
        kid: key id assigned at registration; required with a key
        allow_small_keys: accept RSA keys of 2048 and 3072 bits
        signing_threads: how many calls of a process sign with a private key at a time (as
            many as there are cores)
        pkcs11_module: PKCS#11 module of an HSM that holds the private key
        pkcs11_token: label of the HSM's token
        pkcs11_slot: number of the token's slot, instead of its label
        pkcs11_key_label: label of the private key in the token
        pkcs11_key_id: id of the private key in the token, in hexadecimal
        pkcs11_pin: PIN of the token's user
        pkcs11_pin_file: file that holds the PIN of the token's user
        pkcs11_sessions: most sessions of a process with the token (8)
        public_key: public key of an external signer, PEM text
        public_key_file: file of the public key of an external signer
        timeout_ms: deadline of a call in milliseconds (30000)
        connect_timeout_ms: limit for connecting in milliseconds (5000)
        allow_insecure_http: allow `http://` to other hosts than this one
        proxy: `env`, or `http://[user:password@]host:port`
        ca_file: PEM file of the only trusted authorities
        max_response_bytes: largest accepted answer in bytes (2097152)
        max_response_values: most JSON values in an accepted answer (100000)
        integration_key_placement: `beside` (default), `inside` or `both`
        refund_hash_member: member of a refund that holds the payment hash (`hash`)
        bearer_header: header of the bearer token (`Authorization`)
        bearer_scheme: word before the bearer token (`Bearer`); may be empty
        auth: credentials per operation: `{"create_payout": {"bearer": false}}`
        duplicate_codes: service codes of a reference used before (`BP-DR-0`)
        not_found_codes: service codes of a refused query that say there is no such payment
            (`BP-REF-CAN-2`)
        failure_statuses: words that as the top-level `status` say that the operation failed
            (`ERROR`, `FAILURE`, `FAILED`, `DENIED`, `REJECTED`, `REFUSED`)
        success_signs: further signs of success per operation, as JSON Pointers:
            `{"create_payment": ["/data/id"]}`
        check_references: refuse an answer that names another payment or payout than the request
            (true)
        card_guard: search `extra` and `send` bodies for card numbers (true)
        token_store: `memory` (default); `file:FOLDER` for all processes of a host;
            `redis://` or `rediss://` and `[[user]:password@]host[:port][/database]` for a fleet
        token_store_fallback: where tokens are kept while a Redis server does not work:
            `file:FOLDER`, or `memory`; the cache folder of the user unless set
        allow_insecure_redis: allow `redis://` to other hosts than this one
        token_store_key: encrypts stored tokens: 32 bytes in base64
        token_store_key_file: file that holds the key for stored tokens
        query_retries: how often a failed query is tried again (2); may be 0

    """

    environment: Literal["sandbox", "production"]
    base_url: Required[str]
    auth_url: str | None
    integration_key: str | None
    integration_key_file: str | PathLike[str] | None
    client_id: str | None
    client_secret: str | None
    client_secret_file: str | PathLike[str] | None
    key: str | None
    key_file: str | PathLike[str] | None
    key_passphrase: str | None
    key_passphrase_file: str | PathLike[str] | None
    kid: str | None
    allow_small_keys: bool
    signing_threads: int
    pkcs11_module: str | PathLike[str] | None
    pkcs11_token: str | None
    pkcs11_slot: int
    pkcs11_key_label: str | None
    pkcs11_key_id: str | None
    pkcs11_pin: str | None
    pkcs11_pin_file: str | PathLike[str] | None
    pkcs11_sessions: int
    public_key: str | None
    public_key_file: str | PathLike[str] | None
    timeout_ms: int
    connect_timeout_ms: int
    allow_insecure_http: bool
    proxy: str | None
    ca_file: str | PathLike[str] | None
    max_response_bytes: int
    max_response_values: int
    integration_key_placement: Literal["beside", "inside", "both"]
    refund_hash_member: str
    bearer_header: str
    bearer_scheme: str
    auth: Mapping[str, CredentialChoice]
    duplicate_codes: list[str]
    not_found_codes: list[str]
    failure_statuses: list[str]
    success_signs: Mapping[str, list[str]]
    check_references: bool
    card_guard: bool
    token_store: str | TokenStore | None
    token_store_fallback: str
    allow_insecure_redis: bool
    token_store_key: str | None
    token_store_key_file: str | PathLike[str] | None
    query_retries: int


class PublicKey(TypedDict, total=False):
    """A public key for the doctor, and the kid under which it is registered."""

    public_key: Required[str]
    kid: str
