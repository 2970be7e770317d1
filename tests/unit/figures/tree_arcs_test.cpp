// Dependency trees as arcs: a root, labels that do not meet, tags, words that stay where they are from step
// to step; marks of cells that were set by hand.
#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <map>
#include <set>

#include "app/figures/painter.h"

namespace mog::figures {
namespace {

using analysis::Arc;
using analysis::ArcFigure;
using analysis::FigureData;
using Box = analysis::WordLabel::Box;

Arc arc(std::int64_t head, std::int64_t dependent, const char* label) {
  Arc made;
  made.source = head;
  made.target = dependent;
  made.weight = 0.9;
  made.label = label;
  made.tuple = label;
  return made;
}

// "She gave the old man a book ."
FigureData tree() {
  ArcFigure arcs;
  const std::pair<const char*, const char*> words[] = {{"She", "PRON"},  {"gave", "VERB"}, {"the", "DET"},
                                                       {"old", "ADJ"},   {"man", "NOUN"},  {"a", "DET"},
                                                       {"book", "NOUN"}, {".", "PUNCT"}};
  for (const auto& [text, tag] : words) {
    arcs.words.push_back({.text = text, .tag = tag});
  }
  arcs.arcs = {arc(1, 0, "nsubj"), arc(-1, 1, "root"), arc(4, 2, "det"), arc(4, 3, "amod"),
               arc(1, 4, "iobj"),  arc(6, 5, "det"),   arc(1, 6, "obj"), arc(1, 7, "punct")};
  arcs.weight = {"probability of the head", "", ""};
  FigureData figure;
  figure.body = std::move(arcs);
  return figure;
}

ArcFigure& arcs_of(FigureData& figure) {
  return std::get<ArcFigure>(figure.body);
}

Style on_screen() {
  Style style = Style::of(Paper::screen);
  return style;
}

// Where words and arcs are, by a grid of points.
struct Found {
  std::map<std::int64_t, QRectF> words;
  std::map<std::int64_t, QString> arcs;
};
Found found_in(const FigureData& figure, const Style& style, QSizeF size) {
  Found found;
  const LaidOut laid_out(std::make_shared<const FigureData>(figure), style, size);
  for (double y = 0; y < size.height(); y += 2) {
    for (double x = 0; x < size.width(); x += 2) {
      if (const auto hit = laid_out.hit_test({x, y})) {
        if (hit->kind == Hit::Kind::word) {
          found.words[hit->word] = hit->area;
        } else if (hit->kind == Hit::Kind::arc) {
          found.arcs[hit->arc] = hit->readout;
        }
      }
    }
  }
  return found;
}

TEST(TreeArcs, HaveARootAndAllTheirLabels) {
  const FigureData figure = tree();
  const Style style = on_screen();
  const double width = least_width(figure, style);
  EXPECT_GT(width, 200);
  const QSizeF size = preferred_size(figure, style, width);
  EXPECT_TRUE(notes(figure, style, size).isEmpty()) << notes(figure, style, size).join(u' ').toStdString();
  const Found found = found_in(figure, style, size);
  EXPECT_EQ(found.words.size(), 8U);
  EXPECT_EQ(found.arcs.size(), 8U);
  EXPECT_TRUE(found.arcs.at(1).startsWith(QStringLiteral("root → gave: 0.9")))
      << found.arcs.at(1).toStdString();
  // Narrower, the words are turned and say what they have lost.
  EXPECT_FALSE(notes(figure, style, QSizeF(150, 300)).isEmpty());
}

// Arcs that come and go leave the words where they are.
TEST(TreeArcs, WordsStandStillFromStepToStep) {
  const Style style = on_screen();
  const QSizeF size(640, 500);
  FigureData last = tree();
  for (analysis::WordLabel& word : arcs_of(last).words) {
    word.box = Box::framed;
  }
  FigureData first = last;
  arcs_of(first).arcs.resize(1);
  arcs_of(first).words[1].box = Box::filled;
  const Found before = found_in(first, style, size);
  const Found after = found_in(last, style, size);
  ASSERT_EQ(before.words.size(), 8U);
  EXPECT_EQ(before.words, after.words);
}

TEST(TreeArcs, WhatHasChangedHangsBelowUnderItsName) {
  FigureData figure = tree();
  arcs_of(figure).arcs[6].changed = true;
  arcs_of(figure).gold = {{4, 6, "nmod"}};
  arcs_of(figure).gold_name = "round 1";
  const Style style = on_screen();
  const Found found = found_in(figure, style, preferred_size(figure, style, 640));
  ASSERT_EQ(found.arcs.count(8), 1U);
  EXPECT_EQ(found.arcs.at(8), QStringLiteral("round 1: man → book, nmod"));
}

QImage drawn(const FigureData& figure) {
  QImage image(300, 300, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  paint(painter, figure, on_screen(), QSizeF(300, 300));
  return image;
}

TEST(CellMarks, ForcedAndForbiddenCellsDiffer) {
  analysis::HeatMap map;
  for (const char* const word : {"a", "b", "c"}) {
    map.rows.push_back({.text = word});
  }
  map.columns = map.rows;
  map.values.assign(9, 0.5);
  std::set<QString> pictures;
  for (const auto kind : {analysis::CellMark::Kind::found, analysis::CellMark::Kind::forced,
                          analysis::CellMark::Kind::forbidden}) {
    FigureData figure;
    map.marks = {{1, 1, kind}};
    figure.body = map;
    const QImage image = drawn(figure);
    pictures.insert(QString::fromLatin1(
        QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes()).toHex()));
  }
  EXPECT_EQ(pictures.size(), 3U);
  EXPECT_EQ(analysis::name(analysis::CellMark::Kind::forbidden), "forbidden");
}

}  // namespace
}  // namespace mog::figures
