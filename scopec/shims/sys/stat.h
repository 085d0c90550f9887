#pragma once
#include <sys/types.h>
// Declared alone: a program that comes there is told so.
struct stat {
    mode_t st_mode;
    off_t st_size;
};
extern "C" {
int stat(const char*, struct stat*);
int mkdir(const char*, mode_t);
}
