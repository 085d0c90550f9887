"""Computations of C++: bodies of a device function, each with the value of ``r`` that a C++ compiler's program has.

``pytest -m nvcc`` has a compiler confirm the values.
"""

from __future__ import annotations

#: Declarations that the bodies use; ``D`` stands for ``__device__``.
PRELUDE = """\
struct KN{ static constexpr int N=6; D static int dbl(int x){return 2*x;} };
template<class T,int N> D T tadd(T a){return a+N;}
template<typename T> D T tmax(T a,T b){return a>b?a:b;}
struct Box2{int v; D void set(int x){v=x;} D int get() const {return v;}};
D Box2 bx;
template<class F> D int apply(F f,int x){ return f(x); }
D int modret(int& a){ a=5; return a; }
D void swp(int& a,int& b){ int t=a; a=b; b=t; }
D int valref(int a,int& b){ b=8; return a*10+b; }
struct KP{int a,b;};
D int ga[3]; D KP gs; D KP gsa[2]; D int gm[2][3]; D unsigned char gc; D bool gb; D const int gk=7; D unsigned gu;
D void put(int* p,int v){*p=v;}
D void bumpptr(int*& p){++p;}
D int addg(int x){ ga[0]+=x; return ga[0]*10; }
D int& refof(int i){ return ga[i]; }
D int cr(const int& x,int& y){ y=50; return x; }
struct Acc{ int s=0; D void add(int x){ s+=x; } D int total() const { return s; } D long long square(long long x) { return x * x; }
D unsigned widened(unsigned char x) { return x; }
D int twice(int x){ add(x); this->add(x); return total(); } };
D KP mk(int x){ return KP{x,x+1}; }
D int sumkp(KP p){ p.a+=p.b; return p.a; }
D void inckp(KP& p){ p.a++; p.b--; }
struct Guard{ int& n; D Guard(int& m):n(m){n+=1;} D ~Guard(){n*=2;} };
D int early_g(int& n){ Guard g(n); n+=3; if(n>2) return n; n+=100; return 0; }
struct Def{int a=3; int b=4;};
template<bool B> D int pick(int x){ if constexpr(B) return x; else return x*10; }
struct Outer{ struct Inner{int v;}; };
template<class T> D T mn(T a,T b){ return b<a?b:a; }
D int twice(int x){return 2*x;}
D int da(int a,int b=10){return a*b;}
D int ov(int){return 1;}
D int ov(unsigned){return 2;}
D void bump(int& x){x+=3;}
D void bumpp(int* x){*x+=5;}
namespace nn { D int f(){return 42;} }
D long long square(long long x) { return x * x; }
D unsigned widened(unsigned char x) { return x; }
#define SQ(x) x*x
#define MAXM(a,b) ((a)>(b)?(a):(b))
template<class T> struct Box{ T v; D void set(T x){v=x;} D T get() const {return v;} };
D int early(int x){ if(x<5) return 1; for(int i=0;i<10;i++) if(i*i>x) return i; return 9; }
D bool odd(int x){return x&1;}
D int inner(int x){ return x>2? x*2 : x; }
D int outer(int x){ int s=0; for(int i=0;i<x;i++) s+=inner(i); return s+inner(x); }
"""

#: By name: the body and the value of ``r`` at its end.
CASES: dict[str, tuple[str, int]] = {
    "wrap8": ("unsigned char c=250; c+=10; int r=c;", 4),
    "signshift": ("int a=-8; int r=a>>1;", -4),
    "conv2": ("long long l=-1; unsigned u=5; int r=(l<u)?1:2;", 1),
    "short": ("short s=32767; s++; int r=s;", -32768),
    "post": ("int a=5; int b=a++ + 2; int r=b*10+a;", 76),
    "pre": ("int a=5; int b=++a + 2; int r=b*10+a;", 86),
    "tern": ("int a=5; int r= a>3? a<5?1:2:3;", 2),
    "sw": (
        "int r=0; for(int i=0;i<5;i++){ switch(i){case 0: r+=1; case 1: r+=10; break; case 3: continue; default: r+=100;} r*=2;}",
        856,
    ),
    "dow": ("int r=0,i=0; do { i++; if(i==2) continue; r+=i; } while(i<4);", 8),
    "nest": ("int r=0; for(int i=0;i<3;i++) for(int j=0;j<3;j++){ if(j==i) break; r+=j+1; }", 4),
    "sc": ("int a=0; int r=0; if(a && (r=5)) r=7; if(!a || (r=9)) r+=1;", 1),
    "ref": ("int a=1; int& b=a; b=4; int r=a;", 4),
    "struct": ("struct P{int x,y;}; P p{1,2}; P q=p; q.x=5; int r=p.x*10+q.x+q.y;", 17),
    "arrs": ("struct P{int a[2];}; P p{{3,4}}; P q=p; q.a[1]=9; int r=p.a[1]*10+q.a[1];", 49),
    "lam": ("int k=3; auto f=[=](int x){return x*k;}; k=10; int r=f(2);", 6),
    "lamr": ("int k=3; auto f=[&](int x){k+=x; return k;}; f(2); int r=f(4)*100; r+=k;", 909),
    "cast": ("int r=(int)(unsigned char)300;", 44),
    "cast2": ("int r=static_cast<signed char>(200);", -56),
    "bool": ("bool b=5; int r=b+b;", 2),
    "boolc": ("int r=(3>2)+(2>3)+!0;", 2),
    "mod": ("int r=(-7)%3*10+(-7)/2;", -13),
    "xor": ("int r=(0xF0^0x3C)|(1<<10)&~0;", 1228),
    "hex": ("int r=0x7fffffff; r=r-1; ", 2147483646),
    "ull": ("unsigned long long u=1ull<<40; int r=(int)(u>>38);", 4),
    "uint": ("unsigned u=0; u--; int r=(u==4294967295u);", 1),
    "shadow": ("int x=1; int r=0; { int x=2; r+=x; } r=r*10+x;", 21),
    "forsh": ("int r=0; int i=7; for(int i=0;i<2;i++) r+=i; r=r*10+i;", 17),
    "while": ("int r=0; int n=3; while(n-->0) r+=n;", 3),
    "enum": ("enum class E:int{A=2,B,C=7}; E e=E::B; int r=(int)e + (e==E::B?100:0);", 103),
    "constexpr": ("constexpr int N=3; int a[N]={}; a[N-1]=4; int r=a[0]+a[2];", 4),
    "compound": ("int a=10; a-=3; a*=2; a/=4; a%=3; a<<=3; a|=1; a^=3; int r=a;", 2),
    "negmod": ("unsigned a=7; int b=-2; int r=(int)(a*b);", -14),
    "charlit": ("int r='A'+1;", 66),
    "auto": ("auto x=3u; auto y=x-4; int r=(y>0);", 1),
    "sizeof": ("int r=sizeof(long long)*10+sizeof(short);", 82),
    "intmin": ("int a=-2147483647-1; int r=(a<0)?a/2:0;", -1073741824),
    "uminus": ("unsigned u=1; unsigned v=-u; int r=(v>>31);", 1),
    "goto_ret": ("int r=0; for(int i=0;;i++){ if(i==3) {r=i; break;} }", 3),
    "arr2": ("int a[2][3]={{1,2,3},{4,5,6}}; int r=a[1][0]*10+a[0][2];", 43),
    "init": ("int a[4]={1}; int r=a[0]+a[1]*10;", 1),
    "range": ("int a[3]={1,2,3}; int r=0; for(int x:a) r=r*10+x;", 123),
    "ranger": ("int a[3]={1,2,3}; for(int& x:a) x*=2; int r=a[0]*100+a[1]*10+a[2];", 246),
    "shortc": ("short a=200; char b=(char)a; int r=b;", -56),
    "promote": ("unsigned char a=200,b=100; int r=a+b;", 300),
    "promo2": ("unsigned char a=1; int r=~a;", -2),
    "ushort": ("unsigned short a=65535; int r=a*2;", 131070),
    "lsh": ("unsigned a=1; int r=(int)(a<<31>>31);", 1),
    "static": ("int r=KN::N;", 6),
    "minmax": ("int a=3,b=5; int r=(a>b?a:b)*10+(a<b?a:b);", 53),
    "chain": ("int a,b,c; a=b=c=4; int r=a+b+c;", 12),
    "andor": ("int r=(1&&0||1)*10+(1&&(0||0));", 10),
    "bits": ("unsigned x=0b1011; int r=0; while(x){ r+=x&1; x>>=1; }", 3),
    "swnest": ("int r=0; int k=2; switch(k){ case 1: r=1; break; case 2: { int z=5; r=z; } case 9: r+=1; break; }", 6),
    "dflt": ("int r=9; switch(4){ default: r=1; case 2: r+=2; }", 3),
    "swap": ("int a=1,b=2; int t=a; a=b; b=t; int r=a*10+b;", 21),
    "ref2": ("int a[2]={1,2}; int& x=a[1]; x=5; a[1]++; int r=x;", 6),
    "nullptr": ("int* p=nullptr; int r=(p==nullptr);", 1),
    "longlit": ("long long a=3000000000; int r=(int)(a/1000000000);", 3),
    "octal": ("int r=010+1;", 9),
    "sep": ("int r=1'000;", 1000),
    "neglit": ("int r=-5>>1;", -3),
    "moduns": ("unsigned a=-7; int r=a%10;", 9),
    "incidx": ("int a[3]={1,2,3}; int i=0; int x=a[i++]; int r=x*10+i;", 11),
    "condassign": ("int r=0; int x; if((x=3)>2) r=x;", 3),
    "breakouter": (
        "int r=0; bool stop=false; for(int i=0;i<3&&!stop;i++) for(int j=0;j<3;j++) if(i*j==2){stop=true;r=i*10+j;break;}",
        12,
    ),
    "tmpl": ("int r=tadd<int,3>(4);", 7),
    "tmpl2": ("int r=tmax(3,8);", 8),
    "rec_inline": ("int r=twice(twice(3));", 12),
    "defarg": ("int r=da(1)+da(1,2);", 12),
    "overload": ("int r=ov(1)*10+ov(1u);", 12),
    "refarg": ("int a=1; bump(a); bump(a); int r=a;", 7),
    "ptrarg": ("int a=1; bumpp(&a); int r=a;", 6),
    "ns": ("int r=nn::f();", 42),
    "macro": ("int r=SQ(3+1);", 7),
    "macro2": ("int r=MAXM(2,7);", 7),
    "box": ("Box<int> b{4}; b.set(6); int r=b.get();", 6),
    "using": ("using T=unsigned short; T t=65535; t++; int r=t;", 0),
    "typedef": ("typedef struct {int a;} Q; Q q; q.a=3; int r=q.a;", 3),
    "early": ("int r=early(2)*10+early(7);", 13),
    "retbool": ("int r=odd(3)+odd(4);", 1),
    "charsign": ("char c=200; int r=c;", -56),
    "u8": ("uint8_t a=255; a=a+1; int r=a;", 0),
    "dowhilebrk": ("int r=0; do { r=1; break; r=2; } while(true);", 1),
    "lambda_ret": ("auto g=[](int a,int b)->long long{return (long long)a*b;}; int r=g(100000,100000)>>30;", 9),
    "initlam": ("int n=2; auto f=[m=n+1]{return m*2;}; int r=f();", 6),
    "nestedfn": ("int r=outer(3);", 9),
    "vshift": ("int s=3; int r=(1<<s)-1;", 7),
    "idiv": ("int a=7,b=-2; int r=a/b*10+a%b;", -29),
    "lam2": ("int k=3; auto f=[k](int x){return x*k;}; k=10; int r=f(2);", 6),
    "lam3": ("int k=3; auto f=[k](int x){return x*k;}; { int k=7; k++; } k++; int r=f(2)+k;", 10),
    "lam4": ("int k=3; auto f=[j=k*2]{return j;}; k=10; int r=f();", 6),
    "lam6": ("int k=3; auto f=[&k]{return k;}; k=10; int r=f();", 10),
    "lam7": ("int k=3; auto f=[=](int x){return x*k;}; k=10; auto g=f; k=11; int r=g(2);", 6),
    "lam11": ("struct P{int x;}; P p{1}; auto f=[=]{return p.x;}; p.x=5; int r=f();", 1),
    "lam12": ("int k=1; auto f=[&]{k=5;}; f(); int r=k;", 5),
    "agg2": ("int a=1; int q[2]={a,++a}; int r=q[0]*10+q[1];", 12),
    "agg3": ("int a=1; struct P{int x,y;}; P p{a,++a}; int r=p.x*10+p.y;", 12),
    "sw2": ("int a=1,r=0; switch(a){case 1: a=2; r+=1; case 2: r+=10; break; case 3: r+=100;}", 11),
    "retm": ("int a=1; int r=modret(a)*10; r+=a;", 55),
    "swapf": ("int a=1,b=2; swp(a,b); int r=a*10+b;", 21),
    "condinc": ("int a=0; int r=(a++ ? 5 : a);", 1),
    "whileinc": ("int a=0,r=0; while(a++<3) r+=a;", 6),
    "forstep": ("int r=0; for(int i=0,j=5;i<j;++i,--j) r+=i*j;", 10),
    "assignval": ("int a=3; int b=a; a=9; int r=b;", 3),
    "tempval": ("int a=3; int b=a+1; a=9; int r=b;", 4),
    "cref": ("int a=3; const int& c=a; a=9; int r=c;", 9),
    "crefv": ("int a=3; const int& c=a+1; a=9; int r=c;", 4),
    "byval": ("int a=3; int r=valref(a,a);", 38),
    "boxcopy": ("Box<int> a{1}; Box<int> b=a; b.set(4); int r=a.get()*10+b.get();", 14),
    "structret": ("KP p=mk(3); int r=p.a*10+p.b;", 34),
    "structarg": ("KP p{1,2}; int r=sumkp(p)*10+p.a;", 31),
    "structref": ("KP p{1,2}; inckp(p); int r=p.a*10+p.b;", 21),
    "structptr": ("KP p{1,2}; KP* q=&p; q->a=5; int r=p.a;", 5),
    "arrstruct": ("KP p[2]={{1,2},{3,4}}; p[1].a=7; int r=p[0].b*10+p[1].a;", 27),
    "autoref": ("KP p{1,2}; auto& q=p; q.b=9; int r=p.b;", 9),
    "autocopy": ("KP p{1,2}; auto q=p; q.b=9; int r=p.b;", 2),
    "loopstruct": ("KP p[3]={{1,2},{3,4},{5,6}}; int r=0; for(auto& x:p) { x.a++; r+=x.a; } r=r*10+p[2].a;", 126),
    "loopcopy": ("KP p[2]={{1,2},{3,4}}; int r=0; for(auto x:p) { x.a++; r+=x.a; } r=r*10+p[1].a;", 63),
    "raii": ("int n=0; { Guard g(n); n+=10; } int r=n;", 22),
    "raii2": ("int n=0; for(int i=0;i<2;i++){ Guard g(n); if(i==0) continue; n+=10; } int r=n;", 26),
    "raii3": ("int n=0; int r=early_g(n)*100; r+=n;", 408),
    "defm": ("Def d; int r=d.a*10+d.b;", 34),
    "tern2": ("int a=1; int* p=nullptr; int r=p?*p:a;", 1),
    "ifcx": ("int r=pick<true>(3)+pick<false>(3);", 33),
    "nested": ("Outer::Inner q{3}; int r=q.v;", 3),
    "minmax3": ("int r=mn(4,2)*10+mn(1,9);", 21),
    "bitfield": ("unsigned a=5; a&=~1u; int r=a;", 4),
    "logic": ("int a=3; int r=(a>1)&(a<5)|(a==9)<<2;", 1),
    "vol": ("volatile int a=3; a=a+1; int r=a;", 4),
    "lam13": ("int k=3; int* p=ga; auto f=[=]{return *p;}; p=ga+1; int r=f();", 0),
    "crefp": ("int a=3; int r=cr(a+1,a)*10; r+=a;", 90),
    "autoref_2": ("int a=3; const auto& c=a+1; a=9; int r=c;", 4),
    "autorr": ("int a=3; auto&& c=a*2; a=9; int r=c;", 6),
    "gp": ("ga[0]=1; ga[1]=2; ga[2]=3; int* p=ga; p++; *p=7; int r=ga[1]*10+*(p+1);", 73),
    "gp2": ("ga[0]=1; ga[1]=2; int* p=ga; int* q=p; p=p+1; *p=5; *q=4; int r=ga[0]*10+ga[1];", 45),
    "gp4": ("ga[1]=6; int* p=ga; int r=p[1]; p+=2; *--p=8; r=r*10+ga[1];", 68),
    "gp5": ("ga[0]=1;ga[1]=2; int* p=ga; int x=*p++; int y=*p; int r=x*10+y;", 12),
    "gp6": ("ga[0]=5; (*ga)++; int r=ga[0];", 6),
    "gp7": ("ga[1]=3; put(ga+1,9); int r=ga[1];", 9),
    "gp8": ("for(int i=0;i<3;i++) ga[i]=i; int s=0; for(int*p=ga;p!=ga+3;++p) s=s*10+*p; int r=s;", 12),
    "gp9": ("ga[0]=1;ga[1]=2; int* p=ga; bumpptr(p); int r=*p;", 2),
    "gp10": ("ga[0]=1;ga[1]=2; int* p=(ga[0]?ga+1:ga); int r=*p;", 2),
    "gst": ("gs.a=1; gs.b=2; KP* p=&gs; p->a+=4; int r=gs.a*10+p->b;", 52),
    "gst2": ("gs.a=1; gs.b=2; KP c=gs; gs.a=9; int r=c.a*10+gs.a;", 19),
    "gst3": ("gsa[0].a=1; gsa[1].a=2; KP* p=gsa; p++; p->a=7; int r=gsa[0].a*10+gsa[1].a;", 17),
    "gst4": ("gsa[1]=KP{3,4}; gsa[0]=gsa[1]; gsa[1].b=9; int r=gsa[0].b*10+gsa[1].b;", 49),
    "gref": ("int& x=ga[1]; x=4; x*=2; int r=ga[1];", 8),
    "g2d": ("gm[1][2]=5; gm[0][2]=1; int* row=gm[1]; int r=row[2]*10+gm[0][2];", 51),
    "gidx": ("ga[0]=1; ga[1]=2; ga[2]=0; int r=ga[ga[ga[0]-1]]*10+ga[ga[2]];", 21),
    "gpost": ("ga[0]=3; int x=ga[0]++; int y=++ga[0]; int r=x*100+y*10+ga[0];", 355),
    "gshort": ("gc=250; gc+=10; int r=gc;", 4),
    "gchain": ("ga[0]=ga[1]=ga[2]=6; int r=ga[0]+ga[1]+ga[2];", 18),
    "gswap": ("ga[0]=1; ga[1]=2; swp(ga[0],ga[1]); int r=ga[0]*10+ga[1];", 21),
    "gcall": ("ga[0]=2; int r=addg(3); r+=ga[0];", 55),
    "gbool": ("gb=5; int r=gb+gb;", 2),
    "gconst": ("int r=gk+1;", 8),
    "gretref": ("refof(1)=8; int r=ga[1];", 8),
    "gcast": ("ga[0]=-1; int r=(unsigned)ga[0]>5u;", 1),
    "gminus": ("gu=0; gu--; int r=gu>5;", 1),
    "sizes": ("int r=sizeof(KP)*100+sizeof(ga);", 812),
    "boxg": ("bx.set(4); int r=bx.get();", 4),
    "memfn": ("Acc a; a.add(3); a.add(4); int r=a.total();", 7),
    "memref": ("Acc a; Acc& b=a; b.add(3); int r=a.total();", 3),
    "memptr": ("Acc a; Acc* b=&a; b->add(3); b->add(1); int r=a.total();", 4),
    "this": ("Acc a; int r=a.twice(5);", 10),
    "common_type": ("unsigned char v = 1; long long a = ~(1 ? v : 4u); int r = a > 0;", 1),
    "common_type_signed": ("short v = -3; unsigned u = 5; int r = (((1 ? v : u) | 1) >> 4) == 268435455u;", 1),
    "cast_then_complement": ("unsigned char v = 1; long long a = ~(unsigned)v; int r = a > 0;", 1),
    "cast_then_multiply": ("int v = 100000; long long a = (long long)v * v; int r = a / 1000000;", 10000),
    "wide_parameter": ("int v = 100000; int r = square(v) / 1000000;", 10000),
    "wide_result": ("unsigned char v = 200; int r = (widened(v) - 201) > 5;", 1),
}
