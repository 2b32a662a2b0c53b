// The built program's `civita formulas`: numbers of the generated code against `civita eval`, the
// LaTeX of a small arm, and errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>

#include "app/verbs/reproduce/tube_tree.h"
#include "civita/christoffel.h"
#include "study/symbolic/algebra.h"
#include "study/symbolic/expression.h"
#include "study/symbolic/symbolic_model.h"
#include "tests/app/child_program.h"
#include "tests/app/eval_shell.h"

namespace civita {
namespace formulas_test {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// A planar hinge, a ball that carries a slide, and a free body: every kind of coordinate.
constexpr const char* kMixed = R"(<mujoco><worldbody>
  <body name="upper"><joint name="hinge" axis="0 1 0.5" armature="0.1"/>
    <inertial mass="2" pos="0.1 0 0.3" diaginertia="0.03 0.02 0.04"/>
    <body name="lower" pos="0 0.1 0.4" euler="30 0 0"><joint name="ball" type="ball" armature="0.02"/>
      <inertial mass="1" pos="0 0.1 0.2" diaginertia="0.02 0.03 0.015"/>
      <body name="tool" pos="0.1 0 0.3"><joint name="slide" type="slide" axis="1 0 0"/>
        <inertial mass="0.4" pos="0 0.02 0" diaginertia="0.001 0.002 0.0015"/></body></body></body>
  <body name="float"><freejoint name="free"/>
    <inertial mass="3" pos="0.1 0.2 0" diaginertia="0.1 0.2 0.15"/></body>
</worldbody></mujoco>)";

constexpr const char* kQuantities = "H,C,Gamma,Hdot,g,bias,tau,kinetic,potential";

std::vector<double> Flatten(const Json& json) {
  if (!json.is_array()) return {json.get<double>()};
  std::vector<double> numbers;
  for (const Json& part : json) {
    for (const double x : Flatten(part)) numbers.push_back(x);
  }
  return numbers;
}

/// `expected` from civita eval, `actual` row-major: equal to 1e-12 of the largest number.
void ExpectNear(const Json& expected, const Json& actual, const std::string& what) {
  const std::vector<double> wanted = Flatten(expected), numbers = Flatten(actual);
  ASSERT_EQ(wanted.size(), numbers.size()) << what;
  double largest = 1;
  for (const double x : wanted) largest = std::max(largest, std::abs(x));
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    EXPECT_NEAR(wanted[n], numbers[n], 1e-12 * largest) << what << " " << n;
  }
}

/// The result of civita eval with random states of the model.
Json EvalAtRandomStates(const Shell& shell, const std::string& model, const std::string& options) {
  const Json about = shell.Eval(model + " --quantities H");
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  const auto vector = [&](const char* size) {
    std::vector<double> numbers(about.at(size).get<std::size_t>());
    for (double& x : numbers) x = uniform(random);
    return numbers;
  };
  Json states = {{"states", Json::array()}};
  for (int n = 0; n < 3; ++n) {
    states["states"].push_back({{"q", vector("nq")}, {"v", vector("nv")}, {"a", vector("nv")}});
  }
  shell.Write("states.json", states.dump());
  return shell.Eval(model + " --states states.json --quantities " + kQuantities + options);
}

/// A C program that prints {"H": [...], ...} for each state of `results`.
std::string MainOf(const Json& results) {
  std::string text = "#include \"formulas.c\"\n#include <stdio.h>\nint main(void) {\n";
  const auto list = [](const Json& numbers) {
    std::string dump = numbers.dump();
    dump.front() = '{';
    dump.back() = '}';
    return dump;
  };
  for (const Json& state : results.at("states")) {
    text += "  {\n";
    for (const char* name : {"q", "v", "a"}) {
      text += "    const double " + std::string(name) + "[] = " + list(state.at(name)) + ";\n";
    }
    text += "    const char* end = \"{\";\n";
    for (const auto& [name, value] : state.items()) {
      if (name == "q" || name == "v" || name == "a") continue;
      const std::string size = std::to_string(Flatten(value).size());
      const bool of_q = name == "H" || name == "Gamma" || name == "g" || name == "potential";
      const std::string arguments = of_q ? "q" : name == "tau" ? "q, v, a" : "q, v";
      text += "    { double x[" + size + "]; civita_" + name + "(" + arguments + ", x);\n" +
              "      printf(\"%s\\\"" + name + "\\\": \", end);\n      for (int n = 0; n < " +
              size + "; ++n) printf(\"%s%.17g\", n ? \", \" : \"[\", x[n]);\n" +
              "      printf(\"]\"); end = \", \"; }\n";
    }
    text += "    (void)v; (void)a; printf(\"}\\n\");\n  }\n";
  }
  return text + "  return 0;\n}\n";
}

constexpr const char* kPython = R"(import json, formulas
for line in json.load(open("results.json"))["states"]:
    q, v, a = line["q"], line["v"], line["a"]
    of = {"H": (q,), "Gamma": (q,), "g": (q,), "potential": (q,), "tau": (q, v, a)}
    print(json.dumps({name: getattr(formulas, "civita_" + name)(*of.get(name, (q, v)))
                      for name in line if name not in ("q", "v", "a")}))
)";

void ExpectLines(const Json& results, const ShellResult& run) {
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  std::istringstream lines(run.out);
  for (const Json& state : results.at("states")) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const Json numbers = Json::parse(line);
    EXPECT_EQ(numbers.size(), 9);
    for (const auto& [name, value] : numbers.items()) {
      ExpectNear(state.at(name), value, name);
    }
  }
}

/// Generated C, without warnings, and Python of all quantities give the numbers of civita eval.
void ExpectNumbersOfEval(const Shell& shell, const std::string& model, const std::string& expand,
                         const std::string& factorization) {
  const Json results = EvalAtRandomStates(shell, model, factorization);
  const std::string command =
      "civita formulas " + model + " --quantities all" + expand + factorization;
  shell.Write("main.c", MainOf(results));
  ExpectLines(results,
              shell.Run(command + " --out formulas.c && cc -std=c99 -Wall -Wextra -Wpedantic "
                                  "-Wconversion -Werror main.c -o numbers -lm && ./numbers"));
  shell.Write("results.json", results.dump());
  shell.Write("numbers.py", kPython);
  ExpectLines(results,
              shell.Run(command + " --language python --out formulas.py && python3 numbers.py"));
}

TEST(Formulas, GiveTheNumbersOfEval) {
  ExpectNumbersOfEval(Shell(), "planar_2r", "", "");
  ExpectNumbersOfEval(Shell(), "arm7", "", " --factorization t:0.3");
}

TEST(Formulas, GiveTheNumbersOfEvalMultipliedOut) {
  if (!HasAlgebra()) GTEST_SKIP() << "built without GiNaC";
  ExpectNumbersOfEval(Shell(), "planar_2r", " --expand", " --factorization plain");
}

/// A tree whose H no one waits for when it is multiplied out.
constexpr const char* kTwoBalls = R"(<mujoco><worldbody><body name="a">
  <joint name="ja" type="ball"/><geom size="0.1 0.2 0.3" type="box" pos="0.1 0.2 0.3"/>
  <body name="b" pos="0.3 0.1 0"><joint name="jb" type="ball"/>
    <geom size="0.1 0.2 0.05" type="box" pos="0.1 0.2 0.1"/>
    <body name="c" pos="0 0.4 0.1"><joint name="jc" axis="1 0.5 0.2"/>
      <joint name="jd" axis="0.3 0.5 1"/>
      <geom size="0.2 0.1 0.05" type="box" pos="0.1 0.3 0.2"/></body></body></body></worldbody>
  </mujoco>)";

TEST(Formulas, MultipliedOutCanBeInterrupted) {
  if (!HasAlgebra()) GTEST_SKIP() << "built without GiNaC";
  const TemporaryFolder folder;
  folder.Write("tree.xml", kTwoBalls);
  setenv("CIVITA_PROGRESS", "1", 1);
  ChildProgram program({"formulas", (folder.path() / "tree.xml").string(), "--quantities", "H",
                        "--expand", "--out", "H.c"});
  unsetenv("CIVITA_PROGRESS");
  const std::filesystem::path err = program.folder() / "err.txt";
  for (int tries = 0; ReadAll(err).find("formulas of H: entry ") == std::string::npos; ++tries) {
    ASSERT_LT(tries, 120000) << ReadAll(err);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // inside an entry
  program.Interrupt();
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitInterrupted);
  EXPECT_THAT(result.err, HasSubstr("interrupted, nothing is written"));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(program.folder())) {
    files.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(files, testing::UnorderedElementsAre("out.txt", "err.txt"));
}

TEST(Formulas, OfBallsSlidesAndFreeBodiesGiveTheNumbersOfEval) {
  const Shell shell;
  shell.Write("mixed.xml", kMixed);
  ExpectNumbersOfEval(shell, "mixed.xml", "", "");
  ExpectNumbersOfEval(shell, "mixed.xml", "", " --factorization body:tool:ang:0.2");
}

/// The closed forms of the planar arm of two links.
TEST(Formulas, OfAPlanarArmAsLatex) {
  if (!HasAlgebra()) GTEST_SKIP() << "built without GiNaC";
  const ShellResult run =
      Shell().Run("civita formulas planar_2r --quantities H,Gamma --expand --language latex");
  EXPECT_EQ(run.code, kExitDone) << run.err;
  EXPECT_THAT(run.out, HasSubstr(R"(\begin{align*}
  H_{11} &= 0.42855625 + 0.182 \, c_2 \\
  H_{12} &= 0.06555625 + 0.091 \, c_2 \\
  H_{21} &= H_{12} \\
  H_{22} &= 0.07555625
\end{align*}
)"));
  EXPECT_THAT(run.out, HasSubstr(R"(\begin{align*}
  \Gamma_{112} &= -0.091 \, s_2 \\
  \Gamma_{121} &= \Gamma_{112} \\
  \Gamma_{122} &= \Gamma_{112} \\
  \Gamma_{211} &= 0.091 \, s_2
\end{align*}
)"));
}

TEST(Formulas, LatexHasBalancedBraces) {
  const ShellResult run = Shell().Run("civita formulas arm7 --quantities H,C,g --language latex");
  ASSERT_EQ(run.code, kExitDone) << run.err;
  int depth = 0;
  for (const char c : run.out) {
    depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
}

TEST(Formulas, RefusesWhatItDoesNotKnow) {
  const Shell shell;
  const auto expect = [&shell](const std::string& arguments, const std::string& error) {
    const ShellResult run = shell.Run("civita formulas " + arguments);
    EXPECT_EQ(run.code, kExitBadInput) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_THAT(run.err, HasSubstr(error)) << arguments;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  };
  expect("planar_2r --quantities Gama", "--quantities: unknown quantity 'Gama' (did you mean");
  expect("planar_2r --language fortran",
         "--language: unknown language 'fortran'; valid: c, python");
  expect("planar_2r --factorization t:x", "--factorization");
  expect("planar_2r --base flying", "--base: unknown choice 'flying'");
  expect("planar_3r", "planar_3r");
  EXPECT_EQ(shell.CountFiles(), 0);
}

/// The planar arm of two tubes: Γ_112 = −½ m l² sin q₂ and the symbols equal to it up to sign, all
/// others zero.
TEST(SymbolicModel, OfTwoPlanarTubesHasTheClosedForm) {
  const Model model = TubeTree(ChainParents(2), 0);
  const SymbolicModel symbolic(model);
  const double h = -0.5 * std::sin(1.1);
  const std::vector<double> expected = {0, h, h, h, -h, 0, 0, 0};
  std::vector<Formulas> ways = {symbolic.Gamma()};
  if (HasAlgebra()) {
    ways.push_back(MultiplyOut(symbolic.Gamma()));
    EXPECT_EQ(ways.back().graph.nodes().size(), 2);  // q1 and its sine
    ways.push_back(DifferentiateMassMatrix(symbolic.H(), 2, false));
    ways.push_back(DifferentiateMassMatrix(symbolic.H(), 2, true));
  }
  for (const Formulas& Gamma : ways) {
    const std::vector<double> numbers = Evaluate(Gamma, {{"q0", 0.4}, {"q1", 1.1}});
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(numbers[n], expected[n], 1e-15);
  }
}

TEST(Formulas, MultipliedOutNeedAlgebraAndSayIt) {
  if (HasAlgebra()) GTEST_SKIP() << "built with GiNaC; see tests/python";
  const ShellResult run = Shell().Run("civita formulas planar_2r --expand");
  EXPECT_EQ(run.code, kExitSkipped);
  EXPECT_THAT(run.err, HasSubstr("libginac-dev"));
}

/// A number is its shortest decimal, exactly, and rounds back to itself.
TEST(Expression, OfANumberIsItsShortestDecimal) {
  EXPECT_EQ(Expression(0.1).term().factor, Rational(1, 10));
  EXPECT_EQ((Expression(0.1) + Expression(0.2)).term().factor, Rational(3, 10));
  EXPECT_EQ(Expression(-2.5e-7).term().factor, Rational(-1, 4000000));
  EXPECT_EQ(Expression(6.02e23).term().factor, Rational("602000000000000000000000"));
  EXPECT_TRUE(Expression(-0.0).term().is_zero());
  std::mt19937_64 random(11);
  int numbers = 0;
  for (int n = 0; n < 5000; ++n) {
    const double x = std::bit_cast<double>(random());
    if (!std::isnormal(x)) continue;
    ++numbers;
    EXPECT_EQ(Expression(x).term().factor.convert_to<double>(), x);
  }
  EXPECT_GT(numbers, 4900);
}

TEST(Expression, ThatIsZeroDividesNothing) {
  EXPECT_THROW(Expression(1) / Expression(0.0), std::overflow_error);
}

/// a + b and −a − b are one node; a − a is zero.
TEST(ExpressionGraph, SharesEqualParts) {
  ExpressionGraph graph;
  const ExpressionGraph::Term a = graph.Symbol("a"), b = graph.Symbol("b");
  const ExpressionGraph::Term sum = graph.Sum({a, b}),
                              opposite = graph.Sum({{-1, b.node}, {-1, a.node}});
  EXPECT_EQ(sum.node, opposite.node);
  EXPECT_EQ(opposite.factor, -1);
  EXPECT_TRUE(graph.Sum({a, {-1, a.node}}).is_zero());
  EXPECT_EQ(graph.Product({a, b}), graph.Product({b, a}));
}

}  // namespace formulas_test
}  // namespace civita
