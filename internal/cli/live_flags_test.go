package cli

import "testing"

// A replay repeats the live flags that were given, each as one word of a shell,
// and never shows a password.
func TestAReplayRepeatsTheLiveFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"-scale", "100"}, " -scale 100"},
		{[]string{"-scale", "2.5", "-redis", "redis-server"}, " -scale 2.5 -redis redis-server"},
		{[]string{"-worker", "java -jar my.jar", "-redis-shared", "-toxiproxy", "10.0.0.1:8474"}, " -redis-shared -toxiproxy 10.0.0.1:8474 -worker 'java -jar my.jar'"},
		{[]string{"-redis", "redis://:hunter2@db:6379"}, " -redis 'redis://…@db:6379'"},
	} {
		f, _, err := parseFlags(append([]string{"-mode", "live"}, tt.args...))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.liveArguments(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
}
