# syntax=docker/dockerfile:1
# examples/shop/shop.php under FPM, with the packages that `make dist` builds:
#
#   docker build -f examples/deploy/docker/php.Dockerfile -t shop \
#     --build-context packages=dist --build-context deploy=examples/deploy examples/shop
#   docker run -p 127.0.0.1:9000:9000 -v /etc/shop:/etc/shop:ro -v shop:/var/lib/shop \
#     --env-file /etc/shop/environment --stop-timeout 45 shop
#   docker run -v /etc/shop:/etc/shop:ro -v shop:/var/lib/shop \
#     --stop-timeout 45 --restart always shop \
#     php -d ffi.enable=1 /srv/shop/shop.php follow
#
# The web server passes /srv/shop/shop.php as SCRIPT_FILENAME, to port 9000.
FROM composer:2 AS build
WORKDIR /srv/shop
# Copy your own composer.json and composer.lock here, and run composer install.
RUN --mount=type=bind,from=packages,target=/packages \
    composer init --no-interaction --name shop/shop && \
    composer config repositories.libpayments artifact /packages && \
    composer require --no-interaction --ignore-platform-req=ext-ffi libpayments/libpayments

FROM php:8.4-fpm
RUN apt-get update && \
    apt-get install -y --no-install-recommends libffi-dev && \
    rm -rf /var/lib/apt/lists/* && \
    docker-php-ext-install ffi opcache pcntl && \
    useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin shop && \
    install -d -m 0700 -o shop -g shop /var/lib/shop /var/lib/shop/orders && \
    install -d /srv/shop && ln -s /var/lib/shop/orders /srv/shop/orders && \
    rm /usr/local/etc/php-fpm.d/*
COPY --from=build /srv/shop/vendor /srv/shop/vendor
COPY --from=deploy php-fpm.conf /usr/local/etc/php-fpm.d/shop.conf
# FPM stays in the foreground, and logs to standard error.
RUN printf '%s\n' '[global]' 'daemonize = no' 'error_log = /proc/self/fd/2' '[shop]' \
    'listen = 9000' 'php_admin_value[error_log] = /proc/self/fd/2' \
    >/usr/local/etc/php-fpm.d/zz-docker.conf
COPY shop.php shop.html /srv/shop/
ENV PAYMENTS_CONFIG=/etc/shop/payments.json
# Orders, tokens and the journal: a volume on a local disk.
WORKDIR /var/lib/shop
USER 10001:10001
EXPOSE 9000
# The image stops FPM by SIGQUIT: workers end their requests first.
CMD ["php-fpm"]
