package near

import "slices"

// shards is how the ledger's accounts are spread over shards, and which of the
// shards this node tracks.
type shards struct {
	count   uint64
	tracked []uint64 // nil: all
}

// of is the shard of an account, whether it exists or not. Real nodes cut the
// order of account ids at boundary accounts; here ids are spread evenly.
func (s *shards) of(id []byte) uint64 {
	if s.count == 1 {
		return 0
	}
	return mix(hash64(id)) % s.count
}

func (s *shards) tracks(shard uint64) bool {
	return s.tracked == nil || slices.Contains(s.tracked, shard)
}
