// All sentences advance together; a sentence leaves when it has `beam` finished hypotheses. The device finds
// the best 2·beam tokens of every row; the host merges the rows of a sentence in double, where the order is
// exact: sum, then earlier hypothesis, then smaller id.
#include "model/engine/inference/beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "io/recording/errors.h"
#include "model/engine/modules/beam_decoder.h"

namespace mog::engine {
namespace {

struct Live {
  std::vector<std::int64_t> ids;
  double sum = 0.0;
};

struct Candidate {
  double sum = 0.0;
  std::size_t hypothesis = 0;
  std::int64_t id = 0;
};

bool better(const Candidate& left, const Candidate& right) {
  if (left.sum != right.sum) {
    return left.sum > right.sum;
  }
  return std::pair(left.hypothesis, left.id) < std::pair(right.hypothesis, right.id);
}

struct Scored {
  float log_p = 0.0F;
  std::int64_t id = 0;
};

bool scored_better(const Scored& left, const Scored& right) {
  return left.log_p != right.log_p ? left.log_p > right.log_p : left.id < right.id;
}

// The best `count` tokens of every row. One more than `count` is fetched: where it ties with the last, topk's
// choice among the tied is not the smallest id, and the whole row is looked at.
class BestTokens {
 public:
  BestTokens(const at::Tensor& log_p, std::int64_t count) : log_p_(log_p) {
    fetched_ = std::min(count + 1, log_p.size(1));
    count_ = std::min(count, log_p.size(1));
    const auto [values, ids] = log_p.topk(fetched_, 1);
    values_ = values.cpu().contiguous();
    ids_ = ids.cpu().contiguous();
  }

  Scored of(std::int64_t row, std::int64_t id) const {
    return {log_p_.select(0, row).select(0, id).item<float>(), id};
  }

  std::vector<Scored> row(std::int64_t row) const {
    const float* const values = values_.const_data_ptr<float>() + row * fetched_;
    const std::int64_t* const ids = ids_.const_data_ptr<std::int64_t>() + row * fetched_;
    std::vector<Scored> best;
    if (fetched_ > count_ && values[count_ - 1] == values[count_]) {
      const at::Tensor all = log_p_.select(0, row).cpu().contiguous();
      const float* const log_p = all.const_data_ptr<float>();
      for (std::int64_t id = 0; id < all.numel(); ++id) {
        if (log_p[id] >= values[count_]) {
          best.push_back({log_p[id], id});
        }
      }
    } else {
      for (std::int64_t i = 0; i < count_; ++i) {
        best.push_back({values[i], ids[i]});
      }
    }
    std::sort(best.begin(), best.end(), scored_better);
    best.resize(std::min(best.size(), static_cast<std::size_t>(count_)));
    std::erase_if(best, [](const Scored& token) { return !std::isfinite(token.log_p); });
    return best;
  }

 private:
  const at::Tensor& log_p_;
  std::int64_t fetched_ = 0;
  std::int64_t count_ = 0;
  at::Tensor values_;
  at::Tensor ids_;
};

// The search of one sentence.
class Search {
 public:
  Search(std::size_t sentence, const model::ModelConfig& config, const model::BeamOptions& options)
      : sentence_(sentence), config_(config), options_(options), live_{{}} {
    const auto first = options.first ? options.first : config.decoder->first_id;
    if (first) {
      begins_.push_back(*first);
      given_ = 1;
    }
    begins_.insert(begins_.end(), options.prefix.begin(), options.prefix.end());
  }

  std::size_t sentence() const noexcept { return sentence_; }
  const std::vector<Live>& live() const noexcept { return live_; }
  bool done() const noexcept {
    return live_.empty() || static_cast<std::int64_t>(finished_.size()) >= options_.beam;
  }

  // Takes the best 2·beam of all (live hypothesis, token). Returns, for every new live hypothesis, the old
  // one that it continues.
  std::vector<std::size_t> advance(const BestTokens& tokens, std::int64_t first_row) {
    std::vector<Candidate> candidates;
    for (std::size_t h = 0; h < live_.size(); ++h) {
      const std::int64_t row = first_row + static_cast<std::int64_t>(h);
      const std::size_t length = live_[h].ids.size();
      const std::vector<Scored> next =
          length < begins_.size() ? std::vector<Scored>{beginning(tokens, row, length)} : tokens.row(row);
      for (const Scored& token : next) {
        candidates.push_back({live_[h].sum + static_cast<double>(token.log_p), h, token.id});
      }
    }
    std::sort(candidates.begin(), candidates.end(), better);
    const auto beam = static_cast<std::size_t>(options_.beam);
    candidates.resize(std::min(candidates.size(), 2 * beam));
    std::vector<Live> next;
    std::vector<std::size_t> origins;
    for (std::size_t rank = 0; rank < candidates.size(); ++rank) {
      const Candidate& candidate = candidates[rank];
      if (candidate.id == config_.eos_id) {
        if (rank < beam && finished_.size() < beam) {
          finish(candidate);
        }
      } else if (next.size() < beam) {
        next.push_back(live_[candidate.hypothesis]);
        next.back().ids.push_back(candidate.id);
        next.back().sum = candidate.sum;
        origins.push_back(candidate.hypothesis);
      }
    }
    live_ = std::move(next);
    return origins;
  }

  std::vector<model::Hypothesis> take() {
    std::stable_sort(finished_.begin(), finished_.end(),
                     [](const auto& left, const auto& right) { return left.score > right.score; });
    return std::move(finished_);
  }

 private:
  Scored beginning(const BestTokens& tokens, std::int64_t row, std::size_t at) const {
    return at < given_ ? Scored{0.0F, begins_[at]} : tokens.of(row, begins_[at]);
  }
  void finish(const Candidate& candidate) {
    model::Hypothesis hypothesis{live_[candidate.hypothesis].ids, candidate.sum, 0.0};
    hypothesis.ids.push_back(candidate.id);
    hypothesis.score =
        candidate.sum / std::pow(static_cast<double>(hypothesis.ids.size()), options_.length_penalty);
    finished_.push_back(std::move(hypothesis));
  }

  std::size_t sentence_;
  const model::ModelConfig& config_;
  const model::BeamOptions& options_;
  std::vector<std::int64_t> begins_;
  std::size_t given_ = 0;  // the first so many of them count as sure
  std::vector<Live> live_;
  std::vector<model::Hypothesis> finished_;
};

// log p [row, Vt] float32 with the tokens that must not be chosen at -inf.
at::Tensor allowed_log_p(const at::Tensor& logits, const model::ModelConfig& config, bool last) {
  at::Tensor log_p = at::log_softmax(logits.to(at::kFloat), -1);
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  if (last) {
    const at::Tensor end = log_p.select(1, config.eos_id).clone();
    log_p.fill_(kNever);
    log_p.select(1, config.eos_id).copy_(end);
  }
  log_p.select(1, config.pad_id).fill_(kNever);
  return log_p;
}

std::int64_t longest_hypothesis(const ForwardContext& context, const model::BeamOptions& options) {
  const at::Tensor& table = context.weights.decoder.positions;
  return table.defined() ? std::min(options.max_tokens, table.size(0) - 2) : options.max_tokens;
}

}  // namespace

std::vector<std::vector<model::Hypothesis>> beam_search(const ForwardContext& context,
                                                        const SourceStates& source,
                                                        const std::vector<std::int64_t>& offsets,
                                                        const model::BeamOptions& options,
                                                        const std::stop_token& stop) {
  std::vector<Search> searches;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    searches.emplace_back(s, context.config, options);
  }
  std::vector<std::vector<model::Hypothesis>> results(searches.size());
  const std::int64_t longest = longest_hypothesis(context, options);
  BeamDecoder decoder(context, source, offsets, options.beam);
  std::vector<std::int64_t> ids(searches.size() * static_cast<std::size_t>(options.beam),
                                context.config.bos_id);
  for (std::int64_t length = 1; !searches.empty() && length <= longest; ++length) {
    if (stop.stop_requested()) {
      throw Interrupted("translating: stopped");
    }
    const at::Tensor log_p = allowed_log_p(decoder.step(ids), context.config, length == longest);
    const BestTokens tokens(log_p, 2 * options.beam);
    std::vector<Search> going;
    std::vector<std::int64_t> kept;
    std::vector<std::int64_t> origins;
    ids.clear();
    for (std::size_t place = 0; place < searches.size(); ++place) {
      Search& search = searches[place];
      const auto first_row = static_cast<std::int64_t>(place) * options.beam;
      const std::vector<std::size_t> from = search.advance(tokens, first_row);
      if (search.done() || length == longest) {
        results[search.sentence()] = search.take();
        continue;
      }
      // Rows without a hypothesis repeat the first; nobody reads them.
      for (std::int64_t row = 0; row < options.beam; ++row) {
        const std::size_t h = static_cast<std::size_t>(row) < from.size() ? static_cast<std::size_t>(row) : 0;
        origins.push_back(first_row + static_cast<std::int64_t>(from[h]));
        ids.push_back(search.live()[h].ids.back());
      }
      kept.push_back(static_cast<std::int64_t>(place));
      going.push_back(std::move(search));
    }
    searches = std::move(going);
    if (!searches.empty()) {
      decoder.reorder(origins, kept);
    }
  }
  return results;
}

}  // namespace mog::engine
