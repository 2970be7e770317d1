// Two real sequences travel as the parts of one complex sequence. With Z and W the transforms of a + ic and
// b + id, the spectrum of a·b + c·d is (Z_k conj(W_-k) + conj(Z_-k) W_k) / 2: nothing has to be taken apart.
#include "analysis/mog/orders/polynomials.h"

#if __has_include(<kissfft/kissfft.hh>)
#include <kissfft/kissfft.hh>
#define MOG_HAS_KISSFFT 1
#else
#include "io/recording/errors.h"
#define MOG_HAS_KISSFFT 0
#endif

namespace mog::analysis {

bool PolynomialProducts::available() noexcept {
  return MOG_HAS_KISSFFT != 0;
}

#if !MOG_HAS_KISSFFT
// Only what lets the class be named: callers ask available() first and multiply directly.
template <class Scalar>
class kissfft {
 public:
  kissfft(std::size_t, bool) { throw UsageError("this build has no Fourier transforms (libkissfft-dev)"); }
  void transform(const std::complex<Scalar>*, std::complex<Scalar>*) const {}
};
#endif

using Complex = std::complex<double>;

struct PolynomialProducts::Impl {
  explicit Impl(std::size_t the_size)
      : size(the_size),
        forward(the_size, false),
        inverse(the_size, true),
        packed(the_size),
        left(the_size),
        right(the_size) {}

  void transform(std::span<const double> real, std::span<const double> imaginary, std::vector<Complex>& out) {
    for (std::size_t i = 0; i < size; ++i) {
      packed[i] = {i < real.size() ? real[i] : 0.0, i < imaginary.size() ? imaginary[i] : 0.0};
    }
    forward.transform(packed.data(), out.data());
  }

  std::size_t size;
  kissfft<double> forward;
  kissfft<double> inverse;
  std::vector<Complex> packed;
  std::vector<Complex> left;
  std::vector<Complex> right;
};

PolynomialProducts::PolynomialProducts(std::size_t size) : impl_(std::make_unique<Impl>(size)) {}
PolynomialProducts::~PolynomialProducts() = default;
PolynomialProducts::PolynomialProducts(PolynomialProducts&&) noexcept = default;
PolynomialProducts& PolynomialProducts::operator=(PolynomialProducts&&) noexcept = default;

std::size_t PolynomialProducts::size() const noexcept {
  return impl_->size;
}

void PolynomialProducts::multiply(std::span<const double> a, std::span<const double> b,
                                  std::span<const double> c, std::span<const double> d, Spectrum& spectrum) {
  const std::size_t size = impl_->size;
  impl_->transform(a, c, impl_->left);
  impl_->transform(b, d, impl_->right);
  spectrum.resize(size / 2 + 1);
  for (std::size_t k = 0; k <= size / 2; ++k) {
    const std::size_t mirrored = k == 0 ? 0 : size - k;
    spectrum[k] = 0.5 * (impl_->left[k] * std::conj(impl_->right[mirrored]) +
                         std::conj(impl_->left[mirrored]) * impl_->right[k]);
  }
}

void PolynomialProducts::back(const Spectrum& first, const Spectrum* second) {
  const std::size_t size = impl_->size;
  for (std::size_t k = 0; k <= size / 2; ++k) {
    const Complex s = first[k];
    const Complex t = second == nullptr ? Complex() : (*second)[k];
    impl_->packed[k] = {s.real() - t.imag(), s.imag() + t.real()};  // s + it
    if (k > 0) {
      impl_->packed[size - k] = {s.real() + t.imag(), t.real() - s.imag()};  // conj(s) + i conj(t)
    }
  }
  impl_->inverse.transform(impl_->packed.data(), impl_->left.data());
}

double PolynomialProducts::first(std::size_t i) const noexcept {
  return impl_->left[i].real() / static_cast<double>(impl_->size);
}

double PolynomialProducts::second(std::size_t i) const noexcept {
  return impl_->left[i].imag() / static_cast<double>(impl_->size);
}

}  // namespace mog::analysis
