// Strong wrappers for numbers and names: mixing two kinds up does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace retinue {

template <typename Tag, typename Rep>
class StrongNumber {
 public:
  using rep = Rep;

  constexpr StrongNumber() = default;
  constexpr explicit StrongNumber(Rep value) : value_(value) {}

  constexpr Rep value() const { return value_; }
  constexpr StrongNumber next() const { return StrongNumber(static_cast<Rep>(value_ + 1)); }

  friend constexpr auto operator<=>(StrongNumber, StrongNumber) = default;

 private:
  Rep value_{};
};

template <typename Tag>
class StrongName {
 public:
  StrongName() = default;
  explicit StrongName(std::string value) : value_(std::move(value)) {}
  explicit StrongName(std::string_view value) : value_(value) {}
  explicit StrongName(const char* value) : value_(value) {}

  const std::string& value() const { return value_; }
  bool empty() const { return value_.empty(); }

  friend auto operator<=>(const StrongName&, const StrongName&) = default;

 private:
  std::string value_;
};

}  // namespace retinue

template <typename Tag, typename Rep>
struct std::hash<retinue::StrongNumber<Tag, Rep>> {
  size_t operator()(retinue::StrongNumber<Tag, Rep> number) const noexcept {
    return std::hash<Rep>{}(number.value());
  }
};

template <typename Tag>
struct std::hash<retinue::StrongName<Tag>> {
  size_t operator()(const retinue::StrongName<Tag>& name) const noexcept {
    return std::hash<std::string>{}(name.value());
  }
};
