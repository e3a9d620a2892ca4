#!/bin/sh
# The output as JSON is unstable. The variable is set for rustdoc alone: some build scripts watch it.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
