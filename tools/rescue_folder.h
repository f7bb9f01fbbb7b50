// SPDX-License-Identifier: Apache-2.0
// The folder in which the processes of a run leave what outlives them.
#ifndef SHADERQA_TOOLS_RESCUE_FOLDER_H
#define SHADERQA_TOOLS_RESCUE_FOLDER_H

#include <string>

namespace shaderqa {

// Private, because messages of shaders may be; in memory if possible, because GPUs write there. Removed with
// its content by the destructor.
class RescueFolder {
 public:
  // Also removes folders of runs that were killed before they could do so.
  RescueFolder();
  ~RescueFolder();
  RescueFolder(const RescueFolder&) = delete;
  RescueFolder& operator=(const RescueFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: there is none
  const std::string& error() const { return error_; }

 private:
  std::string path_, error_;
  int owner_ = -1;  // locked while this process lives
};

}  // namespace shaderqa
#endif
