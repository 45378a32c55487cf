/* The C interface is C: this file only has to compile and to link. */
#include "bascule/c_api.h"

int main(void) {
  BasculeTensor tensor = {0};
  BasculeLibrary* library = NULL;
  (void)tensor;
  if (bascule_version()[0] == '\0') return 1;
  return bascule_library_open("no such file", &library) == BASCULE_NOT_FOUND ? 0 : 1;
}
