package httpapi

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"toolsmith/internal/value"
)

// yamlOf writes a JSON value as YAML, with the names in their order.
func yamlOf(v any) ([]byte, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(value.AppendJSON(nil, v), &node); err != nil { // JSON is YAML
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	plain(&node)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return out.Bytes(), nil
}

// plain takes the look of JSON off.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, one := range n.Content {
		plain(one)
	}
}
