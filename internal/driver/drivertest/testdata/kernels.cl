// Device code of the drivers' conformance suite; kernels.go describes it.
// A buffer argument is a pointer and a byte offset.

#define AT(T, p, off) ((__global T *)((p) + (off)))

__kernel void t_affine32(__global const uchar *in, ulong inOff, __global uchar *out, ulong outOff,
                         ulong n, uint a, uint c)
{
    const ulong i = get_global_id(0);
    if (i < n)
        AT(uint, out, outOff)[i] = AT(const uint, in, inOff)[i] * a + c;
}

__kernel void t_affine64(__global const uchar *in, ulong inOff, __global uchar *out, ulong outOff,
                         ulong n, ulong a, ulong c)
{
    const ulong i = get_global_id(0);
    if (i < n)
        AT(ulong, out, outOff)[i] = AT(const ulong, in, inOff)[i] * a + c;
}

__kernel void t_args(__global uchar *out, ulong outOff, uchar p, ushort q, uint r, ulong s)
{
    __global ulong *o = AT(ulong, out, outOff);
    o[0] = p;
    o[1] = q;
    o[2] = r;
    o[3] = s;
}

__kernel void t_reverse(__global const uchar *in, ulong inOff, __global uchar *out, ulong outOff,
                        __local ulong *shared)
{
    __local uint *s = (__local uint *)shared;
    const uint t = get_local_id(0), last = get_local_size(0) - 1;
    s[t] = AT(const uint, in, inOff)[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    AT(uint, out, outOff)[get_global_id(0)] = s[last - t];
}

__kernel void t_grid2(__global uchar *out, ulong outOff, uint width)
{
    const uint x = get_global_id(0), y = get_global_id(1);
    AT(uint, out, outOff)[y * width + x] = y << 16 | x;
}
