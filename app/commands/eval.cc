#include "app/commands/eval.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "app/commands/eval_model.h"
#include "app/commands/eval_output.h"
#include "app/commands/eval_quantities.h"
#include "app/commands/eval_states.h"
#include "app/commands/interrupt.h"
#include "app/commands/program.h"
#include "app/commands/progress_line.h"
#include "core/error.h"
#include "core/suggest.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAbout =
    "Evaluates a model: numbers as JSON, one object for all states, on standard output or in a "
    "file.";

constexpr const char* kFooter = R"(
States: {"states": [{"q": [...], "v": [...], "a": [...]}, ...]}; v and a default to zeros, q to the
model's own configuration. q, v, a are in MuJoCo's order and conventions, quaternions are [w x y z].
Forms of a factorization: christoffel | plain | other | t:0.3 | body:BODY:ang:β | body:BODY:lin:β |
joint:β[:S.csv], terms joined by '+'.
Armature of joints counts; damping, dry friction and springs do not.

Examples:
  civita eval arm7 --quantities H,C,g
  civita eval robot.urdf --base free --quantities Gamma --out gamma.json
  ./my_script | civita eval arm.xml --states - --quantities C,tau --factorization t:1
  civita eval arm7 --states many.json --quantities all --format npz --out many.npz
)";

/// A text that must be one of a few.
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

Json DescribeConventions(const std::vector<const Quantity*>& quantities) {
  Json units;
  for (const Quantity* row : quantities) {
    units[std::string(row->name)] = {{"angles", row->angle_unit}, {"lengths", row->length_unit}};
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

Json DescribeModel(const EvalOptions& options, const Evaluator& evaluator,
                   const std::vector<const Quantity*>& quantities) {
  const Model& model = evaluator.model;
  return {{"model", options.model},
          {"nq", model.nq()},
          {"nv", model.nv()},
          {"joints", DescribeJoints(model)},
          {"conventions", DescribeConventions(quantities)},
          {"factorization", evaluator.factorization.ToString()}};
}

std::vector<EvalArray> ArraysOf(const Model& model, const std::vector<const Quantity*>& rows) {
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  std::vector<EvalArray> arrays = {{"q", {nq}}, {"v", {nv}}, {"a", {nv}}};
  for (const Quantity* row : rows) {
    arrays.push_back({std::string(row->name), std::vector<std::size_t>(RankOf(row->shape), nv)});
  }
  return arrays;
}

bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// State by state, written as it is computed. @returns an ExitCode.
template <typename Writer>
int EvaluateAll(const EvalOptions& options, const EvalStates& states,
                const std::vector<const Quantity*>& quantities, Evaluator* evaluator) {
  const std::vector<EvalArray> arrays = ArraysOf(evaluator->model, quantities);
  Writer writer(options.out, DescribeModel(options, *evaluator, quantities), arrays);
  std::vector<std::vector<double>> results;
  for (std::size_t i = 3; i < arrays.size(); ++i) results.emplace_back(arrays[i].size());
  const InterruptGuard guard;
  ProgressLine progress(!options.out.empty() || isatty(STDOUT_FILENO) == 0);
  std::string not_finite;
  std::size_t done = 0;
  for (; done < states.size() && !guard.interrupted(); ++done) {
    std::vector<std::span<const double>> values = {states.q(done), states.v(done), states.a(done)};
    evaluator->SetState(values[0], values[1], values[2]);
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      quantities[i]->calc(*evaluator, results[i]);
      values.emplace_back(results[i]);
      if (not_finite.empty() && !AllFinite(results[i])) {
        not_finite = "states[" + std::to_string(done) + "]: " + arrays[i + 3].name +
                     " is too large for a number";
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
  if (not_finite.empty()) return kExitDone;
  std::fprintf(stderr, "civita: %s\n", not_finite.c_str());
  return kExitFailed;
}

}  // namespace

CLI::App* AddEvalCommand(CLI::App* program, EvalOptions* options) {
  CLI::App* eval = program->add_subcommand("eval", kAbout);
  eval->footer("\nQuantities:\n" + DescribeQuantities() + kFooter);
  eval->add_option("model", options->model, "a scene, a config.yaml, an MJCF or a URDF file")
      ->type_name("MODEL")
      ->required();
  eval->add_option("--quantities", options->quantities, "what to compute, names as below, or all")
      ->type_name("NAME,…")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  eval->add_option("--states", options->states, "where; else at the model's own configuration")
      ->type_name("FILE|-");
  eval->add_option("--factorization", options->factorization, "which C")
      ->type_name("FORM")
      ->capture_default_str();
  eval->add_option("--base", options->base,
                   "free: the base, fixed in the file, gets a free joint root_joint")
      ->type_name("fixed|free")
      ->capture_default_str();
  eval->add_option("--out", options->out, "write FILE, else standard output")->type_name("FILE");
  eval->add_option("--format", options->format, "of the output; npz needs --out")
      ->type_name("json|npz")
      ->capture_default_str();
  return eval;
}

int RunEval(const EvalOptions& options) {
  CheckChoice("--format", options.format, {"json", "npz"});
  CheckChoice("--base", options.base, {"fixed", "free"});
  const bool npz = options.format == "npz";
  if (npz && options.out.empty()) throw UserError("--format npz: needs --out FILE");
  const std::vector<const Quantity*> quantities = FindQuantities(options.quantities);

  EvalModel loaded = LoadEvalModel(options.model, options.base == "free");
  const EvalStates states =
      options.states.empty()
          ? DefaultStates(loaded.model)
          : ParseStates(ReadStatesText(options.states),
                        options.states == "-" ? "standard input" : options.states, loaded.model,
                        &loaded.notices);
  const auto evaluator = [&] {
    try {
      return Evaluator(loaded.model, Factorization::Parse(options.factorization, loaded.model));
    } catch (const UserError& error) {
      throw UserError("--" + std::string(error.what()));
    }
  };
  Evaluator at = evaluator();
  for (const std::string& notice : loaded.notices) {
    std::fprintf(stderr, "civita: note: %s\n", notice.c_str());
  }
  return npz ? EvaluateAll<EvalNpzWriter>(options, states, quantities, &at)
             : EvaluateAll<EvalJsonWriter>(options, states, quantities, &at);
}

}  // namespace civita
