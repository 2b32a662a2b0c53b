#include "civita/scenes/motion/motion_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/read_file.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

struct Field {
  std::string_view text;
  size_t column;  ///< from 1
};

std::vector<Field> Split(std::string_view line) {
  std::vector<Field> fields;
  size_t start = 0;
  while (start <= line.size()) {
    const size_t end = std::min(line.find(',', start), line.size());
    size_t first = start, last = end;
    while (first < last && std::isspace(static_cast<unsigned char>(line[first]))) ++first;
    while (last > first && std::isspace(static_cast<unsigned char>(line[last - 1]))) --last;
    fields.push_back({line.substr(first, last - first), first + 1});
    start = end + 1;
  }
  return fields;
}

bool ParseNumber(std::string_view text, double* number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

// The column of each quantity: t, then q, v, v̇ by component. v and v̇ may be absent.
struct Layout {
  size_t columns = 0;
  std::vector<size_t> t, q, v, vdot;
};

class MotionReader {
 public:
  MotionReader(const std::filesystem::path& file, const Model& model)
      : name_(file.string()), model_(model), stream_(internal::ReadText(name_)) {}

  Knots Read() {
    std::string line;
    while (std::getline(stream_, line)) {
      ++line_;
      const std::vector<Field> fields = Split(line);
      if (fields[0].text.starts_with('#') || (fields.size() == 1 && fields[0].text.empty())) {
        continue;
      }
      double ignored = 0;
      if (layout_.columns == 0 && !ParseNumber(fields[0].text, &ignored)) {
        ReadNames(fields);
        continue;
      }
      if (layout_.columns == 0) CountColumns(fields.size());
      ReadRow(fields);
    }
    if (lines_.size() < 2) {
      throw UserError(name_ + ": has " + internal::Count(lines_.size(), "row") +
                      " of numbers; a motion needs two at least");
    }
    return MakeKnots();
  }

 private:
  [[noreturn]] void Refuse(size_t line, size_t column, const std::string& what) const {
    throw UserError(name_ + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " +
                    what);
  }

  std::string Wanted() const {
    const int nq = model_.nq(), nv = model_.nv();
    return std::to_string(1 + nq) + " (t, q), " + std::to_string(1 + nq + nv) + " (t, q, v) or " +
           std::to_string(1 + nq + 2 * nv) + " (t, q, v, vdot)";
  }

  void CountColumns(size_t count) {
    const auto nq = static_cast<size_t>(model_.nq()), nv = static_cast<size_t>(model_.nv());
    const auto fill = [](size_t first, size_t size, std::vector<size_t>* columns) {
      for (size_t i = 0; i < size; ++i) columns->push_back(first + i);
    };
    if (count != 1 + nq && count != 1 + nq + nv && count != 1 + nq + 2 * nv) {
      Refuse(line_, 1,
             "the row has " + internal::Count(count, "number") + "; the model wants " + Wanted());
    }
    layout_.columns = count;
    layout_.t = {0};
    fill(1, nq, &layout_.q);
    if (count > 1 + nq) fill(1 + nq, nv, &layout_.v);
    if (count > 1 + nq + nv) fill(1 + nq + nv, nv, &layout_.vdot);
  }

  void ReadNames(const std::vector<Field>& names) {
    layout_.columns = names.size();
    const auto find = [&](const std::string& prefix, int size, std::vector<size_t>* columns) {
      for (int i = 0; i < size; ++i) {
        const std::string wanted = prefix + std::to_string(i);
        const auto found = std::find_if(names.begin(), names.end(),
                                        [&](const Field& field) { return field.text == wanted; });
        if (found != names.end()) columns->push_back(static_cast<size_t>(found - names.begin()));
      }
    };
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].text == "t" && layout_.t.empty()) layout_.t = {i};
    }
    find("/q/", model_.nq(), &layout_.q);
    find("/v/", model_.nv(), &layout_.v);
    find("/vdot/", model_.nv(), &layout_.vdot);
    const auto some = [](size_t found, int wanted) {
      return found != 0 && found != static_cast<size_t>(wanted);
    };
    if (layout_.t.empty() || layout_.q.size() != static_cast<size_t>(model_.nq()) ||
        some(layout_.v.size(), model_.nv()) || some(layout_.vdot.size(), model_.nv())) {
      Refuse(line_, 1,
             "the names must hold t, /q/0 … /q/" + std::to_string(model_.nq() - 1) +
                 ", and all of /v/0 … /v/" + std::to_string(model_.nv() - 1) +
                 " or none, so too /vdot/…");
    }
  }

  void ReadRow(const std::vector<Field>& fields) {
    if (fields.size() != layout_.columns) {
      Refuse(line_, 1,
             "the row has " + internal::Count(fields.size(), "number") + ", those before " +
                 std::to_string(layout_.columns));
    }
    for (const auto* columns : {&layout_.t, &layout_.q, &layout_.v, &layout_.vdot}) {
      for (const size_t column : *columns) {
        const Field& field = fields[column];
        double number = 0;
        if (!ParseNumber(field.text, &number) || !std::isfinite(number)) {
          Refuse(line_, field.column, "'" + std::string(field.text) + "' is not a finite number");
        }
        if (columns == &layout_.t && !lines_.empty() && number <= time_) {
          Refuse(
              line_, field.column,
              "times must grow: " + ToYamlText(number) + " s follows " + ToYamlText(time_) + " s");
        }
        if (columns == &layout_.t) time_ = number;
        numbers_.push_back(number);
      }
    }
    lines_.push_back(line_);
  }

  Knots MakeKnots() const {
    const auto n = static_cast<Eigen::Index>(lines_.size());
    const Eigen::Index nq = model_.nq(), nv = model_.nv();
    const auto width = static_cast<Eigen::Index>(numbers_.size()) / n;
    const Eigen::Map<const Eigen::MatrixXd> all(numbers_.data(), width, n);
    Knots knots;
    knots.t.assign(all.row(0).begin(), all.row(0).end());
    knots.q = all.middleRows(1, nq);
    if (!layout_.v.empty()) knots.v = all.middleRows(1 + nq, nv);
    if (!layout_.v.empty() && !layout_.vdot.empty()) knots.vdot = all.middleRows(1 + nq + nv, nv);
    for (const Model::NamedJoint& joint : model_.joints()) {
      if (RotationOffset(joint.type) < 0) continue;
      const int iq = joint.iq + RotationOffset(joint.type);
      for (Eigen::Index k = 0; k < n; ++k) {
        if (!internal::Normalize(knots.q.col(k).segment<4>(iq))) {
          Refuse(lines_[static_cast<size_t>(k)], 1,
                 "a quaternion of no usable length for joint " + joint.name);
        }
      }
    }
    if (const auto jump = FindJump(model_, knots)) {
      const auto k = static_cast<size_t>(jump->knot);
      Refuse(lines_[k], 1,
             "the motion jumps: " + model_.VelocityName(jump->iv) + " by " +
                 internal::ShortNumber(jump->way) + " in " +
                 internal::ShortNumber(knots.t[k] - knots.t[k - 1]) + " s");
    }
    return knots;
  }

  std::string name_;
  const Model& model_;
  std::istringstream stream_;
  Layout layout_;
  size_t line_ = 0;
  double time_ = 0;
  std::vector<double> numbers_;  // row by row: t, q, v, v̇
  std::vector<size_t> lines_;    // of the file, by row
};

}  // namespace

Knots ReadMotionFile(const std::filesystem::path& file, const Model& model) {
  return MotionReader(file, model).Read();
}

}  // namespace civita
