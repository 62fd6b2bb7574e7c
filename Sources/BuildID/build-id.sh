#!/bin/sh
# Writes the Swift file that identifies the sources of a build: the commit of a clone, and a digest
# of Sources if they differ from the commit or no commit is known.
# Documentation/decisions/0029-which-sources.md gives the reasons.
#
# usage: build-id.sh clone|archive PACKAGE OUTPUT
set -eu
kind=$1 package=$2 output=$3

if command -v sha256sum >/dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi

# Prints twelve digits that identify the names and contents of all files in a folder's Sources
# except hidden ones.
digest() {
  (cd "$1" && find Sources -type f ! -path '*/.*' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 $sum | $sum | cut -c 1-12)
}

# Git hooks set variables that name another repository or index.
unset $(git rev-parse --local-env-vars 2>/dev/null) || true

commit=nil
sources=$(digest "$package")
# If the package is a folder inside another repository, the commits of that repository do not
# identify it.
if [ "$kind" = clone ] && head=$(git -C "$package" rev-parse --verify --quiet 'HEAD^{commit}' 2>/dev/null) &&
  [ -z "$(git -C "$package" rev-parse --show-prefix)" ]; then
  # Compares with the commit's own files, not with Git's index: the index leaves out ignored files
  # and can be configured to overlook others.
  tree=$(mktemp -d "$output.XXXXXX")
  trap 'rm -rf "$tree"' EXIT
  git -C "$package" archive --format=tar "$head" Sources | tar -xf - -C "$tree"
  commit=\"$(printf %.12s "$head")\"
  if [ "$(digest "$tree")" = "$sources" ]; then sources=; fi
fi

text="enum SourceState {
  static let commit: String? = $commit
  static let changedSources: String? = ${sources:+\"}${sources:-nil}${sources:+\"}
}"
# Rewriting the file with the same content would relink everything.
if ! [ -f "$output" ] || [ "$(cat "$output")" != "$text" ]; then
  printf '%s\n' "$text" >"$output.new"
  mv "$output.new" "$output"
fi
