// RETINUE_YSON_STRUCT makes a struct a state that is stored as a YSON map, a field an entry.
//
//   struct Totals { int64_t count = 0; std::map<std::string, double> sums; };
//   RETINUE_YSON_STRUCT(Totals, count, sums)
//
// It stands in the struct's namespace. A field that the stored map lacks keeps its default; an
// entry that the struct lacks is ignored, and gone with the next write. So fields can be added and
// removed without migrating what is stored; renaming one is both.
#pragma once

#include <string_view>

#include "companion_sdk/cpp/yson_codec.h"

namespace retinue::companion {

template <typename T>
void write_yson_field(yson::Writer& writer, std::string_view name, const T& value) {
  writer.key(name);
  YsonCodec<T>::write(writer, value);
}

template <typename T>
void read_yson_field(const yson::Node& node, std::string_view name, T& value) {
  if (const yson::Node* entry = node.find(name)) {
    try {
      YsonCodec<T>::read(*entry, value);
    } catch (const StateError& error) {
      rethrow_at(name, error);
    }
  }
}

}  // namespace retinue::companion

#define RETINUE_YSON_STRUCT(Type, ...)                                      \
  inline void to_yson(::retinue::yson::Writer& writer, const Type& value) { \
    writer.begin_map();                                                     \
    RETINUE_FOR_EACH(RETINUE_YSON_WRITE_FIELD, __VA_ARGS__)                 \
    writer.end_map();                                                       \
  }                                                                         \
  inline void from_yson(const ::retinue::yson::Node& node, Type& value) {   \
    if (!node.is_map()) {                                                   \
      ::retinue::companion::throw_unexpected("map", node);                  \
    }                                                                       \
    RETINUE_FOR_EACH(RETINUE_YSON_READ_FIELD, __VA_ARGS__)                  \
  }                                                                         \
  static_assert(::retinue::companion::HasYsonFunctions<Type>)

#define RETINUE_YSON_WRITE_FIELD(field) \
  ::retinue::companion::write_yson_field(writer, #field, value.field);
#define RETINUE_YSON_READ_FIELD(field) \
  ::retinue::companion::read_yson_field(node, #field, value.field);

// Applies `macro` to each of up to 256 arguments.
#define RETINUE_FOR_EACH(macro, ...) \
  __VA_OPT__(RETINUE_EXPAND(RETINUE_FOR_EACH_STEP(macro, __VA_ARGS__)))
#define RETINUE_FOR_EACH_STEP(macro, first, ...) \
  macro(first) __VA_OPT__(RETINUE_FOR_EACH_AGAIN RETINUE_PARENS(macro, __VA_ARGS__))
#define RETINUE_FOR_EACH_AGAIN() RETINUE_FOR_EACH_STEP
#define RETINUE_PARENS ()
#define RETINUE_EXPAND(...) \
  RETINUE_EXPAND3(RETINUE_EXPAND3(RETINUE_EXPAND3(RETINUE_EXPAND3(__VA_ARGS__))))
#define RETINUE_EXPAND3(...) \
  RETINUE_EXPAND2(RETINUE_EXPAND2(RETINUE_EXPAND2(RETINUE_EXPAND2(__VA_ARGS__))))
#define RETINUE_EXPAND2(...) \
  RETINUE_EXPAND1(RETINUE_EXPAND1(RETINUE_EXPAND1(RETINUE_EXPAND1(__VA_ARGS__))))
#define RETINUE_EXPAND1(...) __VA_ARGS__
