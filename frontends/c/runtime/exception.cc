/* What clang's code calls to throw and to catch, in the scheme of -fwasm-exceptions: a throw is the
   tag __cpp_exception with the address of an Unwind, which the object follows. After a catch, the
   code asks _Unwind_CallPersonality which of its handlers takes the object; the tables that say so
   are those of the Itanium C++ ABI, section 7 of the exception handling part, by number of the
   landing pad instead of by address. */
#include <exception>
#include <new>
#include <stddef.h>
#include <stdexcept>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <typeinfo>

namespace {

struct Unwind {
  uint64_t exception_class;
  void (*cleanup)(int, Unwind*);
  uintptr_t private_words[2];
};

/* In front of a thrown object. */
struct Header {
  const std::type_info* type;
  void* (*destructor)(void*); /* on this machine it returns its argument */
  int handlers;     /* that have begun and not ended; below 0 while it is thrown again */
  Header* next;     /* caught before it */
  void* adjusted;   /* the object as the handler's type */
  Unwind unwind;
};

Header* caught;
int uncaught;

Header* header_of(void* object) { return static_cast<Header*>(object) - 1; }
Header* header_of_unwind(void* unwind) {
  return reinterpret_cast<Header*>(static_cast<char*>(unwind) - offsetof(Header, unwind));
}
void* object_of(Header* header) { return header + 1; }

[[noreturn]] void throw_header(Header* header) { __builtin_wasm_throw(0, &header->unwind); }

uintptr_t read_unsigned(const uint8_t*& at) {
  uintptr_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = *at++;
    value |= static_cast<uintptr_t>(byte & 0x7F) << shift;
    shift += 7;
  } while (byte & 0x80);
  return value;
}

intptr_t read_signed(const uint8_t*& at) {
  uintptr_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = *at++;
    value |= static_cast<uintptr_t>(byte & 0x7F) << shift;
    shift += 7;
  } while (byte & 0x80);
  if ((byte & 0x40) && shift < 32) value |= ~uintptr_t{0} << shift;
  return static_cast<intptr_t>(value);
}

constexpr uint8_t kOmitted = 0xFF;

/* Whether a handler of this type takes the exception; then its object as that type. */
bool takes(const std::type_info* handler, Header* header, void*& object) {
  object = object_of(header);
  return handler == nullptr || handler->__txvm_takes(header->type, object);
}

}  // namespace

extern "C" {

/* What the code in front of a call sets, and reads the selector from. */
struct {
  uintptr_t landing_pad;
  const uint8_t* table;
  uintptr_t selector;
} __wasm_lpad_context;

int _Unwind_CallPersonality(void* unwind) {
  Header* const header = header_of_unwind(unwind);
  __wasm_lpad_context.selector = 0;
  header->adjusted = object_of(header);
  const uint8_t* at = __wasm_lpad_context.table;
  if (at == nullptr) return 0;
  if (*at++ != kOmitted) return 0; /* landing pads are numbers here */
  const uint8_t type_encoding = *at++;
  const uintptr_t* types = nullptr;
  if (type_encoding != kOmitted) {
    const uintptr_t offset = read_unsigned(at);
    types = reinterpret_cast<const uintptr_t*>(at + offset);
  }
  ++at; /* how call sites are written: as numbers of 7 bits a byte */
  const uintptr_t bytes = read_unsigned(at);
  const uint8_t* const actions = at + bytes;
  for (uintptr_t pad = 0; at < actions; ++pad) {
    read_unsigned(at); /* its own number */
    const uintptr_t action = read_unsigned(at);
    if (pad != __wasm_lpad_context.landing_pad) continue;
    if (action == 0) return 0;
    const uint8_t* entry = actions + action - 1;
    for (;;) {
      const intptr_t index = read_signed(entry);
      if (index > 0) {
        const auto* type = reinterpret_cast<const std::type_info*>(types[-index]);
        void* object;
        if (takes(type, header, object)) {
          header->adjusted = object;
          __wasm_lpad_context.selector = static_cast<uintptr_t>(index);
          return 0;
        }
      }
      const uint8_t* const next = entry;
      const intptr_t offset = read_signed(entry);
      if (offset == 0) return 0;
      entry = next + offset;
    }
  }
  return 0;
}

int __gxx_wasm_personality_v0(void*) { return 0; } /* named by tables, never called */

void* __cxa_allocate_exception(size_t size) {
  auto* const header = static_cast<Header*>(malloc(sizeof(Header) + size));
  if (header == nullptr) std::terminate();
  memset(header, 0, sizeof(Header));
  return object_of(header);
}

void __cxa_free_exception(void* object) { free(header_of(object)); }

[[noreturn]] void __cxa_throw(void* object, const std::type_info* type, void* (*destructor)(void*)) {
  Header* const header = header_of(object);
  header->type = type;
  header->destructor = destructor;
  header->adjusted = object;
  ++uncaught;
  throw_header(header);
}

void* __cxa_get_exception_ptr(void* unwind) { return header_of_unwind(unwind)->adjusted; }

void* __cxa_begin_catch(void* unwind) {
  Header* const header = header_of_unwind(unwind);
  header->handlers = header->handlers < 0 ? -header->handlers + 1 : header->handlers + 1;
  if (header != caught) {
    header->next = caught;
    caught = header;
  }
  --uncaught;
  return header->adjusted;
}

void __cxa_end_catch() {
  Header* const header = caught;
  if (header == nullptr) return;
  if (header->handlers < 0) { /* thrown again: it lives on */
    if (++header->handlers == 0) caught = header->next;
    return;
  }
  if (--header->handlers != 0) return;
  caught = header->next;
  if (header->destructor != nullptr) header->destructor(object_of(header));
  free(header);
}

[[noreturn]] void __cxa_rethrow() {
  Header* const header = caught;
  if (header == nullptr) std::terminate();
  header->handlers = -header->handlers;
  ++uncaught;
  throw_header(header);
}

std::type_info* __cxa_current_exception_type() {
  return caught == nullptr ? nullptr : const_cast<std::type_info*>(caught->type);
}

[[noreturn]] void __cxa_bad_cast();
[[noreturn]] void __cxa_bad_typeid();
[[noreturn]] void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

}  // extern "C"

namespace __cxxabiv1 {

using Found = void (*)(const std::type_info*, void*, bool, void*);

class __fundamental_type_info : public std::type_info {
 public:
  ~__fundamental_type_info() override;
};
class __array_type_info : public std::type_info {
 public:
  ~__array_type_info() override;
};
class __function_type_info : public std::type_info {
 public:
  ~__function_type_info() override;
  bool __txvm_is_function() const override;
};
class __enum_type_info : public std::type_info {
 public:
  ~__enum_type_info() override;
};
class __class_type_info : public std::type_info {
 public:
  ~__class_type_info() override;
  bool __txvm_takes(const std::type_info* thrown, void*& object) const override;
  void __txvm_bases(void* object, bool is_public, void* to, Found found) const override;
};
class __si_class_type_info : public __class_type_info {
 public:
  ~__si_class_type_info() override;
  void __txvm_bases(void* object, bool is_public, void* to, Found found) const override;
  const __class_type_info* __base_type;
};
struct __base_class_type_info {
  const __class_type_info* __base_type;
  long __offset_flags;
};
class __vmi_class_type_info : public __class_type_info {
 public:
  ~__vmi_class_type_info() override;
  void __txvm_bases(void* object, bool is_public, void* to, Found found) const override;
  unsigned __flags, __base_count;
  __base_class_type_info __base_info[1];
};
class __pbase_type_info : public std::type_info {
 public:
  ~__pbase_type_info() override;
  bool __txvm_takes(const std::type_info* thrown, void*& object) const override;
  const std::type_info* __txvm_pointee() const override { return __pointee_type; }
  unsigned __txvm_qualifiers() const override { return __flags; }
  unsigned __flags;
  const std::type_info* __pointee_type;
};
class __pointer_type_info : public __pbase_type_info {
 public:
  ~__pointer_type_info() override;
};
class __pointer_to_member_type_info : public __pbase_type_info {
 public:
  ~__pointer_to_member_type_info() override;
  bool __txvm_takes(const std::type_info* thrown, void*& object) const override;
  const __class_type_info* __context;
};

/* The first virtual function that is defined here makes clang emit the tables here, of the first
   class also those of all types that are no classes. */
__fundamental_type_info::~__fundamental_type_info() {}
__array_type_info::~__array_type_info() {}
__function_type_info::~__function_type_info() {}
__enum_type_info::~__enum_type_info() {}
__class_type_info::~__class_type_info() {}
__si_class_type_info::~__si_class_type_info() {}
__vmi_class_type_info::~__vmi_class_type_info() {}
__pbase_type_info::~__pbase_type_info() {}
__pointer_type_info::~__pointer_type_info() {}
__pointer_to_member_type_info::~__pointer_to_member_type_info() {}

bool __function_type_info::__txvm_is_function() const { return true; }

/* The bases of one type in an object. */
struct Search {
  const std::type_info* type;
  void* inside; /* null, or one that has to be among them */
  void* found;
  bool is_public, is_ambiguous;
};

static void note(const std::type_info* type, void* base, bool is_public, void* to) {
  Search& search = *static_cast<Search*>(to);
  if (*type != *search.type) return;
  if (search.found == nullptr) {
    search.found = base;
    search.is_public = is_public;
  } else if (search.found == base) { /* by another way */
    search.is_public |= is_public;
  } else {
    search.is_ambiguous = true;
  }
}

static bool is_null; /* the object that is searched is none: no virtual table is there */

/* The one public base of a type in an object; null: there is none, or more than one. */
static void* find_base(const std::type_info* derived, void* object, const std::type_info* base) {
  Search search = {base, nullptr, nullptr, false, false};
  derived->__txvm_bases(object, true, &search, note);
  return search.is_public && !search.is_ambiguous ? search.found : nullptr;
}

bool __class_type_info::__txvm_takes(const std::type_info* thrown, void*& object) const {
  void* const base = find_base(thrown, object, this);
  if (base != nullptr) object = base;
  return base != nullptr;
}

void __class_type_info::__txvm_bases(void* object, bool is_public, void* to, Found found) const {
  found(this, object, is_public, to);
}

void __si_class_type_info::__txvm_bases(void* object, bool is_public, void* to, Found found) const {
  found(this, object, is_public, to);
  __base_type->__txvm_bases(object, is_public, to, found);
}

void __vmi_class_type_info::__txvm_bases(void* object, bool is_public, void* to, Found found) const {
  constexpr long kVirtual = 1, kPublic = 2, kOffsetShift = 8;
  found(this, object, is_public, to);
  for (unsigned i = 0; i < __base_count; ++i) {
    const __base_class_type_info& base = __base_info[i];
    long offset = base.__offset_flags >> kOffsetShift;
    if (is_null && (base.__offset_flags & kVirtual)) {
      /* Its own address stands for the one that the class has in any object. */
      base.__base_type->__txvm_bases(const_cast<__class_type_info*>(base.__base_type),
                                     is_public && (base.__offset_flags & kPublic), to, found);
      continue;
    }
    if (base.__offset_flags & kVirtual) {
      const char* const table = *static_cast<const char* const*>(object);
      offset = *reinterpret_cast<const long*>(table + offset);
    }
    base.__base_type->__txvm_bases(static_cast<char*>(object) + offset,
                              is_public && (base.__offset_flags & kPublic), to, found);
  }
}

static bool is_null_pointer(const std::type_info* type) { return *type == typeid(decltype(nullptr)); }

/* Pointers are thrown by value: `object` is where the pointer is, and becomes the pointer. */
bool __pbase_type_info::__txvm_takes(const std::type_info* thrown, void*& object) const {
  constexpr unsigned kConst = 1, kVolatile = 2, kQualifiers = 7, kNoexcept = 0x40;
  if (is_null_pointer(thrown)) {
    object = nullptr;
    return true;
  }
  const std::type_info* const from = thrown->__txvm_pointee();
  if (from == nullptr) return false;
  void* const pointer = *static_cast<void**>(object);
  const unsigned theirs = thrown->__txvm_qualifiers(), ours = __flags;
  if (*this == *thrown) {
    object = pointer;
    return true;
  }
  if ((theirs & ~ours & kQualifiers) != 0) return false; /* a handler may add const, not take it */
  if ((ours & ~theirs & kNoexcept) != 0) return false;
  if (*__pointee_type == *from || (*__pointee_type == typeid(void) && !from->__txvm_is_function())) {
    object = pointer;
    return true;
  }
  if (const auto* const inner = __pointee_type->__txvm_pointee(); inner && from->__txvm_pointee()) {
    /* T** to const T* const*: all levels above have to be const. */
    if ((ours & kConst) == 0 || (theirs & kVolatile & ~ours) != 0) return false;
    void* place = pointer;
    void* unused = &place;
    if (!__pointee_type->__txvm_takes(from, unused) || unused != place) return false;
    object = pointer;
    return true;
  }
  static char nothing; /* any address */
  is_null = pointer == nullptr;
  void* const base = find_base(from, is_null ? &nothing : pointer, __pointee_type);
  object = is_null ? nullptr : base;
  is_null = false;
  return base != nullptr;
}

bool __pointer_to_member_type_info::__txvm_takes(const std::type_info* thrown, void*& object) const {
  return *this == *thrown || (is_null_pointer(thrown) && (object = nullptr, true));
}

/* What a virtual table has in front of its functions. */
struct Prefix {
  long to_whole;
  const std::type_info* type;
};

/* The bases of the wanted type in a whole object, and whether the source is a public base of it. */
struct Cast {
  const std::type_info *source_type, *type;
  void* source;
  void* down;  /* one that the source is a public base of */
  void* cross; /* a public base of the whole object */
  int downs, crosses;
  bool is_source_public;
};

static void find_source(const std::type_info* type, void* base, bool is_public, void* to) {
  Cast& cast = *static_cast<Cast*>(to);
  if (is_public && base == cast.source && *type == *cast.source_type) cast.is_source_public = true;
}

static void find_target(const std::type_info* type, void* base, bool is_public, void* to) {
  Cast& cast = *static_cast<Cast*>(to);
  if (*type != *cast.type) return;
  if (is_public && base != cast.cross) {
    cast.cross = base;
    ++cast.crosses;
  }
  Cast inner = cast;
  inner.is_source_public = false;
  type->__txvm_bases(base, true, &inner, find_source);
  if (inner.is_source_public && base != cast.down) {
    cast.down = base;
    ++cast.downs;
  }
}

extern "C" void* __dynamic_cast(void* source, const __class_type_info* source_type,
                                const __class_type_info* type, long) {
  const Prefix* const prefix = *static_cast<const Prefix* const*>(source) - 1;
  void* const whole = static_cast<char*>(source) + prefix->to_whole;
  Cast cast = {source_type, type, source, nullptr, nullptr, 0, 0, false};
  prefix->type->__txvm_bases(whole, true, &cast, find_target);
  if (cast.downs == 1) return cast.down;
  if (cast.downs > 1 || cast.crosses != 1) return nullptr;
  prefix->type->__txvm_bases(whole, true, &cast, find_source);
  return cast.is_source_public ? cast.cross : nullptr;
}

}  // namespace __cxxabiv1

namespace std {

type_info::~type_info() {}
bool type_info::operator==(const type_info& other) const noexcept {
  return this == &other || __name == other.__name || strcmp(__name, other.__name) == 0;
}
bool type_info::before(const type_info& other) const noexcept {
  return strcmp(__name, other.__name) < 0;
}
size_t type_info::hash_code() const noexcept {
  constexpr size_t kPrime = 16777619;
  size_t hash = 2166136261;
  for (const char* at = __name; *at != 0; ++at) hash = (hash ^ static_cast<uint8_t>(*at)) * kPrime;
  return hash;
}
bool type_info::__txvm_takes(const type_info* thrown, void*&) const { return *this == *thrown; }
void type_info::__txvm_bases(void* object, bool is_public, void* to,
                        void (*found)(const type_info*, void*, bool, void*)) const {
  found(this, object, is_public, to);
}
const type_info* type_info::__txvm_pointee() const { return nullptr; }
unsigned type_info::__txvm_qualifiers() const { return 0; }
bool type_info::__txvm_is_function() const { return false; }

exception::~exception() {}
const char* exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() {}
const char* bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() {}
const char* bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() {}
const char* bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }

static size_t& owners(char* text) { return reinterpret_cast<size_t*>(text)[-1]; }
__text::__text(const char* text) {
  const size_t size = strlen(text) + 1;
  auto* const block = static_cast<size_t*>(malloc(sizeof(size_t) + size));
  if (block == nullptr) terminate();
  text_ = reinterpret_cast<char*>(block + 1);
  owners(text_) = 1;
  memcpy(text_, text, size);
}
__text::__text(const __text& other) noexcept : text_(other.text_) { ++owners(text_); }
__text& __text::operator=(const __text& other) noexcept {
  ++owners(other.text_);
  this->~__text();
  text_ = other.text_;
  return *this;
}
__text::~__text() {
  if (--owners(text_) == 0) free(&owners(text_));
}
logic_error::~logic_error() {}
const char* logic_error::what() const noexcept { return text_.get(); }
runtime_error::~runtime_error() {}
const char* runtime_error::what() const noexcept { return text_.get(); }
domain_error::~domain_error() {}
invalid_argument::~invalid_argument() {}
length_error::~length_error() {}
out_of_range::~out_of_range() {}
range_error::~range_error() {}
overflow_error::~overflow_error() {}
underflow_error::~underflow_error() {}

static terminate_handler handler;
terminate_handler set_terminate(terminate_handler next) noexcept {
  const terminate_handler before = handler;
  handler = next;
  return before;
}
terminate_handler get_terminate() noexcept { return handler; }
int uncaught_exceptions() noexcept { return uncaught; }

void terminate() noexcept {
  if (handler != nullptr) handler();
  const type_info* const type = __cxa_current_exception_type();
  fputs("terminate called", stderr);
  if (type != nullptr) {
    fputs(" after throwing an instance of '", stderr);
    fputs(type->name(), stderr);
    fputs("'", stderr);
  }
  fputs("\n", stderr);
  abort();
}

bad_cast::~bad_cast() {}
const char* bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() {}
const char* bad_typeid::what() const noexcept { return "std::bad_typeid"; }

}  // namespace std

extern "C" void __cxa_bad_cast() { throw std::bad_cast(); }
extern "C" void __cxa_bad_typeid() { throw std::bad_typeid(); }
