#include "civita/scenes/schema/formula.h"

#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <numbers>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/suggest.h"

namespace civita {

struct Formula::Parser {
  Parser(std::string text_in, Names names_in)
      : text(std::move(text_in)), names(std::move(names_in)) {
    int size = 0;
    for (const auto& [name, index] : names) size = std::max(size, index + 1);
    arguments.resize(static_cast<std::size_t>(size));
    mu.DefineNameChars("0123456789_.[]abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    mu.DefineConst("pi", std::numbers::pi);
    for (const auto& [name, index] : names) {
      mu.DefineVar(name, &arguments[static_cast<std::size_t>(index)]);
    }
    mu.SetExpr(text);
    mu.Eval();  // compiles
  }

  std::string text;
  Names names;
  std::vector<double> arguments;
  mu::Parser mu;
};

namespace {

/// Whether it assigns, which the parser would take.
bool Assigns(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const char before = i > 0 ? text[i - 1] : ' ';
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
    } else if (before != '<' && before != '>' && before != '!') {
      return true;
    }
  }
  return false;
}

[[noreturn]] void Fail(const std::string& text, const std::string& why) {
  throw UserError("formula '" + text + "': " + why);
}

bool IsIdentifier(const std::string& name) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [&](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

Formula::Formula(const std::string& text, const Names& names) {
  if (Assigns(text)) Fail(text, "it has an assignment");
  try {
    parser_ = std::make_unique<Parser>(text, names);
  } catch (const mu::Parser::exception_type& error) {
    if (error.GetCode() != mu::ecUNASSIGNABLE_TOKEN) Fail(text, error.GetMsg());
    std::vector<std::string> known;
    for (const auto& [name, index] : names) known.push_back(name);
    Fail(text, UnknownName("name", error.GetToken(), known));
  }
  if (parser_->mu.GetNumResults() != 1) Fail(text, "it has several values");
}

Formula::Formula(const Formula& other)
    : parser_(std::make_unique<Parser>(other.parser_->text, other.parser_->names)) {}
Formula& Formula::operator=(const Formula& other) { return *this = Formula(other); }
Formula::Formula(Formula&& other) noexcept = default;
Formula& Formula::operator=(Formula&& other) noexcept = default;
Formula::~Formula() = default;

double Formula::operator()(std::span<const double> arguments) const {
  std::vector<double>& to = parser_->arguments;
  CIVITA_CHECK(arguments.size() >= to.size(), arguments.size()
                                                  << " arguments, the formula has " << to.size());
  std::copy_n(arguments.begin(), to.size(), to.begin());
  return parser_->mu.Eval();
}

Formula::Names PositionNames(const Model& model) {
  Formula::Names names;
  for (int i = 0; i < model.nq(); ++i) names.emplace_back("q[" + std::to_string(i) + "]", i);
  for (const Model::NamedJoint& joint : model.joints()) {
    const bool taken = joint.name == "pi" || joint.name == "q" || joint.name == "v";
    if (NumPositions(joint.type) == 1 && IsIdentifier(joint.name) && !taken) {
      names.emplace_back(joint.name, joint.iq);
    }
  }
  return names;
}

Factorization ReadFactorization(std::string_view text, const Model& model,
                                const std::filesystem::path& directory) {
  const std::filesystem::path folder = std::filesystem::current_path() / directory;
  const FormulaReader compile = [](const std::string& formula, const Model& of) {
    return [compiled = Formula(formula, PositionNames(of))](const Eigen::VectorXd& q) {
      return compiled({q.data(), static_cast<std::size_t>(q.size())});
    };
  };
  Factorization factorization = ParseFactorization(text, model, folder.string(), compile);
  const auto resolve = [&folder](std::string* file) {
    if (!file->empty()) *file = (folder / *file).lexically_normal().string();
  };
  for (auto& injection : factorization.joint_injections) resolve(&injection.file);
  for (auto& form : factorization.three_forms) resolve(&form.file);
  return factorization;
}

}  // namespace civita
