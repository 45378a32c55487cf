// Preloaded into programs that run under qemu-user: what they start runs under it as well.
//
// The machine's kernel cannot start an aarch64 program unless somebody registered qemu with it, and
// qemu-user's posix_spawn loses the error of an exec that failed. These look at the file first: a
// program of this kind is started through BASCULE_QEMU, anything else as it is. Programs that are
// started by a program of the machine (a shell, CMake) are beyond its reach.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "qemu -L folder", as words; and this library's own path.
static char* qemu[8];
static int qemu_words;
static char preload[4096 + 16] = "LD_PRELOAD=";

__attribute__((constructor)) static void Prepare(void) {
  const char* own = getenv("LD_PRELOAD");
  const char* command = getenv("BASCULE_QEMU");
  if (own == NULL || command == NULL) return;
  strncat(preload, own, sizeof(preload) - 16);
  char* words = strdup(command);
  for (char* word = strtok(words, " "); word != NULL && qemu_words < 7; word = strtok(NULL, " ")) {
    qemu[qemu_words++] = word;
  }
  unsetenv("LD_PRELOAD");  // programs of the machine would complain about it
}

static int IsForeign(const char* path) {
  Elf64_Ehdr header;
  memset(&header, 0, sizeof(header));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, &header, sizeof(header));
  close(fd);
  return got == (ssize_t)sizeof(header) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_machine == EM_AARCH64;
}

#define MORE_WORDS 16

static int Count(char* const argv[]) {
  int count = 0;
  while (argv[count] != NULL) ++count;
  return count;
}

// Writes what starts `path` through qemu: Count(argv) + MORE_WORDS words at most.
static void Translate(const char* path, char* const argv[], char** command) {
  for (int i = 0; i < qemu_words; ++i) *command++ = qemu[i];
  *command++ = "-E";
  *command++ = preload;
  *command++ = "-0";
  *command++ = argv[0];
  *command++ = (char*)path;
  for (int i = 1; argv[i] != NULL; ++i) *command++ = argv[i];
  *command = NULL;
}

int execv(const char* path, char* const argv[]) {
  if (qemu_words == 0 || !IsForeign(path)) return execve(path, argv, environ);
  char* command[Count(argv) + MORE_WORDS];
  Translate(path, argv, command);
  return execve(qemu[0], command, environ);
}

typedef int Spawn(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                  char* const[], char* const[]);

static int StartPath(Spawn* real, pid_t* pid, const char* path,
                     const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                     char* const argv[], char* const env[]) {
  if (access(path, X_OK) != 0) return errno;
  if (qemu_words == 0 || !IsForeign(path)) return real(pid, path, actions, attributes, argv, env);
  char* command[Count(argv) + MORE_WORDS];
  Translate(path, argv, command);
  return real(pid, qemu[0], actions, attributes, command, env);
}

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const argv[], char* const env[]) {
  return StartPath((Spawn*)dlsym(RTLD_NEXT, "posix_spawn"), pid, path, actions, attributes, argv,
                   env);
}

int posix_spawnp(pid_t* pid, const char* name, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const argv[], char* const env[]) {
  Spawn* real = (Spawn*)dlsym(RTLD_NEXT, "posix_spawn");
  if (strchr(name, '/') != NULL) {
    return StartPath(real, pid, name, actions, attributes, argv, env);
  }
  const char* folders = getenv("PATH");
  while (folders != NULL) {
    const char* end = strchrnul(folders, ':');
    char path[4096];
    const int length = snprintf(path, sizeof(path), "%.*s/%s", (int)(end - folders), folders, name);
    if (length < (int)sizeof(path) && access(path, X_OK) == 0) {
      return StartPath(real, pid, path, actions, attributes, argv, env);
    }
    folders = *end == ':' ? end + 1 : NULL;
  }
  return ENOENT;
}
