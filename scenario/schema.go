package scenario

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// Schema gives the JSON Schema (draft 2020-12) of a scenario file, for editors.
// It is drawn up from the tables that the decoder reads, so the two know the
// same keys; what one key says about another only the decoder checks.
func Schema() ([]byte, error) {
	s := object(scenarioTable())()
	s.Version = jsonschema.Version
	s.Title = "volley scenario"
	s.Description = "A load test of a JSON-RPC batch endpoint."
	return json.MarshalIndent(s, "", "  ")
}

// object is a mapping with exactly the table's keys.
func object(t *table) func() *jsonschema.Schema {
	return func() *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
		for _, set := range t.settings {
			p := set.schema()
			p.Description = set.doc
			if set.def != "" {
				p.Default = schemaDefault(set.def)
			}
			s.Properties.Set(set.key, p)
			if set.required && set.unless == "" {
				s.Required = append(s.Required, set.key)
			}
		}
		return s
	}
}

func schemaDefault(text string) any {
	if r := resolve(text, false); r == isInt || r == isFloat || r == isBool {
		return json.RawMessage(text)
	}
	return text
}
