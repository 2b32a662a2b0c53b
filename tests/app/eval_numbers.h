#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "civita/manifold.h"
#include "civita/study/model/load_model.h"
#include "civita/tensor3.h"
#include "tests/app/eval_shell.h"

namespace civita {

/// All numbers of nested lists, the last index fastest.
inline void AppendNumbers(const nlohmann::ordered_json& json, std::vector<double>* numbers) {
  if (json.is_array()) {
    for (const auto& entry : json) AppendNumbers(entry, numbers);
  } else {
    numbers->push_back(json.get<double>());
  }
}

inline Eigen::VectorXd Flat(const nlohmann::ordered_json& json) {
  std::vector<double> numbers;
  AppendNumbers(json, &numbers);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

/// n³ numbers, the last index fastest, as a tensor.
inline Tensor3 ToTensor(const Eigen::VectorXd& flat) {
  int n = 0;
  while (n * n * n < flat.size()) ++n;
  return MakeTensor3(n, [&](int i, int j, int k) { return flat[(i * n + j) * n + k]; });
}
inline Tensor3 ToTensor(const nlohmann::ordered_json& json) { return ToTensor(Flat(json)); }

/// n² numbers, row by row, as a matrix of `rows` rows.
inline Eigen::MatrixXd ToRows(const Eigen::VectorXd& flat, Eigen::Index rows) {
  using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajorMatrix>(flat.data(), rows, flat.size() / rows);
}

/// A model at a state and at states next to it, as `civita eval` prints them.
struct Neighbourhood {
  static constexpr double kStep = 1e-4;

  nlohmann::ordered_json header;
  nlohmann::ordered_json state;
  /// By velocity coordinate b: q moved by ± kStep A e_b at the same v and a, where A is the
  /// identity without --reduced and --coordinates; and v moved by ± kStep e_b.
  std::vector<nlohmann::ordered_json> q_plus, q_minus, v_plus, v_minus;

  int size() const { return static_cast<int>(q_plus.size()); }
  /// Central difference along coordinate b of q, flat.
  Eigen::VectorXd AlongQ(const std::string& name, int b) const {
    const auto k = static_cast<std::size_t>(b);
    return (Flat(q_plus[k][name]) - Flat(q_minus[k][name])) / (2 * kStep);
  }
  Eigen::VectorXd AlongV(const std::string& name, int b) const {
    const auto k = static_cast<std::size_t>(b);
    return (Flat(v_plus[k][name]) - Flat(v_minus[k][name])) / (2 * kStep);
  }
  /// Rate along v, flat; the names of quantities of q alone.
  Eigen::VectorXd Rate(const std::string& name) const {
    const Eigen::VectorXd v = ToVector(state["v"]);
    Eigen::VectorXd rate = v[0] * AlongQ(name, 0);
    for (int b = 1; b < size(); ++b) rate += v[b] * AlongQ(name, b);
    return rate;
  }
};

/// Evaluates `model` with the arguments, quantities among them, at a state (an object as of a file
/// of states, with q near a closed configuration) and around it.
inline Neighbourhood EvaluateAround(const Shell& shell, const std::string& model,
                                    const std::string& arguments, nlohmann::ordered_json state) {
  using Json = nlohmann::ordered_json;
  const bool changed = arguments.find("--reduced") != std::string::npos ||
                       arguments.find("--coordinates") != std::string::npos;
  const std::string file =
      std::filesystem::exists(shell.path() / model) ? (shell.path() / model).string() : model;
  const Model tree = LoadModel(file, {.loops = false}).model;
  const auto eval = [&](const Json& states, const std::string& more) {
    shell.Write("around.json", Json{{"states", states}}.dump());
    return shell.Eval(model + " --states around.json " + more);
  };
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(tree.nv(), tree.nv());
  if (changed) {
    std::string flags = arguments;
    flags.replace(flags.find("--quantities"),
                  flags.find(' ', flags.find("--quantities") + 13) - flags.find("--quantities"),
                  "--quantities A");
    const Json closed = eval(Json::array({state}), flags)["states"][0];
    state["q"] = closed["q"];
    A = ToMatrix(closed["A"]);
  }
  const Eigen::VectorXd q = ToVector(state["q"]), v = ToVector(state["v"]);
  Json states = Json::array({state});
  const auto add = [&](const std::string& key, const Eigen::VectorXd& moved) {
    Json there = state;
    there[key] = ToList(moved);
    states.push_back(there);
  };
  for (Eigen::Index b = 0; b < A.cols(); ++b) {
    for (const double step : {Neighbourhood::kStep, -Neighbourhood::kStep}) {
      Eigen::VectorXd moved(q.size());
      IntegratePosition(tree, q, A.col(b), step, moved);
      add("q", moved);
      add("v", v + step * Eigen::VectorXd::Unit(v.size(), b));
    }
  }
  Neighbourhood around;
  around.header = eval(states, arguments);
  const Json& results = around.header["states"];
  around.state = results.at(0);
  for (std::size_t i = 1; i < results.size(); i += 4) {
    around.q_plus.push_back(results[i]);
    around.v_plus.push_back(results[i + 1]);
    around.q_minus.push_back(results[i + 2]);
    around.v_minus.push_back(results[i + 3]);
  }
  return around;
}

}  // namespace civita
