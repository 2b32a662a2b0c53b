#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/scenes/scene.h"

namespace civita {

inline constexpr LawInfo kThrowingLaw = {
    .type = "throwing", .title = "", .law = "", .parameters = {}, .make = nullptr};

/// Gives no torque, and throws "out of ideas" in one of its functions from a given time on. Its
/// state integrates 1.
class ThrowingLaw final : public Controller {
 public:
  enum class Place { kNowhere, kReset, kControl, kRate, kStorage };
  struct Options {
    Place place = Place::kNowhere;
    double from_s = 0;
  };

  ThrowingLaw(const Model& model, Options options)
      : Controller(model, kThrowingLaw, {}), options_(options) {
    DefineState(1);
  }
  Status CalcControl(const Measurement& measured, const ReferenceState& /*reference*/,
                     ControlOutput& output) override {
    t_ = measured.t;
    ThrowIf(Place::kControl);
    output.tau.setZero();
    return Status::kOk;
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& /*output*/) override {
    ThrowIf(Place::kStorage);
    return {};
  }

 private:
  void ResetLaw(const Measurement& start, const ReferenceState& /*reference*/,
                Eigen::Ref<Eigen::VectorXd> x) override {
    t_ = start.t;
    ThrowIf(Place::kReset);
    x.setZero();
  }
  void CalcLawRate(const Eigen::VectorXd& /*tau_applied*/, const ControlOutput& /*output*/,
                   Eigen::Ref<Eigen::VectorXd> xdot) override {
    ThrowIf(Place::kRate);
    xdot.setOnes();
  }
  void ThrowIf(Place place) const {
    if (place == options_.place && t_ > options_.from_s) throw std::runtime_error("out of ideas");
  }

  Options options_;
  double t_ = 0;
};

inline std::unique_ptr<Scene> MakeThrowingScene(ThrowingLaw::Options options,
                                                const std::vector<std::string>& overrides = {}) {
  auto scene = LoadScene(ReadConfig("planar_2r", overrides));
  scene->controller = std::make_unique<ThrowingLaw>(scene->control_model, options);
  return scene;
}

}  // namespace civita
