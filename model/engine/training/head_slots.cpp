// An assignment of heads to places of parts. The exact one (Hungarian method) would not fit the question:
// places may be fewer or more than heads, and a place that is left over wants a copy of some head and not
// nothing. Greedy by regret is near to it: first comes who would lose most by waiting. O(heads² · parts) for
// the first copies, and for each further one a look at all heads; heads are some tens.
//
// A loss counts at most twice what the head gives. Beyond that it is lost altogether, and by how much must
// not decide.
//
// Trap: with one part there is no second best, so that all regrets are 0 and heads come in their order.
// fit_start.cpp therefore chooses by gain there.
#include "model/engine/training/head_slots.h"

#include <algorithm>
#include <limits>

namespace mog::engine {
namespace {

// A second copy adds a little even where the first one is good.
constexpr double kCopyShare = 0.1;

struct Choice {
  double regret = -1.0;
  std::size_t head = 0;
  std::size_t part = 0;
};

}  // namespace

std::vector<std::vector<std::int64_t>> assign_heads(const std::vector<std::vector<double>>& error,
                                                    const std::vector<double>& total, std::int64_t slots) {
  const std::size_t heads = error.size();
  const std::size_t parts = heads > 0 ? error[0].size() : 0;
  std::vector<std::vector<std::int64_t>> placed(parts);
  std::vector<bool> done(heads, false);
  const auto free = [&](std::size_t part) { return static_cast<std::int64_t>(placed[part].size()) < slots; };
  for (std::size_t round = 0; round < heads; ++round) {
    Choice choice;
    for (std::size_t head = 0; head < heads; ++head) {
      double best = std::numeric_limits<double>::infinity();
      double second = best;
      std::size_t where = parts;
      for (std::size_t part = 0; part < parts && !done[head]; ++part) {
        if (!free(part)) {
          continue;
        }
        const double loss = std::min(error[head][part], 2.0 * total[head]);
        if (loss < best) {
          second = best;
          best = loss;
          where = part;
        } else {
          second = std::min(second, loss);
        }
      }
      const double regret = second < std::numeric_limits<double>::infinity() ? second - best : 0.0;
      if (where < parts && regret > choice.regret) {
        choice = {regret, head, where};
      }
    }
    if (choice.regret < 0.0) {
      break;  // no place is left
    }
    placed[choice.part].push_back(static_cast<std::int64_t>(choice.head));
    done[choice.head] = true;
  }
  for (std::size_t part = 0; part < parts; ++part) {
    std::sort(placed[part].begin(), placed[part].end());
    while (free(part)) {
      double most = -1.0;
      std::int64_t taken = -1;
      for (std::size_t head = 0; head < heads; ++head) {
        const auto id = static_cast<std::int64_t>(head);
        if (std::find(placed[part].begin(), placed[part].end(), id) != placed[part].end()) {
          continue;
        }
        const double least = *std::min_element(error[head].begin(), error[head].end());
        const double gain =
            std::max(0.0, total[head] - error[head][part]) + kCopyShare * std::min(least, 2.0 * total[head]);
        if (gain > most) {
          most = gain;
          taken = id;
        }
      }
      if (taken < 0) {
        break;  // fewer heads than places
      }
      placed[part].push_back(taken);
    }
  }
  return placed;
}

}  // namespace mog::engine
