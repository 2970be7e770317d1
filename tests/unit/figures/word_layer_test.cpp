// The word × layer picture: where stems, joins, edges and labels of random graphs stand, and some by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "app/figures/export/export.h"
#include "app/figures/painter.h"
#include "app/figures/trees/stem_layout.h"
#include "app/figures/trees/tree_highlight.h"
#include "app/figures/trees/tree_key.h"
#include "app/figures/trees/tree_thumbnail.h"
#include "tests/unit/figures/examples.h"

namespace mog::figures {
namespace {
using analysis::TreeFigure;
using analysis::TreeNode;

std::int64_t leaf(TreeFigure& tree, std::int64_t word) {
  tree.nodes.push_back({.x = static_cast<double>(word), .word = word, .tuple = {}});
  return static_cast<std::int64_t>(tree.nodes.size()) - 1;
}

std::int64_t join(TreeFigure& tree, std::int64_t left, std::int64_t right, std::int64_t layer, Part part,
                  double weight = 0.25) {
  const auto at = [&](std::int64_t node) { return tree.nodes[static_cast<std::size_t>(node)]; };
  tree.nodes.push_back({.layer = layer,
                        .word = at(left).word,
                        .part = part,
                        .weight = weight,
                        .kind = 1,
                        .order = at(left).order + at(right).order,
                        .tuple = {},
                        .left = left,
                        .right = right});
  return static_cast<std::int64_t>(tree.nodes.size()) - 1;
}

TreeFigure with_words(const std::vector<std::string>& words, std::int64_t layers) {
  TreeFigure tree;
  tree.layers = layers;
  for (const std::string& word : words) {
    tree.words.push_back({word, false, static_cast<std::int64_t>(tree.words.size())});
  }
  return tree;
}

// Leaves are words drawn with repeats; open subgraphs are joined until one is left or the layers are used up.
TreeFigure random_tree(std::mt19937& random) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t words = number(3, 150);
  const std::int64_t layers = number(1, 12);
  const std::int64_t most = std::min<std::int64_t>(64, std::int64_t{1} << std::min<std::int64_t>(layers, 6));
  const std::int64_t leaves = number(2, most);
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < words; ++i) {
    texts.emplace_back(static_cast<std::size_t>(number(1, 11)), static_cast<char>('a' + i % 26));
  }
  TreeFigure tree = with_words(texts, layers);
  constexpr std::array kParts{Part::high, Part::middle1, Part::middle2, Part::full};
  // Each subgraph has as many leaves as fit below its layer.
  const auto make = [&](const auto& self, std::int64_t count, std::int64_t layer) -> std::int64_t {
    if (count == 1) {
      return leaf(tree, number(0, words - 1));
    }
    std::int64_t own = layer;
    while (own > 1 && (std::int64_t{1} << std::min<std::int64_t>(own - 1, 7)) >= count && number(0, 2) > 0) {
      --own;
    }
    const std::int64_t below = std::int64_t{1} << std::min<std::int64_t>(own - 1, 7);
    const std::int64_t left = number(std::max<std::int64_t>(1, count - below), std::min(below, count - 1));
    const std::int64_t query = self(self, left, own - 1);
    const std::int64_t key = self(self, count - left, own - 1);
    return join(tree, query, key, own, kParts[static_cast<std::size_t>(number(0, 3))],
                0.001 * static_cast<double>(number(1, 900)));
  };
  tree.roots = {make(make, leaves, layers)};
  tree.carried_weight = 0.01 * static_cast<double>(number(1, 100));
  tree.all_words = number(0, 3) == 0;
  return tree;
}

// Convex outlines of which a line keeps one from the other do not meet.
bool meet(const QPolygonF& a, const QPolygonF& b) {
  for (const QPolygonF* const one : {&a, &b}) {
    for (qsizetype i = 0; i < one->size(); ++i) {
      const QPointF side = (*one)[(i + 1) % one->size()] - (*one)[i];
      const QPointF normal(-side.y(), side.x());
      const auto range = [&](const QPolygonF& shape) {
        double low = 1e30;
        double high = -1e30;
        for (const QPointF& point : shape) {
          low = std::min(low, QPointF::dotProduct(normal, point));
          high = std::max(high, QPointF::dotProduct(normal, point));
        }
        return std::pair(low, high);
      };
      const auto [low, high] = range(a);
      const auto [other_low, other_high] = range(b);
      const double rounding = 1e-6 * std::hypot(normal.x(), normal.y());
      if (high <= other_low + rounding || other_high <= low + rounding) {
        return false;
      }
    }
  }
  return true;
}

struct Piece {
  QPointF from;
  QPointF to;
  std::set<std::size_t> ends;  // joins at which it may be
};

std::vector<Piece> pieces_of(const StemLayout& layout) {
  std::vector<Piece> result;
  for (std::size_t i = 0; i < layout.stretches.size(); ++i) {
    const Stem& stem = layout.stems.stems[layout.owner[i]];
    result.push_back(
        {layout.stretches[i].from, layout.stretches[i].to, {stem.joins.begin(), stem.joins.end()}});
  }
  for (std::size_t i = 0; i < layout.keys.size(); ++i) {
    for (qsizetype k = 0; k + 1 < layout.keys[i].line.size(); ++k) {
      result.push_back({layout.keys[i].line[k], layout.keys[i].line[k + 1], {i}});
    }
  }
  return result;
}

double distance(QPointF point, const Piece& piece) {
  const QPointF along = piece.to - piece.from;
  const double length = QPointF::dotProduct(along, along);
  const double t =
      length > 0 ? std::clamp(QPointF::dotProduct(point - piece.from, along) / length, 0.0, 1.0) : 0;
  const QPointF away = point - piece.from - along * t;
  return std::hypot(away.x(), away.y());
}

void check(const TreeFigure& tree, const StemLayout& layout, std::size_t leaves) {
  ASSERT_EQ(layout.lane_x.size(), leaves);
  ASSERT_EQ(layout.keys.size(), leaves - 1);
  for (std::size_t lane = 1; lane < leaves; ++lane) {
    EXPECT_GT(layout.lane_x[lane], layout.lane_x[lane - 1]);
    EXPECT_LE(layout.stems.stems[layout.stems.lanes[lane - 1]].word,
              layout.stems.stems[layout.stems.lanes[lane]].word);
  }
  for (std::size_t i = 0; i < layout.joins.size(); ++i) {
    const StemJoin& join = layout.stems.joins[i];
    const TreeNode& node = tree.nodes[static_cast<std::size_t>(join.node)];
    const Stem& stem = layout.stems.stems[join.stem];
    EXPECT_EQ(stem.word, node.word);
    EXPECT_DOUBLE_EQ(layout.joins[i].x(), layout.lane_x[stem.lane]);
    EXPECT_DOUBLE_EQ(layout.joins[i].y(), layout.row_y[static_cast<std::size_t>(node.layer)]);
    EXPECT_DOUBLE_EQ(layout.keys[i].line.back().x(), layout.x(layout.stems.stems[join.key]));
  }
  const std::vector<Piece> pieces = pieces_of(layout);
  for (const Piece& piece : pieces) {
    EXPECT_TRUE(piece.from.x() == piece.to.x() || piece.from.y() == piece.to.y());
    for (std::size_t i = 0; i < layout.joins.size(); ++i) {
      EXPECT_TRUE(piece.ends.count(i) > 0 || distance(layout.joins[i], piece) > layout.radius) << i;
    }
  }
  for (std::size_t a = 0; a < layout.labels.size(); ++a) {
    const StemLabel& label = layout.labels[a];
    for (std::size_t b = a + 1; b < layout.labels.size(); ++b) {
      EXPECT_FALSE(meet(label.outline, layout.labels[b].outline))
          << label.text.toStdString() << " and " << layout.labels[b].text.toStdString();
    }
    for (const Piece& piece : pieces) {
      EXPECT_FALSE(meet(label.outline, QPolygonF{piece.from, piece.to})) << label.text.toStdString();
    }
    for (const QPointF& corner : label.outline) {
      EXPECT_GE(corner.x(), layout.area.left() - 6);
      EXPECT_LE(corner.x(), layout.area.right() + 6);
    }
  }
}

TEST(WordLayer, RandomGraphsKeepTheirEdgesAndLabelsApart) {
  std::mt19937 random(34);
  for (int round = 0; round < 500 && !::testing::Test::HasFailure(); ++round) {
    const TreeFigure tree = random_tree(random);
    std::size_t leaves = 0;
    for (const TreeNode& node : tree.nodes) {
      leaves += node.left < 0 ? 1 : 0;
    }
    for (const Paper paper : {Paper::column, Paper::page, Paper::screen}) {
      const Style style = Style::of(paper);
      const double width = paper == Paper::screen ? 900 : width_pt(paper);
      const double wanted = StemLayout::wanted_height(tree, style, width - 8);
      for (const double height : {wanted, StemLayout::wanted_height(tree, style, width - 8, 0.5)}) {
        SCOPED_TRACE(::testing::Message()
                     << "round " << round << ", width " << width << ", height " << height);
        StemLayout layout(tree, style, QRectF(4, 4, width - 8, height));
        place_labels(layout, tree, style);
        check(tree, layout, leaves);
      }
    }
  }
}

// The best graph of "telescope" with six leaves, in "… through her telescope until the morning sun rose .".
TreeFigure six_leaves() {
  TreeFigure tree =
      with_words({"The", "old", "astronomer", "who", "discovered", "the", "comet", "watched", "it", "through",
                  "her", "telescope", "until", "the", "morning", "sun", "rose", "."},
                 6);
  const std::int64_t telescope = join(tree, leaf(tree, 11), leaf(tree, 10), 1, Part::high, 0.10);
  const std::int64_t sun = join(tree, leaf(tree, 15), leaf(tree, 14), 1, Part::high, 0.46);
  const std::int64_t rose = join(tree, leaf(tree, 16), leaf(tree, 15), 1, Part::high, 0.38);
  const std::int64_t morning = join(tree, sun, rose, 2, Part::high, 0.20);
  const std::int64_t all = join(tree, telescope, morning, 3, Part::middle2, 0.016);
  tree.nodes.back().kind = 4;
  tree.roots = {all};
  tree.carried_weight = 0.18;
  return tree;
}

QStringList texts(const StemLayout& layout, StemLabel::Kind kind) {
  QStringList result;
  for (const StemLabel& label : layout.labels) {
    if (label.kind == kind) {
      result << label.text;
    }
  }
  return result;
}

TEST(WordLayer, SixLeavesInAColumn) {
  const TreeFigure tree = six_leaves();
  const Style style = Style::of(Paper::acl);
  const double width = width_pt(Paper::acl) - 8;
  StemLayout layout(tree, style, QRectF(0, 0, width, StemLayout::wanted_height(tree, style, width)));
  place_labels(layout, tree, style);
  EXPECT_FALSE(layout.turned);
  EXPECT_EQ(texts(layout, StemLabel::Kind::word).join(u' ').toStdString(),
            "her telescope morning sun sun rose");
  EXPECT_EQ(texts(layout, StemLabel::Kind::gap).join(u' ').toStdString(), "⋯ 10 ⋯ 2 ⋯ 1");
  EXPECT_EQ(texts(layout, StemLabel::Kind::carried).join(u' ').toStdString(), "carried to layer 6, × 0.18");
  QStringList weights = texts(layout, StemLabel::Kind::weight);
  weights.sort();
  EXPECT_EQ(weights.join(u' ').toStdString(), "0.016 0.10 0.20 0.38 0.46");
  EXPECT_EQ(texts(layout, StemLabel::Kind::owner).size(), 2);
  EXPECT_EQ(texts(layout, StemLabel::Kind::detail).join(u' ').toStdString(), "kind 4");
  EXPECT_EQ(layout.row_y.size(), 4U);  // nothing above the layer that owns the graph
  EXPECT_LT(layout.band_top, layout.row_y.back());
  // The second "sun" stands right of the first: "rose" takes it in.
  const Stem& again = layout.stems.stems[layout.stems.lanes[4]];
  EXPECT_EQ(again.word, 15);
  EXPECT_EQ(again.number, 2);
  // From layer 1 to 3 "telescope" is carried over layer 2.
  EXPECT_EQ(std::count_if(layout.stretches.begin(), layout.stretches.end(),
                          [](const Stretch& stretch) { return stretch.carried; }),
            2);
  check(tree, layout, 6);
}

StemLayout on_screen(const TreeFigure& tree, const Style& style, double width, double height) {
  StemLayout layout(tree, style, QRectF(0, 0, width, height));
  place_labels(layout, tree, style);
  return layout;
}

TEST(WordLayer, SixLeavesOnAScreen) {
  const TreeFigure tree = six_leaves();
  Style style = Style::of(Paper::screen);
  style.body_pt = 13;
  const StemLayout layout = on_screen(tree, style, 1280, 560);
  EXPECT_EQ(texts(layout, StemLabel::Kind::goal).join(u' ').toStdString(), "telescope at layer 6");
  EXPECT_EQ(texts(layout, StemLabel::Kind::carried).join(u' ').toStdString(),
            "carried unchanged through layers 4–6 × 0.18");
  EXPECT_EQ(texts(layout, StemLabel::Kind::number).join(u' ').toStdString(), "11 12 15 16 17");
  EXPECT_EQ(layout.row_text(3).toStdString(), "Layer 3");
  EXPECT_EQ(layout.band_text().toStdString(), "Layers 4–6");
  EXPECT_DOUBLE_EQ(layout.radius, 14);
  EXPECT_EQ(texts(layout, StemLabel::Kind::weight).size(), 5);
  EXPECT_EQ(texts(layout, StemLabel::Kind::owner).size(), 5);
  check(tree, layout, 6);
  // Narrower lanes have smaller discs, and names of rows are brief.
  const StemLayout narrow = on_screen(tree, style, 620, 420);
  EXPECT_DOUBLE_EQ(narrow.radius, 11);
  EXPECT_EQ(narrow.row_text(3).toStdString(), "L3");
  check(tree, narrow, 6);
  // What nothing is known of is not said: a pill names a state only where the rules carry the root to it.
  TreeFigure bare = tree;
  bare.carried_weight = analysis::kAbsent;
  const StemLayout unknown = on_screen(bare, style, 1280, 560);
  EXPECT_TRUE(texts(unknown, StemLabel::Kind::goal).isEmpty());
  EXPECT_EQ(texts(unknown, StemLabel::Kind::carried).join(u' ').toStdString(),
            "carried unchanged through layers 4–6");
}

// Every word has a column in its place; a screen that is too narrow for them is told how wide they want it.
TEST(WordLayer, AllWordsHaveColumns) {
  TreeFigure tree = six_leaves();
  tree.all_words = true;
  Style style = Style::of(Paper::screen);
  style.body_pt = 13;
  const double least = StemLayout::least_width(tree, style);
  EXPECT_GT(least, 900);
  const StemLayout layout = on_screen(tree, style, least, 560);
  EXPECT_FALSE(layout.turned);
  double last = -1;
  for (std::int64_t word = 0; word < std::ssize(tree.words); ++word) {
    const auto x = layout.column(word);
    ASSERT_TRUE(x.has_value()) << word;
    EXPECT_GT(*x, last);
    last = *x;
  }
  EXPECT_EQ(texts(layout, StemLabel::Kind::gap).size(), 13);
  EXPECT_EQ(texts(layout, StemLabel::Kind::number).size(), 18);
  check(tree, layout, 6);
  EXPECT_DOUBLE_EQ(StemLayout::least_width(tree, Style::of(Paper::column)), 0);
}

// Beyond 24 lanes words are turned and small discs have their letters where the pointer is.
TEST(WordLayer, ManyLeavesOnAScreen) {
  std::vector<std::string> words(64, "word");
  TreeFigure tree = with_words(words, 6);
  std::vector<std::int64_t> open;
  for (std::int64_t word = 0; word < 64; ++word) {
    open.push_back(leaf(tree, word));
  }
  for (std::int64_t layer = 1; open.size() > 1; ++layer) {
    std::vector<std::int64_t> joined;
    for (std::size_t i = 0; i + 1 < open.size(); i += 2) {
      joined.push_back(join(tree, open[i], open[i + 1], layer, Part::high));
    }
    open = joined;
  }
  tree.roots = open;
  tree.carried_weight = 1;
  Style style = Style::of(Paper::screen);
  style.body_pt = 13;
  EXPECT_GT(StemLayout::least_width(tree, style), 64 * 56);
  const StemLayout layout = on_screen(tree, style, StemLayout::least_width(tree, style), 560);
  EXPECT_TRUE(layout.turned);
  EXPECT_DOUBLE_EQ(layout.radius, 8);
  EXPECT_TRUE(texts(layout, StemLabel::Kind::weight).isEmpty());
  EXPECT_EQ(texts(layout, StemLabel::Kind::word).size(), 64);
  check(tree, layout, 64);
}

// What a join had and what it takes in are its whole subgraph.
TEST(WordLayer, OperandsOfAJoin) {
  const TreeFigure tree = six_leaves();
  const Stems stems = stems_of(tree);
  const auto last = std::find_if(stems.joins.begin(), stems.joins.end(),
                                 [](const StemJoin& one) { return one.layer == 3; });
  ASSERT_NE(last, stems.joins.end());
  const auto at = static_cast<std::size_t>(last - stems.joins.begin());
  const Subgraph left = left_of(stems, at);
  const Subgraph right = right_of(stems, at);
  const Subgraph all = subgraph_of(stems, at);
  EXPECT_EQ(left.stems.size(), 2U);
  EXPECT_EQ(left.joins.size(), 1U);
  EXPECT_EQ(left.top, 1);
  EXPECT_EQ(right.stems.size(), 4U);
  EXPECT_EQ(right.joins.size(), 3U);
  EXPECT_EQ(right.top, 2);
  EXPECT_EQ(all.stems.size(), 6U);
  EXPECT_EQ(all.joins.size(), 5U);
}

// On a screen the rest fades under a lit join, and a selected one keeps its ring.
TEST(WordLayer, LitAndSelectedJoins) {
  analysis::FigureData figure;
  figure.body = six_leaves();
  Style style = Style::of(Paper::screen);
  style.body_pt = 13;
  const QSizeF size(1280, 600);
  const auto picture = [&](const Highlight& highlight) {
    QImage image(size.toSize(), QImage::Format_RGB32);
    QPainter painter(&image);
    paint(painter, figure, style, size, highlight);
    return image;
  };
  const auto count = [](const QImage& image, const QColor& colour) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor there = image.pixelColor(x, y);
        const int away = std::abs(there.red() - colour.red()) + std::abs(there.green() - colour.green()) +
                         std::abs(there.blue() - colour.blue());
        found += away < 12 ? 1 : 0;
      }
    }
    return found;
  };
  const QColor middle = part_colour(Part::middle2, style.theme);
  const QColor high = part_colour(Part::high, style.theme);
  const QImage plain = picture({});
  Highlight lit;
  lit.node = 5;  // "sun" with "morning", by the high part
  const QImage faded = picture(lit);
  EXPECT_GT(count(plain, middle), 200);
  EXPECT_LT(count(faded, middle) + 300, count(plain, middle));  // that of the key stays
  EXPECT_GT(count(faded, high), 200);
  EXPECT_LT(count(faded, high), count(plain, high));
  Highlight selected;
  selected.chosen = std::ssize(std::get<TreeFigure>(figure.body).nodes) - 1;
  const QColor accent = colours_of(style).accent;
  EXPECT_GT(count(picture(selected), accent), count(plain, accent));
  EXPECT_GT(count(picture(selected), middle), 100);
}

TEST(WordLayer, ThumbnailsShowStemsAndJoins) {
  QImage image(118, 60, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  const Style style = Style::of(Paper::screen);
  paint_tree_thumbnail(painter, six_leaves(), style, QRectF(0, 0, 118, 60));
  painter.end();
  std::set<QRgb> seen;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      seen.insert(image.pixel(x, y));
    }
  }
  EXPECT_TRUE(seen.count(part_colour(Part::high, style.theme).rgb()) == 1);
  EXPECT_TRUE(seen.count(part_colour(Part::middle2, style.theme).rgb()) == 1);
}

// An edge that would run through a disc of its row goes below it.
TEST(WordLayer, EdgesGoBelowDiscsOfTheirRow) {
  TreeFigure tree = with_words({"a", "b", "c", "d"}, 3);
  const std::int64_t outer = join(tree, leaf(tree, 0), leaf(tree, 3), 1, Part::high);
  const std::int64_t inner = join(tree, leaf(tree, 1), leaf(tree, 2), 1, Part::middle1);
  tree.roots = {join(tree, outer, inner, 3, Part::high)};
  const StemLayout layout(tree, Style::of(Paper::column), QRectF(0, 0, 230, 160));
  EXPECT_EQ(layout.stems.joins[0].track, 1U);
  EXPECT_EQ(layout.stems.joins[1].track, 0U);
  EXPECT_GT(layout.keys[0].line[1].y(), layout.joins[0].y() + layout.radius);
  EXPECT_FALSE(layout.stems.carried);
  check(tree, layout, 4);
}

// A subgraph that each layer takes twice would be 2^60 leaves.
// Recurrent layers take in what the same layer made of another word.
// At the width that a graph asks for words are level, whatever the size of type.
TEST(WordLayer, WordsAreLevelAtTheLeastWidth) {
  TreeFigure tree = with_words({"the", "morning", "until", "telescope", "sun", "rose"}, 1);
  for (std::int64_t word = 0; word < 3; ++word) {
    tree.roots.push_back(join(tree, leaf(tree, 2 * word), leaf(tree, 2 * word + 1), 1, Part::high));
  }
  Style style = Style::of(Paper::screen);
  for (const double size : {11.0, 11.7, 12.0, 12.4, 13.0, 14.5, 19.0}) {
    style.body_pt = size;
    const double width = StemLayout::least_width(tree, style);
    EXPECT_FALSE(StemLayout(tree, style, QRectF(0, 0, width, 400)).turned) << size;
  }
}

TEST(WordLayer, AnEdgeOfItsOwnRowEndsAtTheDisc) {
  TreeFigure tree = with_words({"a", "b", "c", "d", "e"}, 1);
  const std::int64_t ba = join(tree, leaf(tree, 1), leaf(tree, 0), 1, Part::full);
  const std::int64_t cb = join(tree, leaf(tree, 2), ba, 1, Part::full);
  const std::int64_t ec = join(tree, leaf(tree, 4), cb, 1, Part::full);
  tree.roots = {ec};
  const Style style = Style::of(Paper::screen);
  const StemLayout layout(tree, style, QRectF(0, 0, 900, 400));
  ASSERT_EQ(layout.joins.size(), 3U);
  for (std::size_t i = 0; i < layout.keys.size(); ++i) {
    const StemJoin& from = layout.stems.joins[i];
    const Stem& key = layout.stems.stems[from.key];
    const KeyEdge& edge = layout.keys[i];
    EXPECT_EQ(edge.in_row, !key.joins.empty());
    if (edge.in_row) {  // from side to side, over nothing else
      EXPECT_EQ(from.track, 0U);
      const QPointF disc = layout.joins[key.joins.back()];
      EXPECT_DOUBLE_EQ(edge.line.back().y(), disc.y());
      EXPECT_NEAR(std::abs(edge.line.back().x() - disc.x()), layout.radius, 3);
      EXPECT_LT(edge.line.back().x(), edge.line.front().x());
      EXPECT_GT(edge.line.back().x(), disc.x());
    }
  }
}

// What a join is made of is said below its name: without it, it would seem to be of the join beside it.
TEST(WordLayer, SecondLinesGoBeforeNames) {
  Style style = Style::of(Paper::screen);
  style.body_pt = 13;
  std::size_t said = 0;
  for (const std::int64_t words : {0, 6, 9, 14, 20}) {
    const TreeFigure tree =
        words == 0 ? six_leaves() : std::get<TreeFigure>(test::example_tree(words, 6).body);
    for (double width = 400; width < 1300; width += 20) {
      const StemLayout layout = on_screen(tree, style, width, 560);
      for (const StemLabel& detail : layout.labels) {
        if (detail.kind != StemLabel::Kind::detail) {
          continue;
        }
        ++said;
        EXPECT_TRUE(std::any_of(layout.labels.begin(), layout.labels.end(),
                                [&](const StemLabel& label) {
                                  return label.kind == StemLabel::Kind::owner && label.of == detail.of;
                                }))
            << detail.text.toStdString() << " of " << words << " in " << width;
      }
    }
  }
  EXPECT_GT(said, 0U);
}

TEST(WordLayer, SharedSubgraphsAreCut) {
  TreeFigure tree = with_words({"a", "b"}, 60);
  std::int64_t last = join(tree, leaf(tree, 0), leaf(tree, 1), 1, Part::high);
  for (std::int64_t layer = 2; layer <= 60; ++layer) {
    last = join(tree, last, last, layer, Part::high);
  }
  tree.roots = {last};
  const Stems stems = stems_of(tree);
  EXPECT_GE(stems.stems.size(), kMostStems);
  EXPECT_LT(stems.stems.size(), kMostStems + 200);
  EXPECT_GT(stems.cut, 0);
  analysis::FigureData figure;
  figure.body = tree;
  const Style style = Style::of(Paper::column);
  const QString said = notes(figure, style, preferred_size(figure, style)).join(u' ');
  EXPECT_TRUE(said.contains(QStringLiteral("occur again"))) << said.toStdString();
}

TEST(WordLayer, ForestsStandSideBySide) {
  TreeFigure tree = with_words({"a", "b", "c", "d", "e"}, 4);
  const std::int64_t low = join(tree, leaf(tree, 1), leaf(tree, 0), 1, Part::high);
  const std::int64_t high =
      join(tree, leaf(tree, 3), join(tree, leaf(tree, 4), leaf(tree, 3), 1, Part::high), 2, Part::high);
  tree.roots = {low, high};
  const StemLayout layout(tree, Style::of(Paper::page), QRectF(0, 0, 480, 160));
  EXPECT_EQ(layout.lane_x.size(), 5U);
  EXPECT_EQ(layout.stems.rows, 2);
  EXPECT_EQ(std::count(layout.makes.begin(), layout.makes.end(), -1), 2);  // both are carried on
}

// Nothing above model/ knows a system: letters come from descriptions.
TEST(WordLayer, PartsHaveLetters) {
  EXPECT_EQ(part_letters(Part::high).toStdString(), "H");
  EXPECT_EQ(part_letters(Part::middle1).toStdString(), "M1");
  EXPECT_EQ(part_letters(Part::middle2).toStdString(), "M2");
  EXPECT_EQ(part_letters(Part::full).toStdString(), "F");
  EXPECT_EQ(part_letters(Part::forward_recurrent).toStdString(), "FR");
  EXPECT_EQ(part_letters(Part::none).toStdString(), "");
}

TEST(WordLayer, HugeGraphsAreDrawn) {
  std::mt19937 random(7);
  TreeFigure tree = with_words(std::vector<std::string>(40, "word"), 1999);
  std::int64_t last = leaf(tree, 0);
  for (std::int64_t layer = 1; layer <= 1999; ++layer) {
    last = join(tree, last, leaf(tree, static_cast<std::int64_t>(random() % 40)), layer, Part::none);
  }
  tree.roots = {last};
  analysis::FigureData figure;
  figure.body = tree;
  ExportOptions options;
  options.size = QSizeF(500, 700);
  EXPECT_GT(render_figure(figure, FileFormat::svg, options).size(), 1000);
}

}  // namespace
}  // namespace mog::figures
