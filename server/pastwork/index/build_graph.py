"""Writes ``minilm.onnx``: the graph of all-MiniLM-L6-v2 without its weights.

Run by hand, with the development requirement ``onnx``::

    python -m pastwork.index.build_graph path/to/model.safetensors server/pastwork/index/minilm.onnx

The model is a six-layer BERT encoder (J. Devlin et al., 2018), mean pooling over the attended word
pieces and L2 normalisation (N. Reimers and I. Gurevych, "Sentence-BERT", 2019). Every initializer
points into model.safetensors by offset; the weights' sha256 is pinned in ``weights.py``, so the
offsets can't move. ``Gemm`` with ``transB`` takes the linear layers as they lie in the file.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import msgspec

HIDDEN, HEADS, LAYERS, EPSILON = 384, 12, 6, 1e-12
WEIGHTS = "model.safetensors"


#: What a node's attribute may be.
Attribute = Any


class Tensor(msgspec.Struct, frozen=True):
    """Where a tensor lies: ``data_offsets`` count from the end of the header."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class Graph:
    """Nodes and initializers under construction; names are given out in order."""

    def __init__(self, tensors: dict[str, Tensor], base: int) -> None:
        self.tensors, self.base = tensors, base
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}

    def op(self, kind: str, *inputs: str, domain: str = "", output: str = "", **attributes: Attribute) -> str:
        """Adds a node and gives its output's name."""
        from onnx import helper

        name = output or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def weight(self, name: str) -> str:
        """An initializer that points into the weights file."""
        from onnx import TensorProto

        if name not in self.initializers:
            tensor = self.tensors[name]
            proto = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=tensor.shape)
            proto.data_location = TensorProto.EXTERNAL
            start, end = tensor.data_offsets
            for key, value in (("location", WEIGHTS), ("offset", self.base + start), ("length", end - start)):
                proto.external_data.add(key=key, value=str(value))
            self.initializers[name] = proto
        return name

    def constant(self, name: str, values: list[int] | list[float]) -> str:
        """A small one-dimensional initializer kept in the graph."""
        from onnx import TensorProto, helper

        kind = TensorProto.INT64 if isinstance(values[0], int) else TensorProto.FLOAT
        self.initializers.setdefault(name, helper.make_tensor(name, kind, [len(values)], values))
        return name

    def linear(self, x: str, layer: str) -> str:
        return self.op("Gemm", x, self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias"), transB=1)

    def norm(self, x: str, layer: str) -> str:
        weights = self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias")
        return self.op("LayerNormalization", x, *weights, axis=-1, epsilon=EPSILON)


def header(path: Path) -> tuple[dict[str, Tensor], int]:
    """The tensors of a safetensors file, and where its data begins."""
    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        tree = json.loads(file.read(size))
    return {k: msgspec.convert(v, Tensor) for k, v in tree.items() if k != "__metadata__"}, size + 8


def embeddings(g: Graph) -> str:
    """Word + position + type, normalised: (batch * length, hidden)."""
    words = g.op("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    length = g.op("Shape", "input_ids", start=1, end=2)
    positions = g.op(
        "Slice",
        g.weight("embeddings.position_embeddings.weight"),
        g.constant("zero", [0]),
        length,
        g.constant("axis0", [0]),
    )
    kind = g.op("Gather", g.weight("embeddings.token_type_embeddings.weight"), g.constant("type", [0]))
    total = g.op("Add", g.op("Add", words, positions), kind)
    return g.norm(g.op("Reshape", total, g.constant("flat", [-1, HIDDEN])), "embeddings.LayerNorm")


def attention(g: Graph, x: str, layer: str, mask: str) -> str:
    """Scaled dot-product attention over ``HEADS`` heads: (batch * length, hidden)."""

    def heads(which: str, order: list[int]) -> str:
        split = g.op("Reshape", g.linear(x, f"{layer}.self.{which}"), "by_head")
        return g.op("Transpose", split, perm=order)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    scale = g.constant("scale", [(HIDDEN / HEADS) ** -0.5])
    scores = g.op("Add", g.op("Mul", g.op("MatMul", query, key), scale), mask)
    mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
    return g.linear(g.op("Reshape", mixed, "flat"), f"{layer}.output.dense")


def encoder(g: Graph, x: str, number: int, mask: str) -> str:
    """One transformer layer."""
    layer = f"encoder.layer.{number}"
    x = g.norm(g.op("Add", x, attention(g, x, f"{layer}.attention", mask)), f"{layer}.attention.output.LayerNorm")
    grown = g.op("Gelu", g.linear(x, f"{layer}.intermediate.dense"))
    return g.norm(g.op("Add", x, g.linear(grown, f"{layer}.output.dense")), f"{layer}.output.LayerNorm")


def pooled(g: Graph, x: str) -> str:
    """The mean over attended word pieces, of unit length: (batch, hidden)."""
    whole = g.op("Reshape", x, "by_text")
    weight = g.op("Unsqueeze", "mask_f", g.constant("axis2", [2]))
    total = g.op("ReduceSum", g.op("Mul", whole, weight), g.constant("axis1", [1]), keepdims=0)
    count = g.op("ReduceSum", "mask_f", g.constant("axis1", [1]), keepdims=1)
    return g.op("LpNormalization", g.op("Div", total, count), axis=1, p=2, output="embedding")


def build(weights: Path) -> bytes:
    """The serialised graph: ``input_ids``, ``attention_mask`` int64 (batch, length) -> ``embedding`` (batch, 384)."""
    from onnx import TensorProto, helper

    g = Graph(*header(weights))
    shape = g.op("Shape", "input_ids")
    g.op("Concat", shape, g.constant("head_split", [HEADS, HIDDEN // HEADS]), axis=0, output="by_head")
    g.op("Concat", shape, g.constant("width", [HIDDEN]), axis=0, output="by_text")
    g.op("Cast", "attention_mask", to=TensorProto.FLOAT, output="mask_f")
    hidden_away = g.op("Mul", g.op("Sub", "mask_f", g.constant("one", [1.0])), g.constant("far", [1e9]))
    mask = g.op("Unsqueeze", hidden_away, g.constant("axes12", [1, 2]))
    x = embeddings(g)
    for number in range(LAYERS):
        x = encoder(g, x, number, mask)
    pooled(g, x)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
    graph = helper.make_graph(g.nodes, "minilm", inputs, [output], list(g.initializers.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(model.SerializeToString())


def main(weights: str, target: str) -> None:
    Path(target).write_bytes(build(Path(weights)))


if __name__ == "__main__":
    main(*sys.argv[1:])
