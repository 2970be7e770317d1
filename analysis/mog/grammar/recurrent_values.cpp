#include <algorithm>

#include "analysis/mog/grammar/recurrent_values.h"

namespace mog::analysis {
namespace {

constexpr std::string_view kWhat = "trees of a recurrent encoder";
constexpr std::string_view kCapture = "summary";

// The recorded mean over dimensions, or the mean of the recorded dimensions: [piece].
std::vector<double> means(const RecordedValues& values, std::int64_t layer, Part part, Quantity quantity) {
  const QuantityName whole(values.stack().stack, layer, part, quantity);
  if (values.has(whole.with(Reduction::mean))) {
    return values.unit(whole.with(Reduction::mean));
  }
  if (!values.has(whole)) {
    values.refuse_missing(whole.with(Reduction::mean), kWhat, kCapture);
  }
  const std::int64_t shape[] = {values.pieces(), 0};
  std::vector<double> all = values.read(whole, shape).values;
  values.check_unit(whole, all);
  std::vector<double> result(static_cast<std::size_t>(values.pieces()), 0.0);
  const std::size_t width = all.size() / std::max<std::size_t>(result.size(), 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    result[i / width] += all[i] / static_cast<double>(width);
  }
  return result;
}

std::vector<double> merged(std::span<const double> pieces, const PieceWords& words) {
  std::vector<double> result = merge_values(pieces, 1, words.word_of_piece, words.words);
  for (double& value : result) {
    value = std::clamp(value, 0.0, 1.0);  // a mean of ones may round to more
  }
  return result;
}

// A recorded share of each piece as means over the pieces of a word.
std::vector<double> share_of(const RecordedValues& values, const PieceWords& words, std::int64_t layer,
                             Part part) {
  const QuantityName share(values.stack().stack, layer, part, Quantity::output, Reduction::share);
  if (!values.has(share)) {
    values.refuse_missing(share, kWhat, kCapture);
  }
  return merged(values.unit(share), words);
}

}  // namespace

RecurrentValues recurrent_values(const RecordedValues& values, const PieceWords& words, std::int64_t layer,
                                 const DirectionParts& direction) {
  std::vector<double> z;
  if (values.stack().gate == GateKind::input_forget) {
    z = means(values, layer, direction.state, Quantity::input_gate);
    const std::vector<double> forget = means(values, layer, direction.state, Quantity::forget_gate);
    for (std::size_t piece = 0; piece < z.size(); ++piece) {
      const double both = z[piece] + forget[piece];
      z[piece] = both > 0 ? z[piece] / both : 0.5;
    }
  } else {
    z = means(values, layer, direction.state, Quantity::gate);
  }
  return {merged(z, words), share_of(values, words, layer, direction.recurrent)};
}

std::vector<double> direction_shares_of(const RecordedValues& values, const PieceWords& words,
                                        std::int64_t layer, Part direction) {
  return share_of(values, words, layer, direction);
}

void describe_recurrent(const RecordedValues& values, WordGrammar& result) {
  const bool lstm = values.stack().gate == GateKind::input_forget;
  result.choices.emplace_back("z", lstm ? "i / (i + f)" : "gate");
  result.notes.emplace_back(lstm ? "z is i / (i + f) of the means of input and forget gate over dimensions"
                                 : "z is the mean over dimensions of the gate, the share of the new value");
  result.notes.emplace_back("sigma is the norm of U h beside that of W x in the new value");
  if (values.stack().has(PartRole::direction)) {
    result.notes.emplace_back(
        "steps of special tokens are left out in both directions, though the backward one reads them first");
  }
}

}  // namespace mog::analysis
