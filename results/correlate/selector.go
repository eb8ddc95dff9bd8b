package correlate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Label is a label of a series.
type Label struct{ Name, Value string }

// Series is a series as the text format writes it, taken apart.
type Series struct {
	Name   string
	Labels []Label
}

// Label gives the value of a label; false when the series has none of that name.
func (s *Series) Label(name string) (string, bool) {
	for _, l := range s.Labels {
		if l.Name == name {
			return l.Value, true
		}
	}
	return "", false
}

// ParseSeries takes `name`, `name{a="b",c="d"}` or, for names beyond the classic
// alphabet, `{"name",a="b"}` apart. Labels may be quoted too.
func ParseSeries(text string) (Series, error) {
	p := parser{rest: text}
	name, inside, braces := strings.Cut(text, "{")
	s := Series{Name: strings.TrimSpace(name)}
	if s.Name != "" {
		if err := checkName(s.Name); err != nil {
			return Series{}, err
		}
	}
	if !braces {
		if s.Name == "" {
			return Series{}, fmt.Errorf("no name of a series")
		}
		return s, nil
	}
	p.rest = inside
	for first := true; ; first = false {
		p.space()
		if p.take("}") {
			break
		}
		if !first {
			if !p.take(",") {
				return Series{}, p.want(`"," or "}"`)
			}
			p.space()
			if p.take("}") { // the format allows a comma before it
				break
			}
		}
		l, named, err := p.label()
		switch {
		case err != nil:
			return Series{}, err
		case named:
			if _, twice := s.Label(l.Name); twice {
				return Series{}, fmt.Errorf("label %.40q is given twice", l.Name)
			}
			s.Labels = append(s.Labels, l)
		case !first || s.Name != "":
			return Series{}, fmt.Errorf(`label %.40q has no value: write %s="..."`, l.Name, brief(l.Name))
		default:
			s.Name = l.Name
		}
	}
	if p.space(); p.rest != "" {
		return Series{}, p.want("an end")
	}
	if s.Name == "" {
		return Series{}, fmt.Errorf("no name of a series before %q", "{")
	}
	return s, nil
}

// checkName refuses what the classic alphabet does not have, so that an operator or
// a function is not taken for a name.
func checkName(name string) error {
	for i, r := range name {
		switch {
		case r == '_' || r == ':' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9':
		default:
			return fmt.Errorf(`%.60q is no name of a series at %.10q: want letters, digits, "_" and ":", or {"a quoted name"}`, name, name[i:])
		}
	}
	return nil
}

type parser struct{ rest string }

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *parser) take(token string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, token)
	return ok
}

func (p *parser) want(what string) error {
	if p.rest == "" {
		return fmt.Errorf("it ends where %s was wanted", what)
	}
	return fmt.Errorf("%.20q where %s was wanted", p.rest, what)
}

// label reads name="value", or a quoted name alone (named is false).
func (p *parser) label() (l Label, named bool, err error) {
	quoted := strings.HasPrefix(p.rest, `"`)
	if quoted {
		if l.Name, err = p.quoted(); err != nil {
			return Label{}, false, err
		}
	} else {
		end := strings.IndexAny(p.rest, "=!~,}\" \t")
		if end <= 0 {
			return Label{}, false, p.want("the name of a label")
		}
		l.Name, p.rest = p.rest[:end], p.rest[end:]
	}
	if l.Name == "" {
		return Label{}, false, fmt.Errorf("a name between quotes is empty")
	}
	p.space()
	if quoted && (p.rest == "" || p.rest[0] == ',' || p.rest[0] == '}') {
		return l, false, nil
	}
	if !p.take("=") {
		return Label{}, false, p.want(`"=" (the only operator known)`)
	}
	p.space()
	if !strings.HasPrefix(p.rest, `"`) {
		return Label{}, false, p.want("a value in double quotes (= is the only operator known)")
	}
	l.Value, err = p.quoted()
	return l, true, err
}

// quoted reads a value in the text format's quotes: \\, \" and \n are escapes, and
// a backslash before anything else is itself.
func (p *parser) quoted() (string, error) {
	in := p.rest[1:]
	var b strings.Builder
	for i := 0; i < len(in); i++ {
		switch c := in[i]; {
		case c == '"':
			p.rest = in[i+1:]
			return b.String(), nil
		case c == '\\' && i+1 < len(in) && strings.IndexByte(`\"n`, in[i+1]) >= 0:
			if i++; in[i] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte(in[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", fmt.Errorf("%.20q lacks its closing quote", p.rest)
}

func brief(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// Selector picks the series of one name that have all its labels, whatever others
// they have. The zero Selector picks none.
type Selector struct {
	Name   string
	Labels []Label
}

// ParseSelector reads a selector as ParseSeries reads a series.
func ParseSelector(text string) (Selector, error) {
	s, err := ParseSeries(text)
	if err != nil {
		return Selector{}, fmt.Errorf("series %.60q: %w", text, err)
	}
	slices.SortFunc(s.Labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return Selector(s), nil
}

// String writes the selector so that ParseSelector reads it as it is.
func (s Selector) String() string {
	if s.Name == "" {
		return ""
	}
	var b strings.Builder
	classic := checkName(s.Name) == nil
	if classic {
		b.WriteString(s.Name)
		if len(s.Labels) == 0 {
			return b.String()
		}
		b.WriteByte('{')
	} else {
		b.WriteByte('{')
		quote(&b, s.Name)
	}
	for i, l := range s.Labels {
		if i > 0 || !classic {
			b.WriteByte(',')
		}
		if strings.Contains(l.Name, ":") || checkName(l.Name) != nil {
			quote(&b, l.Name)
		} else {
			b.WriteString(l.Name)
		}
		b.WriteByte('=')
		quote(&b, l.Value)
	}
	b.WriteByte('}')
	return b.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func quote(b *strings.Builder, text string) {
	b.WriteByte('"')
	escapes.WriteString(b, text)
	b.WriteByte('"')
}

// Matches tells whether the selector picks a series.
func (s Selector) Matches(series *Series) bool {
	return s.matches(series, "")
}

// MatchesSum tells whether the selector picks a histogram whose sum the series is.
func (s Selector) MatchesSum(series *Series) bool {
	return s.matches(series, "_sum")
}

// matches is Matches for a histogram's part: its name with that suffix.
func (s Selector) matches(series *Series, suffix string) bool {
	if s.Name == "" || len(series.Name) != len(s.Name)+len(suffix) ||
		series.Name[:len(s.Name)] != s.Name || series.Name[len(s.Name):] != suffix {
		return false
	}
	for _, l := range s.Labels {
		if v, ok := series.Label(l.Name); !ok || v != l.Value {
			return false
		}
	}
	return true
}
