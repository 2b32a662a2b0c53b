#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

// `out` by keyword alone: as a positional argument, one vector too many would be overwritten.

namespace civita::python {

/// Arguments of a method behind its last one by position.
inline nanobind::arg More() { return nanobind::arg("more"); }

[[noreturn]] inline void RefuseMore(const char* name, std::size_t taken, std::size_t given) {
  throw nanobind::type_error((std::string(name) + ": takes " + std::to_string(taken) +
                              " arguments by position, and " + std::to_string(given) +
                              " were given; an array for the result is out=…")
                                 .c_str());
}

/// method(self, arguments..., out) with More() before `out`.
template <typename Self, typename... A, typename Method>
auto WithMore(const std::string& name, const Method& method) {
  return
      [name, method](Self self, A... arguments, const nanobind::args& more, nanobind::handle out) {
        if (!more.empty()) RefuseMore(name.c_str(), sizeof...(A), sizeof...(A) + more.size());
        return method(self, arguments..., out);
      };
}

template <typename Self, typename... A, std::size_t... i>
auto KeywordOut(const char* name, nanobind::object (*method)(Self, A...),
                std::index_sequence<i...>) {
  return WithMore<Self, std::tuple_element_t<i, std::tuple<A...>>...>(name, method);
}

/// The method, whose last argument is `out`, with More() before it.
template <typename Self, typename... A>
auto KeywordOut(const char* name, nanobind::object (*method)(Self, A...)) {
  return KeywordOut(name, method, std::make_index_sequence<sizeof...(A) - 1>());
}

/// Binds the method; `more` are its arguments but More() and `out`, its docstring and signature.
template <typename Class, typename Method, typename Doc, typename Signature, typename... Arguments>
void DefWithOut(Class& bound, const char* name, Method method, const Doc& doc,
                const Signature& signature, const Arguments&... arguments) {
  bound.def(name, KeywordOut(name, method), arguments..., More(),
            nanobind::arg("out") = nanobind::none(), doc, signature);
}

}  // namespace civita::python
