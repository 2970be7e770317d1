#include "app/gui/window/view_set.h"

#include <QApplication>
#include <QDockWidget>
#include <algorithm>

#include "app/gui/views/interventions_view.h"
#include "app/gui/views/sentence_view.h"

namespace mog::gui {

ViewSet::ViewSet(std::span<const ViewKind* const> kinds, const ViewContext& context, QWidget& window,
                 QWidget& middle)
    : kinds_(kinds) {
  for (const ViewKind* const kind : kinds_) {
    QWidget* const widget = kind->create(context, kind->in_the_middle ? &middle : &window);
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

void ViewSet::show(const QString& name) const {
  const auto at = std::find_if(made_.begin(), made_.end(),
                               [&name](const Made& one) { return name == QLatin1String(one.kind->name); });
  if (at == made_.end() || at->kind->in_the_middle) {
    return;
  }
  if (auto* dock = qobject_cast<QDockWidget*>(at->widget->parentWidget())) {
    dock->show();
    dock->raise();
  }
}

std::vector<View*> ViewSet::inUseFirst() const {
  std::vector<View*> views = views_;
  std::stable_partition(views.begin(), views.end(), [this](const View* view) { return view == in_use_; });
  return views;
}

}  // namespace mog::gui
