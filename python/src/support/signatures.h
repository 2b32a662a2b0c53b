#pragma once

#include <string>

// Signatures of methods for stubs and help.

namespace civita::python {

/// def name(self, arguments, *, out=None) -> result
inline std::string Signature(const std::string& name, const std::string& arguments,
                             const std::string& result) {
  return "def " + name + "(self, " + arguments + ", *, out: " + result + " | None = None) -> " +
         result;
}

inline std::string With(const std::string& arguments, const std::string& more) {
  return more.empty() ? arguments : arguments + ", " + more;
}

/// Of an argument for Frames.
constexpr const char* kFrames = "frames: str | collections.abc.Sequence[str] | None = None";

/// Of arguments for FrictionSpeeds.
constexpr const char* kFriction =
    "friction_speed: float = 0.001, full_speeds: ArrayLike | None = None";

inline std::string OfQ(const std::string& name, const std::string& more = "") {
  return Signature(name, With("q: ArrayLike", more), "Array");
}

inline std::string OfQV(const std::string& name, const std::string& more = "") {
  return Signature(name, With("q: ArrayLike, v: ArrayLike", more), "Array");
}

inline std::string OfQW(const std::string& name, const std::string& more = "") {
  return Signature(name, With("q: ArrayLike, w: ArrayLike", more), "Array");
}

/// With a tuple of this many arrays as result.
inline std::string OfTuple(const std::string& name, const std::string& arguments, int arrays) {
  std::string result = "tuple[Array";
  for (int i = 1; i < arrays; ++i) result += ", Array";
  return Signature(name, arguments, result + "]");
}

/// Of a property that is an array.
inline std::string OfProperty(const std::string& name) { return "def " + name + "(self) -> Array"; }

}  // namespace civita::python

// nanobind copies the text while it binds the method.
#define SigQ(...) nb::sig(OfQ(__VA_ARGS__).c_str())
#define SigQV(...) nb::sig(OfQV(__VA_ARGS__).c_str())
#define SigQW(...) nb::sig(OfQW(__VA_ARGS__).c_str())
#define SigProperty(...) nb::sig(OfProperty(__VA_ARGS__).c_str())
#define SigTuple(...) nb::sig(OfTuple(__VA_ARGS__).c_str())
