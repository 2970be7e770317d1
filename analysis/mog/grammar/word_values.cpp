// Each value is read per piece and averaged over the pieces of a word afterwards, as the definitions have
// it: the share of a mean is not the mean of shares.
//
// All gates come down to the same two numbers a word, g (what is new against what is carried) and π (how the
// three new parts share it), whatever the model records: a weight gate gives g alone, a self gate its column
// means, norms of what the parts add can stand for either. Where a model has neither, the definitions say
// 3/4 and 1/3 each.
//
// Traps: layer 1 has nothing previous, so g and π are no choice there. Norms add up where vectors need not:
// shares by norm are an approximation, which the notes say. The weights of heads by contribution are one set
// a layer and part, meant over words only; special tokens give nothing.
#include "analysis/mog/grammar/word_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/recording/errors.h"
#include "io/recording/top_keys.h"

namespace mog::analysis {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

bool plain_layer(const RecordedValues& values, std::int64_t layer) {
  return layer == 1 && values.stack().plain_first_layer;
}

// Shares of the three joins' parts and of what is carried in what a layer adds: [piece, 4], each in [0, 1].
std::vector<double> norm_shares(const RecordedValues& values, std::int64_t layer, std::string_view what) {
  std::vector<double> shares(at(values.pieces() * 4));
  const std::vector<Part> parts = rule_set(values.stack()).all();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const QuantityName name(values.stack().stack, layer, parts[part], Quantity::output, Reduction::share);
    if (!values.has(name)) {
      values.refuse_missing(name, what, "attention,gates,shares");
    }
    const std::vector<double> read = values.unit(name);
    for (std::size_t piece = 0; piece < read.size(); ++piece) {
      shares[piece * 4 + part] = read[piece];
    }
  }
  return shares;
}

// The gate of the weight gate, [piece]: means over d_model.
std::vector<double> weight_gate(const RecordedValues& values, std::int64_t layer) {
  const QuantityName whole(values.stack().stack, layer, Part::none, Quantity::gate);
  const QuantityName mean = whole.with(Reduction::mean);
  if (values.has(mean)) {
    return values.unit(mean);
  }
  if (!values.has(whole)) {
    throw UsageError(fmt::format(
        "the recording holds neither {} nor {}, which trees need: record with --capture attention,gates, or "
        "let something else stand for the gate (--gate share, --gate constant=G)",
        mean.text(), whole.text()));
  }
  const std::int64_t shape[] = {values.pieces(), 0};
  std::vector<double> all = values.read(whole, shape).values;
  values.check_unit(whole, all);
  const std::int64_t pieces = values.pieces();
  const std::int64_t width = static_cast<std::int64_t>(all.size()) / std::max<std::int64_t>(pieces, 1);
  std::vector<double> means(at(pieces), 0.0);
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    for (std::int64_t d = 0; d < width; ++d) {
      means[at(piece)] += all[at(piece * width + d)] / static_cast<double>(width);
    }
    means[at(piece)] = std::min(means[at(piece)], 1.0);  // a gate that is fully open, but for rounding
  }
  return means;
}

// Column means u of the self gate S: shares of i_h, i_m1, i_m2, i_l, [piece, 4].
std::vector<double> self_gate_shares(const RecordedValues& values, std::int64_t layer) {
  const QuantityName name(values.stack().stack, layer, Part::none, Quantity::self_gate);
  if (!values.has(name)) {
    values.refuse_missing(name, "trees need", "attention,gates");
  }
  const std::int64_t pieces = values.pieces();
  const std::int64_t shape[] = {pieces, 4, 4};
  std::vector<double> all = values.read(name, shape).values;
  values.check_unit(name, all);
  std::vector<double> shares(at(pieces * 4), 0.0);
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    double total = 0;
    for (std::int64_t cell = 0; cell < 16; ++cell) {
      shares[at(piece * 4 + cell % 4)] += all[at(piece * 16 + cell)];
      total += all[at(piece * 16 + cell)];
    }
    if (!(std::abs(total - 4) <= 0.1)) {
      throw FormatError(
          fmt::format("{} of sentence {}, token {}: expected four rows with sum 1, found the sum {}",
                      name.text(), values.sentence().number, piece + 1, total));
    }
    for (std::int64_t part = 0; part < 4; ++part) {
      shares[at(piece * 4 + part)] /= total;
    }
  }
  return shares;
}

// [piece]: the new parts' share of all four; 0 where nothing is added.
std::vector<double> new_share(const std::vector<double>& shares) {
  std::vector<double> gate(shares.size() / 4);
  for (std::size_t piece = 0; piece < gate.size(); ++piece) {
    const double fresh = shares[piece * 4] + shares[piece * 4 + 1] + shares[piece * 4 + 2];
    const double total = fresh + shares[piece * 4 + 3];
    gate[piece] = total > 0 ? fresh / total : 0;
  }
  return gate;
}

// [piece, 3]: shares among the new parts; 1/3 each where they add nothing.
std::vector<double> part_shares(const std::vector<double>& shares) {
  std::vector<double> pi(shares.size() / 4 * 3);
  for (std::size_t piece = 0; piece < shares.size() / 4; ++piece) {
    const double fresh = shares[piece * 4] + shares[piece * 4 + 1] + shares[piece * 4 + 2];
    for (std::size_t part = 0; part < 3; ++part) {
      pi[piece * 3 + part] = fresh > 0 ? shares[piece * 4 + part] / fresh : 1.0 / 3;
    }
  }
  return pi;
}

std::vector<double> contributions(const RecordedValues& values, const PieceWords& words,
                                  const QuantityName& map, std::int64_t heads) {
  const QuantityName name = map.with(Reduction::norm);
  if (!values.has(name)) {
    values.refuse_missing(name, "weights of heads by contribution need", "attention,gates,shares");
  }
  const std::int64_t shape[] = {heads, values.pieces()};
  const std::vector<double> norms = values.read(name, shape).values;
  std::vector<double> alpha(at(heads), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < norms.size(); ++i) {
    if (!(norms[i] >= 0) || !std::isfinite(norms[i])) {
      throw FormatError(fmt::format("{} of sentence {}: expected norms, found {} at place {}", name.text(),
                                    values.sentence().number, norms[i], i + 1));
    }
    const std::size_t pieces = words.word_of_piece.size();
    if (words.word_of_piece[i % pieces] > 0) {
      alpha[i / pieces] += norms[i];
      total += norms[i];
    }
  }
  for (double& weight : alpha) {
    weight = total > 0 ? weight / total : 1.0 / static_cast<double>(heads);
  }
  return alpha;
}

}  // namespace

std::vector<double> head_weights(const RecordedValues& values, const PieceWords& words,
                                 const QuantityName& map, std::int64_t heads,
                                 const WordGrammarOptions& options) {
  if (!options.head_weights.empty()) {
    return options.head_weights;
  }
  if (!options.heads.empty()) {
    std::vector<double> alpha(at(heads), 0.0);
    for (const std::int64_t head : options.heads) {
      if (head < 1 || head > heads) {
        throw UsageError(
            fmt::format("heads: {} has heads 1 to {}, there is no head {}", map.text(), heads, head));
      }
      if (alpha[at(head - 1)] > 0) {
        throw UsageError(fmt::format("heads: head {} is named twice", head));
      }
      alpha[at(head - 1)] = 1.0 / static_cast<double>(options.heads.size());
    }
    return alpha;
  }
  if (options.head_reduction == HeadReduction::contribution) {
    return contributions(values, words, map, heads);
  }
  return std::vector<double>(at(heads), 1.0 / static_cast<double>(heads));
}

GateValues gate_values(const RecordedValues& values, const PieceWords& words, std::int64_t layer,
                       const WordGrammarOptions& options) {
  const auto merge = [&](const std::vector<double>& pieces, std::int64_t width) {
    return merge_values(pieces, width, words.word_of_piece, words.words);
  };
  const GateKind kind = values.stack().gate;
  const bool plain = plain_layer(values, layer);
  GateValues result{std::vector<double>(at(words.words), 0.75),  // sum: three of the four parts are new
                    std::vector<double>(at(words.words * 3), 1.0 / 3)};
  if (options.gate == GateSource::constant) {
    result.gate.assign(at(words.words), options.gate_constant);
  } else if (plain) {
    result.gate.assign(at(words.words), 0.5);
  } else if (options.gate == GateSource::share) {
    result.gate = merge(new_share(norm_shares(values, layer, "stands for the gate")), 1);
  } else if (kind == GateKind::self) {
    result.gate = merge(new_share(self_gate_shares(values, layer)), 1);
  } else if (kind == GateKind::weight) {
    result.gate = merge(weight_gate(values, layer), 1);
  }
  for (double& g : result.gate) {
    g *= 1 - options.residual_share;
  }
  if (plain || layer == 1) {
    return result;  // nothing previous: high alone counts
  }
  if (options.pi == PartShares::share) {
    result.pi = merge(part_shares(norm_shares(values, layer, "gives the shares of the parts")), 3);
  } else if (options.pi == PartShares::recorded && kind == GateKind::self) {
    result.pi = merge(part_shares(self_gate_shares(values, layer)), 3);
  }
  return result;
}

void describe_gate(const RecordedValues& values, const WordGrammarOptions& options, WordGrammar& result) {
  const GateKind kind = values.stack().gate;
  switch (options.gate) {
    case GateSource::constant:
      result.choices.emplace_back("gate", fmt::format("constant={}", options.gate_constant));
      result.notes.push_back(
          fmt::format("g is {} for every word and layer: not what the model did", options.gate_constant));
      break;
    case GateSource::share:
      result.choices.emplace_back("gate", "share");
      result.notes.emplace_back(
          "g is the norm share of high, middle1 and middle2 beside low, per word: norms add up, vectors need "
          "not");
      break;
    case GateSource::recorded:
      result.choices.emplace_back("gate", "recorded");
      if (kind == GateKind::weight) {
        result.notes.emplace_back("g is the weight of high and middle order together (mean over d_model)");
      } else if (kind == GateKind::self) {
        result.notes.emplace_back("g is 1 - the column mean of low in the self gate");
      } else {
        result.notes.emplace_back("the model has no gate: g = 3/4");
      }
  }
  if (values.stack().plain_first_layer && options.gate != GateSource::constant) {
    result.notes.emplace_back("the first layer is plain and has no gate: g = 1/2 there");
  }
  if (options.residual_share > 0) {
    result.notes.push_back(fmt::format("g is multiplied by {}", 1 - options.residual_share));
  }
  result.choices.emplace_back("pi", name(options.pi));
  if (options.pi == PartShares::share) {
    result.notes.emplace_back("high, middle1 and middle2 share what is new by their norms, per word");
  } else if (options.pi == PartShares::recorded && kind == GateKind::self) {
    result.notes.emplace_back("high, middle1 and middle2 share what is new as the self gate weighs them");
  } else {
    result.notes.emplace_back("high, middle1 and middle2 share what is new equally (1/3 each)");
  }
  result.choices.emplace_back("residual_share", fmt::format("{}", options.residual_share));
}

std::vector<double> cross_attention_target(const RecordedValues& values, const PieceWords& words,
                                           WordGrammar& result) {
  const auto steps = static_cast<std::int64_t>(values.sentence().target_tokens.size());
  std::vector<std::int64_t> layers;
  QuantityName cross;
  for (const QuantitySchema& schema : values.header().quantities) {
    const QuantityName& name = schema.name;
    if (name.part().role() == PartRole::cross && name.quantity() == Quantity::attention &&
        (name.reduction() == Reduction::full || name.reduction() == Reduction::mean_heads) &&
        std::find(layers.begin(), layers.end(), name.layer()) == layers.end()) {
      layers.push_back(name.layer());
      cross = name;
    }
  }
  if (layers.empty() || steps == 0) {
    throw UsageError(fmt::format(
        "the weight of each word in the translation needs decoder.1.cross.attention …, which {}: record with "
        "--target FILE or --target translate and --capture attention,gates{}",
        layers.empty()
            ? "the recording does not hold"
            : fmt::format("sentence {} does not have: it has no translation", values.sentence().number),
        layers.empty() ? only_top_keys(values.header()) : ""));
  }
  std::vector<double> top(at(words.words), 0.0);
  double dropped = 0;
  for (const std::int64_t layer : layers) {
    const RecordedValues::Maps maps =
        values.attention({cross.stack(), layer, cross.part(), Quantity::attention}, steps, "attention,gates");
    const double weight = 1.0 / static_cast<double>(maps.heads * steps) / static_cast<double>(layers.size());
    for (std::size_t i = 0; i < maps.values.size(); ++i) {
      const std::int64_t word = words.word_of_piece[i % words.word_of_piece.size()];
      (word > 0 ? top[at(word - 1)] : dropped) += weight * maps.values[i];
    }
  }
  double kept = 0;
  for (const double mass : top) {
    kept += mass;
  }
  if (!(kept > 1e-9)) {
    throw UsageError(fmt::format(
        "sentence {}: the translation's cross-attention lies on special tokens alone, no word has any of it; "
        "derive the sentence with --target uniform",
        values.sentence().number));
  }
  for (double& mass : top) {
    mass /= kept;
  }
  result.dropped_top = dropped;
  const StackDescription* const translator = values.header().system.find(cross.stack());
  const std::int64_t all =
      std::max(translator != nullptr ? translator->layers : 0, static_cast<std::int64_t>(layers.size()));
  result.notes.push_back(
      fmt::format("the sentence weighs each word by its mean cross-attention: {} of {} decoder layers, all "
                  "heads, {} step{} "
                  "of the translation (its end too); {:.4f} of it lay on special tokens and is dropped",
                  layers.size(), all, steps, steps == 1 ? "" : "s", dropped));
  return top;
}

}  // namespace mog::analysis
