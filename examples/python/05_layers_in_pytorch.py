"""A PyTorch model with factor layers: noisy glyphs, seen by a small convolutional front end.

A picture shows six glyphs in a row, of three kinds, and the row reads the same backwards. The front
end, of PyTorch, looks at each glyph alone; fgnn's layers behind it relate those that are mirrored,
by factors. Gradients flow through both, and the same network in plain PyTorch operations has the same
answers.
"""
import torch
from torch import nn

import fgnn.torch
from fgnn.networks import Graphs, Network, Relation

torch.manual_seed(0)
GLYPHS = torch.tensor([[[1, 1, 1], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 1, 0], [0, 1, 0]],
                       [[1, 1, 0], [0, 1, 0], [0, 1, 1]]], dtype=torch.float32)
NOISE = 0.9


def pictures(count):
    half = torch.randint(3, (count, 3))
    kinds = torch.cat([half, half.flip(1)], 1)
    return GLYPHS[kinds] + NOISE * torch.randn(count, 6, 3, 3), kinds


WIDTH = 8
row = Graphs([[0.0] * WIDTH] * 6, {"mirror": Relation([[0, 5], [1, 4], [2, 3]])})


class Reader(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.front = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Flatten(),
                                   nn.Linear(16, WIDTH))
        self.layers = layers

    def forward(self, images):
        seen = self.front(images.reshape(-1, 1, 3, 3)).reshape(-1, 6, WIDTH)
        return self.layers(row, seen)


def accuracy(model, images, kinds):
    with torch.no_grad():
        return (model(images).argmax(-1) == kinds).float().mean().item()


def trained(layers):
    model = Reader(layers)
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(200):
        images, kinds = pictures(64)
        loss = nn.functional.cross_entropy(model(images).reshape(-1, 3), kinds.ravel())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


test = pictures(2000)
alone = trained(fgnn.torch.Network("FC(32) - Out(3)", row))
model = trained(fgnn.torch.Network("FC(32) - 2*FGNN(32) - Out(3)", row))
print(f"each glyph alone {accuracy(alone, *test):.3f}, with factor layers "
      f"{accuracy(model, *test):.3f}")

model.layers.save("layers.safetensors")
plain = Reader(fgnn.torch.reference(Network.load("layers.safetensors"))).eval()
plain.front = model.front
with torch.no_grad():
    difference = (plain(test[0][:50]) - model(test[0][:50])).abs().max().item()
print("the same in plain PyTorch operations:", "yes" if difference < 1e-3 else difference)
