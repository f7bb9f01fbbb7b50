// SPDX-License-Identifier: Apache-2.0
// A program for tests that need a process of their own: layer_probe WHAT
//   active      says whether our layer is loaded by vkCreateInstance
//   no-destroy  prints a message and returns from main, device and instance alive
//   fork        prints in the parent, then in a child that creates its own instance
//   fork-exit   a child of a program with a device calls exit()
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/layer/fake_gpu.h"
#include "tests/layer/program.h"

namespace shaderqa::layer_tests {
namespace {

// What a program that destroys nothing leaves is still reachable, as LeakSanitizer wants it.
Program* left_alive = nullptr;

int say_whether_active() {
  Instance instance;
  const bool loaded = dlopen(SHADERQA_LAYER_LIBRARY, RTLD_NOW | RTLD_NOLOAD) != nullptr;
  std::puts(loaded ? "active" : "inactive");
  return 0;
}

void print_once(const Program& program, uint32_t number) {
  create_compute(program.device, shaders::prints_comp);
  print(*find_roots().back(), site_id(shaders::prints_comp), {&number, 1});
}

int end_without_destroying() {
  left_alive = new Program;
  print_once(*left_alive, 1);
  return 0;
}

// While workers make the checked versions of its pipelines.
int end_while_compiling() {
  left_alive = new Program;
  for (int i = 0; i < 20; ++i) create_compute(left_alive->device, shaders::prints_comp);
  return 0;
}

int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 99;
  return WEXITSTATUS(status);
}

int fork_and_create() {
  auto program = left_alive = new Program;
  print_once(*program, 1);
  check(program->device.vk.vkQueueWaitIdle(program->device.queue), "vkQueueWaitIdle");
  const pid_t child = fork();
  if (child == 0) {
    driver().reset({});
    Program own;
    const VkPipeline pipeline = create_compute(own.device, shaders::prints_comp);
    const uint32_t number = 2;
    print(*root_of(driver().log().pipelines.back().stages.at(0).words), site_id(shaders::prints_comp),
          {&number, 1});
    check(own.device.vk.vkQueueWaitIdle(own.device.queue), "vkQueueWaitIdle");
    own.device.vk.vkDestroyPipeline(own.device.handle, pipeline, nullptr);
    std::exit(0);
  }
  const int code = wait_for(child);
  print_once(*program, 3);
  check(program->device.vk.vkQueueWaitIdle(program->device.queue), "vkQueueWaitIdle");
  return code;
}

int fork_and_exit() {
  auto program = new Program;
  print_once(*program, 1);
  check(program->device.vk.vkQueueWaitIdle(program->device.queue), "vkQueueWaitIdle");
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  const int code = wait_for(child);
  delete program;
  return code;
}

}  // namespace
}  // namespace shaderqa::layer_tests

int main(int count, char** arguments) {
  using namespace shaderqa::layer_tests;
  const std::string what = count == 2 ? arguments[1] : "";
  if (what == "active") return say_whether_active();
  if (what == "no-destroy") return end_without_destroying();
  if (what == "compiling") return end_while_compiling();
  if (what == "fork") return fork_and_create();
  if (what == "fork-exit") return fork_and_exit();
  std::fprintf(stderr, "layer_probe: what is '%s'?\n", what.c_str());
  return 2;
}
