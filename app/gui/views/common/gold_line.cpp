#include "app/gui/views/common/gold_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/gui/session/gold_syntax.h"

namespace mog::gui {
namespace {

QString percent(std::int64_t part, std::int64_t whole) {
  return QString::number(qRound(100.0 * static_cast<double>(part) / static_cast<double>(whole)));
}

// UAS counts the root, either way leaves it out: each share says of how many.
QString tree_text(const QString& heads, const analysis::Attachment& found) {
  const QString words = found.words == 0 ? QStringLiteral("–")
                                         : GoldLine::tr("%1 % (%2 of %3 words)")
                                               .arg(percent(found.heads, found.words))
                                               .arg(found.heads)
                                               .arg(found.words);
  const QString edges = found.edges == 0 ? QStringLiteral("–")
                                         : GoldLine::tr("%1 % (%2 of %3 edges)")
                                               .arg(percent(found.pairs, found.edges))
                                               .arg(found.pairs)
                                               .arg(found.edges);
  return GoldLine::tr("%1 UAS %2, either way %3").arg(heads, words, edges);
}

QString words_of(const app::GoldFit& fit) {
  if (fit.of_joins) {
    const QString directed = QString::number(fit.directed);
    const QString either = QString::number(fit.either);
    return fit.joins == 1
               ? GoldLine::tr("1 join: %1 from the gold head, %2 gold either way").arg(directed, either)
               : GoldLine::tr("%1 joins: %2 from the gold head, %3 gold either way")
                     .arg(QString::number(fit.joins), directed, either);
  }
  return GoldLine::tr("best tree of this map: %1; %2")
      .arg(tree_text(GoldLine::tr("queries as heads"), fit.queries),
           tree_text(GoldLine::tr("keys as heads"), fit.keys));
}

}  // namespace

GoldLine::GoldLine(Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), label_(new QLabel(this)), button_(new QToolButton(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 8, 2);
  row->setSpacing(8);
  button_->setText(tr("Whole recording"));
  button_->setToolTip(
      tr("Score every sentence of the recording against the gold syntax, as mog syntax does"));
  button_->setAccessibleName(button_->toolTip());
  button_->setAutoRaise(true);
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(label_, 1);
  row->addWidget(button_);
  connect(button_, &QToolButton::clicked, this, &GoldLine::score);
  connect(&workspace_.gold(), &GoldSyntax::scoresChanged, this, &GoldLine::refresh);
  hide();
}

void GoldLine::tell(const GoldNote& sentence, std::vector<app::SyntaxRow> rows, const QString& why_no_rows) {
  sentence_ = sentence.fit ? words_of(*sentence.fit) : QString::fromStdString(sentence.why);
  rows_ = std::move(rows);
  why_no_rows_ = why_no_rows;
  refresh();
}

QString GoldLine::text() const {
  return label_->text();
}

void GoldLine::refresh() {
  const GoldSyntax& gold = workspace_.gold();
  const WorkspaceItem* const item = workspace_.selectedItem();
  setVisible(gold.isOpen() && item != nullptr && !sentence_.isEmpty());
  if (isHidden()) {
    return;
  }
  QString text = tr("Gold syntax: %1").arg(sentence_);
  bool scored = false;
  for (const app::SyntaxRow& row : rows_) {
    const QString score = gold.scoreText(item->source.get(), row);
    if (!score.isEmpty()) {
      text += (scored ? QStringLiteral("; ") : tr(". Whole recording: ")) +
              (rows_.size() < 2 ? score
                                : (row.key_is_head ? tr("keys as heads") : tr("queries as heads")) +
                                      QLatin1Char(' ') + score);
      scored = true;
    }
  }
  label_->setText(text);
  label_->setToolTip(rows_.empty() ? why_no_rows_ : QString());
  // Sentences that were typed are no corpus.
  button_->setVisible(!scored && !rows_.empty() && item->kind == WorkspaceItem::Kind::recording &&
                      !gold.isScoring());
}

void GoldLine::score() {
  if (const WorkspaceItem* const item = workspace_.selectedItem(); item != nullptr && !rows_.empty()) {
    workspace_.gold().score(*item, rows_.front().source);
  }
}

}  // namespace mog::gui
