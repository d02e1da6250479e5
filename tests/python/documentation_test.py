"""Examples in docstrings and in the guide run and print what they say; stubs name what there is."""
import ast
import doctest
import inspect
import pathlib
import pkgutil

import numpy as np
import pytest

import fgnn

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def modules():
    """The package, and its modules but those of what may be absent."""
    import importlib
    yield fgnn
    for module in pkgutil.iter_modules(fgnn.__path__):
        try:
            yield importlib.import_module("fgnn." + module.name)
        except ImportError:
            pass


def documented():
    """(name, docstring) of all modules, functions, classes and their members."""
    seen = set()
    for module in modules():
        yield module.__name__, module.__doc__
        for name, thing in vars(module).items():
            home = getattr(thing, "__module__", None) or ""
            if name.startswith("_") or not home.startswith("fgnn") or "twin" in home:
                continue
            if id(thing) in seen:
                continue
            if not (inspect.isclass(thing) or inspect.isroutine(thing)):
                continue
            seen.add(id(thing))
            yield f"{module.__name__}.{name}", thing.__doc__
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (callable(value)
                                                       or isinstance(value, property)):
                        yield f"{module.__name__}.{name}.{member}", value.__doc__


EXAMPLES = [(name, doc) for name, doc in documented() if doc and ">>>" in doc]


def failures(text, name):
    """What the examples of a text print in place of what they should."""
    test = doctest.DocTestParser().get_doctest(text, {"fgnn": fgnn, "np": np}, name, None, 0)
    assert test.examples
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name, doc", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_docstrings_are_true(name, doc):
    assert not failures(inspect.cleandoc(doc), name)


def test_everything_public_has_a_docstring():
    lacking = [name for name, doc in documented()
               if not doc and not name.startswith("fgnn._core")]
    assert not lacking
    assert len(EXAMPLES) > 20


def test_the_guide_is_true():
    # The end of a block is no output.
    assert not failures(GUIDE.read_text().replace("```\n", "\n"), "docs/python.md")


def test_stubs_name_what_there_is():
    stub = ast.parse((pathlib.Path(fgnn.__file__).parent / "_core.pyi").read_text())
    named = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            named[node.name] = {n.name if isinstance(n, ast.FunctionDef) else n.target.id
                                for n in node.body if not isinstance(n, ast.Expr)}
        elif isinstance(node, ast.FunctionDef):
            named[node.name] = set()
        elif isinstance(node, ast.AnnAssign):
            named[node.target.id] = set()
    real = {name: thing for name, thing in vars(fgnn._core).items() if not name.startswith("_")}
    assert set(named) == set(real)
    for name, thing in real.items():
        if inspect.isclass(thing):
            members = {m for m in vars(thing) if not m.startswith("_")}
            assert {m for m in named[name] if not m.startswith("_")} == members, name
