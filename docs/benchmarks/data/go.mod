// Raw results: a module of its own, so that no module zip carries them.
module github.com/gpusort/gpusort/docs/benchmarks/data

go 1.26.0
