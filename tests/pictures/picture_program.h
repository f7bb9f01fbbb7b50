// SPDX-License-Identifier: Apache-2.0
// A program that runs under `shaderqa show`, above the Khronos validation layer, and its picture.
#ifndef SHADERQA_TESTS_PICTURES_PICTURE_PROGRAM_H
#define SHADERQA_TESTS_PICTURES_PICTURE_PROGRAM_H

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "e2e_test.h"

namespace shaderqa::testing {

namespace fs = std::filesystem;

struct Shown {
  nlohmann::json summary;
  // By position: what the CSV has behind it, the count first.
  std::map<std::tuple<int, int, int>, std::vector<std::string>> cells;
  std::string png;
};

inline std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class PictureProgram : public EndToEnd {
 protected:
  ProcessResult show(const Texts& options, const Texts& arguments, int code = 0) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "show", "-o", folder};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    const Texts program = runner(arguments);
    command.insert(command.end(), program.begin(), program.end());
    ProcessResult result = run(command, environment, directory.path());
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("VUID-")));
    return result;
  }
  std::string plain(const Texts& arguments) {
    return run(runner(arguments), environment, directory.path()).out;
  }
  // The results are those without a picture.
  ProcessResult show_unchanged(const Texts& options, const Texts& arguments) {
    ProcessResult result = show(options, arguments);
    EXPECT_EQ(result.out, plain(arguments));
    return result;
  }
  // The only picture there is.
  Shown shown() const {
    Shown result;
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      ++files;
      const fs::path& path = entry.path();
      if (path.extension() == ".json") result.summary = nlohmann::json::parse(file_text(path));
      if (path.extension() == ".png") result.png = file_text(path);
      if (path.extension() != ".csv") continue;
      std::istringstream lines(file_text(path));
      std::string line, field;
      std::getline(lines, line);
      while (std::getline(lines, line)) {
        std::istringstream fields(line);
        Texts all;
        while (std::getline(fields, field, ',')) all.push_back(field);
        result.cells[{std::stoi(all[0]), std::stoi(all[1]), std::stoi(all[2])}] = {all.begin() + 3,
                                                                                   all.end()};
      }
    }
    EXPECT_EQ(files, 3u);
    EXPECT_TRUE(result.png.starts_with("\x89PNG"));
    return result;
  }
  bool nothing_shown() const { return !fs::exists(folder) || fs::is_empty(folder); }

  std::string folder = directory.file("pictures");
};

}  // namespace shaderqa::testing
#endif
