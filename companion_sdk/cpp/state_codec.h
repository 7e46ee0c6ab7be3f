// How a state of type T becomes bytes and back, and when it is empty.
//
// A state declared `yson` takes any T with a YsonCodec; one declared `raw` takes std::string, or a
// T with two functions beside it:
//
//   void encode_state(std::string& out, const T& value);      // appends
//   void decode_state(std::string_view bytes, T& value);      // throws what it likes
//
// Encoding must be deterministic: unchanged is told from changed by the bytes. A state is empty,
// and its row deleted, when it encodes as T{} does, or as `bool is_empty(const T&)` beside T says;
// `void clear_state(T&)` beside T replaces `value = T{}`.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "companion_sdk/core/job_spec.h"
#include "companion_sdk/cpp/exceptions.h"
#include "companion_sdk/cpp/yson_codec.h"
#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"

namespace retinue::companion {

template <typename T>
concept HasStateFunctions = requires(std::string& out, std::string_view bytes, const T& in, T& t) {
  encode_state(out, in);
  decode_state(bytes, t);
};

template <typename T>
concept RawCodable = std::is_same_v<T, std::string> || HasStateFunctions<T>;

template <typename T>
concept HasCustomIsEmpty = requires(const T& value) {
  { is_empty(value) } -> std::convertible_to<bool>;
};

template <typename T>
concept HasCustomClear = requires(T& value) {
  clear_state(value);
};

template <typename T>
concept State = std::default_initializable<T> && std::movable<T> &&
    (RawCodable<T> || YsonCodable<T>);

template <State T>
struct StateCodec {
  static constexpr bool supports(StateFormat format) {
    return (format == StateFormat::kRaw && RawCodable<T>) ||
           (format == StateFormat::kYson && YsonCodable<T>);
  }
  // The formats of T, for errors.
  static constexpr std::string_view supported() {
    return RawCodable<T> ? (YsonCodable<T> ? "raw or yson" : "raw") : "yson";
  }

  // Precondition of both: supports(format).
  static void encode(StateFormat format, std::string& out, const T& value) {
    if constexpr (RawCodable<T>) {
      if (format == StateFormat::kRaw) {
        if constexpr (std::is_same_v<T, std::string>) {
          out.append(value);
        } else {
          encode_state(out, value);
        }
        return;
      }
    }
    if constexpr (YsonCodable<T>) {
      yson::Writer writer(out);
      YsonCodec<T>::write(writer, value);
    }
  }

  static void decode(StateFormat format, std::string_view bytes, T& value) {
    if constexpr (RawCodable<T>) {
      if (format == StateFormat::kRaw) {
        if constexpr (std::is_same_v<T, std::string>) {
          value.assign(bytes);
        } else {
          decode_state(bytes, value);
        }
        return;
      }
    }
    if constexpr (YsonCodable<T>) {
      auto node = yson::parse(bytes);
      if (!node) {
        throw StateError(node.error().message);
      }
      YsonCodec<T>::read(*node, value);
    }
  }
};

}  // namespace retinue::companion
