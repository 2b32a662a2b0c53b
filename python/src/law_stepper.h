#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "civita/controllers/controller.h"
#include "python/src/loaded_model.h"

namespace civita::python {

/// A law that is stepped from a loop of one's own; its state is integrated from step to step.
class LawStepper {
 public:
  using Gains = std::map<std::string, Eigen::VectorXd>;
  using Options = std::map<std::string, std::string>;

  /// Options are YAML by key. @throws UserError, also for laws of legs or of a frame's task, which
  /// need a scene.
  LawStepper(std::shared_ptr<const LoadedModel> model, const std::string& type,
             const Factorization& factorization, GainForm gain_form, const Eigen::VectorXd& q_start,
             const Gains& gains, const Options& options);

  /// The torque at t; valid until the next call. The first call, and one after Reset, starts the
  /// law's state. @throws UserError where t is before the last step, or there is no finite torque.
  const Eigen::VectorXd& Step(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              const ReferenceState& reference);
  void Reset() { last_t_.reset(); }

  Controller& controller() { return *controller_; }
  const ControlOutput& output() const { return *output_; }

 private:
  std::shared_ptr<const LoadedModel> model_;
  std::unique_ptr<Controller> controller_;
  std::optional<ControlOutput> output_;
  Measurement measured_;
  Eigen::VectorXd rate_, next_;
  std::optional<double> last_t_;
  std::mutex mutex_;
};

}  // namespace civita::python
