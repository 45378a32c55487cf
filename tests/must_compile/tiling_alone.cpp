// A project's header with a tiling, which has more of the host's and includes nothing else.
#include "register/tilingdata_base.h"

namespace optiling {
struct Planned {
  std::vector<ge::DataType> types;
  ge::graphStatus status = ge::GRAPH_SUCCESS;
};
BEGIN_TILING_DATA_DEF(AloneTiling)
TILING_DATA_FIELD_DEF(uint32_t, length);
END_TILING_DATA_DEF;
}  // namespace optiling
