// What the monkey does with mouse, keyboard and files.
#include <QApplication>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QTest>
#include <QUrl>
#include <QWheelEvent>

#include "tests/gui/monkey.h"

namespace mog::test {
namespace {

constexpr Qt::Key kKeys[] = {Qt::Key_Left,      Qt::Key_Right,       Qt::Key_Up,
                             Qt::Key_Down,      Qt::Key_BracketLeft, Qt::Key_BracketRight,
                             Qt::Key_0,         Qt::Key_1,           Qt::Key_2,
                             Qt::Key_3,         Qt::Key_4,           Qt::Key_P,
                             Qt::Key_Plus,      Qt::Key_Minus,       Qt::Key_PageDown,
                             Qt::Key_PageUp,    Qt::Key_Escape,      Qt::Key_Slash,
                             Qt::Key_Tab,       Qt::Key_Backtab,     Qt::Key_Space,
                             Qt::Key_A,         Qt::Key_Return,      Qt::Key_Enter,
                             Qt::Key_Backspace, Qt::Key_Delete,      Qt::Key_Asterisk,
                             Qt::Key_W,         Qt::Key_S,           Qt::Key_T,
                             Qt::Key_X,         Qt::Key_D,           Qt::Key_Home,
                             Qt::Key_End,       Qt::Key_F1,          Qt::Key_F10,
                             Qt::Key_Menu};

// With Ctrl, some with Shift as well. Ctrl+Q is among them: the window refuses to be closed.
constexpr Qt::Key kControlKeys[] = {Qt::Key_Z, Qt::Key_O, Qt::Key_E, Qt::Key_K, Qt::Key_S,
                                    Qt::Key_L, Qt::Key_R, Qt::Key_C, Qt::Key_Q, Qt::Key_A};

// What people type: long, right to left, without spaces, beyond the first plane, controls.
const char* const kTexts[] = {"a monkey types this",
                              "w1x0",
                              "שלום עולם",
                              "اللغة العربية جميلة",
                              "我们都喜欢读书",
                              "👩‍👩‍👧 🇩🇪 é",
                              "Donaudampfschifffahrtsgesellschaftskapitänswitwenverein",
                              "\t \u202e tab and override",
                              "0.25",
                              "-1"};

}  // namespace

QString Monkey::nameOf(const QWidget& widget) {
  return QString::fromLatin1(widget.metaObject()->className()) +
         (widget.objectName().isEmpty() ? QString() : QLatin1Char(' ') + widget.objectName());
}

QString Monkey::text() {
  return QString::fromUtf8(kTexts[pick(std::size(kTexts))]);
}

void Monkey::useMouse(QWidget& among) {
  const QPointer<QWidget> place = widgetIn(among);
  const QPoint at = pointIn(*place);
  const Qt::KeyboardModifiers modifiers = oneIn(5)   ? Qt::ControlModifier
                                          : oneIn(8) ? Qt::ShiftModifier
                                                     : Qt::NoModifier;
  const std::size_t what = pick(12);
  note(QStringLiteral("mouse %1 at %2,%3 of %4").arg(what).arg(at.x()).arg(at.y()).arg(nameOf(*place)));
  switch (what) {
    case 0:
    case 1:
    case 2:
      QTest::mouseMove(place, at);
      break;
    case 3:
      drag(*place, at);
      break;
    case 4:
    case 5:
      turnWheel(*place, at);
      break;
    case 6:
      QTest::mouseClick(place, Qt::LeftButton, modifiers, at);
      if (place) {
        QTest::mouseDClick(place, Qt::LeftButton, modifiers, at);
      }
      break;
    case 7: {
      QContextMenuEvent menu(QContextMenuEvent::Mouse, at, place->mapToGlobal(at));
      QApplication::sendEvent(place, &menu);
      break;
    }
    default:
      QTest::mouseClick(place, Qt::LeftButton, modifiers, at);
      break;
  }
}

void Monkey::drag(QWidget& widget, QPoint from) {
  const QPointer<QWidget> place(&widget);
  QTest::mousePress(place, Qt::LeftButton, {}, from);
  for (std::size_t moves = pick(4) + 1; moves > 0 && place; --moves) {
    from += QPoint(static_cast<int>(pick(120)) - 60, static_cast<int>(pick(120)) - 60);
    QMouseEvent move(QEvent::MouseMove, from, place->mapToGlobal(from), Qt::NoButton, Qt::LeftButton,
                     Qt::NoModifier);
    QApplication::sendEvent(place, &move);
  }
  if (place) {
    QTest::mouseRelease(place, Qt::LeftButton, {}, from);
  }
}

void Monkey::turnWheel(QWidget& place, QPoint at) {
  QWheelEvent wheel(at, place.mapToGlobal(at), {}, {0, oneIn(2) ? 120 : -120}, Qt::NoButton,
                    oneIn(2) ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(&place, &wheel);
}

void Monkey::useKeys(QWidget& target) {
  if (qobject_cast<QLineEdit*>(&target) != nullptr && oneIn(3)) {
    note(QStringLiteral("types into ") + nameOf(target));
    QTest::sendKeyEvent(QTest::Click, &target, Qt::Key_unknown, text(), Qt::NoModifier);
    return;
  }
  const bool control = oneIn(6);
  Qt::Key key = control ? kControlKeys[pick(std::size(kControlKeys))] : kKeys[pick(std::size(kKeys))];
  const Qt::KeyboardModifiers modifiers =
      (control ? Qt::ControlModifier : Qt::NoModifier) | (oneIn(5) ? Qt::ShiftModifier : Qt::NoModifier);
  if (key == Qt::Key_Slash && target.window() != &window_) {
    key = Qt::Key_End;  // no path that begins at the root
  }
  note(QStringLiteral("key %1, modifiers %2, to %3")
           .arg(key, 0, 16)
           .arg(static_cast<quint32>(modifiers.toInt()), 0, 16)
           .arg(nameOf(target)));
  QTest::keyClick(&target, key, modifiers);
}

void Monkey::drop() {
  if (options_.files.isEmpty()) {
    return;
  }
  const QString file =
      options_.files[static_cast<qsizetype>(pick(static_cast<std::size_t>(options_.files.size())))];
  note(QStringLiteral("drops ") + file);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  const QPoint at(100, 100);
  QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &enter);
  QDropEvent event(QPointF(at), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window_, &event);
}

}  // namespace mog::test
