#include "app/gui/window/pane.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/widgets/tool_row.h"

namespace mog::gui {

Pane::Pane(QWidget* parent)
    : QWidget(parent),
      row_(new QWidget(this)),
      names_(new Choice(tr("Views in one place"), row_)),
      title_(new QLabel(row_)),
      help_(new QToolButton(row_)),
      stack_(new QStackedWidget(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout(row_);
  row->setContentsMargins(8, 4, 8, 0);
  row->addWidget(names_);
  row->addWidget(title_, 1);
  row->addStretch(0);
  QFont bold = title_->font();
  bold.setWeight(QFont::DemiBold);
  title_->setFont(bold);
  help_->setText(QStringLiteral("?"));
  help_->setAutoRaise(true);
  help_->setObjectName(QStringLiteral("help"));
  help_->setToolTip(tr("What does this view show? (Shift+F1)"));
  row->addWidget(help_);
  column->addWidget(row_);
  column->addWidget(stack_, 1);
  connect(help_, &QToolButton::clicked, this, [this] { Q_EMIT asked(front()); });
  connect(names_, &Choice::chosen, this, [this](int chosen) {
    setFront(views_.at(static_cast<std::size_t>(chosen)).name);
    Q_EMIT frontChosen(front());
  });
}

int Pane::placeOf(const QString& name) const {
  const auto at =
      std::find_if(views_.begin(), views_.end(), [&name](const Held& one) { return one.name == name; });
  return at == views_.end() ? -1 : static_cast<int>(at - views_.begin());
}

QString Pane::front() const {
  for (const Held& one : views_) {
    if (stack_->currentWidget() == one.widget) {
      return one.name;
    }
  }
  return wanted_;
}

void Pane::hold(const std::vector<Held>& views) {
  const QString before = wanted_.isEmpty() ? front() : wanted_;
  views_ = views;
  names_->clear();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    names_->add(views_[i].title, static_cast<int>(i), {});
    if (views_[i].widget->parentWidget() != stack_) {
      stack_->addWidget(views_[i].widget);
    }
  }
  names_->setVisible(views_.size() > 1);
  title_->setVisible(views_.size() == 1);
  title_->setText(views_.empty() ? QString() : views_.front().title);
  setVisible(!views_.empty());
  if (!views_.empty()) {
    setFront(holds(before) ? before : views_.front().name);
    wanted_ = before;
  }
}

void Pane::setFront(const QString& name) {
  wanted_ = name;
  const int place = placeOf(name);
  // A view may be shown elsewhere at the moment.
  if (place >= 0 && stack_->indexOf(views_[static_cast<std::size_t>(place)].widget) >= 0) {
    stack_->setCurrentWidget(views_[static_cast<std::size_t>(place)].widget);
    names_->setCurrent(place);
    help_->setAccessibleName(tr("What does %1 show?").arg(views_[static_cast<std::size_t>(place)].title));
    fit();
  }
}

bool Pane::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) {
    fit();
  }
  return QWidget::event(event);
}

void Pane::fit() {
  const QWidget* const front = stack_->currentWidget();
  const auto* const splitter = qobject_cast<QSplitter*>(parentWidget());
  const bool whole = front == nullptr || front->maximumHeight() == QWIDGETSIZE_MAX || splitter == nullptr ||
                     splitter->orientation() == Qt::Horizontal;
  const bool gives_way = maximumHeight() < QWIDGETSIZE_MAX;
  setMaximumHeight(whole ? QWIDGETSIZE_MAX : row_->sizeHint().height() + front->maximumHeight());
  if (whole && gives_way) {
    Q_EMIT roomWanted();
  }
}

}  // namespace mog::gui
