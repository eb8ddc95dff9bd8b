/* What a contract needs of nearcore's host functions, and of C. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define HOST(name) __attribute__((import_module("env"), import_name(#name))) extern
#define VIEW(name) __attribute__((export_name(#name))) void name(void)

HOST(input) void input(u64 reg);
HOST(register_len) u64 register_len(u64 reg);
HOST(read_register) void read_register(u64 reg, u64 ptr);
HOST(value_return) void value_return(u64 len, u64 ptr);
HOST(panic_utf8) __attribute__((noreturn)) void panic_utf8(u64 len, u64 ptr);
HOST(log_utf8) void log_utf8(u64 len, u64 ptr);
HOST(storage_read) u64 storage_read(u64 key_len, u64 key_ptr, u64 reg);
HOST(storage_write) u64 storage_write(u64 key_len, u64 key_ptr, u64 value_len, u64 value_ptr, u64 reg);

#define ADDR(p) ((u64)(unsigned long)(p))
#define RETURN(text) value_return(sizeof(text) - 1, ADDR(text))
#define PANIC(text) panic_utf8(sizeof(text) - 1, ADDR(text))
/* As near-sdk says it. */
#define BAD_INPUT() PANIC("Failed to deserialize input from JSON.")
/* A register's id as value_return's pointer, with all ones for its length. */
#define ALL_ONES (~0ull)

/* input_json reads the arguments into buf, of size bytes; where there are more
   or none it panics. */
static u32 input_json(u8 *buf, u32 size) {
  input(0);
  u64 len = register_len(0);
  if (len == 0 || len > size) BAD_INPUT();
  read_register(0, ADDR(buf));
  return (u32)len;
}

/* A JSON text, read by recursive descent. Anything wrong panics. */
struct json {
  const u8 *at, *end;
};

static void space(struct json *j) {
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r')) j->at++;
}

static u8 next(struct json *j) {
  if (j->at == j->end) BAD_INPUT();
  return *j->at++;
}

/* token passes over space and the character c. */
static void token(struct json *j, u8 c) {
  space(j);
  if (next(j) != c) BAD_INPUT();
}

static int peek(struct json *j) {
  space(j);
  return j->at < j->end ? *j->at : -1;
}

static u32 hex4(struct json *j) {
  u32 v = 0;
  for (int i = 0; i < 4; i++) {
    u8 c = next(j);
    u8 lower = c | 0x20;
    if (c >= '0' && c <= '9')
      v = v << 4 | (u32)(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      v = v << 4 | (u32)(lower - 'a' + 10);
    else
      BAD_INPUT();
  }
  return v;
}

static u8 *put_rune(u8 *out, u32 r) {
  if (r < 0x80) {
    *out++ = (u8)r;
  } else if (r < 0x800) {
    *out++ = (u8)(0xc0 | r >> 6);
    *out++ = (u8)(0x80 | (r & 0x3f));
  } else if (r < 0x10000) {
    *out++ = (u8)(0xe0 | r >> 12);
    *out++ = (u8)(0x80 | (r >> 6 & 0x3f));
    *out++ = (u8)(0x80 | (r & 0x3f));
  } else {
    *out++ = (u8)(0xf0 | r >> 18);
    *out++ = (u8)(0x80 | (r >> 12 & 0x3f));
    *out++ = (u8)(0x80 | (r >> 6 & 0x3f));
    *out++ = (u8)(0x80 | (r & 0x3f));
  }
  return out;
}

static u32 escaped_rune(struct json *j) {
  u32 r = hex4(j);
  if (r >= 0xdc00 && r <= 0xdfff) BAD_INPUT();
  if (r >= 0xd800 && r <= 0xdbff) {
    if (next(j) != '\\' || next(j) != 'u') BAD_INPUT();
    u32 low = hex4(j);
    if (low < 0xdc00 || low > 0xdfff) BAD_INPUT();
    r = 0x10000 + ((r - 0xd800) << 10 | (low - 0xdc00));
  }
  return r;
}

/* string decodes a string to out, which has room for the rest of the text: no
   escape is shorter than what it stands for. It gives the length. */
static u32 string(struct json *j, u8 *out) {
  u8 *start = out;
  token(j, '"');
  for (;;) {
    u8 c = next(j);
    if (c == '"') return (u32)(out - start);
    if (c < 0x20) BAD_INPUT();
    if (c != '\\') {
      *out++ = c;
      continue;
    }
    c = next(j);
    switch (c) {
      case '"': case '\\': case '/': *out++ = c; break;
      case 'b': *out++ = '\b'; break;
      case 'f': *out++ = '\f'; break;
      case 'n': *out++ = '\n'; break;
      case 'r': *out++ = '\r'; break;
      case 't': *out++ = '\t'; break;
      case 'u': out = put_rune(out, escaped_rune(j)); break;
      default: BAD_INPUT();
    }
  }
}

static u64 integer(struct json *j) {
  u64 v = 0;
  int c = peek(j);
  if (c < '0' || c > '9') BAD_INPUT();
  if (c == '0') {
    j->at++;
    if (j->at < j->end && *j->at >= '0' && *j->at <= '9') BAD_INPUT();
    return 0;
  }
  while (j->at < j->end && *j->at >= '0' && *j->at <= '9') {
    u64 digit = (u64)(*j->at++ - '0');
    if (v > (ALL_ONES - digit) / 10) BAD_INPUT();
    v = v * 10 + digit;
  }
  return v;
}

/* skip passes over any value; scratch has room for the rest of the text. */
static void skip(struct json *j, u8 *scratch, int depth) {
  if (depth > 32) BAD_INPUT();
  int c = peek(j);
  if (c == '"') {
    string(j, scratch);
  } else if (c == '{' || c == '[') {
    u8 close = c == '{' ? '}' : ']';
    j->at++;
    if (peek(j) == close) {
      j->at++;
      return;
    }
    for (;;) {
      if (c == '{') {
        string(j, scratch);
        token(j, ':');
      }
      skip(j, scratch, depth + 1);
      space(j);
      u8 d = next(j);
      if (d == close) return;
      if (d != ',') BAD_INPUT();
    }
  } else {
    const u8 *start = j->at;
    while (j->at < j->end && ((*j->at >= '0' && *j->at <= '9') || (*j->at >= 'a' && *j->at <= 'z') ||
                              *j->at == '-' || *j->at == '+' || *j->at == '.' || *j->at == 'E'))
      j->at++;
    if (j->at == start) BAD_INPUT();
  }
}

static int same(const u8 *a, const char *b, u32 len) {
  for (u32 i = 0; i < len; i++)
    if (a[i] != (u8)b[i]) return 0;
  return 1;
}

/* member leaves j at the value of the member name of the object that j begins
   with, and checks that what follows it is JSON too. */
static struct json member(struct json j, const char *name, u32 name_len, u8 *scratch) {
  struct json found = {0, 0};
  token(&j, '{');
  if (peek(&j) == '}') BAD_INPUT();
  for (;;) {
    u32 len = string(&j, scratch);
    token(&j, ':');
    space(&j);
    if (len == name_len && same(scratch, name, len)) {
      if (found.at) BAD_INPUT();
      found = j;
    }
    skip(&j, scratch, 0);
    space(&j);
    u8 c = next(&j);
    if (c == '}') break;
    if (c != ',') BAD_INPUT();
  }
  space(&j);
  if (j.at != j.end || !found.at) BAD_INPUT();
  return found;
}

#define MEMBER(buf, len, name, scratch) \
  member((struct json){buf, buf + len}, name, sizeof(name) - 1, scratch)
