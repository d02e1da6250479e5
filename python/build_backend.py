"""Wheels by CMake: a build backend for pip (PEP 517) that needs nothing but the standard library.

The build folder is build-wheel, kept so that the next wheel is soon made. Another, such as one that
is configured already, is named by

    pip install . --no-build-isolation --config-settings build-dir=build
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(fgnn VERSION (\S+)", text).group(1)


def _metadata():
    return (f"Metadata-Version: 2.1\nName: fgnn\nVersion: {version()}\n"
            "Summary: Inference and learning on factor graphs\n"
            "Requires-Python: >=3.8\nRequires-Dist: numpy\n")


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def _cmake(*arguments):
    subprocess.run(["cmake", *map(str, arguments)], check=True)


def _build(folder):
    """The built package's files by their paths in the wheel."""
    folder = ROOT / folder
    if not (folder / "CMakeCache.txt").exists():
        _cmake("-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DFGNN_JOIN=ON",
               "-DFGNN_PROGRAM=OFF", "-DFGNN_TESTS=OFF", "-DFGNN_PYTHON=ON",
               f"-DPython3_EXECUTABLE={sys.executable}")
    _cmake("--build", folder, "--target", "fgnn_package", "--parallel", os.cpu_count() or 1)
    stage = tempfile.mkdtemp()
    _cmake("--install", folder, "--component", "python", "--prefix", stage)
    for init in pathlib.Path(stage).rglob("fgnn/__init__.py"):
        package = init.parent
        return {str(file.relative_to(package.parent)): file.read_bytes()
                for file in sorted(package.rglob("*")) if file.is_file()}
    sys.exit("fgnn: the package was not built; Python's headers and pybind11 are needed "
             "(Debian: python3-dev, pybind11-dev)")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = _build((config_settings or {}).get("build-dir", "build-wheel"))
    name, info = f"fgnn-{version()}", f"fgnn-{version()}.dist-info"
    for weights in sorted((ROOT / "weights").glob("*.safetensors")):
        files[f"{name}.data/data/share/fgnn/weights/{weights.name}"] = weights.read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: fgnn\nRoot-Is-Purelib: false\n"
                              f"Tag: {_tag()}\n").encode()
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in files.items():
            out.writestr(path, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """All that git knows."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], check=True, capture_output=True,
                            text=True).stdout.split("\n")
    name = f"fgnn-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as out:
        for file in filter(None, listed):
            out.add(ROOT / file, f"{name}/{file}", recursive=False)
        with tempfile.NamedTemporaryFile("w", suffix="-PKG-INFO") as info:
            info.write(_metadata())
            info.flush()
            out.add(info.name, f"{name}/PKG-INFO")
    return f"{name}.tar.gz"
