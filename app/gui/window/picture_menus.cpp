#include "app/gui/window/picture_menus.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <functional>
#include <utility>

#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/corpus/neighbours_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/inspector/inspector_view.h"
#include "app/gui/views/inspector/try_it.h"
#include "app/gui/views/parse/parse_view.h"
#include "app/gui/views/start/start_view.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/window/exporter.h"
#include "app/gui/window/hold_sentence.h"
#include "app/gui/window/view_set.h"

namespace mog::gui {
namespace {

using figures::Hit;

void offer(QList<QAction*>& actions, QObject* parent, const QString& text, std::function<void()> run) {
  auto* action = new QAction(text, parent);
  QObject::connect(action, &QAction::triggered, parent, std::move(run));
  actions.push_back(action);
}

void separate(QList<QAction*>& actions, QObject* parent) {
  if (!actions.empty()) {
    auto* line = new QAction(parent);
    line->setSeparator(true);
    actions.push_back(line);
  }
}

void copy(const QString& text) {
  QGuiApplication::clipboard()->setText(text);
}

// What a click on it does; empty: nothing that has a name.
QString choosing(const Hit& hit) {
  switch (hit.kind) {
    case Hit::Kind::node:
      return PictureMenus::tr("Select this");
    case Hit::Kind::word:
      return hit.word < 0 ? QString() : PictureMenus::tr("Pin “%1”, or let go").arg(hit.readout);
    case Hit::Kind::cell:
      return PictureMenus::tr("Select this cell");
    case Hit::Kind::row_label:
    case Hit::Kind::column_label:
      return PictureMenus::tr("Pin this word, or let go");
    default:
      return PictureMenus::tr("Choose this");
  }
}

}  // namespace

PictureMenus::PictureMenus(const ViewSet& views, SelectionModel& selection, Exporter& exporter,
                           SentenceStrip& strip, QObject* parent)
    : QObject(parent), views_(views), selection_(selection), exporter_(exporter), strip_(strip) {
  for (const View* const view : views_.inUseFirst()) {
    for (FigureCanvas* const picture : view->findChildren<FigureCanvas*>()) {
      connect(picture, &FigureCanvas::menuAsked, this,
              [this, view, picture](const std::optional<Hit>& hit, const QPoint& at) {
                auto* owner = new QObject(picture);
                show(ofPicture(*view, *picture, hit, owner), owner, at);
              });
    }
  }
  connect(&views_.get<TreeView>().filmstrip(), &FilmStrip::menuAsked, this,
          [this](int card, const QPoint& at) {
            auto* owner = new QObject(this);
            show(ofCard(card, owner), owner, at);
          });
  connect(&strip_.line(), &StripLine::menuAsked, this, [this](int word, const QPoint& at) {
    auto* owner = new QObject(this);
    show(ofWord(word, owner), owner, at);
  });
}

void PictureMenus::show(const QList<QAction*>& actions, QObject* owner, const QPoint& at) const {
  auto* menu = new QMenu(&strip_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(actions);
  connect(menu, &QObject::destroyed, owner, &QObject::deleteLater);
  menu->popup(at);
}

QList<QAction*> PictureMenus::ofPicture(const View& view, FigureCanvas& picture,
                                        const std::optional<Hit>& hit, QObject* parent) {
  QList<QAction*> actions;
  const bool start = &view == &views_.get<StartView>();
  const bool parse = &view == &views_.get<ParseView>();
  if (hit && parse) {
    addArc(actions, picture, *hit, parent);
  }
  if (hit && !start) {
    if (const QString text = choosing(*hit); !text.isEmpty() && !parse) {
      offer(actions, parent, text, [this, &picture, place = *hit] {
        if (place.kind == Hit::Kind::cell) {
          selection_.setToken(std::nullopt);  // a cell that is selected already would be let go
        }
        picture.choose(place);
      });
    }
    const bool tries = !parse && (hit->kind == Hit::Kind::node || hit->kind == Hit::Kind::cell ||
                                  (hit->kind == Hit::Kind::word && hit->word >= 0));
    if (tries) {
      offer(actions, parent, tr("Try it…"), [this, &picture, place = *hit] {
        if (place.kind == Hit::Kind::word || place.kind == Hit::Kind::cell) {
          selection_.setToken(std::nullopt);  // what is selected already would be let go
        }
        picture.choose(place);
        tryIt();
      });
    }
    if (!hit->readout.isEmpty()) {
      offer(actions, parent,
            tr("Copy “%1”")
                .arg(hit->readout.size() > 48 ? hit->readout.left(47) + QChar(0x2026) : hit->readout),
            [text = hit->readout] { copy(text); });
    }
    separate(actions, parent);
  }
  if (&view == &views_.get<TreeView>()) {
    offer(actions, parent, tr("Copy the expression of this graph"),
          [this] { views_.get<TreeView>().copyExpression(); });
  }
  addGeneral(actions, parent);
  return actions;
}

// What can be done with an arc that a parser builds or might.
void PictureMenus::addArc(QList<QAction*>& actions, const FigureCanvas& picture, const Hit& hit,
                          QObject* parent) {
  auto& view = views_.get<ParseView>();
  const auto arc = view.arcAt(picture, hit);
  if (!arc) {
    return;
  }
  const ArcSetting now = setting_of(view.constraints(), *arc);
  for (const auto& [set, text] : {std::pair(ArcSetting::forced, tr("Force this arc")),
                                  std::pair(ArcSetting::forbidden, tr("Forbid this arc")),
                                  std::pair(ArcSetting::none, tr("Let the parser decide"))}) {
    if (set != now) {
      offer(actions, parent, text, [&view, shown = view.shown(), arc = *arc, set = set] {
        if (view.shown() == shown) {  // the menu may be of an older sentence
          view.setArc(arc, set);
        }
      });
    }
  }
}

QList<QAction*> PictureMenus::ofCard(int card, QObject* parent) {
  QList<QAction*> actions;
  TreeView& trees = views_.get<TreeView>();
  const auto choose = [&trees, card] {
    if (card >= 0 && card < trees.filmstrip().count()) {
      trees.filmstrip().step(card - trees.filmstrip().current());
    }
  };
  offer(actions, parent, tr("Show this graph"), choose);
  offer(actions, parent, tr("Copy its expression"), [choose, &trees] {
    choose();
    trees.copyExpression();
  });
  separate(actions, parent);
  addGeneral(actions, parent);
  return actions;
}

QList<QAction*> PictureMenus::ofWord(int word, QObject* parent) {
  QList<QAction*> actions;
  StripLine& line = strip_.line();
  if (word >= 0 && word < static_cast<int>(line.sentence().words.size())) {
    const QString text = line.sentence().words[static_cast<std::size_t>(word)].text;
    const bool pinned = line.pinned() == word;
    offer(actions, parent, pinned ? tr("Let go of “%1”").arg(text) : tr("Pin “%1”").arg(text),
          [this, word, pinned] { pinned ? selection_.setToken(std::nullopt) : strip_.line().choose(word); });
    offer(actions, parent, tr("Try it…"), [this, word] {
      strip_.line().choose(word);
      tryIt();
    });
    offer(actions, parent, tr("Neighbours of “%1”").arg(text), [this, word] {
      strip_.line().choose(word);
      views_.show(NeighboursView::kind());
    });
    offer(actions, parent, tr("Copy “%1”").arg(line.nameOf(word)),
          [this, word] { copy(strip_.line().nameOf(word)); });
    separate(actions, parent);
  }
  offer(actions, parent, tr("Change the sentence…"), [this] { strip_.edit(); });
  offer(actions, parent, tr("Copy the sentence"), [this] { copy(strip_.line().sentence().text); });
  addGeneral(actions, parent);
  return actions;
}

void PictureMenus::addGeneral(QList<QAction*>& actions, QObject* parent) {
  offer(actions, parent,
        selection_.held() ? tr("Let go of the sentence that is held") : tr("Hold this sentence to compare"),
        [this] { hold_sentence(views_); });
  offer(actions, parent, tr("Export picture…"), [this] { exporter_.ask(); });
}

// The inspector says what can be tried with what is selected now; the first of it has the keyboard.
void PictureMenus::tryIt() {
  auto& inspector = views_.get<InspectorView>();
  views_.show(InspectorView::kind());
  QTimer::singleShot(0, &inspector, [&inspector] {
    for (QPushButton* const button : inspector.tryIt().findChildren<QPushButton*>()) {
      if (button->isVisible() && button->isEnabled()) {
        button->setFocus(Qt::ShortcutFocusReason);
        return;
      }
    }
  });
}

}  // namespace mog::gui
