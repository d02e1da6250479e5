"""The package outside of the build folder: as a wheel, by pip, and as CMake installs it."""
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = os.environ["FGNN_BUILD"]
CHECK = """
import fgnn, pathlib
assert pathlib.Path(fgnn.__file__).is_relative_to({place!r}), fgnn.__file__
b = fgnn.Builder()
x = b.variables("x", 2, 2)
b.unary(x, [0.0, 1.0])
b.factor(x, fgnn.at_most(1))
print(fgnn.map(b.build(), "fgnn:d3" if {weights} else "exact").score)
"""


def run(*command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(place, weights=False):
    said = run(sys.executable, "-c", CHECK.format(place=str(place), weights=weights),
               PYTHONPATH=str(place))
    assert said == "1.0\n"


def test_a_wheel_has_all_that_it_takes(tmp_path):
    make = ("import build_backend as b, sys; "
            "print('wheel:' + b.build_wheel(sys.argv[1], {'build-dir': sys.argv[2]}))")
    said = run(sys.executable, "-c", make, tmp_path, BUILD, PYTHONPATH=str(ROOT / "python"))
    wheel = tmp_path / said.split("wheel:")[1].strip()
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        file.extractall(tmp_path / "there")
    assert any(name.endswith("weights/d3.safetensors") for name in names)
    assert "fgnn/_core.pyi" in names and "fgnn/py.typed" in names
    assert not [name for name in names if "__pycache__" in name]
    check(tmp_path / "there")


def test_pip_installs_it_without_a_network(tmp_path):
    pytest.importorskip("pip", reason="there is no pip (Debian: python3-pip)")
    run(sys.executable, "-m", "pip", "install", ROOT, "--no-build-isolation", "--no-deps",
        "--no-index", "--prefix", tmp_path, "--ignore-installed", "--config-settings",
        f"build-dir={BUILD}", PYTHONPATH="", PIP_ROOT_USER_ACTION="ignore")
    [place] = tmp_path.rglob("fgnn/__init__.py")
    [weights] = tmp_path.rglob("d3.safetensors")
    check(place.parents[1])


def test_cmake_installs_it_with_its_networks(tmp_path):
    run("cmake", "--install", BUILD, "--prefix", tmp_path)
    [place] = tmp_path.rglob("fgnn/__init__.py")
    check(place.parents[1], weights=True)
