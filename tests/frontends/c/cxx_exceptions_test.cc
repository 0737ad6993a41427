// C++ that throws, as g++ runs it.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

using frontends::c::Compilation;
using frontends::c::CompileC;

// Through frames with destructors; by value, by reference, by base class, by pointer; thrown again;
// out of constructors; inside destructors; casts that throw.
constexpr std::string_view kSource = R"(#include <cstdio>
#include <exception>
#include <stdexcept>
#include <typeinfo>
#include <new>
struct Noise { const char* n; Noise(const char* s):n(s){std::printf("+%s\n",n);} ~Noise(){std::printf("-%s\n",n);} };
struct Base { int b; Base(int x):b(x){} virtual ~Base(){} virtual const char* who() const {return "Base";} };
struct Left : virtual Base { Left(int x):Base(x){} const char* who() const override {return "Left";} };
struct Right : virtual Base { Right(int x):Base(x){} const char* who() const override {return "Right";} };
struct Both : Left, Right { int c; Both(int x):Base(x),Left(x),Right(x),c(x*2){} const char* who() const override {return "Both";} };
struct Plain1 { int a=1; }; struct Plain2 { int a=2; }; struct Multi : Plain1, Plain2 { int m=3; };
struct Private : private Plain1 { int p=4; };
struct Copy { int v; static int alive; Copy(int x):v(x){++alive;} Copy(const Copy&o):v(o.v+100){++alive;} ~Copy(){--alive;} }; int Copy::alive=0;
static int depth(int n) { Noise a("frame"); if(n==0) throw Both(7); int r=depth(n-1); std::printf("never %d\n",r); return r+1; }
static int test(int k) {
  try {
    switch(k) {
      case 0: return depth(5);
      case 1: throw 42;
      case 2: throw "text";
      case 3: throw Multi();
      case 4: throw Private();
      case 5: { static Both b(9); throw &b; }
      case 6: throw nullptr;
      case 7: throw 2.5;
      case 8: throw std::out_of_range("range");
      case 9: throw Copy(5);
      case 10: try { throw 1; } catch(int& x) { x = 99; throw; }
      case 11: try { throw std::runtime_error("inner"); } catch (const std::exception& e) { std::printf("in %s\n", e.what()); throw std::logic_error("outer"); }
      case 12: { Base* p = new Both(3); Noise n("cast"); auto* r = dynamic_cast<Right*>(p); std::printf("%s %d\n", r?r->who():"null", r?r->b:0); Left* l=dynamic_cast<Left*>(r); std::printf("%s\n", l?"cross":"none"); delete p; Base q(1); dynamic_cast<Left&>(q); return 1; }
      case 13: { Base* p=nullptr; std::printf("%s\n", typeid(*p).name()); return 0; }
      case 14: throw 'c';
      case 15: throw (const Both*)nullptr;
      case 16: { int* p = nullptr; throw p; }
      case 17: throw 5000000000LL;
      default: return -1;
    }
  } catch (const Left& l) { std::printf("Left %s %d\n", l.who(), l.b); return 1; }
  catch (int x) { std::printf("int %d\n", x); return 2; }
  catch (const char* s) { std::printf("text %s\n", s); return 3; }
  catch (Plain2& p) { std::printf("Plain2 %d\n", p.a); return 4; }
  catch (const Base* b) { std::printf("Base* %s\n", b?b->who():"null"); return 5; }
  catch (void* p) { std::printf("void* %d\n", p==nullptr); return 6; }
  catch (double d) { std::printf("double %g\n", d); return 7; }
  catch (const std::logic_error& e) { std::printf("logic %s\n", e.what()); return 8; }
  catch (std::exception& e) { std::printf("exception %s\n", typeid(e).name()); return 9; }
  catch (Copy c) { std::printf("Copy %d alive %d\n", c.v, Copy::alive); return 10; }
  catch (...) { std::printf("... uncaught %d\n", std::uncaught_exceptions()); return 11; }
}
struct InDtor { ~InDtor() { try { std::printf("dtor uncaught %d\n", std::uncaught_exceptions()); throw 3; } catch (int x) { std::printf("dtor caught %d\n", x); } } };
static void nested() { try { InDtor d; throw 8; } catch (int x) { std::printf("outer %d\n", x); } }
struct Ctor { Noise a{"a"}; Noise b{"b"}; Ctor() { throw 1; } };
int main() {
  for (int k=0;k<19;++k) { int r=test(k); std::printf("%d -> %d\n", k, r); }
  std::printf("alive %d\n", Copy::alive);
  nested();
  try { Ctor c; } catch (int) { std::puts("ctor"); }
  try { new Ctor; } catch (...) { std::puts("new ctor"); }
  try { try { throw 1; } catch (...) { throw; } } catch (int x) { std::printf("re %d\n", x); }
  int sum = 0; for (int i=0;i<1000;++i) { try { if (i%3==0) throw i; sum+=1; } catch (int x) { sum+=x; } } std::printf("%d\n", sum);
}
)";

// What g++ 12 makes of it prints this.
constexpr std::string_view kOutput = R"(+frame
+frame
+frame
+frame
+frame
+frame
-frame
-frame
-frame
-frame
-frame
-frame
Left Both 7
0 -> 1
int 42
1 -> 2
text text
2 -> 3
Plain2 2
3 -> 4
... uncaught 0
4 -> 11
Base* Both
5 -> 5
text (null)
6 -> 3
double 2.5
7 -> 7
logic range
8 -> 8
Copy 105 alive 2
9 -> 10
int 99
10 -> 2
in inner
logic outer
11 -> 8
+cast
Both 3
cross
-cast
exception St8bad_cast
12 -> 9
exception St10bad_typeid
13 -> 9
... uncaught 0
14 -> 11
Base* null
15 -> 5
void* 1
16 -> 6
... uncaught 0
17 -> 11
18 -> -1
alive 0
dtor uncaught 1
dtor caught 3
outer 8
+a
+b
-b
-a
ctor
+a
+b
-b
-a
new ctor
re 1
167499
)";

TEST(CxxExceptions, AProgramThatThrowsEverythingPrintsWhatAnotherCompilerMakesOfIt) {
  SKIP_WITHOUT_C();
  for (const int level : {0, 2}) {
    frontends::c::CompileOptions options;
    options.level = level;
    Compilation compilation = CompileC("", kSource, "prog.cc", options);
    ASSERT_TRUE(compilation.program)
        << compilation.program.error().ToString() << compilation.diagnostics;
    const Outcome outcome =
        RunOnBoth(std::make_shared<const isa::Program>(*std::move(compilation.program)), {});
    EXPECT_EQ(outcome.out, kOutput);
    EXPECT_EQ(outcome.end, "halted");
  }
}

}  // namespace
}  // namespace txvm::tests
