#!/bin/sh
# Builds the newest content of a git repository and publishes it. Run it on a schedule.
#   CONTENT_REPOSITORY  the repository to clone; its folder content is built
#   CONTENT_BRANCH      the branch (default: main)
#   BUCKET              the address for kindex publish --to
#   SIGNING_KEY         a file for kindex publish --sign, if set
#   WORK                a folder that is kept between runs, with enough space for five builds
set -eu
: "${CONTENT_REPOSITORY:?}" "${BUCKET:?}" "${WORK:?}"
branch=${CONTENT_BRANCH:-main}
export HOME="$WORK" # for the builder's key
if [ ! -d "$WORK/repository" ]; then
  rm -rf "$WORK/repository.part"
  git clone --quiet --branch "$branch" -- "$CONTENT_REPOSITORY" "$WORK/repository.part"
  mv "$WORK/repository.part" "$WORK/repository"
fi
git -C "$WORK/repository" fetch --quiet origin "$branch"
git -C "$WORK/repository" reset --quiet --hard FETCH_HEAD
kindex build --content "$WORK/repository/content" --out "$WORK/build"
kindex publish --from "$WORK/build" --to "$BUCKET" ${SIGNING_KEY:+--sign "$SIGNING_KEY"}
kindex prune "$BUCKET"
