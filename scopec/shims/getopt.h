#pragma once
#define no_argument 0
#define required_argument 1
#define optional_argument 2
struct option {
    const char* name;
    int has_arg;
    int* flag;
    int val;
};
// Declared alone: a program that comes there is told so.
extern "C" {
extern char* optarg;
extern int optind, opterr, optopt;
int getopt(int, char* const*, const char*);
int getopt_long(int, char* const*, const char*, const option*, int*);
}
