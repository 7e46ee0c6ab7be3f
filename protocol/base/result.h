// Result<T>: a value or an Error, for what can go wrong in normal life.
//
//   Result<Schema> schema = parse_schema(node);
//   if (!schema) return schema.error();
//
// or, in a function that itself returns a Result:
//
//   RETINUE_ASSIGN(auto schema, parse_schema(node));
//   RETINUE_TRY(check(schema));
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "protocol/base/check.h"
#include "protocol/base/error.h"

namespace retinue {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : value_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return value_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  T& value() & {
    RETINUE_CHECK(ok(), "value() of a Result that holds an error");
    return std::get<0>(value_);
  }
  const T& value() const& {
    RETINUE_CHECK(ok(), "value() of a Result that holds an error");
    return std::get<0>(value_);
  }
  T&& value() && { return std::move(value()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Precondition: !ok().
  Error& error() & {
    RETINUE_CHECK(!ok(), "error() of a Result that holds a value");
    return std::get<1>(value_);
  }
  const Error& error() const& {
    RETINUE_CHECK(!ok(), "error() of a Result that holds a value");
    return std::get<1>(value_);
  }
  Error&& error() && { return std::move(error()); }

 private:
  std::variant<T, Error> value_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Precondition: !ok().
  Error& error() & {
    RETINUE_CHECK(!ok(), "error() of a Result that holds a value");
    return *error_;
  }
  const Error& error() const& {
    RETINUE_CHECK(!ok(), "error() of a Result that holds a value");
    return *error_;
  }
  Error&& error() && { return std::move(error()); }

 private:
  std::optional<Error> error_;
};

}  // namespace retinue

#define RETINUE_CONCAT_INNER(a, b) a##b
#define RETINUE_CONCAT(a, b) RETINUE_CONCAT_INNER(a, b)

// Returns the error of `expression` from the calling function, if it holds one.
#define RETINUE_TRY(...)                                        \
  do {                                                          \
    if (auto retinue_result = (__VA_ARGS__); !retinue_result) { \
      return std::move(retinue_result).error();                 \
    }                                                           \
  } while (false)

// Declares `declaration` with the value of `expression`, or returns its error.
#define RETINUE_ASSIGN(declaration, ...) \
  RETINUE_ASSIGN_INNER(RETINUE_CONCAT(retinue_result_, __LINE__), declaration, __VA_ARGS__)
#define RETINUE_ASSIGN_INNER(result, declaration, ...) \
  auto result = (__VA_ARGS__);                         \
  if (!result)                                         \
    return std::move(result).error();                  \
  declaration = std::move(result).value()
