// Prints the types of all laws.
#include <iostream>

#include "civita/controllers/law_info.h"

int main() {
  for (const civita::LawInfo* law : civita::Laws()) std::cout << law->type << ' ';
}
