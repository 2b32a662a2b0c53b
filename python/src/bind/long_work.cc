#include "python/src/bind/long_work.h"

namespace civita::python {
namespace {

namespace nb = nanobind;

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kShownEvery(200);

}  // namespace

LongWork::LongWork(nb::handle progress)
    : line_(nb::module_::import_("civita._progress").attr("Line")(progress)),
      watch_{.stop = &stop_,
             .progress =
                 [this](const std::string& text, double share) {
                   if (!GoesOn([&] { return std::pair(text, share); })) stop_ = true;
                 },
             .note = [this](const std::string& text) { notices.push_back(text); }} {
  if (!nb::cast<bool>(line_.attr("is_watched"))) next_ = Clock::time_point::max();
}

LongWork::~LongWork() {
  try {
    line_.attr("erase")();
  } catch (const nb::python_error&) {  // it is only a line
  }
}

bool LongWork::IsDue() {
  if (next_ == Clock::time_point::max() || Clock::now() < next_) return false;
  next_ = Clock::now() + kShownEvery;
  return true;
}

void LongWork::Tell(const std::string& text, double share) {
  if (text.empty()) return;
  const nb::gil_scoped_acquire acquire;
  try {
    line_.attr("show")(share, nb::str(text.c_str(), text.size()));
  } catch (const nb::python_error& error) {
    SignalWatch::Keep(error);
  }
}

}  // namespace civita::python
