// Writes YSON: a streaming writer in three formats, and whole trees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/yson/node.h"

namespace retinue::yson {

enum class Format : uint8_t {
  kBinary,
  kText,    // one line, no blanks; strings are quoted, bytes beyond printable ASCII escaped
  kPretty,  // the same, indented by 4, one item a line
};

// Appends one node to `out`. Calls must nest properly (RETINUE_CHECK): a list holds items, a map
// key + value pairs, attributes come right before their value. That keys are unique is the caller's
// to see to. Shallow binary is written without allocating, apart from what `out` needs.
//
//   writer.begin_map(); writer.key("count"); writer.int64(3); writer.end_map();
//
// Borrows: out. Threads: one at a time.
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
  void before_value();
  void separate();
  void new_line();
  void open(char bracket);
  void close(char opening, char closing);
  void write_string(std::string_view value);

  std::string& out_;
  Format format_;
  // The open brackets; a string keeps the first few without allocating.
  std::string scopes_;
  bool scope_fresh_ = true;  // nothing is written in the innermost bracket yet
  bool after_key_ = false;
  bool after_attributes_ = false;
};

std::string to_string(const Node& node, Format format = Format::kBinary);

}  // namespace retinue::yson
