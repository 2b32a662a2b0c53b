"""Factorizations of the Coriolis forces: which matrix C with the same C v."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy
from numpy.typing import ArrayLike


@dataclasses.dataclass(frozen=True)
class Factorization:
    """Which Coriolis matrix C(q,v). All have the same C v, and all but those with alpha are
    admissible, Ḣ = C + Cᵀ ([EW], definition 3); admissible ones differ by torsion.

    Made by the functions below and joined by `+`; `text` is what configs and `civita eval` take.
    Wherever a factorization is asked for, such a text may stand as well: "christoffel", "t:0.3",
    "body:hand:ang:0.5 + joint:0.1". A β may be a number or the text of a formula of q, as in
    "0.2*cos(q[1])".

    >>> Factorization.torsion(0.3) + Factorization.inject("hand", beta=0.5)
    Factorization('t:0.3+body:hand:ang:0.5')
    """

    text: str = "christoffel"
    arrays: tuple[tuple[str, float, Any], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or any(len(each) != 3 for each in self.arrays):
            raise TypeError("Factorization takes a text, as in Factorization('t:0.3')")

    @staticmethod
    def christoffel() -> Factorization:
        """The torsion-free one, C_ik = Σ_j Γ_ijk v_j with the Christoffel symbols Γ."""
        return Factorization()

    @staticmethod
    def torsion(t: float) -> Factorization:
        """A member of the family t: 0 is christoffel, 1 the plain (ξ×*)I of [EW] (9), −1 the other."""
        return Factorization(f"t:{float(t)!r}")

    @staticmethod
    def inject(body: str, part: str = "angular", beta: float | str = 1.0) -> Factorization:
        """Adds β Sᵀ((Sξ)×)S at a body ([WES] (12)): S takes its angular velocity (β in kg·m²) or the
        velocity of its origin (part "linear", β in kg/m) from its spatial velocity ξ."""
        parts = {"angular": "ang", "linear": "lin"}
        if part not in parts:
            raise ValueError(f"part: {part!r}; valid: angular, linear")
        return Factorization(f"body:{body}:{parts[part]}:{_beta(beta)}")

    @staticmethod
    def joint(beta: float | str, S: ArrayLike | None = None) -> Factorization:
        """Adds β Sᵀ((S v)×)S with a constant 3 × nv matrix S, by default the identity (nv = 3); with
        S, β is a number."""
        if S is None:
            return Factorization(f"joint:{_beta(beta)}")
        return Factorization("", (("joint", float(beta), numpy.array(S, dtype=float)),))

    @staticmethod
    def three_form(omega: ArrayLike) -> Factorization:
        """Adds C_ik += Σ_j ω_ijk v_j, the general admissible change ([WES], corollary IV.1); omega is
        totally antisymmetric, (nv, nv, nv)."""
        return Factorization("", (("form", 1.0, numpy.array(omega, dtype=float)),))

    @staticmethod
    def alpha(alpha: float) -> Factorization:
        """Adds α I(ξ×) per body, which is not admissible: Ḣ ≠ C + Cᵀ ([EW], section 3)."""
        return Factorization(f"alpha:{float(alpha)!r}")

    def __add__(self, other: Factorization) -> Factorization:
        texts = [f.text for f in (self, other) if f.text]
        return Factorization("+".join(texts), self.arrays + other.arrays)

    def __str__(self) -> str:
        return self.text or "christoffel"

    def __repr__(self) -> str:
        arrays = "".join(f" + {kind}" for kind, _, _ in self.arrays)
        return f"Factorization({self.text!r}{arrays})"


def _beta(beta: float | str) -> str:
    return "{" + beta + "}" if isinstance(beta, str) else repr(float(beta))
