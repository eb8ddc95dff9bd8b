package compare

import (
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"
)

// flatten gives a plan's values by their paths, such as load[1].rate, each as text.
// Lists and objects without anything in them are values too.
func flatten(text []byte) (map[string]string, error) {
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	all := map[string]string{}
	return all, put(all, "", tree)
}

func put(all map[string]string, path string, v any) error {
	member := func(key string, v any) error {
		if path != "" {
			key = path + "." + key
		}
		return put(all, key, v)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, v := range v {
			if err := member(key, v); err != nil {
				return err
			}
		}
		if len(v) > 0 {
			return nil
		}
	case map[any]any:
		for key, v := range v {
			if err := member(fmt.Sprint(key), v); err != nil {
				return err
			}
		}
		if len(v) > 0 {
			return nil
		}
	case []any:
		for i, v := range v {
			if err := put(all, fmt.Sprintf("%s[%d]", path, i), v); err != nil {
				return err
			}
		}
		if len(v) > 0 {
			return nil
		}
	}
	if s, ok := v.(string); ok {
		all[path] = s
		return nil
	}
	word, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	all[path] = string(word)
	return nil
}
