package near

// The least and the greatest length of an account id, in bytes.
const (
	minAccountID = 2
	maxAccountID = 64
)

// validAccountID tells whether id follows NEAR's account id rules: 2 to 64
// bytes of lower-case letters, digits and the separators ".", "-" and "_", with
// no separator first, last or beside another.
func validAccountID(id []byte) bool {
	if len(id) < minAccountID || len(id) > maxAccountID {
		return false
	}
	separated := true
	for _, c := range id {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			separated = false
		case (c == '.' || c == '-' || c == '_') && !separated:
			separated = true
		default:
			return false
		}
	}
	return !separated
}
