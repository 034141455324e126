#!/bin/sh
# Creates the bucket NAME on the server at AWS_ENDPOINT_URL if it is missing, and lets everybody who
# can reach the server read it. It can be run again.
set -eu
name=${1:?usage: bucket.sh NAME}
: "${AWS_ENDPOINT_URL:?}" "${AWS_ACCESS_KEY_ID:?}" "${AWS_SECRET_ACCESS_KEY:?}"
# put PATH BODY prints the status. Every user can read command lines, so curl reads the credentials
# from standard input.
put() {
  printf 'user = "%s:%s"\n' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" |
    curl --config - --silent --show-error --output /dev/null --write-out '%{http_code}' \
      --aws-sigv4 "aws:amz:${AWS_REGION:-us-east-1}:s3" --header "x-amz-content-sha256: $(printf %s "$2" | sha256sum | cut -d ' ' -f 1)" \
      --request PUT --data-binary "$2" "$AWS_ENDPOINT_URL/$1"
}
fail() { echo "bucket.sh: $1: the server answered with status $2" >&2; exit 1; }
status=$(put "$name" '')
case $status in 200 | 409) ;; *) fail "creating $name" "$status" ;; esac # 409: it exists
status=$(put "$name?policy=" '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::'"$name"'/*"}]}')
case $status in 200 | 204) ;; *) fail "the policy of $name" "$status" ;; esac
