// Products of real polynomials with many coefficients, by fast Fourier transforms.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace mog::analysis {

// Circular convolutions of `size` points (a power of two): linear ones as long as the factors' lengths
// together are at most size + 1. Absolute errors are some 1e-16 times the factors' norms; small coefficients
// beside large ones have no relative precision. Not for several threads at once.
class PolynomialProducts {
 public:
  using Spectrum = std::vector<std::complex<double>>;  // [size / 2 + 1], of real sequences

  // Whether the program was built with the library of transforms; without it there are no objects.
  static bool available() noexcept;

  explicit PolynomialProducts(std::size_t size);
  ~PolynomialProducts();
  PolynomialProducts(PolynomialProducts&&) noexcept;
  PolynomialProducts& operator=(PolynomialProducts&&) noexcept;

  std::size_t size() const noexcept;
  // The spectrum of a·b + c·d; c and d may be empty. Two transforms.
  void multiply(std::span<const double> a, std::span<const double> b, std::span<const double> c,
                std::span<const double> d, Spectrum& spectrum);
  // The sequences [size] of two spectra (the second may be null); one transform. Element i is read by
  // first(i) and second(i) until the next call.
  void back(const Spectrum& first, const Spectrum* second);
  double first(std::size_t i) const noexcept;
  double second(std::size_t i) const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mog::analysis
