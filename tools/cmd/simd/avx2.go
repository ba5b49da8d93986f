package main

import . "github.com/mmcloughlin/avo/build"

func genAVX2(c *Context) {}
