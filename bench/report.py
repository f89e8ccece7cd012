"""Rows of measurements as tables (min / median / max of the runs) and as plots."""
from __future__ import annotations

import statistics
from pathlib import Path

PEER_COLOURS = {"Fencepost": "#1f6fb4", "Java Connect": "#d1711f", "librdkafka loop": "#8a8a8a"}


def number(x: float) -> str:
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def groups(rows: list[dict], keys: list[str]) -> dict[tuple, list[dict]]:
    """Rows of the same peer and keys, in the order of their first appearance."""
    out: dict[tuple, list[dict]] = {}
    for row in rows:
        out.setdefault((*(row[k] for k in keys), row["peer"]), []).append(row)
    return out


def spread(rows: list[dict], column: str) -> str:
    values = sorted(row[column] for row in rows)
    if len(values) == 1:
        return number(values[0])
    return f"{number(values[0])} / **{number(statistics.median(values))}** / {number(values[-1])}"


def median(rows: list[dict], column: str) -> float:
    return statistics.median(row[column] for row in rows)


def table(rows: list[dict], keys: list[str], columns: dict[str, str]) -> str:
    """Markdown: a line for each peer and each value of the keys; min / median / max."""
    lines = ["| " + " | ".join([*keys, "", "runs", *columns]) + " |", "|" + "---|" * (len(keys) + 2 + len(columns))]
    for key, some in groups(rows, keys).items():
        lines.append("| " + " | ".join([*map(str, key), str(len(some)), *(spread(some, c) for c in columns.values())]) + " |")
    return "\n".join(lines)


def bars(rows: list[dict], label, column: str, title: str, unit: str, path: Path, log: bool = False) -> None:
    """A plot of medians with whiskers from the least to the most; `label` names the place of a row on the x axis."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    places = list(dict.fromkeys(label(r) for r in rows))
    names = list(dict.fromkeys(r["peer"] for r in rows))
    figure, axes = pyplot.subplots(figsize=(1.6 + 1.5 * len(places), 4))
    width = 0.8 / len(names)
    for n, peer in enumerate(names):
        for i, place in enumerate(places):
            values = [r[column] for r in rows if r["peer"] == peer and label(r) == place]
            if not values:
                continue
            middle = statistics.median(values)
            x = i - 0.4 + width * (n + 0.5)
            axes.bar(x, middle, width * 0.92, color=PEER_COLOURS.get(peer), label=peer if i == 0 else None,
                     yerr=[[middle - min(values)], [max(values) - middle]], capsize=3)
            axes.annotate(number(middle), (x, max(values)), ha="center", va="bottom", fontsize=7)
    axes.set_xticks(range(len(places)), places)
    axes.set_ylabel(unit)
    axes.set_title(title, fontsize=10)
    if log:
        axes.set_yscale("log")
    handles = {h.get_label(): h for h in axes.containers if h.get_label() and not h.get_label().startswith("_")}
    axes.legend(handles.values(), handles.keys(), fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
