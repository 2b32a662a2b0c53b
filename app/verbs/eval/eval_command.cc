#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/eval/eval_output.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "civita/christoffel_layout.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/json/model_json.h"
#include "civita/regressor.h"
#include "civita/scenes/plant/coordinates_text.h"
#include "civita/scenes/schema/formula.h"
#include "civita/study/evaluate/eval_quantities.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/study/evaluate/evaluator.h"
#include "civita/study/model/load_model.h"
#include "civita/velocity_space.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

/// Options of `civita eval`.
struct EvalOptions {
  std::string model;  ///< a scene's name, a config, an MJCF or URDF file
  /// file, "-" for standard input; empty: one state, the model's own configuration at rest
  std::string states;
  std::vector<std::string> quantities;
  std::string factorization = "christoffel";
  std::string base = "fixed";
  bool reduced = false;                  ///< closed chains, in independent velocities
  std::string coordinates = "v";         ///< or of ReadCoordinates
  std::vector<std::string> independent;  ///< names of some that must be independent
  std::string save_model;                ///< a file in which the model is written; empty: none
  std::string out;                       ///< empty: standard output
  std::string format = "json";
};

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

Json DescribeConventions(const Factorization& factorization,
                         const std::vector<QuantityRequest>& quantities) {
  Json units, v;
  for (const JointType type : JointTypes()) v[ToString(type)] = DescribeVelocity(type);
  for (const QuantityRequest& quantity : quantities) {
    units[quantity.name] = {{"angles", quantity.row->angle_unit},
                            {"lengths", quantity.row->length_unit}};
  }
  const std::string rate =
      factorization.admissible() ? "Hdot = C + C^T" : "alpha: Hdot is not C + C^T";
  return {{"equations",
           "H a + C v + g = tau + tau_ext; tau_ext = J^T f of wrenches; bias = C v + g; " + rate},
          {"Gamma", "C[i][k] = sum over j of Gamma[i][j][k] v[j]; first kind"},
          {"arrays", "row-major: H[i][k] is row i, column k"},
          {"v", v},
          {"a", "rate of v, number by number"},
          {"quaternions", "[w, x, y, z], from the body's axes to its parent's"},
          {"units", units},
          {"counted", "armature; damping, dry friction, springs in passive alone"}};
}

/// Whether some requested array has this dimension.
bool AnyHas(const std::vector<QuantityRequest>& quantities, std::string_view symbol) {
  return std::ranges::any_of(quantities, [&](const QuantityRequest& quantity) {
    return HasDimension(quantity.row->shape, symbol);
  });
}

/// By coordinate k: where its block begins, the path to it, and how many rotations of its own ball
/// or free joint come before it.
Json DescribePacked(const Model& model) {
  const ChristoffelLayout layout(model);
  Json blocks = Json::array();
  for (int k = 0; k < model.nv(); ++k) {
    const int triple = model.rotation_triple(k);
    blocks.push_back({{"begin", layout.block(k)},
                      {"path", layout.path(k)},
                      {"before", triple < 0 ? 0 : k - triple}});
  }
  return blocks;
}

Json DescribeModel(const EvalOptions& options, const Evaluator& at,
                   const std::vector<QuantityRequest>& quantities) {
  const Model& model = at.model;
  Json json = {{"model", options.model},
               {"nq", model.nq()},
               {"nv", model.nv()},
               {"joints", DescribeJoints(model)}};
  if (AnyHas(quantities, "nb")) {
    for (const Model::NamedFrame& frame : BodyFrames(model)) json["bodies"].push_back(frame.name);
  }
  if (AnyHas(quantities, "nm")) {
    for (const Model::Body& body : model.bodies()) json["moving_bodies"].push_back(body.name);
  }
  if (AnyHas(quantities, "np")) json["packed"] = DescribePacked(model);
  json["conventions"] = DescribeConventions(at.factorization, quantities);
  json["factorization"] = ToString(at.factorization);
  if (!at.space.is_tree()) {
    json["nw"] = at.space.nw();
    const Coordinates* coordinates = at.space.coordinates();
    if (coordinates != nullptr) json["coordinates"] = coordinates->text;
    json[coordinates != nullptr ? "velocities" : "independent"] = at.space.Names();
  }
  return json;
}

std::vector<EvalArray> ArraysOf(const Evaluator& at,
                                const std::vector<QuantityRequest>& quantities) {
  const auto nq = static_cast<std::size_t>(at.model.nq());
  const int nw = at.space.nw();
  const auto num_v = static_cast<std::size_t>(nw);
  std::vector<EvalArray> arrays = {{"q", {nq}}, {"v", {num_v}}, {"a", {num_v}}};
  for (const QuantityRequest& quantity : quantities) {
    arrays.push_back({quantity.name, ShapeOf(quantity, at.model, nw)});
  }
  return arrays;
}

std::span<const double> Span(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Evaluates state by state and writes each result as it is computed. @returns an ExitCode.
int EvaluateAll(const EvalOptions& options, const EvalStates& states,
                const std::vector<QuantityRequest>& quantities, Evaluator* at) {
  const std::vector<EvalArray> arrays = ArraysOf(*at, quantities);
  const InterruptGuard guard;  // before any file is created
  const std::unique_ptr<EvalWriter> writer =
      OpenEvalWriter(options.format, options.out, DescribeModel(options, *at, quantities), arrays);
  std::vector<std::vector<double>> results;
  for (std::size_t i = 3; i < arrays.size(); ++i) results.emplace_back(arrays[i].size());
  return WriteEachState(states.size(), !options.out.empty(), writer.get(),
                        [&](std::size_t state, std::vector<std::span<const double>>* values) {
                          at->SetState(states, state);
                          *values = {Span(at->q), Span(at->w), Span(at->wdot)};
                          std::string trouble = at->trouble;
                          for (std::size_t i = 0; i < quantities.size(); ++i) {
                            CalcQuantity(quantities[i], at, &results[i]);
                            values->emplace_back(results[i]);
                            if (trouble.empty() && !AllFinite(results[i])) {
                              trouble = arrays[i + 3].name + " is not a finite number";
                            }
                          }
                          return trouble;
                        });
}

EvalStates ReadStates(const EvalOptions& options, const Evaluator& at,
                      const std::vector<StateNeed>& needs, std::vector<std::string>* notices) {
  std::optional<int> nw;
  if (!at.space.is_tree()) nw = at.space.nw();
  if (options.states.empty()) {
    if (needs.empty()) return DefaultStates(at.model, nw);
    throw UserError("--quantities: " + needs.front().quantity + " needs the key '" +
                    std::string(needs.front().key) + "' of states, see --states");
  }
  return ParseStates(ReadStatesText(options.states, kFlags),
                     options.states == "-" ? "standard input" : options.states, at.model, notices,
                     nw, needs);
}

/// The rest of RunEval for the velocities of the output.
int RunAt(const EvalOptions& options, const VelocitySpace& space, Factorization factorization,
          const LoadedModel& loaded) {
  Evaluator at(space, std::move(factorization));
  const bool saves = !options.save_model.empty();
  const bool computes = !saves || !options.quantities.empty();
  std::vector<QuantityRequest> quantities;
  if (computes) {
    quantities =
        FindQuantities(options.quantities, at.model, at.factorization, !at.space.is_tree(), kFlags);
  }
  std::vector<std::string> notices = loaded.notices;
  const EvalStates states = ReadStates(options, at, NeedsOf(quantities), &notices);
  for (const std::string& notice : notices) PrintNote(notice);
  if (saves) SaveModelJson(options.save_model, loaded.model, loaded.loops);
  if (!computes) return kExitDone;
  return EvaluateAll(options, states, quantities, &at);
}

VelocitySpace SpaceOf(const EvalOptions& options, const LoadedModel& loaded) {
  const Model& model = loaded.model;
  if (!options.reduced) {
    return ReadFlag("--coordinates: ", [&]() -> VelocitySpace {
      if (options.coordinates == "v") return model;
      return {model, ReadCoordinates(options.coordinates, model, GenericPosition(model))};
    });
  }
  if (loaded.loops.empty()) {
    throw UserError("--reduced: " + options.model + " has no closed loops: no active equality");
  }
  return ReadFlag(options.independent.empty() ? "--reduced: " : "--independent: ", [&] {
    return VelocitySpace(model, loaded.loops, {.independent = options.independent});
  });
}

/// Computes and writes; notices and progress go to standard error. @returns an ExitCode.
/// @throws UserError.
int RunEval(const EvalOptions& options) {
  if (options.format == "npz" && options.out.empty()) {
    throw UserError("--format npz: needs --out FILE");
  }
  if (!options.independent.empty() && !options.reduced) {
    throw UserError("--independent: chooses the velocities of --reduced, which is not given");
  }
  if (options.coordinates != "v" && options.reduced) {
    throw UserError("--coordinates: not with --reduced, which has its own velocities");
  }
  const bool with_loops = options.reduced || !options.save_model.empty();
  const LoadedModel loaded = LoadModel(
      options.model, {.free_base = options.base == "free", .loops = with_loops, .called = kFlags});
  Factorization factorization =
      ReadFlag("--", [&] { return ReadFactorization(options.factorization, loaded.model); });
  return RunAt(options, SpaceOf(options, loaded), std::move(factorization), loaded);
}

constexpr const char* kEvalAbout =
    "Evaluates a model: numbers as JSON, one object for all states, on standard output or in a "
    "file.";

constexpr const char* kEvalFooter = R"(
TASK is BODY[:position|:rotation|:pose], the rows of its Jacobian; default: position of its origin.
States: {"states": [{"q": [...], "v": [...], "a": [...]}, ...]}; v and a default to zeros, q to the
model's own configuration. q, v, a are in MuJoCo's order and conventions, quaternions are [w x y z].
Some quantities need more keys: "v_r": [...], "vdot_r": [...], "tau": [...], and "wrenches":
[{"body": BODY, "point": [3], "force": [3], "moment": [3], "axes": "world"|"body"}, ...].
Armature of joints counts; damping, dry friction and springs are in passive alone.

Examples:
  civita eval arm7 --quantities H,C,g
  civita eval robot.urdf --base free --quantities Gamma --out gamma.json
  ./my_script | civita eval arm.xml --states - --quantities C,tau --factorization t:1
  civita eval four_bar --reduced --quantities H,C,torsion,A
  civita eval space_arm --coordinates body_twists --quantities H,C,A
  civita eval arm7 --states many.json --quantities all --format npz --out many.npz
)";

}  // namespace

std::function<int()> AddEval(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<EvalOptions>();
  command->description(kEvalAbout);
  command->footer("\nQuantities:\n" + DescribeQuantities() + kEvalFooter + kFactorizationForms);
  AddModel(command, &options->model);
  AddNames(command, "--quantities", "what to compute, names as below, or all",
           &options->quantities);
  AddValue(command, "--states", "FILE|-", "states; default: the model's own configuration",
           &options->states);
  AddValue(command, "--factorization", "FORM", "which C", &options->factorization)
      ->capture_default_str();
  AddBase(command, &options->base);
  AddValue(command, "--coordinates", "SPEC",
           "all in v, or in velocities w, v = A(q) w: body_twists, com_decoupled, "
           "mass_orthonormal, task:FRAME[:pose], or A in FILE.csv or FILE.yaml",
           &options->coordinates)
      ->capture_default_str();
  command->add_flag("--reduced", options->reduced,
                    "closed loops (equalities of an MJCF): all in independent velocities");
  AddNames(command, "--independent",
           "coordinates that are to be independent with --reduced; default: chosen",
           &options->independent);
  AddValue(command, "--save-model", "FILE",
           "write the model with its loops in FILE.json, which is a MODEL then, to the bit",
           &options->save_model);
  AddOutFile(command, &options->out);
  AddChoice(command, "--format", "of the output; npz needs --out", {"json", "npz"},
            &options->format);
  return [options] { return RunEval(*options); };
}

}  // namespace civita
