// The lower-level names as kernels call them: they reach the instruction that the AscendC call
// reaches, with arguments in the right places. What is computed is tested in tests/isa.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using test::KernelRunner;

template <typename T>
T* At(uint32_t address) {
  return reinterpret_cast<T*>(get_imm(address));
}
// `count` numbers from `first` on, `step` apart, at an address of the unified buffer.
template <typename T>
T* Numbers(uint32_t address, uint32_t count, float first = 0, float step = 1) {
  T* out = At<T>(address);
  for (uint32_t i = 0; i < count; ++i) out[i] = T(first + step * static_cast<float>(i));
  return out;
}
template <typename Kernel>
void OnCore(const Kernel& kernel) {
  KernelRunner(1).Run([&] {
    set_mask_norm();
    set_vector_mask(~uint64_t{0}, ~uint64_t{0});
    kernel();
  });
}

TEST(Intrinsics, MoveInDatablocksAndInBytes) {
  std::vector<int16_t> in(256);
  std::iota(in.begin(), in.end(), int16_t{1});
  std::vector<int16_t> out(256, 0);
  KernelRunner(1).Input("in", in).Output("out", out).Run([&] {
    int16_t* a = At<int16_t>(1024);
    // 2 runs of 1 datablock, 1 apart in global memory, 2 apart on chip.
    copy_gm_to_ubuf(a, in.data(), 0, 2, 1, 1, 2);
    EXPECT_EQ(a[0], 1);
    EXPECT_EQ(a[48], 33);
    copy_ubuf_to_ubuf(At<int16_t>(4096), a, 0, 2, 1, 2, 0);
    EXPECT_EQ(At<int16_t>(4096)[16], 33);
    copy_ubuf_to_gm(out.data(), At<int16_t>(4096), 0, 2, 1, 0, 1);
    // 2 runs of 6 bytes, 4 apart, 1 element of padding on the left.
    set_mov_pad_val(77);
    copy_gm_to_ubuf_align_b16(a, in.data(), 0, 2, 6, 1, 0, 4, 1);
    EXPECT_EQ(a[0], 77);
    EXPECT_EQ(a[1], 1);
    EXPECT_EQ(a[33], 6);
    copy_ubuf_to_gm_align_b16(out.data() + 100, a, 0, 2, 4, 0, 0, 1, 2);
    // A number of a byte is an address too.
    copy_gm_to_ubuf(reinterpret_cast<int16_t*>(64), in.data(), 0, 1, 1, 0, 0);
    EXPECT_EQ(At<int16_t>(64)[15], 16);
  });
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[16], 0);
  EXPECT_EQ(out[32], 33);
  EXPECT_EQ(out[100], 77);
  EXPECT_EQ(out[101], 1);
  EXPECT_EQ(out[102], 0);
  EXPECT_EQ(out[103], 77);
  EXPECT_EQ(out[104], 6);
}

TEST(Intrinsics, ComputeUnderTheMaskRegister) {
  OnCore([] {
    auto* a = Numbers<float>(0, 128, 1);
    auto* b = Numbers<float>(1024, 128, 0, 2);
    auto* c = Numbers<float>(4096, 256, -1, 0);
    vadd(c, a, b, 2, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(c[127], 128 + 254);
    vsub(c, a, b, 1, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(c[3], 4 - 6);
    EXPECT_EQ(c[127], 128 + 254);
    vmul(c, a, b, 1, 2, 1, 1, 16, 8, 8);
    EXPECT_EQ(c[16], 9 * 16);
    vdiv(c, b, a, 1, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(c[1], 1);
    vmax(c, a, b, 1, 1, 1, 1, 8, 8, 8);
    vmin(c + 64, a, b, 1, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(c[5], 10);
    EXPECT_EQ(c[64 + 5], 6);
    set_vector_mask(0, 1);
    vadds(c, a, 5.0f, 1, 1, 1, 8, 8);
    EXPECT_EQ(c[0], 6);
    EXPECT_EQ(c[1], 2);
    vmuls(c, a, 5, 1, 1, 1, 8, 8);
    EXPECT_EQ(c[0], 5);
    vaxpy(c, a, 2.0f, 1, 1, 1, 8, 8);
    EXPECT_EQ(c[0], 7);
    vmla(c, a, b + 8, 1, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(c[0], 7 + 16);
  });
  OnCore([] {
    auto* a = Numbers<half>(0, 128, -4);
    auto* f = Numbers<float>(1024, 128);
    vmla(f, a, a, 2, 1, 1, 1, 8, 4, 4);
    EXPECT_EQ(f[0], 16);
    EXPECT_EQ(f[100], 100 + 96 * 96);
    vrelu(a, a, 1, 1, 1, 8, 8);
    EXPECT_EQ(float(a[0]), 0);
    vexp(a, a, 1, 1, 1, 8, 8);
    EXPECT_EQ(float(a[0]), 1);
    auto* i = Numbers<int32_t>(2048, 64, 17);
    vshr(i, i, 5, 1, 1, 1, 8, 8, true);
    EXPECT_EQ(i[0], 1);
    auto* u = Numbers<uint16_t>(4096, 128);
    vnot(u, u, 1, 1, 1, 8, 8);
    EXPECT_EQ(u[3], 0xfffc);
    set_mask_count();
    set_vector_mask(0, 3);
    vector_dup(u, uint16_t{9}, 1, 1, 1, 8, 8);
    EXPECT_EQ(u[2], 9);
    EXPECT_EQ(u[3], 0xfffc);
  });
}

TEST(Intrinsics, ConvertByTheirNames) {
  OnCore([] {
    auto* f = Numbers<float>(0, 64, -1.5f, 0.5f);
    auto* h = At<half>(1024);
    vconv_f322f16(h, f, 1, 1, 1, 4, 8);
    EXPECT_EQ(float(h[1]), -1);
    auto* i = At<int32_t>(2048);
    vconv_f322s32r(i, f, 1, 1, 1, 8, 8);
    EXPECT_EQ(i[0], -2);
    vconv_f322s32f(i, f, 1, 1, 1, 8, 8);
    EXPECT_EQ(i[2], -1);
    vconv_f322s32c(i, f, 1, 1, 1, 8, 8);
    EXPECT_EQ(i[0], -1);
    vconv_f322s32z(i, f, 1, 1, 1, 8, 8);
    EXPECT_EQ(i[0], -1);
    vconv_f322s32a(i, f, 1, 1, 1, 8, 8);
    EXPECT_EQ(i[2], -1);
    EXPECT_EQ(i[0], -2);
    vconv_s322f32(f, i, 1, 1, 1, 8, 8);
    EXPECT_EQ(f[0], -2);
    vconv_f162f32(f, h, 1, 1, 1, 8, 4);
    EXPECT_EQ(f[4], 0.5f);
    set_deqscale(half(0.5));
    vconv_deq(h, i, 1, 1, 1, 4, 8);
    EXPECT_EQ(float(h[0]), -1);
    auto* b = At<bfloat16_t>(4096);
    vconv_f322bf16r(b, f, 1, 1, 1, 4, 8);
    EXPECT_EQ(float(b[4]), 0.5f);
    auto* s = At<int8_t>(6144);
    vconv_f162s8(s, h, 1, 1, 1, 4, 8);
    EXPECT_EQ(s[0], -1);
  });
}

TEST(Intrinsics, ReduceAndBroadcast) {
  OnCore([] {
    auto* a = Numbers<float>(0, 128);
    auto* c = Numbers<float>(1024, 64, -1, 0);
    vcadd(c, a, 2, 1, 1, 8);
    EXPECT_EQ(c[0], 63 * 32);
    EXPECT_EQ(c[1], 63 * 32 + 64 * 64);
    vcadd(c, a, 2, 1, 1, 8, true);
    const uint64_t bits = static_cast<uint64_t>(get_acc_val());
    float total;
    std::memcpy(&total, &bits, sizeof(total));
    EXPECT_EQ(total, 127 * 64);
    set_mask_count();
    set_vector_mask(0, 100);
    vcadd(c, a, 1, 1, 1, 8, true);
    EXPECT_EQ(static_cast<float>(c[0]), 99 * 50);
    set_mask_norm();
    set_vector_mask(~uint64_t{0}, ~uint64_t{0});
    vcmax(c, a, 2, 1, 1, 8, ONLY_VALUE);
    EXPECT_EQ(c[1], 127);
    vcmin(c, a, 1, 1, 1, 8);
    EXPECT_EQ(c[0], 0);
    vcgadd(c, a, 1, 1, 1, 8);
    EXPECT_EQ(c[1], 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15);
    vcgmax(c, a, 1, 1, 1, 8);
    EXPECT_EQ(c[7], 63);
    vcpadd(c, a, 1, 1, 1, 8);
    EXPECT_EQ(c[1], 5);
    vbrcb(At<uint32_t>(4096), At<uint32_t>(0), 1, 8, 1);
    EXPECT_EQ(At<float>(4096)[8 * 3 + 7], 3);
    vbrcb(At<uint32_t>(4096), At<uint32_t>(0), 0, 0, 1);
    EXPECT_EQ(At<float>(4096)[7], 0);
  });
}

TEST(Intrinsics, CompareSelectAndGather) {
  OnCore([] {
    auto* a = Numbers<float>(0, 64);
    auto* b = Numbers<float>(1024, 64, 32, 0);
    auto* c = Numbers<float>(2048, 64, -1, 0);
    auto* bits = At<uint8_t>(4096);
    vcmpv_lt(bits, a, b, 1, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(bits[3], 0xff);
    EXPECT_EQ(bits[4], 0);
    vcmpvs_ge(bits, a, 62.0f, 1, 1, 1, 8, 8);
    EXPECT_EQ(bits[7], 0xc0);
    set_cmpmask(bits);
    vsel(c, a, b, 1, 1, 1, 1, 8, 8, 8);
    EXPECT_EQ(c[61], 32);
    EXPECT_EQ(c[62], 62);
    vcmp_eq(a, b, 1, 1, 1, 1, 0, 8, 8);
    vsel(c, a, b, 1, 1, 1, 1, 8, 8, 8, 0);
    EXPECT_EQ(c[0], 32);
    get_cmpmask(bits);
    EXPECT_EQ(bits[4], 1);

    auto* offsets = Numbers<uint32_t>(6144, 64, 0, 8);
    set_vector_mask(0, 0xff);
    vgather(At<uint32_t>(2048), offsets, static_cast<uint32_t>(get_imm(4)), 8, 1);
    EXPECT_EQ(c[7], 15);
    set_vector_mask(~uint64_t{0}, ~uint64_t{0});
    vreducev2(At<uint32_t>(2048), At<uint32_t>(0), At<uint32_t>(0), 1, 1, 2, 8, 0);
    EXPECT_EQ(get_rsvd_cnt(), 32);
    EXPECT_EQ(c[3], 7);
    set_mask_count();
    set_vector_mask(0, 10);
    vreducev2(At<uint32_t>(2048), At<uint32_t>(0), At<uint32_t>(0), 1, 1, 1, 8, 0);
    EXPECT_EQ(get_rsvd_cnt(), 5);
    set_mask_norm();
    auto* t = Numbers<uint16_t>(8192, 256);
    vtranspose(t, t);
    EXPECT_EQ(t[1], 16);
  });
}

TEST(Intrinsics, AccumulateAndWait) {
  std::vector<float> out(8, 1.0f);
  KernelRunner(2).Long().Output("out", out).Run([&] {
    Numbers<float>(0, 8, 2, 0);
    set_atomic_add();
    set_atomic_f32();
    copy_ubuf_to_gm(out.data(), At<float>(0), 0, 1, 1, 0, 0);
    set_atomic_none();
    dsb(DSB_DDR);
    dcci(out.data(), SINGLE_CACHE_LINE, CACHELINE_OUT);
    ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 3 << 8);
    wait_flag_dev(3);
    EXPECT_EQ(out[0], 5.0f);
  });
  for (float value : out) EXPECT_EQ(value, 5.0f);
}

TEST(Intrinsics, MisuseIsASentence) {
  auto sentence = [](auto kernel) { return KernelRunner(1).Error(kernel); };
  std::string error = sentence([] { vadds(At<float>(4), At<float>(0), 1.0f, 1, 1, 1, 8, 8); });
  EXPECT_NE(error.find("Adds at "), std::string::npos) << error;
  EXPECT_NE(error.find("multiple of 32"), std::string::npos) << error;
  error = sentence([] { vadds(At<float>(0), At<float>(0), 1.0f, 256, 1, 1, 8, 8); });
  EXPECT_NE(error.find("at most 255"), std::string::npos) << error;
  error = sentence([] { copy_gm_to_ubuf(At<float>(0), At<float>(0), 0, 1, 1, 0, 0); });
  EXPECT_NE(error.find("reads 32 bytes of memory"), std::string::npos) << error;
  error = sentence([] { vcadd(At<float>(0), At<float>(0), 2, 1, 1, 9, true); });
  EXPECT_NE(error.find("vcadd: a total is taken of consecutive elements"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace bascule::engine
