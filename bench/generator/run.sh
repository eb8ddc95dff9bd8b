#!/usr/bin/env bash
# Sets volley's generator beside others, in one run; see README.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

ROUNDS=${ROUNDS:-5}     # of lateness; the other parts take three
SECONDS_EACH=${SECONDS_EACH:-8}
PEERS=${PEERS-wrk vegeta fortio h2load}
PORT=${PORT:-18645}
RATE=2000
work=$(mktemp -d)
cache=${CACHE:-$work/peers}
mkdir -p "$cache"
trap 'kill "${server:-}" 2>/dev/null || true; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

die() { echo "bench-generator: $*" >&2; exit 1; }
has() { case " $PEERS " in *" $1 "*) ;; *) return 1 ;; esac; command -v "$1" >/dev/null || [ -x "$cache/$1" ]; }
command -v taskset >/dev/null || die "needs taskset (util-linux)"
[ "$(nproc)" -ge 2 ] || die "needs two CPUs: one for the server, one for the generator"
install_go() { # name, module
	case " $PEERS " in *" $1 "*) ;; *) return ;; esac
	[ -x "$cache/$1" ] || GOBIN="$cache" go install "$2" || echo "bench-generator: $1 does not install, and is left out" >&2
}
install_go vegeta github.com/tsenart/vegeta/v12@v12.13.0
install_go fortio fortio.org/fortio@v1.63.10
PATH="$cache:$PATH"
has wrk || die "needs wrk (apt-get install wrk)"
has vegeta || die "needs vegeta"

go build -o "$work/volley" ./cmd/volley
go build -o "$work/nullserver" ./bench/generator/nullserver
go build -o "$work/figures" ./bench/generator/figures
figures() { "$work/figures" "$@"; }
cd "$work"
url=http://127.0.0.1:$PORT/

# The bodies of the others: what volley sends, with the ids of its first call.
entry() { printf '{"jsonrpc":"2.0","id":%d,"method":"echo","params":[1]}' "$1"; }
entry 1 >single.json
{ printf '['; for i in $(seq 100); do [ "$i" = 1 ] || printf ','; entry "$i"; done; printf ']'; } >batch.json
for form in single batch; do
	printf 'POST %s\nContent-Type: application/json\n@%s.json\n' "$url" "$form" >"$form.targets"
	cat >"$form.lua" <<-END
		local f = io.open("$form.json", "r"); wrk.body = f:read("*a"); f:close()
		wrk.method = "POST"; wrk.headers["Content-Type"] = "application/json"
	END
done
scenario() { # name, phase, form and size
	cat >"$1.yaml" <<-END
		name: $1
		target: {dialect: jsonrpc, url: "$url", metrics: {every: 0s}}
		load: [{name: load, $2, for: ${SECONDS_EACH}s}]
		$3
		mix: [{method: echo, params: [1]}]
	END
}
scenario constant "rate: $RATE calls/s" ""
scenario poisson "rate: $RATE calls/s, arrivals: poisson" ""
scenario closed-single "callers: 64" ""
scenario closed-batch "callers: 64" "form: batch
size: 100"

serve() { # more flags; in place of the one before
	if [ -n "${server:-}" ]; then kill "$server"; wait "$server" 2>/dev/null || true; fi
	taskset -c 0 ./nullserver -listen "127.0.0.1:$PORT" "$@" >server.log &
	server=$!
	for _ in $(seq 50); do grep -q listening server.log && break; sleep 0.1; done
}
serve

volley() { # scenario, more flags: its run.json is in SCENARIO.run.json
	local name=$1; shift
	rm -rf "$name.dir"
	# A full CPU is the aim of a closed loop, and voids its run: 4.
	taskset -c 1 ./volley run "$name.yaml" --no-tui --out "$name.dir" --json "$@" >"$name.run.json" 2>"$name.err" || [ $? -eq 4 ] || die "volley: $(tail -n 3 "$name.err")"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

echo "machine: $(nproc) CPUs, $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), load $(cut -d' ' -f1-3 /proc/loadavg); server on CPU 0, generators on CPU 1"
echo
echo "Lateness at $RATE calls/s constant over ${SECONDS_EACH} s, us: volley's from its due times, vegeta's from its own grid"
printf '%-7s %12s %12s %12s %12s\n' round "volley p50" "volley p99" "vegeta p50" "vegeta p99"
a50=() a99=() b50=() b99=()
for round in $(seq "$ROUNDS"); do
	volley constant --trace-sends trace
	read -r p50 p99 < <(figures late trace)
	a50+=("$p50") a99+=("$p99")
	taskset -c 1 vegeta attack -rate=$RATE/s -max-workers=64 -workers=64 -connections=64 -duration="${SECONDS_EACH}s" -targets=single.targets -output=v.bin
	vegeta encode -to csv v.bin >v.csv
	read -r q50 q99 < <(figures grid $RATE v.csv)
	b50+=("$q50") b99+=("$q99")
	printf '%-7s %12s %12s %12s %12s\n' "$round" "$p50" "$p99" "$q50" "$q99"
done
m=("$(figures median "${a50[@]}")" "$(figures median "${a99[@]}")" "$(figures median "${b50[@]}")" "$(figures median "${b99[@]}")")
printf '%-7s %12s %12s %12s %12s\n' median "${m[@]}"
echo "ratio of the medians: p50 $(ratio "${m[0]}" "${m[2]}") (goal 0.10), p99 $(ratio "${m[1]}" "${m[3]}") (goal 0.30); volley's lowest p50 $(printf '%s\n' "${a50[@]}" | sort -n | head -n 1) us (goal 20)"

echo
echo "Poisson arrivals at $RATE/s, as sent: KS distance to the exponential (goal 0.02), index of dispersion in windows of 10 ms (goal 0.9 to 1.1)"
for how in asleep awake; do
	if [ $how = awake ]; then serve -awake; fi
	for round in 1 2 3; do
		volley poisson --trace-sends trace --set "seed=$round"
		read -r ks index < <(figures poisson $RATE trace)
		printf 'server %s between calls, round %s: %.4f, %.3f\n' $how "$round" "$ks" "$index"
	done
done
serve

# cost FORM NAME COMMAND...: leaves the CPU-seconds of the command in cpu.
cost() {
	local out
	TIMEFORMAT='%U %S'
	out=$({ time "$@" >cost.log 2>&1; } 2>&1) || true
	cpu=$(awk '{ print $1 + $2 }' <<<"$out")
}
per() { awk -v cpu="$1" -v n="$2" 'BEGIN { printf "%.3f", cpu * 1e5 / n }'; }
for form in single batch; do
	echo
	[ $form = single ] && goal="1.10 of wrk" || goal="3.00 of wrk, 0.60 of vegeta"
	echo "CPU-seconds per 100,000 calls, closed loop of 64, $form$([ $form = batch ] && echo " of 100"); calls/s in brackets (goal: $goal)"
	w=() v=() g=()
	for round in 1 2 3; do
		cost taskset -c 1 wrk -t1 -c64 -d"${SECONDS_EACH}s" -s $form.lua "$url"
		n=$(awk '/requests in/ { print $1 }' cost.log)
		w+=("$(per "$cpu" "$n")"); wn=$((n / SECONDS_EACH))
		cost volley closed-$form
		n=$(figures calls closed-$form.run.json)
		v+=("$(per "$cpu" "$n")"); vn=$((n / SECONDS_EACH))
		cost taskset -c 1 vegeta attack -rate=0 -max-workers=64 -workers=64 -connections=64 -duration="${SECONDS_EACH}s" -targets=$form.targets -output=v.bin
		n=$(vegeta encode -to csv v.bin | wc -l)
		g+=("$(per "$cpu" "$n")"); gn=$((n / SECONDS_EACH))
		echo "round $round: wrk ${w[-1]} ($wn), volley ${v[-1]} ($vn), vegeta ${g[-1]} ($gn); volley is $(ratio "${v[-1]}" "${w[-1]}") of wrk, $(ratio "${v[-1]}" "${g[-1]}") of vegeta"
	done
	a=$(figures median "${v[@]}")
	echo "median:  $(ratio "$a" "$(figures median "${w[@]}")") of wrk, $(ratio "$a" "$(figures median "${g[@]}")") of vegeta"
done

echo
echo "Open loop at $RATE/s: p99 that each reports, us (volley's from the due time, wrk2's from its planned one, the others' from their own send)"
declare -A p99s
for round in 1 2 3; do
	line="round $round:"
	note() { line+=" $1 $2;"; p99s[$1]+="$2 "; }
	volley constant; note volley "$(figures volley constant.run.json)"
	taskset -c 1 vegeta attack -rate=$RATE/s -max-workers=64 -workers=64 -connections=64 -duration="${SECONDS_EACH}s" -targets=single.targets -output=v.bin
	vegeta report -type=json v.bin >v.json; note vegeta "$(figures vegeta v.json)"
	if has fortio; then
		taskset -c 1 fortio load -quiet -qps $RATE -c 64 -t "${SECONDS_EACH}s" -content-type application/json -payload-file single.json -p 99 -r 0.00001 -json f.json "$url" >f.log 2>&1
		note fortio "$(figures fortio f.json)"
	fi
	if has h2load; then
		rm -f h.log
		taskset -c 1 h2load --h1 -t1 -c64 -D "$SECONDS_EACH" --rps 31.25 -d single.json -H "content-type: application/json" --log-file=h.log "$url" >h.out 2>&1
		note h2load "$(figures h2load h.log)"
	fi
	if [ -n "${WRK2:-}" ]; then
		taskset -c 1 "$WRK2" -t1 -c64 -d"${SECONDS_EACH}s" -R$RATE --latency -s single.lua "$url" >w2.log
		note wrk2 "$(awk '$1 == "99.000%" { v = $2; if (v ~ /us$/) k = 1; else if (v ~ /ms$/) k = 1e3; else k = 1e6; print (v + 0) * k; exit }' w2.log)"
	fi
	echo "${line%;}"
done
line="median: "
for peer in volley vegeta fortio h2load wrk2; do
	# shellcheck disable=SC2086 # the list is split on purpose
	[ -z "${p99s[$peer]:-}" ] || line+=" $peer $(figures median ${p99s[$peer]});"
done
echo "${line%;}"
