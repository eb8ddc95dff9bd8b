package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// TLS is how the node of an https URL is trusted, and how it can trust us. The
// zero value trusts what the system's root certificates vouch for and shows none.
type TLS struct {
	CA         []byte // PEM certificates that vouch for the node's; nil for the system's roots
	Cert, Key  []byte // PEM, our own certificate, those it hangs on behind it, and its key; nil for none
	ServerName string // the name that is asked for and that the node's certificate has to hold; "" for the URL's host
	Insecure   bool   // whatever certificate the node shows will do
}

// Config gives what crypto/tls wants for a node at host, with the protocols that may be
// spoken inside (ALPN). A nil t is the zero value. The errors show nothing of the key.
func (t *TLS) Config(host string, protocols ...string) (*tls.Config, error) {
	c := &tls.Config{ServerName: withoutZone(host), NextProtos: protocols}
	if t == nil {
		return c, nil
	}
	if t.ServerName != "" {
		c.ServerName = t.ServerName
	}
	c.InsecureSkipVerify = t.Insecure
	if t.CA != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(t.CA) {
			return nil, errors.New("the CA holds no certificate: want PEM text, -----BEGIN CERTIFICATE-----")
		}
	}
	if t.Cert == nil && t.Key == nil {
		return c, nil
	}
	if t.Cert == nil || t.Key == nil {
		return nil, errors.New("a client certificate needs its key, and a key its certificate: give both")
	}
	pair, err := tls.X509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("the client certificate and its key do not do: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
