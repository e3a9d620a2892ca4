#!/bin/sh
# JSON is an unstable output of rustdoc. The variable is set for rustdoc alone: some build scripts watch it.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@" -Z unstable-options --output-format json
