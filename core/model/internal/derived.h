#pragma once

#include <memory>
#include <mutex>

namespace civita::internal {

/// A place of a Model for what an algorithm makes of it when it first needs it; copies of the model
/// share it. Of one type.
class Derived {
 public:
  /// What `make`, a function without arguments that returns a std::shared_ptr<const T>, returned in
  /// the first call of all. Thread-safe.
  template <typename T, typename Make>
  const T& Get(Make make) const {
    std::call_once(once_, [&] { value_ = make(); });
    return *static_cast<const T*>(value_.get());
  }

 private:
  mutable std::once_flag once_;
  mutable std::shared_ptr<const void> value_;
};

}  // namespace civita::internal
