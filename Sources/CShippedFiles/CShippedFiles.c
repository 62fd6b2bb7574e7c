#include "CShippedFiles.h"

// `#embed` is C23. Swift's own embedding turns these files into a literal of eighty thousand
// numbers, which takes its optimizer a dozen seconds.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char ios3[] = {
#embed "../../Policies/ios3.yaml"
};
static const unsigned char ios4[] = {
#embed "../../Policies/ios4.yaml"
};
static const unsigned char ios7[] = {
#embed "../../Policies/ios7.yaml"
};
static const unsigned char ios13[] = {
#embed "../../Policies/ios13.yaml"
};
static const unsigned char android14[] = {
#embed "../../Policies/android14.yaml"
};
static const unsigned char car[] = {
#embed "../../Policies/car.yaml"
};
static const unsigned char server[] = {
#embed "../../Policies/server.yaml"
};
static const unsigned char day[] = {
#embed "../../Policies/day.yaml"
};
static const unsigned char phone[] = {
#embed "../../Policies/Workloads/phone.yaml"
};

// The profiles in the order in which they are listed: iOS first, the oldest system before
// the others.
static const struct csf_file files[] = {
  {"Policies/ios3.yaml", ios3, sizeof ios3, true},
  {"Policies/ios4.yaml", ios4, sizeof ios4, true},
  {"Policies/ios7.yaml", ios7, sizeof ios7, true},
  {"Policies/ios13.yaml", ios13, sizeof ios13, true},
  {"Policies/android14.yaml", android14, sizeof android14, true},
  {"Policies/car.yaml", car, sizeof car, true},
  {"Policies/server.yaml", server, sizeof server, true},
  {"Policies/day.yaml", day, sizeof day, false},
  {"Policies/Workloads/phone.yaml", phone, sizeof phone, false},
};

size_t csf_count(void) { return sizeof files / sizeof files[0]; }

const struct csf_file *csf_file_at(size_t place) { return &files[place]; }
