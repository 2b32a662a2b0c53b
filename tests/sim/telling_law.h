#pragma once

#include <string>
#include <utility>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/scenes/scene.h"
#include "civita/sim/signals.h"

namespace civita {

class TellingLaw;

inline constexpr LawInfo kTellingLaw = {.type = "test_telling",
                                        .title = "Telling",
                                        .law = "τ = 0",
                                        .parameters = {},
                                        .make = &MakeLaw<TellingLaw>};

/// Gives no torque, and has signals of its time: "/law/clock", t, and "/law/hands", [2t, 3t].
class TellingLaw final : public Controller {
 public:
  explicit TellingLaw(
      const Model& model, const ControllerOptions& options,
      std::vector<SignalInfo> signals = {{.name = "/clock", .unit = "s", .doc = "the time"},
                                         {"/hands", "rad", 2, "of the clock"}})
      : Controller(model, kTellingLaw, options) {
    DefineSignals(std::move(signals));
  }

  Status CalcControl(const Measurement& measured, const ReferenceState& /*reference*/,
                     ControlOutput& output) override {
    output.tau.setZero();
    for (Eigen::Index i = 0; i < output.signals.size(); ++i) {
      output.signals[i] = static_cast<double>(i + 1) * measured.t;
    }
    return Status::kOk;
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& /*output*/) override {
    return {};
  }
};

/// Registers the law, and the signal "/test_height" for scenes with that law alone: half of
/// "/q/0".
inline void RegisterTelling() {
  RegisterLaw(kTellingLaw);
  static const bool once = [] {
    RegisterSignal(
        {.name = "/test_height",
         .unit = "m",
         .place = +[](const StepRecord& record) { return 0.5 * record.q[0]; },
         .doc = "half of the first position",
         .style = {.shown = ShownUnit::kMilli},
         .applies =
             [](const Scene& scene) { return scene.controller->info().type == kTellingLaw.type; }});
    return true;
  }();
  (void)once;
}

}  // namespace civita
