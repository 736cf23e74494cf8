package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alicebob/miniredis/v2"
)

// ForgetScripts empties m's script cache, which Redis keeps in memory alone: a
// server that takes another's place, or starts again, has none.
func ForgetScripts(m *miniredis.Miniredis) error {
	conn, err := m.Dial()
	if err != nil {
		return fmt.Errorf("forget the scripts: %w", err)
	}
	var answer string
	if _, err = io.WriteString(conn, "*2\r\n$6\r\nSCRIPT\r\n$5\r\nFLUSH\r\n"); err == nil {
		answer, err = bufio.NewReader(conn).ReadString('\n')
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("forget the scripts: %w", err)
	}
	if !strings.HasPrefix(answer, "+OK") {
		return fmt.Errorf("forget the scripts: answered %q", answer)
	}
	return nil
}
