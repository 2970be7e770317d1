#include "app/gui/gold_line.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "app/gui/gold_syntax.h"

namespace mog::gui {

GoldLine::GoldLine(Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), label_(new LineLabel(this)), button_(new QToolButton(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 8, 2);
  row->setSpacing(8);
  button_->setText(tr("Whole recording"));
  button_->setToolTip(
      tr("Score every sentence of the recording against the gold syntax, as mog syntax does"));
  button_->setAccessibleName(button_->toolTip());
  button_->setAutoRaise(true);
  row->addWidget(label_, 1);
  row->addWidget(button_);
  connect(button_, &QToolButton::clicked, this, &GoldLine::score);
  connect(&workspace_.gold(), &GoldSyntax::scoresChanged, this, &GoldLine::refresh);
  hide();
}

void GoldLine::tell(const QString& sentence, std::vector<app::SyntaxRow> rows, const QString& why_no_rows) {
  sentence_ = sentence;
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
              (rows_.size() < 2  ? score
               : row.key_is_head ? tr("keys as heads %1").arg(score)
                                 : tr("queries as heads %1").arg(score));
      scored = true;
    }
  }
  label_->setText(text, rows_.empty() ? why_no_rows_ : QString());
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
