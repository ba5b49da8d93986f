// Runs the kernels of msd_kernels.cuh on the host, one block at a time, each
// thread a fiber, and checks every stage against std::sort. Build:
// g++ -O2 -std=c++17 -w msd_emu.cpp -o msd_emu
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <functional>
#include <algorithm>
#include <map>
typedef uint32_t u32; typedef uint64_t u64; typedef uint16_t u16;
struct uint4{u32 x,y,z,w;}; struct uint2{u32 x,y;}; struct ulonglong2{unsigned long x,y;};
static uint4 make_uint4(u32 x,u32 y,u32 z,u32 w){return {x,y,z,w};}
struct dim{u32 x,y,z;}; static dim threadIdx,blockIdx,blockDim,gridDim;
using std::min; using std::max;
#define __global__
#define __device__
#define __host__
#define __restrict__
#define __launch_bounds__(...)
alignas(64) static unsigned char dyn[262144];
#define DYNSHARED(T,name) T*name=(T*)dyn
#define SHARED(T,name) static T name
#define SHAREDA(T,name,N) alignas(16) static T name[N]
// fibers
extern "C" void swapsp(void**from,void*to);
asm(".globl swapsp\nswapsp:\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
static void*mainSp,*sp[1024]; static std::vector<char> stacks(1024*65536); static bool dead[1024]; static u32 cur,nth; static u32 slotv[1024]; static u32 warpGen[32],warpCnt[32],blockGen,blockCnt,alive,warpAlive[32]; static std::function<void()>*body;
static void yieldFiber(){ swapsp(&sp[cur],mainSp); threadIdx.x=cur; }
static void blockRelease(){ if(alive&&blockCnt>=alive){blockCnt=0;blockGen++;} }
static void __syncthreads(){ u32 g=blockGen; blockCnt++; blockRelease(); while(blockGen==g)yieldFiber(); }
static void warpSync(){ u32 w=cur/32,g=warpGen[w]; if(++warpCnt[w]>=warpAlive[w]){warpCnt[w]=0;warpGen[w]++;} while(warpGen[w]==g)yieldFiber(); }
static void entry(){ (*body)(); dead[cur]=true; alive--; warpAlive[cur/32]--; blockRelease(); yieldFiber(); abort(); }
static u32 xch(u32 v,u32 from){ slotv[cur]=v; warpSync(); u32 r=slotv[cur/32*32+from]; warpSync(); return r; }
static u32 __shfl_sync(u32,u32 v,u32 l){return xch(v,l&31);}
static u32 __shfl_up_sync(u32,u32 v,u32 d,u32 w=32){u32 l=cur&31; return xch(v,(l&(w-1))>=d?l-d:l);}
static u32 __shfl_xor_sync(u32,u32 v,u32 d){return xch(v,(cur&31)^d);}
static u32 __reduce_add_sync(u32,u32 v){ slotv[cur]=v; warpSync(); u32 s=0; for(int i=0;i<32;i++)s+=slotv[cur/32*32+i]; warpSync(); return s; }
static u32 __byte_perm(u32 a,u32 b,u32 s){u64 x=(u64)b<<32|a;u32 r=0;for(int i=0;i<4;i++)r|=(u32)((x>>(8*((s>>(4*i))&7)))&255)<<(8*i);return r;}
template<class T> static T atomicAdd(T*p,T v){T o=*p;*p+=v;return o;}
static int atomicAdd(int*p,int v){int o=*p;*p+=v;return o;}
static u32 atomicOr(u32*p,u32 v){u32 o=*p;*p|=v;return o;}
#define FORGET(x)
#include "msd_kernels.cuh"
static void launch(u32 grid,u32 th,std::function<void()> f){ body=&f; gridDim.x=grid;blockDim.x=th; nth=th;
  for(u32 b=0;b<grid;b++){ blockIdx.x=b; memset(dyn,0xcd,sizeof dyn); blockGen=blockCnt=0; alive=th; for(u32 w=0;w<th/32;w++)warpAlive[w]=32,warpCnt[w]=warpGen[w]=0;
    for(u32 i=0;i<th;i++){dead[i]=false; void**s=(void**)(stacks.data()+(i+1)*65536-64); s=(void**)((uintptr_t)s&~(uintptr_t)15); *--s=0; *--s=(void*)entry; for(int j=0;j<6;j++)*--s=0; sp[i]=s;}
    u64 idle=0; while(alive){ for(u32 i=0;i<th;i++)if(!dead[i]){cur=i;threadIdx.x=i;swapsp(&mainSp,sp[i]);} if(++idle>2000000){printf("deadlock\n");exit(1);} } } }
static int fails=0; static void expect(bool ok,const char*what,int d){ printf("%s %s %d\n",ok?"ok  ":"FAIL",what,d); if(!ok)fails++; fflush(stdout); }
static std::vector<u32> H,S(65540),C1(256*PAD),C2(65536*PAD); static std::vector<uint4> tiles(100000); static u32 ntile,flags[4];
template<class K> static void scanRef(const std::vector<K>&v){ H.assign(65536,0); for(K k:v)H[k>>(8*sizeof(K)-16)]++; u32 s=0; for(int i=0;i<65536;i++){S[i]=s;s+=H[i];} S[65536]=s; }
template<class K> static K make(u64 i,u64 n,int d){ u64 r=mix(i*77+d); const int B=8*sizeof(K); K k=(K)(r>>(64-B)); switch(d){case 1:return (K)((long double)i/n*(long double)(K)~(K)0);case 2:return (k>>8)|((K)0x5a<<(B-8));case 3:return (k>>16)|((K)0x5a00<<(B-16))|((K)(r%3)<<(B-16));case 4:return (K)0x123456789abcdef0ull;} return k; }
template<class K,int TH,int IT,bool TWO> static void partTest(u32 n,int d){ std::vector<K> a(n),b(n,(K)0x11),c(n,(K)0x22); for(u32 i=0;i<n;i++)a[i]=make<K>(i,n,d); scanRef(a);
  const u32 T=TH*IT; launch(256,256,[&]{prep(S.data(),C1.data(),C2.data(),tiles.data(),&ntile,T);});
  launch((n+T-1)/T,TH,[&]{partd<K,TH,IT,1,1,TWO>(a.data(),b.data(),n,C1.data(),tiles.data(),&ntile);});
  if(ntile>n/T+512){expect(false,"tile bound",ntile);} launch(ntile+1,TH,[&]{partd<K,TH,IT,2,1,TWO>(b.data(),c.data(),n,C2.data(),tiles.data(),&ntile);});
  bool ok=true; for(u32 i=0;i<n;i++){u32 g=c[i]>>(8*sizeof(K)-16); ok&=i>=S[g]&&i<S[g+1];} std::sort(a.begin(),a.end());std::sort(c.begin(),c.end()); ok&=a==c; char s[80];snprintf(s,80,"partd u%zu %dx%d two=%d dist",8*sizeof(K),TH,IT,TWO);expect(ok,s,d); }
template<class K> static std::vector<K> buckets(int nbk,u32 m0,int d){ std::vector<K> v; std::fill(S.begin(),S.end(),0); for(int b=0;b<nbk;b++){ u32 m=b==1?0:b==2?1:b==3?2:b==4?5:m0+b*3; S[b]=v.size(); for(u32 i=0;i<m;i++){ u64 r=mix(i+b*1000003ull+d*7919); const int B=8*sizeof(K); K low=(K)(r>>(64-B))&(((K)1<<(B-16))-1); if(d==1)low=low&~((K)1<<(B-17)); if(d==2&&b%5==0&&i%40==0)low=(K)0xfff0<<(B-32)|(B>32?(low&0xffffffffu):0); if(d==3)low=low%3<<(B-32); if(d==4)low|=(K)0xf000<<(B-32); if(d==5&&i<8)low=~(K)0>>16; v.push_back((K)b<<(B-16)|low);} } S[nbk]=v.size(); return v; }
template<class K,class F> static void localTest(const char*name,F f,int th,u32 m0,int d){ const int nbk=14; auto v=buckets<K>(nbk,m0,d),w=v; v.resize(v.size()+64); std::vector<K>*p=&v; std::vector<u32> slow(65540,0); u32 bad=0; K*x=(K*)aligned_alloc(64,(v.size()*sizeof(K)+63)/64*64); memcpy(x,v.data(),v.size()*sizeof(K));
  launch(nbk,th,[&]{f(x,S.data(),slow.data());}); u32 ns=slow[0]; launch(2,1024,[&]{localSlow<K>(x,S.data(),slow.data(),&bad);}); std::sort(w.begin(),w.end()); bool ok=bad==0&&memcmp(x,w.data(),w.size()*sizeof(K))==0; for(size_t i=w.size();i<v.size();i++)ok&=x[i]==0; free(x); char s[96];snprintf(s,96,"%s m %u slow %u dist",name,m0,ns);expect(ok,s,d); }
int main(){
  { std::vector<u32> a(300001); for(u32 i=0;i<a.size();i++)a[i]=make<u32>(i,a.size(),0); scanRef(a); std::vector<u32> h(65536),s(65540); launch(6,1024,[&]{hist16<u32>(a.data(),a.size(),h.data(),flags);}); expect(h==H&&flags[0]==0,"hist16",0); launch(64,1024,[&]{scan16(h.data(),s.data());}); expect(!memcmp(s.data(),S.data(),65537*4),"scan16",0);
    std::vector<u32> k(140000,77u<<16); h.assign(65536,0); launch(1,1024,[&]{hist16<u32>(k.data(),k.size(),h.data(),flags);}); expect(flags[0]==1,"hist16 sees the wrap",0); }
  for(int d=0;d<5;d++){ partTest<u32,288,27,false>(100003,d);partTest<u32,352,23,true>(100003,d);partTest<u64,288,17,false>(70001,d);partTest<u64,288,21,true>(70001,d); partTest<u64,544,11,false>(70001,d);partTest<u32,256,24,false>(70001,d); }
  for(int d=0;d<6;d++)for(u32 m:{4090u,300u}){
    localTest<u32>("slot32 512 3-bit",localSlot32<512,4,3,5120,true,2>,512,m,d); localTest<u32>("slot32 512 4-bit",localSlot32<512,4,3,5120,false,1>,512,m,d); localTest<u32>("slot32 256 3-bit",localSlot32<256,5,5,5120,true,2>,256,m,d);
    localTest<u64>("slot64 512 3-bit",localSlot64<512,3,5,4608,true,1,512>,512,m,d); localTest<u64>("slot64 512 4-bit",localSlot64<512,2,5,4608,false,2,512>,512,m,d); localTest<u64>("slot64 1024 3-bit",localSlot64<1024,2,3,4608,true,1,512>,1024,m,d); }
  localTest<u32>("slot32 over CAP",localSlot32<512,4,3,5120,true,2>,512,5200,0); localTest<u64>("slot64 over CAP",localSlot64<512,3,5,4608,true,1,512>,512,4700,0);
  printf("%d failures\n",fails); return fails!=0; }
