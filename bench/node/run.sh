#!/bin/sh
# Compares the reference node with other JSON-RPC servers in one run, round by
# round: server on one core, wrk on another. See README.md.
set -eu
cd "$(dirname "$0")/../.."

ROUNDS=${ROUNDS:-5}      # of every server
SECONDS_EACH=${SECONDS_EACH:-3}
CONNECTIONS=${CONNECTIONS:-16}
PEERS=${PEERS:-"anvil geth"}
SERVER_CORE=${SERVER_CORE:-0}
CLIENT_CORE=${CLIENT_CORE:-1}

fail() { echo "bench-node: $*" >&2; exit 1; }
for tool in wrk taskset awk curl; do
	command -v $tool >/dev/null || fail "$tool is missing: apt-get install wrk util-linux gawk curl"
done
taskset -c "$SERVER_CORE,$CLIENT_CORE" true || fail "want the cores $SERVER_CORE and $CLIENT_CORE: set SERVER_CORE and CLIENT_CORE"

# Peers stay in $CACHE between runs if it is set, else they go with the run.
work=$(mktemp -d)
cache=${CACHE:-$work}
mkdir -p "$cache/bin"
pids=
cleanup() {
	for pid in $pids; do kill "$pid" 2>/dev/null || true; done
	for pid in $pids; do wait "$pid" 2>/dev/null || true; done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

wants() { case " $PEERS " in *" $1 "*) return 0 ;; esac; return 1; }

if wants anvil && [ ! -x "$cache/bin/anvil" ]; then
	echo "installing anvil" >&2
	(cd "$cache" && npm install --silent --no-audit --no-fund --prefix "$cache" @foundry-rs/anvil-linux-amd64 >&2)
	ln -sf "$cache/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil" "$cache/bin/anvil"
fi
if wants geth && [ ! -x "$cache/bin/geth" ]; then
	echo "installing geth, which takes some minutes" >&2
	GOBIN="$cache/bin" GOFLAGS= go install github.com/ethereum/go-ethereum/cmd/geth@latest >&2
fi
go build -o "$work/volley" ./cmd/volley

# The bodies: what a NEAR client asks most, and each peer's cheapest method.
near() { printf '{"jsonrpc":"2.0","id":%d,"method":"query","params":{"request_type":"view_account","account_id":"user%d.near","finality":"final"}}' "$1" "$1"; }
eth() { printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":[]}' "$1" "$METHOD"; }
bodies() { # function, file
	$1 1 >"$2.single"
	i=0
	{
		printf '['
		while [ $i -lt 100 ]; do
			[ $i -eq 0 ] || printf ','
			$1 $i
			i=$((i + 1))
		done
		printf ']'
	} >"$2.batch"
}
cat >"$work/post.lua" <<'LUA'
local f = assert(io.open(os.getenv("BODY"))); wrk.body = f:read("*a"); f:close()
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
LUA

serve() { # port, command
	port=$1
	shift
	taskset -c "$SERVER_CORE" "$@" >"$work/server.$port.log" 2>&1 &
	last=$!
	pids="$pids $last"
	tries=0
	until curl -s -o /dev/null "http://127.0.0.1:$port/"; do
		tries=$((tries + 1))
		if [ $tries -ge 100 ] || ! kill -0 "$last" 2>/dev/null; then
			fail "no answer from: $*; $(tail -3 "$work/server.$port.log")"
		fi
		sleep 0.2
	done
}

ticks() { awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
HERTZ=$(getconf CLK_TCK)

# measure prints the calls a second and the server's processor time for one, in
# microseconds. An answer that is no success spoils the run.
measure() { # pid, port, body, seconds
	before=$(ticks "$1")
	BODY=$3 taskset -c "$CLIENT_CORE" wrk -t1 -c"$CONNECTIONS" -d"$4s" -s "$work/post.lua" "http://127.0.0.1:$2/" >"$work/wrk.out"
	after=$(ticks "$1")
	grep -Eq 'Non-2xx|Socket errors' "$work/wrk.out" && fail "wrk: $(grep -E 'Non-2xx|Socket errors' "$work/wrk.out")"
	awk -v ticks=$((after - before)) -v hertz="$HERTZ" '
		/requests in/ { calls = $1 }
		/Requests\/sec/ { rate = $2 }
		END { printf "%.1f %.2f\n", rate, ticks / hertz * 1e6 / calls }' "$work/wrk.out"
}

BASE_PORT=${BASE_PORT:-28545}
bodies near "$work/volley.body"
serve "$BASE_PORT" "$work/volley" node --dialect near --listen "127.0.0.1:$BASE_PORT"
servers="volley:$last:$BASE_PORT"
if wants anvil; then
	port=$((BASE_PORT + 1))
	serve $port "$cache/bin/anvil" --silent --host 127.0.0.1 --port $port
	servers="$servers anvil:$last:$port"
fi
if wants geth; then
	port=$((BASE_PORT + 2))
	serve $port "$cache/bin/geth" --dev --datadir "$work/geth" --ipcdisable --nodiscover --verbosity 1 \
		--http --http.addr 127.0.0.1 --http.port $port --authrpc.port $((BASE_PORT + 3))
	servers="$servers geth:$last:$port"
fi

# A peer is measured by the method that it carries most batches of.
for s in $servers; do
	name=${s%%:*} rest=${s#*:}
	[ "$name" = volley ] && continue
	best=0
	for METHOD in eth_chainId net_version web3_clientVersion; do
		bodies eth "$work/$METHOD"
		rate=$(measure "${rest%%:*}" "${rest#*:}" "$work/$METHOD.batch" 1)
		if awk -v a="${rate%% *}" -v b="$best" 'BEGIN { exit !(a > b) }'; then
			best=${rate%% *}
			method=$METHOD
		fi
	done
	cp "$work/$method.single" "$work/$name.body.single"
	cp "$work/$method.batch" "$work/$name.body.batch"
	echo "$name is asked $method"
done

round=1
while [ "$round" -le "$ROUNDS" ]; do
	for form in batch single; do
		for s in $servers; do
			name=${s%%:*} rest=${s#*:}
			result=$(measure "${rest%%:*}" "${rest#*:}" "$work/$name.body.$form" "$SECONDS_EACH")
			echo "$form $name $round $result"
		done
	done
	round=$((round + 1))
done | tee "$work/results"

# Ratios are taken within a round, where what else the machine does is shared;
# their median is told, and beside it the medians of the absolute figures.
awk '
	function median(list, n,   i, j, x) {
		for (i = 2; i <= n; i++) {
			x = list[i]
			for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]
			list[j + 1] = x
		}
		return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
	}
	{ key = $1 " " $2; rate[key, $3] = $4; cpu[key, $3] = $5; if (!(key in seen)) { seen[key]; order[++keys] = key }; rounds = $3 }
	END {
		printf "\n%-8s %-8s %14s %14s %16s %22s %14s\n", "form", "server", "calls/s", "entries/s", "CPU us/call", "volley is (min-max)", "by CPU"
		for (k = 1; k <= keys; k++) {
			key = order[k]; split(key, part, " "); own = part[1] " volley"; size = part[1] == "batch" ? 100 : 1
			for (r = 1; r <= rounds; r++) {
				rates[r] = rate[key, r]; cpus[r] = cpu[key, r]
				ratio[r] = rate[own, r] / rate[key, r]; saved[r] = cpu[key, r] / cpu[own, r]
			}
			m = median(ratio, rounds) # and sorts
			printf "%-8s %-8s %14.0f %14.0f %16.1f %9.2fx (%.2f-%.2f) %13.2fx\n", part[1], part[2], median(rates, rounds), size * median(rates, rounds), median(cpus, rounds), m, ratio[1], ratio[rounds], median(saved, rounds)
		}
	}' "$work/results"
