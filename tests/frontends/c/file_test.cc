// What C programs find beside the standard streams: files, the calendar, wide characters, sorting.
#include <gtest/gtest.h>

#include <string>

#include "frontends/c/temp_folder.h"
#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

using frontends::c::TempFolder;

TEST(CFile, FilesAreWrittenReadMovedAndRemoved) {
  SKIP_WITHOUT_C();
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->Write("old.txt", "first\nsecond\n"));
  frontends::wasi::Options wasi;
  wasi.directories.push_back({folder->PathOf(""), "data", false});
  const Outcome outcome = RunProgram(Compile(R"(#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char line[80];
  int number = 0;
  double half = 0;
  FILE* file = fopen("data/new.txt", "w+");
  if (file == NULL) return 1;
  fprintf(file, "number %d\nhalf %g\n", 42, 0.5);
  rewind(file);
  printf("%d ", fscanf(file, "number %d half %lf", &number, &half));
  printf("%d %g %ld\n", number, half, ftell(file));
  fseek(file, 7, SEEK_SET);
  fputc('7', file);
  fseek(file, -9, SEEK_END);
  printf("%s", fgets(line, sizeof line, file));
  fclose(file);
  file = fopen("data/new.txt", "a");
  fputs("more\n", file);
  fclose(file);
  file = fopen("data/new.txt", "r");
  while (fgets(line, sizeof line, file) != NULL) fputs(line, stdout);
  printf("%d %d\n", feof(file), fputc('x', file));
  fclose(file);
  struct stat facts;
  printf("%d %d\n", stat("data/new.txt", &facts), (int)facts.st_size);
  printf("%d %d\n", rename("data/new.txt", "data/moved.txt"), access("data/new.txt", F_OK));
  printf("%s\n", strerror(errno));
  printf("%d %d\n", remove("data/moved.txt"), fopen("data/none", "r") == NULL);
  file = fopen("data/old.txt", "rb");
  printf("%d %.6s", (int)fread(line, 1, 6, file), line);
  ungetc('!', file);
  printf("%c%c %ld\n", fgetc(file), fgetc(file), ftell(file));
  return -1;
}
)",
                                                     {}),
                                             vm::EngineKind::kNative, wasi);
  EXPECT_EQ(outcome.out,
            "2 42 0.5 18\nhalf 0.5\nnumber 72\nhalf 0.5\nmore\n1 -1\n0 24\n0 -1\n"
            "No such file or directory\n0 1\n6 first\n!s 7\n");
  EXPECT_EQ(outcome.end, "exited 255");
}

TEST(CFile, AProgramWithoutFoldersIsToldOfThem) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
int main(void) { return fopen("a.txt", "r") == NULL && fopen("b.txt", "r") == NULL; })",
                                            {}));
  EXPECT_EQ(outcome.err,
            "txvm: 'a.txt' is not found: the program has no folder, --dir gives it one\n");
  EXPECT_EQ(outcome.end, "exited 1");
}

TEST(CFile, TimesHaveACalendar) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <time.h>
int main(void) {
  static const long long times[] = {0, 1700000000, 951782400, -1, -86400000, 4102444799, 1230768000};
  for (unsigned i = 0; i < sizeof times / sizeof times[0]; ++i) {
    const time_t now = times[i];
    struct tm parts = *gmtime(&now);
    char text[120];
    strftime(text, sizeof text,
             "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %V %G %W %u %w %I %p %y %C %e %%", &parts);
    printf("%s %s", text, asctime(&parts));
    parts.tm_mday += 40;
    parts.tm_sec -= 100;
    const long long later = timegm(&parts);
    printf("%lld %d %g\n", later, parts.tm_yday, difftime(now, 5));
  }
  return 0;
}
)");
}

TEST(CFile, SortingAndRandomNumbersAreThoseOfGlibc) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <stdlib.h>
static int by_tens(const void* a, const void* b) { return *(int*)a / 10 - *(int*)b / 10; }
static int greater(const void* a, const void* b) { return *(int*)a > *(int*)b; }
int main(void) {
  int numbers[100];
  printf("%d\n", rand());
  for (unsigned seed = 0; seed < 4; ++seed) {
    srand(seed * 1234567891);
    for (int i = 0; i < 100; ++i) numbers[i] = rand() % 100;
    qsort(numbers, 100, sizeof numbers[0], seed % 2 ? by_tens : greater);
    for (int i = 0; i < 100; ++i) printf("%d ", numbers[i]);
    printf("%d\n", rand());
  }
  return 0;
}
)");
}

TEST(CFile, WideCharactersAreUtf8) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>
int main(void) {
  wchar_t text[20];
  setlocale(LC_ALL, "");
  printf("%d", (int)mbstowcs(text, "h\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 20));
  for (int i = 0; text[i] != 0; ++i) printf(" %x", (unsigned)text[i]);
  wprintf(L" %ls %5.3ls| %lc %d %s\n", text, L"abcdef", L'\u00e9', 5, "char");
  printf("%d %d ", wcscmp(L"abc", L"abd"), (int)wcslen(wcschr(L"hello", L'l')));
  printf("%lc %ld\n", (wint_t)towupper(L'q'), wcstol(L" -12x", NULL, 10));
  return (int)mbstowcs(text, "\xFF", 20);
}
)",
                                            {}));
  EXPECT_EQ(outcome.out,
            "4 68 e9 20ac 1f600 h\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80   abc| \xC3\xA9 5 char\n"
            "-1 3 Q -12\n");
  EXPECT_EQ(outcome.end, "exited 255");
}

}  // namespace
}  // namespace txvm::tests
