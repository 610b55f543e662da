"""``linscope diagnose``: the notes' numbers, files of all kinds, one line for every bad input."""

import numpy as np
import pytest
import statsmodels.api as sm

from linscope.least_squares.inference.diagnose import diagnose
from linscope.least_squares.inference.table import summary
from tests.linear_fits import fit_of, noisy


def csv(X, y, names, target="price"):
    lines = [",".join([*names, target])]
    lines += [",".join(map(repr, row)) for row in np.column_stack([X, y]).tolist()]
    return "\n".join(lines) + "\n"


def test_five_points(run):
    code, out, err = run("diagnose", "five_points")
    assert (code, err) == (0, "")
    assert "intercept       1.1081" in out
    assert "x               1.1622" in out
    assert "correlation r         0.98032" in out
    assert "? normality" in out
    assert "linscope diagnose five_points --plot residuals.png" in out
    assert "\x1b[" not in out
    assert max(map(len, out.splitlines()[1:])) <= 80


def test_moments_alone(run):
    code, out, _ = run("diagnose", "sbp_age")
    assert code == 0
    assert "intercept       98.714" in out
    assert "age            0.97089" in out
    assert "n is not known" in out
    assert "cannot be checked without the rows" in out


def test_a_file(run, write):
    X, y = noisy(150, 2, fan=0.5)
    path = write(csv(X, y, ["size", "age"]))
    code, out, _ = run("diagnose", path, "--target", "price", "--level", "0.9")
    assert code == 0  # also when an assumption fails
    fit = fit_of(X, y, names=["size", "age"], target="price")
    assert str(summary(fit, level=0.9)) in out
    assert diagnose(fit)["homoscedasticity"].ok is False
    assert "✗ homoscedasticity" in out
    assert "Use --robust HC3." in " ".join(out.split())
    assert "robust='HC3'" not in out
    again = f"linscope diagnose {path} --target price --plot residuals.png"
    assert again in out


def test_robust(run, write):
    X, y = noisy(150, 2, fan=0.5)
    path = write(csv(X, y, ["size", "age"]))
    _, out, _ = run("diagnose", "--data", path, "--target", "price", "--robust", "HC3")
    fit = fit_of(X, y, names=["size", "age"], target="price")
    assert str(summary(fit, robust="HC3")) in out
    assert "--robust HC3" not in out.partition("Next:")[0]


@pytest.mark.share(2)
@pytest.mark.parametrize("option", ["--plot", "--output"])
def test_figure(run, tmp_path, option):
    path = tmp_path / "figure.png"
    code, out, err = run("diagnose", "diabetes", option, path)
    assert code == 0
    assert "figure written to" in err
    assert "Next:" not in out
    assert path.read_bytes().startswith(b"\x89PNG")


def test_no_intercept(run, write):
    X, y = noisy(50, 1)
    path = write(csv(X, y, ["x"], "y"))
    _, out, _ = run("diagnose", path, "--target", "y", "--no-intercept")
    assert str(summary(fit_of(X, y, names=["x"], intercept=False))) in out
    assert "intercept  " not in out


def test_text_columns_leave_out_a_category(run, write):
    rng = np.random.default_rng(0)
    colour, size = rng.choice(["blue", "green", "red"], size=60), rng.normal(size=60)
    y = size + (colour == "red") + rng.normal(size=60)
    lines = [
        "size,colour,y",
        *(f"{a!r},{b},{c!r}" for a, b, c in zip(size.tolist(), colour, y.tolist(), strict=True)),
    ]
    path = write("\n".join(lines))
    code, out, _ = run("diagnose", path, "--target", "y")
    assert code == 0
    assert "one-hot encoded: colour (3 categories, compared with blue)" in out
    A = np.column_stack([np.ones(60), size, colour == "green", colour == "red"]).astype(float)
    slope = sm.OLS(y, A).fit().params[3]
    assert f"colour=red {slope:.4f}" in " ".join(out.split())
    _, out, _ = run("diagnose", path, "--target", "y", "--no-intercept")
    assert "colour (3 categories)" in out
    assert "colour=blue" in out


def test_libsvm(run, write):
    path = write("1.5 1:1\n2.5 1:2\n3.0 1:3\n4.5 1:4\n", "t.svm")
    code, out, _ = run("diagnose", path)
    assert code == 0
    assert "x1" in out


def test_parquet_and_whole_numbers(run, tmp_path):
    import polars

    X, y = noisy(40, 1)
    path = tmp_path / "t.parquet"
    polars.DataFrame({"x": X[:, 0], "count": np.rint(10 * y).astype(int)}).write_parquet(path)
    code, out, _ = run("diagnose", "--data", path, "--target", "count")
    assert code == 0
    assert "Linear regression of count, 40 rows" in out


def test_repeated_columns_are_named(run, write):
    X, y = noisy(40, 1)
    path = write(csv(np.column_stack([X, X]), y, ["a", "b"]))
    code, out, _ = run("diagnose", path, "--target", "price")
    assert code == 0
    assert "Dependent columns: b = a." in out
    assert "a + b" in out
    assert "✓ linearity" in out
    assert "✗ collinearity" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which table?"),
        (["iris"], "'iris' has classes, not numbers"),
        (["diabtes"], "did you mean 'diabetes'"),
        (["diabetes", "--target", "y"], "--target belongs to a file"),
        (["diabetes", "--level", "95"], "--level"),
        (["diabetes", "--robust", "HC9"], "HC0"),
        (["diabetes", "--plot", "figure.txt"], "must end in .png, .svg, .pdf"),
        (["diabetes", "--data", "x.csv"], "not both"),
        (["sbp_age", "--robust", "HC3"], "--robust needs rows"),
        (["sbp_age", "--plot", "a.png"], "--plot needs rows"),
        (["no_such_file.csv", "--target", "y"], "no_such_file.csv"),
    ],
)
def test_bad_input(run, words, message):
    code, out, err = run("diagnose", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("a,b\n1,2\n2,3\n", None, "which column is to be predicted? Name it with --target"),
        ("a,b\n1,2\n2,3\n", "c", "has no column 'c'"),
        ("a,b\n1,x\n2,y\n", "b", "has text such as 'x', so it is not a number"),
        ("a,b\n1,2\n3,4\n,3\n", "b", "missing values in 1 of 3 rows (a: 1)"),
        ("a,b\n1,2\n2,\n", "b", "missing values in 1 of 2 rows (b: 1)"),
        ("b\n1\n2\n", "b", "no column left to predict from"),
        ("a,b\nred,1\nred,2\nred,3\n", "b", "a: it is red in every row"),
    ],
)
def test_bad_files(run, write, text, target, message):
    code, out, err = run("diagnose", write(text), *(["--target", target] if target else []))
    assert (code, out) == (2, "")
    assert message in err


def test_an_exact_fit_cannot_be_drawn(run, write, tmp_path):
    path = write("x,y\n" + "".join(f"{x},{2 * x}\n" for x in reversed(range(20))))
    code, out, _ = run("diagnose", path, "--target", "y")
    assert code == 0
    assert "the fit is exact" in out
    figure = tmp_path / "figure.png"
    code, out, err = run("diagnose", path, "--target", "y", "--plot", figure)
    assert (code, out) == (2, "")
    assert "the fit is exact" in err
    assert not figure.exists()


def test_help(run):
    code, out, _ = run("diagnose", "--help")
    assert code == 0
    assert "linscope diagnose diabetes --robust HC3 --plot residuals.png" in out
    assert "Column to predict." in out


def test_imputed_columns_that_are_missing_together_are_not_dependent(run, write):
    X, y = noisy(60, 2)
    lines = csv(X, y, ["size", "age"]).splitlines()
    for row in (4, 9, 31):
        lines[row] = ",," + lines[row].split(",")[2]
    code, out, _ = run(
        "diagnose", write("\n".join(lines) + "\n"), "--target", "price", "--missing", "impute"
    )
    assert code == 0
    assert "size is missing" in out
    assert "No standard errors" not in out
    assert "age is missing" not in out
