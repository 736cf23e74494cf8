package live

import (
	"maps"
	"testing"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/rs/zerolog"
	"github.com/rs/zerolog/log"
)

// A toxic's attributes in a run that goes 30 times faster.
func TestScaledAttributes(t *testing.T) {
	got := scaled(map[string]int64{
		"latency": 3000, "jitter": 0, "timeout": 10, "delay": 60, "rate": 2, "bytes": 100, "average_size": 64,
	}, 30)
	want := toxiclient.Attributes{
		"latency": int64(100), "jitter": int64(0), "timeout": int64(1), "delay": int64(2), "rate": int64(60), "bytes": int64(100), "average_size": int64(64),
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Toxiproxy's log of its toxics does not reach standard error.
func TestAnEmbeddedToxiproxyIsQuiet(t *testing.T) {
	p, err := openProxyServer(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if level := log.Logger.GetLevel(); level != zerolog.Disabled {
		t.Errorf("the process-wide logger writes from level %s on", level)
	}
}
