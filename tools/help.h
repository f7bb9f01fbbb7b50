// SPDX-License-Identifier: Apache-2.0
// What is made from the table of options: suggestions, completion for shells, the manual page.
#ifndef SHADERQA_TOOLS_HELP_H
#define SHADERQA_TOOLS_HELP_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace shaderqa {

// "--sync" for {"run", "--snyc"}: the command or option most like the first misspelt one, "" if none is near.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments);

// The shells for which there is completion.
const std::vector<std::string>& completion_shells();
std::string completion(const CLI::App& app, const std::string& shell);

// shaderqa.1, as troff reads it.
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace shaderqa
#endif
