#include "app/gui/window/help.h"

#include <QAction>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <utility>
#include <vector>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/strip/typing_field.h"
#include "app/gui/widgets/guide_page.h"
#include "app/gui/window/about.h"
#include "app/gui/window/menu_keys.h"
#include "app/gui/window/shortcuts.h"
#include "app/gui/window/tour.h"
#include "app/gui/window/tour_steps.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {

QString name_of_maps() {
  return QString::fromLatin1(AttentionView::kind().name);
}

}  // namespace

Help::Help(QMainWindow& window, const ViewContext& context, const ViewSet& views, TypingField& field)
    : window_(window), context_(context), views_(views), field_(field) {
  buildMenu();
}

void Help::buildMenu() {
  QMenu& help = *window_.menuBar()->addMenu(tr("&Help"));
  add_key(help, tr("&Keys"), QKeySequence(Qt::Key_F1), this, [this] { showKeys(); });
  add_key(help, tr("&What does this view show?"), QKeySequence(tr("Shift+F1")), this,
          [this] { whatIsThis(); });
  connect(help.addAction(tr("&Quantities…")), &QAction::triggered, this,
          [this] { showGuide(name_of_maps()).search({}); });
  connect(help.addAction(tr("&Tour")), &QAction::triggered, this, &Help::startTour);
  help.addSeparator();
  connect(help.addAction(tr("&About MoG Workbench")), &QAction::triggered, this, [this] { showAbout(); });
}

void Help::showKeys() {
  auto* page = new ShortcutPage(window_, &window_);
  page->setAttribute(Qt::WA_DeleteOnClose);
  page->show();
}

AboutPage& Help::showAbout() {
  auto* page = new AboutPage(context_.jobs, &window_);
  page->setAttribute(Qt::WA_DeleteOnClose);
  connect(page, &AboutPage::guideAsked, this, [this] { showGuide(name_of_maps()).search({}); });
  connect(page, &AboutPage::keysAsked, this, [this] { showKeys(); });
  page->show();
  return *page;
}

GuidePage& Help::showGuide(const QString& view) {
  GuidePage& guide = raiseGuide();
  const auto kinds = views_.kinds();
  const auto at = std::find_if(kinds.begin(), kinds.end(),
                               [&](const ViewKind* kind) { return view == QLatin1String(kind->name); });
  const bool known = at != kinds.end() && (*at)->guide != nullptr;
  guide.showEntry(QStringLiteral("view.") + view, known ? (*at)->guide(context_) : QStringList());
  return guide;
}

void Help::showEntry(const QString& name) {
  raiseGuide().showEntry(name);
}

GuidePage& Help::raiseGuide() {
  if (guide_ == nullptr) {
    std::vector<const app::GuideEntry*> own;
    for (const ViewKind* const kind : views_.kinds()) {
      if (kind->entry != nullptr) {
        own.push_back(kind->entry);
      }
    }
    guide_ = new GuidePage(&window_, std::move(own));
  }
  guide_->show();
  guide_->raise();
  guide_->activateWindow();
  return *guide_;
}

// Of the view that has the keyboard, else of the one in use.
GuidePage& Help::whatIsThis() {
  QString name = views_.nameOf(window_.focusWidget());
  if (name.isEmpty()) {
    name = views_.nameOf(views_.inUse());
  }
  return showGuide(name.isEmpty() ? name_of_maps() : name);
}

Tour* Help::tour() const {
  return tour_;
}

void Help::startTour() {
  if (tour_ != nullptr) {
    return;
  }
  context_.state.set(setting::kWorkspace, QStringLiteral("graphs"));
  const Workspace& workspace = context_.workspace;
  // Something to look at: a sentence of the bundled kind, where nothing is open but a model.
  if (workspace.items().empty() && workspace.currentModel() != nullptr) {
    field_.run(QStringLiteral("The committee that met yesterday quickly approved the new budget ."));
  }
  tour_ = new Tour(window_, tour_steps(views_, field_, workspace.currentModel()));
  // The keys that the next steps teach are the window's, not letters of a sentence.
  connect(&field_.typing(), &QLineEdit::returnPressed, tour_, [tour = tour_] { tour->setFocus(); });
  connect(tour_, &Tour::ended, this, [this] { views_.focusPicture(); });
}

}  // namespace mog::gui
