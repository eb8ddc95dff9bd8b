// Command soak measures what a running reference node makes of memory: flat
// under a minute of batches, bounded by the largest bodies, and by clients that
// hold ten thousand connections and say nothing. It starts the node's binary
// itself and prints figures; it judges nothing.
//
//	go run ./bench/node/soak -volley bin/volley [-for 1m] [-idle 10000]
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	log.SetFlags(0)
	binary := flag.String("volley", "bin/volley", "the binary")
	length := flag.Duration("for", time.Minute, "how long batches are sent")
	idle := flag.Int("idle", 10_000, "connections that say nothing")
	flag.Parse()
	if err := run(*binary, *length, *idle); err != nil {
		log.Fatal("soak: ", err)
	}
}

func run(binary string, length time.Duration, idle int) error {
	for _, measure := range []func(*node) error{
		func(n *node) error { return n.batches(length) },
		(*node).largeBatch,
		(*node).largeAnswer,
		func(n *node) error { return n.silent(idle) },
	} {
		n, err := start(binary)
		if err != nil {
			return err
		}
		err = measure(n)
		n.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

// node is one process of the binary.
type node struct {
	process *exec.Cmd
	address string
	config  string
}

// Wide limits, so that nothing is refused that should be measured.
const config = `{"rpc": {"limits_config": {"json_payload_max_size": 67108864, "batch_size_limit": 1000000, "batch_response_size_limit": 67108864}}}`

func start(binary string) (*node, error) {
	f, err := os.CreateTemp("", "soak-*.json")
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteString(config); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	n := &node{process: exec.Command(binary, "node", "--dialect", "near", "--config", f.Name()), config: f.Name()}
	n.process.Stderr = os.Stderr
	out, err := n.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := n.process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		n.stop()
		return nil, fmt.Errorf("the node did not start: %w", err)
	}
	n.address = strings.TrimPrefix(strings.TrimSpace(line), "listening http://")
	return n, n.warm()
}

// warm lets the node make what it makes once.
func (n *node) warm() error {
	for range 100 {
		if _, err := n.post(batch(100, "")); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) stop() {
	n.process.Process.Signal(os.Interrupt)
	n.process.Wait()
	os.Remove(n.config)
}

// resident is the process's resident set, and the most that it has been, in MiB.
func (n *node) resident() (now, most float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.process.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		switch {
		case name != "VmRSS" && name != "VmHWM":
		case err != nil:
			return 0, 0, err
		case name == "VmRSS":
			now = kib / 1024
		default:
			most = kib / 1024
		}
	}
	return now, most, nil
}

func (n *node) post(body []byte) (size int64, err error) {
	resp, err := http.Post("http://"+n.address, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %d", resp.StatusCode)
	}
	return io.Copy(io.Discard, resp.Body)
}

// batch is an array of view_account queries, with filler in each.
func batch(entries int, filler string) []byte {
	b := []byte{'['}
	for i := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"jsonrpc":"2.0","id":"%d%s","method":"query","params":{"request_type":"view_account","account_id":"user%d.near","finality":"final"}}`, i, filler, i%10_000)
	}
	return append(b, ']')
}

func (n *node) batches(length time.Duration) error {
	body := batch(100, "")
	end := time.Now().Add(length)
	var senders sync.WaitGroup
	failures := make(chan error, 4)
	for range cap(failures) {
		senders.Go(func() {
			for time.Now().Before(end) {
				if _, err := n.post(body); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	for time.Now().Before(end) {
		time.Sleep(length / 6)
		now, _, err := n.resident()
		if err != nil {
			return err
		}
		fmt.Printf("batches of 100, %v to go: %.1f MiB\n", time.Until(end).Round(time.Second), now)
	}
	senders.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

// above runs something and prints by how much the resident set rose at most.
func (n *node) above(what string, do func() error) error {
	before, _, err := n.resident()
	if err != nil {
		return err
	}
	// What the process was at most starts anew.
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", n.process.Process.Pid), []byte("5"), 0); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	_, most, err := n.resident()
	fmt.Printf("%s: %.1f MiB idle, at most %.1f above\n", what, before, most-before)
	return err
}

// largeBatch has a batch of 10 MiB, of entries as they mostly are.
func (n *node) largeBatch() error {
	body := batch(10<<20/140, "")
	return n.above(fmt.Sprintf("a batch of %.1f MiB, %d entries", float64(len(body))/(1<<20), 10<<20/140), func() error {
		size, err := n.post(body)
		fmt.Printf("answered with %.1f MiB\n", float64(size)/(1<<20))
		return err
	})
}

// largeAnswer has a batch of 10 MiB that is answered with as much, most of both
// being the ids of 100 entries.
func (n *node) largeAnswer() error {
	body := batch(100, strings.Repeat("x", 10<<20/100))
	return n.above(fmt.Sprintf("a batch of %.1f MiB, 100 entries", float64(len(body))/(1<<20)), func() error {
		size, err := n.post(body)
		fmt.Printf("answered with %.1f MiB\n", float64(size)/(1<<20))
		return err
	})
}

// silent holds connections open, and asks on another how long an answer takes.
func (n *node) silent(count int) error {
	return n.above(fmt.Sprintf("%d silent connections", count), func() error {
		conns := make([]net.Conn, 0, count)
		defer func() {
			for _, c := range conns {
				c.Close()
			}
		}()
		begun := time.Now()
		for range count {
			c, err := net.Dial("tcp", n.address)
			if err != nil {
				return fmt.Errorf("after %d connections: %w", len(conns), err)
			}
			conns = append(conns, c)
		}
		opened := time.Since(begun)
		asked := time.Now()
		if _, err := n.post(batch(100, "")); err != nil {
			return err
		}
		fmt.Printf("%d connections opened in %v, then a batch answered in %v\n", count, opened.Round(time.Millisecond), time.Since(asked).Round(time.Microsecond))
		conns[0].SetReadDeadline(time.Now().Add(time.Minute))
		_, err := conns[0].Read(make([]byte, 1))
		fmt.Printf("the first is closed by the node after %v: %v\n", time.Since(begun).Round(time.Second), err)
		last := conns[count-1]
		last.SetReadDeadline(time.Now().Add(time.Minute))
		_, err = last.Read(make([]byte, 1))
		fmt.Printf("the last after %v: %v\n", time.Since(begun).Round(time.Second), err)
		return nil
	})
}
