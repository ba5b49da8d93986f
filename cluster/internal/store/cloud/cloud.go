// Package cloud links the object stores s3://, gs:// and azblob:// to package store.
package cloud

import (
	"context"
	"errors"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://

	"github.com/gpusort/gpusort/cluster/internal/store"
)

func init() {
	if os.Getenv("AWS_MAX_ATTEMPTS") == "" {
		os.Setenv("AWS_MAX_ATTEMPTS", "8") // of each part of an upload
	}
	store.Sweepers = append(store.Sweepers, sweepS3)
}

// sweepS3 ends uploads in parts. Other stores remove what was not finished by themselves.
func sweepS3(ctx context.Context, b *blob.Bucket, name, prefix string) (n int, ok bool, err error) {
	var client *s3.Client
	if !b.As(&client) {
		return 0, false, nil
	}
	pages := s3.NewListMultipartUploadsPaginator(client, &s3.ListMultipartUploadsInput{Bucket: &name, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		var code interface{ ErrorCode() string }
		if errors.As(err, &code) && code.ErrorCode() == "NoSuchUpload" {
			return n, true, nil // what some servers say where there are none
		}
		if err != nil {
			return n, true, err
		}
		for _, u := range page.Uploads {
			if _, err := client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &name, Key: u.Key, UploadId: u.UploadId}); err != nil {
				return n, true, err
			}
			n++
		}
	}
	return n, true, nil
}
