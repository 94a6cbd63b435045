#!/usr/bin/env bash
# The lines of base, transport, core and host that tests reach, in all languages together. Prints a table
# by file; target/coverage/never-reached.txt lists the lines that none reaches.
#
# Usage: scripts/coverage.sh [core|c|php|python|node]...
#        (all when none is named; "report" only prints what earlier runs reached)
#
# This repository is instrumented, in its own build folder. Lines that a killed
# process or a forked child has reached do not count.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="$(realpath -m "${CARGO_TARGET_DIR:-target}")/coverage"
profiles="$folder/profiles"
[[ $# -gt 0 ]] || set -- core c php python node

. scripts/instrument.sh "$folder"
mkdir -p "$profiles"
export CARGO_TARGET_DIR="$folder"
# Two files for each program, into which its processes add.
export LLVM_PROFILE_FILE="$profiles/%2m.profraw"

features=(--locked --workspace --features "payments-ffi/test-hooks,payments-python/test-hooks")
tests=(cargo test "${features[@]}" --lib --bins --tests)

UNWRITTEN=test_a_call_without_descriptors_says_whether_it_was_executed
run() {
    case "$1" in
        # One limits the size of files, those of profiles too.
        core) "${tests[@]}" --no-fail-fast -- --skip fleet --skip beyond_the_limit_of_a_file ;;
        c) scripts/test-c.sh plain scenarios ;;
        # Without descriptors, no profile can be written, and stderr says so.
        python) PYTEST_ADDOPTS="--deselect tests/test_package.py::$UNWRITTEN" scripts/test-python.sh ;;
        php | node) "scripts/test-$1.sh" ;;
        report) ;;
        *)
            echo "coverage: unknown suite \"$1\"" >&2
            exit 2
            ;;
    esac
}

failed=()
for suite in "$@"; do
    printf '\n######## %s ########\n' "$suite"
    run "$suite" || failed+=("$suite")
done

# A program whose environment was cleared writes where it runs.
find . -name 'default_*.profraw' -not -path './target/*' -exec mv -t "$profiles" {} +

# The binaries of the profiles: the tests, the command, and loaded libraries.
objects=()
while read -r object; do
    objects+=(-object "$object")
done < <(
    "${tests[@]}" --no-run --message-format json 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
    find "$folder/debug" -maxdepth 1 -name 'libpayments*.so'
    find "$folder/python/venv" -name '_native*.so' 2>/dev/null
)
"llvm-profdata-$llvm" merge -sparse -failure-mode=warn -o "$folder/all.profdata" \
    "$profiles"/*.profraw 2>"$folder/profdata.log" || { cat "$folder/profdata.log" >&2 && exit 1; }
"llvm-cov-$llvm" export -format=lcov -instr-profile "$folder/all.profdata" \
    "${objects[@]:1}" >"$folder/all.lcov" 2>"$folder/cov.log" || { cat "$folder/cov.log" >&2 && exit 1; }

# A package built from its source distribution has the files elsewhere; a line
# counts as reached if any program reached it. Tests at the foot do not count.
awk -F '[:,]' -v never="$folder/never-reached.txt" '
    /^SF:/ {
        counts = match($2, /(base|transport|core|host)\/src\/.*\.rs$/) && $2 !~ /tests\.rs$/
        file = substr($2, RSTART)
        if (counts && !(file in end)) {
            end[file] = 1e9
            number = 0
            while ((getline line <file) > 0) {
                text[file, ++number] = line
                if (line == "mod tests {" && text[file, number - 1] == "#[cfg(test)]") end[file] = number - 1
            }
            close(file)
        }
    }
    /^DA:/ && counts && $2 < end[file] {
        key = file SUBSEP $2
        if (!(key in reached)) { lines[file]++; reached[key] = 0 }
        if ($3 > 0) reached[key] = 1
    }
    END {
        for (key in reached) {
            split(key, part, SUBSEP)
            if (reached[key]) hit[part[1]]++
            else print part[1] ":" part[2] ": " text[part[1], part[2]] | ("sort -t: -k1,1 -k2,2n >" never)
        }
        for (file in lines) {
            printf "%-48s%7d lines%7d never reached%8.1f %%\n", file, lines[file], \
                lines[file] - hit[file], 100 * hit[file] / lines[file] | "sort"
            all += lines[file]
            all_hit += hit[file]
        }
        close("sort")
        printf "%-48s%7d lines%7d never reached%8.1f %%\n", "in all", all, all - all_hit, 100 * all_hit / all
    }
' "$folder/all.lcov"
echo "the lines that are never reached: $folder/never-reached.txt"
if [[ ${#failed[@]} -gt 0 ]]; then
    echo "coverage: these suites failed: ${failed[*]}" >&2
    exit 1
fi
