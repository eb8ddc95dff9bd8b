package target

import (
	"maps"
	"slices"
)

// GenericConfig is the config file of the generic dialect, a flat JSON object.
// What the file leaves out has the value that ParseGenericConfig gives it.
type GenericConfig struct {
	EnableBatchRequests    bool               `json:"enable_batch_requests"`     // default true
	BodyLimit              int64              `json:"body_limit"`                // bytes, default 10 MiB
	BatchSizeLimit         int                `json:"batch_size_limit"`          // members, default 1000
	BatchConcurrencyLimit  int                `json:"batch_concurrency_limit"`   // of one batch, default 16
	BatchResponseSizeLimit int                `json:"batch_response_size_limit"` // bytes, default 10 MiB
	Slots                  int                `json:"slots"`                     // of execution, for the whole node, default 4
	Service                map[string]Service `json:"service"`                   // by method, default none
	Cost                   Costs              `json:"cost"`                      // beside the service times, default none
	Contention             Contention         `json:"contention"`                // default none
	Seed                   uint64             `json:"seed"`                      // of the service times and costs
}

// ParseGenericConfig reads a config file over the defaults; an empty file gives
// the defaults. Errors are *ConfigError: an unknown key, a wrong type, a limit
// that is not positive, a service time for a method that there is not.
func ParseGenericConfig(f ConfigFile) (GenericConfig, error) {
	c := GenericConfig{
		EnableBatchRequests:    true,
		BodyLimit:              10 << 20,
		BatchSizeLimit:         1000,
		BatchConcurrencyLimit:  16,
		BatchResponseSizeLimit: 10 << 20,
		Slots:                  4,
	}
	if err := f.Decode(&c, true); err != nil {
		return c, err
	}
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"body_limit", c.BodyLimit},
		{"batch_size_limit", int64(c.BatchSizeLimit)},
		{"batch_concurrency_limit", int64(c.BatchConcurrencyLimit)},
		{"batch_response_size_limit", int64(c.BatchResponseSizeLimit)},
		{"slots", int64(c.Slots)},
	} {
		if limit.value < 1 {
			return c, f.Errorf([]string{limit.key}, "%s must be positive, not %d", limit.key, limit.value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Service)) {
		if genericMethodOf([]byte(name)) == noMethod {
			return c, f.Errorf([]string{"service", name}, "service: no method is called %+q; there are %s", name, genericMethodList)
		}
	}
	return c, nil
}
