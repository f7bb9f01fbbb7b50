// SPDX-License-Identifier: Apache-2.0
#include "tools/child_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace shaderqa {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

ChildEnd not_started(const std::string& name, const std::string& program, int error) {
  ChildEnd end;
  if (program.empty()) {
    end.exit_code = 127;
    end.error =
        name.find('/') != std::string::npos
            ? name + ": there is no such file; check the path of the command after --"
            : name + ": command not found; check its spelling and PATH, or give a path (./" + name + ")";
    return end;
  }
  end.exit_code = 126;
  struct stat info {};
  if (stat(program.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    end.error = program + ": is a directory, not a program";
  } else if (error == EACCES) {
    end.error = program + ": permission denied; is it executable (chmod +x)?";
  } else if (error == ENOENT) {
    end.exit_code = 127;
    end.error = program +
                ": the interpreter or loader that it names is missing (first line of a script; file " +
                program + ")";
  } else {
    end.error = program + ": cannot be started: " + std::strerror(error);
  }
  return end;
}

}  // namespace

std::string find_program(const std::string& name, const EnvironmentMap& environment) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), F_OK) == 0 ? name : "";
  const auto path = environment.find("PATH");
  const std::string folders = path == environment.end() ? "/bin:/usr/bin" : path->second;
  std::string unusable;
  for (size_t begin = 0; begin <= folders.size();) {
    size_t end = folders.find(':', begin);
    if (end == std::string::npos) end = folders.size();
    const std::string folder = folders.substr(begin, end - begin);
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    struct stat info {};
    if (stat(candidate.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) {
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
      if (unusable.empty()) unusable = candidate;
    }
    begin = end + 1;
  }
  return unusable;
}

struct ChildProcess::State {
  sigset_t held{}, mask{};
  struct sigaction child_action {};
};

ChildProcess::ChildProcess() : state_(new State) {
  // A parent that ignores SIGCHLD would leave nothing to wait for.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &state_->child_action);
  sigemptyset(&state_->held);
  for (const int signal : kForwarded) sigaddset(&state_->held, signal);
  sigaddset(&state_->held, SIGCHLD);
  sigprocmask(SIG_BLOCK, &state_->held, &state_->mask);
}

ChildProcess::~ChildProcess() {
  // Signals that arrive from here on are for a program that has ended.
  const timespec none{};
  while (sigtimedwait(&state_->held, nullptr, &none) > 0) {
  }
  sigprocmask(SIG_SETMASK, &state_->mask, nullptr);
  sigaction(SIGCHLD, &state_->child_action, nullptr);
  delete state_;
}

ChildEnd ChildProcess::run(const std::vector<std::string>& command, const EnvironmentMap& environment,
                           const std::function<void(pid_t)>& watch) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<char*> envp, argv;
  for (std::string& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);
  std::vector<std::string> arguments = command;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string program = find_program(command[0], environment);

  // A successful exec closes the pipe; a failed one sends errno through it.
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return {std::string("no pipe: ") + std::strerror(errno), 126, 0};
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return {std::string("no new process: ") + std::strerror(error), 126, 0};
  }
  if (child == 0) {
    sigaction(SIGCHLD, &state_->child_action, nullptr);
    sigprocmask(SIG_SETMASK, &state_->mask, nullptr);
    int error = ENOENT;
    if (!program.empty()) {
      // execvp rather than execve: it runs scripts without a first line as shells do.
      environ = envp.data();
      execvp(program.c_str(), argv.data());
      error = errno;
    }
    const ssize_t written = write(pipe_ends[1], &error, sizeof error);
    _exit(written > 0 ? 126 : 127);
  }
  close(pipe_ends[1]);
  int error = 0;
  ssize_t got = 0;
  do got = read(pipe_ends[0], &error, sizeof error);
  while (got < 0 && errno == EINTR);
  close(pipe_ends[0]);

  int status = 0;
  // Short programs are looked at soon, long ones cost little.
  long pause_ms = 5;
  while (waitpid(child, &status, WNOHANG) == 0) {
    siginfo_t info{};
    const timespec pause{0, pause_ms * 1'000'000};
    const int signal = sigtimedwait(&state_->held, &info, &pause);
    if (signal < 0) {
      if (watch) watch(child);
      pause_ms = std::min(2 * pause_ms, 320l);
    }
    // What the kernel sent (a key on the terminal) went to the whole foreground group, the child included.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(child, signal);
  }
  if (got == sizeof error) return not_started(command[0], program, error);

  ChildEnd end;
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.exit_code = 128 + end.signal;
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace shaderqa
