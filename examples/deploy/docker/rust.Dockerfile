# syntax=docker/dockerfile:1
# The command `payments`, built from a checkout as your own program in Rust would be:
#
#   docker build -f examples/deploy/docker/rust.Dockerfile -t payments .
#
# It creates the journal of a shop once, and recovers it every minute:
#
#   docker run --rm -v shop:/var/lib/shop payments \
#     journal create /var/lib/shop/journal/payments.db
#   docker run --rm -v /etc/shop:/etc/shop:ro -v shop:/var/lib/shop \
#     --stop-timeout 45 payments \
#     --config /etc/shop/payments.json journal recover --json
FROM rust:1-slim-bookworm AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/build/target \
    cargo install --locked --root /srv --path cli

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin shop && \
    install -d -m 0700 -o shop -g shop /var/lib/shop
COPY --from=build /srv/bin/payments /usr/bin/payments
# Tokens and the journal: a volume on a local disk.
WORKDIR /var/lib/shop
USER 10001:10001
ENTRYPOINT ["/usr/bin/payments"]
CMD ["--help"]
