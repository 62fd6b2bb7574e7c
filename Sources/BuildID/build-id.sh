#!/bin/sh
# Writes the Swift file that says which sources a build is made of: the commit of a clone, and a digest of Sources if they are not the commit's, or if there is none.
# Documentation/decisions/0029-which-sources.md says why so.
#
# usage: build-id.sh clone|archive PACKAGE OUTPUT
set -eu
kind=$1 package=$2 output=$3

if command -v sha256sum >/dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi

# Twelve digits that stand for the names and contents of all files in a folder's Sources but hidden ones.
digest() {
  (cd "$1" && find Sources -type f ! -path '*/.*' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 $sum | $sum | cut -c 1-12)
}

# Hooks of Git set variables that name another repository, or another index.
unset $(git rev-parse --local-env-vars 2>/dev/null) || true

commit=nil
sources=$(digest "$package")
# Commits of a repository that has the package in one of its folders say nothing of the package.
if [ "$kind" = clone ] && head=$(git -C "$package" rev-parse --verify --quiet 'HEAD^{commit}' 2>/dev/null) &&
  [ -z "$(git -C "$package" rev-parse --show-prefix)" ]; then
  # The commit's own files, and not Git's index, which knows nothing of files that are ignored, and may be told to overlook others.
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
# A file that is written anew, with the same in it, would have everything linked again.
if ! [ -f "$output" ] || [ "$(cat "$output")" != "$text" ]; then
  printf '%s\n' "$text" >"$output.new"
  mv "$output.new" "$output"
fi
