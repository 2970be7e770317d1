#include "app/gui/window/pages.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <utility>

#include "app/gui/views/common/view_kind.h"

namespace mog::gui {
namespace {

const QString kStored = QStringLiteral("workspace");
const QString kStoredArrangement = QStringLiteral("arrangement");
const QString kArrangement = QStringLiteral("window.arrangement");
constexpr int kKeepMs = 300;  // a splitter that is dragged is one step
constexpr int kPerMille = 1000;

struct WorkspaceSpec {
  QString name;
  Qt::Orientation direction = Qt::Horizontal;
  std::vector<int> shares;  // of its panes, per mille
  bool inspector = false;
};

const std::vector<WorkspaceSpec>& specs() {
  static const std::vector<WorkspaceSpec> all = {
      {QStringLiteral("read"), Qt::Horizontal, {580, 420}, false},
      {QStringLiteral("graphs"), Qt::Vertical, {1000}, true},
      {QStringLiteral("attention"), Qt::Vertical, {600, 400}, true},
      {QStringLiteral("corpus"), Qt::Horizontal, {580, 420}, false},
      {QStringLiteral("compare"), Qt::Vertical, {640, 360}, true},
      {kTranslate, Qt::Vertical, {1000}, true},
      {kParse, Qt::Vertical, {1000}, false}};
  return all;
}

const WorkspaceSpec& spec_of(const QString& name) {
  const auto at = std::find_if(specs().begin(), specs().end(),
                               [&name](const WorkspaceSpec& one) { return one.name == name; });
  return at == specs().end() ? specs().at(1) : *at;
}

// The views of a pane, in its order.
std::vector<Pane::Held> views_of(const ViewSet& views, const QString& workspace, int pane) {
  std::vector<std::pair<int, Pane::Held>> placed;
  for (const auto& [kind, widget] : views.made()) {
    for (const ViewPlace& place : kind->places) {
      if (workspace == QLatin1String(place.workspace) && place.pane == pane) {
        placed.emplace_back(place.place, Pane::Held{QString::fromLatin1(kind->name), kind->title(), widget});
      }
    }
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<Pane::Held> result;
  result.reserve(placed.size());
  for (auto& [place, held] : placed) {
    result.push_back(std::move(held));
  }
  return result;
}

}  // namespace

QStringList Pages::names() {
  QStringList result;
  for (const WorkspaceSpec& one : specs()) {
    result.push_back(one.name);
  }
  return result;
}

QString Pages::title(const QString& name) {
  if (name == QLatin1String("read")) {
    return tr("Read");
  }
  if (name == QLatin1String("attention")) {
    return tr("Attention");
  }
  if (name == QLatin1String("corpus")) {
    return tr("Corpus");
  }
  if (name == kTranslate) {
    return tr("Translate");
  }
  if (name == kParse) {
    return tr("Parse");
  }
  return name == QLatin1String("compare") ? tr("Compare") : tr("Graphs");
}

QString Pages::description(const QString& name) {
  if (name == QLatin1String("read")) {
    return tr("What is open, and its sentences");
  }
  if (name == QLatin1String("attention")) {
    return tr("Maps of all layers and heads, gates, scores taken apart");
  }
  if (name == QLatin1String("corpus")) {
    return tr("Whole recordings: weight by length and by layer, figures, gold syntax");
  }
  if (name == QLatin1String("compare")) {
    return tr("Two sentences, models or runs side by side, and interventions");
  }
  if (name == kTranslate) {
    return tr("A translation, and the source words that its words come from");
  }
  if (name == kParse) {
    return tr("Trees that a parser builds, step by step, and arcs set by hand");
  }
  return tr("What a word is made of: its multi-order graphs and the flow behind them");
}

std::vector<Setting> Pages::settings() {
  return {{.name = setting::kWorkspace,
           .initial = std::string("graphs"),
           .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "workspace"),
           .choices = names(),
           .names = app::NameOf::workspace},
          {.name = kArrangement,
           .initial = std::string(),
           .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "arrangement of the window")}};
}

Pages::Pages(const ViewSet& views, ViewState& state, QSettings& settings, QWidget* parent)
    : QWidget(parent),
      views_(views),
      state_(state),
      settings_(settings),
      stack_(new QStackedWidget(this)),
      side_(new Pane(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(stack_);
  for (const QString& name : names()) {
    pages_.emplace(name, makePage(name));
    stack_->addWidget(pages_.at(name).whole);
  }
  side_->hold(views_of(views_, QStringLiteral("side"), 0));
  connect(side_, &Pane::asked, this, &Pages::asked);
  connect(side_, &Pane::frontChosen, this, [this] { keep(); });
  keep_timer_.setSingleShot(true);
  keep_timer_.setInterval(kKeepMs);
  connect(&keep_timer_, &QTimer::timeout, this, &Pages::keep);
  std::map<std::string, ViewState::Value> kept;
  const QString workspace = settings_.value(kStored).toString();
  if (names().contains(workspace)) {
    kept.emplace(setting::kWorkspace.toStdString(), workspace.toStdString());
  }
  kept.emplace(kArrangement.toStdString(), settings_.value(kStoredArrangement).toString().toStdString());
  state_.restore(kept);
  connect(&state_, &ViewState::changed, this, [this](const QString& name) {
    if (name == setting::kWorkspace) {
      follow();
    } else if (name == kArrangement) {
      arrange();
    }
  });
  arrange();
  follow();
}

Pages::~Pages() {
  for (const auto& [name, window] : windows_) {
    window->removeEventFilter(this);
    delete window;
  }
}

Pages::Page Pages::makePage(const QString& name) {
  const WorkspaceSpec& spec = spec_of(name);
  Page page;
  page.splitter = new QSplitter(spec.direction, this);
  page.splitter->setObjectName(QStringLiteral("workspace.") + name);
  page.splitter->setChildrenCollapsible(false);
  page.whole = page.splitter;
  for (std::size_t i = 0; i < spec.shares.size(); ++i) {
    auto* pane = new Pane(page.splitter);
    page.splitter->addWidget(pane);
    page.splitter->setStretchFactor(static_cast<int>(i), spec.shares[i]);
    connect(pane, &Pane::asked, this, &Pages::asked);
    connect(pane, &Pane::frontChosen, this, [this] { keep(); });
    connect(pane, &Pane::roomWanted, this, [this, name] {
      if (const auto at = pages_.find(name); at != pages_.end()) {
        giveSizes(name, std::vector<int>(at->second.shares));
      }
    });
    page.panes.push_back(pane);
  }
  page.shares = spec.shares;
  connect(page.splitter, &QSplitter::splitterMoved, this, [this, name] {
    takeShares(pages_.at(name));
    keep_timer_.start();
  });
  return page;
}

// The views that the workspace names go where it has them, but those of a window of its own.
void Pages::take(const QString& workspace) {
  Page& page = pages_.at(workspace);
  for (std::size_t i = 0; i < page.panes.size(); ++i) {
    std::vector<Pane::Held> views = views_of(views_, workspace, static_cast<int>(i));
    std::erase_if(views, [&](const Pane::Held& one) {
      return std::any_of(windows_.begin(), windows_.end(), [&](const auto& out) {
        return out.first != workspace && out.second->isAncestorOf(one.widget);
      });
    });
    page.panes[i]->hold(views);
    // A table without a row says nothing; the first pane says what to do.
    if (nothing_open_ && page.panes[i]->holds(QStringLiteral("sentences"))) {
      page.panes[i]->hide();
    }
  }
}

void Pages::follow() {
  current_ = state_.choice(setting::kWorkspace);
  const auto out = windows_.find(current_);
  if (out == windows_.end()) {
    take(current_);
    stack_->setCurrentWidget(pages_.at(current_).whole);
  } else {
    stack_->setCurrentWidget(stand_ins_.at(current_));
    out->second->raise();
    out->second->activateWindow();
  }
  Q_EMIT sideWanted(wantsSide());
  Q_EMIT changed();
}

bool Pages::wantsSide() const {
  return spec_of(current_).inspector && !side_->isEmpty();
}

void Pages::show(const QString& workspace) {
  state_.set(setting::kWorkspace, workspace);
}

void Pages::showView(const QString& name) {
  if (side_->holds(name)) {
    if (!spec_of(current_).inspector) {
      show(QStringLiteral("graphs"));
    }
    side_->setFront(name);
    return;
  }
  const auto kinds = views_.kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&name](const ViewKind* one) { return name == QLatin1String(one->name); });
  if (kind == kinds.end() || (*kind)->places.empty()) {
    return;
  }
  const std::vector<ViewPlace>& places = (*kind)->places;
  auto place = std::find_if(places.begin(), places.end(), [this](const ViewPlace& one) {
    return current_ == QLatin1String(one.workspace);
  });
  place = place == places.end() ? places.begin() : place;
  const QString workspace = QString::fromLatin1(place->workspace);
  show(workspace);
  pages_.at(workspace).panes.at(static_cast<std::size_t>(place->pane))->setFront(name);
  keep();
}

bool Pages::inSight(const QString& name) const {
  const QWidget* view = views_.find(name);
  return view != nullptr && view->isVisible();
}

// ---- arrangement ---------------------------------------------------------------------------------------

// "corpus 580,420 weights sentences; …": shares of the panes, per mille, and the views in front; of the
// inspector "side inspector".
QString Pages::arrangement() const {
  QStringList parts;
  for (const QString& name : names()) {
    const Page& page = pages_.at(name);
    QStringList shares;
    for (const int share : page.shares) {
      shares.push_back(QString::number(share));
    }
    QStringList words = {name, shares.join(QLatin1Char(','))};
    for (const Pane* pane : page.panes) {
      words.push_back(pane->front().isEmpty() ? QStringLiteral("-") : pane->front());
    }
    parts.push_back(words.join(QLatin1Char(' ')));
  }
  return parts.join(QLatin1Char(';'));
}

void Pages::keep() {
  keep_timer_.stop();
  if (!arranging_ && isVisible()) {
    arranging_ = true;  // it stands as it is kept
    state_.set(kArrangement, arrangement().toStdString());
    arranging_ = false;
  }
}

void Pages::arrange() {
  if (arranging_) {
    return;
  }
  arranging_ = true;
  const QString text = state_.choice(kArrangement);
  for (const QString& name : names()) {
    giveSizes(name, spec_of(name).shares);
  }
  for (const QString& part : text.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
    const QStringList words = part.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto page = words.isEmpty() ? pages_.end() : pages_.find(words.front());
    if (page == pages_.end() || words.size() < 2) {
      continue;  // of another version
    }
    std::vector<int> shares;
    for (const QString& share : words[1].split(QLatin1Char(','))) {
      shares.push_back(std::clamp(share.toInt(), 1, kPerMille));
    }
    if (shares.size() == page->second.panes.size()) {
      giveSizes(words.front(), shares);
    }
    for (std::size_t i = 0; i < page->second.panes.size(); ++i) {
      const auto word = static_cast<qsizetype>(i) + 2;
      if (word < words.size() && words[word] != QLatin1String("-")) {
        page->second.panes[i]->setFront(words[word]);
      }
    }
  }
  arranging_ = false;
}

void Pages::giveSizes(const QString& workspace, const std::vector<int>& shares) {
  Page& page = pages_.at(workspace);
  page.shares = shares;
  page.splitter->setSizes(QList<int>(shares.begin(), shares.end()));
}

// As the reader divided it; a workspace that was never seen has no sizes to read. Where a pane is hidden, or
// has little to say, the others' say nothing.
void Pages::takeShares(Page& page) {
  if (std::any_of(page.panes.begin(), page.panes.end(),
                  [](const Pane* pane) { return pane->maximumHeight() < QWIDGETSIZE_MAX; })) {
    return;
  }
  const QList<int> sizes = page.splitter->sizes();
  const int whole = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (whole > 0 && std::none_of(sizes.begin(), sizes.end(), [](int size) { return size <= 0; })) {
    for (std::size_t i = 0; i < page.shares.size(); ++i) {
      page.shares[i] = (sizes[static_cast<qsizetype>(i)] * kPerMille + whole / 2) / whole;
    }
  }
}

void Pages::setNothingOpen(bool nothing) {
  nothing_open_ = nothing;
  if (!isOut(current_)) {
    take(current_);
  }
}

void Pages::reset() {
  const Page& page = pages_.at(current_);
  giveSizes(current_, spec_of(current_).shares);
  for (std::size_t i = 0; i < page.panes.size(); ++i) {
    const std::vector<Pane::Held> views = views_of(views_, current_, static_cast<int>(i));
    if (!views.empty()) {
      page.panes[i]->setFront(views.front().name);
    }
  }
  keep();
}

void Pages::store() {
  settings_.setValue(kStored, current_);
  settings_.setValue(kStoredArrangement, state_.choice(kArrangement));
}

// ---- a window of its own -------------------------------------------------------------------------------

QWidget* Pages::windowOf(const QString& workspace) const {
  const auto at = windows_.find(workspace);
  return at == windows_.end() ? nullptr : at->second;
}

void Pages::moveOut() {
  if (isOut(current_)) {
    return;
  }
  const QString name = current_;
  auto* page = pages_.at(name).whole;
  auto* outside = new QWidget(window(), Qt::Window);
  outside->setWindowTitle(tr("%1 – MoG Workbench").arg(title(name)));
  outside->resize(page->size().expandedTo(QSize(640, 480)));
  auto* column = new QVBoxLayout(outside);
  column->setContentsMargins(0, 0, 0, 0);
  auto* stand_in = new QWidget(stack_);
  auto* lines = new QVBoxLayout(stand_in);
  auto* text = new QLabel(tr("%1 stands in a window of its own.").arg(title(name)), stand_in);
  auto* back = new QPushButton(tr("Bring it back"), stand_in);
  lines->addStretch(1);
  lines->addWidget(text, 0, Qt::AlignHCenter);
  lines->addWidget(back, 0, Qt::AlignHCenter);
  lines->addStretch(1);
  connect(back, &QPushButton::clicked, this, [this, name] { bringBack(name); });
  stack_->addWidget(stand_in);
  column->addWidget(page);
  page->show();
  windows_[name] = outside;
  stand_ins_[name] = stand_in;
  outside->installEventFilter(this);
  Q_EMIT windowOpened(outside);
  stack_->setCurrentWidget(stand_in);
  outside->show();
}

void Pages::bringBack(const QString& workspace) {
  const auto at = windows_.find(workspace);
  if (at == windows_.end()) {
    return;
  }
  QWidget* outside = at->second;
  outside->removeEventFilter(this);
  stack_->addWidget(pages_.at(workspace).whole);
  windows_.erase(at);
  delete stand_ins_.at(workspace);
  stand_ins_.erase(workspace);
  outside->hide();
  outside->deleteLater();
  follow();
}

bool Pages::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Close) {
    for (const auto& [name, window] : windows_) {
      if (window == watched) {
        const QString back = name;
        QTimer::singleShot(0, this, [this, back] { bringBack(back); });
        break;
      }
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace mog::gui
