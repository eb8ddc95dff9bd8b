package scenario

import (
	"slices"
	"strings"
	"unicode"
)

// operator runs public endpoints, which others depend on.
type operator struct {
	names   []string // any of which authorised.by may hold; the first is shown
	domains []string // with whatever stands below them
}

// operators is the table of public JSON-RPC endpoints that are refused unless
// their operator is the one named. It errs on the side of refusing.
var operators = []operator{
	{[]string{"NEAR Foundation", "NEAR", "Pagoda"}, []string{"near.org", "nearprotocol.com", "near.com", "near.foundation", "neardev.org", "pagoda.co"}},
	{[]string{"FastNEAR"}, []string{"fastnear.com", "fastnear.org", "neardata.xyz"}},
	{[]string{"Lava Network", "Lava"}, []string{"lavanet.xyz", "lava.build", "lavapro.xyz"}},
	{[]string{"dRPC"}, []string{"drpc.org", "drpc.live"}},
	{[]string{"QuickNode"}, []string{"quiknode.pro", "quicknode.com"}},
	{[]string{"Infura"}, []string{"infura.io"}},
	{[]string{"Alchemy"}, []string{"alchemy.com", "alchemyapi.io"}},
	{[]string{"Ankr"}, []string{"ankr.com"}},
	{[]string{"BlockPI"}, []string{"blockpi.network", "blockpi.io"}},
	{[]string{"GetBlock"}, []string{"getblock.io", "getblock.us"}},
	{[]string{"1RPC", "Automata"}, []string{"1rpc.io"}},
	{[]string{"OnFinality"}, []string{"onfinality.io"}},
	{[]string{"Tatum"}, []string{"tatum.io"}},
	{[]string{"All That Node", "DSRV"}, []string{"allthatnode.com"}},
	{[]string{"Chainstack"}, []string{"chainstack.com", "chainstacklabs.com", "p2pify.com"}},
	{[]string{"NOWNodes"}, []string{"nownodes.io"}},
	{[]string{"Cloudflare"}, []string{"cloudflare-eth.com"}},
	{[]string{"PublicNode", "Allnodes"}, []string{"publicnode.com", "allnodes.me"}},
	{[]string{"LlamaNodes", "LlamaRPC"}, []string{"llamarpc.com"}},
	{[]string{"Shitzu"}, []string{"shitzuapes.xyz"}},
	{[]string{"Intear"}, []string{"intear.tech"}},
	{[]string{"Flashbots"}, []string{"flashbots.net"}},
	{[]string{"Nodereal"}, []string{"nodereal.io"}},
	{[]string{"Moralis"}, []string{"moralis-nodes.com", "moralis.io"}},
	{[]string{"Blast"}, []string{"blastapi.io"}},
	{[]string{"Zeeve"}, []string{"zeeve.io"}},
	{[]string{"Everstake"}, []string{"everstake.one"}},
}

// operatorOf finds who runs a host.
func operatorOf(host string) (operator, bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, op := range operators {
		for _, domain := range op.domains {
			if host == domain || strings.HasSuffix(host, "."+domain) {
				return op, true
			}
		}
	}
	return operator{}, false
}

// namedIn tells whether text names the operator, word by word and whatever
// the case: "FastNEAR" does not name NEAR.
func (o operator) namedIn(text string) bool {
	have := wordsOf(text)
	for _, name := range o.names {
		want := wordsOf(name)
		for i := 0; i+len(want) <= len(have); i++ {
			if slices.Equal(have[i:i+len(want)], want) {
				return true
			}
		}
	}
	return false
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
