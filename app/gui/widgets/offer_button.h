// A button that does what is offered, and is gone where nothing is.
#pragma once

#include <QPushButton>
#include <utility>

#include "app/gui/widgets/offer.h"

namespace mog::gui {

class OfferButton : public QPushButton {
 public:
  explicit OfferButton(QWidget* parent = nullptr) : QPushButton(parent) {
    setAutoDefault(false);
    hide();
    connect(this, &QPushButton::clicked, this, [this] {
      if (const auto act = act_) {  // may be set anew by what it does
        act();
      }
    });
  }
  void setOffer(Offer offer) {
    setText(offer.text);
    act_ = std::move(offer.act);
    setVisible(!text().isEmpty());
  }

 private:
  std::function<void()> act_;
};

}  // namespace mog::gui
