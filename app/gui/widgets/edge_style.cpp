#include "app/gui/widgets/edge_style.h"

#include <QApplication>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>

#include "app/gui/widgets/theme.h"

namespace mog::gui {
namespace {

constexpr int kFocusWidth = 2;
constexpr int kSeparatorWidth = 3;
constexpr int kBesideText = 6;  // of a button, more than Fusion leaves on each side

QColor edge_of(const QStyleOption& option) {
  return (option.state & QStyle::State_HasFocus) != 0 ? option.palette.color(QPalette::Highlight)
                                                      : edge_colour(option.palette);
}

void edge(QPainter& painter, const QStyleOption& option, const QRect& rect, bool round) {
  painter.save();
  painter.setBrush(Qt::NoBrush);
  // Fusion has rounded its corners.
  const bool rounded = !is_high_contrast(option.palette);
  painter.setPen(edge_of(option));
  painter.setRenderHint(QPainter::Antialiasing, round || rounded);
  const QRectF inside = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
  if (round) {
    painter.drawEllipse(inside);
  } else if (rounded) {
    painter.drawRoundedRect(inside, 2, 2);
  } else {
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
  }
  painter.restore();
}

// Around what text or a list stands in: as wide as the focus wants it.
void field_edge(QPainter& painter, const QStyleOption& option) {
  edge(painter, option, option.rect, false);
  if (is_high_contrast(option.palette) && (option.state & QStyle::State_HasFocus) != 0) {
    edge(painter, option, option.rect.adjusted(1, 1, -1, -1), false);
  }
}

void chosen(QPainter& painter, const QStyleOption& option) {
  painter.fillRect(option.rect, option.palette.color(QPalette::Highlight));
}

void separator(QPainter& painter, const QStyleOption& option) {
  const QRect& rect = option.rect;
  const int beyond = std::max(0, (std::min(rect.width(), rect.height()) - kSeparatorWidth) / 2);
  const bool upright = rect.height() > rect.width();
  painter.fillRect(upright ? rect.adjusted(beyond, 0, -beyond, 0) : rect.adjusted(0, beyond, 0, -beyond),
                   option.palette.color(QPalette::Mid));
}

template <typename Option>
Option on_highlight(const Option& option) {
  Option result = option;
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    result.palette.setColor(role, option.palette.color(QPalette::HighlightedText));
  }
  return result;
}

bool is_chosen_tool(const QStyleOption& option, const QWidget* widget) {
  return (option.state & QStyle::State_On) != 0 && qobject_cast<const QToolButton*>(widget) != nullptr;
}

}  // namespace

QString EdgeStyle::name() {
  return QStringLiteral("edges");
}

EdgeStyle::EdgeStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("fusion"))) {
  setObjectName(name());
}

void EdgeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
  const bool contrasted = is_high_contrast(option->palette);
  if (contrasted && element == PE_PanelButtonTool && is_chosen_tool(*option, widget)) {
    chosen(*painter, *option);
    return;
  }
  // The mark of the focus would have the colour of its ground.
  if (contrasted && element == PE_FrameFocusRect &&
      (is_chosen_tool(*option, widget) || qobject_cast<const QTabBar*>(widget) != nullptr)) {
    painter->save();
    painter->setPen(option->palette.color(QPalette::HighlightedText));
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    painter->restore();
    return;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  switch (element) {
    case PE_IndicatorCheckBox:
      edge(*painter, *option, option->rect, false);
      return;
    case PE_IndicatorRadioButton:
      edge(*painter, *option, option->rect, true);
      return;
    case PE_FrameLineEdit:
      field_edge(*painter, *option);
      return;
    case PE_PanelButtonCommand:
    case PE_PanelMenu:
    case PE_FrameMenu:
    case PE_PanelTipLabel:
      if (contrasted) {
        edge(*painter, *option, option->rect, false);
      }
      return;
    case PE_Frame:
      if (contrasted) {
        field_edge(*painter, *option);
      }
      return;
    case PE_IndicatorDockWidgetResizeHandle:
      if (contrasted) {
        separator(*painter, *option);
      }
      return;
    default:
      return;
  }
}

void EdgeStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const {
  const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
  const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
  const bool contrasted = is_high_contrast(option->palette);
  if (contrasted && element == CE_TabBarTabShape) {
    if ((option->state & State_Selected) != 0) {
      chosen(*painter, *option);
    }
    QStyleOption plain = *option;
    plain.state &= ~State_HasFocus;
    edge(*painter, plain, option->rect, false);
  } else if (contrasted && element == CE_TabBarTabLabel && tab != nullptr &&
             (option->state & State_Selected) != 0) {
    const QStyleOptionTab changed = on_highlight(*tab);
    QProxyStyle::drawControl(element, &changed, painter, widget);
  } else if (contrasted && element == CE_ToolButtonLabel && tool != nullptr &&
             is_chosen_tool(*option, widget)) {
    const QStyleOptionToolButton changed = on_highlight(*tool);
    QProxyStyle::drawControl(element, &changed, painter, widget);
  } else {
    QProxyStyle::drawControl(element, option, painter, widget);
  }
}

void EdgeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const {
  QProxyStyle::drawComplexControl(control, option, painter, widget);
  if (control == CC_SpinBox || control == CC_ComboBox) {
    edge(*painter, *option, option->rect, false);
  } else if (!is_high_contrast(option->palette)) {
    return;
  } else if (control == CC_Slider) {
    edge(*painter, *option, subControlRect(CC_Slider, option, SC_SliderGroove, widget), false);
    edge(*painter, *option, subControlRect(CC_Slider, option, SC_SliderHandle, widget), false);
  } else if (control == CC_ScrollBar) {
    edge(*painter, *option, subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget), false);
  }
}

QSize EdgeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                  const QWidget* widget) const {
  const QSize usual = QProxyStyle::sizeFromContents(type, option, contents, widget);
  return type == CT_PushButton ? usual + QSize(2 * kBesideText, 0) : usual;
}

int EdgeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  const int usual = QProxyStyle::pixelMetric(metric, option, widget);
  // Room for the focus around lists.
  return metric == PM_DefaultFrameWidth && is_high_contrast(QApplication::palette())
             ? std::max(usual, kFocusWidth)
             : usual;
}

}  // namespace mog::gui
