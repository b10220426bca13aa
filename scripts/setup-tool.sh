#!/usr/bin/env bash
# Usage: setup-tool.sh NAME...   NAME is a folder under tools/
#
# Builds a pinned tool into .tools/NAME, unless that very one is there already.
#
# Each tool has a module of its own with a `tool` line, and not `go install pkg@version`,
# because its go.sum then pins every library of the tool by hash in this repository, even
# where no checksum database is asked. They are two modules and not one because one module
# would settle on the newest library that either tool asks for, and so build both of them
# out of parts that their authors never tested together. The go.mod of Toolsmith knows
# nothing of either.
#
# To take a newer version:  cd tools/NAME && go get -tool PACKAGE@VERSION && go mod tidy
#
# A tool of our own has its program in that folder too, and no version but that of its text.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

setup() {
  local name=$1 module=tools/$1 version stamp
  [ -f "$module/go.mod" ] || fail "there is no $module/go.mod"
  version=$(tool_version "$module")
  # The Go version belongs to the stamp: a linter built with an older Go refuses newer code.
  stamp="$version $(go env GOVERSION) $(find "$module" -type f | LC_ALL=C sort | xargs cat | git hash-object --stdin)"
  if [ -x ".tools/$name" ] && [ "$(cat ".tools/$name.stamp" 2>/dev/null)" = "$stamp" ]; then
    say "$name${version:+ $version} is in .tools"
    return
  fi
  say "$name${version:+ $version}: building it into .tools (a minute or two, this once)"
  mkdir -p .tools
  rm -f ".tools/$name.stamp"
  # Without cgo, so that no C compiler is needed and sqlc does not compile PostgreSQL's
  # parser from C, which would take longer than all the rest.
  (cd "$module" && CGO_ENABLED=0 GOFLAGS="-mod=readonly -trimpath -buildvcs=false" \
    GOBIN="$OLDPWD/.tools" go install -ldflags='-s -w' tool)
  [ -x ".tools/$name" ] || fail "building $module did not make .tools/$name"
  printf '%s\n' "$stamp" >".tools/$name.stamp"
}

# tool_version finds the version of the module that the package on the `tool` line is in.
tool_version() {
  awk '
    $1 == "tool" { tool = $2 }
    $1 == "require" && $2 != "(" { version[$2] = $3 }
    $2 ~ /^v[0-9]/ { version[$1] = $2 }
    END {
      for (module in version)
        if (index(tool "/", module "/") == 1 && length(module) > length(best)) best = module
      print version[best]
    }' "$1/go.mod"
}

for name in "$@"; do
  setup "$name"
done
