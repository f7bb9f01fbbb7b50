// SPDX-License-Identifier: Apache-2.0
// Which stores the pass recognises as stores to an invocation's own elements.
#include <gtest/gtest.h>

#include "instrument/runtime/abi_report.h"
#include "own_stores.h"
#include "support.h"

namespace shaderqa::test {
namespace {

// Stores of hazard sites that have the flag, and those that have not.
struct Stores {
  size_t own = 0, others = 0;
  bool operator==(const Stores&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Stores& stores) {
  return out << stores.own << " own, " << stores.others << " others";
}

struct Shader {
  std::string size = "LocalSize 64 1 1";
  std::string variables = "";    // of the function
  std::string second = "1";      // binding of %other, a buffer as %buffer
  std::string decorations = "";  // and execution modes
  bool own_elements = true;
  SyncEngine engine = SyncEngine::exact;
};

Stores stores_of(const std::string& body, const Shader& shader = {}) {
  const Module words = assemble(fixture("own_elements", {{"SIZE", shader.size},
                                                         {"DECORATIONS", shader.decorations},
                                                         {"SECOND", shader.second},
                                                         {"VARIABLES", shader.variables},
                                                         {"BODY", body}}),
                                SPV_ENV_UNIVERSAL_1_6);
  EXPECT_EQ(validation_error(words, SPV_ENV_UNIVERSAL_1_6), "");
  InstrumentOptions options = sync_options();
  options.sync.engine = shader.engine;
  options.sync.own_elements = shader.own_elements;
  options.sync.merge = false;
  for (DescriptorSlots& slots : options.sync.descriptors)
    slots.direct = slots.set == 0 ? slots.binding + 1 : 0;
  const auto result = instrument(words, options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  EXPECT_EQ(validation_error(result.words, SPV_ENV_UNIVERSAL_1_6), "");
  Stores stores;
  stores.own = own_stores(result.words);
  for (const CheckSite& site : result.record.check_sites) stores.others += site.access == SQA_ACCESS_STORE;
  stores.others -= stores.own;
  return stores;
}

std::string store_at(const std::string& index, const std::string& buffer = "buffer", int number = 0) {
  const std::string pointer = "%p" + std::to_string(number) + "_" + buffer;
  return pointer + " = OpAccessChain %uint_pointer %" + buffer + " %c0 " + index + "\nOpStore " + pointer +
         " %c3\n";
}
std::string load_at(const std::string& index, const std::string& buffer = "buffer", int number = 9) {
  const std::string name = std::to_string(number) + "_" + buffer;
  return "%q" + name + " = OpAccessChain %uint_pointer %" + buffer + " %c0 " + index + "\n%v" + name +
         " = OpLoad %uint %q" + name + "\n";
}

TEST(OwnElements, AreThoseAtTheInvocationsNumber) {
  EXPECT_EQ(stores_of(store_at("%x")), (Stores{1, 0}));
  EXPECT_EQ(stores_of(store_at("%y")), (Stores{0, 1})) << "all of a row have the same";
  EXPECT_EQ(stores_of(store_at("%c2")), (Stores{0, 1}));
  EXPECT_EQ(stores_of(store_at("%x") + load_at("%x")), (Stores{1, 0})) << "loads of the same element";
  EXPECT_EQ(stores_of(load_at("%c2", "other") + store_at("%x")), (Stores{1, 0})) << "another buffer";
}

TEST(OwnElements, MayBeComputed) {
  EXPECT_EQ(stores_of("%i = OpIAdd %uint %x %c3\n" + store_at("%i")), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%i = OpISub %uint %x %c3\n" + store_at("%i")), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%i = OpIMul %uint %c2 %x\n" + store_at("%i")), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%b = OpBitcast %int %x\n%s = OpShiftLeftLogical %int %b %i2\n" + store_at("%s")),
            (Stores{1, 0}));
  EXPECT_EQ(
      stores_of("%s = OpVectorShuffle %uint3 %vector %vector 0 2 1\n%i = OpCompositeExtract %uint %s 0\n" +
                store_at("%i")),
      (Stores{1, 0}));
  EXPECT_EQ(
      stores_of("%s = OpIMul %uint3 %vector %vector\n%i = OpCompositeExtract %uint %s 0\n" + store_at("%i")),
      (Stores{0, 1}))
      << "another vector";
  EXPECT_EQ(
      stores_of("%s = OpVectorShuffle %uint3 %vector %vector 1 0 2\n%i = OpCompositeExtract %uint %s 0\n" +
                store_at("%i")),
      (Stores{0, 1}));
  EXPECT_EQ(stores_of("%i = OpUDiv %uint %x %c2\n" + store_at("%i")), (Stores{0, 1})) << "two have one";
  EXPECT_EQ(stores_of("%i = OpBitwiseXor %uint %x %c2\n" + store_at("%i")), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%i = OpISub %uint %x %x\n" + store_at("%i")), (Stores{0, 1})) << "all have one";
  EXPECT_EQ(stores_of("%i = OpIAdd %uint %x %y\n" + store_at("%i")), (Stores{0, 1}));
}

// Two indices that are computed in two ways: whether they are of one element decides.
TEST(OwnElements, AreTheSameHoweverTheyAreComputed) {
  const auto own = [](const std::string& one, const std::string& two) {
    return stores_of("%one = " + one + "\n" + two + store_at("%one") + load_at("%two")) == Stores{1, 0};
  };
  const std::string next = "%n = OpIAdd %uint %x %c3\n", twice = "%d = OpIMul %uint %x %c2\n";
  EXPECT_TRUE(own("OpISub %uint %x %c3", "%t = OpISub %uint %x %c1\n%two = OpISub %uint %t %c2\n"));
  EXPECT_FALSE(own("OpISub %uint %x %c3", "%t = OpISub %uint %x %c1\n%two = OpISub %uint %t %c1\n"));
  EXPECT_TRUE(own("OpIAdd %uint %x %x", "%two = OpIMul %uint %c2 %x\n"));
  EXPECT_FALSE(own("OpIAdd %uint %x %x", "%two = OpIMul %uint %c3 %x\n")) << "elements of another size";
  const std::string six = "%s = OpIAdd %uint %c3 %c3\n%two = OpIAdd %uint %d %s\n";
  EXPECT_TRUE(own("OpShiftLeftLogical %uint %x %c1", twice + "%two = OpCopyObject %uint %d\n"));
  EXPECT_EQ(
      stores_of(next + twice + "%one = OpIMul %uint %n %c2\n" + six + store_at("%one") + load_at("%two")),
      (Stores{1, 0}));
  EXPECT_EQ(
      stores_of(next + twice + "%one = OpIMul %uint %c2 %n\n" + six + store_at("%one") + load_at("%two")),
      (Stores{1, 0}));
  EXPECT_EQ(stores_of(next + twice + "%one = OpShiftLeftLogical %uint %n %c1\n" + six + store_at("%one") +
                      load_at("%two")),
            (Stores{1, 0}));
  EXPECT_EQ(stores_of(next + twice + "%one = OpShiftLeftLogical %uint %n %c1\n" + six +
                      "%three = OpIAdd %uint %two %c2\n" + store_at("%one") + load_at("%three")),
            (Stores{0, 1}));
}

TEST(OwnElements, NeedAnIndexThatTellsInvocationsApart) {
  EXPECT_EQ(stores_of("%i = OpIMul %uint %x %x\n" + store_at("%i")), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%i = OpIMul %uint %x %c0\n" + store_at("%i")), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%i = OpISub %uint %c3 %x\n" + store_at("%i")), (Stores{0, 1})) << "downwards";
  EXPECT_EQ(stores_of("%i = OpShiftLeftLogical %uint %c2 %x\n" + store_at("%i")), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%i = OpShiftLeftLogical %uint %x %c64\n" + store_at("%i")), (Stores{0, 1}));
}

TEST(OwnElements, MayComeThroughVectors) {
  const Shader shader{.variables = "%v3 = OpVariable %function_uint3 Function"};
  const std::string extracted = "%i = OpCompositeExtract %uint %w 0\n" + store_at("%i");
  const std::string loaded = "%w = OpLoad %uint3 %v3\n";
  EXPECT_EQ(stores_of("OpStore %v3 %vector\n" + loaded + extracted, shader), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%other_vector = OpIAdd %uint3 %vector %vector\nOpStore %v3 %other_vector\n" + loaded +
                          extracted,
                      shader),
            (Stores{1, 0}))
      << "every other element";
  EXPECT_EQ(stores_of("%other_vector = OpIMul %uint3 %vector %vector\nOpStore %v3 %other_vector\n" + loaded +
                          extracted,
                      shader),
            (Stores{0, 1}));
  EXPECT_EQ(stores_of(loaded + extracted, shader), (Stores{0, 1})) << "nothing was stored";
  EXPECT_EQ(stores_of("%w = OpCopyObject %uint3 %vector\n" + extracted), (Stores{1, 0}));
  EXPECT_EQ(
      stores_of("OpStore %v3 %vector\n" + loaded + "%i = OpCompositeExtract %uint %w 1\n" + store_at("%i"),
                shader),
      (Stores{0, 1}));
}

TEST(OwnElements, MayComeThroughVariablesThatAreStoredOnce) {
  const Shader shader{
      .variables = "%i = OpVariable %function_uint Function\n%v3 = OpVariable %function_uint3 Function"};
  const std::string loaded = "%l = OpLoad %uint %i\n" + store_at("%l");
  EXPECT_EQ(stores_of("OpStore %i %x\n" + loaded, shader), (Stores{1, 0}));
  EXPECT_EQ(stores_of("OpStore %i %x\nOpStore %i %y\n" + loaded, shader), (Stores{0, 1}));
  EXPECT_EQ(stores_of("OpStore %kept %x\n%l = OpLoad %uint %kept\n" + store_at("%l")), (Stores{1, 0}));
  const std::string component =
      "%c = OpAccessChain %function_uint %v3 %c0\n%l = OpLoad %uint %c\n" + store_at("%l");
  EXPECT_EQ(stores_of("OpStore %v3 %vector\n" + component, shader), (Stores{1, 0}));
  EXPECT_EQ(stores_of("OpStore %v3 %vector\n" + component + "OpStore %c %c2\n", shader), (Stores{0, 1}))
      << "a part of it is stored to";
  EXPECT_EQ(stores_of("OpStore %v3 %vector\n" + component +
                          "%d = OpAccessChain %function_uint %c\nOpStore %d %c2\n",
                      shader),
            (Stores{0, 1}))
      << "by a chain of a chain";
  EXPECT_EQ(
      stores_of("OpStore %v3 %vector\n%c = OpAccessChain %function_uint %v3 %c1\n%l = OpLoad %uint %c\n" +
                    store_at("%l"),
                shader),
      (Stores{0, 1}));
}

TEST(OwnElements, AreNoOtherInvocationsByAnyAccess) {
  EXPECT_EQ(stores_of("%i = OpIAdd %uint %x %c1\n" + store_at("%x") + load_at("%i")), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%i = OpIAdd %uint %x %c1\n" + store_at("%x") + store_at("%i", "buffer", 1)),
            (Stores{0, 2}));
  EXPECT_EQ(stores_of(store_at("%x") + load_at("%c2")), (Stores{0, 1}));
  EXPECT_EQ(stores_of(store_at("%x") + load_at("%c2", "other"), {.second = "0"}), (Stores{0, 1}))
      << "another variable of the same binding";
  EXPECT_EQ(stores_of(store_at("%x") + "%q = OpAccessChain %uint_pointer %buffer %c0 %x\n"
                                       "%a = OpAtomicIAdd %uint %q %c1 %c0 %c1\n"),
            (Stores{0, 1}));
  EXPECT_EQ(stores_of(store_at("%x") + store_at("%c2", "other")), (Stores{1, 1}))
      << "of each buffer by itself";
}

TEST(OwnElements, AreAsWideAsTheirStride) {
  const auto member = [](const std::string& index, const std::string& number) {
    const std::string name = "%m" + number + "_" + index.substr(1);
    return name + " = OpAccessChain %uint_pointer %pairs %c0 " + index + " %c" + number + "\nOpStore " +
           name + " %c3\n";
  };
  EXPECT_EQ(stores_of(member("%x", "0") + member("%x", "1")), (Stores{2, 0}));
  EXPECT_EQ(stores_of("%i = OpIAdd %uint %x %c1\n" + member("%x", "0") + member("%i", "1")), (Stores{2, 0}))
      << "one member of this element, and another one of the next";
  EXPECT_EQ(stores_of("%i = OpIAdd %uint %x %c1\n" + member("%x", "0") + member("%i", "0")), (Stores{0, 2}));
  const std::string two = "%d = OpIMul %uint %x %c2\n%e = OpIAdd %uint %d %c1\n";
  EXPECT_EQ(stores_of(two + store_at("%d") + store_at("%e", "buffer", 1)), (Stores{2, 0}));
  EXPECT_EQ(stores_of(two + "%f = OpIAdd %uint %e %c1\n" + store_at("%d") + store_at("%f", "buffer", 1)),
            (Stores{0, 2}));
}

TEST(OwnElements, NeedARowOfInvocations) {
  EXPECT_EQ(stores_of(store_at("%x"), {.size = "LocalSize 64 2 1"}), (Stores{0, 1}));
  EXPECT_EQ(stores_of(store_at("%x"), {.size = "LocalSize 8 1 2"}), (Stores{0, 1}));
  EXPECT_EQ(stores_of(store_at("%x"), {.size = "LocalSize 1024 1 1"}), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%i = OpIMul %uint %c2 %x\n" + store_at("%i"), {.size = "LocalSize 1024 1 1"}),
            (Stores{1, 0}))
      << "of fewer workgroups: indices may come round";
  EXPECT_EQ(stores_of(store_at("%x"),
                      {.size = "LocalSize 8 8 1", .decorations = "OpDecorate %size BuiltIn WorkgroupSize"}),
            (Stores{1, 0}))
      << "the constant counts";
  EXPECT_EQ(stores_of(store_at("%x"), {.decorations = "OpDecorate %unknown_size BuiltIn WorkgroupSize\n"
                                                      "OpDecorate %unknown SpecId 0"}),
            (Stores{0, 1}));
}

TEST(OwnElements, AreOfTheExactEngineAndCanBeSwitchedOff) {
  EXPECT_EQ(stores_of(store_at("%x"), {.own_elements = false}), (Stores{0, 1}));
  EXPECT_EQ(stores_of(store_at("%x"), {.engine = SyncEngine::bloom}), (Stores{0, 1}));
}

// Malformed modules have computations without end.
TEST(OwnElements, AreNotFollowedForEver) {
  const auto sum = [](int terms) {
    std::string body, last = "%x";
    for (int i = 0; i < terms; ++i) {
      const std::string next = "%sum" + std::to_string(i);
      body += next + " = OpIAdd %uint " + last + " %c0\n";
      last = next;
    }
    return body + store_at(last);
  };
  EXPECT_EQ(stores_of(sum(63)), (Stores{1, 0}));
  EXPECT_EQ(stores_of(sum(66)), (Stores{0, 1}));
  const auto copies = [](int count) {
    std::string body, last = "%vector";
    for (int i = 0; i < count; ++i) {
      const std::string next = "%copy" + std::to_string(i);
      body += next + " = OpCopyObject %uint3 " + last + "\n";
      last = next;
    }
    return body + "%i = OpCompositeExtract %uint " + last + " 0\n" + store_at("%i");
  };
  EXPECT_EQ(stores_of(copies(63)), (Stores{1, 0}));
  EXPECT_EQ(stores_of(copies(66)), (Stores{0, 1}));
}

TEST(OwnElements, NeedTheFirstComponentOfTheInvocation) {
  const std::string store = "%i = OpCompositeExtract %uint %v 0\n" + store_at("%i");
  EXPECT_EQ(stores_of("%v = OpCompositeConstruct %uint3 %y %x %x\n" + store), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%v = OpCompositeConstruct %uint3 %x %y %y\n" + store), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%v = OpVectorShuffle %uint3 %vector %vector 4 0 0\n" + store), (Stores{0, 1}));
  EXPECT_EQ(stores_of("%v = OpVectorShuffle %uint3 %vector %vector 3 1 1\n" + store), (Stores{1, 0}));
  EXPECT_EQ(stores_of("%v = OpVectorShuffle %uint3 %vector %vector 4294967295 0 0\n" + store),
            (Stores{0, 1}));
  EXPECT_EQ(stores_of("%v = OpBitcast %uint3 %vector\n" + store), (Stores{1, 0}));
}

}  // namespace
}  // namespace shaderqa::test
