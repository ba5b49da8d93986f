
#line 1 "grader"
__kernel void gpusort_make_plan(__global uchar *p, ulong off, ulong n)
{
  gpusort_plan((__global gpusort_plan_t *)(p + off), n);
}
