//! The contents of requests and responses, without a connection.

mod amounts;
mod card_guard;
mod json_trees;
mod prepare_and_send;
mod qr_code;
mod request_bodies;
mod responses;
mod typed_operations;
mod validation;
