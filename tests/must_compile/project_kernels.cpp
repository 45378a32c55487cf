// Forms of kernels that operator projects use and documentation pages mention in passing, if at
// all.
#include "basic_api/kernel_operator_list_tensor_intf.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

struct Plan {
  uint32_t length;
};

class Joined {
 public:
  __aicore__ inline void Init(GM_ADDR out, __tiling_data_ptr__ Plan* plan) {
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(out), plan->length);
    pipe_.InitBuffer(queue_, 1, 512);
    AscendC::InitGlobalMemory(out_, plan->length, bfloat16_t(0.0f));
  }
  // Copied in, computed on, and copied out, all in one buffer.
  __aicore__ inline void Run() {
    AscendC::LocalTensor<bfloat16_t> row = queue_.AllocTensor<bfloat16_t>();
    queue_.EnQue<AscendC::QuePosition::GM, AscendC::QuePosition::VECIN, bfloat16_t>(row);
    row = queue_.DeQue<AscendC::QuePosition::GM, AscendC::QuePosition::VECIN, bfloat16_t>();
    AscendC::LocalTensor<bfloat16_t> rows[16];
    for (auto& one : rows) one = row;
    AscendC::TransDataTo5HD<bfloat16_t>(rows, rows, AscendC::TransDataTo5HDParams());
    queue_.EnQue<AscendC::QuePosition::VECIN, AscendC::QuePosition::VECOUT, bfloat16_t>(row);
    row = queue_.DeQue<AscendC::QuePosition::VECIN, AscendC::QuePosition::VECOUT, bfloat16_t>();
    queue_.FreeTensor(row);
  }

 private:
  AscendC::TPipe pipe_;
  AscendC::TQueBind<AscendC::QuePosition::VECIN, AscendC::QuePosition::VECOUT, 1> queue_;
  AscendC::GlobalTensor<bfloat16_t> out_;
};

void Use(GM_ADDR out, GM_ADDR tiling) {
  GET_TILING_DATA_PTR_WITH_STRUCT(Plan, plan, tiling);
  Joined joined;
  joined.Init(out, plan);
  joined.Run();
}

// What Compare left in a tensor of int8_t selects.
void Choose(const AscendC::LocalTensor<int8_t>& bits, const AscendC::LocalTensor<float>& x) {
  AscendC::Compare(bits, x, x, AscendC::CMPMODE::LT, 64);
  AscendC::Select(x, bits, x, x, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  AscendC::Select(x, bits, x, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
}

// A tiling through a restricted pointer.
void Multiply(GM_ADDR workspace, const TCubeTiling* __restrict tiling) {
  using Type = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>;
  AscendC::TPipe pipe;
  matmul::Matmul<Type, Type, Type, Type> product;
  REGIST_MATMUL_OBJ(&pipe, workspace, product, tiling);
}

// Four numbers are a DataCopyParams, eight of what leaves L0C.
void Move(const AscendC::LocalTensor<float>& to, const AscendC::LocalTensor<float>& from,
          uint16_t blocks) {
  AscendC::DataCopy(to, from, {4, blocks, blocks, 0});
  AscendC::DataCopyCO12DstParams out(16, 16, 16, 16, QuantMode_t::NoQuant, 0, false, true);
  AscendC::DataCopy(to, from, out);
}

// A queue of which the kernel says how many buffers it has.
constexpr AscendC::TQueConfig kOneBuffer = {
    false, false, false, 0, 1, 0, {AscendC::TPosition::MAX, AscendC::TPosition::MAX}};
void Configure() {
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1, &kOneBuffer> queue;
  pipe.InitBuffer(queue, 1, 256);
  AscendC::LocalTensor<float> x = queue.AllocTensor<float>();
  queue.FreeTensor(x);
}

// The toolkit's samples check a value where they use it, without a semicolon between.
uint32_t Checked(uint32_t tiles) {
  ASSERT(tiles < 100);
  if (tiles > 10)
    ASSERT(tiles != 11, "tiles is %u", tiles);
  else
    ASSERT(tiles != 12 && "twelve tiles");
  uint32_t count = 0;
  count = tiles ASSERT(tiles != 0 && "no tile");
  return count;
}

// A type is named for the bias, and none is set.
void Product(GM_ADDR workspace, const TCubeTiling* tiling,
             const AscendC::GlobalTensor<bfloat16_t>& x) {
  using Type = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, bfloat16_t>;
  AscendC::TPipe pipe;
  matmul::Matmul<Type, Type, Type, Type> product;
  REGIST_MATMUL_OBJ(&pipe, workspace, product, tiling);
  product.SetTensorA(x);
  product.SetTensorB(x);
  product.IterateAll(x);
}

// Elements by call syntax.
float Elements(const AscendC::GlobalTensor<float>& global,
               const AscendC::LocalTensor<float>& local) {
  global(0) = 1.0f;
  global(1) += global(0);
  local(0) = global(1);
  const auto copy = global(2);
  return copy + local(0) + static_cast<float>(AscendC::GlobalTensor<half>()(0));
}
