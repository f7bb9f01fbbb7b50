// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace shaderqa::testing {
namespace {

// No test measures time: this only keeps a stuck program from holding up everything. A CPU driver compiles
// for half a minute without a word, and a machine that is busy with other things makes ten times as much of
// that.
constexpr int kStuckMilliseconds = 900'000;

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = ends[0];
    write_end = ends[1];
  }
};

void close_pipe(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

bool read_into(int& fd, std::string& text) {
  char buffer[65536];
  const ssize_t count = read(fd, buffer, sizeof buffer);
  if (count <= 0) {
    close_pipe(fd);
    return false;
  }
  text.append(buffer, static_cast<size_t>(count));
  return true;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const Environment& environment,
                 const std::string& working_directory) {
  signal(SIGPIPE, SIG_IGN);
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (auto& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  Pipe in, out, err;
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    setpgid(0, 0);  // so that children of the program end with it
    dup2(in.read_end, 0);
    dup2(out.write_end, 1);
    dup2(err.write_end, 2);
    if (!working_directory.empty() && chdir(working_directory.c_str()) != 0) _exit(126);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(in.read_end);
  close(out.write_end);
  close(err.write_end);
  in_ = in.write_end;
  out_pipe_ = out.read_end;
  err_pipe_ = err.read_end;
}

Process::~Process() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_pipe(in_);
  close_pipe(out_pipe_);
  close_pipe(err_pipe_);
}

void Process::write(const std::string& text) {
  if (::write(in_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("the program does not read its input");
}

bool Process::read_some() {
  if (out_pipe_ < 0 && err_pipe_ < 0) return false;
  pollfd fds[] = {{out_pipe_, POLLIN, 0}, {err_pipe_, POLLIN, 0}};
  const int ready = poll(fds, 2, kStuckMilliseconds);
  if (ready <= 0) {
    kill(-pid_, SIGKILL);
    err_ += "\n[killed: it wrote nothing for " + std::to_string(kStuckMilliseconds / 1000) +
            " seconds; it is stuck, or the machine is far too busy]\n";
    return false;
  }
  if (fds[0].revents != 0) read_into(out_pipe_, out_);
  if (fds[1].revents != 0) read_into(err_pipe_, err_);
  return true;
}

bool Process::wait_for(const std::string& stream, const std::string& text) {
  while (stream.find(text) == std::string::npos)
    if (!read_some()) return false;
  return true;
}

bool Process::wait_for_out(const std::string& text) { return wait_for(out_, text); }
bool Process::wait_for_err(const std::string& text) { return wait_for(err_, text); }

ProcessResult Process::wait() {
  close_pipe(in_);
  while (read_some()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out_, err_};
}

ProcessResult run(const std::vector<std::string>& arguments, const Environment& environment,
                  const std::string& working_directory) {
  return Process(arguments, environment, working_directory).wait();
}

}  // namespace shaderqa::testing
