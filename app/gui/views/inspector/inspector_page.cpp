#include "app/gui/views/inspector/inspector_page.h"

#include <QEvent>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/figure_data/map_sides.h"
#include "app/gui/session/part_text.h"
#include "app/gui/views/inspector/change_rows.h"
#include "app/gui/views/inspector/weight_boxes.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/widgets/wrapping_layout.h"

namespace mog::gui {
namespace {

constexpr std::size_t kShownChanges = 12;
constexpr int kSide = 20;

QString three_digits(double value) {
  return QLocale().toString(value, 'f', 3);
}

QString bold(const QString& text) {
  return QStringLiteral("<b>%1</b>").arg(text.toHtmlEscaped());
}

}  // namespace

InspectorPage::InspectorPage(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      place_(new RoleLabel(RoleLabel::Role::quiet, this)),
      title_(new RoleLabel(RoleLabel::Role::title, this)),
      badge_row_(new QWidget(this)),
      sentence_(new RoleLabel(RoleLabel::Role::plain, this)),
      facts_(new RoleLabel(RoleLabel::Role::plain, this)),
      boxes_(new WeightBoxes(this)),
      gates_(new GateLine(this)),
      try_(new TryIt(context, this)),
      all_changes_(new QPushButton(this)),
      terms_offer_(new OfferButton(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 12, 0, 12);
  column->setSpacing(0);
  auto* head = new QVBoxLayout;
  head->setContentsMargins(kSide, 4, kSide, 12);
  head->setSpacing(8);
  new WrappingLayout(6, badge_row_);
  for (QWidget* one : {static_cast<QWidget*>(place_), static_cast<QWidget*>(title_), badge_row_,
                       static_cast<QWidget*>(sentence_), static_cast<QWidget*>(facts_)}) {
    head->addWidget(one);
  }
  column->addLayout(head);
  addRows(changes, Rows::Kind::changes, tr("Largest downstream changes"));
  sections_.at(changes)->body().addWidget(all_changes_, 0, Qt::AlignLeft);
  all_changes_->setAutoDefault(false);
  add(weight, tr("Weight on the edge"))->body().insertWidget(0, boxes_);
  add(kind, tr("Kind"));
  addRows(heads, Rows::Kind::bars, tr("Attention by head"));
  addRows(parts, Rows::Kind::bars, tr("And by part"));
  addRows(keys, Rows::Kind::bars, tr("What it reads"));
  addRows(terms, Rows::Kind::bars, tr("Score into terms"));
  addRows(next, Rows::Kind::bars, tr("What may follow"));
  add(gate, tr("Gate by layer"))->body().insertWidget(0, gates_);
  addRows(joins, Rows::Kind::bars, tr("Best joins, by layer"));
  add(tries, tr("Try it"))->body().insertWidget(0, try_);
  sections_.at(tries)->head().setBadge(level_text(app::ClaimLevel::causal));
  column->addStretch(1);
  rows_.at(terms)->setChoosable(false);
  connect(rows_.at(next), &Rows::chosen, this, [this](int row) {
    if (row < std::ssize(shown_next_)) {
      Q_EMIT tokenChosen(static_cast<int>(shown_next_[static_cast<std::size_t>(row)]));
    }
  });
  sections_.at(terms)->body().addWidget(terms_offer_, 0, Qt::AlignLeft);
  connect(all_changes_, &QPushButton::clicked, this, [this] {
    list_all_ = !list_all_;
    listChanges();
  });
  connect(rows_.at(changes), &Rows::chosen, this,
          [this](int row) { Q_EMIT changeChosen(shown_changes_.at(static_cast<std::size_t>(row))); });
  connect(rows_.at(heads), &Rows::chosen, this, [this](int row) { Q_EMIT headChosen(row + 1); });
  connect(rows_.at(parts), &Rows::chosen, this,
          [this](int row) { Q_EMIT partChosen(shown_parts_.at(static_cast<std::size_t>(row))); });
  connect(rows_.at(keys), &Rows::chosen, this, [this](int row) {
    if (const std::int64_t token = shown_keys_.at(static_cast<std::size_t>(row)); token >= 0) {
      Q_EMIT keyChosen(static_cast<int>(token));
    }
  });
  connect(rows_.at(joins), &Rows::chosen, this, &InspectorPage::joinChosen);
  connect(gates_, &GateLine::chosen, this, &InspectorPage::layerChosen);
}

Section* InspectorPage::add(Block which, const QString& title) {
  auto* section = new Section(which, title, this);
  auto* note = new RoleLabel(RoleLabel::Role::quiet, section);
  section->body().addWidget(note);
  note->hide();
  notes_.emplace(which, note);
  sections_.emplace(which, section);
  static_cast<QVBoxLayout*>(layout())->addWidget(section);
  section->hide();
  connect(section, &Section::foldedByHand, this, &InspectorPage::folded);
  return section;
}

void InspectorPage::addRows(Block which, Rows::Kind shown, const QString& name) {
  auto* rows = new Rows(shown, name, add(which, name));
  rows->setChoosable(true);
  sections_.at(which)->body().insertWidget(0, rows);
  rows_.emplace(which, rows);
}

void InspectorPage::setModelOffer(const Offer& offer) {
  model_offer_ = offer;
  try_->setModelOffer(offer);
}

void InspectorPage::setFolded(const std::vector<int>& sections) {
  for (const auto& [number, section] : sections_) {
    section->setFolded(std::find(sections.begin(), sections.end(), number) != sections.end());
  }
}

QString InspectorPage::title() const {
  return title_->accessibleName();
}

QString InspectorPage::note(Block which) const {
  const RoleLabel* note = notes_.at(which);
  return note->isHidden() ? QString() : note->text();
}

QStringList InspectorPage::badges() const {
  QStringList texts;
  for (const Badge* badge : badge_row_->findChildren<Badge*>()) {
    texts.push_back(badge->text());
  }
  return texts;
}

void InspectorPage::say(Block which, const QString& text) {
  notes_.at(which)->setText(text);
  notes_.at(which)->setVisible(!text.isEmpty());
}

void InspectorPage::fillHead(const InspectorHead& head) {
  place_->setText(head.place.toHtmlEscaped());
  title_->setText(head.title);
  QString plain = head.title;
  plain.remove(QStringLiteral("<b>")).remove(QStringLiteral("</b>"));
  plain.replace(QStringLiteral("&lt;"), QStringLiteral("<"))
      .replace(QStringLiteral("&gt;"), QStringLiteral(">"))
      .replace(QStringLiteral("&quot;"), QStringLiteral("\""))
      .replace(QStringLiteral("&amp;"), QStringLiteral("&"));
  title_->setAccessibleName(plain);
  qDeleteAll(badge_row_->findChildren<Badge*>());
  for (const Badge::Content& content : head.badges) {
    auto* badge = new Badge(content, badge_row_);
    badge_row_->layout()->addWidget(badge);
    badge->show();
  }
  badge_row_->setVisible(!head.badges.empty());
  badge_row_->updateGeometry();
  sentence_->setText(head.sentence.rich);
  sentence_->setAccessibleName(head.sentence.plain);
  sentence_->setVisible(!head.sentence.rich.isEmpty());
  facts_of_head_ = head.facts;
  fillFacts();
}

// The colour of their names is that of the palette, which may change.
void InspectorPage::fillFacts() {
  QString table = QStringLiteral("<table cellspacing=\"0\" cellpadding=\"2\">");
  const QString colour = roles_of(palette()).secondary.name();
  QStringList said;
  for (const auto& [name, value] : facts_of_head_) {
    table += QStringLiteral(
                 "<tr><td width=\"56\"><font color=\"%1\">%2</font></td>"
                 "<td style=\"padding-left: 8px\">%3</td></tr>")
                 .arg(colour, name.toHtmlEscaped(), value);
    QString text = value;
    said.push_back(name + QStringLiteral(": ") +
                   text.remove(QStringLiteral("<b>")).remove(QStringLiteral("</b>")));
  }
  facts_->setText(table + QStringLiteral("</table>"));
  facts_->setAccessibleName(said.join(QStringLiteral("; ")));
  facts_->setVisible(!facts_of_head_.empty());
}

void InspectorPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    fillFacts();
  }
}

void InspectorPage::showEmpty(const QString& title, const QString& hint) {
  fillHead({.place = {},
            .title = bold(title),
            .badges = {},
            .sentence = {hint.toHtmlEscaped(), hint},
            .facts = {}});
  for (const auto& [number, section] : sections_) {
    section->hide();
  }
}

void InspectorPage::showFacts(const InspectorHead& head, const InspectorQuestion& question,
                              const InspectorFacts& facts) {
  fillHead(head);
  of_ = facts.sentence;
  header_ = question.source->header();
  for (const auto& [number, section] : sections_) {
    // The graph of a word stays until its own answer comes.
    if (number != tries && (number != joins || question.subject != Subject::word)) {
      section->hide();
    }
    if (number != joins) {
      say(static_cast<Block>(number), {});
    }
  }
  fillChanges(question, facts);
  if (question.subject == Subject::join) {
    fillJoin(question, facts);
  } else if (question.token) {
    fillMaps(question, facts);
  }
  if (question.subject == Subject::cell) {
    fillTerms(facts);
  }
  fillNext(question, facts);
  if (question.subject == Subject::word && !facts.gates.empty()) {
    gates_->setGates(facts.gates, question.layer);
    sections_.at(gate)->setTitle(tr("Gate by layer"), level_text(app::ClaimLevel::summary));
    sections_.at(gate)->show();
  }
  sections_.at(tries)->show();
}

void InspectorPage::setHeads(const std::vector<double>& values, std::int64_t chosen, Part part) {
  std::vector<ValueRow> rows;
  double mean = 0;
  for (std::size_t head = 0; head < values.size(); ++head) {
    ValueRow row;
    row.label = tr("head %1").arg(head + 1);
    row.value = values[head];
    row.text = three_digits(values[head]);
    row.strong = static_cast<std::int64_t>(head) + 1 == chosen;
    if (part != Part::none) {
      row.part = part;
    }
    mean += values[head] / static_cast<double>(values.size());
    rows.push_back(std::move(row));
  }
  rows_.at(heads)->setRows(std::move(rows));
  sections_.at(heads)->setTitle(sections_.at(heads)->title(), tr("mean %1").arg(number_text(mean)));
  sections_.at(heads)->setVisible(!values.empty());
}

void InspectorPage::fillJoin(const InspectorQuestion& question, const InspectorFacts& facts) {
  const app::JoinFacts& join = *question.join;
  const QString gate_note = join.gate ? tr("taken in with gate %1").arg(number_text(*join.gate)) : QString();
  boxes_->setValues(join.attention, join.share, join.weight, part_text(join.part));
  sections_.at(weight)->setTitle(tr("Weight on the edge"), gate_note);
  sections_.at(weight)->show();
  const KindText text = kind_text(join, words_of(join, facts.grammar_words));
  sections_.at(kind)->setTitle(tr("Kind %1: %2").arg(join.kind).arg(text.title));
  say(kind, text.explained.toHtmlEscaped());
  sections_.at(kind)->show();
  sections_.at(heads)->setTitle(tr("Attention by head"));
  setHeads(join.heads, question.head, join.part);
}

void InspectorPage::fillMaps(const InspectorQuestion& question, const InspectorFacts& facts) {
  const bool cell = question.subject == Subject::cell;
  if (!facts.no_map.empty()) {
    sections_.at(keys)->setTitle(tr("What it reads"));
    rows_.at(keys)->hide();
    say(keys, QString::fromStdString(facts.no_map).toHtmlEscaped());
    sections_.at(keys)->show();
    return;
  }
  if (cell) {
    sections_.at(heads)->setTitle(tr("The same cell, by head"));
    setHeads(facts.by_head, question.head, Part::none);
    std::vector<ValueRow> rows;
    shown_parts_.clear();
    for (const auto& [part, value] : facts.by_part) {
      ValueRow row;
      row.label = part_text(part);
      row.value = value;
      row.text = three_digits(value);
      row.strong = part == question.part;
      row.part = part;
      rows.push_back(std::move(row));
      shown_parts_.push_back(part);
    }
    sections_.at(parts)->setTitle(tr("And by part"), tr("mean of heads"));
    sections_.at(parts)->setVisible(rows.size() > 1);
    rows_.at(parts)->setRows(std::move(rows));
  }
  std::vector<ValueRow> rows;
  shown_keys_.clear();
  for (const auto& [place, value] : facts.keys) {
    const auto& tokens = facts.shown[static_cast<std::size_t>(place)];
    ValueRow row;
    row.label = QString::fromStdString(facts.shown_texts[static_cast<std::size_t>(place)]);
    row.value = value;
    row.text = three_digits(value);
    row.strong = cell && std::find(tokens.begin(), tokens.end(), *question.key) != tokens.end();
    rows.push_back(std::move(row));
    shown_keys_.push_back(tokens.front());
  }
  if (facts.special > 0) {
    QStringList names;
    for (std::size_t token = 0; token < facts.sentence.tokens.size(); ++token) {
      const QString text = QString::fromStdString(
          analysis::shown_text(facts.sentence.tokens[token], analysis::pieces_of(question.source->header())));
      if (facts.sentence.tokens[token].word < 0 && !names.contains(text)) {
        names.push_back(text);
      }
    }
    ValueRow row;
    row.label = names.join(QStringLiteral(", "));
    row.value = facts.special;
    row.text = three_digits(facts.special);
    row.quiet = true;
    rows.push_back(std::move(row));
    shown_keys_.push_back(-1);
  }
  rows_.at(keys)->show();
  rows_.at(keys)->setRows(std::move(rows));
  const QString from = question.head > 0 ? tr("with head %1").arg(question.head) : tr("mean of heads");
  sections_.at(keys)->setTitle(
      tr("What “%1” reads").arg(facts.textOf(*question.token)),
      cell || question.part == Part::none ? from : part_text(question.part) + QStringLiteral(", ") + from);
  sections_.at(keys)->show();
}

void InspectorPage::fillTerms(const InspectorFacts& facts) {
  std::vector<ValueRow> rows;
  for (const auto& [name, value] : facts.terms) {
    ValueRow row;
    row.label = QString::fromStdString(name);
    row.value = std::abs(value);
    row.text = difference_text(value);
    rows.push_back(std::move(row));
  }
  rows_.at(terms)->setVisible(!rows.empty());
  const bool any = !rows.empty();
  rows_.at(terms)->setRows(std::move(rows));
  sections_.at(terms)->setTitle(tr("Score into terms"),
                                any ? level_text(app::ClaimLevel::frozen) : QString());
  const StackDescription& stack = header_.stack();
  const QString system = QString::fromStdString(stack.label);
  terms_offer_->setOffer({});
  if (!facts.no_terms.empty()) {
    say(terms, QString::fromStdString(facts.no_terms).toHtmlEscaped());
  } else if (any && !facts.scores_of_pieces.isEmpty()) {
    say(terms, tr("Scores do not add up over the pieces of a word: this one is of %1.")
                   .arg(facts.scores_of_pieces.toHtmlEscaped()));
  } else if (!any && stack.recurrent()) {
    say(terms, tr("A recurrent encoder has no attention scores to split."));
  } else if (!any && stack.has_groups()) {
    say(terms, tr("Scores of plain Transformers split into their terms here. This model is a %1: its "
                  "scores are shown whole, each part by itself.")
                   .arg(system.toHtmlEscaped()));
  } else if (!any) {
    say(terms, tr("With its model %1 open the terms are computed for this cell.")
                   .arg(QString::fromStdString(header_.model.name).toHtmlEscaped()));
    terms_offer_->setOffer(model_offer_);
  }
  sections_.at(terms)->show();
}

void InspectorPage::fillChanges(const InspectorQuestion& question, const InspectorFacts& facts) {
  if (!question.compared) {
    return;
  }
  // Two models, or two recordings, differ without anybody having changed anything: that is no effect, and it
  // does not stand above what was clicked.
  const QString& other = question.compared->other;
  if (!other.isEmpty() && question.subject != Subject::sentence) {
    return;
  }
  held_ = other.isEmpty() ? QString() : tr("held");
  shown_ = other.isEmpty() ? QString() : tr("shown");
  rows_.at(changes)->setSides(other.isEmpty() ? tr("before") : held_, other.isEmpty() ? tr("after") : shown_);
  shown_changes_ = facts.changes ? facts.changes->largest : std::vector<analysis::RunChange>();
  count_ = facts.changes ? facts.changes->count : 0;
  list_all_ = false;
  listChanges();
  say(changes, !facts.no_changes.empty() ? QString::fromStdString(facts.no_changes).toHtmlEscaped()
               : count_ == 0             ? tr("Nothing that both runs recorded differs.")
                                         : QString());
  if (other.isEmpty()) {
    sections_.at(changes)->setTitle(tr("Largest downstream changes"), level_text(app::ClaimLevel::causal));
  } else {
    sections_.at(changes)->setTitle(tr("Largest differences from %1").arg(other));
  }
  sections_.at(changes)->show();
}

void InspectorPage::listChanges() {
  std::vector<analysis::RunChange> shown = shown_changes_;
  shown.resize(list_all_ ? shown.size() : std::min(kShownChanges, shown.size()));
  rows_.at(changes)->setRows(change_rows(shown, of_, header_, held_, shown_));
  all_changes_->setVisible(shown_changes_.size() > kShownChanges);
  all_changes_->setText(list_all_ ? tr("Show the largest")
                                  : tr("Show all %1 changes").arg(locale().toString(qlonglong{count_})));
}

void InspectorPage::showGraph(const InspectorQuestion& question, const InspectorFacts& facts,
                              const BestGraph& graph) {
  const Pieces pieces = pieces_of(header_.model.tokenizer);
  std::vector<ValueRow> rows;
  for (const BestGraph::Join& join : graph.joins) {
    ValueRow row;
    row.label = QStringLiteral("%1  %2 %3 %4")
                    .arg(QString::number(join.layer), token_name(facts.sentence, join.query, pieces),
                         QChar(0x2192), token_name(facts.sentence, join.key, pieces));
    row.value = join.weight;
    row.text = number_text(join.weight);
    row.part = join.part;
    row.spoken =
        tr("%1 takes in %2, %3, weight %4")
            .arg(token_name(facts.sentence, join.query, pieces), token_name(facts.sentence, join.key, pieces),
                 place_text(header_.stack(), join.layer, join.part), row.text);
    rows.push_back(std::move(row));
  }
  const QString word = token_name(facts.sentence, *question.token, pieces);
  const InspectorSentence said = word_sentence(word, question.layer, graph.words, facts.grammar_words);
  rows_.at(joins)->setVisible(!rows.empty());
  rows_.at(joins)->setRows(std::move(rows));
  sections_.at(joins)->setTitle(tr("Best joins, by layer"), tr("weight %1").arg(number_text(graph.weight)));
  say(joins, {});
  sections_.at(joins)->show();
  sentence_->setText(said.rich);
  sentence_->setAccessibleName(said.plain);
  sentence_->show();
}

void InspectorPage::showNoGraph(const QString& why) {
  rows_.at(joins)->hide();
  sections_.at(joins)->setTitle(tr("Best joins, by layer"));
  say(joins, why.toHtmlEscaped());
  sections_.at(joins)->setVisible(!why.isEmpty());
}

}  // namespace mog::gui
