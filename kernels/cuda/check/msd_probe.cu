// Probe of an MSD hybrid for keys alone, third version: honest inputs (a
// pristine array is restored before every timed partition or local sort), other
// distributions for the partitions, and the whole chain timed as one sequence.
// Every line is verified: a partition by the bucket of each position and a
// multiset checksum, a local sort and the chain by order and checksum.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <vector>
#include <string>
#include <functional>
#include <algorithm>
#include <cuda_runtime.h>
typedef uint32_t u32; typedef uint64_t u64; typedef uint16_t u16;
#define DYNSHARED(T,name) extern __shared__ __align__(16) T shared_##name[]; T*name=shared_##name
#define SHARED(T,name) __shared__ T name
#define SHAREDA(T,name,N) __shared__ __align__(16) T name[N]
// FORGET keeps the compiler from holding values derived from x across this point.
__device__ inline void forget(u32&x){asm volatile("":"+r"(x));}
__device__ inline void forget(u64&x){asm volatile("":"+l"(x));}
#define FORGET(x) forget(x)
#include "msd_kernels.cuh"
#define CK(x) do{cudaError_t ck_=(x); if(ck_!=cudaSuccess){printf("%s:%d %s: %s\n",__FILE__,__LINE__,#x,cudaGetErrorString(ck_)); exit(1);} }while(0)

enum {UNIFORM,SORTED,TOPBYTE,SKEW,CONSTANT,DISTS}; static const char*distName[]={"uniform","sorted","top byte","skew u^6","constant"};
template<class K> __global__ void gen(K*p,u64 n,int log2n,int dist){ for(u64 i=blockIdx.x*(u64)blockDim.x+threadIdx.x;i<n;i+=(u64)gridDim.x*blockDim.x){ u64 r=mix(i+7); const int B=8*sizeof(K); K k=(K)(r>>(64-B));
    if(dist==SORTED)k=(K)((K)i<<(B-log2n))|(B>32?k>>log2n:0);
    if(dist==TOPBYTE)k=(k>>8)|((K)0x5a<<(B-8));
    if(dist==SKEW){float u=(r>>40)*(1.f/16777216);u*=u;u=u*u*u; u32 h=(u32)(u*4294967040.f); k=B>32?(K)((u64)h<<(B-32))|(K)(mix(r)>>32):(K)h;}
    if(dist==CONSTANT)k=(K)0x123456789abcdef0ull;
    p[i]=k; } }
// out: sum, xor, disorders, keys outside their bucket
template<class K> __global__ void check(const K*p,u64 n,const u32*start2,u64*out){ u64 s=0,x=0,bad=0,stray=0; for(u64 i=blockIdx.x*(u64)blockDim.x+threadIdx.x;i<n;i+=(u64)gridDim.x*blockDim.x){ K k=p[i]; u64 m=mix((u64)k^0x1234567); s+=m; x^=m*0x9e3779b97f4a7c15ull; if(i+1<n&&p[i+1]<k)bad++; u32 d=(u32)(k>>(8*sizeof(K)-16)); if(i<start2[d]||i>=start2[d+1])stray++; }
  atomicAdd((unsigned long long*)out,s); atomicXor((unsigned long long*)out+1,x); atomicAdd((unsigned long long*)out+2,bad); atomicAdd((unsigned long long*)out+3,stray); }

static cudaEvent_t ev[8];
static float median(std::vector<float> v){std::sort(v.begin(),v.end());return v[v.size()/2];}
static float ms(int i,int j){float t;CK(cudaEventElapsedTime(&t,ev[i],ev[j]));return t;}
static void mark(int i){CK(cudaEventRecord(ev[i]));}
static void done(){CK(cudaDeviceSynchronize());CK(cudaGetLastError());}

template<class K> struct Probe {
  u32 n; int lg; K*src,*a,*b,*c; u32*hist,*start2,*cur1,*cur2,*ntile,*flags,*slow; uint4*tiles; u64*chk; u64 want[4];
  struct Part { std::string name; u32 T; int occ; std::function<void(const K*,K*)> p1,p2; float t1=0,t2=0; };
  struct Local { std::string name; int occ; std::function<void(K*)> f; float t=0; };
  std::vector<Part> parts; std::vector<Local> locals;
  u64 bytes()const{return (u64)n*sizeof(K);}
  void result(u64*h,const K*p){CK(cudaMemset(chk,0,64));check<K><<<1024,256>>>(p,n,start2,chk);CK(cudaMemcpy(h,chk,32,cudaMemcpyDeviceToHost));}
  bool same(const u64*h){return h[0]==want[0]&&h[1]==want[1];}
  template<int TH,int IT,int MB,bool TWO> void part(){
    auto p1=partd<K,TH,IT,1,MB,TWO>,p2=partd<K,TH,IT,2,MB,TWO>; const u32 T=TH*IT; const int sm=16384+std::max<int>(8192,T*sizeof(K)); int occ=0;
    CK(cudaFuncSetAttribute(p1,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));CK(cudaFuncSetAttribute(p2,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));
    CK(cudaFuncSetAttribute(p1,cudaFuncAttributePreferredSharedMemoryCarveout,100));CK(cudaFuncSetAttribute(p2,cudaFuncAttributePreferredSharedMemoryCarveout,100));
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ,p2,TH,sm)); char s[64]; snprintf(s,64,"%dx%d,%d%s",TH,IT,MB,TWO?" two":"");
    Part q; q.name=s;q.T=T;q.occ=occ; q.p1=[=](const K*x,K*y){p1<<<(n+T-1)/T,TH,sm>>>(x,y,n,cur1,tiles,ntile);}; q.p2=[=](const K*x,K*y){p2<<<n/T+512,TH,sm>>>(x,y,n,cur2,tiles,ntile);}; parts.push_back(q); }
  template<class F> void local(const char*name,F f,int th,int sm){ CK(cudaFuncSetAttribute(f,cudaFuncAttributeMaxDynamicSharedMemorySize,sm));CK(cudaFuncSetAttribute(f,cudaFuncAttributePreferredSharedMemoryCarveout,100)); int occ=0;CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ,f,th,sm));
    CK(cudaFuncSetAttribute(localSlow<K>,cudaFuncAttributeMaxDynamicSharedMemorySize,(int)(8192*sizeof(K))));
    Local l; l.name=name;l.occ=occ; l.f=[=](K*x){cudaMemsetAsync(slow,0,4);f<<<65536,th,sm>>>(x,start2,slow);localSlow<K><<<132,1024,8192*sizeof(K)>>>(x,start2,slow,flags+1);}; locals.push_back(l); }
  template<int TH,int MB,int Q,int CAP,bool F3,int G> void slot(){ char s[64]; snprintf(s,64,"localSlot %d,%d Q%d G%d %s",TH,MB,Q,G,F3?"3-bit":"4-bit");
    if constexpr(sizeof(K)==4)local(s,localSlot32<TH,MB,Q,CAP,F3,G>,TH,32768+(F3?0:8192)+CAP*2);
    else local(s,localSlot64<TH,MB,Q,CAP,F3,G,512>,TH,32768+(F3?0:8192)+CAP*8+CAP/2+2048); }
  void histogram(bool robust){CK(cudaMemsetAsync(hist,0,65536*4));hist16<K><<<robust?n/60000+1:132,1024,131072>>>(src,n,hist,flags);}
  void scan(){scan16<<<64,1024>>>(hist,start2);}
  void cursors(u32 T){prep<<<256,256>>>(start2,cur1,cur2,tiles,ntile,T);}
  Probe(const char*name,int lg):n(1u<<lg),lg(lg){
    for(K**p:{&src,&a,&b})CK(cudaMalloc(p,bytes())); CK(cudaMalloc(&hist,65536*4));CK(cudaMalloc(&start2,65540*4));CK(cudaMalloc(&cur1,256*PAD*4));CK(cudaMalloc(&cur2,65536*PAD*4));CK(cudaMalloc(&ntile,4));CK(cudaMalloc(&flags,16));CK(cudaMalloc(&slow,65540*4));CK(cudaMalloc(&tiles,(n/2048+1024)*16ull));CK(cudaMalloc(&chk,64)); CK(cudaMemset(flags,0,16));
    CK(cudaFuncSetAttribute(hist16<K>,cudaFuncAttributeMaxDynamicSharedMemorySize,131072));
    if constexpr(sizeof(K)==4){ part<288,27,3,false>();part<288,27,4,false>();part<288,27,4,true>();part<352,23,3,false>();part<352,23,4,true>();part<416,19,3,false>();part<288,25,4,false>();part<288,21,4,false>();part<256,24,4,false>();
      slot<512,4,3,5120,true,2>();slot<512,4,3,5120,true,1>();slot<512,3,3,5120,true,2>();slot<256,5,5,5120,true,2>();slot<512,4,3,5120,false,1>();slot<512,3,3,5120,false,2>(); }
    else { part<288,17,4,false>();part<288,17,4,true>();part<288,15,4,false>();part<288,21,3,false>();part<288,21,3,true>();part<352,17,3,false>();part<352,17,3,true>();part<352,15,3,false>();part<288,19,3,false>();part<256,16,4,false>();
      slot<512,3,5,4608,true,1>();slot<512,3,5,4608,true,2>();slot<512,2,5,4608,true,2>();slot<256,3,9,4608,true,2>();slot<1024,2,3,4608,true,1>();slot<512,2,5,4608,false,2>(); }
    for(int d=0;d<DISTS;d++){
      gen<K><<<1024,256>>>(src,n,lg,d); std::vector<float> t; u32 fl=0;
      for(int i=0;i<3;i++){CK(cudaMemset(flags,0,8));mark(0);histogram(false);mark(1);scan();mark(2);done();t.push_back(ms(0,1));} float ts=ms(1,2); CK(cudaMemcpy(&fl,flags,4,cudaMemcpyDeviceToHost));
      if(fl){histogram(true);scan();CK(cudaMemset(flags,0,8));done();}
      result(want,src); printf("%s n=2^%d %-8s hist16 %.3f ms %6.1f G/s%s  scan %.3f ms\n",name,lg,distName[d],median(t),n/median(t)/1e6,fl?" WRAPPED":"",ts);
      int k=0; for(auto&p:parts){ if(d!=UNIFORM&&k++>5)continue; std::vector<float> t1,t2,tp; for(int i=0;i<3;i++){ CK(cudaMemcpy(a,src,bytes(),cudaMemcpyDeviceToDevice)); mark(0);cursors(p.T);mark(1);p.p1(a,b);mark(2);p.p2(b,a);mark(3);done(); tp.push_back(ms(0,1));t1.push_back(ms(1,2));t2.push_back(ms(2,3)); }
        u64 h[4];result(h,a); float x=median(t1),y=median(t2); if(d==UNIFORM){p.t1=x;p.t2=y;}
        printf("  partd %-14s occ %d  p1 %7.3f ms %6.1f G/s  p2 %7.3f ms %6.1f G/s  prep %.3f  %s\n",p.name.c_str(),p.occ,x,n/x/1e6,y,n/y/1e6,median(tp),same(h)&&h[3]==0?"OK":"WRONG"); fflush(stdout); }
      if(d>SORTED)continue;
      // b keeps the bucketed keys
      cursors(parts[0].T);parts[0].p1(src,b);parts[0].p2(b,a);CK(cudaMemcpy(b,a,bytes(),cudaMemcpyDeviceToDevice));
      for(auto&l:locals){ std::vector<float> tl; for(int i=0;i<3;i++){CK(cudaMemcpy(a,b,bytes(),cudaMemcpyDeviceToDevice));mark(0);l.f(a);mark(1);done();tl.push_back(ms(0,1));}
        u64 h[4];result(h,a);u32 f2[2],sl;CK(cudaMemcpy(f2,flags,8,cudaMemcpyDeviceToHost));CK(cudaMemcpy(&sl,slow,4,cudaMemcpyDeviceToHost)); float x=median(tl); if(d==UNIFORM)l.t=x;
        printf("  %-28s occ %d  %7.3f ms %6.1f G/s  slow buckets %u  %s\n",l.name.c_str(),l.occ,x,n/x/1e6,sl,same(h)&&h[2]==0&&h[3]==0&&f2[1]==0?"OK":"WRONG"); fflush(stdout); CK(cudaMemset(flags,0,16)); }
      // the chain, with the best parts for uniform keys
      auto&q1=*std::min_element(parts.begin(),parts.end(),[](auto&x,auto&y){return x.t1<y.t1;});auto&q2=*std::min_element(parts.begin(),parts.end(),[](auto&x,auto&y){return x.t2<y.t2;});auto&l=*std::min_element(locals.begin(),locals.end(),[](auto&x,auto&y){return x.t<y.t;});
      std::vector<float> whole,st[5]; for(int i=0;i<10;i++){ bool split=i&1; mark(0);histogram(false);if(split)mark(1);scan();cursors(q2.T);if(split)mark(2);q1.p1(src,b);if(split)mark(3);q2.p2(b,a);if(split)mark(4);l.f(a);mark(5);done(); if(!split)whole.push_back(ms(0,5));else for(int j=0;j<5;j++)st[j].push_back(ms(j,j+1)); }
      u64 h[4];result(h,a);u32 f2[2];CK(cudaMemcpy(f2,flags,8,cudaMemcpyDeviceToHost)); float x=median(whole);
      printf("CHAIN %s %s  %.3f ms  %.1f Gkeys/s  %s   [%s | %s | %s]  stages: hist %.3f scan+prep %.3f p1 %.3f p2 %.3f local %.3f\n",name,distName[d],x,n/x/1e6,same(h)&&h[2]==0&&f2[1]==0?"OK":"WRONG",q1.name.c_str(),q2.name.c_str(),l.name.c_str(),median(st[0]),median(st[1]),median(st[2]),median(st[3]),median(st[4])); fflush(stdout); CK(cudaMemset(flags,0,16));
    }
    for(K*p:{src,a,b})cudaFree(p); for(u32*p:{hist,start2,cur1,cur2,ntile,flags,slow})cudaFree(p); cudaFree(tiles);cudaFree(chk);
  }
};
int main(int argc,char**argv){ int lg=argc>1?atoi(argv[1]):28; for(auto&e:ev)CK(cudaEventCreate(&e)); CK(cudaFree(0)); const char*w=argc>2?argv[2]:"both"; if(strcmp(w,"u64"))Probe<u32>("u32",lg); if(strcmp(w,"u32"))Probe<u64>("u64",lg); return 0; }
