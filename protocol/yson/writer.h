// Writes YSON: a streaming writer in three formats, and whole trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/yson/node.h"

namespace retinue::yson {

enum class Format : uint8_t {
  kBinary,
  kText,    // one line, no blanks
  kPretty,  // indented by 4, one item a line
};

// Appends to `out`. Calls must nest properly (RETINUE_CHECK): a list holds items, a map key + value
// pairs, attributes come right before their value.
//
//   writer.begin_map(); writer.key("count"); writer.int64(3); writer.end_map();
class Writer {
 public:
  explicit Writer(std::string& out, Format format = Format::kBinary) : out_(out), format_(format) {}

  void entity();
  void boolean(bool value);
  void int64(int64_t value);
  void uint64(uint64_t value);
  void real(double value);  // text: shortest form that reads back exactly, always with . or e
  void string(std::string_view value);
  void begin_list();
  void end_list();
  void begin_map();
  void key(std::string_view key);
  void end_map();
  void begin_attributes();
  void end_attributes();
  void node(const Node& node);
  // Puts an already encoded node here. Precondition: `encoded` is one well-formed node.
  void raw(std::string_view encoded);

 private:
  enum class Scope : uint8_t { kList, kMap, kAttributes };

  void before_value();
  void open(Scope scope, char bracket);
  void close(Scope scope, char bracket);
  void indent();

  std::string& out_;
  Format format_;
  std::vector<Scope> scopes_;
  bool first_in_scope_ = true;
  bool after_key_ = false;
  bool after_attributes_ = false;
};

std::string to_string(const Node& node, Format format = Format::kBinary);

}  // namespace retinue::yson
