package target

// MisbehaveConfig is what a node does wrong on purpose.
type MisbehaveConfig struct{}
