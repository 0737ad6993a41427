#pragma once
#define MINIZ_EXPORT
