"""How long a corpus of 10^9 lines takes on a cluster: an event simulation with measured rates.

Usage: simulate.py [--runs 20]

Measured (docs/scale.md, docs/benchmarks.md): sentences a second of a task, seconds that a task needs to begin, bytes of an index
and of a file of sums, seconds of a merge. Published: failures of nodes (Kokolis et al. 2024, a year of two clusters of 16,000 and
8,000 GPUs: 6.5 in 1,000 node-days on the larger one). Assumed: how fast nodes differ, how long a failed one is away, what the
file system gives, and a queue that takes nodes back for other jobs.
"""
import argparse
import heapq
import random
import statistics

LINES = 1_000_000_000
TOKENS = 30
BYTES = 150  # of a line
FAILURES_PER_NODE_DAY = 6.5 / 1000
AWAY_S = 3600  # until a failed node is back
NOTICE_S = 10 + 60  # until the watch sees a lost task, and the queue begins it again
SPREAD = 0.05  # of the speeds of nodes, standard deviation of the logarithm
SLOW, SLOW_BY = 0.01, 0.5  # so many nodes are so slow
FILE_SYSTEM = 5e9  # bytes a second, of all tasks together
COMMIT_SENTENCES, PART_BYTES = 20_000, 849_000
INDEX_BYTES = LINES // 1000 * 16
MERGE_S = 0.42 / 200  # a file
INDEX_RATE = 0.35e9  # bytes a second that one task indexes

TAKEN_PER_NODE_DAY = 4.8  # a fifth of the nodes an hour, by a queue of idle time

# name, slots of the cluster, slots of a node, sentences a second of a slot, seconds until a task computes, failures
CLUSTERS = [("1,000 cores, 64 a node; MiniLM, 200 sentences a second", 1000, 64, 200, 4, FAILURES_PER_NODE_DAY),
            ("the same, a fifth of the nodes taken away every hour", 1000, 64, 200, 4, TAKEN_PER_NODE_DAY),
            ("64 cards, 8 a node; 34,000 sentences a second (6 layers × 384, float32), counted at 14,000 by one core", 64, 8, 14_000, 12,
             FAILURES_PER_NODE_DAY),
            ("the same without a bootstrap", 64, 8, 34_000, 12, FAILURES_PER_NODE_DAY)]


def simulate(slots, per_node, rate, begin_s, per_day, tasks, seed):
    """(seconds until all tasks are done, sentences that were computed twice, failures of nodes)"""
    draw = random.Random(seed)
    nodes = -(-slots // per_node)
    speed = [draw.lognormvariate(0, SPREAD) * (SLOW_BY if draw.random() < SLOW else 1) for _ in range(nodes)]
    size = LINES / tasks
    begin_s += INDEX_BYTES / (FILE_SYSTEM / min(slots, tasks))  # all read it at once
    left = [size] * tasks
    waiting = [(0.0, task) for task in range(tasks)]  # when it may begin
    free = [(0.0, slot) for slot in range(slots)]
    downs = {}
    for node in range(nodes):
        at, times = 0.0, []
        while at < 30 * 86400:
            at += draw.expovariate(per_day / 86400)
            times.append(at)
        downs[node] = times
    twice = failed = 0
    end = 0.0
    heapq.heapify(waiting)
    heapq.heapify(free)
    while waiting:
        ready, task = heapq.heappop(waiting)
        at, slot = heapq.heappop(free)
        node = slot // per_node
        begin = max(ready, at)
        done = begin + begin_s + left[task] / (rate * speed[node])
        down = next((time for time in downs[node] if begin <= time < done), None)
        if down is None:
            end = max(end, done)
            heapq.heappush(free, (done, slot))
            continue
        failed += 1
        counted = max(0.0, (down - begin - begin_s) * rate * speed[node])
        kept = counted // COMMIT_SENTENCES * COMMIT_SENTENCES
        twice += counted - kept
        left[task] -= kept
        heapq.heappush(waiting, (down + NOTICE_S, task))
        heapq.heappush(free, (down + AWAY_S, slot))
    return end, twice, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    print(f"index: {LINES * BYTES / INDEX_RATE / 60:.0f} min, once; {INDEX_BYTES / 1e6:.0f} MB; corpus {LINES * BYTES / 1e9:.0f} GB")
    for name, slots, per_node, rate, begin_s, per_day in CLUSTERS:
        ideal = LINES / (rate * slots)
        print(f"\n{name}: {ideal / 3600:.2f} h if nothing else were\n")
        print("| tasks | hours, mean (greatest) | of the ideal | tasks lost a run | computed twice | bytes read and written | files |\n|---|---|---|---|---|---|---|")
        for tasks in sorted({slots, 4 * slots, 16 * slots, 1000, 100_000}):
            results = [simulate(slots, per_node, rate, begin_s, per_day, tasks, seed) for seed in range(runs)]
            hours = [end / 3600 for end, _, _ in results]
            merge = tasks * MERGE_S / 3600
            commits = tasks + LINES / COMMIT_SENTENCES
            moved = LINES * BYTES + tasks * INDEX_BYTES + commits * PART_BYTES
            print(f"| {tasks:,} | {statistics.mean(hours) + merge:.2f} ({max(hours) + merge:.2f}) | {ideal / 3600 / (statistics.mean(hours) + merge):.2f} "
                  f"| {statistics.mean(failed for _, _, failed in results):.1f} | {statistics.mean(twice for _, twice, _ in results) / LINES:.1e} "
                  f"| {moved / 1e9:,.0f} GB | {4 * tasks:,} |")


if __name__ == "__main__":
    main()
