module github.com/gpusort/gpusort/cluster

go 1.26.0

require (
	github.com/aws/aws-sdk-go-v2/service/s3 v1.114.3
	github.com/gpusort/gpusort v0.1.0
	github.com/gpusort/gpusort/cmd v0.1.0
	github.com/johannesboyne/gofakes3 v1.2.0
	github.com/spf13/cobra v1.10.2
	gocloud.dev v0.49.0
)
