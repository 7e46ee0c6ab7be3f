// YsonCodec<T>: between C++ values and YSON, for states.
//
// Built in: integers, double, float, bool, std::string, std::vector, std::map, std::unordered_map,
// std::optional, yson::Node. Maps with string keys are YSON maps, other maps lists of pairs. A type
// of your own is covered by RETINUE_YSON_STRUCT (yson_struct.h), or by two functions beside it:
//
//   void to_yson(retinue::yson::Writer& writer, const Point& point);
//   void from_yson(const retinue::yson::Node& node, Point& point);   // throws StateError
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "companion_sdk/cpp/exceptions.h"
#include "protocol/yson/node.h"
#include "protocol/yson/writer.h"

namespace retinue::companion {

// Throws StateError: "expected …, found …".
[[noreturn]] void throw_unexpected(std::string_view expected, const yson::Node& found);
// Throws StateError with "place: " before the message of `error`.
[[noreturn]] void rethrow_at(std::string_view place, const StateError& error);
int64_t read_int64(const yson::Node& node);
uint64_t read_uint64(const yson::Node& node);
double read_double(const yson::Node& node);

template <typename T>
concept HasYsonFunctions = requires(yson::Writer& writer, const yson::Node& node, const T& in,
                                    T& out) {
  to_yson(writer, in);
  from_yson(node, out);
};

// Types without a codec have no write().
template <typename T>
struct YsonCodec {};

template <typename T>
concept YsonCodable = requires(yson::Writer& writer, const yson::Node& node, const T& in, T& out) {
  YsonCodec<T>::write(writer, in);
  YsonCodec<T>::read(node, out);
};

template <HasYsonFunctions T>
struct YsonCodec<T> {
  static void write(yson::Writer& writer, const T& value) { to_yson(writer, value); }
  static void read(const yson::Node& node, T& value) { from_yson(node, value); }
};

template <std::integral T>
struct YsonCodec<T> {
  static void write(yson::Writer& writer, T value) {
    if constexpr (std::unsigned_integral<T>) {
      writer.uint64(value);
    } else {
      writer.int64(value);
    }
  }
  static void read(const yson::Node& node, T& value) {
    using Wide = std::conditional_t<std::unsigned_integral<T>, uint64_t, int64_t>;
    Wide wide;
    if constexpr (std::unsigned_integral<T>) {
      wide = read_uint64(node);
    } else {
      wide = read_int64(node);
    }
    if (!std::in_range<T>(wide)) {
      throw StateError(std::to_string(wide) + " is out of the type's range");
    }
    value = static_cast<T>(wide);
  }
};

template <>
struct YsonCodec<bool> {
  static void write(yson::Writer& writer, bool value) { writer.boolean(value); }
  static void read(const yson::Node& node, bool& value) {
    if (!node.is_boolean()) {
      throw_unexpected("boolean", node);
    }
    value = node.as_boolean();
  }
};

template <std::floating_point T>
struct YsonCodec<T> {
  static void write(yson::Writer& writer, T value) { writer.real(static_cast<double>(value)); }
  static void read(const yson::Node& node, T& value) { value = static_cast<T>(read_double(node)); }
};

template <>
struct YsonCodec<std::string> {
  static void write(yson::Writer& writer, const std::string& value) { writer.string(value); }
  static void read(const yson::Node& node, std::string& value) {
    if (!node.is_string()) {
      throw_unexpected("string", node);
    }
    value = node.as_string();
  }
};

template <>
struct YsonCodec<yson::Node> {
  static void write(yson::Writer& writer, const yson::Node& value) { writer.node(value); }
  static void read(const yson::Node& node, yson::Node& value) { value = node; }
};

template <YsonCodable T>
struct YsonCodec<std::optional<T>> {
  static void write(yson::Writer& writer, const std::optional<T>& value) {
    if (value) {
      YsonCodec<T>::write(writer, *value);
    } else {
      writer.entity();
    }
  }
  static void read(const yson::Node& node, std::optional<T>& value) {
    value.reset();
    if (!node.is_entity()) {
      YsonCodec<T>::read(node, value.emplace());
    }
  }
};

template <YsonCodable T>
struct YsonCodec<std::vector<T>> {
  static void write(yson::Writer& writer, const std::vector<T>& value) {
    writer.begin_list();
    for (const T& item : value) {
      YsonCodec<T>::write(writer, item);
    }
    writer.end_list();
  }
  static void read(const yson::Node& node, std::vector<T>& value) {
    if (!node.is_list()) {
      throw_unexpected("list", node);
    }
    value.clear();
    value.reserve(node.as_list().size());
    for (const yson::Node& item : node.as_list()) {
      T element{};
      try {
        YsonCodec<T>::read(item, element);
      } catch (const StateError& error) {
        rethrow_at("[" + std::to_string(value.size()) + "]", error);
      }
      value.push_back(std::move(element));
    }
  }
};

// Maps of any kind. Entries are written by ascending key, so that equal maps have equal bytes.
template <typename Map>
struct YsonMapCodec {
  using Key = typename Map::key_type;
  using Item = typename Map::mapped_type;
  static constexpr bool kHasStringKeys = std::is_same_v<Key, std::string>;

  static void write(yson::Writer& writer, const Map& value) {
    std::vector<const typename Map::value_type*> entries;
    entries.reserve(value.size());
    for (const auto& entry : value) {
      entries.push_back(&entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    if constexpr (kHasStringKeys) {
      writer.begin_map();
      for (const auto* entry : entries) {
        writer.key(entry->first);
        YsonCodec<Item>::write(writer, entry->second);
      }
      writer.end_map();
    } else {
      writer.begin_list();
      for (const auto* entry : entries) {
        writer.begin_list();
        YsonCodec<Key>::write(writer, entry->first);
        YsonCodec<Item>::write(writer, entry->second);
        writer.end_list();
      }
      writer.end_list();
    }
  }

  static void read(const yson::Node& node, Map& value) {
    value.clear();
    if constexpr (kHasStringKeys) {
      if (!node.is_map()) {
        throw_unexpected("map", node);
      }
      for (const yson::MapEntry& entry : node.as_map()) {
        try {
          YsonCodec<Item>::read(entry.value, value[entry.key]);
        } catch (const StateError& error) {
          rethrow_at(entry.key, error);
        }
      }
    } else {
      if (!node.is_list()) {
        throw_unexpected("list of pairs", node);
      }
      for (const yson::Node& pair : node.as_list()) {
        if (!pair.is_list() || pair.as_list().size() != 2) {
          throw_unexpected("pair", pair);
        }
        Key key{};
        YsonCodec<Key>::read(pair.as_list()[0], key);
        YsonCodec<Item>::read(pair.as_list()[1], value[std::move(key)]);
      }
    }
  }
};

template <YsonCodable K, YsonCodable T>
struct YsonCodec<std::map<K, T>> : YsonMapCodec<std::map<K, T>> {};
template <YsonCodable K, YsonCodable T>
struct YsonCodec<std::unordered_map<K, T>> : YsonMapCodec<std::unordered_map<K, T>> {};

}  // namespace retinue::companion
