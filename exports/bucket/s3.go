package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"kindex/exports/safetext"
)

// s3 is a bucket of S3-compatible object storage, or the part of one whose names start with a
// prefix. Replace needs a server that supports conditional writes: AWS S3 does, as do MinIO and
// versitygw.
type s3 struct {
	client *minio.Client
	bucket string
	prefix string // "" or ends with a slash
}

func openS3(u *url.URL) (*s3, error) {
	if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the address of a bucket; expected s3://BUCKET/PREFIX, and credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", safetext.Address(u.String()))
	}
	endpoint, secure := "s3.amazonaws.com", true
	if text := os.Getenv("AWS_ENDPOINT_URL"); text != "" {
		e, err := url.Parse(text)
		if err != nil || e.Host == "" || e.Scheme != "https" && e.Scheme != "http" || strings.Trim(e.Path, "/") != "" {
			return nil, fmt.Errorf("AWS_ENDPOINT_URL is %s; expected an address such as https://s3.example.org", safetext.Address(text))
		}
		endpoint, secure = e.Host, e.Scheme == "https"
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = headerTimeout
	client, err := minio.New(endpoint, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		}),
		Secure: secure, Transport: transport, Region: os.Getenv("AWS_REGION"), MaxRetries: 4,
	})
	if err != nil {
		return nil, err
	}
	s := &s3{client: client, bucket: u.Host}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		s.prefix = prefix + "/"
	}
	return s, nil
}

// String implements Reader.
func (s *s3) String() string { return strings.TrimSuffix("s3://"+s.bucket+"/"+s.prefix, "/") }

func (s *s3) convertError(name string, err error) error {
	switch r := minio.ToErrorResponse(err); {
	case err == nil:
		return nil
	case r.Code == minio.NoSuchKey || r.Code == "NotFound" || r.StatusCode == http.StatusNotFound && r.Code != minio.NoSuchBucket:
		return notExist(s.String() + "/" + name)
	case r.StatusCode == http.StatusPreconditionFailed || r.StatusCode == http.StatusConflict:
		return fmt.Errorf("%s/%s %w", s, name, ErrConflict)
	}
	return fmt.Errorf("%s/%s: %w", s, name, err)
}

// Open implements Reader.
func (s *s3) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	body, _, err := s.get(ctx, name)
	return body, err
}

func (s *s3) get(ctx context.Context, name string) (body io.ReadCloser, tag string, err error) {
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	core := minio.Core{Client: s.client}
	body, info, _, err := core.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	return body, info.ETag, s.convertError(name, err)
}

// Write implements Bucket.
func (s *s3) Write(ctx context.Context, name string, data io.ReadSeeker, size int64) error {
	return s.put(ctx, name, data, size, minio.PutObjectOptions{})
}

// Replace implements Bucket.
func (s *s3) Replace(ctx context.Context, name string, data, old []byte) error {
	var o minio.PutObjectOptions
	if old == nil {
		o.SetMatchETagExcept("*")
		return s.put(ctx, name, bytes.NewReader(data), int64(len(data)), o)
	}
	body, tag, err := s.get(ctx, name)
	var now []byte
	if err == nil {
		now, err = readLimited(body, s.String()+"/"+name, maxReplaced)
		err = errors.Join(err, body.Close())
	}
	if err == nil && bytes.Equal(now, old) {
		o.SetMatchETag(tag)
		err = s.put(ctx, name, bytes.NewReader(data), int64(len(data)), o)
	} else if err == nil {
		err = os.ErrNotExist
	}
	if errors.Is(err, os.ErrNotExist) { // it was replaced or removed
		err = fmt.Errorf("%s/%s %w", s, name, ErrConflict)
	}
	return err
}

func (s *s3) put(ctx context.Context, name string, data io.ReadSeeker, size int64, o minio.PutObjectOptions) error {
	if err := checkName(name); err != nil {
		return err
	}
	o.DisableMultipart, o.ContentType = true, "application/octet-stream"
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, data, size, o)
	return s.convertError(name, err)
}

// List implements Bucket.
func (s *s3) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		ctx, cancel := context.WithCancel(ctx) // ends the listing if the caller does
		defer cancel()
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
			if o.Err != nil {
				yield(Info{}, s.convertError(prefix, o.Err))
				return
			}
			if name := strings.TrimPrefix(o.Key, s.prefix); checkName(name) == nil && !yield(Info{name, o.Size, o.LastModified}, nil) {
				return
			}
		}
	}
}

// Remove implements Bucket.
func (s *s3) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := s.convertError(name, s.client.RemoveObject(ctx, s.bucket, s.prefix+name, minio.RemoveObjectOptions{}))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
