/* A contract whose cost is an argument, and one of each way to end. */
#include "near.h"

#define MAX_INPUT 4096
static u8 in[MAX_INPUT], scratch[MAX_INPUT], key[MAX_INPUT];

static u64 argument_n(void) {
  u32 len = input_json(in, MAX_INPUT);
  struct json n = MEMBER(in, len, "n", scratch);
  u64 v = integer(&n);
  if (n.at < n.end && (*n.at == '.' || *n.at == 'e' || *n.at == 'E')) BAD_INPUT();
  return v;
}

static u8 *copy(u8 *to, const char *text) {
  while (*text) *to++ = (u8)*text++;
  return to;
}

static u8 *put_decimal(u8 *to, u64 v) {
  u8 digits[20], *p = digits + sizeof digits;
  do *--p = (u8)('0' + v % 10);
  while (v /= 10);
  while (p < digits + sizeof digits) *to++ = *p++;
  return to;
}

/* n rounds of xorshift64*, whose outputs are summed. */
VIEW(burn) {
  u64 n = argument_n(), x = 0x9e3779b97f4a7c15, sum = 0;
  for (u64 i = 0; i < n; i++) {
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    sum += x * 0x2545f4914f6cdd1d;
  }
  u8 text[80], *p = copy(text, "{\"n\":");
  p = copy(put_decimal(p, n), ",\"checksum\":\"");
  for (int i = 60; i >= 0; i -= 4) *p++ = (u8)"0123456789abcdef"[sum >> i & 15];
  p = copy(p, "\"}");
  value_return((u64)(p - text), ADDR(text));
}

VIEW(log) {
  u64 n = argument_n();
  for (u64 i = 0; i < n; i++) {
    u8 line[32], *p = put_decimal(copy(line, "line "), i);
    log_utf8((u64)(p - line), ADDR(line));
  }
}

VIEW(read) {
  u32 len = input_json(in, MAX_INPUT);
  struct json k = MEMBER(in, len, "key", scratch);
  if (storage_read(string(&k, key), ADDR(key), 1))
    value_return(ALL_ONES, 1);
  else
    RETURN("null");
}

VIEW(fail) { PANIC("the contract was asked to fail"); }

VIEW(write) { storage_write(1, ADDR("k"), 1, ADDR("v"), 0); }
