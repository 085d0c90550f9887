// Of NVIDIA's cuda-samples: arguments of the command line, and names of files.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <strings.h>
SCOPEC_SHIM_BEGIN
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, size, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(file) (file == nullptr)
#define SSCANF sscanf
#define SPRINTF sprintf
// What an argument says is unknown, and there is none behind the program's own name.
inline bool checkCmdLineFlag(int count, const char**, const char*) { return count > 1 && __scopec_unknown<bool>(); }
template <class __T>
bool getCmdLineArgumentValue(int count, const char** arguments, const char* name, __T* value) {
    if (!checkCmdLineFlag(count, arguments, name)) return false;
    *value = __scopec_unknown<__T>();
    return true;
}
inline int getCmdLineArgumentInt(int count, const char**, const char*) {
    return count > 1 ? __scopec_unknown<int>() : 0;
}
inline float getCmdLineArgumentFloat(int count, const char**, const char*) {
    return count > 1 ? __scopec_unknown<float>() : 0;
}
inline bool getCmdLineArgumentString(int count, const char** arguments, const char* name, char** value) {
    static char text[1];
    *value = checkCmdLineFlag(count, arguments, name) ? text : nullptr;
    return *value != nullptr;
}
inline char* sdkFindFilePath(const char*, const char*) {
    static char path[1];
    return __scopec_unknown<bool>() ? path : nullptr;
}
// Declared alone: a program that comes there is told so.
int stringRemoveDelimiter(char, const char*);
int getFileExtension(char*, char**);
SCOPEC_SHIM_END
