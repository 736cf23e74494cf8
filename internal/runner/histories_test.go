package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/scenarios"
)

func TestFoldersAreSafeAndDistinct(t *testing.T) {
	long := strings.Repeat("l", 400)
	for _, tt := range []struct {
		name        string
		names, want []string
	}{
		{"plain names", []string{"naive", "my_lock-2"}, []string{"naive", "my_lock-2"}},
		{"paths", []string{"../../etc", "published/queue"}, []string{"-etc", "published-queue"}},
		{"odd letters", []string{"замок", "錠前", "my lock", "my-lock"}, []string{"-", "--2", "my-lock", "my-lock-2"}},
		{"capitals", []string{"Lock", "lock"}, []string{"Lock", "lock-2"}},
		{"a taken number", []string{"a b", "a-b", "a-b-2"}, []string{"a-b", "a-b-2", "a-b-2-2"}},
		{"long names", []string{long, long + "x"}, []string{long[:maxFolder], long[:maxFolder-2] + "-2"}},
		{"no name", []string{""}, []string{"-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, folders(tt.names)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHistoriesOfAPlan(t *testing.T) {
	p := planOf(t, 1, nil, "my lock", "my-lock")
	p.Scenarios = append(p.Scenarios, Input{Scenario: &scenarios.Scenario{Name: "other"}})
	want := []string{
		"expiry/my-lock/history.jsonl", "expiry/my-lock-2/history.jsonl",
		"other/my-lock/history.jsonl", "other/my-lock-2/history.jsonl",
	}
	if diff := cmp.Diff(want, p.Histories()); diff != "" {
		t.Error(diff)
	}
	for i, c := range newQueue(p, Options{}.withDefaults()).cells {
		if c.path != want[i] {
			t.Errorf("cell %d: path is %q, want %q", i, c.path, want[i])
		}
	}
}
