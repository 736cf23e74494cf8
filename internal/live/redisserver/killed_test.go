package redisserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/dev/testneeds"
	"github.com/lockchaos/simrun/internal/proc"
)

// ownerVerb makes the test binary a process that is killed while its
// redis-server runs.
const ownerVerb = "__owner"

func own() {
	j, err := proc.StartReaper(os.Args[0])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	s, err := Open(context.Background(), RedisServer, Options{Reaper: j})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	real := s.(*lifecycle).Server.(*spawned)
	err = s.Replicate(context.Background(), 0, func(upstream string) (Link, error) { return newWire(upstream) })
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Addr(), real.replica.addr, real.dir)
	select {}
}

func TestAKilledRunLeavesNoServerAndNoDirectory(t *testing.T) {
	testneeds.RedisServer(t)
	cmd := exec.Command(os.Args[0], ownerVerb)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Fields(line)
	if len(said) != 3 {
		t.Fatalf("owner said %q", line)
	}
	servers, dir := said[:2], said[2] // the primary and its replica
	var conns []net.Conn
	for _, addr := range servers {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	// A connection ends with its server, the loop when the directory is removed.
	for _, conn := range conns {
		_, _ = io.Copy(io.Discard, conn)
	}
	for {
		if _, err := os.Stat(dir); err != nil {
			break
		}
		runtime.Gosched()
	}
	for _, addr := range servers {
		for { // the system may close the connection before the listener
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				break
			}
			_ = conn.Close()
		}
	}
}
