// What a model that reads from left to right foresees: of a word the most probable tokens behind it, of a
// sentence how far each of its tokens was foreseen.
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/figure_data/map_sides.h"
#include "app/gui/views/inspector/inspector_page.h"
#include "io/recording/pieces.h"

namespace mog::gui {
namespace {

QString token_text(const InspectorFacts& facts, std::int64_t token, const RecordingHeader& header) {
  return QString::fromStdString(shown_piece(facts.sentence.tokens.at(static_cast<std::size_t>(token)).text,
                                            analysis::pieces_of(header)));
}

QString nats(double value) {
  return QLocale().toString(value, 'f', 2);
}

// “▁old” 0.21; empty: not known.
QString best_text(const InspectorFacts& facts, std::size_t token) {
  if (token >= facts.next_names.size() || facts.next_names[token].empty()) {
    return {};
  }
  const double probability = facts.next.best[token].front().probability;
  const QString name = QStringLiteral("“%1”").arg(QString::fromStdString(facts.next_names[token].front()));
  return std::isfinite(probability) ? name + QLatin1Char(' ') + number_text(probability) : name;
}

// "rank 12"; empty: not recorded.
QString place_among_all(double rank) {
  return std::isfinite(rank) ? InspectorPage::tr("rank %1").arg(QLocale().toString(rank, 'f', 0)) : QString();
}

}  // namespace

void InspectorPage::fillNext(const InspectorQuestion& question, const InspectorFacts& facts) {
  shown_next_.clear();
  if (!facts.next_layer) {
    return;
  }
  if (question.subject == Subject::word) {
    fillNextOfWord(question, facts);
  } else if (question.subject == Subject::sentence) {
    fillNextOfSentence(facts);
  }
}

void InspectorPage::fillNextOfWord(const InspectorQuestion& question, const InspectorFacts& facts) {
  const auto tokens = std::ssize(facts.sentence.tokens);
  const std::int64_t token = *question.token;
  const auto at = static_cast<std::size_t>(token);
  const bool last = token + 1 == tokens;
  std::vector<ValueRow> rows;
  const double surprisal = facts.next.surprisal.at(at);
  const std::int64_t follows = last ? -1 : facts.sentence.tokens[at + 1].id;
  bool among = false;
  for (std::size_t place = 0; at < facts.next_names.size() && place < facts.next_names[at].size(); ++place) {
    const analysis::NextTokens::Best& best = facts.next.best[at][place];
    ValueRow row;
    row.label = QString::fromStdString(facts.next_names[at][place]);
    row.value = std::isfinite(best.probability) ? best.probability : 0;
    row.text = std::isfinite(best.probability) ? QLocale().toString(best.probability, 'f', 3) : QString();
    row.strong = best.id == follows;
    among = among || row.strong;
    rows.push_back(std::move(row));
  }
  if (!among && std::isfinite(surprisal)) {
    ValueRow row;
    row.label = token_text(facts, token + 1, header_);
    row.value = std::exp(-surprisal);
    row.text = number_text(row.value);
    row.strong = true;
    rows.push_back(std::move(row));
  }
  const bool lens = *facts.next_layer > 0;
  const QString level = level_text(lens ? app::ClaimLevel::summary : app::ClaimLevel::algebra);
  const QString piece = token_text(facts, token, header_);
  sections_.at(next)->setTitle(lens
                                   ? tr("What may follow “%1”, by layer %2").arg(piece).arg(*facts.next_layer)
                                   : tr("What may follow “%1”").arg(piece),
                               level);
  QString said;
  if (std::isfinite(surprisal)) {
    const QStringList facts_of_next = {place_among_all(facts.next.rank.at(at)),
                                       tr("probability %1").arg(number_text(std::exp(-surprisal))),
                                       tr("surprisal %1 nats").arg(nats(surprisal))};
    QStringList there = facts_of_next;
    there.removeAll(QString());
    said = tr("Here follows <b>%1</b>: %2.")
               .arg(token_text(facts, token + 1, header_).toHtmlEscaped(), there.join(QStringLiteral(", ")));
  } else if (last) {
    said = tr("The text ends here.");
  }
  if (facts.next_names.empty()) {
    said += QLatin1Char(' ') + (facts.no_names.empty()
                                    ? tr("With its model %1 open the most probable tokens have names.")
                                          .arg(QString::fromStdString(header_.model.name).toHtmlEscaped())
                                    : QString::fromStdString(facts.no_names).toHtmlEscaped());
  }
  rows_.at(next)->setChoosable(false);
  rows_.at(next)->setVisible(!rows.empty());
  rows_.at(next)->setRows(std::move(rows));
  say(next, said);
  sections_.at(next)->show();
}

void InspectorPage::fillNextOfSentence(const InspectorFacts& facts) {
  std::vector<ValueRow> rows;
  double sum = 0;
  for (std::size_t before = 0; before + 1 < facts.sentence.tokens.size(); ++before) {
    const double surprisal = facts.next.surprisal.at(before);
    if (!std::isfinite(surprisal)) {
      continue;
    }
    sum += surprisal;
    const auto token = static_cast<std::int64_t>(before) + 1;
    ValueRow row;
    row.label = token_text(facts, token, header_);
    row.value = surprisal;
    row.text = nats(surprisal);
    QStringList notes = {tr("probability %1").arg(number_text(std::exp(-surprisal))),
                         place_among_all(facts.next.rank.at(before))};
    if (const QString best = best_text(facts, before); !best.isEmpty()) {
      notes.push_back(tr("best %1").arg(best));
    }
    notes.removeAll(QString());
    row.note = notes.join(QStringLiteral(" · "));
    shown_next_.push_back(token);
    rows.push_back(std::move(row));
  }
  const auto count = static_cast<double>(rows.size());
  if (rows.empty()) {
    return;
  }
  sections_.at(next)->setTitle(tr("Surprisal, token by token"), tr("mean %1 nats").arg(nats(sum / count)));
  rows_.at(next)->setChoosable(true);
  rows_.at(next)->show();
  rows_.at(next)->setRows(std::move(rows));
  say(next, {});
  sections_.at(next)->show();
}

}  // namespace mog::gui
