// no_seccomp PROGRAM ARGUMENT...: runs a program as on a kernel that refuses filters of system calls:
// seccomp() and prctl(PR_SET_SECCOMP) fail with EINVAL.
#include <seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  void* const filter = seccomp_init(SCMP_ACT_ALLOW);
  const scmp_arg_cmp setting = SCMP_CMP64(0, SCMP_CMP_EQ, PR_SET_SECCOMP);
  if (filter == nullptr || seccomp_rule_add(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(seccomp), 0) != 0 ||
      seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, &setting) != 0 ||
      seccomp_load(filter) != 0) {
    std::fputs("no filter can be loaded here\n", stderr);
    return 77;
  }
  ::execv(argv[1], argv + 1);
  return 127;
}
