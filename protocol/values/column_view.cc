#include "protocol/values/column_view.h"

namespace retinue {

size_t ColumnView::byte_size(uint32_t begin, uint32_t end) const {
  const uint32_t rows = end - begin;
  const size_t validity = has_nulls() ? bitmap_bytes(rows) : 0;
  if (is_variable_width(type())) {
    return validity + size_t{rows} * sizeof(uint32_t) + offset_at(end) - offset_at(begin);
  }
  return validity + fixed_width_bytes(type(), rows);
}

}  // namespace retinue
