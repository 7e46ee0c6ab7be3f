#include "worker/spec/names.h"

#include <algorithm>

#include "protocol/base/limits.h"
#include "worker/json/json_writer.h"

namespace retinue::worker {

bool is_valid_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::kNameBytesLimit &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

bool is_valid_text(std::string_view text) {
  return !text.empty() && text.find('\0') == std::string_view::npos && is_utf8(text);
}

}  // namespace retinue::worker
