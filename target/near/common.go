package near

// parseCommon decodes the params that most queries have, without an allocation:
//
//	{"request_type":"view_account","account_id":"...","finality":"..."}
//	{"request_type":"view_account","account_id":"...","block_id":"..."}
//
// with these members once each, in any order, their strings free of escapes,
// blanks allowed. It tells where the account id starts. It reads nothing else, not
// even what is wrong: then it gives 0, r as it was, and parseQuery has the word.
// pinned is the block whose hash was asked for last, nil before that: its hash
// need not be decoded.
func (r *request) parseCommon(params []byte, pinned *block) (accountAt int) {
	c := cursor{text: params}
	c.pass("")
	if !c.pass("{") {
		return 0
	}
	var account []byte
	var ref blockRef
	var typed, referred bool
	for {
		ok := false
		switch c.initial() {
		case 'r':
			ok = !typed && c.passName(`"request_type":`) && c.pass(`"view_account"`)
			typed = true
		case 'a':
			if account == nil && c.passName(`"account_id":`) {
				accountAt = c.at + 1
				account, ok = c.plainString()
			}
		case 'f':
			if !referred && c.passName(`"finality":`) {
				ref.kind, ok = c.finality()
			}
			referred = true
		case 'b':
			if !referred && c.passName(`"block_id":`) {
				ref, ok = c.blockHash(pinned)
			}
			referred = true
		}
		if !ok {
			return 0
		}
		if !c.pass(",") {
			break
		}
	}
	if !c.pass("}") || c.at != len(params) || !typed || account == nil || !referred {
		return 0
	}
	r.op, r.ref, r.accountID = opViewAccount, ref, account
	return accountAt
}

// cursor moves over a JSON text, token by token as they are spelt.
type cursor struct {
	text []byte
	at   int
}

// pass moves past a token and the blanks after it, if the token is there.
func (c *cursor) pass(token string) bool {
	end := c.at + len(token)
	if end > len(c.text) || string(c.text[c.at:end]) != token {
		return false
	}
	c.at = passSpace(c.text, end)
	return true
}

// passName moves past a member's name and the colon, if both are there; name is
// how they are spelt together, but blanks may stand between.
func (c *cursor) passName(name string) bool {
	return c.pass(name) || c.pass(name[:len(name)-1]) && c.pass(":")
}

// initial is the first character of the string that is there.
func (c *cursor) initial() byte {
	if c.at+1 >= len(c.text) {
		return 0
	}
	return c.text[c.at+1]
}

// plainString is the text of the string that is there, never nil; ok is false
// where none is, or one with escapes.
func (c *cursor) plainString() (text []byte, ok bool) {
	if c.at >= len(c.text) || c.text[c.at] != '"' {
		return nil, false
	}
	start := c.at + 1
	for i := start; i < len(c.text); i++ {
		switch c.text[i] {
		case '"':
			c.at = passSpace(c.text, i+1)
			return c.text[start:i:i], true
		case '\\':
			return nil, false
		}
	}
	return nil, false
}

func (c *cursor) finality() (refKind, bool) {
	switch {
	case c.pass(`"final"`):
		return final, true
	case c.pass(`"optimistic"`):
		return optimistic, true
	case c.pass(`"near-final"`):
		return nearFinal, true
	}
	return 0, false
}

func (c *cursor) blockHash(pinned *block) (blockRef, bool) {
	if pinned != nil && c.pass(pinned.quoted) {
		return blockRef{kind: byHash, hash: pinned.raw}, true
	}
	text, ok := c.plainString()
	if !ok {
		return blockRef{}, false
	}
	hash, ok := parseHash(text)
	return blockRef{kind: byHash, hash: hash}, ok
}

func passSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}
