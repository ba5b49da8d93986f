#!/usr/bin/env bash
# skip.sh NAME TEXT says that TEXT is skipped because NAME is absent, and fails if
# GPUSORT_REQUIRE names it: what internal/check/absent does in tests.
case ",${GPUSORT_REQUIRE-}," in
*[,\ ]"$1"[,\ ]*)
	echo "GPUSORT_REQUIRE names what is absent: $1. $2" >&2
	exit 1
	;;
esac
echo "SKIPPED: $1 is absent: $2"
