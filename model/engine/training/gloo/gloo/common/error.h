// Nothing of this header is named by LibTorch's (docs/decisions/0048).
#pragma once
