#pragma once

// What the docstrings of methods share, to be written between their other parts. CIVITA_DOC_Q and
// CIVITA_DOC_QV begin the parameters, CIVITA_DOC_OUT and CIVITA_DOC_OUTS end them.

#define CIVITA_DOC_Q                   \
  "\n\nParameters\n----------\n"       \
  "q : array_like, (nq,) or (N, nq)\n" \
  "    Configuration; quaternions are [w, x, y, z].\n"

#define CIVITA_DOC_QV                                                                            \
  CIVITA_DOC_Q                                                                                   \
  "v : array_like, (nv,) or (N, nv)\n"                                                           \
  "    Velocity, rad/s and m/s; angular velocities of ball and free joints in the body's axes, " \
  "linear ones\n    of free joints in the world's.\n"

#define CIVITA_DOC_VDOT                   \
  "vdot : array_like, (nv,) or (N, nv)\n" \
  "    Acceleration, the rate of v number by number.\n"

#define CIVITA_DOC_FRAME \
  "frame : str\n"        \
  "    Name of a body.\n"

#define CIVITA_DOC_POINT                 \
  "point : array_like, (3,), optional\n" \
  "    A point fixed in the frame, in its axes from its origin, m; default the origin.\n"

#define CIVITA_DOC_OUT                                                          \
  "out : ndarray, optional\n"                                                   \
  "    Where the result goes: writable, C-contiguous, float64, of its shape.\n" \
  "\nReturns\n-------\n"

#define CIVITA_DOC_OUTS                                                           \
  "out : tuple of ndarray, optional\n"                                            \
  "    Where the results go: writable, C-contiguous, float64, of their shapes.\n" \
  "\nReturns\n-------\n"
