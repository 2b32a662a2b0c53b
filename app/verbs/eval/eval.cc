#include "app/verbs/eval/eval.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/progress_line.h"
#include "app/verbs/eval/eval_model.h"
#include "app/verbs/eval/eval_output.h"
#include "app/verbs/eval/eval_quantities.h"
#include "app/verbs/eval/eval_reduced.h"
#include "app/verbs/eval/eval_states.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

/// @throws UserError unless the text is one of the choices.
void CheckChoice(const std::string& flag, const std::string& text,
                 const std::vector<std::string>& valid) {
  if (std::find(valid.begin(), valid.end(), text) == valid.end()) {
    throw UserError(flag + ": " + UnknownName("choice", text, valid));
  }
}

Json DescribeJoints(const Model& model) {
  Json joints = Json::array();
  for (const Model::NamedJoint& joint : model.joints()) {
    joints.push_back({{"name", joint.name},
                      {"type", ToString(joint.type)},
                      {"q", {joint.iq, NumPositions(joint.type)}},
                      {"v", {joint.iv, NumVelocities(joint.type)}}});
  }
  return joints;
}

Json DescribeConventions(const std::vector<QuantityRequest>& quantities) {
  Json units;
  for (const QuantityRequest& quantity : quantities) {
    units[quantity.name] = {{"angles", quantity.row->angle_unit},
                            {"lengths", quantity.row->length_unit}};
  }
  return {{"equations", "H a + C v + g = tau; bias = C v + g; Hdot = C + C^T"},
          {"Gamma", "C[i][k] = sum over j of Gamma[i][j][k] v[j]; first kind"},
          {"arrays", "row-major: H[i][k] is row i, column k"},
          {"v",
           {{"hinge", "rate of the angle, rad/s"},
            {"slide", "rate of the distance, m/s"},
            {"ball", "angular velocity in the child body's axes, rad/s"},
            {"free",
             "velocity of the body's origin in world axes, m/s; angular velocity in the body's "
             "axes, rad/s"}}},
          {"a", "rate of v, number by number"},
          {"quaternions", "[w, x, y, z], from the body's axes to its parent's"},
          {"units", units},
          {"counted", "armature; not damping, dry friction, springs"}};
}

Json DescribeModel(const EvalOptions& options, const Model& model,
                   const Factorization& factorization,
                   const std::vector<QuantityRequest>& quantities) {
  Json json = {{"model", options.model},
               {"nq", model.nq()},
               {"nv", model.nv()},
               {"joints", DescribeJoints(model)}};
  const auto by_body = [](const QuantityRequest& quantity) {
    return HasBodies(quantity.row->shape);
  };
  if (std::any_of(quantities.begin(), quantities.end(), by_body)) {
    for (const Model::NamedFrame& frame : model.frames()) json["bodies"].push_back(frame.name);
  }
  json["conventions"] = DescribeConventions(quantities);
  json["factorization"] = ToString(factorization);
  return json;
}

std::vector<EvalArray> ArraysOf(const Model& model, std::optional<int> nw,
                                const std::vector<QuantityRequest>& quantities) {
  const auto nq = static_cast<std::size_t>(model.nq());
  const auto nv = static_cast<std::size_t>(nw.value_or(model.nv()));
  std::vector<EvalArray> arrays = {{"q", {nq}}, {"v", {nv}}, {"a", {nv}}};
  for (const QuantityRequest& quantity : quantities) {
    arrays.push_back({quantity.name, ShapeOf(quantity.row->shape, model, nw)});
  }
  return arrays;
}

bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::span<const double> Span(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// What is evaluated at each state: the tree, or closed chains in independent velocities.
struct TreeTask {
  Evaluator at;
  std::optional<int> nw() const { return std::nullopt; }
  const Model& model() const { return at.model; }
  std::vector<std::span<const double>> SetState(const EvalStates& states, std::size_t i) {
    at.SetState(states.q(i), states.v(i), states.a(i));
    return {states.q(i), states.v(i), states.a(i)};
  }
  void Calc(const QuantityRequest& quantity, std::span<double> out) {
    quantity.row->calc(at, quantity.frame, out);
  }
  std::string Trouble() const { return ""; }
  void Describe(Json*) const {}
};

struct ReducedTask {
  ReducedEvaluator at;
  std::optional<int> nw() const { return at.model.nw(); }
  const Model& model() const { return at.model.tree(); }
  std::vector<std::span<const double>> SetState(const EvalStates& states, std::size_t i) {
    at.SetState(states.q(i), states.v(i), states.a(i));
    return {Span(at.q), Span(at.w), Span(at.wdot)};
  }
  void Calc(const QuantityRequest& quantity, std::span<double> out) {
    if (at.status.ok()) return quantity.row->calc_reduced(at, out);
    std::ranges::fill(out, std::nan(""));
  }
  std::string Trouble() const {
    return at.status.ok() ? "" : civita::Describe(at.model, at.status);
  }
  void Describe(Json* json) const {
    (*json)["nw"] = at.model.nw();
    (*json)["independent"] = at.model.IndependentNames();
  }
};

/// Evaluates state by state and writes each result as it is computed. @returns an ExitCode.
template <typename Writer, typename Task>
int EvaluateAll(const EvalOptions& options, const EvalStates& states,
                const std::vector<QuantityRequest>& quantities, Task* task) {
  const std::vector<EvalArray> arrays = ArraysOf(task->model(), task->nw(), quantities);
  Json header = DescribeModel(options, task->model(), task->at.factorization, quantities);
  task->Describe(&header);
  Writer writer(options.out, header, arrays);
  std::vector<std::vector<double>> results;
  for (std::size_t i = 3; i < arrays.size(); ++i) results.emplace_back(arrays[i].size());
  const InterruptGuard guard;
  ProgressLine progress(!options.out.empty() || isatty(STDOUT_FILENO) == 0);
  std::string failure;
  std::size_t done = 0;
  for (; done < states.size() && !guard.interrupted(); ++done) {
    std::vector<std::span<const double>> values = task->SetState(states, done);
    const std::string place = "states[" + std::to_string(done) + "]: ";
    if (failure.empty() && !task->Trouble().empty()) failure = place + task->Trouble();
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      task->Calc(quantities[i], results[i]);
      values.emplace_back(results[i]);
      if (failure.empty() && !AllFinite(results[i])) {
        failure = place + arrays[i + 3].name + " is not a finite number";
      }
    }
    writer.AddState(values);
    if (progress.Due()) {
      progress.Show(std::to_string(done + 1) + " of " + std::to_string(states.size()) + " states");
    }
  }
  writer.Finish(done < states.size());
  if (done < states.size()) {
    std::fprintf(stderr, "civita: interrupted after %zu of %zu states\n", done, states.size());
    return kExitInterrupted;
  }
  if (failure.empty()) return kExitDone;
  std::fprintf(stderr, "civita: %s\n", failure.c_str());
  return kExitFailed;
}

/// The rest of RunEval for a task.
template <typename Task>
int RunTask(const EvalOptions& options, Task task, std::vector<std::string> notices) {
  const Model& model = task.model();
  const std::vector<QuantityRequest> quantities =
      FindQuantities(options.quantities, model, task.nw().has_value());
  const EvalStates states =
      options.states.empty()
          ? DefaultStates(model, task.nw())
          : ParseStates(ReadStatesText(options.states),
                        options.states == "-" ? "standard input" : options.states, model, &notices,
                        task.nw());
  for (const std::string& notice : notices) {
    std::fprintf(stderr, "civita: note: %s\n", notice.c_str());
  }
  return options.format == "npz" ? EvaluateAll<EvalNpzWriter>(options, states, quantities, &task)
                                 : EvaluateAll<EvalJsonWriter>(options, states, quantities, &task);
}

Factorization ReadFactorization(const EvalOptions& options, const Model& model) {
  try {
    return ParseFactorization(options.factorization, model);
  } catch (const UserError& error) {
    throw UserError("--" + std::string(error.what()));
  }
}

ClusterModel CloseChains(const EvalOptions& options, const EvalModel& loaded) {
  if (loaded.closures.empty()) {
    throw UserError("--reduced: " + options.model + " has no closed loops: no active equality");
  }
  try {
    return {loaded.model, loaded.closures};
  } catch (const UserError& error) {
    throw UserError("--reduced: " + std::string(error.what()));
  }
}

}  // namespace

int RunEval(const EvalOptions& options) {
  CheckChoice("--format", options.format, {"json", "npz"});
  CheckChoice("--base", options.base, {"fixed", "free"});
  if (options.format == "npz" && options.out.empty()) {
    throw UserError("--format npz: needs --out FILE");
  }
  EvalModel loaded = LoadEvalModel(options.model, options.base == "free", options.reduced);
  Factorization factorization = ReadFactorization(options, loaded.model);
  if (!options.reduced) {
    return RunTask(options, TreeTask{{loaded.model, std::move(factorization)}},
                   std::move(loaded.notices));
  }
  const ClusterModel chains = CloseChains(options, loaded);
  return RunTask(options, ReducedTask{{chains, std::move(factorization)}},
                 std::move(loaded.notices));
}

}  // namespace civita
