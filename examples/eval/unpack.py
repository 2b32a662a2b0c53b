"""Christoffel symbols of `Gamma_packed` in the output of civita eval: docs/eval.md."""


def unpack(numbers, packed):
    n = len(packed)
    Gamma = [[[0.0] * n for j in range(n)] for i in range(n)]
    for k, block in enumerate(packed):
        path, x = block["path"], numbers[block["begin"] :]
        depth = len(path)
        rest = iter(x[depth * depth :])
        for e, j in enumerate(path):
            own = e >= depth - 1 - block["before"]  # j is a rotation of k's joint, or k
            for d, i in enumerate(path):
                Gamma[i][j][k] = x[e * depth + d]
                if j != k:
                    Gamma[i][k][j] = next(rest) if own else x[e * depth + d]
        for e, j in enumerate(path[:-1]):
            first = e - packed[j]["before"]
            for d, i in enumerate(path[:e]):
                Gamma[k][i][j] = -x[d * depth + e]
                Gamma[k][j][i] = -x[d * depth + e] if d < first else next(rest)
            Gamma[k][j][j] = -x[e * depth + e]
    return Gamma
