// Pictures of the views, compared with stored ones (tests/data/pictures): the bundled font, one pixel a
// point, the fake model, light and dark.
//
// To renew them after a change that was meant, and was looked at:
//   MOG_RENEW_PICTURES=1 QT_QPA_PLATFORM=offscreen build/bin/gui_pictures_test
// A picture that differs is written beside the stored one and their difference into mog-pictures in the
// folder for temporary files.
#include <QDir>
#include <QImage>
#include <QStyleFactory>
#include <QTest>
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "app/figures/export/export.h"
#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/compare/compare_view.h"
#include "app/gui/views/corpus/weight_view.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/theme.h"
#include "app/gui/widgets/thumbnails.h"
#include "tests/gui/gui_fixture.h"
#include "tests/support/places.h"

using mog::test::WindowFixture;
using namespace mog::gui;

namespace {

// Two libraries of fonts may set a glyph a third of a pixel apart, and the stored pictures have few colours:
// a pixel is another one when means over 3 × 3 pixels differ by more than kStep of 255.
constexpr int kStep = 40;
constexpr double kShare = 0.004;  // so many pixels may be other ones
constexpr int kColours = 256;
constexpr QRgb kNear = 0xf0f0f0;  // colours that are the same in these bits

QString stored(const QString& name) {
  return QString::fromStdString(
      (mog::test::data_dir() / "pictures" / (name.toStdString() + ".png")).string());
}

// Sums over 3 × 3 pixels of one channel.
int around(const QImage& image, int x, int y, int (*channel)(QRgb)) {
  int sum = 0;
  for (int v = y - 1; v <= y + 1; ++v) {
    for (int u = x - 1; u <= x + 1; ++u) {
      sum += channel(image.pixel(u, v));
    }
  }
  return sum;
}

// White where the pictures are the same, black where they are not; and the share of such pixels.
std::pair<QImage, double> difference(const QImage& a, const QImage& b) {
  QImage result(a.size(), QImage::Format_Grayscale8);
  result.fill(255);
  int other = 0;
  for (int y = 1; y + 1 < a.height(); ++y) {
    for (int x = 1; x + 1 < a.width(); ++x) {
      int greatest = 0;
      for (int (*channel)(QRgb) : std::initializer_list<int (*)(QRgb)>{qRed, qGreen, qBlue}) {
        greatest = std::max(greatest, std::abs(around(a, x, y, channel) - around(b, x, y, channel)));
      }
      if (greatest > 9 * kStep) {
        ++other;
        result.scanLine(y)[x] = 0;
      }
    }
  }
  return {result, static_cast<double>(other) / (static_cast<double>(a.width()) * a.height())};
}

// Those of most pixels, none of them nearly another.
QList<QRgb> frequent_colours(const QImage& image) {
  std::map<QRgb, int> pixels;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      ++pixels[image.pixel(x, y)];
    }
  }
  std::vector<std::pair<int, QRgb>> most;
  for (const auto& [colour, count] : pixels) {
    most.emplace_back(-count, colour);
  }
  std::sort(most.begin(), most.end());
  QList<QRgb> colours;
  std::set<QRgb> taken;
  for (const auto& [count, colour] : most) {
    if (colours.size() < kColours && taken.insert(colour & kNear).second) {
      colours.push_back(colour);
    }
  }
  return colours;
}

void compare(const QString& name, const QImage& drawn) {
  const QImage now = drawn.convertToFormat(QImage::Format_RGB32);
  if (qEnvironmentVariableIsSet("MOG_RENEW_PICTURES")) {
    const QImage small = now.convertToFormat(QImage::Format_Indexed8, frequent_colours(now),
                                             Qt::ThresholdDither | Qt::AvoidDither);
    QDir().mkpath(QString::fromStdString((mog::test::data_dir() / "pictures").string()));
    QVERIFY2(small.save(stored(name), "PNG", 0), qPrintable(stored(name)));
    return;
  }
  const QImage before = QImage(stored(name)).convertToFormat(QImage::Format_RGB32);
  QVERIFY2(!before.isNull(), qPrintable(stored(name) + QStringLiteral(" is not there")));
  const QDir folder(QDir::tempPath() + QStringLiteral("/mog-pictures"));
  if (before.size() == now.size()) {
    const auto [image, share] = difference(before, now);
    if (share <= kShare) {
      return;
    }
    folder.mkpath(QStringLiteral("."));
    image.save(folder.filePath(name + QStringLiteral("-difference.png")));
  }
  folder.mkpath(QStringLiteral("."));
  now.save(folder.filePath(name + QStringLiteral(".png")));
  QFAIL(qPrintable(name + QStringLiteral(" looks other than the stored picture: see ") + folder.path()));
}

}  // namespace

class PicturesTest : public QObject {
  Q_OBJECT

  static QFont font() {
    QFont result(mog::figures::bundled_font_family());
    result.setPixelSize(12);
    result.setHintingPreference(QFont::PreferNoHinting);  // widths are not those of a machine's settings
    return result;
  }

  // As the view draws it, whatever room the window gives that view.
  static QImage picture(const FigureCanvas& view, QSize size, const mog::figures::Highlight& highlight = {}) {
    FigureCanvas alone;
    alone.setFont(font());
    alone.setFigure(view.figure());
    alone.setHighlight(highlight);
    alone.resize(size);
    return alone.grab().toImage();
  }

 private Q_SLOTS:
  void initTestCase() {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setFont(font());
  }

  void viewsLookAsStored_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }

  void viewsLookAsStored() {
    QFETCH(bool, dark);
    QApplication::setPalette(dark ? dark_palette() : light_palette());
    const QString theme = dark ? QStringLiteral("-dark") : QStringLiteral("-light");
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    fixture.openFake();
    window.workspace().select({1, 1});
    window.selection().setMap(2, mog::Part::high, 1);
    window.selection().setToken(3);
    QVERIFY(fixture.settle());
    mog::figures::Highlight cell;
    cell.row = 3;
    cell.column = 5;
    compare(QStringLiteral("matrix") + theme, picture(window.attention().matrix(), {320, 300}, cell));
    compare(QStringLiteral("arcs") + theme,
            picture(window.attention().arcs(), {320, 160}, window.attention().arcs().highlight()));
    compare(QStringLiteral("gates") + theme, picture(window.gates().picture(), {320, 140}));
    fixture.see("trees");
    compare(QStringLiteral("tree") + theme, picture(window.trees().picture(), {560, 280}));
    window.trees().setShow(TreeView::Show::arcs);
    QVERIFY(fixture.settle());
    compare(QStringLiteral("tree-arcs") + theme, picture(window.trees().picture(), {320, 160}));
    window.showView(QStringLiteral("weights"));
    QVERIFY(fixture.settle());
    compare(QStringLiteral("weights") + theme, picture(window.weights().picture(), {320, 200}));
    // The same words in another recording, and some more there.
    auto other = mog::test::make_recording({.lengths = {3, 9}});
    auto tokens = other->token_counts();
    window.compare().hold();
    window.workspace().addRecording(QStringLiteral("other.rec"), {}, std::move(other), std::move(tokens));
    window.workspace().select({2, 1});
    fixture.see("compare");
    compare(QStringLiteral("compare") + theme, picture(window.compare().picture(), {640, 240}));
    LayerHeadGrid grid;
    grid.setFont(font());
    grid.setGrid(window.attention().grid().grid());
    grid.setCurrent(2, 1);
    grid.setHeadsOfMean({1});
    grid.resize(160, 170);
    compare(QStringLiteral("thumbnails") + theme, grid.grab().toImage());
  }

  // 60 tokens on 19 pixels: whichever neighbour every token attends to, the thumbnail shows it.
  void aSmallThumbnailLeavesNoCellOut() {
    constexpr std::int64_t kTokens = 60;
    const auto attending = [](std::optional<std::int64_t> offset) {
      mog::analysis::HeatMap map;
      map.thumbnail = true;
      map.rows.resize(kTokens);
      map.columns.resize(kTokens);
      map.values.resize(kTokens * kTokens);
      for (std::int64_t token = 0; offset && token + *offset < kTokens; ++token) {
        map.values[static_cast<std::size_t>((token + *offset) * kTokens + token)] = 1;
      }
      map.scale.high = 1;
      mog::analysis::AttentionOverview overview;
      overview.layers = 1;
      overview.maps.emplace_back().push_back({{}, {}, std::move(map)});
      ThumbnailPage page;
      page.size = QSizeF(27, 27);
      page.style = mog::figures::Style::of(mog::figures::Paper::screen, mog::figures::Theme::light);
      QImage picture = paint_thumbnails(overview, page);
      return picture.convertToFormat(QImage::Format_RGB32);
    };
    const QImage nothing = attending({});
    for (std::int64_t offset = 0; offset < 8; ++offset) {
      const QImage shown = attending(offset);
      int lit = 0;
      for (int y = 0; y < shown.height(); ++y) {
        for (int x = 0; x < shown.width(); ++x) {
          lit += shown.pixel(x, y) != nothing.pixel(x, y) ? 1 : 0;
        }
      }
      QVERIFY2(lit >= 12, qPrintable(QStringLiteral("offset %1: %2 pixels").arg(offset).arg(lit)));
    }
  }

  void anotherPictureIsToldApart() {
    QImage a(60, 40, QImage::Format_RGB32);
    a.fill(Qt::white);
    QImage b = a;
    QCOMPARE(difference(a, b).second, 0.0);
    for (int x = 20; x < 30; ++x) {
      for (int y = 10; y < 20; ++y) {
        b.setPixel(x, y, qRgb(0, 0, 0));
      }
    }
    QVERIFY(difference(a, b).second > kShare);
  }
};

int main(int argc, char** argv) {
  qunsetenv("QT_SCALE_FACTOR");  // one pixel a point
  QApplication application(argc, argv);
  PicturesTest test;
  QTEST_SET_MAIN_SOURCE_PATH
  return QTest::qExec(&test, argc, argv);
}
#include "gui_pictures_test.moc"
