// The graphs of a word: trees and arcs, joins that are selected, the list by leaves.
#include <QAbstractButton>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/views/item_models/k_best_model.h"
#include "app/gui/views/strip/sentence_strip.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/film_strip.h"
#include "app/gui/window/pages.h"
#include "tests/gui/gui_fixture.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// The middle of the first place where the view finds a hit of this kind that `wanted` accepts.
template <class Wanted>
std::optional<QPointF> find_hit(const FigureCanvas& view, Wanted wanted) {
  for (int y = 2; y < view.height(); y += 3) {
    for (int x = 2; x < view.width(); x += 3) {
      const auto hit = view.hitAt(QPointF(x, y));
      if (hit && wanted(*hit)) {
        return QPointF(x, y);
      }
    }
  }
  return std::nullopt;
}

void click(FigureCanvas& view, QPointF at) {
  QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
}

}  // namespace

class GraphsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void graphsAsTreeAndAsArcs() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    TreeView& trees = fixture.window->trees();
    QCOMPARE(QString::fromStdString(trees.picture().figure()->kind()), QStringLiteral("tree"));
    trees.setShow(TreeView::Show::arcs);
    QCOMPARE(QString::fromStdString(trees.picture().figure()->kind()), QStringLiteral("arcs"));
    const auto first = trees.picture().figure();
    trees.filmstrip().button(2)->click();
    QVERIFY(trees.picture().figure() != first);
  }

  // A click on a join selects it, one on empty ground goes back to the word; leaves pin their word as ever.
  void joinsAreSelectedInATree() {
    WindowFixture fixture;
    fixture.openFake();
    MainWindow& window = *fixture.window;
    fixture.see("trees");
    TreeView& trees = window.trees();
    window.workspace().select({1, 1});
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    trees.filmstrip().button(3)->click();
    FigureCanvas& view = trees.picture();
    const auto& tree = std::get<mog::analysis::TreeFigure>(view.figure()->body);
    const auto join = find_hit(
        view, [](const mog::figures::Hit& hit) { return hit.kind == mog::figures::Hit::Kind::node; });
    QVERIFY(join.has_value());
    const std::int64_t node = view.hitAt(*join)->node;
    click(view, *join);
    const auto facts = window.selection().join();
    QVERIFY(facts != nullptr);
    QCOMPARE(facts->node, node);
    QCOMPARE(facts->weight, tree.nodes[static_cast<std::size_t>(node)].weight);
    QVERIFY(std::abs(facts->attention.value() * facts->share.value() - facts->weight) < 1e-12);
    QVERIFY(!facts->heads.empty());
    QCOMPARE(view.highlight().chosen.value(), node);
    QCOMPARE(window.selection().token().value(), 1);  // the word stays
    // A graph that does not have it lets it go; what it has keeps it.
    trees.filmstrip().button(0)->click();
    QVERIFY(window.selection().join() == nullptr);
    trees.filmstrip().button(3)->click();
    click(view, *join);
    QVERIFY(window.selection().join() != nullptr);
    trees.setWords(TreeView::Words::all);
    QVERIFY(window.selection().join() != nullptr);
    trees.setWords(TreeView::Words::its);
    for (int y = 4; y < view.height() && window.selection().join(); y += 4) {
      if (!view.hitAt(QPointF(4, y))) {
        click(view, QPointF(4, y));
      }
    }
    QVERIFY(window.selection().join() == nullptr);
    QVERIFY(!view.highlight().chosen);
    const auto leaf = find_hit(view, [](const mog::figures::Hit& hit) {
      return hit.kind == mog::figures::Hit::Kind::word && hit.word >= 0 && hit.word != 1;
    });
    if (leaf) {
      const std::int64_t word = view.hitAt(*leaf)->word;
      click(view, *leaf);
      QCOMPARE(window.selection().token().value(), word);
    }
    QVERIFY(fixture.settle());
  }

  // Nothing is drawn, or said to be carried, above the layer that owns a graph; in a file neither.
  void aGraphEndsAtTheLayerThatOwnsIt() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    TreeView& trees = fixture.window->trees();
    fixture.window->selection().setToken(1);
    for (const std::int64_t layer : {1, 2, 3}) {
      fixture.window->selection().setLayer(layer);
      QVERIFY(fixture.settle());
      const auto exported = trees.exports().front().figure;
      const auto& tree = std::get<mog::analysis::TreeFigure>(exported->body);
      QCOMPARE(tree.layers, layer);
      QVERIFY(std::all_of(tree.nodes.begin(), tree.nodes.end(),
                          [layer](const auto& node) { return node.layer <= layer; }));
    }
    fixture.window->selection().setToken(std::nullopt);  // the whole sentence: to the last layer
    fixture.window->selection().setLayer(1);
    QVERIFY(fixture.settle());
    QCOMPARE(std::get<mog::analysis::TreeFigure>(trees.picture().figure()->body).layers, 3);
  }

  // Arcs of two words in a long sentence were a knot in an empty view.
  void arcsHaveItsWordsOrAll() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    MainWindow& window = *fixture.window;
    TreeView& trees = window.trees();
    window.workspace().select({1, 2});
    QVERIFY(fixture.settle());
    trees.filmstrip().button(1)->click();
    trees.setShow(TreeView::Show::arcs);
    QVERIFY(fixture.settle());
    const auto words = [&] {
      return std::get<mog::analysis::ArcFigure>(trees.picture().figure()->body).words;
    };
    const auto its = words();
    const auto& graph = trees.list().derivation(1);
    std::set<std::int64_t> used;
    for (const auto& node : graph.nodes) {
      used.insert(node.word);
    }
    QCOMPARE(std::count_if(its.begin(), its.end(), [](const auto& word) { return word.word >= 0; }),
             std::ssize(used));
    QVERIFY(
        std::any_of(its.begin(), its.end(), [](const auto& word) { return word.text.starts_with("⋯ "); }));
    const auto choices = trees.findChildren<QWidget*>();
    QVERIFY(std::any_of(choices.begin(), choices.end(), [](const QWidget* widget) {
      return widget->accessibleName() == QLatin1String("Columns") &&
             widget->isVisibleTo(widget->parentWidget());
    }));
    // A word is the one of the sentence, wherever it stands.
    const auto at = find_hit(trees.picture(), [&](const mog::figures::Hit& hit) {
      return hit.word >= 0 && its[static_cast<std::size_t>(hit.word)].word == *used.rbegin();
    });
    QVERIFY(at.has_value());
    click(trees.picture(), *at);
    const auto token = window.selection().token();
    QVERIFY(token.has_value());
    const auto& tokens = window.workspace().selectedItem()->source->sentence(2).tokens;
    QCOMPARE(tokens.at(static_cast<std::size_t>(*token)).word, *used.rbegin());
    window.selection().setToken(std::nullopt);
    trees.setWords(TreeView::Words::all);
    QVERIFY(fixture.settle());
    QVERIFY(words().size() > used.size());
    QCOMPARE(words().back().word, std::ssize(words()) - 1);
    // What the command draws has all words.
    trees.setWords(TreeView::Words::its);
    QVERIFY(fixture.settle());
    const auto exported = std::get<mog::analysis::ArcFigure>(trees.exports().front().figure->body);
    QVERIFY(exported.words.size() > used.size());
  }

  // The last card stood at the edge of the view, as if more of it were to the right.
  void aChosenCardHasItsMargin() {
    FilmStrip strip;
    strip.setCards(std::vector<FilmCard>(8));
    strip.setVisible(true);
    for (int width = 300; width < 760; width += 3) {
      strip.resize(width, strip.height());
      for (const int card : {7, 0}) {
        strip.setCurrent(card);
        QCoreApplication::processEvents();
        const QAbstractButton& button = *strip.button(card);
        const QRect at(button.mapTo(&strip, QPoint(0, 0)), button.size());
        QVERIFY2(
            at.left() >= 6 && at.right() <= width - 6,
            qPrintable(
                QStringLiteral("%1 in %2: %3 to %4").arg(card).arg(width).arg(at.left()).arg(at.right())));
      }
    }
  }

  // As that of the words of a map.
  void theMenuOfGraphsHasItsArrowInItsText() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    const auto buttons = fixture.window->trees().findChildren<QToolButton*>();
    const auto menu = std::find_if(buttons.begin(), buttons.end(),
                                   [](const QToolButton* button) { return button->menu() != nullptr; });
    QVERIFY(menu != buttons.end());
    QCOMPARE((*menu)->text(), QStringLiteral("Graphs ▾"));
    QVERIFY((*menu)->styleSheet().contains(QStringLiteral("menu-indicator { image: none")));
  }

  // Lines lead from the words of the strip to the columns of the graph, while the sentence has one line and
  // stands in the same window.
  void leadersJoinStripAndColumns() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1440, 900);
    window.show();
    fixture.openFake();
    fixture.see("trees");
    TreeView& trees = window.trees();
    window.selection().setToken(1);
    QVERIFY(fixture.settle());
    trees.filmstrip().button(3)->click();
    QVERIFY(fixture.settle());
    FigureCanvas& view = trees.picture();
    const auto inkAt = [&](std::int64_t token) {
      const auto foot = window.strip().footOf(token);
      const QImage picture = view.grab().toImage();
      const auto x = foot ? static_cast<int>(view.mapFromGlobal(window.strip().mapToGlobal(*foot)).x()) : 1;
      int ink = 0;
      for (int at = std::max(1, x - 2); at <= x + 2; ++at) {
        ink += picture.pixel(at, 1) != picture.pixel(3, view.height() - 3) ? 1 : 0;
      }
      return ink;
    };
    const auto& tree = std::get<mog::analysis::TreeFigure>(view.figure()->body);
    std::set<std::int64_t> words;
    for (const mog::analysis::TreeNode& node : tree.nodes) {
      words.insert(node.word);
    }
    QVERIFY(words.size() >= 2);
    for (const std::int64_t word : words) {
      QVERIFY2(inkAt(word) > 0, qPrintable(QString::number(word)));
    }
    trees.setShow(TreeView::Show::arcs);
    QVERIFY(fixture.settle());
    for (const std::int64_t word : words) {
      QCOMPARE(inkAt(word), 0);
    }
    trees.setShow(TreeView::Show::tree);
    window.pages().moveOut();  // the strip stays behind
    QVERIFY(fixture.settle());
    const QImage alone = view.grab().toImage();
    view.setLeaders({});
    QCOMPARE(view.grab().toImage(), alone);
  }

  void graphsByOrderHaveOneRowForEachNumberOfLeaves() {
    WindowFixture fixture;
    fixture.openFake();
    fixture.see("trees");
    TreeView& trees = fixture.window->trees();
    fixture.window->selection().setToken(1);
    trees.setListed(TreeView::Listed::by_leaves);
    QVERIFY(fixture.settle());
    const KBestModel& list = trees.list();
    QVERIFY(list.rowCount() >= 4);  // three layers: up to eight leaves
    for (int row = 0; row < list.rowCount(); ++row) {
      const auto& entry = list.derivation(row).entry;
      QCOMPARE(list.index(row, KBestModel::kRank).data().toLongLong(), entry.leaves);
      QCOMPARE(entry.leaves, row + 1);
      QCOMPARE(entry.owner, 1);
    }
    trees.setListed(TreeView::Listed::by_weight);
    QVERIFY(fixture.settle());
    QCOMPARE(list.derivation(1).entry.rank, 2);
  }
};

QTEST_MAIN(GraphsTest)
#include "gui_graphs_test.moc"
