"""The text of a network, such as FC(64) - 8*FGNN(64, q=mixture) - Out(2), as a list of items."""
import re
from dataclasses import dataclass, field


@dataclass
class Item:
    name: str = ""  # "" for a plain group
    arguments: list = field(default_factory=list)
    options: dict = field(default_factory=dict)
    inside: list = field(default_factory=list)
    times: int = 1
    tied: bool = False  # the same weights every time


def parse(text):
    tokens = re.findall(r"[\w.+]+|\S", text) + [""]  # which is at the end
    items = _sequence(tokens)
    if tokens != [""]:
        raise ValueError(f"network: '{tokens[0]}' was not expected")
    return items


def _take(tokens, *expected):
    if tokens[0] not in expected:
        raise ValueError(f"network: '{tokens[0]}' where one of {' '.join(expected)} should be")
    return tokens.pop(0)


def _word(tokens):
    if not re.match(r"[\w.+]", tokens[0]):
        raise ValueError(f"network: '{tokens[0]}' where a name or number should be")
    return tokens.pop(0)


def _sequence(tokens):
    items = [_item(tokens)]
    while tokens[0] == "-":
        tokens.pop(0)
        items.append(_item(tokens))
    return items


def _item(tokens):
    item = Item()
    if tokens[0].isdigit():
        item.times = int(tokens.pop(0))
        item.tied = _take(tokens, "*", "@") == "@"
    if tokens[0] != "[":
        item.name = _word(tokens)
    if _take(tokens, "[", "(") == "[":
        item.inside = _sequence(tokens)
        _take(tokens, "]")
        return item
    while tokens[0] != ")":
        word = _word(tokens)
        if tokens[0] == "=":
            tokens.pop(0)
            item.options[word] = _word(tokens)
        else:
            item.arguments.append(word)
        if tokens[0] == ",":
            tokens.pop(0)
    _take(tokens, ")")
    return item


class Options:
    """What a layer may be told, with the defaults of the engine."""

    def __init__(self, texts):
        known = {"q": "table", "form": "node", "order": "sequence", "bases": "16", "q_hidden": "64",
                 "aggregate": "max", "temperature": "1", "m": "", "update": "yes",
                 "residual": "yes", "norm": "batch", "normed": "update", "activation": "relu", "k": "8", "rank": "0"}
        others = ("size", "pool", "rows")  # read by the items that have them
        unknown = [key for key in texts if key not in known and key not in others]
        if unknown:
            raise ValueError(f"the twin has no option '{unknown[0]}'")
        texts = {**known, **texts}
        self.q, self.form, self.order = texts["q"], texts["form"], texts["order"]
        self.aggregates = texts["aggregate"].split("+")
        self.temperature = float(texts["temperature"])
        self.m = [int(n) for n in texts["m"].split("+") if n]
        self.update, self.residual = texts["update"] == "yes", texts["residual"] == "yes"
        self.norm, self.activation = texts["norm"], texts["activation"]
        self.normed = texts["normed"]
        self.neighbours, self.rank = int(texts["k"]), int(texts["rank"])
