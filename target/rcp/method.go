package rcp

import "strings"

// method is what a method's name comes to.
type method uint8

const (
	undefined    method = iota // by nobody: -32004
	unadvertised               // defined in section 7, but not offered here: -32003
	ignored                    // a notification that this server does not know
	initialize
	info
	pinging
	shutdown
	cancel
	embed
	embedSparse
	embedMulti
	rerank
	retrieve
	indexAdd
	indexDelete
)

func methodOf(name []byte) method {
	switch string(name) {
	case "initialize":
		return initialize
	case "info":
		return info
	case "ping":
		return pinging
	case "shutdown":
		return shutdown
	case "notifications/cancel":
		return cancel
	case "embed":
		return embed
	case "embed/sparse":
		return embedSparse
	case "embed/multi":
		return embedMulti
	case "rerank":
		return rerank
	case "retrieve":
		return retrieve
	case "index/add":
		return indexAdd
	case "index/delete":
		return indexDelete
	case "query/transform", "graph", "catalog/list", "feedback", "memory/build", "memory/recall":
		return unadvertised
	}
	if strings.HasPrefix(string(name), reserved) {
		return ignored
	}
	return undefined
}

// reserved begins the names that only notifications have (section 4.5).
const reserved = "notifications/"

// label names the method in metrics. Methods that cannot run share one, so that
// clients cannot make labels.
func (m method) label() string {
	switch m {
	case initialize:
		return "initialize"
	case info:
		return "info"
	case pinging:
		return "ping"
	case shutdown:
		return "shutdown"
	case cancel:
		return "notifications/cancel"
	case embed:
		return "embed"
	case embedSparse:
		return "embed/sparse"
	case embedMulti:
		return "embed/multi"
	case rerank:
		return "rerank"
	case retrieve:
		return "retrieve"
	case indexAdd:
		return "index/add"
	case indexDelete:
		return "index/delete"
	}
	return "other"
}

// free says that a method is open to whoever comes, before initialize too; these
// compute nothing.
func (m method) free() bool {
	switch m {
	case initialize, info, pinging, shutdown, cancel, ignored:
		return true
	}
	return false
}

// gate gives the capability that a method needs (section 7); false when it needs
// none.
func (m method) gate() (capability, bool) {
	switch m {
	case embed:
		return capEmbed, true
	case embedSparse:
		return capSparse, true
	case embedMulti:
		return capMulti, true
	case rerank:
		return capRerank, true
	case retrieve:
		return capRetrieve, true
	case indexAdd, indexDelete:
		return capIndex, true
	}
	return 0, false
}
