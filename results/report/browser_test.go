//go:build browser

package report_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrowser opens pages in a headless Chromium, wide and narrow, light and dark: no
// error on the console, no request but for the page itself, and nothing that makes the
// page wider than the window. VOLLEY_PAGES names the pages (a glob; else some are made),
// VOLLEY_SHOTS a directory to leave screenshots in.
//
// It speaks the DevTools protocol over a pipe, and needs chromium on the PATH.
func TestBrowser(t *testing.T) {
	pages := pagesToOpen(t)
	b := startBrowser(t)
	for _, page := range pages {
		for _, v := range []view{{1280, "light"}, {1280, "dark"}, {390, "light"}, {390, "dark"}} {
			name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(page), ".html"), " ", "-")
			t.Run(fmt.Sprintf("%s, %d wide, %s", name, v.width, v.scheme), func(t *testing.T) {
				seen := b.look(t, page, v)
				for _, what := range seen.complaints {
					t.Error("the console says:", what)
				}
				for _, url := range seen.requests {
					t.Error("a request left the page:", url)
				}
				if seen.wide > v.width {
					t.Errorf("the page is %d wide in a window of %d: it overflows at %s", seen.wide, v.width, seen.culprit)
				}
				if dir := os.Getenv("VOLLEY_SHOTS"); dir != "" {
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, v.width, v.scheme)), seen.picture, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

func pagesToOpen(t *testing.T) []string {
	if glob := os.Getenv("VOLLEY_PAGES"); glob != "" {
		pages, err := filepath.Glob(glob)
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages at %s (%v)", glob, err)
		}
		return pages
	}
	dir := t.TempDir()
	var pages []string
	all := everyReport(t)
	for _, name := range []string{"run-v1", "rich", "hostile", "hundreds of phases", "search", "sweep", "hostile comparison"} {
		d := all[name]
		file := filepath.Join(dir, name+".html")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.HTML(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, file)
	}
	return pages
}

type view struct {
	width  int
	scheme string
}

type sight struct {
	complaints, requests []string
	wide                 int
	culprit              string
	picture              []byte
}

// browser is a Chromium that is spoken to over two pipes, messages ending with a zero
// byte.
type browser struct {
	out     io.Writer
	in      *bufio.Reader
	id      int
	session string
	events  []event
}

type event struct {
	Method string
	Params json.RawMessage
}

func startBrowser(t *testing.T) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not on the PATH: install it (Debian: chromium, fonts-dejavu-core)")
	}
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	c := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	c.ExtraFiles = []*os.File{toRead, fromWrite} // descriptors 3 and 4
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	toRead.Close()
	fromWrite.Close()
	b := &browser{out: toWrite, in: bufio.NewReader(fromRead)}
	t.Cleanup(func() {
		// Told to close it writes its profile before it ends.
		_, _ = toWrite.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_, _ = io.Copy(io.Discard, fromRead)
		_ = c.Wait()
		cancel()
		toWrite.Close()
		fromRead.Close()
	})
	return b
}

// call waits for the answer and keeps the events that come before it.
func (b *browser) call(t *testing.T, method string, params any, result any) {
	t.Helper()
	b.id++
	message := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		t.Fatal(err)
	}
	for {
		m := b.next(t)
		if m.ID != b.id {
			continue
		}
		if m.Error != nil {
			t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

type message struct {
	ID            int
	Method        string
	Params        json.RawMessage
	Result, Error json.RawMessage
}

func (b *browser) next(t *testing.T) message {
	t.Helper()
	text, err := b.in.ReadBytes(0)
	if err != nil {
		t.Fatalf("the browser is gone: %v", err)
	}
	var m message
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		t.Fatal(err)
	}
	if m.Method != "" {
		b.events = append(b.events, event{m.Method, m.Params})
	}
	return m
}

// await waits for an event.
func (b *browser) await(t *testing.T, method string) {
	t.Helper()
	for _, e := range b.events {
		if e.Method == method {
			return
		}
	}
	for b.next(t).Method != method {
	}
}

func (b *browser) look(t *testing.T, page string, v view) (s sight) {
	t.Helper()
	b.session, b.events = "", nil
	var target struct{ TargetID string }
	b.call(t, "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(t, domain+".enable", map[string]any{}, nil)
	}
	b.call(t, "Emulation.setDeviceMetricsOverride", map[string]any{"width": v.width, "height": 900, "deviceScaleFactor": 1, "mobile": v.width < 500}, nil)
	b.call(t, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": v.scheme}}}, nil)
	b.events = nil
	address := (&url.URL{Scheme: "file", Path: page}).String()
	b.call(t, "Page.navigate", map[string]any{"url": address}, nil)
	b.await(t, "Page.loadEventFired")
	var answer struct{ Result struct{ Value string } }
	b.call(t, "Runtime.evaluate", map[string]any{"expression": overflow, "returnByValue": true}, &answer)
	if _, err := fmt.Sscanf(answer.Result.Value, "%d", &s.wide); err != nil {
		t.Fatalf("how wide the page is: %q", answer.Result.Value)
	}
	_, s.culprit, _ = strings.Cut(answer.Result.Value, " ")
	var shot struct{ Data string }
	b.call(t, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "format": "png"}, &shot)
	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		t.Fatal(err)
	}
	s.picture = picture
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
			s.complaints = append(s.complaints, string(e.Params))
		case "Network.requestWillBeSent":
			var r struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &r); err != nil {
				t.Fatal(err)
			}
			if r.Request.URL != address {
				s.requests = append(s.requests, r.Request.URL)
			}
		}
	}
	b.call(t, "Page.close", map[string]any{}, nil)
	return s
}

// overflow tells how wide the page is, and which element reaches beyond the window that
// is not in a box of its own that scrolls.
const overflow = `(() => {
	const wide = document.documentElement.scrollWidth, window_ = document.documentElement.clientWidth;
	let culprit = "";
	for (const e of document.body.querySelectorAll("*")) {
		if (e.closest(".scroll, pre, svg") && !e.matches(".scroll, pre")) continue;
		if (e.getBoundingClientRect().right > window_ + 1) { culprit = e.outerHTML.slice(0, 120); break; }
	}
	return wide + " " + culprit;
})()`
