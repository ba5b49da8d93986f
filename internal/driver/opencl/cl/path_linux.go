package cl

var libraryPaths = []string{"libOpenCL.so.1", "libOpenCL.so"}
