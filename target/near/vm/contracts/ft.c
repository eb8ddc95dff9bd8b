/* A fungible token's view methods (NEP-141, NEP-148). Storage: "s" the total
   supply, "b" and an account's id its balance, both u128 little-endian; "m" the
   metadata as JSON. What is absent is zero, or the metadata built in. */
#include "near.h"

#define MAX_INPUT 4096
static u8 in[MAX_INPUT], scratch[MAX_INPUT], key[MAX_INPUT + 1];

/* The quotient of a u128 by ten, without the library that C would ask for. */
static u32 divide_by_ten(u64 *high, u64 *low) {
  u64 words[4] = {*high >> 32, *high & 0xffffffff, *low >> 32, *low & 0xffffffff};
  u64 rest = 0;
  for (int i = 0; i < 4; i++) {
    rest = rest << 32 | words[i];
    words[i] = rest / 10;
    rest %= 10;
  }
  *high = words[0] << 32 | words[1];
  *low = words[2] << 32 | words[3];
  return (u32)rest;
}

/* return_amount returns what storage has under the key, a u128, as JSON does:
   "123". */
static void return_amount(u32 key_len) {
  u64 amount[2] = {0, 0};
  u8 text[41], *p = text + sizeof text;
  if (storage_read(key_len, ADDR(key), 1)) {
    if (register_len(1) != sizeof amount) PANIC("Cannot deserialize the contract state.");
    read_register(1, ADDR(amount));
  }
  *--p = '"';
  do *--p = (u8)('0' + divide_by_ten(&amount[1], &amount[0]));
  while (amount[0] | amount[1]);
  *--p = '"';
  value_return((u64)(text + sizeof text - p), ADDR(p));
}

VIEW(ft_balance_of) {
  u32 len = input_json(in, MAX_INPUT);
  struct json id = MEMBER(in, len, "account_id", scratch);
  key[0] = 'b';
  return_amount(1 + string(&id, key + 1));
}

VIEW(ft_total_supply) {
  key[0] = 's';
  return_amount(1);
}

VIEW(ft_metadata) {
  if (storage_read(1, ADDR("m"), 1))
    value_return(ALL_ONES, 1);
  else
    RETURN("{\"spec\":\"ft-1.0.0\",\"name\":\"Volley Token\",\"symbol\":\"VLY\",\"icon\":null,"
           "\"reference\":null,\"reference_hash\":null,\"decimals\":18}");
}
