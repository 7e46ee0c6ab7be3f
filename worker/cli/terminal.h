// What a terminal can show.
#pragma once

namespace retinue::worker {

// The columns of the terminal behind a descriptor; 80 when it does not say.
int terminal_columns(int descriptor);
// Whether the environment's locale (LC_ALL, LC_CTYPE, LANG) writes UTF-8.
bool locale_has_utf8();

}  // namespace retinue::worker
