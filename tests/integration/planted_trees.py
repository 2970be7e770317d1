"""Encoders whose weights are constructed so that their attention joins words along known trees: the whole way from
a model directory to the best multi-order graph must find those trees.

Usage: planted_trees.py MOG SOURCE_DIR    (skips without numpy or the engine)
"""
import collections
import os
import pathlib
import random
import sys
import tempfile
import unittest

from mog_cli import require_engine, skip

MOG, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCE, "resources", "experiments", "planted"))
try:
    import numpy  # noqa: F401
except ImportError:
    skip("the Python of the comparing tests has no numpy")

from planted_encoders import Design  # noqa: E402
from planted_recovery import call, record, recover  # noqa: E402
from planted_trees import SHAPES, is_projective, random_trees  # noqa: E402


class Planted(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def results(self, trees, design, mode, *options):
        recording = record(MOG, self.folder, trees, design, capture="attention,gates,shares")
        return [recover(MOG, recording, index, tree, mode, options=options) for index, tree in enumerate(trees, 1)]

    def expect_found(self, trees, results, parts):
        wrong = [f"{tree.shape} of {len(tree.words)} words, depth {tree.depth}, {tree.order}: {result}"
                 for tree, result in zip(trees, results)
                 if not result["right"] or result["order"] != len(tree.words) or (parts and not result["parts"])]
        self.assertLessEqual(len(wrong), 0.01 * len(trees), "\n".join(wrong))

    def test_graph_transformers_are_read_back(self):
        """Rank 1 of all expressions of the root's last state, with the recorded self-gate and no option."""
        every = []
        for layers in (4, 6, 8, 12):
            trees = random_trees(52, layers, random.Random(layers), f"l{layers}s", most=16 if layers == 4 else 40)
            results = self.results(trees, Design(layers=layers), "free")
            self.expect_found(trees, results, parts=True)
            self.assertEqual(max(tree.depth for tree in trees), layers)
            every += trees
        # What was planted is what the test says: enough trees, all shapes and sizes, both kinds of order.
        self.assertGreaterEqual(len(every), 200)
        self.assertEqual({tree.shape for tree in every}, set(SHAPES))
        sizes = [len(tree.words) for tree in every]
        self.assertLessEqual(min(sizes), 6)
        self.assertGreaterEqual(max(sizes), 38)
        kinds = collections.Counter(is_projective(tree.heads) for tree in every)
        self.assertGreaterEqual(min(kinds[True], kinds[False]), 60)
        parts = collections.Counter(join.part for tree in every for join in tree.joins)
        self.assertGreaterEqual(min(parts[part] for part in ("h", "m1", "m2")), 500)

    def test_weight_gate_by_order(self):
        """The weight-gate shares every layer equally among the parts, so each join above layer 1 costs a factor 3
        and small graphs win; the best with as many leaves as words is the planted tree."""
        trees = random_trees(24, 6, random.Random(1), "s")
        self.expect_found(trees, self.results(trees, Design(fusion="weight_gate", sharpness=60), "by-leaves"),
                          parts=False)

    def test_transformer_by_order(self):
        """Half of every weight is the residual's, which lets a layer pass: again the best with all words. Joins
        stand in random layers, not only the earliest."""
        trees = random_trees(24, 8, random.Random(2), "s", delayed=True)
        self.assertTrue(any(join.layer > 1 + max(join.left_layer, join.right_layer)
                            for tree in trees for join in tree.joins))
        self.expect_found(trees, self.results(trees, Design(kind="transformer", layers=8, sharpness=60), "by-leaves"),
                          parts=True)

    def test_shares_and_no_residual_in_free_mode(self):
        """With the parts weighed by the norms of what they add, and without the residual's share, the planted trees
        are rank 1 of all expressions there too."""
        trees = random_trees(16, 6, random.Random(4), "s")
        self.expect_found(trees, self.results(trees, Design(fusion="weight_gate"), "free", "--pi", "share"), parts=True)
        trees = random_trees(16, 8, random.Random(5), "s", delayed=True)
        self.expect_found(trees, self.results(trees, Design(kind="transformer", layers=8), "free", "--rho", "0"),
                          parts=True)

    def test_noise_hides_the_trees(self):
        """The control: weights drowned in noise do not give the planted trees back."""
        trees = random_trees(16, 6, random.Random(3), "s", least=7)
        results = self.results(trees, Design(noise=0.2), "free")
        self.assertLessEqual(sum(result["right"] for result in results), 2)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
