"""Solvers against enumeration in numpy, their options, limits and errors."""
import itertools
import json
import math
import os
import pathlib
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import fgnn

MODELS = pathlib.Path(os.environ.get("FGNN_DATA", "/nonexistent")) / "uai"


def random_graph(seed):
    """Pairs, a table of three variables and a budget, on variables of two and three states."""
    rng = np.random.default_rng(seed)
    b = fgnn.Builder()
    states = rng.integers(2, 4, size=6)
    x = b.variables("x", 6, states)
    for v in x:
        b.unary(v, rng.normal(size=states[v]))
    for u, v in ((0, 1), (1, 2), (2, 3), (0, 3)):
        table = rng.normal(size=(states[u], states[v]))
        table[0, 0] = -np.inf
        b.factor([u, v], table)
    b.factor([3, 4, 5], rng.normal(size=states[3:]))
    b.factor(x, fgnn.at_most(3))
    b.constant(rng.normal())
    return b.build()


def enumerated(graph, evidence=None):
    """(log Z, marginals, assignments with their scores, best first)."""
    given = graph.given(evidence or {})
    every = list(itertools.product(*(range(s) for s in graph.states)))
    scores = np.array([given.score(x) for x in every])
    most = scores.max()
    weights = np.exp(scores - most)
    marginals = [np.array([sum(w for x, w in zip(every, weights) if x[v] == s)
                           for s in range(graph.states[v])]) / weights.sum()
                 for v in range(graph.num_variables)]
    order = np.argsort(-scores, kind="stable")
    return most + np.log(weights.sum()), marginals, [(scores[i], every[i]) for i in order]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("evidence", [None, {"x[1]": 1, 4: [0.5, -1.0] + [0.0]}])
def test_agrees_with_enumeration(seed, evidence):
    g = random_graph(seed)
    if evidence:
        evidence = {1: 1, "x[4]": np.arange(g.states[4]) * 0.3}
    log_z, marginals, best = enumerated(g, evidence)
    result = fgnn.infer(g, "exact", evidence=evidence)
    assert result.status == "exact" and result.log_partition == pytest.approx(log_z)
    for ours, theirs in zip(result.marginals, marginals):
        assert ours == pytest.approx(theirs)
    for method in ("exact", "ad3-exact", "enumerate", "auto"):
        result = fgnn.map(g, method, evidence=evidence)
        assert result.score == pytest.approx(best[0][0])
        assert result.score == g.given(evidence or {}).score(result.assignment)
        assert result.gap <= 1e-6
    five = fgnn.map(g, "exact", evidence=evidence, k=5).solutions
    assert [score for score, _ in five] == pytest.approx([score for score, _ in best[:5]])
    relaxed = fgnn.map(g, "mplp", evidence=evidence)
    assert relaxed.score - 1e-9 <= best[0][0] <= relaxed.bound + 1e-9


def chain(length=6, states=3, seed=0):
    rng = np.random.default_rng(seed)
    b = fgnn.Builder()
    x = b.variables("x", length, states)
    b.unary(x, rng.normal(size=(length, states)))
    b.factors(np.stack([x[:-1], x[1:]], 1), rng.normal(size=(length - 1, states, states)))
    return b.build()


def test_belief_propagation_is_exact_on_trees_with_factor_beliefs():
    g = chain()
    exact, bp = fgnn.infer(g, "exact"), fgnn.sum_product(g)
    assert bp.status == "converged"
    assert bp.marginals == pytest.approx(exact.marginals)
    assert bp.log_partition == pytest.approx(exact.log_partition)
    for c in range(g.num_factors):
        belief = bp.factor_belief(c)
        assert belief.sum(1) == pytest.approx(bp.marginals[c])
        assert belief.sum(0) == pytest.approx(bp.marginals[c + 1])
        assert bp.messages.factor_belief(c) == pytest.approx(belief)
    observed = fgnn.sum_product(g, evidence={2: 1})
    assert observed.factor_belief(1).sum(0) == pytest.approx([0, 1, 0])
    assert fgnn.max_product(g).score == pytest.approx(fgnn.map(g, "exact").score)


def test_messages_are_read_set_and_started_from():
    g = chain()
    cold = fgnn.sum_product(g)
    assert len(cold.messages) == g.num_edges
    assert cold.messages.values.shape == (g.num_edges * 3,)
    assert np.array_equal(cold.messages[4], cold.messages.values[12:15])
    assert fgnn.sum_product(g, warm=cold).iterations == 1
    messages = fgnn.Messages(g)
    assert not messages.values.any()
    messages.values[:] = cold.messages.values
    warm = fgnn.sum_product(g, warm=messages)
    assert warm.iterations == 1 and warm.marginals == pytest.approx(cold.marginals)
    copy = messages.copy()
    copy[0][:] = 0
    assert messages[0].any()
    with pytest.raises(IndexError):
        messages[g.num_edges]
    with pytest.raises(fgnn.Error):
        fgnn.sum_product(chain(7), warm=messages)


def test_plans_serve_many_graphs():
    g = chain()
    rng = np.random.default_rng(3)
    sums, best = fgnn.ExactPlan(g, prune=False), fgnn.ExactPlan(g, "k_best", prune=False)
    assert sums.cost["induced_width"] == 1
    for _ in range(3):
        other = g.with_unaries(rng.normal(size=(6, 3)))
        assert sums.marginals(other).marginals == pytest.approx(
            fgnn.infer(other, "exact").marginals)
        assert best.map(other, k=3).solutions[2][0] == pytest.approx(
            fgnn.map(other, "exact", k=3).solutions[2][0])
    assert best.map(evidence={0: 2}).assignment[0] == 2
    assert sums.marginals().log_partition == fgnn.infer(g, "exact").log_partition
    with pytest.raises(fgnn.ModelError):
        sums.marginals(chain(7))


def test_certificates_and_comparisons():
    g = random_graph(0)
    best = fgnn.map(g, "exact")
    certificate = fgnn.certify(g, best.assignment)
    assert certificate["bound"] >= best.score - 1e-9
    assert certificate["gap"] == pytest.approx(certificate["bound"] - best.score, abs=1e-6)
    rows = fgnn.compare([random_graph(s) for s in range(3)], ["max-product:damping=0.5", "exact"])
    assert [row["method"] for row in rows] == ["max-product:damping=0.5", "exact"]
    assert rows[1]["agreement"] == 100 and rows[1]["instances"] == 3
    assert "exact" in repr(rows)


def test_results_tell_how_it_went():
    result = fgnn.map(chain(), "max-product", damping=0.25, iterations=40, seed=3)
    assert result.options_given["damping"] == "0.25"
    assert result.options_used["iterations"] == "40"
    assert "max-product" in repr(result) and "damping" in result.report()
    assert result.seconds >= sum(result.phases.values()) * 0.5
    assert len(result.residuals) == result.iterations
    assert not result.assignment.flags.writeable and not result.assignment.flags.owndata
    assert result.marginals is None or not result.marginals.flags.owndata
    assert fgnn.infer(fgnn.FactorGraph()).log_partition == 0


def test_same_seed_same_answer_on_any_number_of_threads():
    g = random_graph(5)
    one = fgnn.sum_product(g, schedule="flooding", threads=1)
    two = fgnn.sum_product(g, schedule="flooding", threads=2)
    assert np.array_equal(one.messages.values, two.messages.values)


@pytest.mark.parametrize("wrong, error, words", [
    (lambda g: fgnn.map(g, "ad4"), fgnn.UsageError, "did you mean 'ad3'"),
    (lambda g: fgnn.map(g, "exact", dampin=1), fgnn.UsageError, "did you mean"),
    (lambda g: fgnn.map(g, "exact", damping=0.5), fgnn.UsageError, "--damping: does not apply"),
    (lambda g: fgnn.map(g, "max-product", damping=2), fgnn.UsageError, "damping"),
    (lambda g: fgnn.sum_product(g, schedule="all"), fgnn.UsageError, "flooding"),
    (lambda g: fgnn.sum_product(g, damping=-1.0), fgnn.UsageError, "damping"),
    (lambda g: fgnn.infer(g, evidence={"x[0]": 5}), fgnn.ModelError, "x[0]"),
    (lambda g: fgnn.infer(g, evidence={"y": 1}), fgnn.ModelError, "there is no variable 'y'"),
    (lambda g: fgnn.infer(g, evidence={99: 1}), fgnn.ModelError, "99"),
    (lambda g: fgnn.infer(g, memory="2X"), fgnn.UsageError, "2X"),
    (lambda g: fgnn.infer(g, "exact", memory=100), MemoryError, "memory"),
    (lambda g: fgnn.infer(g, evidence={0: [-np.inf] * g.states[0]}), fgnn.InfeasibleError, "x[0]"),
    (lambda g: fgnn.map(g, evidence={0: [-np.inf] * g.states[0]}), fgnn.InfeasibleError, "x[0]"),
    (lambda g: g.score([0]), fgnn.ModelError, "assignment"),
])
def test_errors_are_of_a_kind_and_one_line(wrong, error, words):
    with pytest.raises(error) as caught:
        wrong(random_graph(0))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_parts_of_an_error():
    with pytest.raises(fgnn.Error) as caught:
        fgnn.map(random_graph(0), "ad4")
    assert caught.value.code == "usage"
    assert caught.value.subject == "method 'ad4'" and "ad3" in caught.value.hint


# ---- progress, Ctrl-C, threads ----


def hard_graph(side=30):
    """Nothing is decided soon here."""
    rng = np.random.default_rng(0)
    b = fgnn.Builder()
    x = b.variables("x", (side, side), 4)
    b.unary(x, rng.normal(size=(side, side, 4)))
    for pairs in (np.stack([x[:, :-1], x[:, 1:]], -1), np.stack([x[:-1], x[1:]], -1)):
        b.factors(pairs, 3 * rng.normal(size=(pairs.size // 2, 4, 4)))
    return b.build()


def test_progress_is_told_and_may_stop():
    seen = []

    def stop_at_five(progress):
        seen.append((progress.stage, progress.done))
        return len(seen) < 5

    result = fgnn.map(hard_graph(10), "ad3", progress=stop_at_five, iterations=10**6, tolerance=0)
    assert result.status == "interrupted" and result.assignment is not None
    assert len(seen) == 5


def test_what_progress_throws_reaches_the_caller():
    def fail(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fgnn.map(hard_graph(10), "ad3", progress=fail)


def test_ctrl_c_stops_a_solver_and_keeps_what_was_found():
    running = threading.Event()
    killer = threading.Thread(
        target=lambda: (running.wait(60), os.kill(os.getpid(), signal.SIGINT)))
    killer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        # Only Ctrl-C ends it.
        fgnn.map(hard_graph(), "ad3", iterations=10**9, tolerance=0,
                 progress=lambda p: running.set())
    killer.join()
    assert caught.value.result.status == "interrupted"
    assert len(caught.value.result.assignment) == 900
    # All is as before: the next Ctrl-C is Python's.
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)


def test_other_threads_run_meanwhile():
    g, counted, over = hard_graph(10), [0], threading.Event()

    def solve():
        # It ends only when the other thread has counted: both must run.
        fgnn.map(g, "ad3", iterations=10**9, tolerance=0,
                 progress=lambda p: counted[0] < 1000)
        over.set()

    solver = threading.Thread(target=solve)
    solver.start()
    while not over.is_set():
        counted[0] += 1
        time.sleep(0)
    solver.join()
    assert counted[0] >= 1000


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_many_solves_do_not_grow_memory():
    g = chain()

    def solve(count):
        for i in range(count):
            result = fgnn.sum_product(g, threads=1, evidence={0: i % 3})
            assert result.marginals is not None and result.messages.values is not None
            with pytest.raises(fgnn.InfeasibleError):
                fgnn.map(g, "enumerate", evidence={0: [-np.inf] * 3})

    solve(500)
    before = resident()
    solve(5000)
    assert resident() - before < 1 << 20  # 200 bytes a solve would show


# ---- against the program ----


def program(*arguments):
    return json.loads(subprocess.run([os.environ["FGNN_PROGRAM"], *map(str, arguments), "--json"],
                                     check=True, capture_output=True).stdout)


def models():
    own = sorted(pathlib.Path("examples/models").glob("*.*"))
    return own + sorted(MODELS.glob("*.uai"))


@pytest.mark.parametrize("file", models(), ids=lambda f: f.name)
def test_answers_are_the_program_s_to_the_last_digit(file):
    if file.suffix not in (".uai", ".fgt"):
        pytest.skip("not a graph")
    graph = fgnn.read(file)
    observed = file.with_name(file.name + ".evid")
    evidence, flags = None, []
    if observed.exists():
        evidence, flags = fgnn.read_evidence(graph, observed), ["--evidence", observed]
    limits = dict(iterations=20, evidence=evidence)
    theirs = program("infer", file, *flags, "--method", "sum-product", "--iterations", 20)
    ours = fgnn.infer(graph, "sum-product", **limits)
    assert ours.status == theirs["status"]
    assert [list(row) for row in ours.marginals] == theirs["marginals"]
    if "log10_partition" in theirs:
        assert ours.log_partition / math.log(10) == theirs["log10_partition"]
    theirs = program("map", file, *flags, "--method", "max-product", "--iterations", 20)
    ours = fgnn.map(graph, "max-product", **limits)
    assert ours.assignment.tolist() == theirs["assignment"]
    assert ours.score == (-np.inf if theirs["score"] is None else theirs["score"])
