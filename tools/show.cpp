// SPDX-License-Identifier: Apache-2.0
#include "tools/show.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "host/pictures/picture_file.h"
#include "host/text/shader_hash_text.h"
#include "instrument/passes/picture_expression.h"
#include "tools/picture_image.h"
#include "tools/rescue_folder.h"

namespace shaderqa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFile = ".picture";
constexpr size_t kBlocksSaid = 5;

int refuse(const std::string& what) {
  std::fprintf(stderr, "shaderqa: error: %s\n", what.c_str());
  return kExitNotStarted;
}

std::vector<fs::path> raw_files(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == kFile) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "shaderqa: error: %s cannot be written\n", path.c_str());
  return static_cast<bool>(out);
}

const char* unit(const PictureContents& picture) {
  if (picture.kind == PictureKind::overdraw) return "fragments";
  return picture.kind == PictureKind::divergence ? "together" : "value";
}

std::string csv_of(const PictureContents& picture) {
  std::string out = "x,y,z,count";
  if (picture.kind == PictureKind::value)
    for (uint32_t i = 0; i < picture.components; ++i)
      out += picture.components == 1 ? ",value" : std::string(",") + "xyzw"[i];
  else if (picture.kind == PictureKind::divergence)
    out += ",together";
  out += "\n";
  for (const PictureCell& cell : picture.cells) {
    out += std::to_string(cell.x) + "," + std::to_string(cell.y) + "," + std::to_string(cell.z) + "," +
           std::to_string(cell.count);
    for (const std::string& text : cell.texts) out += "," + text;
    out += "\n";
  }
  return out;
}

double average(const PictureBlock& block) {
  return block.times == 0 ? 0 : static_cast<double>(block.sum) / static_cast<double>(block.times);
}

std::string place_of(const PictureBlock& block, size_t number) {
  if (block.source.line == 0) return "block " + std::to_string(number);
  return (block.source.file.empty() ? "line " : block.source.file + ":") + std::to_string(block.source.line);
}

Json blocks_of(const PictureContents& picture) {
  Json all = Json::array();
  for (size_t i = 0; i < picture.blocks.size(); ++i) {
    const PictureBlock& block = picture.blocks[i];
    Json one{{"block", i}};
    if (block.source.line != 0) one["line"] = block.source.line;
    if (!block.source.file.empty()) one["file"] = block.source.file;
    one["times"] = block.times;
    one["together"] = average(block);
    all.push_back(std::move(one));
  }
  return all;
}

std::string shader_of(const PictureContents& picture) {
  std::string hash;
  append_hash(hash, picture.shader_hash);
  return std::string(to_string(picture.stage)) + " shader " + (picture.name.empty() ? hash : picture.name);
}

std::string json_of(const PictureContents& picture, const PictureNumbers& numbers) {
  std::string hash;
  append_hash(hash, picture.shader_hash);
  Json json{{"shows", picture.text},
            {"shader", hash},
            {"stage", to_string(picture.stage)},
            {"entry_point", picture.entry_point},
            {"width", picture.extent[0]},
            {"height", picture.extent[1]},
            {"depth", std::max(picture.extent[2], 1u)},
            {"cells", numbers.cells},
            {"least", numbers.least},
            {"most", numbers.most},
            {"mean", numbers.mean},
            {"nan", numbers.nans},
            {"infinite", numbers.infinities},
            {"several", picture.several},
            {"missed", picture.missed}};
  if (!picture.name.empty()) json["name"] = picture.name;
  if (picture.kind == PictureKind::divergence) {
    json["lanes"] = picture.lanes;
    json["blocks"] = blocks_of(picture);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void say_blocks(const PictureContents& picture) {
  std::vector<size_t> order;
  for (size_t i = 0; i < picture.blocks.size(); ++i)
    if (picture.blocks[i].times != 0) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return average(picture.blocks[i]); });
  for (size_t i = 0; i < order.size() && i < kBlocksSaid; ++i) {
    const PictureBlock& block = picture.blocks[order[i]];
    std::fprintf(stderr, "  %s: %.1f of %u invocations together, %llu times\n",
                 place_of(block, order[i]).c_str(), average(block), picture.lanes,
                 static_cast<unsigned long long>(block.times));
  }
}

void say(const PictureContents& picture, const PictureNumbers& numbers, const fs::path& file) {
  std::fprintf(stderr, "shaderqa: %s of %s: %u x %u", picture.text.c_str(), shader_of(picture).c_str(),
               picture.extent[0], picture.extent[1]);
  if (picture.extent[2] > 1) std::fprintf(stderr, " x %u", picture.extent[2]);
  std::fprintf(stderr, ", %s %g to %g, mean %g", unit(picture), numbers.least, numbers.most, numbers.mean);
  if (numbers.nans != 0) std::fprintf(stderr, ", %llu NaN", static_cast<unsigned long long>(numbers.nans));
  if (numbers.infinities != 0)
    std::fprintf(stderr, ", %llu infinite", static_cast<unsigned long long>(numbers.infinities));
  std::fprintf(stderr, ": %s\n", file.c_str());
  if (picture.kind == PictureKind::divergence) say_blocks(picture);
  if (picture.missed != 0)
    std::fprintf(stderr,
                 "shaderqa: note: %u invocations are not in it, for want of room: --width and --height make "
                 "it larger\n",
                 picture.missed);
}

// Returns whether there is a picture.
bool finish(const fs::path& raw, const ShowRequest& request) {
  PictureContents picture;
  std::string error;
  if (!read_picture_file(raw.string(), picture, error)) {
    std::fprintf(stderr, "shaderqa: %s %s\n", raw.c_str(), error.c_str());
    return false;
  }
  if (picture.cells.empty()) {
    std::fprintf(stderr, "shaderqa: nothing to show of %s: %s\n", shader_of(picture).c_str(),
                 picture.missed != 0
                     ? "its invocations lie outside the picture, which --width and --height make larger"
                     : "it did not run, or its value was never computed");
    return false;
  }
  if (picture.mixed) {
    std::fprintf(stderr,
                 "shaderqa: nothing to show of %s: it ran in dispatches of different sizes; choose one with "
                 "--action, --frame or --within\n",
                 shader_of(picture).c_str());
    return false;
  }
  const PictureNumbers numbers = numbers_of(picture);
  fs::path file = fs::path(request.output) / raw.filename();
  bool written = write_file(file.replace_extension(".csv"), csv_of(picture)) &&
                 write_file(file.replace_extension(".json"), json_of(picture, numbers));
  const PictureImage image = picture_image(picture, request.scale);
  if (image.width != 0) written = write_file(file.replace_extension(".png"), png_of(image)) && written;
  if (written) say(picture, numbers, file);
  return written;
}

}  // namespace

int show_program(ShowRequest request) {
  auto& settings = request.run.settings;
  const bool special = request.what == "overdraw" || request.what == "divergence";
  std::string error;
  if (!special && !parse_picture_expression(request.what, error)) return refuse(error);
  settings["show"] = special ? request.what : "value";
  if (!special) settings["show_value"] = request.what;
  std::error_code problem;
  fs::create_directories(request.output, problem);
  if (problem) return refuse("cannot create " + request.output + ": " + problem.message());
  // In memory, since shaders write there.
  const RescueFolder raw;
  if (raw.path().empty())
    return refuse("no private folder could be made (" + raw.error() +
                  "); set TMPDIR to a folder that can be written to");
  settings["show_dir"] = raw.path();
  const RunEnd end = run_program(request.run);
  if (!end.started) return end.exit_code;
  bool any = false;
  const std::vector<fs::path> files = raw_files(raw.path());
  for (const fs::path& each : files) any = finish(each, request) || any;
  if (files.empty())
    std::fprintf(stderr, "shaderqa: nothing to show: no %s shader %s\n",
                 request.what == "overdraw" ? "fragment" : "fragment or compute",
                 special ? "was used" : "has such a value");
  return end.exit_code;
}

}  // namespace shaderqa
