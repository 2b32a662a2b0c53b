#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace civita::internal {

/// Whether the system, or a limit on this process, refuses it another 64 MiB. Libraries blame what
/// they read when memory runs out: who tells of their errors asks first. Also in signal handlers.
inline bool IsMemoryShort() {
  constexpr std::size_t kSpare = std::size_t{64} << 20;
  void* const bytes = ::mmap(nullptr, kSpare, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return bytes == MAP_FAILED || ::munmap(bytes, kSpare) != 0;
}

}  // namespace civita::internal
