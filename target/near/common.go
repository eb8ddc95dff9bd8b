package near

// parseCommon decodes the params that most queries have, without an allocation:
//
//	{"request_type":"view_account","account_id":"...","finality":"..."}
//	{"request_type":"view_account","account_id":"...","block_id":"..."}
//
// with these members once each, in any order, their strings free of escapes,
// blanks allowed. It reads nothing else, not even what is wrong: then it gives
// false, r as it was, and parseQuery has the word. pinned is the block whose
// hash was asked for last, nil before that: its hash need not be decoded.
func (r *request) parseCommon(params []byte, pinned *block) bool {
	var account, reference []byte
	var named, byID bool
	i := passSpace(params, 0)
	if i >= len(params) || params[i] != '{' {
		return false
	}
	for range 3 {
		var name, value []byte
		if name, i = plainString(params, passSpace(params, i+1)); i < 0 {
			return false
		}
		if i = passSpace(params, i); i >= len(params) || params[i] != ':' {
			return false
		}
		if value, i = plainString(params, passSpace(params, i+1)); i < 0 {
			return false
		}
		switch string(name) {
		case "request_type":
			if named || string(value) != "view_account" {
				return false
			}
			named = true
		case "account_id":
			if account != nil {
				return false
			}
			account = value
		case "finality":
			if reference != nil {
				return false
			}
			reference = value
		case "block_id":
			if reference != nil {
				return false
			}
			reference, byID = value, true
		default:
			return false
		}
		if i = passSpace(params, i); i >= len(params) || params[i] != ',' {
			break
		}
	}
	if i >= len(params) || params[i] != '}' || passSpace(params, i+1) != len(params) || !named || account == nil || reference == nil {
		return false
	}
	ref, ok := commonReference(reference, byID, pinned)
	if ok {
		r.op, r.ref, r.accountID = opViewAccount, ref, account
	}
	return ok
}

func commonReference(text []byte, byID bool, pinned *block) (ref blockRef, ok bool) {
	if byID {
		if pinned != nil && string(text) == pinned.hash {
			return blockRef{kind: byHash, hash: pinned.raw}, true
		}
		hash, ok := parseHash(text)
		return blockRef{kind: byHash, hash: hash}, ok
	}
	switch string(text) {
	case "final":
		return blockRef{kind: final}, true
	case "optimistic":
		return blockRef{kind: optimistic}, true
	case "near-final":
		return blockRef{kind: nearFinal}, true
	}
	return blockRef{}, false
}

// plainString is the text of the JSON string that starts at b[i] and where it
// ends; -1 where there is none, or one with escapes. The text is never nil.
func plainString(b []byte, i int) (text []byte, end int) {
	if i >= len(b) || b[i] != '"' {
		return nil, -1
	}
	i++
	for k := i; k < len(b); k++ {
		switch b[k] {
		case '"':
			return b[i:k:k], k + 1
		case '\\':
			return nil, -1
		}
	}
	return nil, -1
}
