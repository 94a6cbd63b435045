/* A stand-in for libpayments.so, whose functions jump to those of the library
 * that PAYMENTS_TEST_LIBRARY names. It loads that with RTLD_DEEPBIND, as PHP does:
 * programs that are linked with this one then call it as PHP would. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define JUMP(name) "jmp *to_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, to_" #name "\nldr x16, [x16, :lo12:to_" #name "]\nbr x16\n"
#else
#error "name the jump of this processor"
#endif

/* exports.inc has a line for each exported function. */
#define EXPORT(name) \
    __attribute__((visibility("hidden"))) void *to_##name; \
    __asm__(".pushsection .text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(name) ".popsection\n");
#include "exports.inc"
#undef EXPORT

__attribute__((constructor)) static void load(void)
{
    void *library = dlopen(getenv("PAYMENTS_TEST_LIBRARY"), RTLD_LAZY | RTLD_GLOBAL | RTLD_DEEPBIND);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
#define EXPORT(name) to_##name = dlsym(library, #name);
#include "exports.inc"
#undef EXPORT
}
