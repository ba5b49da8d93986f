// Kernels of the MSD probe: keys alone, unstable. hist16 → scan16 → prep →
// partd level 1 → partd level 2 → localSlot (+ localSlow for buckets that the
// small counters cannot hold). Included by msd_probe.cu (nvcc) and by
// msd_emu.cpp (a host emulation that runs the same source block by block).
#pragma once
#ifndef PAD
#define PAD 8 // u32 words between two global cursors: one 32-byte sector each
#endif

__host__ __device__ inline u64 mix(u64 x){ x+=0x9e3779b97f4a7c15ull; x=(x^(x>>30))*0xbf58476d1ce4e5b9ull; x=(x^(x>>27))*0x94d049bb133111ebull; return x^(x>>31); }
__device__ inline u32 warpIncl(u32 v){ u32 l=threadIdx.x&31;
#pragma unroll
  for(int o=1;o<32;o<<=1){u32 t=__shfl_up_sync(~0u,v,o); if(l>=o)v+=t;} return v; }

// 65,536 packed 16-bit counters, one block an SM. A packed counter wraps at
// 65,536 keys of one digit in one block: flags bit 0 tells it exactly (each
// wrap moves the sum). A grid of n/60000 blocks or more cannot wrap.
template<class K> __global__ void __launch_bounds__(1024,1) hist16(const K*__restrict__ in,u64 n,u32*hist,u32*flags){
  DYNSHARED(u32,h); const int S=8*sizeof(K)-16;
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
  int diff=(int)(mine-sum);
#pragma unroll
  for(int o=16;o;o>>=1) diff+=__shfl_xor_sync(~0u,diff,o);
  SHARED(int,tot); if(threadIdx.x==0)tot=0; __syncthreads(); if((threadIdx.x&31)==0)atomicAdd(&tot,diff); __syncthreads(); if(threadIdx.x==0&&tot!=0)atomicOr(flags,1u);
}

// 64 blocks of 1,024: block b sums everything before its 1,024 counters (L2
// hits) and scans its own. start2[65536] becomes n.
__global__ void __launch_bounds__(1024) scan16(const u32*__restrict__ hist,u32*start2){
  SHAREDA(u32,ws,32); SHARED(u32,before); const u32 t=threadIdx.x,b=blockIdx.x; const uint4*h4=(const uint4*)hist;
  u32 s=0; for(u32 i=t;i<b*256;i+=1024){uint4 v=h4[i]; s+=v.x+v.y+v.z+v.w;}
  s=__reduce_add_sync(~0u,s); if((t&31)==0)ws[t>>5]=s; __syncthreads();
  if(t<32){u32 x=__reduce_add_sync(~0u,ws[t]); if(t==0)before=x;} __syncthreads();
  u32 c=hist[b*1024+t],inc=warpIncl(c); if((t&31)==31)ws[t>>5]=inc; __syncthreads();
  if(t<32){u32 x=ws[t]; ws[t]=warpIncl(x)-x;} __syncthreads();
  u32 e=before+ws[t>>5]+inc; start2[b*1024+t]=e-c; if(b==63&&t==1023)start2[65536]=e;
}

// Block b: cursors of bucket b and of its 256 parts, and the level-2 tiles of
// bucket b. A tile {A, lo, hi, bucket} covers [A+lo, A+hi); A is a multiple of
// 32 keys, so tile reads are aligned. ntile becomes the number of tiles.
__global__ void __launch_bounds__(256) prep(const u32*__restrict__ start2,u32*cur1,u32*cur2,uint4*tiles,u32*ntile,u32 T){
  SHAREDA(u32,ws,8); SHARED(u32,mine); const u32 t=threadIdx.x,b=blockIdx.x;
  u32 b0=start2[t*256],b1=start2[t*256+256]; u32 c=b1>b0?(b1-(b0&~31u)+T-1)/T:0;
  u32 s=__reduce_add_sync(~0u,t<b?c:0u); if((t&31)==0)ws[t>>5]=s; if(t==b)mine=c;
  cur2[(b*256+t)*PAD]=start2[b*256+t]; if(t==0)cur1[b*PAD]=start2[b*256];
  __syncthreads(); u32 base=0;
#pragma unroll
  for(int w=0;w<8;w++)base+=ws[w];
  u32 lo=start2[b*256],hi=start2[b*256+256],A0=lo&~31u,cnt=mine;
  for(u32 j=t;j<cnt;j+=256){u32 A=A0+j*T; tiles[base+j]=make_uint4(A,lo>A?lo-A:0,min(hi-A,T),b);}
  if(b==255&&t==0)*ntile=base+cnt;
}

// Unstable partition by 8 bits. Counter (bin, lane) is a byte of word
// (bin/4)*32+lane, prefix (bin, lane) a half of word (bin/2)*32+lane: no lane
// ever meets another lane's bank. A column sees TH/32*IT keys, under 256; that
// number is odd, so that one hot bin, too, spreads its slots over all banks.
// TWO: count first, then take slots by a second atomic (no ranks in registers).
template<class K,int TH,int IT,int LEVEL,int MINB,bool TWO> __global__ void __launch_bounds__(TH,MINB) partd(const K*__restrict__ in,K*__restrict__ out,u32 n,u32*cur,const uint4*__restrict__ tiles,const u32*__restrict__ ntile){
  static_assert(TH/32*IT<256,"column overflow"); static_assert(TH>=256&&TH%32==0,"block size");
  DYNSHARED(uint4,raw); u32*pre=(u32*)raw; K*ex=(K*)(raw+1024); u32*c8=(u32*)ex;
  SHAREDA(uint4,cnt4,64); SHAREDA(u32,gb,256); SHAREDA(u32,ws,8); u32*cnt=(u32*)cnt4;
  constexpr int T=TH*IT, S=8*sizeof(K)-8*LEVEL; const u32 t=threadIdx.x,lane=t&31; u32 A,lo=0,hi;
  if(LEVEL==1){A=blockIdx.x*(u32)T; hi=min((u32)T,n-A);}
  else { uint4 d=tiles[blockIdx.x]; if(blockIdx.x>=*ntile)return; A=d.x;lo=d.y;hi=d.z;cur+=d.w*256*PAD; }
  const bool full=lo==0&&hi==T; const K*src=in+A+t; K k[IT];
  if(full){
#pragma unroll
    for(int i=0;i<IT;i++)k[i]=src[i*TH];
  }
  for(int i=t;i<512;i+=TH)((uint4*)c8)[i]=make_uint4(0,0,0,0);
  __syncthreads();
  auto dig=[&](K q){return (u32)(q>>S)&255u;};
  u32 r[(IT+3)/4]; u32*col=c8+lane;
#pragma unroll
  for(int i=0;i<(IT+3)/4;i++)r[i]=0;
  auto count=[&](K q){ u32 d=dig(q),sh=(d&3)*8; return (atomicAdd(&col[(d>>2)*32],1u<<sh)>>sh)&255; };
  auto take=[&](K q){ u32 d=dig(q),sh=(d&1)*16; return (atomicAdd(&pre[(d>>1)*32+lane],1u<<sh)>>sh)&0xffff; };
  if(full){
#pragma unroll
    for(int i=0;i<IT;i++){ if(TWO)count(k[i]); else r[i/4]|=count(k[i])<<(8*(i&3)); }
  } else { // a partial tile is read twice and takes its slots by atomics
#pragma unroll 4
    for(u32 p=t;p<T;p+=TH)if(p>=lo&&p<hi)count(in[A+p]); }
  __syncthreads();
  // id (g,q): bins 4g..4g+3, lanes 4q..4q+3; e: bins 4g and 4g+2, o: 4g+1 and 4g+3, 16 bits each
  constexpr int R=(512+TH-1)/TH; const u32 M=0x00ff00ff; u32 xe[R],xo[R];
#pragma unroll
  for(int x=0;x<R;x++){ u32 id=t+x*TH; if(id<512){ u32 g=id>>3,q=id&7; uint4 v=((uint4*)c8)[id];
      u32 e=(v.x&M)+(v.y&M)+(v.z&M)+(v.w&M), o=((v.x>>8)&M)+((v.y>>8)&M)+((v.z>>8)&M)+((v.w>>8)&M);
      u32 ie=e,io=o;
#pragma unroll
      for(int s2=1;s2<8;s2<<=1){u32 a=__shfl_up_sync(~0u,ie,s2,8),b=__shfl_up_sync(~0u,io,s2,8); if(q>=s2){ie+=a;io+=b;}}
      if(q==7)cnt4[g]=make_uint4(ie&0xffff,io&0xffff,ie>>16,io>>16);
      xe[x]=ie-e;xo[x]=io-o; } }
  __syncthreads();
  u32 ct=0,g0=0,inc=0; if(t<256){ct=cnt[t]; if(ct)g0=atomicAdd(&cur[t*PAD],ct); inc=warpIncl(ct); cnt[t]=inc-ct; if(lane==31)ws[t>>5]=inc;}
  __syncthreads();
#pragma unroll
  for(int x=0;x<R;x++){ u32 id=t+x*TH; if(id<512){ u32 g=id>>3,q=id&7; uint4 v=((uint4*)c8)[id],bb=cnt4[g]; u32 a=0;
#pragma unroll
      for(int w=0;w<7;w++)a+=(w<(id>>6))?ws[w]:0;
      u32 e0=xe[x]+(bb.x|bb.z<<16)+a*0x10001u,o0=xo[x]+(bb.y|bb.w<<16)+a*0x10001u;
      u32 e1=e0+(v.x&M),o1=o0+((v.x>>8)&M),e2=e1+(v.y&M),o2=o1+((v.y>>8)&M),e3=e2+(v.z&M),o3=o2+((v.z>>8)&M);
      uint4*P=(uint4*)pre+g*16+q;
      P[0]=make_uint4(__byte_perm(e0,o0,0x5410),__byte_perm(e1,o1,0x5410),__byte_perm(e2,o2,0x5410),__byte_perm(e3,o3,0x5410));
      P[8]=make_uint4(__byte_perm(e0,o0,0x7632),__byte_perm(e1,o1,0x7632),__byte_perm(e2,o2,0x7632),__byte_perm(e3,o3,0x7632)); } }
  __syncthreads();
  if(full){
#pragma unroll
    for(int i=0;i<IT;i++)FORGET(k[i]); // the digits are cheaper made again than kept
#pragma unroll
    for(int i=0;i<IT;i++){ u32 d=dig(k[i]); ex[TWO?take(k[i]):((u16*)pre)[(d>>1)*64+lane*2+(d&1)]+((r[i/4]>>(8*(i&3)))&255)]=k[i]; }
  } else {
#pragma unroll 4
    for(u32 p=t;p<T;p+=TH)if(p>=lo&&p<hi){K q=in[A+p];ex[take(q)]=q;} }
  if(t<256){ u32 a=inc-ct;
#pragma unroll
    for(int w=0;w<7;w++)a+=(w<(t>>5))?ws[w]:0; gb[t]=g0-a; }
  __syncthreads();
  if(full){
#pragma unroll
    for(int i=0;i<IT;i++){u32 p=i*TH+t;K q=ex[p];out[gb[dig(q)]+p]=q;}
  } else {
#pragma unroll 1
    for(u32 p=t;p<hi-lo;p+=TH){K q=ex[p];out[gb[dig(q)]+p]=q;} }
}

// Counters of the local sort: eight values share a word, field i holds how many
// keys of the word have a value <= i, so that a key adds ones to its own and
// all higher fields and the top field is the word's total. F3: 3-bit fields in
// bits 8..31, the low byte is the word's prefix inside its superblock (256
// words, 2,048 values). Else 4-bit fields, prefix bytes apart. A word of more
// than 7 (15) keys wraps and its top field falls short of the true total, a
// superblock of more than 255 counts as 0: the sum equals m if and only if all
// counters are right.
template<bool F3> struct Fields {
  static __device__ inline u32 sh(u32 v){return F3?(v&7)*3+8:(v&7)*4;}
  static __device__ inline u32 add(u32 s){return (F3?0x249249u:0x11111111u)<<s;}
  static __device__ inline u32 total(u32 w){return F3?w>>29:w>>28;}
  static __device__ inline u32 upTo(u32 w,u32 s){return (w>>s)&(F3?7u:15u);}
  static __device__ inline u32 copies(u32 w,u32 s){ u32 h=upTo(w,s); return F3?h-(((w&~255u)>>(s-3))&7u):h-(u32)(((u64)w<<4)>>s&15u); }
};
// Prefix of all 8,192 words by superblock; sbt[32] gets the superblocks' totals.
// G superblocks a step: one byte-packed warp scan for 2*G rows of 128 words.
template<int TH,bool F3,int G> __device__ inline void prefixWords(u32*c,unsigned char*pre8,u32*sbt){
  typedef Fields<F3> F; constexpr int SW=32/(TH/32); const u32 lane=threadIdx.x&31,w0=(threadIdx.x>>5)*SW; uint4*c4=(uint4*)c;
#pragma unroll 1
  for(int s=0;s<SW;s+=G){ uint4 v[2*G]; u32 pk=0;
#pragma unroll
    for(int r=0;r<2*G;r++){ v[r]=c4[((w0+s)*2+r)*32+lane]; pk|=(F::total(v[r].x)+F::total(v[r].y)+F::total(v[r].z)+F::total(v[r].w))<<(8*r); }
    u32 inc=warpIncl(pk),tot=__shfl_sync(~0u,inc,31),ex=inc-pk;
#pragma unroll
    for(int r=0;r<2*G;r++){ u32 rel=((ex>>(8*r))&255)+((r&1)?(tot>>(8*r-8))&255:0);
      u32 a=rel,b=a+F::total(v[r].x),cc=b+F::total(v[r].y),d=cc+F::total(v[r].z); u32 at=((w0+s)*2+r)*32+lane;
      if(F3)c4[at]=make_uint4(v[r].x+a,v[r].y+b,v[r].z+cc,v[r].w+d);
      else ((u32*)pre8)[at]=__byte_perm(__byte_perm(a,b,0x0040),__byte_perm(cc,d,0x0040),0x5410); }
    if(lane<G){ u32 p=tot>>(16*lane),x=(p&255)+((p>>8)&255); sbt[w0+s+lane]=x<256?x:0; } }
}
__device__ inline void toSlow(u32*slow,u32 b){ if(threadIdx.x==0){u32 i=atomicAdd(slow,1u); slow[1+i]=b;} }

// u32: 16 bits are left in a bucket. Equal keys share the last slot of their
// run; an empty slot (0xffff) takes the nearest value at its right.
template<int TH,int MINB,int Q,int CAP,bool F3,int G> __global__ void __launch_bounds__(TH,MINB) localSlot32(u32*data,const u32*__restrict__ start2,u32*slow){
  typedef Fields<F3> F; DYNSHARED(uint4,raw); u32*c=(u32*)raw; unsigned char*pre8=(unsigned char*)(c+8192); u16*st=(u16*)(pre8+(F3?0:8192)); SHAREDA(u32,sbt,32);
  const u32 t=threadIdx.x,lane=t&31,b=blockIdx.x,beg=start2[b],m=start2[b+1]-beg; if(m==0)return;
  const u32 a=beg&3; if(a+m>CAP||m>4*Q*TH){toSlow(slow,b);return;}
  const u32 h=min(m,(4-a)&3),nb=(m-h)>>2,edge=m-4*nb; u32*mine=data+beg; const uint4*body=(const uint4*)(mine+h);
  u32 k[2*Q],ke=0;
#pragma unroll
  for(int j=0;j<Q;j++){ k[2*j]=k[2*j+1]=0; u32 q=t+j*TH; if(q<nb){uint4 v=body[q]; k[2*j]=__byte_perm(v.x,v.y,0x5410); k[2*j+1]=__byte_perm(v.z,v.w,0x5410);} }
  const u32 ei=t<h?t:t+4*nb; if(t<edge)ke=mine[ei]&0xffff;
#pragma unroll
  for(int i=0;i<2048/TH;i++)raw[i*TH+t]=make_uint4(0,0,0,0);
  for(u32 i=t;i<(a+m+7)/8;i+=TH)((uint4*)st)[i]=make_uint4(~0u,~0u,~0u,~0u);
  __syncthreads();
  auto put=[&](u32 v){u32 s=F::sh(v); atomicAdd(&c[v>>3],F::add(s));};
#pragma unroll
  for(int j=0;j<Q;j++)if(t+j*TH<nb){put(k[2*j]&0xffff);put(k[2*j]>>16);put(k[2*j+1]&0xffff);put(k[2*j+1]>>16);}
  if(t<edge)put(ke);
  __syncthreads();
  prefixWords<TH,F3,G>(c,pre8,sbt);
  __syncthreads();
  u32 s0=sbt[lane],inc=warpIncl(s0); if(__shfl_sync(~0u,inc,31)!=m){toSlow(slow,b);return;}
  const u32 base=a+inc-s0-1;
#pragma unroll
  for(int j=0;j<2*Q;j++)FORGET(k[j]);
  auto place=[&](u32 v,bool on){ u32 w=c[v>>3],o=__shfl_sync(~0u,base,v>>11)+F::upTo(w,F::sh(v))+(F3?w&255:(u32)pre8[v>>3]); if(on)st[o]=(u16)v; };
#pragma unroll
  for(int j=0;j<Q;j++)if((t&~31u)+j*TH<nb){ bool on=t+j*TH<nb; place(k[2*j]&0xffff,on);place(k[2*j]>>16,on);place(k[2*j+1]&0xffff,on);place(k[2*j+1]>>16,on); }
  if(t<32)place(ke,t<edge);
  __syncthreads();
  const u32 hi=b<<16,end=a+m; u32*dst=mine-a;
  auto right=[&](u32 p){u32 v; do v=st[p]; while(v==0xffff&&++p<end); return v;};
  for(u32 q=((a+3)>>2)+t;q<(end>>2);q+=TH){ uint2 v=((uint2*)st)[q]; u32 d=v.y>>16; if(d==0xffff&&4*q+4<end)d=right(4*q+4);
    u32 x=min(v.y&0xffff,d),y=min(v.x>>16,x),z=min(v.x&0xffff,y); ((uint4*)dst)[q]=make_uint4(hi|z,hi|y,hi|x,hi|d); }
  if(t<edge)mine[ei]=hi|right(a+ei);
}

// u64: as above by the bits 32..47; keys whose 32 top bits agree take the slots
// of their run by a returning atomic (few lanes) and each run is mended by
// insertion. RC: runs a bucket may have.
template<int TH,int MINB,int Q,int CAP,bool F3,int G,int RC> __global__ void __launch_bounds__(TH,MINB) localSlot64(u64*data,const u32*__restrict__ start2,u32*slow){
  typedef Fields<F3> F; DYNSHARED(uint4,raw); u32*c=(u32*)raw; unsigned char*pre8=(unsigned char*)(c+8192); u64*ex=(u64*)(pre8+(F3?0:8192)); u32*dn=(u32*)(ex+CAP); u32*runs=dn+CAP/8; SHAREDA(u32,sbt,32); SHARED(u32,nr);
  const u32 t=threadIdx.x,lane=t&31,b=blockIdx.x,beg=start2[b],m=start2[b+1]-beg; if(m==0)return;
  const u32 a=beg&1; if(a+m>CAP||m>2*Q*TH){toSlow(slow,b);return;}
  const u32 h=a,nb=(m-h)>>1,edge=m-2*nb; u64*mine=data+beg; const ulonglong2*body=(const ulonglong2*)(mine+h);
  u64 k[2*Q],ke=0;
#pragma unroll
  for(int j=0;j<Q;j++){ k[2*j]=k[2*j+1]=0; u32 q=t+j*TH; if(q<nb){ulonglong2 v=body[q]; k[2*j]=v.x;k[2*j+1]=v.y;} }
  const u32 ei=t<h?t:t+2*nb; if(t<edge)ke=mine[ei];
#pragma unroll
  for(int i=0;i<2048/TH;i++)raw[i*TH+t]=make_uint4(0,0,0,0);
  for(u32 i=t;i<CAP/8;i+=TH)dn[i]=0;
  if(t==0)nr=0;
  __syncthreads();
  auto val=[&](u64 q){return (u32)(q>>32)&0xffff;};
  auto put=[&](u64 q){u32 v=val(q),s=F::sh(v); atomicAdd(&c[v>>3],F::add(s));};
#pragma unroll
  for(int j=0;j<Q;j++)if(t+j*TH<nb){put(k[2*j]);put(k[2*j+1]);}
  if(t<edge)put(ke);
  __syncthreads();
  prefixWords<TH,F3,G>(c,pre8,sbt);
  __syncthreads();
  u32 s0=sbt[lane],inc=warpIncl(s0); if(__shfl_sync(~0u,inc,31)!=m){toSlow(slow,b);return;}
  const u32 base=a+inc-s0-1;
#pragma unroll
  for(int j=0;j<2*Q;j++)FORGET(k[j]);
  auto place=[&](u64 key,bool on){ u32 v=val(key),w=c[v>>3],s=F::sh(v),o=__shfl_sync(~0u,base,v>>11)+F::upTo(w,s)+(F3?w&255:(u32)pre8[v>>3]);
    if(on){ u32 n=F::copies(w,s); if(n>1){ u32 x=(o&7)*4,r=(atomicAdd(&dn[o>>3],1u<<x)>>x)&15; if(r==0){u32 i=atomicAdd(&nr,1u); if(i<RC)runs[i]=o|n<<16;} o-=r; } ex[o]=key; } };
#pragma unroll
  for(int j=0;j<Q;j++)if((t&~31u)+j*TH<nb){ bool on=t+j*TH<nb; place(k[2*j],on);place(k[2*j+1],on); }
  if(t<32)place(ke,t<edge);
  __syncthreads();
  const u32 nrun=nr; if(nrun>RC){toSlow(slow,b);return;}
  for(u32 i=t;i<nrun;i+=TH){ u32 e=runs[i]&0xffff,f=e+1-(runs[i]>>16); for(u32 x=f+1;x<=e;x++){u64 q=ex[x]; u32 y=x; while(y>f&&ex[y-1]>q){ex[y]=ex[y-1];y--;} ex[y]=q;} }
  __syncthreads();
  const u32 end=a+m; u64*dst=mine-a;
  for(u32 q=((a+1)>>1)+t;q<(end>>1);q+=TH)((uint4*)dst)[q]=((uint4*)ex)[q];
  if(t<edge)mine[ei]=ex[a+ei];
}
// Buckets listed in slow (count first), up to 8,192 keys each: bitonic.
template<class K> __global__ void __launch_bounds__(1024) localSlow(K*data,const u32*__restrict__ start2,const u32*slow,u32*bad){
  DYNSHARED(uint4,raw); K*x=(K*)raw; const u32 t=threadIdx.x,cnt=slow[0];
  for(u32 e=blockIdx.x;e<cnt;e+=gridDim.x){ u32 b=slow[1+e],beg=start2[b],m=start2[b+1]-beg; if(m>8192){if(t==0)atomicAdd(bad,1u);continue;}
    u32 N=2; while(N<m)N*=2; for(u32 i=t;i<N;i+=1024)x[i]=i<m?data[beg+i]:(K)~(K)0; __syncthreads();
    for(u32 s=2;s<=N;s*=2)for(u32 d=s/2;d;d/=2){ for(u32 i=t;i<N/2;i+=1024){u32 p=2*i-(i&(d-1)),q=p+d; K u=x[p],v=x[q]; if((u>v)==((p&s)==0)){x[p]=v;x[q]=u;}} __syncthreads(); }
    for(u32 i=t;i<m;i+=1024)data[beg+i]=x[i]; __syncthreads(); }
}
