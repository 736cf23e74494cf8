package lock

import (
	_ "embed" // the scripts are files of their own
	"time"

	"github.com/redis/go-redis/v9"
)

// Each script tells its protocol in its first lines.
var (
	//go:embed lua/acquire.lua
	acquireLua string
	//go:embed lua/renew.lua
	renewLua string
	//go:embed lua/release.lua
	releaseLua string
	//go:embed lua/force_release.lua
	forceReleaseLua string
	//go:embed lua/token_release.lua
	tokenReleaseLua string
	//go:embed lua/token_extend.lua
	tokenExtendLua string

	acquireScript      = redis.NewScript(acquireLua)
	renewScript        = redis.NewScript(renewLua)
	releaseScript      = redis.NewScript(releaseLua)
	forceReleaseScript = redis.NewScript(forceReleaseLua)
	tokenReleaseScript = redis.NewScript(tokenReleaseLua)
	tokenExtendScript  = redis.NewScript(tokenExtendLua)
)

// The first number of acquire.lua's answer.
const (
	answerHeld   = 1
	answerOthers = 0
	answerSpent  = 2
	answerLost   = 3
)

const (
	// tombstoneLife outlasts every copy of a command that the client or the
	// network may still deliver: go-redis by default gives up after four tries
	// of five seconds, and a partition that holds bytes may add much to that.
	tombstoneLife = time.Minute
	// releaseBound is what go-redis takes by default until it gives a command
	// up: four tries of five seconds.
	releaseBound = 20 * time.Second
	// undoBound is short, for it delays an Acquire that has failed already.
	undoBound = time.Second
	// resendBound: a command that took so long may have been sent twice, however
	// long the client waits for a reply; see resendAfter.
	resendBound = time.Second
)
