package sim

import (
	_ "github.com/Shopify/toxiproxy/v2"
	_ "github.com/Shopify/toxiproxy/v2/client"
	_ "github.com/alicebob/miniredis/v2"
	_ "github.com/goccy/go-yaml"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/rs/zerolog"
	_ "github.com/schollz/progressbar/v3"
	_ "golang.org/x/term"
	_ "gonum.org/v1/plot"
)
