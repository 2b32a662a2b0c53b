#include "civita/factorization_text.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "civita/error.h"

namespace civita {

namespace {

using Part = Factorization::Part;
using JointInjection = Factorization::JointInjection;

constexpr const char* kForms =
    "christoffel, plain, other, t:NUMBER, body:BODY:ang:BETA, body:BODY:lin:BETA, "
    "joint:BETA[:S.csv], alpha:ALPHA (not admissible), or several joined by '+'";

std::vector<std::string> Split(std::string_view text, char separator, size_t most) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < most) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

/// Splits terms at '+', but not at the sign of a number ("t:+0.3", "t:1e+3").
std::vector<std::string> SplitTerms(std::string_view text) {
  std::vector<std::string> terms(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const char before = i > 0 ? text[i - 1] : '+';
    const bool exponent = (before == 'e' || before == 'E') && i > 1 && std::isdigit(text[i - 2]);
    if (text[i] == '+' && before != ':' && !exponent) {
      terms.emplace_back();
    } else {
      terms.back() += text[i];
    }
  }
  return terms;
}

[[noreturn]] void Fail(std::string_view term, const std::string& why) {
  throw UserError("factorization '" + std::string(term) + "': " + why);
}

double ParseNumber(std::string_view term, std::string text, const char* name) {
  if (!text.empty() && text.front() == '+') text.erase(0, 1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    Fail(term, std::string(name) + " must be a number, not '" + text + "'");
  }
  return value;
}

/// 3 rows of nv numbers, separated by commas or blanks.
Eigen::Matrix3Xd ReadS(std::string_view term, const std::filesystem::path& file, int nv) {
  std::ifstream stream(file);
  if (!stream || !std::filesystem::is_regular_file(file))
    Fail(term, "cannot read '" + file.string() + "'");
  std::vector<std::vector<double>> rows;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::vector<double>& row = rows.emplace_back();
    const auto where = [&] { return file.string() + ":" + std::to_string(number) + ": "; };
    std::string cell;
    const auto finish_cell = [&] {
      if (!cell.empty()) row.push_back(ParseNumber(where() + cell, cell, "S"));
      cell.clear();
    };
    for (const char c : line) {
      if (c == ',' || c == ' ' || c == '\t' || c == '\r') {
        finish_cell();
      } else {
        cell += c;
      }
    }
    finish_cell();
    if (static_cast<int>(row.size()) != nv) {
      Fail(term, where() + "a row of S has " + std::to_string(row.size()) +
                     " numbers, not nv = " + std::to_string(nv));
    }
  }
  if (rows.size() != 3) {
    Fail(term, file.string() + ": S has " + std::to_string(rows.size()) + " rows, not 3");
  }
  Eigen::Matrix3Xd S(3, nv);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < nv; ++k) {
      S(i, k) = rows[static_cast<size_t>(i)][static_cast<size_t>(k)];
    }
  }
  return S;
}

Factorization ParseBodyInjection(std::string_view term, const Factorization& before,
                                 const Model& model) {
  // A body's name may hold ':' itself: the last two parts are the kind and β.
  const size_t last = term.rfind(':');
  const size_t middle = last > 5 ? term.rfind(':', last - 1) : std::string_view::npos;
  if (middle == std::string_view::npos || middle < 5)
    Fail(term, "the form is body:BODY:ang|lin:BETA");
  const std::string_view part = term.substr(middle + 1, last - middle - 1);
  const double beta = ParseNumber(term, std::string(term.substr(last + 1)), "β");
  if (part != "ang" && part != "lin") {
    Fail(term, "'" + std::string(part) + "' is neither ang nor lin");
  }
  try {
    return before.Inject(model, term.substr(5, middle - 5),
                         part == "ang" ? Part::kAngular : Part::kLinear, beta);
  } catch (const UserError& error) {
    Fail(term, error.what());
  }
}

JointInjection ParseJointInjection(std::string_view term, const Model& model,
                                   const std::string& directory) {
  const std::vector<std::string> parts = Split(term, ':', 3);
  JointInjection injection;
  injection.beta = ParseNumber(term, parts.size() > 1 ? parts[1] : "", "β");
  if (parts.size() > 2) {
    injection.file = parts[2];
    injection.S = ReadS(term, std::filesystem::path(directory) / parts[2], model.nv());
  } else if (model.nv() == 3) {
    injection.S = Eigen::Matrix3d::Identity();
  } else {
    Fail(term, "the model has nv = " + std::to_string(model.nv()) +
                   ", not 3: name a file with S (3 rows, nv columns) as joint:BETA:S.csv");
  }
  return injection;
}

std::string NumberText(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

}  // namespace

Factorization ParseFactorization(std::string_view text, const Model& model,
                                 const std::string& directory) {
  Factorization result;
  bool has_base = false, has_alpha = false;
  for (const std::string& term : SplitTerms(text)) {
    double t = 0;
    if (term == "christoffel") {
      t = 0;
    } else if (term == "plain") {
      t = 1;
    } else if (term == "other") {
      t = -1;
    } else if (term.starts_with("t:")) {
      t = ParseNumber(term, term.substr(2), "t");
    } else if (term.starts_with("body:")) {
      result = ParseBodyInjection(term, result, model);
      continue;
    } else if (term.starts_with("joint:")) {
      if (result.joint_injection) Fail(term, "a second joint injection");
      result.joint_injection = ParseJointInjection(term, model, directory);
      continue;
    } else if (term.starts_with("alpha:")) {
      if (has_alpha) Fail(text, "only one alpha:ALPHA can be named");
      has_alpha = true;
      result.alpha = ParseNumber(term, term.substr(6), "α");
      continue;
    } else {
      Fail(term, std::string("not one of the forms ") + kForms);
    }
    if (has_base) Fail(text, "only one of christoffel, plain, other, t:NUMBER can be named");
    has_base = true;
    result.t = t;
  }
  if (has_alpha && !has_base) result.t = 1;
  return result;
}

std::string ToString(const Factorization& factorization) {
  std::string text;
  const auto add = [&text](const std::string& term) { text += (text.empty() ? "" : "+") + term; };
  const double t = factorization.t, alpha = factorization.alpha;
  const auto& joint_injection = factorization.joint_injection;
  const bool injected = !factorization.body_injections.empty() || joint_injection.has_value();
  if (t == 1 && alpha != 0) {
    // what alpha adds to unless told otherwise
  } else if (t == 1) {
    add("plain");
  } else if (t == -1) {
    add("other");
  } else if (t != 0) {
    add("t:" + NumberText(t));
  } else if (!injected || alpha != 0) {
    add("christoffel");
  }
  if (alpha != 0) add("alpha:" + NumberText(alpha));
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    const char* part = injection.part == Part::kAngular ? ":ang:" : ":lin:";
    add("body:" + injection.name + part + NumberText(injection.beta));
  }
  if (joint_injection) {
    add("joint:" + NumberText(joint_injection->beta) +
        (joint_injection->file.empty() ? "" : ":" + joint_injection->file));
  }
  return text;
}

}  // namespace civita
