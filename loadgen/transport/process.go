package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// settling is how long the streams of a process may outlive it (something that
// it started may hold them), and it its output.
const settling = time.Second

// process is a command with pipes on its standard streams.
type process struct {
	cmd      *exec.Cmd
	in       *os.File // we write
	out, err *os.File // we read
	stderr   io.Writer

	group  sync.WaitGroup
	exited chan struct{} // closed when the process has ended
	status error         // how; read it after exited
	quiet  chan struct{} // closed when its standard error has ended
	words  lastWords     // read it after quiet

	once  sync.Once
	ended error // of once
}

func start(command []string, stderr io.Writer) (*process, error) {
	p := &process{
		cmd:    exec.Command(command[0], command[1:]...),
		stderr: stderr,
		exited: make(chan struct{}),
		quiet:  make(chan struct{}),
	}
	var files []*os.File // read end, write end, by threes
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(files...)
			return nil, fmt.Errorf("cannot make a pipe to the command: %w", err)
		}
		files = append(files, r, w)
	}
	p.in, p.out, p.err = files[1], files[2], files[4]
	theirs := []*os.File{files[0], files[3], files[5]}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p.cmd.SysProcAttr = apart()
	err := p.cmd.Start()
	closeAll(theirs...)
	if err != nil {
		closeAll(p.in, p.out, p.err)
		return nil, fmt.Errorf("cannot start the command %q: %w", command[0], err)
	}
	p.group.Go(p.wait)
	p.group.Go(p.listen)
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// wait waits for the end of the process, and lets its streams end soon after.
func (p *process) wait() {
	p.status = p.cmd.Wait()
	close(p.exited)
	end := time.Now().Add(settling)
	p.out.SetReadDeadline(end)
	p.err.SetReadDeadline(end)
}

// listen passes the standard error on until it ends.
func (p *process) listen() {
	defer close(p.quiet)
	defer p.err.Close()
	buf := make([]byte, 4<<10)
	for {
		n, err := p.err.Read(buf)
		p.words.add(buf[:n])
		if p.stderr != nil && n > 0 {
			// A log that cannot be written must not stop the command.
			_, _ = p.stderr.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// epitaph is what can be said once the output has ended.
type epitaph struct{ text string }

func (e *epitaph) Error() string { return e.text }

// epitaph waits a little for the process to end too, and tells how it did and
// what it said last.
func (p *process) epitaph() error {
	late := time.NewTimer(settling)
	defer late.Stop()
	select {
	case <-p.exited:
	case <-late.C:
		return &epitaph{"the command closed its standard output"}
	}
	<-p.quiet // bounded by the deadline that wait sets
	text := "the command ended: " + p.cmd.ProcessState.String()
	if words := p.words.String(); words != "" {
		text += fmt.Sprintf("; its last words: %q", words)
	}
	return &epitaph{text}
}

// end closes the input, waits up to grace for the process, then kills it.
func (p *process) end(grace time.Duration) error {
	p.once.Do(func() {
		p.in.Close()
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case <-p.exited:
			if p.status != nil {
				p.ended = fmt.Errorf("the command ended: %w", p.status)
			}
		case <-late.C:
			err := p.cmd.Process.Kill()
			<-p.exited
			p.ended = errors.Join(fmt.Errorf("the command did not end within %v of the end of its input and was killed", grace), err)
		}
		p.group.Wait()
	})
	return p.ended
}

// lastWords keeps the end of what was written to it.
type lastWords struct{ tail []byte }

func (w *lastWords) add(b []byte) {
	const enough = 512
	w.tail = append(w.tail, b...)
	if len(w.tail) > enough {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-enough:]...)
	}
}

func (w *lastWords) String() string { return strings.TrimSpace(string(w.tail)) }
