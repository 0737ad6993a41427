// txvm_embed_bench: what an instance, a call and a host call cost an embedding, through the C
// interface, beside Lua 5.4 where it is installed and wasm3 where a checkout is named.
// docs/EMBEDDING.md has the table.
#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "vm/txvm.h"

#ifdef TXVM_HAS_LUA
extern "C" {
#include <lauxlib.h>
#include <lua.h>
}
#endif

#ifdef TXVM_HAS_WASM3
#include "wasm3.h"
#endif

namespace {

constexpr int kRepeats = 9;        // the median of these is printed
constexpr int kInstances = 1'000;  // made at a time
constexpr int kCalls = 1'000'000;  // a repeat
constexpr double kKilobyte = 1024;

constexpr const char* kProgram = R"(
.memory 1 1
.import host "env" "host" params=1 results=1
.import back "env" "back" params=1 results=1
.func add params=2 results=1
  ADD
.end
.func loop params=1 results=1
  LOCAL.SET 0
  PUSH 0
  loop params=1 results=1
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
.end
.func calls params=1 results=1
  LOCAL.SET 0
  PUSH 0
  loop params=1 results=1
    CALL host
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
.end
.func backs params=1 results=1
  LOCAL.SET 0
  PUSH 0
  loop params=1 results=1
    CALL back
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
.end
)";
constexpr const char* kExports =
    ".export \"add\" add\n.export \"loop\" loop\n.export \"calls\" calls\n.export \"backs\" "
    "backs\n";

void Check(txvm_error* error) {
  if (error == nullptr) return;
  std::fprintf(stderr, "%s\n", txvm_error_report(error));
  std::exit(1);
}

/// The program above after `instructions` of code that is never run, as a program of some size
/// has.
std::string ProgramText(int instructions) {
  std::string text = std::string(kProgram) + ".func unused\n";
  for (int i = 0; i < instructions; ++i) text += "  NOP\n";
  return text + ".end\n" + kExports;
}

/// Nanoseconds this thread has had a processor: what else runs on the system does not count.
double Now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Nanoseconds that `body` takes, the median over the repeats, divided by `count`.
double Nanoseconds(double count, const std::function<void()>& body) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const double start = Now();
    body();
    times.push_back((Now() - start) / count);
  }
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return times[kRepeats / 2];
}

/// Memory this process has touched and not given back, in bytes.
double Touched() {
  malloc_trim(0);
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  while (file >> word) {
    double kilobytes = 0;
    if (word == "Private_Dirty:" && file >> kilobytes) return kilobytes * kKilobyte;
  }
  return 0;
}

struct Row {
  std::string name;
  double make = 0, drop = 0;       // ns an instance
  double idle = 0, called = 0;     // bytes touched by an instance: made, and after one call
  double call = 0, host_call = 0;  // ns
  double call_back = 0;            // ns of a call that the host function makes of its caller
};

void Print(const Row& row) {
  std::fputs(fmt::format("| {:<34} | {:>8.2f} | {:>8.2f} | {:>8.1f} | {:>8.1f} | {:>8.1f} | "
                         "{:>8.1f} | {:>8.1f} |\n",
                         row.name, row.make / 1e3, row.drop / 1e3, row.idle / kKilobyte,
                         row.called / kKilobyte, row.call, row.host_call, row.call_back)
                 .c_str(),
             stdout);
}

txvm_host_status Increment(void*, txvm_instance*, const int32_t* args, int32_t* results) {
  results[0] = args[0] + 1;
  return TXVM_HOST_CONTINUE;
}

txvm_host_status IncrementBack(void*, txvm_instance* caller, const int32_t* args,
                               int32_t* results) {
  const int32_t terms[] = {args[0], 1};
  txvm_outcome outcome{};
  outcome.size = sizeof(outcome);
  Check(txvm_host_call(caller, 0, terms, 2, results, 1, &outcome));
  return TXVM_HOST_CONTINUE;
}

class TxvmBench {
 public:
  TxvmBench(const char* engine, int instructions) {
    txvm_engine_options options{};
    options.size = sizeof(options);
    options.engine = engine;
    Check(txvm_engine_new(&options, &engine_));
    Check(txvm_linker_new(engine_, &linker_));
    Check(txvm_linker_define(linker_, "env", "host", "i:i", Increment, nullptr, nullptr));
    Check(txvm_linker_define(linker_, "env", "back", "i:i", IncrementBack, nullptr, nullptr));
    const std::string text = ProgramText(instructions);
    Check(txvm_program_load(engine_, text.data(), text.size(), "bench.txa", &program_));
    row_.name = fmt::format("txvm {}, {} instructions", engine, txvm_code_size(program_));
  }
  ~TxvmBench() {
    txvm_program_delete(program_);
    txvm_linker_delete(linker_);
    txvm_engine_delete(engine_);
  }
  TxvmBench(const TxvmBench&) = delete;
  TxvmBench& operator=(const TxvmBench&) = delete;

  Row Run() {
    Make();  // the first instance makes what all share
    Call(instances_.front(), 0, {1, 2});
    Drop();
    const double before = Touched();
    std::vector<double> drops;
    row_.make = Nanoseconds(kInstances, [&] {
      const double start = Now();
      Drop();
      drops.push_back(Now() - start);
      Make();
    });
    row_.idle = (Touched() - before) / kInstances;
    for (txvm_instance* instance : instances_) Call(instance, 0, {1, 2});
    row_.called = (Touched() - before) / kInstances;
    std::sort(drops.begin() + 1, drops.end());  // the first had nothing to drop
    row_.drop = drops[kRepeats / 2] / kInstances;
    row_.make -= row_.drop;
    txvm_instance* const instance = instances_.front();
    row_.call = Nanoseconds(kCalls, [&] {
      for (int i = 0; i < kCalls; ++i) Call(instance, 0, {i, 2});
    });
    const double without = Nanoseconds(kCalls, [&] { Call(instance, 1, {kCalls}); });
    row_.host_call = Nanoseconds(kCalls, [&] { Call(instance, 2, {kCalls}); }) - without;
    row_.call_back =
        Nanoseconds(kCalls, [&] { Call(instance, 3, {kCalls}); }) - without - row_.host_call;
    Drop();
    return row_;
  }

 private:
  void Make() {
    for (int i = 0; i < kInstances; ++i) {
      txvm_instance* instance = nullptr;
      Check(txvm_instance_new(program_, linker_, nullptr, &instance));
      instances_.push_back(instance);
    }
  }
  void Drop() {
    for (txvm_instance* instance : instances_) txvm_instance_delete(instance);
    instances_.clear();
  }
  static void Call(txvm_instance* instance, std::uint32_t function,
                   std::initializer_list<std::int32_t> args) {
    std::int32_t result = 0;
    txvm_outcome outcome{};
    outcome.size = sizeof(outcome);
    Check(txvm_call(instance, function, args.begin(), args.size(), &result, 1, &outcome));
    if (outcome.stop != TXVM_HALTED) std::abort();
  }

  txvm_engine* engine_ = nullptr;
  txvm_linker* linker_ = nullptr;
  txvm_program* program_ = nullptr;
  std::vector<txvm_instance*> instances_;
  Row row_;
};

#ifdef TXVM_HAS_LUA
constexpr const char* kLua = R"(
function add(a, b) return a + b end
function loop(n) local x = 0 while n ~= 0 do n = n - 1 end return x end
function calls(n) local x, host = 0, host while n ~= 0 do x = host(x) n = n - 1 end return x end
function backs(n) local x, back = 0, back while n ~= 0 do x = back(x) n = n - 1 end return x end
)";

int LuaIncrement(lua_State* lua) {
  lua_pushinteger(lua, lua_tointeger(lua, 1) + 1);
  return 1;
}

int LuaIncrementBack(lua_State* lua) {
  lua_getglobal(lua, "add");
  lua_pushvalue(lua, 1);
  lua_pushinteger(lua, 1);
  lua_call(lua, 2, 1);
  return 1;
}

// A state with the functions of the program, without Lua's libraries.
lua_State* NewLua() {
  lua_State* lua = luaL_newstate();
  lua_register(lua, "host", LuaIncrement);
  lua_register(lua, "back", LuaIncrementBack);
  if (luaL_loadstring(lua, kLua) != LUA_OK || lua_pcall(lua, 0, 0, 0) != LUA_OK) std::abort();
  return lua;
}

void CallLua(lua_State* lua, int function, std::initializer_list<lua_Integer> args) {
  lua_pushvalue(lua, function);
  for (const lua_Integer arg : args) lua_pushinteger(lua, arg);
  if (lua_pcall(lua, static_cast<int>(args.size()), 1, 0) != LUA_OK) std::abort();
  lua_pop(lua, 1);
}

Row LuaStates(const std::string& name, lua_State* (*make)()) {
  Row row;
  row.name = name;
  std::vector<lua_State*> states;
  std::vector<double> drops;
  const double before = Touched();
  row.make = Nanoseconds(kInstances, [&] {
    const double start = Now();
    for (lua_State* lua : states) lua_close(lua);
    drops.push_back(Now() - start);
    states.clear();
    for (int i = 0; i < kInstances; ++i) states.push_back(make());
  });
  row.idle = (Touched() - before) / kInstances;
  row.called = row.idle;
  std::sort(drops.begin() + 1, drops.end());
  row.drop = drops[kRepeats / 2] / kInstances;
  row.make -= row.drop;
  for (lua_State* lua : states) lua_close(lua);
  return row;
}

void RunLua() {
  Print(LuaStates(LUA_RELEASE " lua_newstate alone", luaL_newstate));
  Row row = LuaStates(LUA_RELEASE " with the functions", NewLua);
  lua_State* lua = NewLua();
  for (const char* name : {"add", "loop", "calls", "backs"}) lua_getglobal(lua, name);
  row.call = Nanoseconds(kCalls, [&] {
    for (int i = 0; i < kCalls; ++i) CallLua(lua, 1, {i, 2});
  });
  const double without = Nanoseconds(kCalls, [&] { CallLua(lua, 2, {kCalls}); });
  row.host_call = Nanoseconds(kCalls, [&] { CallLua(lua, 3, {kCalls}); }) - without;
  row.call_back = Nanoseconds(kCalls, [&] { CallLua(lua, 4, {kCalls}); }) - without - row.host_call;
  lua_close(lua);
  Print(row);
}
#else
void RunLua() { std::puts("Lua: not measured, liblua5.4-dev was not there when this was built"); }
#endif

#ifdef TXVM_HAS_WASM3
// (module (import "env" "host" (func $host (param i32) (result i32)))
//   (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
//   (func (export "loop") (param i32) (result i32) (local i32)
//     (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1))
//   (func (export "calls") (param i32) (result i32) (local i32)
//     (loop (local.set 1 (call $host (local.get 1)))
//       (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (local.get 1)))
constexpr std::uint8_t kModule[] = {
    0,   97,  115, 109, 1,   0,  0,  0,   1,   12,  2,   96,  1,   127, 1,   127, 96,  2,
    127, 127, 1,   127, 2,   12, 1,  3,   101, 110, 118, 4,   104, 111, 115, 116, 0,   0,
    3,   4,   3,   1,   0,   0,  7,  22,  3,   3,   97,  100, 100, 0,   1,   4,   108, 111,
    111, 112, 0,   2,   5,   99, 97, 108, 108, 115, 0,   3,   10,  53,  3,   7,   0,   32,
    0,   32,  1,   106, 11,  18, 1,  1,   127, 3,   64,  32,  0,   65,  1,   107, 34,  0,
    13,  0,   11,  32,  1,   11, 24, 1,   1,   127, 3,   64,  32,  1,   16,  0,   33,  1,
    32,  0,   65,  1,   107, 34, 0,  13,  0,   11,  32,  1,   11};

m3ApiRawFunction(IncrementWasm3) {
  m3ApiReturnType(std::int32_t);
  m3ApiGetArg(std::int32_t, value);
  m3ApiReturn(value + 1);
}

void CheckWasm3(M3Result result) {
  if (result == m3Err_none) return;
  std::fprintf(stderr, "wasm3: %s\n", result);
  std::exit(1);
}

IM3Function Find(IM3Runtime runtime, const char* name) {
  IM3Function function = nullptr;
  CheckWasm3(m3_FindFunction(&function, runtime, name));
  return function;
}

// A runtime with the module: parsed for each, as wasm3 shares none.
IM3Runtime NewWasm3(IM3Environment environment) {
  constexpr std::uint32_t kStackBytes = 64 * 1024;
  IM3Runtime runtime = m3_NewRuntime(environment, kStackBytes, nullptr);
  IM3Module module = nullptr;
  CheckWasm3(m3_ParseModule(environment, &module, kModule, sizeof kModule));
  CheckWasm3(m3_LoadModule(runtime, module));
  CheckWasm3(m3_LinkRawFunction(module, "env", "host", "i(i)", IncrementWasm3));
  Find(runtime, "add");
  return runtime;
}

void RunWasm3() {
  Row row;
  row.name = "wasm3 " M3_VERSION;
  IM3Environment environment = m3_NewEnvironment();
  std::vector<IM3Runtime> runtimes;
  std::vector<double> drops;
  const double before = Touched();
  row.make = Nanoseconds(kInstances, [&] {
    const double start = Now();
    for (IM3Runtime runtime : runtimes) m3_FreeRuntime(runtime);
    drops.push_back(Now() - start);
    runtimes.clear();
    for (int i = 0; i < kInstances; ++i) runtimes.push_back(NewWasm3(environment));
  });
  row.idle = row.called = (Touched() - before) / kInstances;
  std::sort(drops.begin() + 1, drops.end());
  row.drop = drops[kRepeats / 2] / kInstances;
  row.make -= row.drop;
  IM3Runtime runtime = runtimes.front();
  IM3Function add = Find(runtime, "add");
  row.call = Nanoseconds(kCalls, [&] {
    std::int32_t result = 0;
    for (int i = 0; i < kCalls; ++i) {
      CheckWasm3(m3_CallV(add, i, 2));
      CheckWasm3(m3_GetResultsV(add, &result));
    }
  });
  IM3Function loop = Find(runtime, "loop"), calls = Find(runtime, "calls");
  const double without = Nanoseconds(kCalls, [&] { CheckWasm3(m3_CallV(loop, kCalls)); });
  row.host_call = Nanoseconds(kCalls, [&] { CheckWasm3(m3_CallV(calls, kCalls)); }) - without;
  for (IM3Runtime each : runtimes) m3_FreeRuntime(each);
  m3_FreeEnvironment(environment);
  Print(row);
}
#else
void RunWasm3() { std::puts("wasm3: not measured, configure with -DTXVM_WASM3=CHECKOUT"); }
#endif

}  // namespace

// txvm_embed_bench [ENGINE...]: these engines alone, then the others' rows.
int main(int argc, char** argv) {
  std::vector<const char*> engines(argv + 1, argv + argc);
  if (engines.empty()) engines = {"folded", "native", "attention"};
  std::puts(
      "Processor time, median of 9; 1,000 instances; touched memory is Private_Dirty, linear "
      "memory untouched.\n");
  std::puts(
      "| what                               |  make us | drop us |  idle KB | run KB   |  call ns "
      "| host ns  | back ns  |");
  std::puts("|--|--:|--:|--:|--:|--:|--:|--:|");
  for (const char* engine : engines) {
    for (const int instructions : {0, 20'000}) Print(TxvmBench(engine, instructions).Run());
  }
  RunLua();
  RunWasm3();
}
