#include "analysis/effects/run_changes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "analysis/statistics/softmax.h"

namespace mog::analysis {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
using What = RunChange::What;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

std::vector<double> doubles_of(const SentencePlace& of, const QuantityName& name) {
  const std::vector<float> floats = of.source.read(of.index, name).to_floats();
  return {floats.begin(), floats.end()};
}

// `values`: [group, rest] → means over the groups.
std::vector<double> mean_over_first(const std::vector<double>& values, std::int64_t groups) {
  std::vector<double> mean(values.size() / at(groups), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean[i % mean.size()] += values[i] / static_cast<double>(groups);
  }
  return mean;
}

// `values`: [row, rest] → means over the rest.
std::vector<double> mean_over_rest(const std::vector<double>& values, std::int64_t rows) {
  std::vector<double> mean(at(rows), 0.0);
  const std::size_t width = rows == 0 ? 0 : values.size() / at(rows);
  for (std::size_t i = 0; i < width * at(rows); ++i) {
    mean[i / width] += values[i] / static_cast<double>(width);
  }
  return mean;
}

bool is_gate(Quantity quantity) {
  return quantity == Quantity::gate || quantity == Quantity::reset || quantity == Quantity::input_gate ||
         quantity == Quantity::forget_gate || quantity == Quantity::output_gate;
}

// The quantity of both recordings that says this, whole or reduced.
struct Held {
  QuantityName name;  // without reduction
  QuantityName first;
  QuantityName second;
};
std::optional<Held> held_by_both(const SentencePlace& before, const SentencePlace& after,
                                 const QuantityName& name, Reduction reduced) {
  const auto in = [&](const SentencePlace& place) -> std::optional<QuantityName> {
    for (const QuantityName& one : {name.with(Reduction::full), name.with(reduced)}) {
      if (place.source.header().find(one) != nullptr) {
        return one;
      }
    }
    return std::nullopt;
  };
  const auto first = in(before);
  const auto second = in(after);
  return first && second ? std::optional(Held{name.with(Reduction::full), *first, *second}) : std::nullopt;
}

class Comparison {
 public:
  Comparison(const SentencePlace& before, const SentencePlace& after, const RunChangeOptions& options)
      : before_(before),
        after_(after),
        options_(options),
        first_(before.source.sentence(before.index)),
        second_(after.source.sentence(after.index)) {
    for (const auto& pair : paired_tokens(first_, second_)) {
      if (options.special_tokens || second_.tokens[at(pair.second)].word >= 0) {
        pairs_.push_back(pair);
      }
    }
  }

  RunChanges all() {
    std::vector<QuantityName> done;
    for (const QuantitySchema& schema : after_.source.header().quantities) {
      const QuantityName whole = schema.name.with(Reduction::full);
      const bool of_map =
          schema.name.quantity() == map_quantity(schema.name.part()) &&
          (schema.name.reduction() == Reduction::full || schema.name.reduction() == Reduction::mean_heads);
      const bool of_gate = is_gate(schema.name.quantity()) && (schema.name.reduction() == Reduction::full ||
                                                               schema.name.reduction() == Reduction::mean);
      if (schema.name.of_task()) {
        if (schema.name.quantity() == Quantity::logits) {
          tags(schema.name);
        }
        continue;
      }
      if (schema.name.stack() != after_.source.header().stack().stack) {
        continue;
      }
      if ((of_map || of_gate) && std::find(done.begin(), done.end(), whole) == done.end()) {
        done.push_back(whole);
        of_map ? maps(whole) : gates(whole);
      } else if (schema.name.quantity() == Quantity::output && schema.name.reduction() == Reduction::share) {
        shares(schema.name);
      } else if (schema.name.quantity() == Quantity::attention &&
                 schema.name.reduction() == Reduction::norm) {
        heads(schema.name);
      }
    }
    return take();
  }

 private:
  void add(RunChange change, double scale) {
    const double difference = std::abs(change.difference());
    if (!(difference > kSmallestChange)) {  // nor one that is no number
      return;
    }
    change.size = difference / scale;
    if (!options_.left_out || !options_.left_out(change)) {
      found_.push_back(std::move(change));
    }
  }

  void gates(const QuantityName& name) {
    const auto held = held_by_both(before_, after_, name, Reduction::mean);
    if (!held) {
      return;
    }
    per_token(What::gate, *held, kGateChange);
  }

  void shares(const QuantityName& name) {
    if (before_.source.header().find(name) != nullptr) {
      per_token(What::share, {name, name, name}, kGateChange);
    }
  }

  void per_token(What what, const Held& held, double scale) {
    const auto first = mean_over_rest(doubles_of(before_, held.first), std::ssize(first_.tokens));
    const auto second = mean_over_rest(doubles_of(after_, held.second), std::ssize(second_.tokens));
    for (const auto& [here, there] : pairs_) {
      add({.what = what,
           .name = held.name,
           .token = there,
           .before = first[at(here)],
           .after = second[at(there)]},
          scale);
    }
  }

  // [head, query, key] or [query, key] → the mean over heads, or one head; empty: it is not there.
  std::vector<double> map_of(const SentencePlace& place, const QuantityName& name, std::int64_t head) const {
    const QuantitySchema& schema = *place.source.header().find(name);
    const std::vector<double> values = doubles_of(place, name);
    const std::int64_t heads = schema.axes.front() == Axis::head ? schema.extents.front() : 1;
    if (head == 0) {
      return mean_over_first(values, heads);
    }
    if (schema.axes.front() != Axis::head || head > heads) {
      return {};
    }
    const std::size_t size = values.size() / at(heads);
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at(head - 1) * size);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }

  void maps(const QuantityName& name) {
    const auto held = held_by_both(before_, after_, name, Reduction::mean_heads);
    if (!held) {
      return;
    }
    cells(*held, 0);
    for (const HeadPlace& place : options_.heads) {
      if (place.layer == name.layer() && place.part == name.part() && place.head > 0) {
        cells(*held, place.head);
      }
    }
  }

  void cells(const Held& held, std::int64_t head) {
    const std::vector<double> first = map_of(before_, held.first, head);
    const std::vector<double> second = map_of(after_, held.second, head);
    if (first.empty() || second.empty()) {
      return;
    }
    for (const auto& [query_here, query_there] : pairs_) {
      for (const auto& [key_here, key_there] : pairs_) {
        add({.what = What::attention,
             .name = held.name,
             .head = head,
             .token = query_there,
             .key = key_there,
             .before = first[at(query_here) * first_.tokens.size() + at(key_here)],
             .after = second[at(query_there) * second_.tokens.size() + at(key_there)]},
            kAttentionChange);
      }
    }
  }

  void heads(const QuantityName& name) {
    const QuantitySchema* const there = before_.source.header().find(name);
    const std::int64_t heads = after_.source.header().find(name)->extents.front();
    if (there == nullptr || there->extents.front() != heads) {
      return;
    }
    const std::vector<double> first = doubles_of(before_, name);
    const std::vector<double> second = doubles_of(after_, name);
    double mean = 0;
    for (const double norm : first) {
      mean += norm / static_cast<double>(first.size());
    }
    for (std::int64_t head = 1; mean > 0 && head <= heads; ++head) {
      for (const auto& [here, there_token] : pairs_) {
        add({.what = What::head,
             .name = name,
             .head = head,
             .token = there_token,
             .before = first[at(head - 1) * first_.tokens.size() + at(here)],
             .after = second[at(head - 1) * second_.tokens.size() + at(there_token)]},
            mean);
      }
    }
  }

  // The best tag before, and the best after where it is another.
  void tags(const QuantityName& name) {
    const QuantitySchema* const there = before_.source.header().find(name);
    const std::int64_t count = after_.source.header().find(name)->extents.back();
    if (there == nullptr || there->extents.back() != count || count == 0) {
      return;
    }
    const std::vector<double> first = doubles_of(before_, name);
    const std::vector<double> second = doubles_of(after_, name);
    const auto probabilities = [count](const std::vector<double>& scores, std::int64_t token) {
      const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(token * count);
      std::vector<double> result(begin, begin + static_cast<std::ptrdiff_t>(count));
      softmax(result);
      return result;
    };
    for (const auto& [here, there_token] : pairs_) {
      const auto was = probabilities(first, here);
      const auto is = probabilities(second, there_token);
      const auto best_before = std::max_element(was.begin(), was.end()) - was.begin();
      const auto best_after = std::max_element(is.begin(), is.end()) - is.begin();
      for (const auto tag : {best_before, best_after}) {
        add({.what = What::tag,
             .name = name,
             .token = there_token,
             .tag = tag,
             .before = was[at(tag)],
             .after = is[at(tag)]},
            kTagChange);
        if (best_after == best_before) {
          break;
        }
      }
    }
  }

  RunChanges take() {
    const auto order = [](const RunChange& change) {
      return std::tuple(-change.size, change.name, change.head, change.token, change.key, change.tag);
    };
    RunChanges result{.largest = {}, .count = std::ssize(found_)};
    const auto kept = options_.at_most == 0 ? result.count : std::min(options_.at_most, result.count);
    std::partial_sort(
        found_.begin(), found_.begin() + kept, found_.end(),
        [&order](const RunChange& left, const RunChange& right) { return order(left) < order(right); });
    found_.resize(at(kept));
    result.largest = std::move(found_);
    return result;
  }

  const SentencePlace& before_;
  const SentencePlace& after_;
  const RunChangeOptions& options_;
  Sentence first_;
  Sentence second_;
  Pairs pairs_;
  std::vector<RunChange> found_;
};

}  // namespace

std::vector<std::pair<std::int64_t, std::int64_t>> paired_tokens(const Sentence& before,
                                                                 const Sentence& after) {
  const auto first = std::ssize(before.tokens);
  const auto second = std::ssize(after.tokens);
  const auto same = [&](std::int64_t here, std::int64_t there) {
    return before.tokens[at(here)].id == after.tokens[at(there)].id;
  };
  Pairs pairs;
  std::int64_t begin = 0;
  while (begin < std::min(first, second) && (first == second || same(begin, begin))) {
    pairs.emplace_back(begin, begin);
    ++begin;
  }
  std::int64_t end = 0;
  while (begin + end < std::min(first, second) && same(first - 1 - end, second - 1 - end)) {
    ++end;
  }
  for (; end > 0; --end) {
    pairs.emplace_back(first - end, second - end);
  }
  return pairs;
}

RunChanges run_changes(const SentencePlace& before, const SentencePlace& after,
                       const RunChangeOptions& options) {
  return Comparison(before, after, options).all();
}

}  // namespace mog::analysis
