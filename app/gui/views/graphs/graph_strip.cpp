#include "app/gui/views/graphs/graph_strip.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace mog::gui {
namespace {

// The columns of the list, one a line.
QString told(const KBestModel& list, int row) {
  QStringList lines;
  for (const int column : {KBestModel::kWeight, KBestModel::kMass, KBestModel::kOrder, KBestModel::kKind}) {
    const QString name = list.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const QString value = column == KBestModel::kKind ? kind_text(list.derivation(row).entry.kind)
                                                      : list.index(row, column).data().toString();
    lines << name + QStringLiteral(": ") + value;
  }
  QString expression = list.index(row, KBestModel::kExpression).data().toString();
  constexpr qsizetype kLongest = 600;  // of a tool tip
  if (expression.size() > kLongest) {
    expression = expression.left(kLongest) + QChar(u'…');
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n') + expression;
}

}  // namespace

std::vector<FilmCard> film_cards(const KBestModel& list, const SentenceGraphs& graphs,
                                 const SentenceGraphs::Answer& answer) {
  std::vector<FilmCard> cards;
  for (int row = 0; row < list.rowCount(); ++row) {
    const analysis::KBestEntry& entry = list.derivation(row).entry;
    FilmCard card;
    const int leaves = static_cast<int>(entry.leaves);
    const QString leaves_text =
        leaves == 1 ? FilmStrip::tr("1 leaf") : FilmStrip::tr("%1 leaves").arg(leaves);
    card.words = entry.order == 1 ? FilmStrip::tr("1 word") : FilmStrip::tr("%1 words").arg(entry.order);
    card.brief_words = FilmStrip::tr("%1 w.").arg(entry.order);
    card.weight = entry.weight;
    card.weight_text = short_weight(entry.weight);
    if (answer.by_leaves) {
      card.number = QString::number(leaves);
      card.what = leaves == 1 ? FilmStrip::tr("leaf") : FilmStrip::tr("leaves");
    } else {
      card.number = QString::number(entry.rank);
      card.what = FilmStrip::tr("of %1").arg(list.rowCount());
    }
    const QString said = FilmStrip::tr("%1, %2, weight %3").arg(leaves_text, card.words, card.weight_text);
    card.name = answer.by_leaves ? said : FilmStrip::tr("Number %1: %2").arg(entry.rank).arg(said);
    card.more = told(list, row);
    card.graph = graphs.thumbnail(answer, static_cast<std::size_t>(row));
    cards.push_back(std::move(card));
  }
  return cards;
}

QString film_title(const SentenceGraphs& graphs, const SentenceGraphs::Answer& answer) {
  const analysis::Goal& goal = answer.goal;
  if (goal.is_top()) {
    return FilmStrip::tr("Best graphs of <b>the whole sentence</b>");
  }
  const QString word = QString::fromStdString(graphs.words()[static_cast<std::size_t>(goal.word)]);
  return FilmStrip::tr("Best graphs of <b>%1</b> at layer %2").arg(word.toHtmlEscaped()).arg(goal.layer);
}

// Behind the title, where there is room.
QString what_is_listed(const SentenceGraphs::Answer& answer) {
  return answer.by_leaves ? FilmStrip::tr("one for each number of leaves; bar: weight, logarithmic")
                          : FilmStrip::tr("of any size; bar: weight, logarithmic");
}

int card_to_show(const KBestModel& list) {
  constexpr double kLeastWeight = 1e-6;
  constexpr std::int64_t kMostLeaves = 8;
  int chosen = -1;
  int joining = 0;  // the first that joins something
  for (int row = list.rowCount() - 1; row >= 0; --row) {
    const analysis::KBestEntry& entry = list.derivation(row).entry;
    joining = entry.leaves > 1 ? row : joining;
    if (list.mode() == KBestModel::Mode::by_leaves && entry.leaves > 1 && entry.leaves <= kMostLeaves &&
        entry.weight >= kLeastWeight && chosen < 0) {
      chosen = row;
    }
  }
  return chosen >= 0 ? chosen : joining;
}

GraphStrip::GraphStrip(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      menu_button_(new QToolButton(this)),
      menu_(new QMenu(menu_button_)),
      lists_(new QActionGroup(menu_)),
      film_(new FilmStrip(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(12, 2, 8, 2);
  line->setSpacing(8);
  title_->setTextFormat(Qt::RichText);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  menu_button_->setText(tr("Graphs") + QStringLiteral(" ▾"));
  menu_button_->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  menu_button_->setToolTip(tr("Which graphs are listed"));
  menu_button_->setAccessibleName(menu_button_->toolTip());
  menu_button_->setAutoRaise(true);
  menu_button_->setFocusPolicy(Qt::TabFocus);
  menu_button_->setPopupMode(QToolButton::InstantPopup);
  menu_button_->setMenu(menu_);
  menu_->addSeparator();
  connect(menu_->addAction(tr("Copy the expression")), &QAction::triggered, this, &GraphStrip::copyWanted);
  line->addWidget(title_, 1);
  line->addWidget(menu_button_);
  column->addLayout(line);
  column->addWidget(film_);
  film_->setAccessibleName(tr("Best multi-order graphs"));
}

void GraphStrip::addList(int value, const QString& text) {
  auto* action = new QAction(text, menu_);
  action->setCheckable(true);
  action->setData(value);
  lists_->addAction(action);
  menu_->insertAction(menu_->actions().at(lists_->actions().size() - 1), action);  // above the separator
  connect(action, &QAction::triggered, this, [this, value] { Q_EMIT listChosen(value); });
}

void GraphStrip::setList(int value) {
  for (QAction* action : lists_->actions()) {
    action->setChecked(action->data().toInt() == value);
  }
}

void GraphStrip::setGraphs(const KBestModel& list, const SentenceGraphs& graphs,
                           const SentenceGraphs::Answer& answer) {
  brief_ = film_title(graphs, answer);
  if (const std::optional<double> sink = graphs.keptSink()) {
    brief_ += FilmStrip::tr(" (the first word takes %1 of the attention of all others)")
                  .arg(QLocale().toString(*sink, 'f', 2));
  }
  whole_ = QStringLiteral("%1, %2").arg(brief_, what_is_listed(answer));
  QStringList lines{whole_};
  if (answer.ended_by_limit) {
    lines << tr("The search reached its limit, ties may be missing.");
  }
  for (const std::string& note : graphs.notes()) {
    lines << QString::fromStdString(note).toHtmlEscaped();
  }
  if (answer.ended_by_limit) {
    whole_ += tr("; ties may be missing");
  }
  fitTitle();
  title_->setToolTip(lines.join(QStringLiteral("<br>")));
  film_->setCards(film_cards(list, graphs, answer));
  film_->setCurrent(card_to_show(list));
}

void GraphStrip::fitTitle() {
  title_->setText(whole_);
  if (title_->sizeHint().width() > title_->width()) {
    title_->setText(brief_);
  }
}

void GraphStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitTitle();
}

}  // namespace mog::gui
