package cl

var libraryPaths = []string{"OpenCL.dll"}
