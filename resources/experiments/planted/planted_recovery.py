"""Record an encoder with planted trees, ask for the best multi-order graphs, compare with what was planted."""
import json
import math
import os
import pathlib
import shutil
import subprocess

from planted_encoders import write_model


def call(mog, *arguments):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    return subprocess.run([str(mog), *map(str, arguments)], capture_output=True, text=True, timeout=600,
                          env=environment)


def record(mog, folder, trees, design, seed=0, capture="attention,gates"):
    """A recording of one sentence a tree by an encoder that holds them all."""
    folder = pathlib.Path(folder)
    model = write_model(folder / "model", trees, design, seed)
    (folder / "sentences.txt").write_text("".join(" ".join(tree.words) + "\n" for tree in trees))
    recording = folder / "planted.rec"
    shutil.rmtree(recording, ignore_errors=True)
    result = call(mog, "record", "-m", model, "-i", folder / "sentences.txt", "-o", recording, "--capture", capture)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return recording


def joins_of(found):
    """(source, target, layer, order) of the joins of a tree that `mog trees` printed, in post-order."""
    return [(edge["source"], edge["target"], edge["layer"], edge["order"])
            for edge in sorted(found["edges"], key=lambda edge: edge["id"])]


def recover(mog, recording, index, tree, mode="free", top=2, options=()):
    """What `mog trees` says about the root of one planted tree; `options` choose another grammar.

    rank: of the planted expression among the `top` best (0: not among them); by-leaves: 1 if it is the best with as
    many leaves as the sentence has words. right: rank 1, and every join has its layer and order. joins: share of
    the planted joins (source, target, layer) that the best tree has."""
    count = len(tree.words) if mode == "by-leaves" else top
    result = call(mog, "trees", recording, "-n", index, "--owner", f"@{tree.root}", "--mode", mode, "--top", count,
                  "--json", *options)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    found = json.loads(result.stdout)["forest"]["trees"]
    if mode == "by-leaves":
        found = [entry for entry in found if entry["leaves"] == len(tree.words)] or found[-1:]
        found = found[:1]
    planted = [(join.source, join.target, join.layer, join.order) for join in tree.joins]
    rank = next((place for place, entry in enumerate(found, 1) if entry["expression"] == tree.text), 0)
    best = joins_of(found[0])
    parts = {(edge["source"], edge["target"]): edge["part"] for edge in found[0]["edges"]}
    return {"rank": rank, "right": rank == 1 and best == planted,
            "joins": len({join[:3] for join in planted} & {join[:3] for join in best}) / len(planted),
            "parts": all(parts.get((join.source, join.target)) == join.part for join in tree.joins),
            "order": found[0]["order"], "weight": found[0]["weight"],
            "next": found[1]["weight"] if len(found) > 1 else 0.0}


def wilson(successes, trials, z=1.959964):
    """The 95 % interval of a share."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap_mean(values, draw, resamples=2000):
    """The 95 % percentile interval of a mean, resampling trees; `draw` is a random.Random."""
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(resamples))
    return means[int(0.025 * resamples)], means[int(0.975 * resamples)]
