#!/bin/sh
# flags.sh - the Meson options of a kind of build, in one place. SPDX-License-Identifier: MIT
case ${1-} in
asan)
    # Little optimised: -O2 removes faulty accesses that nothing depends on before they are checked.
    # Undefined symbols are allowed because the program brings the sanitizers, not libsennit.so.
    # Of the debug information, only what stacks are told by: there is a lot of it with sanitizers.
    echo "-Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 -Dc_args=-g1"
    ;;
*)
    echo "usage: flags.sh asan" >&2
    exit 2
    ;;
esac
