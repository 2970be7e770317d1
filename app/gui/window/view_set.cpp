#include "app/gui/window/view_set.h"

#include <QApplication>
#include <algorithm>

#include "app/gui/views/compare/interventions_view.h"
#include "app/gui/views/corpus/sentence_view.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {

ViewSet::ViewSet(std::span<const ViewKind* const> kinds, const ViewContext& context, QWidget& window)
    : kinds_(kinds) {
  for (const ViewKind* const kind : kinds_) {
    QWidget* const widget = kind->create(context, &window);
    widget->setObjectName(QString::fromLatin1(kind->name));
    widget->hide();
    made_.push_back({kind, widget});
    if (auto* view = qobject_cast<View*>(widget)) {
      views_.push_back(view);
    }
  }
  for (View* view : views_) {
    connect(view, &View::readout, this, [this, view](const QString& text) {
      if (!text.isEmpty()) {
        in_use_ = view;
      }
      Q_EMIT readout(text);
    });
    connect(view, &View::said, this, &ViewSet::said);
    connect(view, &View::openAsked, this, &ViewSet::openAsked);
    connect(view, &View::typingAsked, this, &ViewSet::typingAsked);
    connect(view, &View::recordAsked, this, &ViewSet::recordAsked);
  }
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { followFocus(now); });
}

void ViewSet::followFocus(const QWidget* now) {
  for (View* view : views_) {
    if (now != nullptr && view != &get<SentenceView>() && view != &get<InterventionsView>() &&
        (view == now || view->isAncestorOf(now))) {
      in_use_ = view;
    }
  }
}

QWidget& ViewSet::widgetOf(const ViewKind& kind) const {
  return *std::find_if(made_.begin(), made_.end(), [&kind](const Made& one) {
            return one.kind == &kind;
          })->widget;
}

QWidget* ViewSet::find(const QString& name) const {
  const auto at = std::find_if(made_.begin(), made_.end(),
                               [&name](const Made& one) { return name == QLatin1String(one.kind->name); });
  return at == made_.end() ? nullptr : at->widget;
}

QString ViewSet::nameOf(const QWidget* widget) const {
  for (; widget != nullptr; widget = widget->parentWidget()) {
    for (const auto& [kind, made] : made_) {
      if (widget == made) {
        return QString::fromLatin1(kind->name);
      }
    }
  }
  return {};
}

void ViewSet::focusPicture() const {
  for (const View* view : inUseFirst()) {
    for (FigureCanvas* picture : view->findChildren<FigureCanvas*>()) {
      if (picture->isVisible()) {
        picture->setFocus(Qt::ShortcutFocusReason);
        return;
      }
    }
  }
}

std::vector<View*> ViewSet::inUseFirst() const {
  std::vector<View*> views = views_;
  std::stable_partition(views.begin(), views.end(), [this](const View* view) { return view == in_use_; });
  return views;
}

}  // namespace mog::gui
