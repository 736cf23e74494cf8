package live

import (
	"errors"
	"io"
	"net"
	"testing"
)

// A reset behind Toxiproxy reaches the client as an end of file. A reset_peer toxic
// changes that only for connections that begin while it is present.
func TestAResetAtTheTapIsAnEndAtTheClient(t *testing.T) {
	proxies, err := openProxyServer(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer proxies.close()
	tap, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	proxy, err := proxies.open("A", tap.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	client, err := net.Dial("tcp", proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := tap.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proxy.p.AddToxic("late", "reset_peer", "downstream", 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.(*net.TCPConn).SetLinger(0), server.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the client sees %v, want its end", err)
	}
}
