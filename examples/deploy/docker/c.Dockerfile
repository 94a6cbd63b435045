# syntax=docker/dockerfile:1
# examples/shop/shop.c, with the packages that `make dist` builds:
#
#   docker build -f examples/deploy/docker/c.Dockerfile -t shop \
#     --build-context packages=dist examples/shop
#   docker run -p 8080:8080 -v /etc/shop:/etc/shop:ro -v shop:/var/lib/shop \
#     --env-file /etc/shop/environment --stop-timeout 45 shop
FROM debian:bookworm-slim AS build
RUN apt-get update && \
    apt-get install -y --no-install-recommends gcc libc6-dev libjansson-dev libmicrohttpd-dev pkg-config && \
    rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=packages,target=/packages \
    architecture="$(dpkg --print-architecture)" && \
    dpkg -i /packages/libpayments0_*_"$architecture".deb /packages/libpayments-dev_*_"$architecture".deb
COPY shop.c http.c http.h /build/
WORKDIR /build
# The words of pkg-config are words of the compiler.
# hadolint ignore=SC2046
RUN gcc -O2 -Wall -o shop shop.c http.c $(pkg-config --cflags --libs libpayments libmicrohttpd jansson)

FROM debian:bookworm-slim
RUN --mount=type=bind,from=packages,target=/packages \
    apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates libjansson4 libmicrohttpd12 tini && \
    dpkg -i /packages/libpayments0_*_"$(dpkg --print-architecture)".deb && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin shop && \
    install -d -m 0700 -o shop -g shop /var/lib/shop
COPY --from=build /build/shop /usr/bin/shop
COPY shop.html /srv/shop/
ENV PAYMENTS_CONFIG=/etc/shop/payments.json
# Orders, tokens and the journal: a volume on a local disk.
WORKDIR /var/lib/shop
USER 10001:10001
EXPOSE 8080
# As process 1, a program without a handler of SIGTERM would never receive it.
ENTRYPOINT ["/usr/bin/tini", "--"]
# The shop looks for its page in its working folder.
CMD ["/bin/sh", "-c", "ln -sf /srv/shop/shop.html . && exec shop 8080 0.0.0.0"]
