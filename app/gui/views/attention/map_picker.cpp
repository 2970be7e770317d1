#include "app/gui/views/attention/map_picker.h"

#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>

#include "app/figures/readout.h"
#include "app/figures/style.h"
#include "app/gui/session/part_text.h"
#include "app/gui/views/common/view.h"
#include "app/gui/widgets/theme.h"

namespace mog::gui {

namespace {

// key: the one that chooses it; 0: none does.
QString part_tip(Part part, int key) {
  if (part == Part::none) {
    return MapPicker::tr("All parts, averaged (key 0)");
  }
  const QString tip = QCoreApplication::translate("Part", part.description().tip.c_str());
  return key > 0 ? MapPicker::tr("%1 (key %2)").arg(tip).arg(key) : tip;
}

}  // namespace

MapPicker::MapPicker(SelectionModel& selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      parts_(new Choice(tr("Part"), this)),
      place_(new LineLabel(this)),
      layer_up_(step_button(Qt::UpArrow, tr("Layer above (Up)"), this)),
      layer_down_(step_button(Qt::DownArrow, tr("Layer below (Down)"), this)),
      head_back_(step_button(Qt::LeftArrow, tr("Head before ([)"), this)),
      head_on_(step_button(Qt::RightArrow, tr("Next head (])"), this)) {
  auto* row = make_tool_row();
  setLayout(row);
  row->addWidget(parts_);
  parts_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  auto* layers = new QHBoxLayout;
  layers->setSpacing(0);
  layers->addWidget(layer_up_);
  layers->addWidget(layer_down_);
  layers->addSpacing(4);
  layers->addWidget(head_back_);
  layers->addWidget(head_on_);
  row->addLayout(layers);
  row->addWidget(place_, 1);
  if (parent != nullptr) {
    parent->installEventFilter(this);
  }
  connect(parts_, &Choice::chosen, this, [this](int part) { selection_.setPart(Part::of_id(part)); });
  connect(layer_up_, &QToolButton::clicked, this, [this] { selection_.stepLayer(1); });
  connect(layer_down_, &QToolButton::clicked, this, [this] { selection_.stepLayer(-1); });
  connect(head_back_, &QToolButton::clicked, this, [this] { selection_.stepHead(-1); });
  connect(head_on_, &QToolButton::clicked, this, [this] { selection_.stepHead(1); });
  connect(&selection_, &SelectionModel::sentenceChanged, this, &MapPicker::update);
  connect(&selection_, &SelectionModel::mapChanged, this, &MapPicker::update);
  update();
}

void MapPicker::rebuildParts() {
  shown_parts_ = selection_.extent().parts;
  parts_->clear();
  if (shown_parts_.empty()) {
    return;
  }
  const figures::Theme theme = figure_theme(palette());
  if (shown_parts_.size() > 1) {
    parts_->add(brief_ ? tr("all") : part_text(Part::none), Part().id(), part_tip(Part::none, 0));
  }
  for (const Part part : shown_parts_) {
    parts_->add(brief_ ? figures::part_letters(part) : part_text(part), part.id(),
                part_tip(part, selection_.extent().key_of(part)), figures::part_colour(part, theme));
  }
}

void MapPicker::update() {
  const SelectionExtent& extent = selection_.extent();
  // Parts of one name may look otherwise in another recording.
  const bool same = std::equal(extent.parts.begin(), extent.parts.end(), shown_parts_.begin(),
                               shown_parts_.end(), [](Part a, Part b) { return a.id() == b.id(); });
  if (!same) {
    brief_ = false;
    rebuildParts();
  }
  setVisible(!extent.parts.empty());
  const bool only = shown_parts_.size() == 1;
  parts_->setCurrent((only ? shown_parts_.front() : selection_.part()).id());
  showSteps();
  const bool carry = !shown_parts_.empty() && has_carry(shown_parts_.front());
  const QString head = carry ? tr("carry weights")
                       : selection_.head() == 0
                           ? tr("mean over heads")
                           : tr("head %1 of %2").arg(selection_.head()).arg(extent.heads);
  const QString brief_head = carry                    ? QString()
                             : selection_.head() == 0 ? QStringLiteral(" · ") + tr("mean")
                                                      : QStringLiteral(" · %1").arg(selection_.head());
  place_->setText(tr("layer %1 of %2, %3").arg(selection_.layer()).arg(extent.layers).arg(head), {},
                  QStringLiteral("%1/%2").arg(selection_.layer()).arg(extent.layers) + brief_head);
}

// What the keys do as well gives way first, then the names of the parts become the letters of the graphs.
bool MapPicker::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) {
    showSteps();  // the names of the parts have their size now
  }
  return QWidget::event(event);
}

bool MapPicker::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) {
    showSteps();
  }
  return QWidget::eventFilter(watched, event);
}

void MapPicker::showSteps() {
  constexpr int kSteps = 120;   // pixels: of the four buttons
  constexpr int kOthers = 470;  // of the layer and head in short, and of the tools beside this
  // Of the whole row: the width of this depends on what it shows.
  const int row = parentWidget() == nullptr ? width() : parentWidget()->width();
  if (!brief_) {
    whole_width_ = parts_->sizeHint().width();
  }
  if (const bool brief = row < whole_width_ + kOthers; brief != brief_ && shown_parts_.size() > 1) {
    brief_ = brief;
    rebuildParts();
    parts_->setCurrent(selection_.part().id());
  }
  const bool room = row >= whole_width_ + kSteps + kOthers;
  layer_up_->setVisible(room);
  layer_down_->setVisible(room);
  head_back_->setVisible(room && selection_.extent().heads > 1);
  head_on_->setVisible(room && selection_.extent().heads > 1);
}

void MapPicker::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    shown_parts_.clear();
    brief_ = false;
    update();
  }
  QWidget::changeEvent(event);
}

}  // namespace mog::gui
