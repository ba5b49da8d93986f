#!/usr/bin/env bash
# Prints the commit that a build is of, with -modified behind it if tracked files
# differ; nothing where there is no git.
cd "$(dirname "$0")/.." || exit 1
commit=$(git rev-parse HEAD 2>/dev/null) || exit 0
git diff --quiet HEAD -- ':!docs' 2>/dev/null || commit=$commit-modified
echo "$commit"
