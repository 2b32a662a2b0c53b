#include "tests/alloc/malloc_counter.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

// The C library's own allocation functions, under the names that it exports for overriding.
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* block, std::size_t size);             // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
}

namespace {

thread_local bool t_armed = false;
thread_local long t_count = 0;
thread_local long t_bytes = 0;

void Count(std::size_t size) {
  if (!t_armed) return;
  ++t_count;
  t_bytes += static_cast<long>(size);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  Count(size);
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  Count(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) {
  Count(size);
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  Count(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  Count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  Count(size);
  *block = __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}

}  // extern "C"

namespace civita {

MallocCounter::MallocCounter() {
  t_count = 0;
  t_bytes = 0;
  t_armed = true;
}

MallocCounter::~MallocCounter() { t_armed = false; }

long MallocCounter::count() const { return t_count; }
long MallocCounter::bytes() const { return t_bytes; }

}  // namespace civita
