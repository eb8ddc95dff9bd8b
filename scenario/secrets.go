package scenario

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var secretKey = regexp.MustCompile(`(?i)((?:authorization|api[-_]?key|token|secret|password|cookie)["']?\s*:\s*)(.*)$`)

// maskSecretKeys hides what stands behind a key that sounds like a secret. It
// serves files that gave no tree; for the others see hide.
func maskSecretKeys(line string) string {
	m := secretKey.FindStringSubmatchIndex(line)
	if m == nil {
		return line
	}
	return line[:m[4]] + stars(line[m[4]:m[5]])
}

func stars(s string) string { return strings.Repeat("*", utf8.RuneCountInString(s)) }

// redacted stands in a stored plan where a secret stood.
const redacted = "REDACTED"

// SecretFreeURL gives Target.URL without what may be secret: user info, query
// values and path segments that look like keys become REDACTED. It is "" for
// the bundled node.
func (p *Plan) SecretFreeURL() string { return secretFree(p.Target.URL) }

// keyLike tells whether a path segment may be a provider's key: a long word, or one
// of at least eight characters with letters and digits in it.
func keyLike(segment string) bool {
	letters := strings.ContainsFunc(segment, unicode.IsLetter)
	digits := strings.ContainsFunc(segment, unicode.IsDigit)
	return len(segment) >= 20 || len(segment) >= 8 && letters && digits
}

// secretFlag matches a command's argument that a secret follows, or that holds one.
var secretFlag = regexp.MustCompile(`(?i)^--?[a-z0-9_-]*(token|password|passwd|secret|key|auth|credential|cookie)[a-z0-9_-]*(=.*)?$`)

// secretFreeCommand gives a command without what stands behind such arguments.
func secretFreeCommand(command []string) []string {
	clean := make([]string, len(command))
	hide := false
	for i, arg := range command {
		flag, _, holds := strings.Cut(arg, "=")
		switch matches := secretFlag.MatchString(arg); {
		case hide:
			clean[i], hide = redacted, false
		case matches && holds:
			clean[i] = flag + "=" + redacted
		default:
			clean[i], hide = arg, matches
		}
	}
	return clean
}

func secretFree(address string) string {
	if address == "" {
		return ""
	}
	if _, rest, ok := unixSocket(address); ok { // a socket's path is no secret
		free := secretFree("http://localhost" + rest)
		return strings.TrimSuffix(address, rest) + strings.TrimPrefix(free, "http://localhost")
	}
	u, err := url.Parse(address)
	if err != nil {
		return redacted
	}
	changed := false
	if u.User != nil {
		u.User, changed = url.User(redacted), true
	}
	if u.RawQuery != "" {
		parts := strings.Split(u.RawQuery, "&")
		for i, part := range parts {
			if key, _, ok := strings.Cut(part, "="); ok {
				parts[i] = key + "=" + redacted
			} else {
				parts[i] = redacted
			}
		}
		u.RawQuery, changed = strings.Join(parts, "&"), true
	}
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		if keyLike(s) {
			segments[i], changed = redacted, true
		}
	}
	if !changed {
		return address
	}
	u.RawPath = strings.Join(segments, "/")
	if path, err := url.PathUnescape(u.RawPath); err == nil {
		u.Path = path
	}
	return u.String()
}

// secretsOf gathers the values of a document that may hold secrets: header
// values, what authorises, and addresses.
func secretsOf(root *node) []*node {
	var secrets []*node
	var scalars func(n *node)
	scalars = func(n *node) {
		if n.kind == scalar {
			secrets = append(secrets, n)
		}
		for _, item := range n.items {
			scalars(item)
		}
		for _, p := range n.pairs {
			scalars(p.value)
		}
	}
	target := root.get("target")
	metrics := target.get("metrics")
	var literals []*node
	for _, from := range []*node{target, metrics} {
		auth := from.get("auth")
		literals = append(literals, auth.get("bearer"), auth.get("basic").get("password"), from.get("tls").get("key"))
		if h := from.get("headers"); h != nil {
			for _, p := range h.pairs {
				literals = append(literals, p.value)
			}
		}
	}
	for _, n := range literals {
		if n != nil && n.get("env") == nil {
			scalars(n)
		}
	}
	for _, n := range []*node{target.get("url"), metrics.get("url"), metrics.get("prometheus").get("url")} {
		if n != nil && n.kind == scalar && secretFree(n.text) != n.text {
			secrets = append(secrets, n)
		}
	}
	return secrets
}

var userInfo = regexp.MustCompile(`://[^/\s"']*@`)

// hide masks secrets in a source line, keeping its columns.
func hide(line string, number int, secrets []*node) string {
	for _, s := range secrets {
		if s.at.set != "" {
			continue
		}
		if s.at.line == number {
			line = maskFrom(line, s)
		}
		for part := range strings.Lines(s.text) {
			if part = strings.TrimSpace(part); utf8.RuneCountInString(part) > 3 {
				line = strings.ReplaceAll(line, part, stars(part))
			}
		}
	}
	return userInfo.ReplaceAllStringFunc(line, func(m string) string { return "://" + stars(m[3:len(m)-1]) + "@" })
}

// maskFrom masks the scalar that begins in this line: up to its closing quote,
// its own length when it stands there as it is, or else the rest of the line.
func maskFrom(line string, s *node) string {
	runes := []rune(line)
	if s.at.column > len(runes) {
		return line
	}
	start := s.at.column - 1
	end := len(runes)
	if q := runes[start]; q == '"' || q == '\'' {
		start++
		for i := start; i < len(runes); i++ {
			if runes[i] == '\\' && q == '"' {
				i++
			} else if runes[i] == q {
				end = i
				break
			}
		}
	} else if own := []rune(s.text); strings.HasPrefix(string(runes[start:]), s.text) {
		end = start + len(own)
	}
	for i := start; i < end; i++ {
		runes[i] = '*'
	}
	return string(runes)
}
