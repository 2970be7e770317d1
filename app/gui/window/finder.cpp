#include "app/gui/window/finder.h"

#include <QMainWindow>
#include <QMenuBar>
#include <QSettings>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/corpus/further_figures_view.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/window/help.h"
#include "app/gui/window/palette.h"
#include "app/gui/window/palette_entries.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {
const QString kRecent = QStringLiteral("palette/recent");
}  // namespace

Finder::Finder(QMainWindow& window, const ViewContext& context, const ViewSet& views, Help& help,
               QSettings& settings)
    : window_(window), palette_(new CommandPalette(&window)), sentences_(nullptr) {
  palette_->addProvider([&window] { return action_entries(*window.menuBar()); });
  palette_->addProvider(
      [&views] { return view_entries(views.kinds(), [&views](const QString& name) { views.show(name); }); });
  palette_->addProvider(
      [&help] { return quantity_entries([&help](const QString& name) { help.showEntry(name); }); });
  palette_->addProvider([&views] {
    return figure_entries([&views](const QString& kind) {
      views.show(FurtherFiguresView::kind());
      views.get<FurtherFiguresView>().setKind(kind);
    });
  });
  palette_->addProvider([context] { return item_entries(context.workspace); });
  sentences_ = new SentenceEntries(context.workspace, context.jobs, *palette_);
  sentences_->setParent(this);
  palette_->setRecent(settings.value(kRecent).toStringList());
  connect(palette_, &CommandPalette::recentChanged, this,
          [&settings](const QStringList& names) { settings.setValue(kRecent, names); });
}

void Finder::open(int top) {
  palette_->openOver(window_, top);
}

}  // namespace mog::gui
