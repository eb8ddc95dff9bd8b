package near

import "volley/target"

// space is what a call leaves, with its own space, for the one that has it next.
type space struct {
	request request
	form    form
}

func spaceOf(c *target.Call) *space {
	s, ok := c.Scratch.(*space)
	if !ok {
		s = new(space)
		c.Scratch = s
	}
	return s
}

// common decodes params that parseCommon takes, of which those that differ from the
// ones before by nothing but the account id need not be decoded; else it gives
// false, and the request is empty.
func (s *space) common(params []byte, pinned *block) bool {
	if account, ok := s.form.account(params); ok {
		s.request.accountID = account
		return true
	}
	s.clear()
	at := s.request.parseCommon(params, pinned)
	if at > 0 {
		s.form.take(params, at, len(s.request.accountID))
	}
	return at > 0
}

func (s *space) clear() {
	s.request = request{}
	s.form.text = s.form.text[:0]
}

// form is how common params were written, all but the account id in them. Its
// zero value fits nothing.
type form struct {
	text []byte // without the account id
	at   int    // where it was
}

const mostForm = 512 // bytes of what is kept

func (f *form) take(params []byte, at, length int) {
	if len(params) <= mostForm {
		f.text, f.at = append(append(f.text[:0], params[:at]...), params[at+length:]...), at
	}
}

// account is the account id of params that are otherwise as the form has them.
func (f *form) account(params []byte) (id []byte, ok bool) {
	end := len(params) - len(f.text) + f.at
	if len(f.text) == 0 || end < f.at || string(params[:f.at]) != string(f.text[:f.at]) || string(params[end:]) != string(f.text[f.at:]) {
		return nil, false
	}
	id = params[f.at:end:end]
	for _, c := range id {
		if c == '"' || c == '\\' {
			return nil, false
		}
	}
	return id, true
}
