// Probe of an MSD hybrid for keys alone: one 16-bit histogram read, two
// unstable 8-bit partitions, one local sort of each of 65,536 buckets by
// counting the next 16 bits in 4-bit shared-memory counters. Times every stage
// apart, verifies order and multiset. Not part of the library.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
typedef uint32_t u32; typedef uint64_t u64; typedef uint16_t u16;
#define CK(x) do{cudaError_t e=(x); if(e!=cudaSuccess){printf("%s:%d %s: %s\n",__FILE__,__LINE__,#x,cudaGetErrorString(e)); exit(1);} }while(0)

__host__ __device__ inline u64 mix(u64 x){ x+=0x9e3779b97f4a7c15ull; x=(x^(x>>30))*0xbf58476d1ce4e5b9ull; x=(x^(x>>27))*0x94d049bb133111ebull; return x^(x>>31); }
template<class K> __global__ void gen(K*p,u64 n,u64 seed){ for(u64 i=blockIdx.x*(u64)blockDim.x+threadIdx.x;i<n;i+=(u64)gridDim.x*blockDim.x) p[i]=(K)(mix(i+seed)>>(64-8*sizeof(K))); }
template<class K> __global__ void check(const K*p,u64 n,u64*out){ u64 s=0,x=0,bad=0; for(u64 i=blockIdx.x*(u64)blockDim.x+threadIdx.x;i<n;i+=(u64)gridDim.x*blockDim.x){ K k=p[i]; u64 m=mix((u64)k^0x1234567); s+=m; x^=m*0x9e3779b97f4a7c15ull; if(i+1<n&&p[i+1]<k)bad++; } atomicAdd((unsigned long long*)out,s); atomicXor((unsigned long long*)out+1,x); atomicAdd((unsigned long long*)out+2,bad); }

// 65,536 packed 16-bit counters, one block an SM.
template<class K> __global__ void __launch_bounds__(1024,1) hist16(const K*__restrict__ in,u64 n,u32*hist,u32*flags){
  extern __shared__ u32 h[]; const int S=8*sizeof(K)-16;
  for(int i=threadIdx.x;i<32768;i+=1024)h[i]=0; __syncthreads();
  constexpr int V=16/sizeof(K); const uint4*in4=(const uint4*)in; u64 nv=n/V; u32 mine=0;
  u64 i=blockIdx.x*1024ull+threadIdx.x, st=gridDim.x*1024ull;
  auto one=[&](K k){ u32 d=(u32)(k>>S); atomicAdd(&h[d>>1],(d&1)?65536u:1u); };
  auto vec=[&](uint4 v){ K k[V]; memcpy(k,&v,16);
#pragma unroll
    for(int j=0;j<V;j++) one(k[j]); mine+=V; };
  for(;i+3*st<nv;i+=4*st){ uint4 a=in4[i],b=in4[i+st],c=in4[i+2*st],d=in4[i+3*st]; vec(a);vec(b);vec(c);vec(d);}  
  for(;i<nv;i+=st) vec(in4[i]);
  if(blockIdx.x==0&&threadIdx.x==0) for(u64 j=nv*V;j<n;j++){one(in[j]);mine++;}
  __syncthreads();
  u32 sum=0;
  for(int j=threadIdx.x;j<32768;j+=1024){ u32 w=h[j]; if(w&0xffff){atomicAdd(&hist[2*j],w&0xffff);} if(w>>16){atomicAdd(&hist[2*j+1],w>>16);} sum+=(w&0xffff)+(w>>16);}  
  int diff=(int)(mine-sum); for(int o=16;o;o>>=1) diff+=__shfl_xor_sync(~0u,diff,o);
  __shared__ int tot; if(threadIdx.x==0)tot=0; __syncthreads(); if((threadIdx.x&31)==0)atomicAdd(&tot,diff); __syncthreads(); if(threadIdx.x==0&&tot!=0)atomicOr(flags,1u);
}
__device__ inline u32 warpIncl(u32 v){ int l=threadIdx.x&31;
#pragma unroll
  for(int o=1;o<32;o<<=1){u32 t=__shfl_up_sync(~0u,v,o); if(l>=o)v+=t;} return v; }
// One block: starts and cursors of both levels, tiles of level-1 buckets.
__global__ void __launch_bounds__(1024) scan16(u32*hist,u32*start2,u32*cur2,u32*cur1,u32*tile1,u32 tileItems){
  __shared__ u32 ws[32]; __shared__ u32 s1[257]; int t=threadIdx.x; u32 loc[64]; u32 s=0;
  const uint4*h4=(const uint4*)hist+t*16;
#pragma unroll
  for(int i=0;i<16;i++){uint4 v=h4[i]; loc[4*i]=v.x;loc[4*i+1]=v.y;loc[4*i+2]=v.z;loc[4*i+3]=v.w;}
#pragma unroll
  for(int i=0;i<64;i++){u32 c=loc[i];loc[i]=s;s+=c;}
  u32 inc=warpIncl(s); if((t&31)==31)ws[t>>5]=inc; __syncthreads(); if(t<32)ws[t]=warpIncl(ws[t])-ws[t]; __syncthreads();
  u32 base=inc-s+ws[t>>5];
  uint4*o=(uint4*)start2+t*16,*o2=(uint4*)cur2+t*16;
#pragma unroll
  for(int i=0;i<16;i++){uint4 v=make_uint4(base+loc[4*i],base+loc[4*i+1],base+loc[4*i+2],base+loc[4*i+3]); o[i]=v;o2[i]=v;}
  if(t==1023){start2[65536]=base+s; s1[256]=base+s;}
  if((t&3)==0){cur1[t>>2]=base; s1[t>>2]=base;} __syncthreads();
  if(t<256){ u32 c=(s1[t+1]-s1[t]+tileItems-1)/tileItems; u32 in2=warpIncl(c); if((t&31)==31)ws[t>>5]=in2; tile1[t]=in2-c; }
  __syncthreads();
  if(t<256){u32 add=0; for(int w=0;w<(t>>5);w++)add+=ws[w]; tile1[t]+=add; if(t==255){tile1[256]=tile1[255]+(s1[256]-s1[255]+tileItems-1)/tileItems;}}
}
// LEVEL 1: whole input by the top byte. LEVEL 2: inside level-1 buckets by the next.
template<class K,int TH,int IT,int LEVEL,int MINB> __global__ void __launch_bounds__(TH,MINB) part(const K*__restrict__ in,K*__restrict__ out,u32 n,const u32*start2,u32*cur,const u32*tile1){
  extern __shared__ __align__(16) unsigned char raw[]; K*ex=(K*)raw;
  __shared__ u32 cnt[256]; __shared__ u32 off[256]; __shared__ u32 gb[256]; __shared__ u32 ws[8]; __shared__ u32 sb;
  const int T=TH*IT, S=8*sizeof(K)-8*LEVEL; int t=threadIdx.x; u32 beg,end,bucket=0;
  if(LEVEL==1){beg=blockIdx.x*(u32)T; end=min(n,beg+T);} else {
    if(blockIdx.x>=tile1[256])return;
    if(t<32){u32 b=blockIdx.x; u32 c=0;
#pragma unroll
      for(int j=0;j<8;j++) c+=(tile1[t*8+j]<=b); c=__reduce_add_sync(~0u,c); if(t==0)sb=c-1; }
    __syncthreads(); bucket=sb; beg=start2[bucket*256]+(blockIdx.x-tile1[bucket])*T; end=min(start2[bucket*256+256],beg+T); cur+=bucket*256; }
  if(t<256)cnt[t]=0; __syncthreads();
  K k[IT]; u32 r[(IT+1)/2]; u32 m=end-beg; const K*src=in+beg+t;
  if(m==T){
#pragma unroll
    for(int i=0;i<IT;i++)k[i]=src[i*TH];
#pragma unroll
    for(int i=0;i<IT;i++){u32 q=atomicAdd(&cnt[(u32)(k[i]>>S)&255],1u); if(i&1)r[i/2]|=q<<16; else r[i/2]=q;}
  } else {
#pragma unroll 1
    for(u32 i=t;i<m;i+=TH)atomicAdd(&cnt[(u32)(in[beg+i]>>S)&255],1u); }
  __syncthreads();
  if(t<256){u32 c=cnt[t]; u32 g=c?atomicAdd(&cur[t],c):0; u32 in2=warpIncl(c); if((t&31)==31)ws[t>>5]=in2; off[t]=in2-c; gb[t]=g; }
  __syncthreads();
  if(t<256){u32 a=0; 
#pragma unroll
    for(int w=0;w<8;w++)a+=(w<(t>>5))?ws[w]:0; u32 o=off[t]+a; off[t]=o; gb[t]-=o; }
  __syncthreads();
  if(m==T){
#pragma unroll
    for(int i=0;i<IT;i++)ex[off[(u32)(k[i]>>S)&255]+((i&1)?r[i/2]>>16:r[i/2]&0xffff)]=k[i];
    __syncthreads();
#pragma unroll
    for(int i=0;i<IT;i++){u32 p=i*TH+t;K q=ex[p];out[gb[(u32)(q>>S)&255]+p]=q;}
  } else {
#pragma unroll 1
    for(u32 i=t;i<m;i+=TH){K q=in[beg+i];ex[atomicAdd(&off[(u32)(q>>S)&255],1u)]=q;}
    __syncthreads();
#pragma unroll 1
    for(u32 p=t;p<m;p+=TH){K q=ex[p];out[gb[(u32)(q>>S)&255]+p]=q;} }
}

// Partition with one counter column a lane: counter (bin, lane) is a byte of
// word (bin/4)*32+lane, so a warp's 32 returning atomics hit 32 banks. A column
// sees TH/32*IT keys, under 256: a byte never overflows.
#ifndef PAD
#define PAD 8
#endif
template<class K,int TH,int IT,int LEVEL,int MINB> __global__ void __launch_bounds__(TH,MINB) partc(const K*__restrict__ in,K*__restrict__ out,u32 n,const u32*start2,u32*cur,const u32*tile1){
  static_assert(TH/32*IT<256,"column overflow");
  extern __shared__ __align__(16) unsigned char raw[]; u16*pre=(u16*)raw; K*ex=(K*)(raw+16384); u32*c8=(u32*)ex;
  __shared__ __align__(16) u32 cnt[256]; __shared__ u32 gb[256]; __shared__ u32 ws[8]; __shared__ u32 sb;
  const int T=TH*IT, S=8*sizeof(K)-8*LEVEL; const u32 t=threadIdx.x,lane=t&31; u32 beg,end,bucket=0;
  for(int i=t;i<512;i+=TH)((uint4*)c8)[i]=make_uint4(0,0,0,0);
  if(LEVEL==1){beg=blockIdx.x*(u32)T; end=min(n,beg+T);} else {
    if(blockIdx.x>=tile1[256])return;
    if(t<32){u32 b=blockIdx.x; u32 c=0;
#pragma unroll
      for(int j=0;j<8;j++) c+=(tile1[t*8+j]<=b); c=__reduce_add_sync(~0u,c); if(t==0)sb=c-1; }
    __syncthreads(); bucket=sb; beg=start2[bucket*256]+(blockIdx.x-tile1[bucket])*T; end=min(start2[bucket*256+256],beg+T); cur+=bucket*256*PAD; }
  K k[IT]; u32 r[(IT+3)/4]; const u32 m=end-beg; const K*src=in+beg+t;
  if(m==T){
#pragma unroll
    for(int i=0;i<IT;i++)k[i]=src[i*TH];
  } else {
#pragma unroll
    for(int i=0;i<IT;i++)if(i*TH+t<m)k[i]=src[i*TH]; }
  __syncthreads();
#pragma unroll
  for(int i=0;i<(IT+3)/4;i++)r[i]=0;
  u32*col=c8+lane;
  auto dig=[&](K q){return (u32)(q>>S)&255u;};
  if(m==T){
#pragma unroll
    for(int i=0;i<IT;i++){u32 d=dig(k[i]); u32 sh=(d&3)*8; u32 o=atomicAdd(&col[(d>>2)*32],1u<<sh); r[i/4]|=((o>>sh)&255)<<(8*(i&3));}
  } else {
#pragma unroll
    for(int i=0;i<IT;i++)if(i*TH+t<m){u32 d=dig(k[i]); u32 sh=(d&3)*8; u32 o=atomicAdd(&col[(d>>2)*32],1u<<sh); r[i/4]|=((o>>sh)&255)<<(8*(i&3));} }
  __syncthreads();
  // thread (g,q): bins 4g..4g+3, lanes 4q..4q+3; even and odd bins as packed 16-bit pairs
  constexpr int R=512/TH>0?512/TH:1; u32 xe[R],xo[R];
  if(TH<=512||t<512){
#pragma unroll
    for(int x=0;x<R;x++){ u32 id=t+x*TH,g=id>>3,q=id&7; uint4 v=((uint4*)c8)[g*8+q]; const u32 M=0x00ff00ff;
      u32 e=(v.x&M)+(v.y&M)+(v.z&M)+(v.w&M), o=((v.x>>8)&M)+((v.y>>8)&M)+((v.z>>8)&M)+((v.w>>8)&M);
      u32 ie=e,io=o;
#pragma unroll
      for(int s2=1;s2<8;s2<<=1){u32 a=__shfl_up_sync(~0u,ie,s2,8),b=__shfl_up_sync(~0u,io,s2,8); if(q>=s2){ie+=a;io+=b;}}
      if(q==7){cnt[4*g]=ie&0xffff;cnt[4*g+1]=io&0xffff;cnt[4*g+2]=ie>>16;cnt[4*g+3]=io>>16;}
      xe[x]=ie-e;xo[x]=io-o; } }
  __syncthreads();
  u32 c=0,g0=0,inc=0; if(t<256){c=cnt[t]; g0=c?atomicAdd(&cur[t*PAD],c):0; inc=warpIncl(c); if(lane==31)ws[t>>5]=inc;}
  __syncthreads();
  if(t<256){u32 a=0; 
#pragma unroll
    for(int w=0;w<8;w++)a+=(w<(t>>5))?ws[w]:0; u32 o=inc-c+a; cnt[t]=o; gb[t]=g0-o; }
  __syncthreads();
  if(TH<=512||t<512){
#pragma unroll
    for(int x=0;x<R;x++){ u32 id=t+x*TH,g=id>>3,q=id&7; const u32 M=0x00ff00ff; uint4 v=((uint4*)c8)[g*8+q]; uint4 bb=((uint4*)cnt)[g];
      u32 e=xe[x]+(bb.x|bb.z<<16),o=xo[x]+(bb.y|bb.w<<16); u32*P=(u32*)pre+g*64+q*2; // row: 32 u16 = 16 words
      u32 e1=e+(v.x&M),o1=o+((v.x>>8)&M);
      P[0]=__byte_perm(e,e1,0x5410);P[32]=__byte_perm(e,e1,0x7632);P[16]=__byte_perm(o,o1,0x5410);P[48]=__byte_perm(o,o1,0x7632);
      e=e1+(v.y&M);o=o1+((v.y>>8)&M);e1=e+(v.z&M);o1=o+((v.z>>8)&M); P++;
      P[0]=__byte_perm(e,e1,0x5410);P[32]=__byte_perm(e,e1,0x7632);P[16]=__byte_perm(o,o1,0x5410);P[48]=__byte_perm(o,o1,0x7632); } }
  __syncthreads();
  const u16*pl=pre+lane;
  if(m==T){
#pragma unroll
    for(int i=0;i<IT;i++)ex[pl[dig(k[i])*32]+((r[i/4]>>(8*(i&3)))&255)]=k[i];
    __syncthreads();
#pragma unroll
    for(int i=0;i<IT;i++){u32 p=i*TH+t;K q=ex[p];out[gb[dig(q)]+p]=q;}
  } else {
#pragma unroll
    for(int i=0;i<IT;i++)if(i*TH+t<m)ex[pl[dig(k[i])*32]+((r[i/4]>>(8*(i&3)))&255)]=k[i];
    __syncthreads();
#pragma unroll 1
    for(u32 p=t;p<m;p+=TH){K q=ex[p];out[gb[dig(q)]+p]=q;} }
}
__global__ void padcur(u32*p1,u32*p2,const u32*start2){u32 i=blockIdx.x*blockDim.x+threadIdx.x; if(i<65536)p2[(u64)i*PAD]=start2[i]; if(i<256)p1[i*PAD]=start2[i*256];}
// u32: bit planes. b0: value present, b1: twice, list: each further copy.
template<int CAP,int TH,int MINB> __global__ void __launch_bounds__(TH,MINB) localBits(u32*data,const u32*start2,u32*bad){
  __shared__ __align__(16) u32 b0[2048],b1[2048]; __shared__ u16 st[CAP]; __shared__ u16 xl[64]; __shared__ u32 nx; __shared__ u32 ws[TH/32];
  const u32 t=threadIdx.x,b=blockIdx.x, beg=start2[b], m=start2[b+1]-beg; if(m==0)return; if(m>CAP){if(t==0)atomicAdd(bad,1);return;}
  u32*src=data+beg; constexpr int U=8; u32 k[U]; 
#pragma unroll
  for(int j=0;j<U;j++)if(t+j*TH<m)k[j]=src[t+j*TH];
  const uint4 z=make_uint4(0,0,0,0);
  for(int i=t;i<512;i+=TH){((uint4*)b0)[i]=z;((uint4*)b1)[i]=z;} if(t==0)nx=0;
  __syncthreads();
  auto put=[&](u32 q){u32 v=q&0xffff,w=v>>5,bit=1u<<(v&31); if(atomicOr(&b0[w],bit)&bit){ if(atomicOr(&b1[w],bit)&bit){u32 i=atomicAdd(&nx,1u); if(i<64)xl[i]=v;} } };
#pragma unroll
  for(int j=0;j<U;j++)if(t+j*TH<m)put(k[j]);
  for(u32 i=t+U*TH;i<m;i+=TH)put(src[i]);
  __syncthreads();
  constexpr int Q=2048/TH; u32 a[Q],d[Q]; u32 sum=0; const u32 x=nx;
  if(Q==4){uint4 v=((uint4*)b0)[t],y=((uint4*)b1)[t]; a[0]=v.x;a[1]=v.y;a[2%Q]=v.z;a[3%Q]=v.w; d[0]=y.x;d[1]=y.y;d[2%Q]=y.z;d[3%Q]=y.w; if(Q==4){a[2]=v.z;a[3]=v.w;d[2]=y.z;d[3]=y.w;} }
  else {uint2 v=((uint2*)b0)[t],y=((uint2*)b1)[t];a[0]=v.x;a[1]=v.y;d[0]=y.x;d[1]=y.y;}
#pragma unroll
  for(int q=0;q<Q;q++)sum+=__popc(a[q])+__popc(d[q]);
  for(u32 j=0;j<min(x,64u);j++)sum+=(xl[j]/(32*Q))==t;
  u32 inc=warpIncl(sum); if((t&31)==31)ws[t>>5]=inc; __syncthreads();
  u32 base=inc-sum;
#pragma unroll
  for(int w=0;w<TH/32;w++)base+=(w<(t>>5))?ws[w]:0;
  if(x>64){if(t==0)atomicAdd(bad,1);return;}
  u32 left=base+sum, v0=t*32*Q; 
#pragma unroll
  for(int q=0;q<Q;q+=2){ u64 A=a[q]|(u64)a[q+1]<<32,D=d[q]|(u64)d[q+1]<<32; 
    while(A){ u32 e=__ffsll(A)-1; A&=A-1; u32 v=v0+32*q+e; st[base++]=v; if(D>>e&1){st[base++]=v; if(x)for(u32 j=0;j<x;j++)if(xl[j]==v)st[base++]=v; } } }
  (void)left;
  __syncthreads();
  const u32 hi=b<<16; for(u32 i=t;i<m;i+=TH)src[i]=hi|st[i];
}
// u64: rank by the bit planes, then mend equal 32-bit heads.
template<class K,int TH,int IT,int MINB> __global__ void __launch_bounds__(TH,MINB) localBitRank(K*data,const u32*start2,u32*bad){
  extern __shared__ __align__(16) u32 c[]; constexpr int CAP=TH*IT; uint2*bp=(uint2*)c; u16*pre=(u16*)(c+4096); K*ex=(K*)(c+4096+1024);
  __shared__ u16 xl[128]; __shared__ u32 nx; __shared__ u32 ws[TH/32];
  const u32 t=threadIdx.x,b=blockIdx.x, beg=start2[b], m=start2[b+1]-beg; if(m==0)return; if(m>CAP){if(t==0)atomicAdd(bad,1);return;}
  K*src=data+beg; K k[IT]; const int S=8*sizeof(K)-32;
#pragma unroll
  for(int i=0;i<IT;i++)if(i*TH+t<m)k[i]=src[i*TH+t];
  for(int i=t;i<1024;i+=TH)((uint4*)c)[i]=make_uint4(0,0,0,0); if(t==0)nx=0;
  __syncthreads(); u32 x2=0; u32 xi[2]={0,0};
  // copy number of each key: 0, 1, or 2+index in the list
  u64 cp=0; u32 li=0;
#pragma unroll
  for(int i=0;i<IT;i++)if(i*TH+t<m){u32 v=(u32)(k[i]>>S)&0xffff,w=v>>5,bit=1u<<(v&31); u32 q=0; if(atomicOr(&bp[w].x,bit)&bit){q=1; if(atomicOr(&bp[w].y,bit)&bit){u32 j=atomicAdd(&nx,1u); if(j<128)xl[j]=v; q=2; if(i==li){} } } cp|=(u64)q<<(2*i);}  
  __syncthreads(); (void)x2;(void)xi;(void)li;
  const u32 x=nx; if(x>128){if(t==0)atomicAdd(bad,1);return;}
  constexpr int W=2048/TH; const u32 wb=(t>>5)*32*W+(t&31); u32 p[W]; u32 run=0;
#pragma unroll
  for(int j=0;j<W;j++){uint2 y=bp[wb+32*j]; u32 s=__popc(y.x)+__popc(y.y); u32 in=warpIncl(s); p[j]=run+in-s; run+=__shfl_sync(~0u,in,31);}  
  if((t&31)==0)ws[t>>5]=run; __syncthreads();
  u32 base=0;
#pragma unroll
  for(int w=0;w<TH/32;w++)base+=(w<(t>>5))?ws[w]:0;
#pragma unroll
  for(int j=0;j<W;j++)pre[wb+32*j]=(u16)(base+p[j]);
  __syncthreads();
#pragma unroll
  for(int i=0;i<IT;i++)if(i*TH+t<m){u32 v=(u32)(k[i]>>S)&0xffff; u32 w=v>>5; uint2 y=bp[w]; u32 lo=(1u<<(v&31))-1; u32 q=(cp>>(2*i))&3; u32 r=pre[w]+__popc(y.x&lo)+__popc(y.y&lo)+q;
    for(u32 j=0;j<x;j++)r+=xl[j]<v; if(q==2){ /* third and later copies: count those of the same value listed by a smaller slot through an atomic on the value's slot */ }
    if(q<2)ex[r]=k[i]; else { // slots behind the second copy, taken in any order
      u32 same=0; for(u32 j=0;j<x;j++)same+=xl[j]==v; if(same==1)ex[r]=k[i]; else { u32 j=0; for(;;){ u32 got=atomicExch(&nx,nx); (void)got; break;} ex[r]=k[i]; if(same>1)atomicAdd(bad,1); } } }
  __syncthreads();
  if(sizeof(K)==8){
    for(u32 i=t;i+1<m;i+=TH){ u32 h=(u32)(ex[i]>>S); if(h==(u32)(ex[i+1]>>S)&&(i==0||h!=(u32)(ex[i-1]>>S))){ u32 e=i+2; while(e<m&&(u32)(ex[e]>>S)==h)e++; for(u32 a=i+1;a<e;a++){K q=ex[a];int y=a-1;while(y>=(int)i&&ex[y]>q){ex[y+1]=ex[y];y--;}ex[y+1]=q;} } }
    __syncthreads(); }
  for(u32 i=t;i<m;i+=TH)src[i]=ex[i];
}
__device__ inline u32 swz(u32 w){return w^(((w>>5)&3)<<2);} // 16-word chunks per thread without bank conflicts
__device__ inline u32 nibsum(u32 x){ x=(x&0x0f0f0f0f)+((x>>4)&0x0f0f0f0f); return (x*0x01010101u)>>24; }
// u32, enumerate counters. One block a bucket; 512 threads x 16 words.
template<int CAP> __global__ void __launch_bounds__(512,4) localEnum(u32*data,const u32*start2,u32*bad){
  extern __shared__ __align__(16) u32 c[]; u16*st=(u16*)(c+8192); __shared__ u32 ws[16];
  int t=threadIdx.x; u32 b=blockIdx.x, beg=start2[b], m=start2[b+1]-beg; if(m==0)return; if(m>CAP){if(t==0)atomicAdd(bad,1);return;}
  uint4 z=make_uint4(0,0,0,0);
#pragma unroll
  for(int i=0;i<4;i++)((uint4*)c)[i*512+t]=z;
  __syncthreads();
  u32*src=data+beg;
  for(u32 i=t;i<m;i+=512*4){ u32 k[4];
#pragma unroll
    for(int j=0;j<4;j++)if(i+j*512<m)k[j]=src[i+j*512];
#pragma unroll
    for(int j=0;j<4;j++)if(i+j*512<m){u32 v=k[j]&0xffff;atomicAdd(&c[swz(v>>3)],1u<<((v&7)*4));} }
  __syncthreads();
  u32 sum=0,nz=0; uint4*c4=(uint4*)c;
#pragma unroll
  for(int q=0;q<4;q++){uint4 v=c4[4*t+(q^((t>>1)&3))]; u32 w[4]={v.x,v.y,v.z,v.w};
#pragma unroll
    for(int j=0;j<4;j++){sum+=nibsum(w[j]); nz|=(w[j]!=0)<<(4*q+j);} }
  u32 inc=warpIncl(sum); if((t&31)==31)ws[t>>5]=inc; __syncthreads();
  u32 base=inc-sum,tot=0;
#pragma unroll
  for(int w=0;w<16;w++){u32 x=ws[w]; if(w<(t>>5))base+=x; tot+=x;}
  if(tot!=m){if(t==0)atomicAdd(bad,1);return;}
  u32 cur=0,wi=0;
  while(true){ if(cur==0){ if(nz==0)break; wi=__ffs(nz)-1; nz&=nz-1; cur=c[swz(t*16+wi)]; }
    int nb=(__ffs(cur)-1)>>2; cur-=1u<<(4*nb); st[base++]=(u16)(t*128+wi*8+nb); }
  __syncthreads();
  u32 hi=b<<16; for(u32 i=t;i<m;i+=512)src[i]=hi|st[i];
}
// Any width, rank by the counters, then mend equal 32-bit heads.
template<class K,int TH,int IT,int MINB> __global__ void __launch_bounds__(TH,MINB) localRank(K*data,const u32*start2,u32*bad){
  extern __shared__ __align__(16) u32 c[]; constexpr int CAP=TH*IT; constexpr int W=8192/TH; // words a thread
  u16*pre=(u16*)(c+8192); K*ex=(K*)(pre+8192); __shared__ u32 ws[32];
  int t=threadIdx.x; u32 b=blockIdx.x, beg=start2[b], m=start2[b+1]-beg; if(m==0)return; if(m>CAP){if(t==0)atomicAdd(bad,1);return;}
  uint4 z=make_uint4(0,0,0,0);
#pragma unroll
  for(int i=0;i<2048/TH;i++)((uint4*)c)[i*TH+t]=z;
  __syncthreads();
  K*src=data+beg; K k[IT]; u32 r[IT]; const int S=8*sizeof(K)-32;
#pragma unroll
  for(int i=0;i<IT;i++)if(i*TH+t<m)k[i]=src[i*TH+t];
#pragma unroll
  for(int i=0;i<IT;i++)if(i*TH+t<m){u32 v=(u32)(k[i]>>S)&0xffff; u32 s=(v&7)*4; r[i]=(atomicAdd(&c[v>>3],1u<<s)>>s)&15;}
  __syncthreads();
  // words t, t+TH, ... would break the order: warp w owns words [w*32*W, ...), lane-strided rows
  u32 wb=(t>>5)*32*W+(t&31); u32 p[W]; u32 run=0;
#pragma unroll
  for(int j=0;j<W;j++){u32 s=nibsum(c[wb+32*j]); u32 in=warpIncl(s); p[j]=run+in-s; run+=__shfl_sync(~0u,in,31);}  
  if((t&31)==0)ws[t>>5]=run; __syncthreads();
  u32 base=0,tot=0;
#pragma unroll
  for(int w=0;w<TH/32;w++){u32 x=ws[w]; if(w<(t>>5))base+=x; tot+=x;}
  if(tot!=m){if(t==0)atomicAdd(bad,1);return;}
#pragma unroll
  for(int j=0;j<W;j++)pre[wb+32*j]=(u16)(base+p[j]);
  __syncthreads();
#pragma unroll
  for(int i=0;i<IT;i++)if(i*TH+t<m){u32 v=(u32)(k[i]>>S)&0xffff; u32 w=v>>3; u32 x=c[w]; u32 lo=x&((1u<<((v&7)*4))-1); ex[pre[w]+nibsum(lo)+r[i]]=k[i];}
  __syncthreads();
  if(sizeof(K)==8){
    for(u32 i=t;i+1<m;i+=TH){ u32 h=(u32)(ex[i]>>S); if(h==(u32)(ex[i+1]>>S)&&(i==0||h!=(u32)(ex[i-1]>>S))){ u32 e=i+2; while(e<m&&(u32)(ex[e]>>S)==h)e++; for(u32 a=i+1;a<e;a++){K q=ex[a];int y=a-1;while(y>=(int)i&&ex[y]>q){ex[y+1]=ex[y];y--;}ex[y+1]=q;} } }
    __syncthreads(); }
  for(u32 i=t;i<m;i+=TH)src[i]=ex[i];
}
static cudaEvent_t e0,e1;
template<class F> float timeit(F f){ float best[5]; for(int i=0;i<5;i++){CK(cudaEventRecord(e0));f();CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));CK(cudaGetLastError());CK(cudaEventElapsedTime(&best[i],e0,e1));} std::sort(best,best+5); return best[2]; }
template<class K,int TH,int IT,int MB> void runPart(const char*name,K*a,K*b,u32 n,u32*hist,u32*start2,u32*cur2,u32*cur1,u32*tile1){
  auto p1=part<K,TH,IT,1,MB>; auto p2=part<K,TH,IT,2,MB>; int sm=TH*IT*sizeof(K); CK(cudaFuncSetAttribute(p1,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));CK(cudaFuncSetAttribute(p2,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));
  cudaFuncSetAttribute(p1,cudaFuncAttributePreferredSharedMemoryCarveout,100);cudaFuncSetAttribute(p2,cudaFuncAttributePreferredSharedMemoryCarveout,100);
  int occ=0;cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ,p1,TH,sm);
  float t1[3],t2[3]; for(int i=0;i<3;i++){ scan16<<<1,1024>>>(hist,start2,cur2,cur1,tile1,TH*IT); CK(cudaEventRecord(e0)); p1<<<(n+TH*IT-1)/(TH*IT),TH,sm>>>(a,b,n,start2,cur1,tile1); CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));CK(cudaGetLastError());CK(cudaEventElapsedTime(&t1[i],e0,e1));
    CK(cudaEventRecord(e0)); p2<<<n/(TH*IT)+257,TH,sm>>>(b,a,n,start2,cur2,tile1); CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));CK(cudaGetLastError());CK(cudaEventElapsedTime(&t2[i],e0,e1)); }
  std::sort(t1,t1+3);std::sort(t2,t2+3); printf("  part %-4s %4dx%-3d occ %d  p1 %7.3f ms %6.1f G/s  p2 %7.3f ms %6.1f G/s\n",name,TH,IT,occ,t1[1],n/t1[1]/1e6,t2[1],n/t2[1]/1e6);
}
template<class K,int TH,int IT,int MB> void runPartC(const char*name,K*a,K*b,u32 n,u32*hist,u32*start2,u32*cur2,u32*cur1,u32*tile1){
  auto p1=partc<K,TH,IT,1,MB>; auto p2=partc<K,TH,IT,2,MB>; int sm=16384+std::max<int>(8192,TH*IT*sizeof(K)); CK(cudaFuncSetAttribute(p1,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));CK(cudaFuncSetAttribute(p2,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));
  cudaFuncSetAttribute(p1,cudaFuncAttributePreferredSharedMemoryCarveout,100);cudaFuncSetAttribute(p2,cudaFuncAttributePreferredSharedMemoryCarveout,100);
  static u32*pc1=nullptr,*pc2=nullptr; if(!pc1){CK(cudaMalloc(&pc1,256*4*PAD));CK(cudaMalloc(&pc2,65536*4*PAD));} int occ=0;cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ,p1,TH,sm);
  float t1[3],t2[3]; for(int i=0;i<3;i++){ scan16<<<1,1024>>>(hist,start2,cur2,cur1,tile1,TH*IT); padcur<<<256,256>>>(pc1,pc2,start2); CK(cudaEventRecord(e0)); p1<<<(n+TH*IT-1)/(TH*IT),TH,sm>>>(a,b,n,start2,pc1,tile1); CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));CK(cudaGetLastError());CK(cudaEventElapsedTime(&t1[i],e0,e1));
    CK(cudaEventRecord(e0)); p2<<<n/(TH*IT)+257,TH,sm>>>(b,a,n,start2,pc2,tile1); CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));CK(cudaGetLastError());CK(cudaEventElapsedTime(&t2[i],e0,e1)); }
  std::sort(t1,t1+3);std::sort(t2,t2+3); printf("  partc %-4s %4dx%-3d occ %d  p1 %7.3f ms %6.1f G/s  p2 %7.3f ms %6.1f G/s\n",name,TH,IT,occ,t1[1],n/t1[1]/1e6,t2[1],n/t2[1]/1e6);
}
template<class K> void run(const char*name,u32 n){
  K*a,*b; u32*hist,*start2,*cur2,*cur1,*tile1,*flags; u64*chk; CK(cudaMalloc(&a,n*sizeof(K)));CK(cudaMalloc(&b,n*sizeof(K)));CK(cudaMalloc(&hist,65536*4));CK(cudaMalloc(&start2,65540*4));CK(cudaMalloc(&cur2,65536*4));CK(cudaMalloc(&cur1,1024));CK(cudaMalloc(&tile1,257*4));CK(cudaMalloc(&flags,16));CK(cudaMalloc(&chk,64));CK(cudaMemset(flags,0,16));CK(cudaMemset(chk,0,64));
  gen<K><<<1024,256>>>(a,n,7); check<K><<<1024,256>>>(a,n,chk); u64 h0[3];CK(cudaMemcpy(h0,chk,24,cudaMemcpyDeviceToHost));
  CK(cudaFuncSetAttribute(hist16<K>,cudaFuncAttributeMaxDynamicSharedMemorySize,131072));
  float th=timeit([&]{cudaMemsetAsync(hist,0,65536*4);hist16<K><<<132,1024,131072>>>(a,n,hist,flags);});
  float ts=timeit([&]{scan16<<<1,1024>>>(hist,start2,cur2,cur1,tile1,8192);});
  printf("%s n=%u  hist16 %.3f ms %.1f G/s  scan %.3f ms\n",name,n,th,n/th/1e6,ts);
#define P(TH,IT,MB) runPart<K,TH,IT,MB>(name,a,b,n,hist,start2,cur2,cur1,tile1)
#define C(TH,IT,MB) runPartC<K,TH,IT,MB>(name,a,b,n,hist,start2,cur2,cur1,tile1)
  if constexpr(sizeof(K)==4){C(512,15,3);C(512,12,4);C(512,12,3);C(256,24,4);C(256,30,4);C(256,30,3);C(256,24,5);C(256,16,6);C(1024,7,2);C(512,15,2);}
  else {C(512,15,2);C(512,12,2);C(512,11,3);C(512,10,3);C(512,8,3);C(256,24,3);C(256,16,5);C(256,16,4);C(256,20,4);C(256,30,2);C(1024,7,1);}
  // local sorts: data now bucketed in a; keep a copy to restart from
  CK(cudaMemcpy(b,a,(u64)n*sizeof(K),cudaMemcpyDeviceToDevice));
  auto again=[&](const char*what,auto f){ float t[3]; for(int i=0;i<3;i++){CK(cudaMemcpy(a,b,(u64)n*sizeof(K),cudaMemcpyDeviceToDevice));CK(cudaEventRecord(e0));f();CK(cudaEventRecord(e1));CK(cudaEventSynchronize(e1));CK(cudaGetLastError());CK(cudaEventElapsedTime(&t[i],e0,e1));} std::sort(t,t+3);
    CK(cudaMemset(chk,0,64)); check<K><<<1024,256>>>(a,n,chk); u64 h[3];CK(cudaMemcpy(h,chk,24,cudaMemcpyDeviceToHost)); u32 f2[2];CK(cudaMemcpy(f2,flags,8,cudaMemcpyDeviceToHost));CK(cudaMemset(flags,0,16));
    printf("  %-22s %7.3f ms %6.1f G/s  %s flags %u bad %u\n",what,t[1],n/t[1]/1e6,(h[0]==h0[0]&&h[1]==h0[1]&&h[2]==0)?"OK":"WRONG",f2[0],f2[1]); };
  if constexpr(sizeof(K)==4){ auto f=localEnum<8192>; int sm=32768+16384; CK(cudaFuncSetAttribute(f,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));cudaFuncSetAttribute(f,cudaFuncAttributePreferredSharedMemoryCarveout,100); again("localEnum 512",[&]{f<<<65536,512,sm>>>((u32*)a,start2,flags+1);}); }
  if constexpr(sizeof(K)==4){ auto L=[&](const char*w,auto f,int th){cudaFuncSetAttribute(f,cudaFuncAttributePreferredSharedMemoryCarveout,100); again(w,[&]{f<<<65536,th>>>((u32*)a,start2,flags+1);});};
    L("localBits 512,4 cap6144",localBits<6144,512,4>,512); L("localBits 512,3",localBits<6144,512,3>,512); L("localBits 512,4 cap8192",localBits<8192,512,4>,512); L("localBits 1024,2",localBits<6144,1024,2>,1024); }
  auto G=[&](const char*w,auto g,int th,int sm){CK(cudaFuncSetAttribute(g,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));cudaFuncSetAttribute(g,cudaFuncAttributePreferredSharedMemoryCarveout,100); again(w,[&]{g<<<65536,th,sm>>>(a,start2,flags+1);});};
  G("localRank 512x9",localRank<K,512,9,2>,512,32768+16384+512*9*sizeof(K));
  G("localBitRank 512x9,2",localBitRank<K,512,9,2>,512,20480+512*9*sizeof(K));
  G("localBitRank 512x9,3",localBitRank<K,512,9,3>,512,20480+512*9*sizeof(K));
  G("localBitRank 512x9,4",localBitRank<K,512,9,4>,512,20480+512*9*sizeof(K));
  G("localBitRank 1024x5,2",localBitRank<K,1024,5,2>,1024,20480+1024*5*sizeof(K));
  G("localBitRank 256x18,4",localBitRank<K,256,18,4>,256,20480+256*18*sizeof(K));
  cudaFree(a);cudaFree(b);cudaFree(hist);cudaFree(start2);cudaFree(cur2);cudaFree(cur1);cudaFree(tile1);cudaFree(flags);cudaFree(chk);
}
int main(){ cudaEventCreate(&e0);cudaEventCreate(&e1); run<u32>("u32",1u<<28); run<u64>("u64",1u<<28); return 0; }
