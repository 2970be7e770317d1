#include "app/gui/views/attention/attention_choices.h"

#include <QStringList>
#include <algorithm>

namespace mog::gui {
namespace {
constexpr std::int64_t kLongText = 600;  // tokens
constexpr std::int64_t kStretch = 200;
const QStringList kShows = {QStringLiteral("both"), QStringLiteral("matrix"), QStringLiteral("arcs")};
}  // namespace

AttentionChoices::AttentionChoices(ViewState& state, const SelectionModel& selection, QObject* parent)
    : QObject(parent), state_(state), selection_(selection) {}

AttentionChoices::Show AttentionChoices::show() const {
  return static_cast<Show>(kShows.indexOf(state_.choice(setting::kAttentionShow)));
}

void AttentionChoices::setShow(Show show) {
  state_.set(setting::kAttentionShow, kShows[static_cast<qsizetype>(show)]);
}

// ---- heads of the means ------------------------------------------------------------------------------

std::vector<std::int64_t> AttentionChoices::headsOfMean() const {
  return heads_of_mean(state_, selection_.extent().heads);
}

void AttentionChoices::toggleHead(std::int64_t head) {
  const std::int64_t heads = selection_.extent().heads;
  std::vector<double> off;
  for (const std::int64_t one : state_.list(setting::kHeadsOff)) {
    if (one <= heads) {
      off.push_back(static_cast<double>(one));
    }
  }
  if (head == 0) {
    off.clear();
  } else if (head >= 1 && head <= heads) {
    const auto at = std::find(off.begin(), off.end(), static_cast<double>(head));
    if (at != off.end()) {
      off.erase(at);
    } else {
      off.push_back(static_cast<double>(head));
    }
  }
  std::sort(off.begin(), off.end());
  if (static_cast<std::int64_t>(off.size()) >= heads && heads > 0) {
    Q_EMIT said(tr("One head stays in the mean."));
    return;
  }
  state_.set(setting::kHeadsOff, ViewState::Value(off));
}

void AttentionChoices::isolateHead(std::int64_t head) {
  const std::int64_t heads = selection_.extent().heads;
  if (head < 1 || head > heads) {
    toggleHead(0);
    return;
  }
  std::vector<double> off;
  for (std::int64_t one = 1; one <= heads; ++one) {
    if (one != head) {
      off.push_back(static_cast<double>(one));
    }
  }
  const bool already = headsOfMean() == std::vector{head};
  state_.set(setting::kHeadsOff, ViewState::Value(already ? std::vector<double>{} : off));
}

// ---- tokens ------------------------------------------------------------------------------------------

bool AttentionChoices::pieces() const {
  return state_.flag(setting::kAttentionPieces);
}

void AttentionChoices::togglePieces() {
  state_.set(setting::kAttentionPieces, ViewState::Value(!pieces()));
}

const QStringList& AttentionChoices::specialTokens() {
  static const QStringList all = {QStringLiteral("matrix"), QStringLiteral("both"), QStringLiteral("none")};
  return all;
}

QString AttentionChoices::special() const {
  return state_.choice(setting::kAttentionSpecial);
}

void AttentionChoices::setSpecial(const QString& where) {
  state_.set(setting::kAttentionSpecial, where);
}

void AttentionChoices::nextSpecialTokens() {
  const QStringList& all = specialTokens();
  setSpecial(all[(all.indexOf(special()) + 1) % all.size()]);
}

bool AttentionChoices::specialInScale() const {
  return state_.flag(setting::kAttentionSpecialScale);
}

void AttentionChoices::setSpecialInScale(bool in_scale) {
  state_.set(setting::kAttentionSpecialScale, ViewState::Value(in_scale));
}

analysis::PairBlock AttentionChoices::block() const {
  const auto block = state_.list(setting::kAttentionBlock);
  return {block.at(0), block.at(1)};
}

void AttentionChoices::setBlock(const analysis::PairBlock& block) {
  state_.set(setting::kAttentionBlock, ViewState::Value(std::vector<double>{static_cast<double>(block.query),
                                                                            static_cast<double>(block.key)}));
}

analysis::Stretch AttentionChoices::stretch(bool keys) const {
  const std::int64_t tokens = selection_.extent().tokens;
  if (tokens <= kLongText) {
    return {};
  }
  const std::int64_t first = keys ? first_key_ : first_query_;
  // A text that is shorter than the one before ends sooner.
  const std::int64_t begin = first > tokens ? (tokens - 1) / kStretch * kStretch + 1 : first;
  return {begin, std::min(begin + kStretch - 1, tokens)};
}

void AttentionChoices::showFrom(std::int64_t query, std::int64_t key) {
  if (query != first_query_ || key != first_key_) {
    first_query_ = query;
    first_key_ = key;
    Q_EMIT stretchChanged();
  }
}

void AttentionChoices::stepStretch(bool keys, std::int64_t by) {
  const analysis::Stretch own = stretch(keys);
  const std::int64_t next = std::max<std::int64_t>(own.first + by * kStretch, 1);
  if (own.all() || next > selection_.extent().tokens) {
    return;
  }
  const std::int64_t other = stretch(!keys).first;
  showFrom(keys ? other : next, keys ? next : other);
}

void AttentionChoices::followSelection() {
  const analysis::Stretch queries = stretch(false);
  const analysis::Stretch keys = stretch(true);
  if (queries.all() || !selection_.token()) {
    return;
  }
  // The stretch that is shown, where the token lies in it.
  const auto holding = [](const analysis::Stretch& shown, std::int64_t token) {
    const bool inside = token + 1 >= shown.first && token + 1 <= shown.last;
    return inside ? shown.first : token / kStretch * kStretch + 1;
  };
  const std::int64_t query = holding(queries, *selection_.token());
  const std::int64_t key = selection_.key()  ? holding(keys, *selection_.key())
                           : queries == keys ? query
                                             : keys.first;
  showFrom(query, key);
}

analysis::TokenOptions AttentionChoices::tokenOptions() const {
  return {.special_tokens = special() != QLatin1String("none"),
          .by_word = !pieces(),
          .heads = headsOfMean(),
          .block = block(),
          .special_in_scale = specialInScale(),
          .queries = stretch(false),
          .keys = stretch(true)};
}

// ---- colours -----------------------------------------------------------------------------------------

analysis::ColourScale::Colouring AttentionChoices::colours() const {
  return analysis::parse_colouring(state_.choice(setting::kAttentionColours).toStdString());
}

void AttentionChoices::setColours(analysis::ColourScale::Colouring colours) {
  state_.set(setting::kAttentionColours, QString::fromUtf8(analysis::name(colours).data()));
}

}  // namespace mog::gui
