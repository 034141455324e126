#!/bin/sh
# Installs a release of kindex: downloads the archive for this machine, verifies it, and copies
# the program, its manual pages and completions into a folder. It needs curl or wget, tar, and
# sha256sum, shasum or openssl; to verify a signature, OpenSSL 3.
#
#   sh install.sh [--prefix DIR] [--url URL] [--key KEY]
#
# DIR is /usr/local for root, and ~/.local for other users. URL is the https address of the
# folder that contains the release files. KEY is the public key that must have signed
# SHA256SUMS, in the form name+hash+key. make dist writes the version, the address and the key
# of a release into the lines below.
set -eu

version=''
url=''
key=''

# Everything is in functions, so that a truncated script does nothing.

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# get NAME downloads a file of the release into the temporary folder.
get() {
  if has curl; then
    curl -fsSL --proto '=https' --retry 3 --max-time 600 -o "$tmp/$1" "$url/$1"
  elif has wget; then
    wget -q -O "$tmp/$1" "$url/$1"
  else
    fail 'curl or wget is needed.'
  fi || fail "$url/$1 could not be downloaded."
}

sha256() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail 'sha256sum, shasum or openssl is needed.'
  fi
}

# verify_note writes the text of SHA256SUMS.note to SHA256SUMS if the key has signed it. A
# signed note is a text, an empty line, and lines of the form: dash, name, base64 of four bytes
# of the key's hash and the Ed25519 signature (golang.org/x/mod/sumdb/note).
verify_note() {
  if ! has openssl || ! openssl pkeyutl -help 2>&1 | grep -q rawin; then
    fail "OpenSSL 3 is needed to verify the signature. To verify only the checksums, which does not help against somebody who replaced all files, use --key ''."
  fi
  name=${key%%+*} rest=${key#*+}
  hash=${rest%%+*}
  get SHA256SUMS.note
  sed '/^$/,$d' "$tmp/SHA256SUMS.note" >"$tmp/SHA256SUMS"
  awk -v name="$name" 'found && $1 == "—" && $2 == name { print $3; exit } /^$/ { found = 1 }' "$tmp/SHA256SUMS.note" >"$tmp/signature.txt"
  [ -s "$tmp/signature.txt" ] || fail "SHA256SUMS.note is not signed by $name, so nothing was installed."
  openssl base64 -d -A -in "$tmp/signature.txt" -out "$tmp/signature"
  printf '%s' "${rest#*+}" | openssl base64 -d -A -out "$tmp/key"
  if [ "$(head -c 1 "$tmp/key" | od -An -tx1 | tr -d ' ')" != 01 ] || [ "$(wc -c <"$tmp/key")" -ne 33 ]; then
    fail "$key is not an Ed25519 key in the form name+hash+key."
  fi
  # The first bytes of a public key in DER (RFC 8410).
  { printf '\060\052\060\005\006\003\053\145\160\003\041\000' && tail -c 32 "$tmp/key"; } >"$tmp/key.der"
  tail -c +5 "$tmp/signature" >"$tmp/signature.raw"
  if [ "$(head -c 4 "$tmp/signature" | od -An -tx1 | tr -d ' ')" != "$hash" ] ||
    ! openssl pkeyutl -verify -pubin -keyform DER -inkey "$tmp/key.der" -rawin -in "$tmp/SHA256SUMS" -sigfile "$tmp/signature.raw" >/dev/null 2>&1; then
    fail "The signature of SHA256SUMS is not from $name, so nothing was installed."
  fi
}

# platform prints the names of this system and architecture in the files of a release.
platform() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "There is no archive for $(uname -s) that this script can install." ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=amd64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "There is no archive for $(uname -m)." ;;
  esac
  printf '%s-%s' "$system" "$machine"
}

# put MODE FILE PATH copies a file, so that no program ever sees half of it.
put() {
  { mkdir -p "$(dirname "$3")" && cp "$2" "$3.new" && chmod "$1" "$3.new" && mv -f "$3.new" "$3"; } ||
    fail "$3 cannot be written; choose another folder with --prefix."
}

main() {
  prefix=$HOME/.local
  [ "$(id -u)" -ne 0 ] || prefix=/usr/local
  while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$1 is not an option or lacks its value; the options are --prefix DIR, --url URL and --key KEY."
    case "$1" in
      --prefix) prefix=$2 ;;
      --url) url=${2%/} ;;
      --key) key=$2 ;;
      *) fail "$1 is not an option; the options are --prefix DIR, --url URL and --key KEY." ;;
    esac
    shift 2
  done
  [ -n "$version" ] || fail 'This is only the template of the install script; use the install.sh of a release, or run make dist.'
  case "$url" in
    https://*) ;;
    *) fail 'Use --url with the https address of the folder that contains the release files.' ;;
  esac
  base=kindex-$version-$(platform)
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT

  if [ -n "$key" ]; then
    verify_note
  else
    echo 'install.sh: there is no key, so only the checksums are verified. They reveal damaged files, but do not help against somebody who replaced all files.' >&2
    get SHA256SUMS
  fi
  sum=$(awk -v file="$base.tar.gz" '$2 == file { print $1 }' "$tmp/SHA256SUMS")
  [ -n "$sum" ] || fail "SHA256SUMS does not list $base.tar.gz, so nothing was installed."
  get "$base.tar.gz"
  [ "$(sha256 "$tmp/$base.tar.gz")" = "$sum" ] || fail "The SHA-256 of $base.tar.gz does not match SHA256SUMS, so nothing was installed."
  tar -xzf "$tmp/$base.tar.gz" -C "$tmp"

  for page in "$tmp/$base"/man/man1/*.1; do
    put 644 "$page" "$prefix/share/man/man1/${page##*/}"
  done
  put 644 "$tmp/$base/completions/bash/kindex" "$prefix/share/bash-completion/completions/kindex"
  put 644 "$tmp/$base/completions/zsh/_kindex" "$prefix/share/zsh/site-functions/_kindex"
  put 644 "$tmp/$base/completions/fish/kindex.fish" "$prefix/share/fish/vendor_completions.d/kindex.fish"
  put 755 "$tmp/$base/kindex" "$prefix/bin/kindex"
  "$prefix/bin/kindex" version
  case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "Add $prefix/bin to PATH to run it as kindex." ;;
  esac
}

main "$@"
