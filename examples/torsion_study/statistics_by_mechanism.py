"""Statistics whose unit is the mechanism: runs of one mechanism are not independent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas
from scipy import stats

RESAMPLES = 1000

# Of measured and predicted log ratios.
Statistic = Callable[[np.ndarray, np.ndarray], float]


def r_squared(measured: np.ndarray, predicted: np.ndarray) -> float:
    """By the predicted ones themselves, without a fit."""
    return float(1 - ((measured - predicted) ** 2).sum() / ((measured - measured.mean()) ** 2).sum())


def slope(measured: np.ndarray, predicted: np.ndarray) -> float:
    """Of the line through measured over predicted."""
    away = predicted - predicted.mean()
    return float(away @ measured / (away @ away))


def median_error(measured: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.median(np.abs(measured - predicted)))


def error_share(measured: np.ndarray, predicted: np.ndarray) -> float:
    """The median error against that of the prediction that nothing changes."""
    return median_error(measured, predicted) / float(np.median(np.abs(measured)))


def right_sign(measured: np.ndarray, predicted: np.ndarray) -> float:
    """Share of those that change by more than 1 %."""
    changes = np.abs(measured) > np.log(1.01)
    return float((measured * predicted > 0)[changes].mean()) if changes.any() else float("nan")


def missed(measured: np.ndarray, predicted: np.ndarray) -> float:
    """Share of all that were said to change by less than 1 % and changed by more than 2 %."""
    return float(((np.abs(predicted) < np.log(1.01)) & (np.abs(measured) > np.log(1.02))).mean())


def said_alike(measured: np.ndarray, predicted: np.ndarray) -> float:
    """Share of those that change by less than 1 % of which that was said."""
    alike = np.abs(measured) < np.log(1.01)
    return float((np.abs(predicted) < np.log(1.01))[alike].mean()) if alike.any() else float("nan")


def interval(
    statistic: Statistic, measured: pandas.Series, predicted: pandas.Series, mechanisms: pandas.Series
) -> tuple[float, float, float]:
    """The statistic of all log ratios, and its 95 % percentile bootstrap interval over whole mechanisms."""
    random = np.random.default_rng(1)
    y, x = measured.to_numpy(), predicted.to_numpy()
    groups = list(mechanisms.reset_index(drop=True).groupby(mechanisms.to_numpy()).indices.values())
    drawn = []
    with np.errstate(invalid="ignore", divide="ignore"):  # of one run there is no R²
        whole = statistic(y, x)
        for _ in range(RESAMPLES):
            rows = np.concatenate([groups[i] for i in random.integers(0, len(groups), len(groups))])
            drawn.append(statistic(y[rows], x[rows]))
    known = [x for x in drawn if np.isfinite(x)] or [np.nan]
    low, high = np.quantile(known, [0.025, 0.975])
    return whole, float(low), float(high)


def t_interval(logs: pandas.Series) -> tuple[float, float, float]:
    """The geometric mean of ratios, and its 95 % interval, of independent runs."""
    mean, n = float(logs.mean()), len(logs)
    half = float(stats.t.ppf(0.975, n - 1) * logs.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
    return tuple(float(np.exp(x)) for x in (mean, mean - half, mean + half))


def equivalence(logs: pandas.Series, mechanisms: pandas.Series) -> tuple[float, float]:
    """The mechanisms' mean log ratio and the bound within which two one-sided t tests at 5 % hold it."""
    means = logs.groupby(mechanisms.to_numpy()).mean()
    if len(means) < 2:
        return float(means.mean()), float("inf")
    half = stats.t.ppf(0.95, len(means) - 1) * means.std(ddof=1) / np.sqrt(len(means))
    return float(means.mean()), float(abs(means.mean()) + half)
