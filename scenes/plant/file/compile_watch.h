#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

namespace civita {

/// Called while MuJoCo compiles a model, which cannot be interrupted, from a thread of its own: ten
/// times a second once it has taken 2 s. `told`: whether it was called for this model before.
using CompileTick = void (*)(const std::filesystem::path& file, bool told);

/// What the program does meanwhile; null for nothing, as at the start.
void OnLongCompiles(CompileTick tick);

/// For how long a model that takes more than 2 s has been compiled, s; 0 while there is none.
double LongCompileSeconds();

namespace internal {

/// A model is compiled during its lifetime.
class CompileWatch {
 public:
  explicit CompileWatch(const std::filesystem::path& file);
  ~CompileWatch();
  CompileWatch(const CompileWatch&) = delete;
  CompileWatch& operator=(const CompileWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace internal

}  // namespace civita
