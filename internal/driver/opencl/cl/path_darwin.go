package cl

var libraryPaths = []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
