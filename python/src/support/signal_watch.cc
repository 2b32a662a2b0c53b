#include "python/src/support/signal_watch.h"

namespace civita::python {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPeriod(50);

thread_local SignalWatch* present = nullptr;

}  // namespace

SignalWatch::SignalWatch() : next_(steady_clock::now() + kPeriod), outer_(present) {
  present = this;
}

SignalWatch::~SignalWatch() { present = outer_; }

bool SignalWatch::raised() {
  if (error_.is_valid()) return true;
  if (const auto now = steady_clock::now(); now < next_) {
    return false;
  } else {
    next_ = now + kPeriod;
  }
  const nanobind::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0) return false;
  error_ = nanobind::borrow(nanobind::python_error().value());
  return true;
}

nanobind::object SignalWatch::error() const {
  return error_.is_valid() ? error_ : nanobind::none();
}

void SignalWatch::Rethrow() const {
  if (!error_.is_valid()) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_.ptr())), error_.ptr());
  throw nanobind::python_error();
}

bool SignalWatch::Keep(const nanobind::python_error& error) {
  if (present == nullptr || present->error_.is_valid()) return false;
  present->error_ = nanobind::borrow(error.value());
  return true;
}

}  // namespace civita::python
