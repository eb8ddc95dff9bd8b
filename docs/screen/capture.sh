#!/bin/sh
# Takes the README's picture anew: runs a built-in scenario in a terminal of 120 by 40
# that tmux plays, and turns what it shows near the end into docs/screen/*.svg.
# It takes about a minute and needs tmux.
set -eu
cd "$(dirname "$0")/../.."
make build
dir=$(mktemp -d)
session=volley-screen-$$
trap 'tmux -L "$session" kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT

tmux -L "$session" -f /dev/null new-session -d -x 120 -y 40 "
	env -u NO_COLOR TERM=tmux-256color ./bin/volley run near-mix --out $dir/run \
		--set 'load[1].rate=1500 entries/s' --set 'load[1].for=25s' \
		--set 'load[2].rate=1500..4500 entries/s' --set 'load[2].for=25s'"
tmux -L "$session" set -g status off
tmux -L "$session" resize-window -x 120 -y 40
sleep 48
for screen in 1:overview 2:heat-map 3:node; do
	tmux -L "$session" send-keys "${screen%%:*}"
	sleep 0.5
	tmux -L "$session" capture-pane -p -e >"$dir/${screen##*:}.ansi"
	go run docs/screen/svg.go <"$dir/${screen##*:}.ansi" >"docs/screen/${screen##*:}.svg"
done
