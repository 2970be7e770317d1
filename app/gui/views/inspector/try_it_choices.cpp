// Which changes can be tried on what is selected, and the fields that some of them ask for.
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "analysis/figure_data/attention_overview.h"
#include "app/gui/session/part_text.h"
#include "app/gui/views/inspector/section.h"
#include "app/gui/views/inspector/try_it.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/number_box.h"
#include "app/gui/widgets/wrapping_layout.h"

namespace mog::gui {
namespace {

constexpr int kOfHead = -1;  // what is scaled, beside the numbers of parts
constexpr int kOfLayer = -2;

bool has_gates(const RecordingHeader& header) {
  return std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
    return schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::gate;
  });
}

}  // namespace

void TryIt::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* choices = new WrappingLayout(8);
  for (int i = 0; i <= static_cast<int>(Choice::gate); ++i) {
    auto* button = new QPushButton(this);
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this, i] { pressed(static_cast<Choice>(i)); });
    choices->addWidget(button);
    buttons_.push_back(button);
  }
  column->addLayout(choices);
  auto* line = new QHBoxLayout(field_);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(8);
  word_->setPlaceholderText(tr("another word, several, or none"));
  word_->setAccessibleName(tr("Words in the place of this one"));
  set_label(*scaled_, tr("What is scaled"));
  value_->setAccessibleName(tr("Value of the change"));
  value_->setSingleStep(0.1);
  value_->setDecimals(2);
  line->addWidget(word_, 1);
  line->addWidget(scaled_, 1);
  line->addWidget(value_);
  line->addWidget(apply_);
  column->addWidget(field_);
  column->addWidget(message_);
  column->addWidget(offer_, 0, Qt::AlignLeft);
  column->addWidget(condition_);
  column->addWidget(rows_);
  column->addWidget(note_);
  auto* after = new WrappingLayout(8);
  after->addWidget(all_);
  after->addWidget(keep_);
  after->addWidget(compare_);
  column->addLayout(after);
  for (QPushButton* one : {apply_, all_, keep_, compare_}) {
    one->setAutoDefault(false);
  }
  rows_->setChoosable(true);
  keep_->setToolTip(tr("Makes it a sentence of its model, below the one that it changes"));
  compare_->setToolTip(tr("Keeps it, and shows it beside the sentence as it was"));
  field_->hide();
  clear();
}

// Which changes there are, what they are called, and why one cannot be made now.
void TryIt::fill() {
  const WorkspaceItem* item = context_.workspace.selectedItem();
  const bool any = item != nullptr && !sentence_.tokens.empty();
  const WorkspaceModel* model = itsModel();
  for (QPushButton* one : buttons_) {
    one->setVisible(any);
  }
  if (!any) {
    return;
  }
  const auto& extent = context_.selection.extent();
  const bool recurrent = std::any_of(extent.parts.begin(), extent.parts.end(), has_carry);
  const QString word = targetWord();
  const bool special = !word.isEmpty() && sentence_.tokens[static_cast<std::size_t>(*target_.token)].word < 0;
  const auto standing = model == nullptr ? std::nullopt : stand_in(model->loaded);
  const QString no_word = tr("Choose a word in a picture (a click, or Left and Right).");
  const QString of_word = tr("This is a special token, not a word.");
  const auto set = [&](Choice choice, const QString& text, const QString& tip, const QString& why_not) {
    QPushButton& one = button(choice);
    one.setText(text);
    one.setToolTip(why_not.isEmpty() ? tip : why_not);
    one.setEnabled(model != nullptr && why_not.isEmpty());
  };
  const QString shown = word.size() > 14 ? word.left(13) + QChar(0x2026) : word;
  set(Choice::mask, word.isEmpty() ? tr("Mask word") : tr("Mask “%1”").arg(shown),
      tr("No word may attend to it any more; its own row stays"), word.isEmpty() ? no_word : QString());
  button(Choice::stand_in).setVisible(standing.has_value());
  if (standing) {
    set(Choice::stand_in, tr("%1 in its place").arg(QString::fromStdString(standing->text)),
        tr("The model reads %1 there; everything else runs as before")
            .arg(QString::fromStdString(standing->text)),
        word.isEmpty() ? no_word
        : special      ? of_word
                       : QString());
  }
  set(Choice::replace, tr("Replace…"), tr("Another word, several, or none in its place"),
      word.isEmpty() ? no_word
      : special      ? of_word
                     : QString());
  button(Choice::head).setVisible(!recurrent && extent.heads > 0);
  set(Choice::head, target_.head > 0 ? tr("Cut head %1").arg(target_.head) : tr("Cut head"),
      tr("Its output counts as 0 in layer %1; the bias of the output map stays").arg(target_.layer),
      target_.head == 0 ? tr("Choose a head ([ and ], or a bar above).") : QString());
  button(Choice::scale).setVisible(!recurrent);
  set(Choice::scale, tr("Scale…"), tr("Head, part or layer times a number"), {});
  button(Choice::gate).setVisible(!recurrent && has_gates(item->source->header()));
  set(Choice::gate, tr("Set gate…"),
      word.isEmpty() ? tr("Of all words in layer %1").arg(target_.layer)
                     : tr("Of “%1” in layer %2").arg(word).arg(target_.layer),
      {});
  if (model == nullptr) {
    const QString name = QString::fromStdString(item->source->header().model.name);
    say(tr("A change runs the model %1 once more.").arg(name.toHtmlEscaped()));
  } else if (!tried_ && !context_.jobs.busyIn(QStringLiteral("try-it"))) {
    say({});
  }
}

void TryIt::openField(Choice choice) {
  const bool again = open_ == choice && field_->isVisible();
  open_ = again ? std::nullopt : std::optional(choice);
  field_->setVisible(!again);
  if (again) {
    return;
  }
  word_->setVisible(choice == Choice::replace);
  scaled_->setVisible(choice == Choice::scale);
  value_->setVisible(choice != Choice::replace);
  value_->setRange(0, choice == Choice::gate ? 1 : 4);
  value_->setValue(0.5);
  value_->setToolTip(choice == Choice::gate ? tr("1: only high and middle order, 0: only low order")
                                            : tr("0 cuts, 1 leaves as it is"));
  if (choice == Choice::scale) {
    const QVariant was = scaled_->currentData();
    const QSignalBlocker quiet(scaled_);
    scaled_->clear();
    if (target_.head > 0) {
      scaled_->addItem(tr("head %1").arg(target_.head), kOfHead);
    }
    const RecordingHeader& header = context_.workspace.selectedItem()->source->header();
    for (const Part part : analysis::parts_of_layer(header, target_.layer)) {
      scaled_->addItem(part_text(part), part.id());
    }
    if (const Part carried = header.stack().carried(); carried != Part::none && has_gates(header)) {
      scaled_->addItem(part_text(carried), carried.id());  // it has no map
    }
    scaled_->addItem(tr("layer %1").arg(target_.layer), kOfLayer);
    scaled_->setCurrentIndex(std::max(0, scaled_->findData(was)));
  }
  if (choice == Choice::replace) {
    word_->clear();
    word_->setFocus();
  } else {
    value_->setFocus();
    value_->selectAll();
  }
}

void TryIt::applyField() {
  if (!open_ || !ready()) {
    return;
  }
  const double value = value_->value();
  std::vector<model::Intervention> more;
  if (*open_ == Choice::replace) {
    replaceWord();
  } else if (*open_ == Choice::gate) {
    for (const std::int64_t token : tokens()) {
      more.emplace_back(
          model::SetGate{.layer = target_.layer, .sentence = 0, .token = token, .value = value});
    }
    if (more.empty()) {
      more.emplace_back(model::SetGate{.layer = target_.layer, .sentence = 0, .token = {}, .value = value});
    }
    runMore(more, tr("if the gate of layer %1 is %2").arg(target_.layer).arg(value));
  } else {
    const int what = scaled_->currentData().toInt();
    if (what == kOfHead) {
      for (const Part part : target_.parts) {
        more.emplace_back(
            model::ScaleHead{.layer = target_.layer, .part = part, .head = target_.head, .factor = value});
      }
    } else if (what == kOfLayer) {
      more.emplace_back(model::ScaleLayer{.layer = target_.layer, .factor = value});
    } else {
      more.emplace_back(model::ScalePart{.layer = target_.layer, .part = Part::of_id(what), .factor = value});
    }
    runMore(more, tr("if %1 counts %2 times").arg(scaled_->currentText()).arg(value));
  }
}

}  // namespace mog::gui
