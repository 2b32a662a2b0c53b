#include "civita/scenes/plant/coordinates_text.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "base/read_file.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/formula.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using internal::Count;

/// A matrix of formulas, evaluated column by column.
struct FormulaMatrix {
  Eigen::Index rows = 0, cols = 0;
  std::vector<Formula> entries;  ///< column by column

  void Evaluate(const Eigen::VectorXd& arguments, Eigen::MatrixXd& M) const {
    const std::span<const double> numbers(arguments.data(),
                                          static_cast<std::size_t>(arguments.size()));
    std::size_t at = 0;
    for (Eigen::Index c = 0; c < cols; ++c) {
      for (Eigen::Index r = 0; r < rows; ++r) M(r, c) = entries[at++](numbers);
    }
  }
};

FormulaMatrix ReadFormulas(const YamlValue& value, const std::string& key, const Model& model,
                           const Formula::Names& names) {
  using Kind = YamlValue::Kind;
  const std::string wanted =
      key + " must have nv = " + std::to_string(model.nv()) + " rows of equal length";
  if (value.kind != Kind::kList || value.items.empty()) {
    throw UserError(value.where + ": " + wanted + ", not " + value.Describe());
  }
  FormulaMatrix matrix{static_cast<Eigen::Index>(value.items.size()),
                       static_cast<Eigen::Index>(value.items[0].items.size()),
                       {}};
  if (matrix.rows != model.nv() || matrix.cols == 0 || matrix.cols > matrix.rows) {
    throw UserError(value.where + ": " + key + " is " + std::to_string(matrix.rows) + "×" +
                    std::to_string(matrix.cols) + "; " + wanted + ", at most nv");
  }
  for (Eigen::Index c = 0; c < matrix.cols; ++c) {
    for (const YamlValue& row : value.items) {
      if (static_cast<Eigen::Index>(row.items.size()) != matrix.cols) {
        throw UserError(row.where + ": a row of " + key + " has " +
                        Count(row.items.size(), "entry") + ", the first has " +
                        std::to_string(matrix.cols));
      }
      const YamlValue& entry = row.items[static_cast<std::size_t>(c)];
      if (entry.kind != Kind::kScalar) {
        throw UserError(entry.where + ": an entry of " + key + " is a number or a formula, not " +
                        entry.Describe());
      }
      try {
        matrix.entries.emplace_back(entry.text, names);
      } catch (const UserError& error) {
        throw UserError(entry.where + ": " + error.what());
      }
    }
  }
  return matrix;
}

/// A(q) and Ȧ by formulas, and what they are evaluated with.
struct FormulaFrame {
  FormulaFrame(const Model& model_in, FormulaMatrix A_in, std::optional<FormulaMatrix> Adot_in)
      : model(model_in),
        A(std::move(A_in)),
        Adot(std::move(Adot_in)),
        q(Eigen::VectorXd::Zero(model.nq())),
        arguments(Eigen::VectorXd::Zero(model.nq() + model.nv())),
        at(Eigen::MatrixXd::Zero(A.rows, A.cols)),
        gram(Eigen::MatrixXd::Zero(A.cols, A.cols)),
        llt(Eigen::MatrixXd::Identity(A.cols, A.cols)) {}

  /// The rate of A along v by central differences of fourth order.
  void Differentiate(const Eigen::VectorXd& q_at, const Eigen::VectorXd& v, Eigen::MatrixXd& rate) {
    const double size = std::max(1.0, v.lpNorm<Eigen::Infinity>()), h = 1e-3 / size;
    rate.setZero();
    for (const auto& [step, weight] : {std::pair(-2, 1.0), {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
      IntegratePosition<double>(model, q_at, v, step * h, q);
      A.Evaluate(q, at);
      rate += weight / (12 * h) * at;
    }
  }

  Status Update(const Eigen::VectorXd& q_at, const Eigen::VectorXd& v, VelocityMap<double>& map) {
    A.Evaluate(q_at, map.A);
    if (Adot) {
      arguments << q_at, v;
      Adot->Evaluate(arguments, map.Adot);
    } else {
      Differentiate(q_at, v, map.Adot);
    }
    return HasFullRank(map.A) ? Status::kOk : Status::kSingularCoordinates;
  }

  /// As Coordinates::rates, by central differences of fourth order.
  Status CalcRates(const Eigen::VectorXd& q_at, VectorIn<double> w, VectorIn<double> x,
                   MatrixOut<double> rates) {
    VelocityMap<double> map(model.nv(), static_cast<int>(A.cols));
    A.Evaluate(q_at, map.A);
    const Eigen::MatrixXd directions = map.A;
    Eigen::VectorXd q_beside(model.nq());
    rates.setZero();
    for (Eigen::Index b = 0; b < A.cols; ++b) {
      const double h = 1e-3 / std::max(1.0, directions.col(b).norm());
      for (const auto& [step, weight] : {std::pair(-2, 1.0), {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
        IntegratePosition<double>(model, q_at, directions.col(b), step * h, q_beside);
        A.Evaluate(q_beside, map.A);
        if (const Status status = Update(q_beside, map.A * w, map); !status) return status;
        rates.col(b) += weight / (12 * h) * (map.Adot * x);
      }
    }
    return Status::kOk;
  }

  bool HasFullRank(const Eigen::MatrixXd& M) {
    gram.noalias() = M.transpose() * M;
    llt.compute(gram);
    if (llt.info() != Eigen::Success) return false;
    const auto pivots = llt.matrixLLT().diagonal();
    return pivots.minCoeff() > 1e-7 * pivots.maxCoeff();
  }

  Model model;
  FormulaMatrix A;
  std::optional<FormulaMatrix> Adot;
  Eigen::VectorXd q, arguments;
  Eigen::MatrixXd at, gram;
  Eigen::LLT<Eigen::MatrixXd> llt;  ///< of 1 at first: moving an empty one is undefined
};

/// Compares Adot with the rate of A at a few states. @throws UserError that names the entry.
void CheckRate(const YamlValue& value, FormulaFrame* frame) {
  const Model& model = frame->model;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random_vector = [&] {
    return Eigen::VectorXd::NullaryExpr(model.nv(), [&] { return uniform(random); }).eval();
  };
  Eigen::MatrixXd given(frame->A.rows, frame->A.cols), rate = given;
  for (int sample = 0; sample < 3; ++sample) {
    Eigen::VectorXd q = model.DefaultPosition();
    IntegratePosition<double>(model, q, random_vector(), 0.5, q);
    const Eigen::VectorXd v = random_vector();
    frame->arguments << q, v;
    frame->Adot->Evaluate(frame->arguments, given);
    frame->Differentiate(q, v, rate);
    if (!given.allFinite() || !rate.allFinite()) continue;
    Eigen::Index row = 0, column = 0;
    const double error = (given - rate).cwiseAbs().maxCoeff(&row, &column);
    if (error <= 1e-6 * std::max(1.0, rate.cwiseAbs().maxCoeff())) continue;
    internal::MessageStream text;
    text << value.items[static_cast<std::size_t>(row)].items[static_cast<std::size_t>(column)].where
         << ": Adot is not the rate of A: row " << row << ", column " << column << " is "
         << given(row, column) << ", the rate " << rate(row, column) << ", at q = " << q.transpose()
         << ", v = " << v.transpose();
    throw UserError(text.str());
  }
}

std::vector<std::string> ColumnNames(Eigen::Index n) {
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < n; ++i) names.push_back("w" + std::to_string(i));
  return names;
}

Coordinates OfFrame(const std::string& text, std::vector<std::string> names,
                    const FormulaFrame& frame) {
  const std::uint64_t model = frame.model.id();
  return {text, std::move(names), model,
          [own = frame, model](Workspace<double>& workspace, VelocityMap<double>& map) mutable {
            CIVITA_CHECK(workspace.model() == model, "the workspace has another model's state");
            return own.Update(workspace.q(), workspace.v(), map);
          },
          [own = frame](VectorIn<double> q, VectorIn<double> w, VectorIn<double> x,
                        MatrixOut<double> rates) mutable { return own.CalcRates(q, w, x, rates); }};
}

Coordinates ReadFormulaFile(const std::string& text, const Model& model,
                            const std::filesystem::path& file) {
  const YamlValue root = ReadYaml(file.string());
  internal::CheckKeys(root, {"A", "Adot", "names"});
  const YamlValue* A = root.Find("A");
  if (A == nullptr) throw UserError(root.where + ": lacks the key 'A'");
  Formula::Names arguments = PositionNames(model);
  FormulaMatrix A_formulas = ReadFormulas(*A, "A", model, arguments);
  const Eigen::Index nw = A_formulas.cols;
  for (int i = 0; i < model.nv(); ++i) {
    arguments.emplace_back("v[" + std::to_string(i) + "]", model.nq() + i);
  }
  std::optional<FormulaMatrix> Adot_formulas;
  const YamlValue* Adot = root.Find("Adot");
  if (Adot != nullptr) {
    Adot_formulas = ReadFormulas(*Adot, "Adot", model, arguments);
    if (Adot_formulas->cols != nw) throw UserError(Adot->where + ": Adot has another shape than A");
  }
  std::vector<std::string> names = ColumnNames(nw);
  if (const YamlValue* given = root.Find("names")) {
    if (given->items.size() != names.size()) {
      throw UserError(given->where + ": " + Count(given->items.size(), "name") + ", A has " +
                      Count(names.size(), "column"));
    }
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = given->items[i].text;
  }
  FormulaFrame frame(model, std::move(A_formulas), std::move(Adot_formulas));
  if (Adot != nullptr) CheckRate(*Adot, &frame);
  return OfFrame(text, std::move(names), frame);
}

/// A constant A: a row for each line.
Coordinates ReadCsv(const std::string& text, const Model& model,
                    const std::filesystem::path& file) {
  std::istringstream stream(internal::ReadText(file.string()));
  const auto make = [](YamlValue::Kind kind, const std::string& where) {
    YamlValue value;
    value.kind = kind;
    value.where = where;
    return value;
  };
  YamlValue rows = make(YamlValue::Kind::kList, file.string());
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    const std::string where = file.string() + ":" + std::to_string(number);
    YamlValue row = make(YamlValue::Kind::kList, where);
    for (std::string cell; cells >> cell;) {
      row.items.push_back(make(YamlValue::Kind::kScalar, where));
      row.items.back().text = cell;
    }
    if (!row.items.empty()) rows.items.push_back(std::move(row));
  }
  FormulaMatrix A = ReadFormulas(rows, "A", model, {});
  FormulaMatrix zero = A;
  zero.entries.assign(zero.entries.size(), Formula("0", {}));
  FormulaFrame frame(model, std::move(A), std::move(zero));
  frame.A.Evaluate(frame.q, frame.at);
  if (!frame.HasFullRank(frame.at)) {
    throw UserError(file.string() + ": A does not have full column rank");
  }
  std::vector<std::string> names = ColumnNames(frame.A.cols);
  return OfFrame(text, std::move(names), frame);
}

Coordinates ReadTask(const std::string& text, const Model& model, const Eigen::VectorXd& q) {
  std::string name = text.substr(5);
  const bool pose = name.ends_with(":pose");
  if (pose) name.erase(name.size() - 5);
  return TaskCoordinates(model, model.FindFrame(name), pose, q);
}

}  // namespace

Eigen::VectorXd GenericPosition(const Model& model) {
  Eigen::VectorXd q = model.DefaultPosition();
  const Eigen::VectorXd steps = Eigen::VectorXd::LinSpaced(model.nv(), 0.3, 0.7);
  IntegratePosition<double>(model, q, steps, 1, q);
  return q;
}

Coordinates ReadCoordinates(const std::string& text, const Model& model, const Eigen::VectorXd& q,
                            const std::string& directory) {
  if (text == "body_twists") return BodyTwistCoordinates(model);
  if (text == "com_decoupled") return ComCoordinates(model);
  if (text == "mass_orthonormal") return MassOrthonormalCoordinates(model);
  if (text.starts_with("task:")) return ReadTask(text, model, q);
  const std::filesystem::path file = std::filesystem::path(directory) / text;
  if (text.ends_with(".yaml")) return ReadFormulaFile(text, model, file);
  if (text.ends_with(".csv")) return ReadCsv(text, model, file);
  throw UserError(UnknownName("coordinates", text,
                              {"v", "body_twists", "com_decoupled", "mass_orthonormal",
                               "task:FRAME", "task:FRAME:pose", "FILE.csv", "FILE.yaml"}));
}

}  // namespace civita
