# syntax=docker/dockerfile:1
# examples/shop/shop.py under uvicorn, with the packages that `make dist` builds:
#
#   docker build -f examples/deploy/docker/python.Dockerfile -t shop \
#     --build-context packages=dist examples/shop
#   docker run -p 8080:8080 -v /etc/shop:/etc/shop:ro -v shop:/var/lib/shop \
#     --env-file /etc/shop/environment --stop-timeout 45 shop
FROM python:3.13-slim AS build
RUN python -m venv /srv/venv
RUN --mount=type=bind,from=packages,target=/packages \
    /srv/venv/bin/pip install --no-cache-dir --no-index --find-links /packages libpayments
# Name your own requirements.txt here, with exact versions.
RUN /srv/venv/bin/pip install --no-cache-dir fastapi uvicorn

FROM python:3.13-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin shop && \
    install -d -m 0700 -o shop -g shop /var/lib/shop
COPY --from=build /srv/venv /srv/venv
COPY shop.py shop.html /srv/shop/
ENV PAYMENTS_CONFIG=/etc/shop/payments.json PYTHONUNBUFFERED=1
# Orders, tokens and the journal: a volume on a local disk.
WORKDIR /var/lib/shop
USER 10001:10001
EXPOSE 8080
# Longer than timeout_ms: calls end first.
CMD ["/srv/venv/bin/uvicorn", "shop:app", "--app-dir", "/srv/shop", "--host", "0.0.0.0", \
    "--port", "8080", "--timeout-graceful-shutdown", "40"]
