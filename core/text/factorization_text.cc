#include "civita/factorization_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/read_file.h"
#include "civita/error.h"
#include "civita/geometry/random_three_form.h"
#include "civita/suggest.h"

namespace civita {

namespace {

using Part = Factorization::Part;
using JointInjection = Factorization::JointInjection;

constexpr const char* kForms =
    "christoffel, plain, other, t:NUMBER, body:BODY:ang:BETA, body:BODY:lin:BETA, "
    "joint:BETA[:S.csv], form:FILE.csv, form:random:SEED[:SIZE], alpha:ALPHA (not admissible), or "
    "several joined by '+'";
constexpr std::string_view kBeginnings[] = {
    "christoffel", "plain", "other", "t:", "body:", "joint:", "form:", "alpha:"};

/// What a text is read by: the model, where files are, and what reads formulas.
struct Source {
  const Model& model;
  const std::filesystem::path directory;
  const FormulaReader& read_formula;
};

int DepthStep(char c) { return c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0; }

/// The place of a separator that is not inside braces or brackets, from `first`.
size_t FindOutside(std::string_view text, char separator, size_t first = 0) {
  int depth = 0;
  for (size_t i = first; i < text.size(); ++i) {
    depth += DepthStep(text[i]);
    if (text[i] == separator && depth == 0) return i;
  }
  return std::string_view::npos;
}

std::vector<std::string> Split(std::string_view text, char separator, size_t most) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < most) {
    const size_t end = FindOutside(text, separator);
    if (end == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

/// The length of a frame's name at the beginning of a text, before the part ang or lin of an
/// injection at it; of several the longest, 0: none.
size_t FrameLength(std::string_view text, const Model& model) {
  size_t longest = 0;
  for (const Model::NamedFrame& frame : model.frames()) {
    const size_t length = frame.name.size();
    if (length <= longest || !text.starts_with(frame.name)) continue;
    const std::string_view rest = text.substr(length);
    if (rest.starts_with(":ang:") || rest.starts_with(":lin")) longest = length;
  }
  return longest;
}

/// Splits terms at '+', but not at the sign of a number ("t:+0.3", "t:1e+3"), in a formula or a
/// list, or in the name of a body or file, after which another term begins.
std::vector<std::string> SplitTerms(std::string_view text, const Model& model) {
  std::vector<std::string> terms(1);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += DepthStep(text[i]);
    const char before = i > 0 ? text[i - 1] : '+';
    const bool exponent = (before == 'e' || before == 'E') && i > 1 &&
                          std::isdigit(static_cast<unsigned char>(text[i - 2])) != 0;
    const std::string& term = terms.back();
    const bool named =
        term.starts_with("body:") || term.starts_with("joint:") || term.starts_with("form:");
    const bool another = std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
      return text.substr(i + 1).starts_with(beginning);
    });
    if (text[i] == '+' && before != ':' && !exponent && depth == 0 && (another || !named)) {
      terms.emplace_back();
    } else {
      terms.back() += text[i];
    }
    if (terms.back() != "body:") continue;
    const size_t name = FrameLength(text.substr(i + 1), model);
    terms.back() += text.substr(i + 1, name);
    i += name;
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

/// A number, or a formula in braces.
Coefficient ParseCoefficient(std::string_view term, const std::string& text, const char* name,
                             const Source& source) {
  if (!text.starts_with('{')) return ParseNumber(term, text, name);
  if (!text.ends_with('}')) Fail(term, std::string(name) + ": '}' is missing");
  if (!source.read_formula) Fail(term, std::string(name) + " must be a number here");
  const std::string formula = text.substr(1, text.size() - 2);
  try {
    return {text, source.read_formula(formula, source.model)};
  } catch (const UserError& error) {
    Fail(term, std::string(name) + ": " + error.what());
  }
}

std::istringstream OpenFile(std::string_view term, const std::filesystem::path& file) {
  try {
    return std::istringstream(internal::ReadText(file.string()));
  } catch (const UserError& error) {
    Fail(term, error.what());
  }
}

bool IsList(std::string_view text) { return text.starts_with('['); }

/// The rows of a list in brackets as lines.
std::istringstream OpenList(std::string_view term, std::string_view list) {
  if (!list.ends_with(']')) Fail(term, "']' is missing");
  std::string lines(list.substr(1, list.size() - 2));
  for (size_t at = FindOutside(lines, ';'); at != std::string::npos;) {
    lines[at] = '\n';
    at = FindOutside(lines, ';');
  }
  return std::istringstream(lines);
}

/// 3 rows of nv numbers, separated by commas or blanks: in a file, or in brackets.
Eigen::Matrix3Xd ReadS(std::string_view term, const std::string& text, const Source& source) {
  const int nv = source.model.nv();
  const std::string file = IsList(text) ? "S" : (source.directory / text).string();
  std::istringstream stream = IsList(text) ? OpenList(term, text) : OpenFile(term, file);
  std::vector<std::vector<double>> rows;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::vector<double>& row = rows.emplace_back();
    const auto where = [&] { return file + ":" + std::to_string(number) + ": "; };
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
    Fail(term, file + ": S has " + std::to_string(rows.size()) + " rows, not 3");
  }
  Eigen::Matrix3Xd S(3, nv);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < nv; ++k) {
      S(i, k) = rows[static_cast<size_t>(i)][static_cast<size_t>(k)];
    }
  }
  return S;
}

/// The cells of a line of a three-form: in a file by commas, in brackets by blanks.
std::vector<std::string> ThreeFormCells(const std::string& line, bool listed) {
  const size_t first = line.find_first_not_of(" \t");
  std::vector<std::string> cells =
      Split(std::string_view(line).substr(listed ? first : 0), listed ? ' ' : ',', 4);
  for (std::string& cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell.erase(cell.find_last_not_of(" \t\r") + 1);
  }
  return cells;
}

/// random:SEED or random:SEED:SIZE.
Factorization::ThreeForm ReadRandomForm(std::string_view term, const std::string& text,
                                        const Model& model) {
  const std::vector<std::string> parts = Split(text, ':', 3);
  int seed = -1;
  const std::string& number = parts[1];
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, seed);
  if (error != std::errc() || stop != end || seed < 0) {
    Fail(term, "SEED must be a whole number from 0 to 2147483647, not '" + number + "'");
  }
  const double size = parts.size() > 2 ? ParseNumber(term, parts[2], "SIZE") : 1;
  try {
    Factorization::ThreeForm form = MakeRandomThreeForm(model, seed, size);
    form.made = "random:" + std::to_string(seed);
    if (size != 1) form.made += ":" + internal::ExactNumber(size);
    return form;
  } catch (const UserError& refused) {
    Fail(term, refused.what());
  }
}

/// The components of a three-form, a line each: three coordinates and a number or formula.
Factorization::ThreeForm ReadThreeForm(std::string_view term, const std::string& text,
                                       const Source& source) {
  if (text.empty()) Fail(term, "the form is form:FILE.csv or form:random:SEED");
  if (text.starts_with("random:")) return ReadRandomForm(term, text, source.model);
  const bool listed = IsList(text);
  const std::string file = listed ? "component" : (source.directory / text).string();
  std::istringstream stream = listed ? OpenList(term, text) : OpenFile(term, file);
  std::vector<std::string> names;
  for (int iv = 0; iv < source.model.nv(); ++iv) {
    names.push_back(listed ? std::to_string(iv) : source.model.VelocityName(iv));
  }
  Factorization::ThreeForm form{.components = {}, .file = listed ? "" : text};
  std::set<std::set<int>> known;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    const std::string where = file + ":" + std::to_string(number) + ": ";
    const std::vector<std::string> cells = ThreeFormCells(line, listed);
    if (cells.size() != 4) Fail(term, where + "a line is COORDINATE, COORDINATE, COORDINATE, ω");
    int at[3];
    for (size_t a = 0; a < 3; ++a) {
      const auto found = std::find(names.begin(), names.end(), cells[a]);
      if (found == names.end()) Fail(term, where + UnknownName("coordinate", cells[a], names));
      at[a] = static_cast<int>(found - names.begin());
    }
    const std::set<int> places(at, at + 3);
    if (places.size() < 3) Fail(term, where + "a three-form is zero where a coordinate repeats");
    if (!known.insert(places).second) Fail(term, where + "these coordinates have a line already");
    form.components.push_back(
        {at[0], at[1], at[2], ParseCoefficient(where + line, cells[3], "ω", source)});
  }
  return form;
}

Factorization ParseBodyInjection(std::string_view term, const Factorization& before,
                                 const Source& source) {
  // A body's name may hold ':' itself: the last two parts are the kind and β.
  const size_t formula = term.find(":{", 5 + FrameLength(term.substr(5), source.model));
  const size_t last = formula != std::string_view::npos ? formula : term.rfind(':');
  const size_t middle = last > 5 ? term.rfind(':', last - 1) : std::string_view::npos;
  if (middle == std::string_view::npos || middle < 5)
    Fail(term, "the form is body:BODY:ang|lin:BETA");
  const std::string_view part = term.substr(middle + 1, last - middle - 1);
  const bool has_point = part.starts_with("lin[");
  if (part != "ang" && part != "lin" && !has_point) {
    Fail(term, "'" + std::string(part) + "' is neither ang nor lin");
  }
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  if (has_point) {
    std::istringstream numbers = OpenList(term, part.substr(3));
    std::string x, rest;
    for (double& number : point) {
      numbers >> x;
      number = ParseNumber(term, numbers ? x : "", "a coordinate of the point");
    }
    if (numbers >> rest) Fail(term, "a point has three coordinates");
  }
  Coefficient beta = ParseCoefficient(term, std::string(term.substr(last + 1)), "β", source);
  try {
    return before.Inject(source.model, term.substr(5, middle - 5),
                         part == "ang" ? Part::kAngular : Part::kLinear, std::move(beta), point);
  } catch (const UserError& error) {
    Fail(term, error.what());
  }
}

JointInjection ParseJointInjection(std::string_view term, const Source& source) {
  const int nv = source.model.nv();
  const std::vector<std::string> parts = Split(term, ':', 3);
  JointInjection injection;
  injection.beta = ParseCoefficient(term, parts.size() > 1 ? parts[1] : "", "β", source);
  if (parts.size() > 2) {
    if (!IsList(parts[2])) injection.file = parts[2];
    injection.S = ReadS(term, parts[2], source);
  } else if (nv == 3) {
    injection.S = Eigen::Matrix3d::Identity();
  } else {
    Fail(term, "the model has nv = " + std::to_string(nv) +
                   ", not 3: name a file with S (3 rows, nv columns) as joint:BETA:S.csv");
  }
  return injection;
}

std::string Text(const Coefficient& coefficient) {
  return coefficient.is_number() ? internal::ExactNumber(coefficient.number()) : coefficient.text();
}

std::string Text(const Eigen::MatrixXd& M) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    if (i > 0) text += "; ";
    for (Eigen::Index k = 0; k < M.cols(); ++k)
      text += (k > 0 ? " " : "") + internal::ExactNumber(M(i, k));
  }
  return text + "]";
}

std::string Text(const Factorization::BodyInjection& injection) {
  const bool is_linear = injection.part == Part::kLinear;
  if (injection.name.empty() || (is_linear && !injection.origin)) {
    throw UserError("an injection at body " + std::to_string(injection.body) +
                    " has no text: Factorization::Inject gives it the name of a frame");
  }
  const std::string body = "body:" + injection.name + ":";
  if (!is_linear) return body + "ang:" + Text(injection.beta);
  const Eigen::RowVector3d point = (injection.point - *injection.origin).transpose();
  return body + "lin" + (point.isZero(0) ? "" : Text(point)) + ":" + Text(injection.beta);
}

std::string Text(const JointInjection& injection) {
  const std::string joint = "joint:" + Text(injection.beta);
  if (!injection.file.empty()) return joint + ":" + injection.file;
  const bool is_default = injection.S.cols() == 3 && injection.S == Eigen::Matrix3d::Identity();
  return is_default ? joint : joint + ":" + Text(injection.S);
}

std::string Text(const Factorization::ThreeForm& form) {
  if (!form.file.empty()) return "form:" + form.file;
  if (!form.made.empty()) return "form:" + form.made;
  std::string text;
  for (const auto& [i, j, k, omega] : form.components) {
    text += text.empty() ? "" : "; ";
    for (const int coordinate : {i, j, k}) text += std::to_string(coordinate) + " ";
    text += Text(omega);
  }
  return "form:[" + text + "]";
}

}  // namespace

Factorization ParseFactorization(std::string_view text, const Model& model,
                                 const std::string& directory, const FormulaReader& read_formula) {
  const Source source{model, directory, read_formula};
  Factorization result;
  bool has_base = false, has_alpha = false;
  for (const std::string& term : SplitTerms(text, model)) {
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
      result = ParseBodyInjection(term, result, source);
      continue;
    } else if (term.starts_with("joint:")) {
      result.joint_injections.push_back(ParseJointInjection(term, source));
      continue;
    } else if (term.starts_with("form:")) {
      result.three_forms.push_back(ReadThreeForm(term, term.substr(5), source));
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
  const bool injected =
      !factorization.body_injections.empty() || factorization.has_coordinate_injections();
  if (t == 1 && alpha != 0) {
    // what alpha adds to unless told otherwise
  } else if (t == 1) {
    add("plain");
  } else if (t == -1) {
    add("other");
  } else if (t != 0) {
    add("t:" + internal::ExactNumber(t));
  } else if (!injected || alpha != 0) {
    add("christoffel");
  }
  if (alpha != 0) add("alpha:" + internal::ExactNumber(alpha));
  for (const auto& injection : factorization.body_injections) add(Text(injection));
  for (const auto& injection : factorization.joint_injections) add(Text(injection));
  for (const auto& form : factorization.three_forms) add(Text(form));
  return text;
}

std::string WithBothNames(const std::string& text) {
  return text == "plain" ? "plain (t:1)" : text == "other" ? "other (t:-1)" : text;
}

}  // namespace civita
