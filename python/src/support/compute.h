#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "civita/error.h"
#include "civita/status.h"
#include "python/src/support/arrays.h"
#include "python/src/support/wrenches.h"

// The frame of the methods of Dynamics: arguments read, outputs made, the calculation repeated for
// each state. Their velocities are those of the Dynamics, nw numbers.

namespace civita::python {

/// `count` output arrays, given as None, as one array or as a tuple.
template <std::size_t count>
std::array<nb::object, count> OutsOf(nb::handle out) {
  std::array<nb::object, count> outs;
  outs.fill(nb::none());
  if (out.is_none()) return outs;
  if constexpr (count == 1) {
    outs[0] = nb::borrow(out);
  } else {
    if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != count) {
      throw nb::value_error(("out: not a tuple of " + std::to_string(count) + " arrays").c_str());
    }
    for (std::size_t i = 0; i < count; ++i) outs[i] = out[i];
  }
  return outs;
}

/// The results of a calculation, one array or several.
template <std::size_t outputs>
class Results {
 public:
  Results(std::optional<Index> count, const Shape (&shapes)[outputs], nb::handle out,
          std::initializer_list<const ArrayIn*> arguments) {
    static constexpr std::array kNames = {"out[0]", "out[1]", "out[2]"};
    static_assert(outputs <= kNames.size());
    if (outputs == 1 && shapes[0].axes == 0 && !count && out.is_none()) return;  // the number
    const std::array<nb::object, outputs> outs = OutsOf<outputs>(out);
    for (std::size_t i = 0; i < outputs; ++i) {
      arrays_[i] = MakeArray(count, shapes[i], outs[i], outputs == 1 ? "out" : kNames[i]);
    }
    if (out.is_none()) return;
    [&]<std::size_t... i>(std::index_sequence<i...>) { CheckApart({&arrays_[i]...}, arguments); }
    (std::make_index_sequence<outputs>());
  }

  const ArrayOut& array(std::size_t i) const { return arrays_[i]; }

  std::array<double*, outputs> operator[](Index state) const {
    std::array<double*, outputs> at;
    if (arrays_[0].data == nullptr) return {&number_};
    for (std::size_t i = 0; i < outputs; ++i) at[i] = arrays_[i][state];
    return at;
  }

  nb::object ToPython() const {
    if constexpr (outputs == 1) {
      return arrays_[0].data == nullptr ? ToNumber(number_) : arrays_[0].object;
    } else {
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return nb::make_tuple(arrays_[i].object...);
      }
      (std::make_index_sequence<outputs>());
    }
  }

 private:
  std::array<ArrayOut, outputs> arrays_;
  mutable double number_ = 0;  ///< where a single state has no more
};

/// calc(worker, to) at every q: `to` are the addresses of the results of a state.
template <std::size_t outputs, typename D, typename Calc>
nb::object AtQ(D& d, nb::handle q_in, const Shape (&shapes)[outputs], nb::handle out,
               const Calc& calc) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<outputs> results(q.count, shapes, out, {&q});
  d.ForEachState(q.count, [&](auto& at, Index state) {
    d.Update(at, state, q[state]);
    calc(at, results[state]);
  });
  return results.ToPython();
}

/// A further argument, with the numbers of a velocity or `size`.
struct Extra {
  nb::handle argument = {};
  const char* name = nullptr;
  Index size = -1;
};

struct AtState {
  nb::handle q, v;
  Extra x = {}, y = {}, z = {};
};

/// calc(worker, to, extras) at every q and v.
template <std::size_t outputs, typename D, typename Calc>
nb::object AtQV(D& d, const AtState& state, const Shape (&shapes)[outputs], nb::handle out,
                const Calc& calc) {
  const Index n = d.num_velocities();
  ArrayIn q = ReadArray(state.q, "q", d.nq()), v = ReadArray(state.v, "v", n);
  std::array<ArrayIn, 3> extras;
  std::size_t number = 0;
  for (const Extra& extra : {state.x, state.y, state.z}) {
    if (extra.name == nullptr) break;
    extras[number] = ReadArray(extra.argument, extra.name, extra.size < 0 ? n : extra.size);
    ++number;
  }
  const std::optional<Index> count = CountOf({&q, &v, &extras[0], &extras[1], &extras[2]});
  const Results<outputs> results(count, shapes, out, {&q, &v, &extras[0], &extras[1], &extras[2]});
  d.ForEachState(count, [&](auto& at, Index s) {
    d.Update(at, s, q[s], v[s]);
    const Eigen::Map<const Eigen::VectorXd> none(nullptr, 0);
    calc(at, results[s],
         std::array{number > 0 ? extras[0][s] : none, number > 1 ? extras[1][s] : none,
                    number > 2 ? extras[2][s] : none});
  });
  return results.ToPython();
}

/// A matrix of `rows` rows and a column for each velocity at every q, which calc(worker, matrix)
/// sets.
template <typename D, typename Calc>
nb::object MatrixAtQ(D& d, nb::handle q, int rows, nb::handle out, const Calc& calc) {
  const Index n = d.num_velocities();
  return AtQ(d, q, {{rows, n}}, out, [&](auto& at, const auto& to) {
    at.Fill(to[0], rows, n, [&](Eigen::MatrixXd& M) { calc(at, M); });
  });
}

/// The same at every q and v.
template <typename D, typename Calc>
nb::object MatrixAtQV(D& d, nb::handle q, nb::handle v, int rows, nb::handle out,
                      const Calc& calc) {
  const Index n = d.num_velocities();
  return AtQV(d, {q, v}, {{rows, n}}, out, [&](auto& at, const auto& to, const auto&) {
    at.Fill(to[0], rows, n, [&](Eigen::MatrixXd& M) { calc(at, M); });
  });
}

/// `outputs` such matrices at every q and v, which calc(worker, matrices, extras) sets.
template <std::size_t outputs, typename D, typename Calc>
nb::object MatricesAtQV(D& d, const AtState& state, int rows, nb::handle out, const Calc& calc) {
  const Index n = d.num_velocities();
  Shape shapes[outputs] = {{rows, n}, {rows, n}};
  if constexpr (outputs == 3) shapes[2] = {rows, n};
  return AtQV(d, state, shapes, out, [&](auto& at, const auto& to, const auto& x) {
    at.Fill(to, rows, n, [&](auto& M) { calc(at, M, x); });
  });
}

/// calc(worker, to, x, forces) at every q, v and further argument, under external forces.
template <std::size_t outputs, typename D, typename Calc>
nb::object UnderForces(D& d, const AtState& state, nb::handle forces_in,
                       const Shape (&shapes)[outputs], nb::handle out, const Calc& calc) {
  const Index n = d.num_velocities();
  const char* const name = state.x.name;
  ArrayIn q = ReadArray(state.q, "q", d.nq()), v = ReadArray(state.v, "v", n),
          x = ReadArray(state.x.argument, name, n);
  const std::optional<Index> count = CountOf({&q, &v, &x});
  const Results<outputs> results(count, shapes, out, {&q, &v, &x});
  const Wrenches forces(d.model(), forces_in, count);
  d.ForEachState(count, [&](auto& at, Index s) {
    d.Update(at, s, q[s], v[s]);
    calc(at, results[s], x[s], forces.At(s));
  });
  return results.ToPython();
}

/// @throws UserError.
inline void RefuseSingular(const Status& status) {
  if (!status) throw UserError(Describe(status) + " at this state");
}

}  // namespace civita::python
