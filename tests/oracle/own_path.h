// SPDX-License-Identifier: Apache-2.0
// Where this program's file is, which starts itself again.
#ifndef SHADERQA_TESTS_ORACLE_OWN_PATH_H
#define SHADERQA_TESTS_ORACLE_OWN_PATH_H

#include <string>

namespace oracle {

// The environment variable SHADERQA_ORACLE, if there is one. /proc/self/exe, which stays the same while
// another one is built, unless it is a loader that was told to run this program: then first_argument.
std::string own_path(const char* first_argument);

}  // namespace oracle
#endif
