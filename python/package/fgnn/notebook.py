"""How graphs and results look in a notebook: a table, and a drawing of small graphs."""
import html
from typing import Iterable, Sequence

import numpy as np

MOST_ROWS = 20
MOST_STATES = 8
MOST_NODES = 40  # that are drawn
SIDE = 360  # pixels of a drawing


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
                   for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _more(count: int) -> str:
    return f"<p>… and {count - MOST_ROWS} more</p>" if count > MOST_ROWS else ""


def _summary(result) -> str:
    parts = [f"<b>{html.escape(result.method)}</b>: {result.status}"]
    if result.log_partition is not None:
        parts.append(f"ln Z {result.log_partition:.9g}")
    if result.assignment is not None:
        parts.append(f"score {result.score:.9g}")
        if np.isfinite(result.bound):
            parts.append(f"bound {result.bound:.9g}")
    if result.iterations:
        parts.append(f"{result.iterations} iterations")
    parts.append(f"{result.seconds:.3g} s")
    return f"<p>{', '.join(parts)}</p>"


def of_result(result) -> str:
    """The answer as a table, and a line on how it was found."""
    graph, count = result.graph, result.graph.num_variables
    shown = range(min(count, MOST_ROWS))
    names = [graph.name(v) for v in shown]
    if result.assignment is not None:
        table = _table(["variable", "state"],
                       ([names[v], str(result.assignment[v])] for v in shown))
    elif result.marginals is not None:
        states = min(max(graph.states[:MOST_ROWS], default=0), MOST_STATES)
        table = _table(["variable"] + [f"p({s})" for s in range(states)],
                       ([names[v]] + [f"{p:.6f}" for p in result.marginals[v][:states]]
                        for v in shown))
    else:
        table = ""
    return _summary(result) + table + _more(count)


def _layout(nodes: int, edges: np.ndarray) -> np.ndarray:
    """Places in a square: neighbours attract, others repel (Fruchterman and Reingold 1991)."""
    angles = 2 * np.pi * np.arange(nodes) / max(nodes, 1)
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ideal = 2 / np.sqrt(max(nodes, 1))
    for step in np.linspace(0.2, 0.005, 200):
        apart = places[:, None] - places[None]
        distance = np.linalg.norm(apart, axis=-1) + np.eye(nodes) + 1e-9
        force = (apart * (ideal**2 / distance**2)[:, :, None]).sum(1)
        pull = places[edges[:, 0]] - places[edges[:, 1]]
        pull *= np.linalg.norm(pull, axis=1, keepdims=True) / ideal
        np.add.at(force, edges[:, 0], -pull)
        np.add.at(force, edges[:, 1], pull)
        length = np.linalg.norm(force, axis=1, keepdims=True) + 1e-9
        places += force / length * np.minimum(length, step)
    low, high = places.min(0), places.max(0)
    return (places - low) / np.maximum(high - low, 1e-9)


def drawing(graph) -> str:
    """An SVG picture: variables are circles, factors squares."""
    variables, factors = graph.num_variables, graph.num_factors
    first = graph.first_edges
    factor = np.repeat(np.arange(factors), np.diff(first)) + variables
    edges = np.stack([graph.edge_variables.astype(int), factor], axis=1)
    places = 24 + (SIDE - 48) * _layout(variables + factors, edges)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" '
             'font-family="sans-serif" font-size="9" text-anchor="middle">']
    for v, c in edges:
        (x, y), (z, w) = places[v], places[c]
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{z:.1f}" y2="{w:.1f}" stroke="#888"/>')
    for c in range(factors):
        x, y = places[variables + c]
        kind = html.escape(graph.potential(c).kind)
        parts.append(f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12" fill="#444">'
                     f"<title>factor {c}: {kind}</title></rect>")
    for v in range(variables):
        x, y = places[v]
        name = html.escape(graph.name(v))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="#fff" stroke="#000"/>'
                     f'<text x="{x:.1f}" y="{y + 3:.1f}">{name}</text>')
    return "".join(parts) + "</svg>"


def of_graph(graph) -> str:
    """Sizes and kinds as a table; small graphs are drawn."""
    s = graph.statistics()
    rows = [[key, str(s[key])] for key in ("variables", "factors", "edges", "components")]
    rows += [["cycles", "no" if s["forest"] else "yes"]]
    rows += [[f"{kind} factors", str(number)] for kind, number in s["factors_by_kind"].items()]
    small = 0 < graph.num_variables + graph.num_factors <= MOST_NODES
    return _table(["factor graph", ""], rows) + (drawing(graph) if small else "")
