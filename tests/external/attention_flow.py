"""Attention rollout and attention flow (Abnar and Zuidema 2020, github.com/samiraabnar/attention_flow) against
encoder.L.rollout.product and encoder.flow.raw. Its module imports TensorFlow and draws; neither is used."""
import json
import sys
import types

from external import TEXTS, Recording, Report, arguments, package, revision, token_ids

options = arguments(__doc__, ["networkx"], code="a checkout of attention_flow")
import networkx as nx
import numpy as np
import transformers  # noqa: F401  (before the stand-ins: it asks whether TensorFlow is there)

for name in ("tensorflow", "matplotlib", "matplotlib.pyplot"):
    sys.modules.setdefault(name, types.ModuleType(name))
code = package("flow_code", options.code)("attention_graph_util")
layers = json.loads((options.model / "config.json").read_text())["num_hidden_layers"]
report = Report("attention_flow", revision(options.code))
recording = Recording(options.mog, options.model, TEXTS,
                      ["encoder.*.full.attention", "encoder.*.rollout.product", "encoder.flow.raw"])
heads = json.loads((options.model / "config.json").read_text())["num_attention_heads"]
for number, text in enumerate(TEXTS):
    size = len(token_ids(options.model, text))
    maps = np.stack([recording.read(f"encoder.{layer}.full.attention", number, heads, size, size).mean(0)
                     for layer in range(1, layers + 1)]).astype(np.float64)
    rollout = code.compute_joint_attention(maps)
    for layer in range(layers):
        report.compare("rollout.product", recording.read(f"encoder.{layer + 1}.rollout.product", number, size, size),
                       rollout[layer], 1e-10)
    if size > 14:
        continue  # its graph search takes minutes beyond
    mixed = maps + np.eye(size)
    mixed /= mixed.sum(-1, keepdims=True)
    matrix, labels = code.get_adjmat(mixed, [str(token) for token in range(size)])
    graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph())
    nx.set_edge_attributes(graph, {(one, other): matrix[one, other] for one, other in graph.edges}, "capacity")
    inputs = [label for label, index in labels.items() if index < size]
    outputs = [label for label, index in labels.items() if index >= layers * size]
    flows = code.compute_node_flow(graph, labels, inputs, outputs, size)
    flows = flows[layers * size:, (layers - 1) * size:layers * size]
    raw = recording.read("encoder.flow.raw", number, size, size)
    report.compare("flow, rows divided by their sums", raw / raw.sum(-1, keepdims=True), flows, 1e-10)
report.finish()
