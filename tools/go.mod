module github.com/gpusort/gpusort/tools

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/jfcg/sorty/v2 v2.1.0
	github.com/klauspost/compress v1.20.4
)

require (
	codeberg.org/go-pdf/fpdf v0.12.0 // indirect
	github.com/BurntSushi/toml v1.6.0 // indirect
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/jfcg/sixb v1.3.8 // indirect
	golang.org/x/image v0.47.0 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

require (
	github.com/gpusort/gpusort v0.1.0
	github.com/gpusort/gpusort/cmd v0.1.0
	github.com/mmcloughlin/avo v0.5.0
	golang.org/x/mod v0.41.0
	golang.org/x/sys v0.49.0
	golang.org/x/tools v0.51.0 // indirect
)
