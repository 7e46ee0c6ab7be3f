#include "worker/cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>

#include <string_view>

namespace retinue::worker {

int terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool locale_has_utf8() {
  // Not the process's own locale, which stays "C": it would change how numbers are read.
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale == nullptr) {
    return false;
  }
  const bool has_utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return has_utf8;
}

}  // namespace retinue::worker
