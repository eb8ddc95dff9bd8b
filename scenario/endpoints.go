package scenario

import "strings"

// operator runs public endpoints, which others depend on.
type operator struct {
	names   []string // any of which authorised.by may begin with; the first is shown
	domains []string // with whatever stands below them
}

// operators is the table of public JSON-RPC endpoints that are refused unless
// their operator is the one named. It errs on the side of refusing.
var operators = []operator{
	{[]string{"NEAR Foundation", "NEAR", "Pagoda"}, []string{"near.org", "nearprotocol.com", "near.com", "near.foundation", "neardev.org", "pagoda.co", "near.page"}},
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
	{[]string{"Intear"}, []string{"intear.tech", "intea.rs"}},
	{[]string{"Grove"}, []string{"grove.city"}},
	{[]string{"ZAN"}, []string{"zan.top"}},
	{[]string{"Aurora"}, []string{"aurora.dev"}},
	{[]string{"OmniaTech"}, []string{"omniatech.io"}},
	{[]string{"ValidationCloud"}, []string{"validationcloud.io"}},
	{[]string{"Lavender.Five"}, []string{"lavenderfive.com"}},
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

// namedIn tells whether text names the operator, whatever the case: it is one of
// the names, or begins with one and goes on after a comma, colon, semicolon or
// bracket ("FastNEAR, ticket 12").
func (o operator) namedIn(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, name := range o.names {
		rest, ok := strings.CutPrefix(text, strings.ToLower(name))
		if rest = strings.TrimSpace(rest); ok && (rest == "" || strings.ContainsAny(rest[:1], ",:;(")) {
			return true
		}
	}
	return false
}
