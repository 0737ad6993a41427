#include "vm/tensor/gemm_bf16.h"

#include <dnnl.h>

#include <array>
#include <map>
#include <memory>

#include "isa/support/result.h"
#include "vm/tensor/dnnl_library.h"
#include "vm/tensor/nn.h"

namespace txvm::vm {
namespace {

constexpr std::size_t kMostProducts = 64;  // shapes a thread remembers

// clang-format off
#define TXVM_DNNL_FUNCTIONS(X)                                                        \
  X(dnnl_get_effective_cpu_isa)      X(dnnl_engine_create)                            \
  X(dnnl_stream_create)              X(dnnl_stream_wait)                              \
  X(dnnl_stream_destroy)             X(dnnl_memory_desc_init_by_strides)              \
  X(dnnl_matmul_desc_init)           X(dnnl_primitive_desc_create)                    \
  X(dnnl_primitive_desc_destroy)     X(dnnl_primitive_create)                         \
  X(dnnl_primitive_execute)          X(dnnl_primitive_destroy)                        \
  X(dnnl_memory_create)              X(dnnl_memory_set_data_handle)                   \
  X(dnnl_memory_destroy)
// clang-format on

/// oneDNN's functions, and the engine that all products share; null without the library.
struct Library {
#define TXVM_MEMBER(name) decltype(&::name) name = nullptr;
  TXVM_DNNL_FUNCTIONS(TXVM_MEMBER)
#undef TXVM_MEMBER
  dnnl_engine_t engine = nullptr;
  bool has_bf16 = false;
};

void Check(dnnl_status_t status) { TXVM_ASSERT(status == dnnl_success); }

Library Load() {
  Library library;
  bool complete = true;
#define TXVM_FIND(name)                                                       \
  library.name = reinterpret_cast<decltype(library.name)>(DnnlSymbol(#name)); \
  complete &= library.name != nullptr;
  TXVM_DNNL_FUNCTIONS(TXVM_FIND)
#undef TXVM_FIND
  if (!complete) return library;
  // Every set of instructions contains the bits of those below it.
  const int wanted = dnnl_cpu_isa_avx512_core_amx;
  library.has_bf16 = (library.dnnl_get_effective_cpu_isa() & wanted) == wanted;
  if (library.has_bf16) Check(library.dnnl_engine_create(&library.engine, dnnl_cpu, 0));
  return library;
}

const Library& TheLibrary() {
  static const Library library = Load();
  return library;
}

template <class T>
using Owned = std::unique_ptr<T, dnnl_status_t (*)(T*)>;

/// A product of matrices of one shape.
struct Product {
  Owned<dnnl_primitive> primitive;
  Owned<dnnl_memory> a, b, c;
};

/// m, n, k and the stride of c.
using Shape = std::array<std::size_t, 4>;

dnnl_memory_desc_t Layout(dnnl_data_type_t type, const std::array<std::size_t, 2>& size,
                          const std::array<std::size_t, 2>& stride) {
  dnnl_dims_t sizes{}, strides{};
  for (std::size_t i = 0; i < 2; ++i) {
    sizes[i] = static_cast<dnnl_dim_t>(size[i]);
    strides[i] = static_cast<dnnl_dim_t>(stride[i]);
  }
  dnnl_memory_desc_t layout;
  Check(TheLibrary().dnnl_memory_desc_init_by_strides(&layout, 2, sizes, type, strides));
  return layout;
}

Product MakeProduct(const Shape& shape) {
  const Library& library = TheLibrary();
  const auto [m, n, k, c_stride] = shape;
  const dnnl_memory_desc_t a = Layout(dnnl_bf16, {m, k}, {k, 1});
  const dnnl_memory_desc_t b =
      Layout(dnnl_bf16, {k, n}, {1, k});  // its transpose is what lies there
  const dnnl_memory_desc_t c = Layout(dnnl_f32, {m, n}, {c_stride, 1});
  dnnl_matmul_desc_t operation;
  Check(library.dnnl_matmul_desc_init(&operation, &a, &b, nullptr, &c));
  dnnl_primitive_desc_t chosen = nullptr;
  Check(library.dnnl_primitive_desc_create(&chosen, &operation, nullptr, library.engine, nullptr));
  dnnl_primitive_t primitive = nullptr;
  Check(library.dnnl_primitive_create(&primitive, chosen));
  Check(library.dnnl_primitive_desc_destroy(chosen));
  const auto memory = [&](const dnnl_memory_desc_t& layout) {
    dnnl_memory_t made = nullptr;
    Check(library.dnnl_memory_create(&made, &layout, library.engine, DNNL_MEMORY_NONE));
    return Owned<dnnl_memory>(made, library.dnnl_memory_destroy);
  };
  return {{primitive, library.dnnl_primitive_destroy}, memory(a), memory(b), memory(c)};
}

/// One thread's products and the stream they run on: a primitive's scratch memory belongs to the
/// thread that made it.
class Products {
 public:
  Products() : stream_(nullptr, TheLibrary().dnnl_stream_destroy) {
    dnnl_stream_t stream = nullptr;
    Check(TheLibrary().dnnl_stream_create(&stream, TheLibrary().engine, dnnl_stream_default_flags));
    stream_.reset(stream);
  }

  void Run(const Shape& shape, const std::uint16_t* a, const std::uint16_t* b, float* c) {
    const Product& product = Of(shape);
    // The inputs are not written to; the interface does not say so.
    Point(product.a, const_cast<std::uint16_t*>(a));
    Point(product.b, const_cast<std::uint16_t*>(b));
    Point(product.c, c);
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, product.a.get()},
                                         {DNNL_ARG_WEIGHTS, product.b.get()},
                                         {DNNL_ARG_DST, product.c.get()}};
    const Library& library = TheLibrary();
    Check(library.dnnl_primitive_execute(product.primitive.get(), stream_.get(),
                                         static_cast<int>(std::size(arguments)), arguments));
    Check(library.dnnl_stream_wait(stream_.get()));
  }

 private:
  static void Point(const Owned<dnnl_memory>& memory, void* data) {
    Check(TheLibrary().dnnl_memory_set_data_handle(memory.get(), data));
  }

  const Product& Of(const Shape& shape) {
    if (const auto found = products_.find(shape); found != products_.end()) return found->second;
    if (products_.size() == kMostProducts) products_.clear();
    return products_.emplace(shape, MakeProduct(shape)).first->second;
  }

  Owned<dnnl_stream> stream_;
  std::map<Shape, Product> products_;
};

}  // namespace

bool HasBf16Gemm() { return TheLibrary().has_bf16; }

void RoundToBf16(std::span<const float> from, std::uint16_t* to) {
  RoundRowToBf16(from.data(), from.size(), to);
}

void MultiplyTransposedBf16(const std::uint16_t* a, const std::uint16_t* b, float* c, std::size_t m,
                            std::size_t n, std::size_t k, std::size_t c_stride) {
  TXVM_ASSERT(HasBf16Gemm());
  UseOneDnnlThread();
  thread_local Products products;
  products.Run({m, n, k, c_stride}, a, b, c);
}

}  // namespace txvm::vm
