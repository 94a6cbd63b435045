/* Rust's standard library takes random bytes from this DLL, which Wine 8 lacks. */
#include <stdint.h>
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(uint8_t *bytes, size_t length)
{
    return SystemFunction036(bytes, (unsigned long)length);
}
