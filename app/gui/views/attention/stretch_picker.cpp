#include "app/gui/views/attention/stretch_picker.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/gui/views/attention/attention_choices.h"

namespace mog::gui {

StretchPicker::StretchPicker(const ViewContext& context, AttentionChoices& choices, QWidget* parent)
    : QWidget(parent), selection_(context.selection), choices_(choices), all_(new LineLabel(this)) {
  setLayout(make_tool_row());
  queries_ = addSide(tr("Queries"), tr("Tokens whose rows are shown"), false);
  keys_ = addSide(tr("Keys"), tr("Tokens whose columns are shown"), true);
  static_cast<QHBoxLayout*>(layout())->addWidget(all_, 1);
  connect(&context.selection, &SelectionModel::sentenceChanged, this, &StretchPicker::update);
  connect(&choices_, &AttentionChoices::stretchChanged, this, &StretchPicker::update);
  update();
}

StretchPicker::Side StretchPicker::addSide(const QString& name, const QString& tip, bool keys) {
  auto* const row = static_cast<QHBoxLayout*>(layout());
  const auto button = [&](Qt::ArrowType arrow, const QString& text, std::int64_t by) {
    auto* const one = step_button(arrow, text, this);
    one->setAccessibleName(name + QStringLiteral(": ") + text);
    connect(one, &QToolButton::clicked, this, [this, keys, by] { choices_.stepStretch(keys, by); });
    return one;
  };
  row->addWidget(new QLabel(name, this));
  const Side side{button(Qt::LeftArrow, tr("the tokens before"), -1), new QLabel(this),
                  button(Qt::RightArrow, tr("the tokens that follow"), 1)};
  side.shown->setToolTip(tip);
  row->addWidget(side.back);
  row->addWidget(side.shown);
  row->addWidget(side.on);
  row->addSpacing(12);
  return side;
}

void StretchPicker::update() {
  const std::int64_t tokens = selection_.extent().tokens;
  const analysis::Stretch queries = choices_.stretch(false);
  const analysis::Stretch keys = choices_.stretch(true);
  setVisible(!queries.all());
  const auto show = [&](const Side& side, const analysis::Stretch& stretch) {
    side.shown->setText(tr("%L1 to %L2").arg(stretch.first).arg(stretch.last));
    side.back->setEnabled(stretch.first > 1);
    side.on->setEnabled(stretch.last < tokens);
  };
  show(queries_, queries);
  show(keys_, keys);
  const QString of = tr("of %L1 tokens").arg(tokens);
  all_->setText(tr("%1; a selected word brings its own").arg(of), {}, of);
}

}  // namespace mog::gui
