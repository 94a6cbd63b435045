#!/usr/bin/env bash
# Makes the crates payments-core, payments-sandbox and payments-cli, and builds
# each from what would be published. To dist/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=scripts/dist/common.sh
. scripts/dist/common.sh

# What is not committed is packed too: scripts/dist.sh warns of it.
cargo package --locked --allow-dirty \
    -p payments-core -p payments-sandbox -p payments-cli
cp "$target/package"/payments-{core,sandbox,cli}-"$version".crate dist
