/* In front of a source whose main declares its parameters after the parentheses, as before C89:
   gives it the name that clang gives every other main of two parameters. */
#pragma once
int main(int count, char** words) __asm__("__main_argc_argv");
