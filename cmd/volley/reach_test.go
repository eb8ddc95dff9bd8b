package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"volley/target"
)

// certificate makes a certificate of a CA of its own, which vouches for a node on
// this machine as well as for who asks it; all as PEM.
func certificate(t *testing.T) (ca, cert, key []byte) {
	t.Helper()
	block := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	sign := func(c, parent *x509.Certificate, by *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if by == nil {
			by = own
		}
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, c, parent, own.Public(), by)
		if err != nil {
			t.Fatal(err)
		}
		return der, own
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a CA of a test"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	rootDER, rootKey := sign(root, root, nil)
	leafDER, leafKey := sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{"node-7.internal"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, root, rootKey)
	der, err := x509.MarshalPKCS8PrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return block("CERTIFICATE", rootDER), block("CERTIFICATE", leafDER), block("PRIVATE KEY", der)
}

// overWebSocket answers messages as h answers bodies.
func overWebSocket(h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		conn.SetReadLimit(-1)
		for {
			_, message, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			answer := httptest.NewRecorder()
			post := httptest.NewRequest("POST", "/", bytes.NewReader(message))
			post.Header.Set("Content-Type", "application/json")
			h.ServeHTTP(answer, post)
			if answer.Body.Len() > 0 && conn.Write(context.Background(), websocket.MessageText, answer.Body.Bytes()) != nil {
				return
			}
		}
	}
}

// TestRunReachesNodes runs against nodes that are reached in every way there is, but
// for the bundled node's: every entry is answered, and no secret is stored.
func TestRunReachesNodes(t *testing.T) {
	dialect, err := target.ParseGenericConfig(target.ConfigFile{Name: "node.json", Data: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	node := target.New(target.Generic(dialect), target.Options{}).Handler()
	ca, cert, key := certificate(t)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	mutual := func(s *httptest.Server) {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots}
		s.StartTLS()
	}
	socket := filepath.Join(t.TempDir(), "s")
	port := func(s *httptest.Server) string { _, p, _ := net.SplitHostPort(s.Listener.Addr().String()); return p }
	authorised := func(h http.Handler, want string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != want {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
	for name, tt := range map[string]struct {
		node  http.Handler
		start func(*httptest.Server)
		// settings of the target, as a flow mapping's members
		settings  func(*httptest.Server) string
		addresses string
		metrics   bool // the node's own are read over the same trust
	}{
		"https with a certificate each way, and a name and password": {
			node: authorised(node, "Basic bWU6aHVzaC1odXNo"), start: mutual,
			settings: func(s *httptest.Server) string {
				return `url: "https://localhost:` + port(s) + `", auth: {basic: {user: me, password: hush-hush}},
					tls: {ca: ca.pem, cert: cert.pem, key: {env: TEST_KEY}, server_name: node-7.internal}, connections: {max_requests: 3, max_age: 50ms}`
			},
			addresses: "127.0.0.1", metrics: true,
		},
		"HTTP/2 over TLS, with a token": {
			node: authorised(node, "Bearer hush-hush"), start: func(s *httptest.Server) { s.EnableHTTP2 = true; mutual(s) },
			settings: func(s *httptest.Server) string {
				return `transport: h2, url: "` + s.URL + `", auth: {bearer: {env: TEST_TOKEN}},
					tls: {ca: ca.pem, cert: cert.pem, key: key.pem, server_name: node-7.internal}`
			},
			metrics: true,
		},
		"HTTP/2 by prior knowledge": {
			node: node, start: func(s *httptest.Server) {
				s.Config.Protocols = new(http.Protocols)
				s.Config.Protocols.SetUnencryptedHTTP2(true)
				s.Start()
			},
			settings: func(s *httptest.Server) string { return `transport: h2, url: "` + s.URL + `"` },
			metrics:  true,
		},
		"a Unix socket, a connection for every call": {
			node: node, start: func(s *httptest.Server) {
				l, err := net.Listen("unix", socket)
				if err != nil {
					t.Fatal(err)
				}
				s.Listener.Close()
				s.Listener = l
				s.Start()
			},
			settings: func(*httptest.Server) string {
				return `url: "unix:` + socket + `", connections: {keep_alive: false}`
			},
			metrics: true,
		},
		"WebSockets, two for all calls": {
			node: authorised(overWebSocket(node), "Bearer hush-hush"), start: (*httptest.Server).Start,
			settings: func(s *httptest.Server) string {
				return `transport: websocket, url: "ws://localhost:` + port(s) + `/ws", resolve: always, auth: {bearer: {env: TEST_TOKEN}}, connections: {sockets: 2}`
			},
			addresses: "at the start, looked up again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var serving sync.WaitGroup
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				serving.Add(1)
				defer serving.Done()
				tt.node.ServeHTTP(w, r)
			}))
			tt.start(s)
			t.Cleanup(func() { s.Close(); serving.Wait() })
			text := `
target: {dialect: jsonrpc, metrics: {every: ` + map[bool]string{true: "1s", false: "0s"}[tt.metrics] + `}, ` + tt.settings(s) + `}
load: [{callers: 3, for: 300ms}]
form: batch
size: {uniform: [1, 20]}
notifications: 10%
mix: [{method: sum, params: [1, 2, 3]}]
`
			scenario := writeScenario(t, text)
			for file, data := range map[string][]byte{"ca.pem": ca, "cert.pem": cert, "key.pem": key} {
				if err := os.WriteFile(filepath.Join(filepath.Dir(scenario), file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(t.TempDir(), "run")
			p := program(t, "run", scenario, "--out", dir, "--no-tui", "--json")
			p.Env = append(p.Env, "TEST_KEY="+string(key), "TEST_TOKEN=hush-hush")
			var stderr bytes.Buffer
			p.Stderr = &stderr
			out, err := p.Output()
			if code := exitCode(t, err); code != exitOK && code != exitVoid {
				t.Fatalf("exit code %d\n%s", code, stderr.String())
			}
			got := readSummary(t, out)
			if n := got.Totals.ByClass["ok"] + got.Totals.ByClass["notified"]; n != got.Totals.Entries || n == 0 {
				t.Errorf("totals: %+v\n%s", got.Totals, stderr.String())
			}
			if tt.metrics {
				checkAccount(t, got)
			}
			if !strings.Contains(string(out), tt.addresses) || tt.addresses != "" != strings.Contains(string(out), "target_addresses") {
				t.Errorf("no addresses %q in\n%s", tt.addresses, out)
			}
			secretFree(t, dir, "hush-hush", "bWU6aHVzaC1odXNo", "PRIVATE KEY")
		})
	}
}

// secretFree wants none of the secrets in any file of a directory.
func secretFree(t *testing.T, dir string, secrets ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
