# The stage of scripts/test-c.sh that installs the library and builds the examples with it.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-c.sh, which has the variables.

# Where the stage installs. pkg-config cannot quote a space in a path, so
# `make install` refuses one.
choose_prefix() {
    prefix="$scratch/install"
    if [[ "$prefix" == *[[:space:]]* ]]; then
        [[ -n "$without_spaces" ]] || without_spaces="$(mktemp -d)"
        prefix="$without_spaces/$name"
    fi
}

# An ldconfig whose cache has one library: when `make install` runs it, and what it says.
test_loader_cache() {
    local system="$prefix.system" ran="$scratch/ldconfig.ran"
    mkdir -p "$scratch/fake"
    cat >"$scratch/fake/ldconfig" <<'SH'
#!/bin/sh
case "$*" in
    -p) printf '\tlibpayments.so.%s (libc6) => %s\n' "$FAKE_ABI" "$FAKE_SYSTEM/libpayments.so.$FAKE_ABI" ;;
    *) echo ran >>"$FAKE_RAN"; exit 1 ;;
esac
SH
    chmod +x "$scratch/fake/ldconfig"
    # How often it runs, and the last line.
    expect_cache() {
        local count="$1" said="$2" last
        shift 2
        : >"$ran"
        last="$(PATH="$scratch/fake:$PATH" FAKE_SYSTEM="$system/lib" FAKE_ABI="$(<ffi-c/abi/version)" FAKE_RAN="$ran" \
            make --no-print-directory install "$@" | tail -n 1)"
        [[ "$(wc -l <"$ran")" == "$count" && "$last" =~ $said ]] ||
            fail "make install $*: ldconfig ran $(wc -l <"$ran") times, and it says: $last"
    }
    expect_cache 1 '^programs find the library' PREFIX="$system"
    expect_cache 1 'ldconfig.*-rpath,.*LD_LIBRARY_PATH=' PREFIX="$prefix.other"
    expect_cache 0 '^when the package is installed.*ldconfig' PREFIX="$system" DESTDIR="$scratch/root"
}

test_install() {
    stage "installation, and the examples built with what it installs"
    scripts/build.sh
    make --no-print-directory build
    # Without cargo, as root may have to.
    local without="$scratch/without-cargo"
    mkdir "$without"
    printf '#!/bin/sh\necho "make install calls cargo" >&2\nexit 1\n' >"$without/cargo"
    chmod +x "$without/cargo"
    local PATH="$without:$PATH"
    make --no-print-directory install PREFIX="$prefix" >/dev/null
    # The same under DESTDIR, for makers of packages: the texts name PREFIX.
    make --no-print-directory install PREFIX=/usr DESTDIR="$scratch/install.root" >/dev/null
    diff <(cd "$prefix" && find . | sort) <(cd "$scratch/install.root/usr" && find . | sort)
    test_loader_cache
    test_uninstall
    PATH="${PATH#"$without:"}"
    start_sandbox
    cargo xtask install-check "$prefix" "$PAYMENTS_TEST_SANDBOX"
    end_servers

    stage "the tests of a shop, with a prefix that was moved"
    local flags moved="$prefix.moved"
    mv "$prefix" "$moved"
    read -r -a flags <<<"$(PKG_CONFIG_PATH="$moved/lib/pkgconfig" pkg-config --cflags --libs libpayments)"
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror examples/tests/c/shop_test.c "${flags[@]}" \
        "-Wl,-rpath,$moved/lib" -o "$scratch/shop_test"
    PAYMENTS_COMMAND="$target/debug/payments" "$scratch/shop_test"
}

# As in Debian, and back.
test_uninstall() {
    local there="$scratch/multiarch.root"
    local variables=(PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu "DESTDIR=$there")
    make --no-print-directory install "${variables[@]}" >/dev/null
    [[ -L "$there/usr/lib/x86_64-linux-gnu/libpayments.so" ]] || fail "make install does not follow LIBDIR"
    make --no-print-directory uninstall "${variables[@]}" >/dev/null
    [[ -z "$(find "$there" ! -type d)" ]] || fail "make uninstall leaves files: $(find "$there" ! -type d)"
}
