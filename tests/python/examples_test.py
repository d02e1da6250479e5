"""The numbered examples run; those of what is not there are skipped."""
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).parents[2] / "examples" / "python").glob("0*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.stem)
def test_example(example, tmp_path):
    text = example.read_text()
    for module in ("matplotlib", "torch"):
        if f"import {module}" in text:
            pytest.importorskip(module, reason=f"there is no {module} (Debian: python3-{module})")
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "MPLCONFIGDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_there_are_some():
    assert len(EXAMPLES) >= 3
