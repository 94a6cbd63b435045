# syntax=docker/dockerfile:1
# examples/shop/shop.mjs, with the packages that `make dist` builds:
#
#   docker build -f examples/deploy/docker/node.Dockerfile -t shop \
#     --build-context packages=dist examples/shop
#   docker run -p 8080:8080 -v /etc/shop:/etc/shop:ro -v shop:/var/lib/shop \
#     --env-file /etc/shop/environment --stop-timeout 45 shop
FROM node:24-slim AS build
WORKDIR /srv/shop
# Copy your own package.json and package-lock.json here, and run npm ci.
RUN --mount=type=bind,from=packages,target=/packages \
    npm install --no-fund --omit=dev express /packages/libpayments-[0-9]*.tgz \
    "/packages/libpayments-linux-$(node -p process.arch)-gnu-"[0-9]*.tgz

FROM node:24-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin shop && \
    install -d -m 0700 -o shop -g shop /var/lib/shop
COPY --from=build /srv/shop/node_modules /srv/shop/node_modules
COPY shop.mjs shop.html /srv/shop/
ENV PAYMENTS_CONFIG=/etc/shop/payments.json NODE_ENV=production HOST=0.0.0.0 PORT=8080
# Orders, tokens and the journal: a volume on a local disk.
WORKDIR /var/lib/shop
USER 10001:10001
EXPOSE 8080
CMD ["node", "/srv/shop/shop.mjs"]
